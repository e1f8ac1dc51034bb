//! Numbers of all pairs of columns as a triangle of coloured squares.
//!
//! The name of a column stands on the diagonal: its pairs with columns before it are to the left of the name, those with
//! columns after it below. Nothing has to be turned to be read, with fifteen columns or with sixty. Squares of one colour are
//! one path, so that a thousand of them take a few kilobytes.

use std::fmt::Write as _;

use maud::{Markup, html};

/// Columns and a number for pairs of them.
pub(super) struct HeatMap<'a> {
    pub(super) title: &'a str,
    pub(super) names: &'a [&'a str],
    /// Positions of a pair, ascending, and its number; `None` where there is none.
    pub(super) pairs: Vec<([usize; 2], Option<f64>)>,
    pub(super) scale: &'a Scale,
}

/// Which numbers have which colour: numbers as far from zero as a bound or farther have the next stronger one.
pub(super) struct Scale {
    pub(super) bounds: &'static [f64],
}

/// From correlations that hardly are to those that are nearly complete.
pub(super) const VALUES: Scale = Scale { bounds: &[0.05, 0.1, 0.2, 0.4, 0.7] };
/// From differences that hardly matter to those that turn a conclusion round.
pub(super) const DIFFERENCES: Scale = Scale { bounds: &[0.02, 0.05, 0.1, 0.2, 0.4] };

/// Light to dark; the first for what is near zero, the same on both sides.
const ABOVE: [&str; 6] = ["#f4f4f2", "#d5e4f0", "#a9cae3", "#6ea5cd", "#3679ae", "#0d4a80"];
const BELOW: [&str; 6] = ["#f4f4f2", "#f9dfc9", "#f3ba8c", "#e2894f", "#bf5a23", "#813506"];
const NONE: &str = "#c4c9ce";

impl Scale {
    fn colour(&self, number: Option<f64>) -> &'static str {
        let Some(number) = number else { return NONE };
        let strength = self.bounds.iter().filter(|&&bound| number.abs() >= bound).count();
        if number < 0.0 { BELOW[strength] } else { ABOVE[strength] }
    }

    /// All colours from the lowest number to the highest, with where they begin.
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
    /// The side of a square: all columns fit a sheet of paper.
    fn side(&self) -> f64 {
        (620.0 / self.count()).clamp(8.0, 18.0)
    }

    fn count(&self) -> f64 {
        f64::from(u32::try_from(self.names.len()).expect("a schema has at most limits::COLUMNS columns"))
    }

    pub(super) fn to_svg(&self) -> String {
        let side = self.side();
        let letters = self.names.iter().map(|name| name.chars().count().min(LETTERS)).max().unwrap_or(0);
        let font = (side * 0.95).min(12.0);
        // Six tenths of its height is the mean width of a letter; the last name begins at the end of the diagonal.
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

    /// The squares of each colour, in units of one square, a little apart from each other.
    fn paths(&self) -> Vec<(&'static str, String)> {
        let mut paths: Vec<(&'static str, String)> = Vec::new();
        for &([first, second], number) in &self.pairs {
            let colour = self.scale.colour(number);
            let place = paths.iter().position(|(known, _)| *known == colour).unwrap_or_else(|| {
                paths.push((colour, String::new()));
                paths.len() - 1
            });
            // Text grows; nothing can fail.
            let _ = write!(paths[place].1, "M{first} {second}h.94v.94h-.94z");
        }
        paths
    }
}

/// A longer name would push the picture aside.
const LETTERS: usize = 24;

fn shortened(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.into();
    }
    name.chars().take(LETTERS - 1).chain(['…']).collect()
}

fn rounded(length: f64) -> String {
    format!("{length:.1}")
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
