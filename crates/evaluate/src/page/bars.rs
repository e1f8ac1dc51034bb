//! Distances as bars, each with a mark at the achievable value.

use maud::{Markup, html};

use super::verdict;
use crate::evaluation::{Measured, Verdict};

/// One bar.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) value: Measured,
    /// End of the thin line: the largest of several values.
    pub(super) largest: Option<f64>,
}

/// Width in pixels. It fits a phone without shrinking.
const WIDTH: f64 = 340.0;
const ROW: f64 = 42.0;
const THICK: f64 = 12.0;

/// Draws the bars on one scale, as SVG.
pub(super) fn bars(title: &str, bars: &[Bar]) -> String {
    let lengths = bars.iter().flat_map(|bar| [bar.value.value, bar.value.achievable, bar.largest.unwrap_or(0.0)]);
    // A lower bound on the full length, so that a negligible distance does not fill the picture.
    let scale = WIDTH / lengths.fold(0.02, f64::max);
    let height = ROW * f64::from(u32::try_from(bars.len()).expect("few bars"));
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" width=(WIDTH) height=(height) viewBox={ "0 0 " (WIDTH) " " (height) }
            font-family="system-ui, sans-serif" font-size="13" fill="#1c2733" {
            title { (title) }
            @for (bar, place) in bars.iter().zip(0_u32..) { (bar.draw(f64::from(place) * ROW, scale)) }
        }
    };
    picture.into_string()
}

impl Bar {
    fn draw(&self, top: f64, scale: f64) -> Markup {
        let Measured { value, achievable } = self.value;
        let bar = top + 20.0;
        let chance = (achievable * scale).clamp(1.0, WIDTH - 1.0);
        html! {
            text x="0" y=(top + 14.0) { (self.label) }
            text x=(WIDTH) y=(top + 14.0) text-anchor="end" { (format!("{value:.3}")) }
            rect x="0" y=(bar) width=(WIDTH) height=(THICK) fill="#eef2f6" {}
            @if let Some(largest) = self.largest {
                rect x="0" y=(bar + 5.0) width=(rounded(largest * scale)) height="2" fill="#8d9baa" {}
            }
            rect x="0" y=(bar) width=(rounded(value * scale)) height=(THICK)
                fill=(verdict::colour(Verdict::of_excess(value - achievable))) {}
            rect x=(rounded(chance - 1.0)) y=(bar - 3.0) width="2" height=(THICK + 6.0) {}
        }
    }
}

/// Formats a length to a tenth of a pixel.
pub(super) fn rounded(length: f64) -> String {
    format!("{length:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fills_the_picture_and_labels_are_escaped() {
        let bar =
            |label: &str, value| Bar { label: label.into(), value: Measured { value, achievable: 0.1 }, largest: None };
        let svg = bars("a & b", &[bar("x < y", 0.4), bar("z", 0.2)]);
        assert!(svg.contains("<title>a &amp; b</title>") && svg.contains("x &lt; y"), "{svg}");
        assert!(
            svg.contains("width=\"340.0\" height=\"12\"") && svg.contains("width=\"170.0\" height=\"12\""),
            "{svg}"
        );
    }
}
