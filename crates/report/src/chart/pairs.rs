//! Pairs of columns in panels, to compare two tables. The second column of a pair has a range.

use std::fmt::{self, Write};

use super::{
    ABOVE, HEAD, HEIGHT, LEFT, LEGEND_ROW, RIGHT, Ruler, Scale, draw_panel_title, escaped, open_titled, text_width,
    to_f64,
};

/// Height of horizontal labels, and of slanted ones.
const HORIZONTAL: f64 = 24.0;
const SLANTED: f64 = 78.0;
const WIDTH: f64 = 270.0;
const FONT: f64 = 12.0;
/// Two colours of Okabe and Ito, one dark and one light, so that they differ in print too.
const COLOURS: [&str; 2] = ["#0072b2", "#e69f00"];

/// Pairs of columns in panels side by side, with one legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// Title of the picture.
    pub title: String,
    /// Description for screen readers.
    pub description: String,
    /// Names of the first column, the second column and the range in the legend.
    pub names: [String; 3],
    /// The panels, from the left.
    pub panels: Vec<PairPanel>,
}

/// A panel of pairs on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct PairPanel {
    /// Title of the panel, with the unit.
    pub title: String,
    /// The pairs, from the left.
    pub pairs: Vec<Pair>,
}

/// A pair of columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Label below the pair.
    pub label: String,
    /// Heights of both columns.
    pub heights: [f64; 2],
    /// Range of the height of the second column.
    pub range: (f64, f64),
}

impl Pairs {
    /// Renders the pairs as SVG.
    pub fn to_svg(&self) -> String {
        let is_slanted = self.panels.iter().any(PairPanel::is_slanted);
        let panel_width = LEFT + WIDTH + RIGHT;
        let size = (
            panel_width * to_f64(self.panels.len()),
            HEAD + LEGEND_ROW + ABOVE + HEIGHT + if is_slanted { SLANTED } else { HORIZONTAL },
        );
        let mut svg = String::new();
        let written = (|| -> fmt::Result {
            open_titled(&mut svg, size, &self.title, &self.description)?;
            self.draw_legend(&mut svg)?;
            for (place, panel) in self.panels.iter().enumerate() {
                panel.draw(&mut svg, panel_width * to_f64(place) + LEFT, HEAD + LEGEND_ROW + ABOVE)?;
            }
            svg.write_str("</svg>\n")
        })();
        written.expect("text can be written to memory");
        svg
    }

    fn draw_legend(&self, svg: &mut String) -> fmt::Result {
        let (mut left, top) = (10.0, HEAD);
        for (place, name) in self.names.iter().enumerate() {
            if let Some(colour) = COLOURS.get(place) {
                writeln!(svg, "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>")?;
            } else {
                let middle = left + 6.0;
                writeln!(svg, "<path d=\"M{middle:.1} {top:.1}v12\" stroke=\"#000\" stroke-width=\"1.6\"/>")?;
            }
            writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", left + 18.0, top + 10.5, escaped(name))?;
            left += 42.0 + text_width(name, FONT);
        }
        Ok(())
    }
}

impl PairPanel {
    fn pitch(&self) -> f64 {
        WIDTH / to_f64(self.pairs.len().max(1))
    }

    /// Whether labels are slanted, because one of them is wider than its pair.
    fn is_slanted(&self) -> bool {
        self.pairs.iter().any(|pair| text_width(&pair.label, FONT) > self.pitch())
    }

    fn draw(&self, svg: &mut String, left: f64, top: f64) -> fmt::Result {
        let reach = self.pairs.iter().flat_map(|pair| [pair.heights[0], pair.heights[1], pair.range.1]);
        let ruler = Ruler::new(Scale::Linear, reach, top + HEIGHT, -HEIGHT);
        let (middle, ground) = (left + WIDTH / 2.0, ruler.place(0.0));
        draw_panel_title(svg, middle, top, &self.title)?;
        ruler.draw_across(svg, left, WIDTH)?;
        let (pitch, width) = (self.pitch(), self.pitch() * 0.4);
        let mut ranges = String::new();
        for (place, pair) in self.pairs.iter().enumerate() {
            let from = left + pitch * (to_f64(place) + 0.1);
            for (side, height) in pair.heights.iter().enumerate() {
                let (x, y) = (from + width * to_f64(side), ruler.place(*height));
                let colour = COLOURS[side];
                writeln!(svg, "<path d=\"M{x:.1} {ground:.1}V{y:.1}h{width:.1}V{ground:.1}z\" fill=\"{colour}\"/>")?;
            }
            let (least, most) = (ruler.place(pair.range.0), ruler.place(pair.range.1));
            let line = from + width * 1.5;
            write!(
                ranges,
                "M{line:.1} {least:.1}V{most:.1}M{:.1} {least:.1}h6M{:.1} {most:.1}h6",
                line - 3.0,
                line - 3.0
            )?;
        }
        writeln!(svg, "<path d=\"{ranges}\" stroke=\"#000\" stroke-width=\"1.2\"/>")?;
        writeln!(svg, "<path d=\"M{left:.1} {ground:.1}h{WIDTH:.1}\" stroke=\"#333\"/>")?;
        self.draw_labels(svg, left, top + HEIGHT)
    }

    fn draw_labels(&self, svg: &mut String, left: f64, bottom: f64) -> fmt::Result {
        let is_slanted = self.is_slanted();
        for (place, pair) in self.pairs.iter().enumerate() {
            let (middle, label) = (left + self.pitch() * (to_f64(place) + 0.5), escaped(&pair.label));
            if is_slanted {
                let (x, y) = (middle + 4.0, bottom + 14.0);
                writeln!(
                    svg,
                    "<text transform=\"translate({x:.1} {y:.1}) rotate(-35)\" text-anchor=\"end\">{label}</text>"
                )?;
            } else {
                writeln!(
                    svg,
                    "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                    bottom + 16.0
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(labels: &[&str]) -> Pairs {
        let pair = |label: &&str| Pair { label: (*label).into(), heights: [4.0, 3.0], range: (2.5, 3.5) };
        let panel = PairPanel { title: "a < b".into(), pairs: labels.iter().map(pair).collect() };
        let names = ["real", "synthetic", "ten releases"].map(Into::into);
        Pairs {
            title: "real and synthetic".into(),
            description: "both".into(),
            names,
            panels: vec![panel.clone(), panel],
        }
    }

    #[test]
    fn each_pair_has_two_columns_and_a_line() {
        let svg = pairs(&["x", "y", "z"]).to_svg();
        assert_eq!(
            svg.matches(&format!("fill=\"{}\"", COLOURS[0])).count(),
            2 * 3 + 1,
            "three pairs in two panels, and the legend"
        );
        assert_eq!(svg.matches(&format!("fill=\"{}\"", COLOURS[1])).count(), 2 * 3 + 1);
        assert_eq!(
            svg.lines()
                .filter(|line| line.contains("stroke-width=\"1.2\""))
                .map(|line| line.matches('V').count())
                .sum::<usize>(),
            6
        );
        assert!(svg.contains("a &lt; b") && !svg.contains("a < b"));
    }

    #[test]
    fn labels_are_slanted_if_they_would_overlap() {
        assert!(!pairs(&["x", "y", "z"]).to_svg().contains("rotate"));
        assert!(pairs(&["lower secondary school"; 8]).to_svg().contains("rotate"));
    }

    #[test]
    fn panels_without_pairs_are_drawn() {
        let svg = pairs(&[]).to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
