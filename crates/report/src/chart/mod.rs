//! Charts as SVG, readable without colour: lines in panels, bars, columns, pairs of columns and
//! matrices.
//!
//! Charts are reproducible: the same numbers give the same bytes, with positions to a tenth of a
//! pixel. They load nothing. Lines differ in colour, dash and marker; cells of a matrix differ in
//! colour and size.

mod bars;
mod columns;
mod matrix;
mod pairs;

use std::fmt::{self, Write};

pub use bars::{Bar, Bars};
pub use columns::Columns;
pub use matrix::{Look, Matrix};
pub use pairs::{Pair, PairPanel, Pairs};

use crate::words::trimmed;

/// Lines in one or more panels, with one legend for all.
///
/// ```
/// use scumble_report::chart::{Axis, Chart, Line, Panel, Scale};
///
/// let axis = |label: &str, scale| Axis { label: label.into(), scale };
/// let line = Line { name: "mst".into(), points: vec![(0.5, 0.08), (1.0, 0.05), (2.0, 0.04)] };
/// let chart = Chart {
///     title: "Error against epsilon".into(),
///     description: "The error falls as epsilon grows.".into(),
///     panels: vec![Panel {
///         title: "adult".into(),
///         x: axis("epsilon", Scale::Doubling),
///         y: axis("mean error", Scale::Linear),
///         lines: vec![line],
///     }],
///     columns: 1,
/// };
/// assert!(chart.to_svg().starts_with("<svg"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Title of the chart.
    pub title: String,
    /// Description for screen readers: what goes up or down, and where.
    pub description: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// Number of panels side by side.
    pub columns: usize,
}

/// One pair of axes with the lines between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Title above the panel.
    pub title: String,
    /// The axis along the bottom.
    pub x: Axis,
    /// The axis along the side.
    pub y: Axis,
    /// The lines. Those of one name look alike in all panels.
    pub lines: Vec<Line>,
}

/// Label and scale of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Its name and unit.
    pub label: String,
    /// Scale of the axis.
    pub scale: Scale,
}

/// Mapping from numbers to lengths along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Linear, from zero or from the least number if that is negative.
    Linear,
    /// Logarithmic, with a mark at each doubling. For positive numbers.
    Doubling,
    /// Logarithmic, with marks at round numbers. For positive numbers.
    Logarithmic,
}

/// A line through points, with a name in the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 250.0;
const HEIGHT: f64 = 180.0;
/// Margins of a panel: left for numbers, below for numbers and label, above for the title.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const ABOVE: f64 = 28.0;
const BELOW: f64 = 44.0;
/// Height of the title of the chart, and of every row of the legend.
const HEAD: f64 = 34.0;
const LEGEND_ROW: f64 = 20.0;

/// The colours of Okabe and Ito, distinguishable with colour blindness, without the yellow that is
/// invisible on white.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00"];
/// Colour of the first of two series. It is light and the second dark, so that they differ in
/// print.
pub const FIRST_COLOUR: &str = "#8db4d6";
/// Colour of the second of two series.
pub const SECOND_COLOUR: &str = "#b34d00";
const DASHES: [&str; 4] = ["none", "6 3", "2 3", "8 3 2 3"];

impl Chart {
    /// Returns the names of the lines, in the order of their first appearance.
    fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for line in self.panels.iter().flat_map(|panel| &panel.lines) {
            if !names.contains(&line.name.as_str()) {
                names.push(&line.name);
            }
        }
        names
    }

    /// Renders the chart as SVG.
    pub fn to_svg(&self) -> String {
        let names = self.names();
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let (panel_width, panel_height) = (LEFT + WIDTH + RIGHT, ABOVE + HEIGHT + BELOW);
        let width = panel_width * to_f64(columns);
        let per_row =
            (0..=names.len()).rev().find(|&many| legend_width(&names, many) <= width - 20.0).unwrap_or(1).max(1);
        let legend = LEGEND_ROW * to_f64(names.len().div_ceil(per_row));
        let height = HEAD + legend + panel_height * to_f64(self.panels.len().div_ceil(columns));
        let mut svg = String::new();
        let written = (|| -> fmt::Result {
            open_titled(&mut svg, (width, height), &self.title, &self.description)?;
            for (index, name) in names.iter().enumerate() {
                let x = 10.0 + legend_width(&names, per_row) / to_f64(per_row) * to_f64(index % per_row);
                let y = HEAD + LEGEND_ROW * (to_f64(index / per_row) + 0.5);
                stroke(&mut svg, index, &[(x, y), (x + 28.0, y)])?;
                marker(&mut svg, index, (x + 14.0, y))?;
                writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + 34.0, y + 4.0, escaped(name))?;
            }
            for (index, panel) in self.panels.iter().enumerate() {
                let left = panel_width * to_f64(index % columns) + LEFT;
                let top = HEAD + legend + panel_height * to_f64(index / columns) + ABOVE;
                panel.draw(&mut svg, &names, left, top)?;
            }
            svg.write_str("</svg>\n")
        })();
        written.expect("text can be written to memory");
        svg
    }
}

/// Returns the width of a legend with `many` names in a row.
fn legend_width(names: &[&str], many: usize) -> f64 {
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    to_f64(many) * (48.0 + 6.6 * to_f64(longest))
}

impl Panel {
    fn draw(&self, svg: &mut String, names: &[&str], left: f64, top: f64) -> fmt::Result {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = Ruler::new(self.x.scale, points().map(|point| point.0), left, WIDTH);
        let y = Ruler::new(self.y.scale, points().map(|point| point.1), top + HEIGHT, -HEIGHT);
        let (middle, bottom) = (left + WIDTH / 2.0, top + HEIGHT);
        draw_panel_title(svg, middle, top, &self.title)?;
        y.draw_across(svg, left, WIDTH)?;
        for (value, text) in &x.marks {
            let at = x.place(*value);
            writeln!(svg, "<path d=\"M{at:.1} {bottom:.1}v4\" stroke=\"#333\"/>")?;
            writeln!(svg, "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>", bottom + 17.0)?;
        }
        writeln!(svg, "<path d=\"M{left:.1} {top:.1}v{HEIGHT:.1}h{WIDTH:.1}\" stroke=\"#333\" fill=\"none\"/>")?;
        let name = escaped(&self.x.label);
        writeln!(svg, "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>", bottom + 34.0)?;
        writeln!(
            svg,
            "<text transform=\"translate({:.1} {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            left - 44.0,
            top + HEIGHT / 2.0,
            escaped(&self.y.label)
        )?;
        for line in &self.lines {
            let look = names.iter().position(|name| *name == line.name).unwrap_or(0);
            let places: Vec<(f64, f64)> = line.points.iter().map(|&(a, b)| (x.place(a), y.place(b))).collect();
            stroke(svg, look, &places)?;
            for &place in &places {
                marker(svg, look, place)?;
            }
        }
        Ok(())
    }
}

fn stroke(svg: &mut String, look: usize, places: &[(f64, f64)]) -> fmt::Result {
    let points: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let (colour, dash) = (COLOURS[look % COLOURS.len()], DASHES[look % DASHES.len()]);
    writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-dasharray=\"{dash}\"/>",
        points.join(" ")
    )
}

/// Draws a marker: a disc, a square, a triangle, a diamond or a cross.
fn marker(svg: &mut String, look: usize, (x, y): (f64, f64)) -> fmt::Result {
    let colour = COLOURS[look % COLOURS.len()];
    let path = match look % 5 {
        0 => return writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{colour}\"/>"),
        1 => "m-3 -3h6v6h-6z",
        2 => "m0 -4l3.6 6.4h-7.2z",
        3 => "m0 -4l4 4l-4 4l-4 -4z",
        _ => "m-3 -3l6 6m0 -6l-6 6",
    };
    writeln!(svg, "<path d=\"M{x:.1} {y:.1}{path}\" fill=\"{colour}\" stroke=\"{colour}\"/>")
}

/// Mapping from numbers to positions along an axis.
struct Ruler {
    scale: Scale,
    from: f64,
    to: f64,
    start: f64,
    length: f64,
    /// Numbers that are written along the axis.
    marks: Vec<(f64, String)>,
}

impl Ruler {
    fn new(scale: Scale, values: impl Iterator<Item = f64>, start: f64, length: f64) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (least, most) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let (from, to, marks) = match scale {
            Scale::Linear => {
                let (least, most) = (least.min(0.0), most.max(0.0));
                let step = nice_step((most - least) / 4.0);
                let (first, end) = ((least / step).floor(), (most / step).ceil().max(1.0));
                let digits = (-step.log10().floor()).clamp(0.0, 6.0);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between zero and six")]
                let digits = digits as usize;
                let marks = successors(first, end).map(|index| (index * step, format!("{:.digits$}", index * step)));
                (first * step, end * step, marks.collect())
            }
            Scale::Doubling => {
                let (least, most) = if least > 0.0 && most >= least { (least, most) } else { (1.0, 2.0) };
                let marks = successors(0.0, (most / least).log2().round()).map(|power| least * power.exp2());
                (least.log2() - 0.15, most.log2() + 0.15, marks.map(|mark| (mark, shortest(mark))).collect())
            }
            Scale::Logarithmic => {
                let (least, most) = if least > 0.0 && most >= least { (least, most) } else { (1.0, 2.0) };
                let marks = round_numbers(least, most);
                let end = |mark: Option<&(f64, String)>| mark.map_or(1.0, |(mark, _)| *mark).log2();
                (end(marks.first()), end(marks.last()), marks)
            }
        };
        Self { scale, from, to, start, length, marks }
    }

    /// Draws a horizontal line at every mark of a vertical axis, with its number on the left.
    fn draw_across(&self, svg: &mut String, left: f64, width: f64) -> fmt::Result {
        for (value, text) in &self.marks {
            let at = self.place(*value);
            writeln!(svg, "<path d=\"M{left:.1} {at:.1}h{width:.1}\" stroke=\"#ddd\"/>")?;
            writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>", left - 6.0, at + 4.0)?;
        }
        Ok(())
    }

    fn place(&self, value: f64) -> f64 {
        let value = if self.scale == Scale::Linear { value } else { value.log2() };
        self.start + self.length * (value - self.from) / (self.to - self.from)
    }
}

/// Iterates over the whole numbers from `first` to `last`.
fn successors(first: f64, last: f64) -> impl Iterator<Item = f64> {
    std::iter::successors(Some(first), move |index| (*index < last).then_some(index + 1.0))
}

/// Returns one, two or five times a power of ten, not below `step`.
fn nice_step(step: f64) -> f64 {
    let step = if step > 0.0 && step.is_finite() { step } else { 0.25 };
    let power = 10_f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= step * 0.999);
    factor.unwrap_or(10.0) * power
}

/// Returns one, two and five times powers of ten, from the last not above `least` to the first
/// above `most`.
fn round_numbers(least: f64, most: f64) -> Vec<(f64, String)> {
    let powers = successors(least.log10().floor(), most.log10().floor() + 1.0);
    let all = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|factor| (factor * 10_f64.powf(power), power)));
    let mut marks: Vec<(f64, f64)> = all.collect();
    let above = marks.iter().position(|(mark, _)| *mark > most).unwrap_or(marks.len());
    marks.truncate(above + 1);
    let below = marks.iter().rposition(|(mark, _)| *mark <= least).unwrap_or(0);
    let written = |&(mark, power): &(f64, f64)| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between zero and twelve")]
        let digits = (-power).clamp(0.0, 12.0) as usize;
        (mark, format!("{mark:.digits$}"))
    };
    marks[below..].iter().map(written).collect()
}

/// Formats a number with at most three decimals.
fn shortest(number: f64) -> String {
    trimmed(format!("{number:.3}"))
}

/// Opens an SVG of a size, with a title and a description for screen readers. No element has an id,
/// so that several pictures fit one page.
fn open(svg: &mut String, (width, height): (f64, f64), title: &str, description: &str) -> fmt::Result {
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\">"
    )?;
    writeln!(svg, "<title>{}</title>", escaped(title))?;
    writeln!(svg, "<desc>{}</desc>", escaped(description))
}

/// Opens an SVG with a white background and a visible title.
fn open_titled(svg: &mut String, size: (f64, f64), title: &str, description: &str) -> fmt::Result {
    open(svg, size, title, description)?;
    writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>")?;
    writeln!(svg, "<text x=\"10\" y=\"22\" font-size=\"15\" font-weight=\"600\">{}</text>", escaped(title))
}

/// Draws the title above a panel that begins at `top`.
fn draw_panel_title(svg: &mut String, middle: f64, top: f64, title: &str) -> fmt::Result {
    let (above, title) = (top - 9.0, escaped(title));
    writeln!(svg, "<text x=\"{middle:.1}\" y=\"{above:.1}\" text-anchor=\"middle\" font-weight=\"600\">{title}</text>")
}

/// Estimates the width of a text, for a wide font.
fn text_width(text: &str, font_size: f64) -> f64 {
    0.64 * font_size * to_f64(text.chars().count())
}

/// Shortens a text to a width. The middle is cut, because names often differ in their ends.
fn shortened(text: &str, font_size: f64, width: f64) -> String {
    let characters: Vec<char> = text.chars().collect();
    let fits = |kept: usize| text_width("x", font_size) * to_f64(kept + 1) <= width;
    if text_width(text, font_size) <= width {
        return text.into();
    }
    let kept = (0..characters.len()).take_while(|&kept| fits(kept)).last().unwrap_or(0);
    let (front, back) = (kept - kept / 2, characters.len() - kept / 2);
    characters[..front].iter().chain(&['…']).chain(&characters[back..]).collect()
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(crate) fn to_f64(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let line = |name: &str, factor: f64| Line {
            name: name.into(),
            points: [0.1, 0.2, 0.4, 0.8].map(|x| (x, factor / x)).to_vec(),
        };
        let axis = |label: &str, scale| Axis { label: label.into(), scale };
        let panel = |title: &str| Panel {
            title: title.into(),
            x: axis("epsilon", Scale::Doubling),
            y: axis("error", Scale::Linear),
            lines: vec![line("ours", 0.01), line("a < b", 0.02)],
        };
        Chart {
            title: "Errors".into(),
            description: "Errors fall as epsilon grows.".into(),
            panels: vec![panel("one"), panel("two"), panel("three")],
            columns: 2,
        }
    }

    #[test]
    fn every_panel_has_its_lines_and_the_legend_names_each_once() {
        let svg = chart().to_svg();
        // Two lines in each of three panels, and two in the legend.
        assert_eq!(svg.matches("<polyline").count(), 8);
        assert_eq!(svg.matches(">a &lt; b</text>").count(), 1);
        assert_eq!(svg.matches(">error</text>").count(), 3);
        assert!(svg.contains(">0.1</text>") && svg.contains(">0.8</text>") && svg.contains(">0.20</text>"), "{svg}");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn long_text_loses_its_middle() {
        assert_eq!(shortened("abcdefghij", 10.0, 64.0), "abcdefghij");
        assert_eq!(shortened("abcdefghij", 10.0, 50.0), "abc…hij");
        assert_eq!(shortened("abcdefghij", 10.0, 1.0), "…");
    }

    #[test]
    fn larger_numbers_have_larger_positions() {
        let ruler = |scale| Ruler::new(scale, [1.0, 2.0, 8.0].into_iter(), 0.0, 100.0);
        for scale in [Scale::Linear, Scale::Doubling, Scale::Logarithmic] {
            let places = [1.0, 2.0, 8.0].map(|value| ruler(scale).place(value));
            assert!(places.is_sorted() && places[0] >= 0.0 && places[2] <= 100.0, "{places:?}");
        }
        // Doubling twice is twice as far as doubling once.
        for scale in [Scale::Doubling, Scale::Logarithmic] {
            let [one, two, eight] = [1.0, 2.0, 8.0].map(|value| ruler(scale).place(value));
            assert!(((eight - two) - 2.0 * (two - one)).abs() < 1e-9);
        }
    }

    #[test]
    fn marks_are_round_numbers_around_all_values() {
        let marks_of = |scale, values: &[f64]| -> Vec<String> {
            let ruler = Ruler::new(scale, values.iter().copied(), 0.0, 1.0);
            ruler.marks.into_iter().map(|(_, text)| text).collect()
        };
        let marks = |values: &[f64]| marks_of(Scale::Linear, values);
        let logarithmic = |values: &[f64]| marks_of(Scale::Logarithmic, values);
        assert_eq!(logarithmic(&[0.0024, 0.04]), ["0.002", "0.005", "0.01", "0.02", "0.05"]);
        assert_eq!(logarithmic(&[0.7, 30.0]), ["0.5", "1", "2", "5", "10", "20", "50"]);
        assert_eq!(logarithmic(&[]), ["1", "2", "5"], "an axis without values has marks");
        assert_eq!(marks(&[0.03, 0.17]), ["0.00", "0.05", "0.10", "0.15", "0.20"]);
        assert_eq!(marks(&[-1.0, 3.0]), ["-1", "0", "1", "2", "3"]);
        assert_eq!(marks(&[0.0]), marks(&[]), "an axis without values has marks");
    }
}
