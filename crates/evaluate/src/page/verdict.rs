//! Numbers in words.

use maud::{Markup, html};

/// How much farther away the synthetic table is than chance alone would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Negligible,
    Small,
    Clear,
    Large,
}

/// From these excesses of a distance on, differences are called small, clear and large. They are rules of thumb: a distance
/// of 0.05 puts one row in twenty into a wrong cell.
pub(super) const BOUNDS: [f64; 3] = [0.01, 0.05, 0.15];

impl Verdict {
    /// Of a distance, or a difference of shares or correlations, beyond chance.
    pub(super) fn of_excess(excess: f64) -> Self {
        match BOUNDS.iter().filter(|&&bound| excess >= bound).count() {
            0 => Self::Negligible,
            1 => Self::Small,
            2 => Self::Clear,
            _ => Self::Large,
        }
    }

    /// How large the difference is.
    fn words(self) -> &'static str {
        match self {
            Self::Negligible => "negligible",
            Self::Small => "small",
            Self::Clear => "clear",
            Self::Large => "large",
        }
    }

    /// The words in their colour.
    pub(super) fn show(self) -> Markup {
        html! { span style={ "color:" (self.colour()) ";font-weight:600;white-space:nowrap" } { (self.words()) } }
    }

    pub(super) fn colour(self) -> &'static str {
        match self {
            Self::Negligible => "#1b7a4b",
            Self::Small => "#3c6e9f",
            Self::Clear => "#9a6700",
            Self::Large => "#a3281f",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_excess_is_never_a_better_verdict() {
        let verdicts = [-1.0, 0.0, 0.01, 0.049, 0.05, 0.15, 1.0].map(Verdict::of_excess);
        assert!(verdicts.is_sorted());
        assert_eq!(
            (verdicts[1], verdicts[2], verdicts[4], verdicts[6]),
            (Verdict::Negligible, Verdict::Small, Verdict::Clear, Verdict::Large)
        );
    }
}
