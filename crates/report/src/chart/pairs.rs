//! Pairs of columns side by side, in panels: two tables in the same respect, the second with a line for how far it may be off.

use std::fmt::{self, Write};

use super::{
    ABOVE, HEAD, HEIGHT, LEFT, LEGEND_ROW, RIGHT, Ruler, Scale, draw_panel_title, escaped, open_titled, text_width,
    to_f64,
};

/// The height of text below the columns that lies, and that leans because it would not fit.
const LYING: f64 = 24.0;
const LEANING: f64 = 78.0;
const WIDTH: f64 = 270.0;
const FONT: f64 = 12.0;
/// Two colours of Okabe and Ito, one dark and one light, so that they differ in print too.
const COLOURS: [&str; 2] = ["#0072b2", "#e69f00"];

/// Panels side by side, with one legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// What they show.
    pub title: String,
    /// The same for those who cannot see it.
    pub description: String,
    /// What the first and the second column of every pair are, and what the line is.
    pub names: [String; 3],
    /// The panels, from the left.
    pub panels: Vec<PairPanel>,
}

/// Pairs on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct PairPanel {
    /// What they show, with the unit.
    pub title: String,
    /// The pairs, from the left.
    pub pairs: Vec<Pair>,
}

/// Two columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// What stands below.
    pub label: String,
    /// How high the two are.
    pub heights: [f64; 2],
    /// Between which heights the second may be.
    pub range: (f64, f64),
}

impl Pairs {
    /// The picture.
    pub fn to_svg(&self) -> String {
        let leans = self.panels.iter().any(PairPanel::leans);
        let panel_width = LEFT + WIDTH + RIGHT;
        let size = (
            panel_width * to_f64(self.panels.len()),
            HEAD + LEGEND_ROW + ABOVE + HEIGHT + if leans { LEANING } else { LYING },
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

    /// Whether a label has more text than its pair has room.
    fn leans(&self) -> bool {
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
        let leans = self.leans();
        for (place, pair) in self.pairs.iter().enumerate() {
            let (middle, label) = (left + self.pitch() * (to_f64(place) + 0.5), escaped(&pair.label));
            if leans {
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
    fn labels_lean_when_they_would_run_into_each_other() {
        assert!(!pairs(&["x", "y", "z"]).to_svg().contains("rotate"));
        assert!(pairs(&["lower secondary school"; 8]).to_svg().contains("rotate"));
    }

    #[test]
    fn nothing_to_show_is_shown_without_a_fault() {
        let svg = pairs(&[]).to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
