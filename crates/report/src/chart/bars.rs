//! Horizontal bars, one per category, as narrow as a phone. A bar may have a range for the true
//! value, or a second bar for comparison.

use std::fmt::{self, Write};

use super::{FIRST_COLOUR, SECOND_COLOUR, escaped, open, shortened, text_width, to_f64};

/// Width of the picture. It fits a phone.
const WIDTH: f64 = 340.0;
const FONT: f64 = 12.0;
/// Height of a line of text, or of a bar beside one, with its margins.
const LINE: f64 = 20.0;
/// Height of a bar beside its label, and of one below it.
const BESIDE: f64 = 13.0;
const BELOW: f64 = 9.0;
/// Maximum width of labels beside their bars. Wider labels are above their bars.
const MAX_LABEL_WIDTH: f64 = 140.0;
const GAP: f64 = 7.0;

/// Horizontal bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// Title of the picture.
    pub title: String,
    /// The bars, from the top.
    pub bars: Vec<Bar>,
}

/// A bar with its label and value.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Label of the bar.
    pub label: String,
    /// Length of the bar, zero or more.
    pub value: f64,
    /// Range of the true value, if known.
    pub range: Option<(f64, f64)>,
    /// Length of a second bar, for comparison.
    pub second: Option<f64>,
    /// Text of the value, after the bar.
    pub text: String,
    /// Text of the value and the range, for screen readers.
    pub spoken: String,
}

impl Bars {
    /// Renders the bars as SVG, with a description of every bar.
    pub fn to_svg(&self) -> String {
        let layout = Layout::of(&self.bars);
        let mut svg = String::new();
        let written = (|| -> fmt::Result {
            open(&mut svg, (WIDTH, layout.row * to_f64(self.bars.len())), &self.title, &self.read_out())?;
            for (place, bar) in self.bars.iter().enumerate() {
                layout.draw(&mut svg, bar, layout.row * to_f64(place))?;
            }
            svg.write_str("</svg>\n")
        })();
        written.expect("text can be written to memory");
        svg
    }

    fn read_out(&self) -> String {
        let bars: Vec<String> = self.bars.iter().map(|bar| format!("{}: {}", bar.label, bar.spoken)).collect();
        bars.join("; ")
    }
}

/// Positions within a row.
struct Layout {
    /// Height of a row.
    row: f64,
    /// End of the labels, if they are beside their bars, and their maximum width.
    label_end: Option<f64>,
    label_room: f64,
    /// Position of the bars in their row, and their height.
    left: f64,
    top: f64,
    height: f64,
    /// Length of a bar of value one.
    scale: f64,
}

impl Layout {
    fn of(bars: &[Bar]) -> Self {
        let widest = |text: fn(&Bar) -> &str| bars.iter().map(|bar| text_width(text(bar), FONT)).fold(0.0, f64::max);
        let (label, text) = (widest(|bar| &bar.label), widest(|bar| &bar.text));
        let end = |bar: &Bar| bar.range.map_or(0.0, |(_, most)| most).max(bar.value).max(bar.second.unwrap_or(0.0));
        let reach = bars.iter().map(end).fold(0.0, f64::max);
        let scale = |room: f64| if reach > 0.0 { room / reach } else { 0.0 };
        if label <= MAX_LABEL_WIDTH {
            let (left, room) = (label + GAP, WIDTH - label - text - 2.0 * GAP);
            let (row, top, height) = (LINE, (LINE - BESIDE) / 2.0, BESIDE);
            Self { row, label_end: Some(label), label_room: MAX_LABEL_WIDTH, left, top, height, scale: scale(room) }
        } else {
            let (row, label_room) = (LINE + BELOW + GAP, WIDTH - text - GAP);
            Self {
                row,
                label_end: None,
                label_room,
                left: 0.5,
                top: LINE - 2.0,
                height: BELOW,
                scale: scale(WIDTH - 1.0),
            }
        }
    }

    fn draw(&self, svg: &mut String, bar: &Bar, top: f64) -> fmt::Result {
        let baseline = top + LINE / 2.0 + 4.0;
        let shown = shortened(&bar.label, FONT, self.label_room);
        let whole = if shown == bar.label { String::new() } else { format!("<title>{}</title>", escaped(&bar.label)) };
        let place = self.label_end.map_or("x=\"0\"".into(), |end| format!("x=\"{end:.1}\" text-anchor=\"end\""));
        let label = escaped(&shown);
        writeln!(svg, "<text {place} y=\"{baseline:.1}\" fill=\"#1c2733\">{whole}{label}</text>")?;
        let (left, above) = (self.left, top + self.top);
        let height = if bar.second.is_some() { self.height / 2.0 } else { self.height };
        let bars = [(bar.value, FIRST_COLOUR)].into_iter().chain(bar.second.map(|second| (second, SECOND_COLOUR)));
        for ((value, colour), place) in bars.zip(0_u8..) {
            let (y, length) = (above + height * f64::from(place), value * self.scale);
            writeln!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>"
            )?;
        }
        if let Some((least, most)) = bar.range {
            let end = |value: f64| left + value.max(0.0) * self.scale;
            let (from, to) = (end(least), end(most));
            let middle = above + self.height / 2.0;
            let mark = middle - 3.0;
            writeln!(
                svg,
                "<path d=\"M{from:.1} {middle:.1}H{to:.1}M{from:.1} {mark:.1}v6M{to:.1} {mark:.1}v6\" stroke=\"#1c2733\"/>"
            )?;
        }
        writeln!(
            svg,
            "<text x=\"{WIDTH:.0}\" y=\"{baseline:.1}\" text-anchor=\"end\" fill=\"#1c2733\">{}</text>",
            escaped(&bar.text)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(label: &str, value: f64, range: Option<(f64, f64)>) -> Bar {
        Bar {
            label: label.into(),
            value,
            range,
            second: None,
            text: format!("{value} %"),
            spoken: format!("{value} or so"),
        }
    }

    #[test]
    fn every_bar_has_label_length_range_and_text() {
        let long = "a label that is far too long for the room that it has";
        let bars =
            Bars { title: "a & b".into(), bars: vec![bar("x < 1", 40.0, Some((30.0, 50.0))), bar(long, 20.0, None)] };
        let svg = bars.to_svg();
        assert!(svg.contains("<title>a &amp; b</title>") && svg.contains("<desc>x &lt; 1: 40 or so; a label"), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 2);
        assert_eq!(svg.matches("<path").count(), 1, "only what has a range has a line");
        assert!(svg.contains("…") && svg.contains(&format!("<title>{long}</title>")));
        let lengths: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<rect"))
            .map(|line| line.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert!((lengths[0] - 2.0 * lengths[1]).abs() < 0.2, "{lengths:?}");
    }

    #[test]
    fn a_second_bar_is_on_the_scale_of_the_first() {
        let both = Bars { title: "both".into(), bars: vec![Bar { second: Some(80.0), ..bar("x", 40.0, None) }] };
        let svg = both.to_svg();
        let length = |colour: &str| -> f64 {
            let line = svg.lines().find(|line| line.contains(colour)).unwrap();
            line.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
        };
        assert!((2.0 * length(FIRST_COLOUR) - length(SECOND_COLOUR)).abs() < 0.2, "{svg}");
    }

    #[test]
    fn bars_of_zero_are_drawn() {
        let svg = Bars { title: "none".into(), bars: vec![bar("a", 0.0, None)] }.to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
