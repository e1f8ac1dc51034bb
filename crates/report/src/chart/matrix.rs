//! A matrix over names: one square per pair, that differs in colour and size.

use std::fmt::{self, Write};

use super::{escaped, open, shortened, text_width, to_f64};

/// The widest that a name may be drawn.
const WIDEST_NAME: f64 = 155.0;
/// A row of the legend.
const LEGEND_ROW: f64 = 20.0;
const GAP: f64 = 6.0;

/// A square for each pair of names, whose look tells how the two go together.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// What it shows.
    pub title: String,
    /// The same for those who cannot see it.
    pub description: String,
    /// What rows and columns stand for.
    pub names: Vec<String>,
    /// Which squares are drawn.
    pub side: Side,
    /// How squares may look. Those with a name are in the legend.
    pub looks: Vec<Look>,
    /// For every row and every column of it that is drawn, how its square looks: a place in `looks`, or none for no square.
    pub squares: Vec<Vec<Option<usize>>>,
}

/// Which squares of a matrix are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Those of a row with the rows before it, where a pair has no direction. Every name stands at the end of its row, which is
    /// also above its column.
    Below,
    /// All of them, where a pair has a direction. Names stand at the left and above.
    Both,
}

/// How a square looks.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// What it means; empty for one that the legend leaves out.
    pub name: String,
    /// Its colour.
    pub colour: String,
    /// How much of the width of its place it takes: up to 1.
    pub size: f64,
}

impl Look {
    /// A colour between white and blue for a number between 0 and 1, without a name.
    pub fn of_share(share: f64) -> Self {
        Self::mixed(share, [11.0, 83.0, 148.0])
    }

    /// A colour between red, white and blue for a number between -1 and 1, without a name.
    pub fn of_sign(number: f64) -> Self {
        Self::mixed(number.abs(), if number < 0.0 { [178.0, 62.0, 28.0] } else { [11.0, 83.0, 148.0] })
    }

    fn mixed(share: f64, full: [f64; 3]) -> Self {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let [red, green, blue] = full.map(|part| 255.0 + (part - 255.0) * share);
        Self { name: String::new(), colour: format!("rgb({red:.0} {green:.0} {blue:.0})"), size: 1.0 }
    }
}

impl Matrix {
    /// The width of a square with the room around it: less where there are many.
    fn pitch(&self) -> f64 {
        match self.names.len() {
            0..=20 => 20.0,
            21..=40 => 16.0,
            _ => 12.0,
        }
    }

    /// The picture, as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        let (pitch, font) = (self.pitch(), (self.pitch() * 0.8).min(12.0));
        let across = pitch * to_f64(self.names.len());
        let longest = self.names.iter().map(|name| text_width(name, font)).fold(0.0, f64::max).min(WIDEST_NAME);
        let named: Vec<(usize, &Look)> =
            self.looks.iter().enumerate().filter(|(_, look)| !look.name.is_empty()).collect();
        let legend = LEGEND_ROW * to_f64(named.len()) + GAP;
        let (left, top) = match self.side {
            Side::Below => (1.0, legend),
            Side::Both => (longest + GAP, legend + longest + GAP),
        };
        let widest = named.iter().map(|(_, look)| text_width(&look.name, 12.0) + 30.0).fold(0.0, f64::max);
        let behind = if self.side == Side::Below { longest + GAP } else { 1.0 };
        let size = ((left + across + behind).max(widest), top + across + 1.0);
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

    /// Fine lines along every fifth row and column lead the eye from a square to its names.
    fn draw_guides(&self, svg: &mut String, (left, top): (f64, f64)) -> fmt::Result {
        let pitch = self.pitch();
        let end = to_f64(self.names.len());
        let mut path = String::new();
        for place in (0..=self.names.len()).step_by(5) {
            let at = to_f64(place);
            let (across, down) = match self.side {
                Side::Below => ((0.0, at), (at, end)),
                Side::Both => ((0.0, end), (0.0, end)),
            };
            write!(path, "M{:.1} {:.1}H{:.1}", left + pitch * across.0, top + pitch * at, left + pitch * across.1)?;
            write!(path, "M{:.1} {:.1}V{:.1}", left + pitch * at, top + pitch * down.0, top + pitch * down.1)?;
        }
        writeln!(svg, "<path d=\"{path}\" stroke=\"#d5dde5\" fill=\"none\"/>")
    }

    /// All squares of one look are one path: a page may hold tens of thousands.
    fn draw_squares(&self, svg: &mut String, (left, top): (f64, f64)) -> fmt::Result {
        let pitch = self.pitch();
        for (place, look) in self.looks.iter().enumerate() {
            let mut path = String::new();
            for (row, squares) in self.squares.iter().enumerate() {
                let drawn = squares.iter().enumerate().filter(|&(_, &square)| square == Some(place));
                for (column, _) in drawn.filter(|&(column, _)| self.side == Side::Both || column < row) {
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
            let name = escaped(&shortened(name, font, WIDEST_NAME));
            let middle = (to_f64(place) + 0.5) * pitch;
            let baseline = top + middle + font * 0.35;
            match self.side {
                Side::Below => {
                    let x = left + to_f64(place) * pitch + GAP;
                    writeln!(svg, "<text x=\"{x:.1}\" y=\"{baseline:.1}\">{name}</text>")?;
                }
                Side::Both => {
                    let (x, above) = (left - GAP, top - GAP);
                    writeln!(svg, "<text x=\"{x:.1}\" y=\"{baseline:.1}\" text-anchor=\"end\">{name}</text>")?;
                    let x = left + middle + font * 0.35;
                    writeln!(svg, "<text transform=\"translate({x:.1} {above:.1}) rotate(-90)\">{name}</text>")?;
                }
            }
        }
        svg.write_str("</g>\n")
    }
}

/// The path of a square that takes `size` of a place with this corner, but for a hair between neighbours.
fn square((x, y): (f64, f64), pitch: f64, size: f64) -> String {
    let width = (pitch - 1.0) * size;
    let edge = (pitch - width) / 2.0;
    format!("M{:.1} {:.1}h{width:.1}v{width:.1}h-{width:.1}z", x + edge, y + edge)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(side: Side) -> Matrix {
        let look = |name: &str, size| Look { name: name.into(), colour: "#123456".into(), size };
        let pair = |row: usize, column: usize| (row != column).then_some((row + column) % 2);
        Matrix {
            title: "pairs".into(),
            description: "which go together".into(),
            names: ["a", "b < c", "d"].map(Into::into).to_vec(),
            side,
            looks: vec![look("even", 1.0), look("", 0.5)],
            squares: (0..3).map(|row| (0..3).map(|column| pair(row, column)).collect()).collect(),
        }
    }

    #[test]
    fn a_pair_without_direction_is_drawn_once() {
        let squares = |side| {
            let svg = matrix(side).to_svg();
            // The legend has one square.
            svg.matches("h-").count() - 1
        };
        assert_eq!(squares(Side::Below), 3);
        assert_eq!(squares(Side::Both), 6);
        let svg = matrix(Side::Below).to_svg();
        assert_eq!(svg.matches(">b &lt; c</text>").count(), 1);
        assert_eq!(matrix(Side::Both).to_svg().matches(">b &lt; c</text>").count(), 2);
        assert!(svg.contains(">even</text>") && svg.contains("<title>pairs</title>"));
    }

    #[test]
    fn colours_go_from_white_to_full_and_never_beyond() {
        assert_eq!(Look::of_share(0.0).colour, "rgb(255 255 255)");
        assert_eq!(Look::of_share(2.0), Look::of_share(1.0));
        assert_eq!(Look::of_sign(f64::NAN), Look::of_sign(0.0));
        assert_ne!(Look::of_sign(-1.0), Look::of_sign(1.0));
    }
}
