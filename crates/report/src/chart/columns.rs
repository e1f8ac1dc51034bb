//! Histograms, as narrow as a phone. A column may have a range for the true value, and the outline
//! of another histogram may be drawn over it.

use std::fmt::{self, Write};

use super::{FIRST_COLOUR, Ruler, SECOND_COLOUR, Scale, escaped, open, text_width, to_f64};

/// Width of the picture. It fits a phone.
const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 120.0;
/// Margins: left for numbers, below for labels.
const LEFT: f64 = 42.0;
const ABOVE: f64 = 8.0;
const BELOW: f64 = 22.0;
const FONT: f64 = 12.0;
/// Height of the label of the vertical axis, if there is one.
const AXIS: f64 = 18.0;

/// A histogram, with percentages on the vertical axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// Title of the picture.
    pub title: String,
    /// Description for screen readers.
    pub description: String,
    /// Label of the vertical axis, if it does not show shares of rows.
    pub axis: Option<String>,
    /// Height of each column, and the range of the true height, if known.
    pub heights: Vec<(f64, Option<(f64, f64)>)>,
    /// Heights of another histogram, whose outline is drawn over this one.
    pub outline: Option<Vec<f64>>,
    /// Labels of the horizontal axis, each with its position: the number of columns to its left.
    pub marks: Vec<(usize, String)>,
}

impl Columns {
    /// Renders the histogram as SVG.
    pub fn to_svg(&self) -> String {
        let reach = self.heights.iter().map(|(height, range)| range.map_or(0.0, |(_, most)| most).max(*height));
        let reach = reach.chain(self.outline.iter().flatten().copied());
        let percent = Ruler::new(Scale::Linear, reach.map(|share| share * 100.0), self.above() + HEIGHT, -HEIGHT);
        let pitch = (WIDTH - LEFT) / to_f64(self.heights.len().max(1));
        let mut svg = String::new();
        let written = (|| -> fmt::Result {
            open(&mut svg, (WIDTH, self.above() + HEIGHT + BELOW), &self.title, &self.description)?;
            if let Some(axis) = &self.axis {
                writeln!(svg, "<text x=\"0\" y=\"12\" fill=\"#51606f\">{}</text>", escaped(axis))?;
            }
            for (value, text) in &percent.marks {
                let at = percent.place(*value);
                writeln!(svg, "<path d=\"M{LEFT:.1} {at:.1}H{WIDTH:.1}\" stroke=\"#d5dde5\"/>")?;
                writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#51606f\">{text} %</text>",
                    LEFT - 5.0,
                    at + 4.0
                )?;
            }
            self.draw_columns(&mut svg, &percent, pitch)?;
            self.draw_outline(&mut svg, &percent, pitch)?;
            self.draw_marks(&mut svg, pitch)?;
            svg.write_str("</svg>\n")
        })();
        written.expect("text can be written to memory");
        svg
    }

    /// Returns the height above the columns.
    fn above(&self) -> f64 {
        ABOVE + if self.axis.is_some() { AXIS } else { 0.0 }
    }

    /// Draws the outline of the other histogram.
    fn draw_outline(&self, svg: &mut String, percent: &Ruler, pitch: f64) -> fmt::Result {
        let Some(heights) = &self.outline else { return Ok(()) };
        let ground = percent.place(0.0);
        let mut path = format!("M{LEFT:.1} {ground:.1}");
        for (place, height) in heights.iter().enumerate() {
            let right = LEFT + pitch * (to_f64(place) + 1.0);
            write!(path, "V{:.1}H{right:.1}", percent.place(height * 100.0))?;
        }
        let colour = SECOND_COLOUR;
        writeln!(svg, "<path d=\"{path}V{ground:.1}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\"/>")
    }

    /// Draws all columns as one path and all ranges as another, because pages have thousands of
    /// them.
    fn draw_columns(&self, svg: &mut String, percent: &Ruler, pitch: f64) -> fmt::Result {
        let (width, ground) = (pitch * 0.82, percent.place(0.0));
        let (mut columns, mut ranges) = (String::new(), String::new());
        for (place, &(height, range)) in self.heights.iter().enumerate() {
            let left = LEFT + pitch * (to_f64(place) + 0.09);
            write!(columns, "M{left:.1} {ground:.1}V{:.1}h{width:.1}V{ground:.1}z", percent.place(height * 100.0))?;
            if let Some((least, most)) = range {
                let (from, to) = (least.max(0.0) * 100.0, most.max(0.0) * 100.0);
                let middle = left + width / 2.0;
                write!(ranges, "M{middle:.1} {:.1}V{:.1}", percent.place(from), percent.place(to))?;
            }
        }
        writeln!(svg, "<path d=\"{columns}\" fill=\"{FIRST_COLOUR}\"/>")?;
        writeln!(
            svg,
            "<path d=\"{ranges}\" stroke=\"#1c2733\" stroke-width=\"{:.1}\"/>",
            (pitch / 6.0).clamp(0.6, 1.2)
        )?;
        writeln!(svg, "<path d=\"M{LEFT:.1} {ground:.1}H{WIDTH:.1}\" stroke=\"#1c2733\"/>")
    }

    /// Draws the labels. The first and the last are moved inwards, and overlapping labels are left
    /// out.
    fn draw_marks(&self, svg: &mut String, pitch: f64) -> fmt::Result {
        let bottom = self.above() + HEIGHT;
        let baseline = bottom + 17.0;
        let mut taken = f64::NEG_INFINITY;
        let last = self.marks.len().saturating_sub(1);
        let last_from = self.marks.last().map_or(WIDTH, |(_, text)| WIDTH - text_width(text, FONT));
        for (index, (place, text)) in self.marks.iter().enumerate() {
            let (at, width) = (LEFT + pitch * to_f64(*place), text_width(text, FONT));
            let from = (at - width / 2.0).clamp(0.0, (WIDTH - width).max(0.0));
            if from < taken + 8.0 || index < last && from + width > last_from - 8.0 {
                continue;
            }
            taken = from + width;
            writeln!(svg, "<path d=\"M{at:.1} {bottom:.1}v4\" stroke=\"#1c2733\"/>")?;
            let middle = from + width / 2.0;
            writeln!(
                svg,
                "<text x=\"{middle:.1}\" y=\"{baseline:.1}\" text-anchor=\"middle\" fill=\"#51606f\">{}</text>",
                escaped(text)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(many: usize) -> Columns {
        Columns {
            title: "age".into(),
            description: "ages".into(),
            axis: None,
            outline: None,
            heights: (0..many).map(|place| (0.01 * to_f64(place % 7), Some((0.0, 0.04)))).collect(),
            marks: (0..=many).map(|place| (place, format!("{} years", place * 10))).collect(),
        }
    }

    #[test]
    fn labels_never_overlap_and_both_ends_have_one() {
        for many in [1, 2, 7, 60] {
            let svg = columns(many).to_svg();
            let labels: Vec<(f64, &str)> = svg
                .lines()
                .filter(|line| line.contains("years"))
                .map(|line| {
                    let middle = line.split('"').nth(1).unwrap().parse().unwrap();
                    (middle, line.split('>').nth(1).unwrap().split('<').next().unwrap())
                })
                .collect();
            assert_eq!(labels.first().unwrap().1, "0 years");
            assert_eq!(labels.last().unwrap().1, format!("{} years", many * 10));
            for pair in labels.windows(2) {
                let room = f64::midpoint(text_width(pair[0].1, FONT), text_width(pair[1].1, FONT));
                assert!(pair[1].0 - pair[0].0 > room, "{pair:?}");
            }
        }
    }

    #[test]
    fn another_histogram_is_an_outline_on_the_same_scale() {
        let both = Columns {
            axis: Some("% of rows per 1,000".into()),
            heights: vec![(0.1, None), (0.2, None)],
            outline: Some(vec![0.4, 0.2]),
            ..columns(2)
        };
        let svg = both.to_svg();
        assert!(svg.contains(">% of rows per 1,000</text>"), "{svg}");
        let outline = svg.lines().find(|line| line.contains(SECOND_COLOUR)).expect("an outline");
        let filled = svg.lines().find(|line| line.contains(FIRST_COLOUR)).expect("columns");
        // The second columns are of one height.
        let height = filled.split('V').nth(3).unwrap().split('h').next().unwrap();
        assert!(outline.contains(&format!("V{height}H340.0")), "{outline} {filled}");
        assert!(!columns(2).to_svg().contains(SECOND_COLOUR));
    }

    #[test]
    fn an_empty_histogram_is_drawn() {
        let svg = columns(0).to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
