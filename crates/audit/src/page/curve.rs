//! The trade-off between the two errors of a test, as a picture.

use std::fmt::Write;

use crate::statistic::{Errors, Point, normal};

/// Size of the square of error rates, and its margins, in pixels.
const SIDE: f64 = 240.0;
const LEFT: f64 = 44.0;
const BELOW: f64 = 40.0;
const ABOVE: f64 = 10.0;
/// Number of points of the claimed curve.
const STEPS: u32 = 80;

/// Draws the errors of the best test, the claimed limit, and the test that proves the bound. `mu`
/// is the claim under Gaussian differential privacy; otherwise `epsilon` and `delta` limit the
/// errors.
pub(super) fn svg(title: &str, curve: &[Point], limit: impl Fn(f64) -> f64, proof: Option<Errors>) -> String {
    let place = |false_alarms: f64, misses: f64| (LEFT + SIDE * false_alarms, ABOVE + SIDE * (1.0 - misses));
    let path = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut path = String::new();
        for (x, y) in points {
            let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { 'M' } else { 'L' });
        }
        path
    };
    let claimed = path(&mut (0..=STEPS).map(|step| {
        let false_alarms = f64::from(step) / f64::from(STEPS);
        place(false_alarms, limit(false_alarms).clamp(0.0, 1.0))
    }));
    let (width, height) = (LEFT + SIDE + 10.0, ABOVE + SIDE + BELOW);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\"><title>{title}</title>\n"
    );
    let (bottom, right) = (ABOVE + SIDE, LEFT + SIDE);
    let _ = writeln!(
        svg,
        "<rect x=\"{LEFT}\" y=\"{ABOVE}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"#f4f7fa\" stroke=\"#d5dde5\"/>"
    );
    let _ = writeln!(svg, "<path d=\"M{LEFT} {ABOVE}L{right} {bottom}\" stroke=\"#8d9baa\" stroke-dasharray=\"3 4\"/>");
    let _ = writeln!(svg, "<path d=\"{claimed}\" fill=\"none\" stroke=\"#a3281f\" stroke-width=\"2\"/>");
    for point in curve {
        let (x, y) = place(point.false_alarms, point.misses);
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.2\" fill=\"#0b5394\"/>");
    }
    if let Some(errors) = proof {
        let share = |wrong: u64, runs: u64| wrong as f64 / (runs.max(1)) as f64;
        let (x, y) = place(share(errors.false_alarms, errors.table_runs), share(errors.misses, errors.neighbour_runs));
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"none\" stroke=\"#1c2733\" stroke-width=\"1.5\"/>"
        );
    }
    for (mark, text) in [(0.0, "0"), (0.5, "50 %"), (1.0, "100 %")] {
        let (x, y) = place(mark, mark);
        let anchor = if mark > 0.9 { "end" } else { "middle" };
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"#51606f\">{text}</text>",
            bottom + 16.0
        );
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#51606f\">{text}</text>",
            LEFT - 5.0,
            y + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#51606f\">false alarms</text>",
        LEFT + SIDE / 2.0,
        bottom + 33.0
    );
    let (x, y) = (12.0, ABOVE + SIDE / 2.0 - 34.0);
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" fill=\"#51606f\" transform=\"rotate(-90 {x} {y})\">misses</text>"
    );
    svg.push_str("</svg>\n");
    svg
}

/// Returns the least share of misses at a share of false alarms that `mu` allows.
pub(super) fn least_of_mu(mu: f64) -> impl Fn(f64) -> f64 {
    move |false_alarms| normal::distribution(normal::quantile(1.0 - false_alarms) - mu)
}

/// Returns the least share of misses at a share of false alarms that epsilon and delta allow.
pub(super) fn least_of_epsilon(epsilon: f64, delta: f64) -> impl Fn(f64) -> f64 {
    move |false_alarms| {
        let forth = 1.0 - delta - epsilon.exp() * false_alarms;
        let back = (-epsilon).exp() * (1.0 - delta - false_alarms);
        forth.max(back).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_privacy_loss_the_errors_are_those_of_guessing() {
        for share in [0.1, 0.5, 0.9] {
            assert!((least_of_mu(0.0)(share) - (1.0 - share)).abs() < 1e-9);
            assert!((least_of_epsilon(0.0, 0.0)(share) - (1.0 - share)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_picture_has_the_claim_the_points_and_the_proof() {
        let curve = [Point { false_alarms: 0.25, misses: 0.5 }];
        let proof =
            Errors { threshold: 0.0, turned: false, table_runs: 4, false_alarms: 1, neighbour_runs: 2, misses: 1 };
        let svg = svg("t", &curve, least_of_mu(1.0), Some(proof));
        assert!(svg.contains("<title>t</title>") && svg.matches("<circle").count() == 2, "{svg}");
        // A quarter of the square from the left, half of it from above.
        assert!(svg.matches("cx=\"104.0\" cy=\"130.0\"").count() == 2, "{svg}");
    }
}
