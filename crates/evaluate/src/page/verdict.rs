//! Verdicts in their colours.

use maud::{Markup, html};

use crate::evaluation::Verdict;

/// Shows a verdict in its colour.
pub(super) fn show(verdict: Verdict) -> Markup {
    html! { span style={ "color:" (colour(verdict)) ";font-weight:600;white-space:nowrap" } { (verdict.in_words()) } }
}

pub(super) fn colour(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Negligible => "#1b7a4b",
        Verdict::Small => "#3c6e9f",
        Verdict::Moderate => "#9a6700",
        Verdict::Large => "#a3281f",
    }
}
