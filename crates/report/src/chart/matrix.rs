//! A matrix over names, with one square per pair that differs in colour and size.

use std::fmt::{self, Write};

use super::{escaped, open, shortened, text_width, to_f64};

/// Maximum width of a name.
const MAX_NAME_WIDTH: f64 = 155.0;
/// Height of a row of the legend.
const LEGEND_ROW: f64 = 20.0;
const GAP: f64 = 6.0;

/// The lower triangle of a matrix, with a square for each pair of names. Every name is at the end
/// of its row, which is also above its column.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Title of the picture.
    pub title: String,
    /// Description for screen readers.
    pub description: String,
    /// Names of rows and columns.
    pub names: Vec<String>,
    /// Looks of squares. Those with a name are in the legend.
    pub looks: Vec<Look>,
    /// Index into `looks` of the squares of each row with the rows before it; `None` for no square.
    pub squares: Vec<Vec<Option<usize>>>,
}

/// Look of a square.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Name in the legend; empty for a look that the legend leaves out.
    pub name: String,
    /// Colour.
    pub colour: String,
    /// Size as a share of the cell, up to 1.
    pub size: f64,
}

impl Matrix {
    /// Returns the width of a cell: less if there are many.
    fn pitch(&self) -> f64 {
        match self.names.len() {
            0..=20 => 20.0,
            21..=40 => 16.0,
            _ => 12.0,
        }
    }

    /// Renders the matrix as SVG.
    pub fn to_svg(&self) -> String {
        let (pitch, font) = (self.pitch(), (self.pitch() * 0.8).min(12.0));
        let across = pitch * to_f64(self.names.len());
        let longest = self.names.iter().map(|name| text_width(name, font)).fold(0.0, f64::max).min(MAX_NAME_WIDTH);
        let named: Vec<(usize, &Look)> =
            self.looks.iter().enumerate().filter(|(_, look)| !look.name.is_empty()).collect();
        let legend = LEGEND_ROW * to_f64(named.len()) + GAP;
        let (left, top) = (1.0, legend);
        let widest = named.iter().map(|(_, look)| text_width(&look.name, 12.0) + 30.0).fold(0.0, f64::max);
        let size = ((left + across + longest + GAP).max(widest), top + across + 1.0);
        let mut svg = String::new();
        let written = (|| -> fmt::Result {
            open(&mut svg, size, &self.title, &self.description)?;
            for (row, (_, look)) in named.iter().enumerate() {
                let y = LEGEND_ROW * to_f64(row) + 1.0;
                writeln!(svg, "<path d=\"{}\" fill=\"{}\"/>", square((1.0, y), 16.0, look.size), look.colour)?;
                writeln!(svg, "<text x=\"25\" y=\"{:.1}\" fill=\"#1c2733\">{}</text>", y + 12.0, escaped(&look.name))?;
            }
            self.draw_guides(&mut svg, (left, top))?;
            self.draw_squares(&mut svg, (left, top))?;
            self.draw_names(&mut svg, (left, top), font)?;
            svg.write_str("</svg>\n")
        })();
        written.expect("text can be written to memory");
        svg
    }

    /// Draws thin lines along every fifth row and column, as guides from a square to its names.
    fn draw_guides(&self, svg: &mut String, (left, top): (f64, f64)) -> fmt::Result {
        let pitch = self.pitch();
        let end = to_f64(self.names.len());
        let mut path = String::new();
        for place in (0..=self.names.len()).step_by(5) {
            let at = to_f64(place);
            write!(path, "M{left:.1} {:.1}H{:.1}", top + pitch * at, left + pitch * at)?;
            write!(path, "M{:.1} {:.1}V{:.1}", left + pitch * at, top + pitch * at, top + pitch * end)?;
        }
        writeln!(svg, "<path d=\"{path}\" stroke=\"#d5dde5\" fill=\"none\"/>")
    }

    /// Draws all squares of one look as one path, because a page may have tens of thousands.
    fn draw_squares(&self, svg: &mut String, (left, top): (f64, f64)) -> fmt::Result {
        let pitch = self.pitch();
        for (place, look) in self.looks.iter().enumerate() {
            let mut path = String::new();
            for (row, squares) in self.squares.iter().enumerate() {
                let drawn = squares.iter().enumerate().filter(|&(_, &square)| square == Some(place));
                for (column, _) in drawn {
                    let corner = (left + pitch * to_f64(column), top + pitch * to_f64(row));
                    path.push_str(&square(corner, pitch, look.size));
                }
            }
            if !path.is_empty() {
                writeln!(svg, "<path d=\"{path}\" fill=\"{}\"/>", look.colour)?;
            }
        }
        Ok(())
    }

    fn draw_names(&self, svg: &mut String, (left, top): (f64, f64), font: f64) -> fmt::Result {
        let pitch = self.pitch();
        writeln!(svg, "<g font-size=\"{font:.1}\" fill=\"#1c2733\">")?;
        for (place, name) in self.names.iter().enumerate() {
            let name = escaped(&shortened(name, font, MAX_NAME_WIDTH));
            let middle = (to_f64(place) + 0.5) * pitch;
            let baseline = top + middle + font * 0.35;
            let x = left + to_f64(place) * pitch + GAP;
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{baseline:.1}\">{name}</text>")?;
        }
        svg.write_str("</g>\n")
    }
}

/// Returns the path of a square of relative `size` in a cell, with a gap of one pixel between
/// neighbours.
fn square((x, y): (f64, f64), pitch: f64, size: f64) -> String {
    let width = (pitch - 1.0) * size;
    let edge = (pitch - width) / 2.0;
    format!("M{:.1} {:.1}h{width:.1}v{width:.1}h-{width:.1}z", x + edge, y + edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Matrix {
        let look = |name: &str, size| Look { name: name.into(), colour: "#123456".into(), size };
        let pair = |row: usize, column: usize| Some((row + column) % 2);
        Matrix {
            title: "pairs".into(),
            description: "which go together".into(),
            names: ["a", "b < c", "d"].map(Into::into).to_vec(),
            looks: vec![look("even", 1.0), look("", 0.5)],
            squares: (0..3).map(|row| (0..row).map(|column| pair(row, column)).collect()).collect(),
        }
    }

    #[test]
    fn every_pair_is_drawn_once() {
        let svg = matrix().to_svg();
        // Three pairs, and one square in the legend.
        assert_eq!(svg.matches("h-").count(), 4);
        assert_eq!(svg.matches(">b &lt; c</text>").count(), 1);
        assert!(svg.contains(">even</text>") && svg.contains("<title>pairs</title>"));
    }
}
