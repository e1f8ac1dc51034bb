//! A triangle of coloured squares, one for each pair of columns.
//!
//! The name of a column is on the diagonal: its pairs with columns before it are to the left of the
//! name, those with columns after it below. So all text is horizontal, with fifteen columns or with
//! sixty. Squares of one colour are one path, so that a thousand of them take a few kilobytes.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::bars::rounded;

/// Columns, and a number for each pair.
pub(super) struct HeatMap<'a> {
    pub(super) title: &'a str,
    pub(super) names: &'a [&'a str],
    /// Positions of a pair, ascending, and its number, if it has one.
    pub(super) pairs: Vec<([usize; 2], Option<f64>)>,
    pub(super) scale: &'a Scale,
}

/// Colour scale: each bound that the absolute value reaches makes the colour one step stronger.
pub(super) struct Scale {
    pub(super) bounds: &'static [f64],
}

/// Scale of correlations.
pub(super) const VALUES: Scale = Scale { bounds: &[0.05, 0.1, 0.2, 0.4, 0.7] };
/// Scale of differences of correlations.
pub(super) const DIFFERENCES: Scale = Scale { bounds: &[0.02, 0.05, 0.1, 0.2, 0.4] };

/// Colours from light to dark. The first is for numbers near zero and is the same in both lists.
const ABOVE: [&str; 6] = ["#f4f4f2", "#d5e4f0", "#a9cae3", "#6ea5cd", "#3679ae", "#0d4a80"];
const BELOW: [&str; 6] = ["#f4f4f2", "#f9dfc9", "#f3ba8c", "#e2894f", "#bf5a23", "#813506"];
const NONE: &str = "#c4c9ce";

impl Scale {
    fn colour(&self, number: Option<f64>) -> &'static str {
        let Some(number) = number else { return NONE };
        let strength = self.bounds.iter().filter(|&&bound| number.abs() >= bound).count();
        if number < 0.0 { BELOW[strength] } else { ABOVE[strength] }
    }

    /// Returns the legend: all colours from the lowest number to the highest, with their bounds.
    pub(super) fn legend(&self) -> Markup {
        let below = BELOW.iter().skip(1).zip(self.bounds).rev().map(|(colour, bound)| (*colour, format!("≤ −{bound}")));
        let middle = std::iter::once((ABOVE[0], format!("within {}", self.bounds[0])));
        let above = ABOVE.iter().skip(1).zip(self.bounds).map(|(colour, bound)| (*colour, format!("≥ {bound}")));
        let steps: Vec<(&str, String)> =
            below.chain(middle).chain(above).chain([(NONE, "no number".to_owned())]).collect();
        html! {
            span style="display:flex;flex-wrap:wrap;gap:.2rem .9rem" {
                @for (colour, step) in steps {
                    span style="white-space:nowrap" {
                        span style={ "display:inline-block;width:.9em;height:.9em;vertical-align:-.1em;border:1px solid \
                                      #8d9baa;background:" (colour) } {}
                        " " (step)
                    }
                }
            }
        }
    }
}

impl HeatMap<'_> {
    /// Side of a square in pixels, such that all columns fit a sheet of paper.
    fn side(&self) -> f64 {
        (620.0 / self.count()).clamp(8.0, 18.0)
    }

    fn count(&self) -> f64 {
        f64::from(u32::try_from(self.names.len()).expect("a schema has at most limits::COLUMNS columns"))
    }

    pub(super) fn to_svg(&self) -> String {
        let side = self.side();
        let letters = self.names.iter().map(|name| name.chars().count().min(MAX_NAME_LETTERS)).max().unwrap_or(0);
        let font = (side * 0.95).min(12.0);
        // A letter is about 0.6 times as wide as the font is high. The last name begins at the end
        // of the diagonal.
        let room = font * 0.62 * f64::from(u32::try_from(letters).expect("letters of a short name")) + 6.0;
        let (width, height) = (self.count() * side + room, self.count() * side + 2.0);
        let paths = self.paths();
        let picture = html! {
            svg xmlns="http://www.w3.org/2000/svg" role="img" width=(rounded(width)) height=(rounded(height))
                viewBox={ "0 0 " (rounded(width)) " " (rounded(height)) } font-family="system-ui, sans-serif"
                font-size=(rounded(font)) fill="#1c2733" {
                title { (self.title) }
                g transform={ "scale(" (rounded(side)) ")" } {
                    @for (colour, path) in &paths { path d=(path) fill=(colour) {} }
                }
                @for (name, place) in self.names.iter().zip(0_u32..) {
                    text x=(rounded(f64::from(place) * side + 3.0))
                        y=(rounded((f64::from(place) + 0.5) * side + font * 0.35)) { (shortened(name)) }
                }
            }
        };
        picture.into_string()
    }

    /// Returns one path of squares per colour, in units of one square, with a gap between squares.
    fn paths(&self) -> Vec<(&'static str, String)> {
        let mut paths: Vec<(&'static str, String)> = Vec::new();
        for &([first, second], number) in &self.pairs {
            let colour = self.scale.colour(number);
            let place = paths.iter().position(|(known, _)| *known == colour).unwrap_or_else(|| {
                paths.push((colour, String::new()));
                paths.len() - 1
            });
            // Writing to a `String` cannot fail.
            let _ = write!(paths[place].1, "M{first} {second}h.94v.94h-.94z");
        }
        paths
    }
}

/// Maximum number of letters of a name. A longer name would shrink the squares.
const MAX_NAME_LETTERS: usize = 24;

fn shortened(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_LETTERS {
        return name.into();
    }
    name.chars().take(MAX_NAME_LETTERS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_of_one_colour_are_one_path() {
        let pairs = vec![([0, 1], Some(0.5)), ([0, 2], Some(0.6)), ([1, 2], Some(-0.6)), ([0, 3], None)];
        let names = ["a<b", "b", "c", &"long".repeat(9)];
        let map = HeatMap { title: "t", names: &names, pairs, scale: &VALUES };
        assert_eq!(
            map.paths(),
            [
                (ABOVE[4], "M0 1h.94v.94h-.94zM0 2h.94v.94h-.94z".to_owned()),
                (BELOW[4], "M1 2h.94v.94h-.94z".to_owned()),
                (NONE, "M0 3h.94v.94h-.94z".to_owned()),
            ]
        );
        let svg = map.to_svg();
        assert!(svg.contains("a&lt;b") && svg.contains("longlonglonglonglonglon…"), "{svg}");
    }

    #[test]
    fn numbers_on_a_bound_have_the_stronger_colour() {
        assert_eq!(DIFFERENCES.colour(Some(0.0199)), ABOVE[0]);
        assert_eq!(DIFFERENCES.colour(Some(0.02)), ABOVE[1]);
        assert_eq!(DIFFERENCES.colour(Some(-1.0)), BELOW[5]);
        assert_eq!(DIFFERENCES.colour(Some(-0.0)), BELOW[0]);
    }
}
