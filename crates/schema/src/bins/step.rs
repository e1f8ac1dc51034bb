//! The step of a column's values, such as cents or hundreds.
//!
//! Values of a bin are drawn from the multiples of the step, and written with its decimals. Codes
//! do not depend on it.

use crate::file::spec::FieldTerms;

/// Maximum number of decimals: a 64-bit float has no more digits.
pub(crate) const MAX_DECIMALS: u8 = 15;
/// 2^53: every whole number up to here is a float.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;

/// A step of `units` / 10^`decimals`, so that multiples are floats with a short decimal text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    units: u64,
    decimals: u8,
}

impl Step {
    /// The step of a column; `None` if it declares none or an invalid one.
    pub(crate) fn of(terms: &FieldTerms) -> Option<Self> {
        match (terms.step, terms.decimals) {
            (Some(step), None) => Self::new(step),
            (None, Some(decimals)) if decimals <= MAX_DECIMALS => Some(Self { units: 1, decimals }),
            _ => None,
        }
    }

    fn new(step: f64) -> Option<Self> {
        if !(step.is_finite() && step > 0.0) {
            return None;
        }
        // Rust prints the shortest text of a float, which gives its decimals.
        let text = step.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let decimals = u8::try_from(fraction.len()).ok().filter(|decimals| *decimals <= MAX_DECIMALS)?;
        let units: u64 = format!("{whole}{fraction}").parse().ok()?;
        (units > 0).then_some(Self { units, decimals })
    }

    /// Number of decimals of its multiples.
    pub(crate) fn decimals(self) -> u8 {
        self.decimals
    }

    /// The step as a whole number, if it is one.
    pub(crate) fn whole(self) -> Option<i64> {
        if self.decimals == 0 { i64::try_from(self.units).ok() } else { None }
    }

    /// The multiples around a value: the greatest one at or below it, the next, then the one
    /// before.
    pub(crate) fn around(self, value: f64) -> [f64; 3] {
        let scale = 10_f64.powi(self.decimals.into());
        let units = self.units as f64;
        let nearest = (value * scale / units).floor();
        // Rounding of the quotient may be off by one; all candidates are among the three.
        [nearest, nearest + 1.0, nearest - 1.0].map(|times| times * units / scale)
    }

    /// Whether a multiple lies in `low ..= high`.
    pub(crate) fn has_multiple(self, low: f64, high: f64) -> bool {
        low.abs().max(high.abs()) < MAX_WHOLE && self.around(low).into_iter().any(|value| low <= value && value <= high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(step: f64) -> Step {
        Step::of(&FieldTerms { step: Some(step), ..FieldTerms::default() }).unwrap()
    }

    #[test]
    fn multiples_have_a_short_text() {
        for (size, value, written) in [
            (0.05, 0.159, "0.15"),
            (0.1, 0.35, "0.3"),
            (0.3, 1.0, "0.9"),
            (2.5, 9.9, "7.5"),
            (100.0, 1234.0, "1200"),
            (0.01, -0.005, "-0.01"),
        ] {
            assert_eq!(step(size).around(value)[0].to_string(), written, "{size}");
        }
    }

    #[test]
    fn a_step_is_positive_with_few_decimals() {
        for broken in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-20] {
            assert_eq!(Step::new(broken), None, "{broken}");
        }
        assert_eq!(step(5.0).whole(), Some(5));
        assert_eq!((step(0.25).whole(), step(0.25).decimals()), (None, 2));
        assert!(step(5.0).has_multiple(1.0, 5.0) && !step(5.0).has_multiple(1.0, 4.9));
    }
}
