//! The two numbers of a promise, as people type them.

use clap::Args;
use scumble::{ApproxDp, Delta, Epsilon, refuse_weak_terms};

use crate::failure::Failure;

/// Whether terms that promise little are accepted.
#[derive(Debug, Args)]
pub(crate) struct ReasonableTerms {
    /// Accept an epsilon above 10, a delta above 1e-4, or a delta of one over the number of rows or more: terms under which a
    /// person's rows may show. The certificate and all pages say so
    #[arg(long)]
    accept_weak_privacy: bool,
}

impl ReasonableTerms {
    /// Refuses terms that promise little, unless they were accepted. `rows` is a public number.
    pub(crate) fn check(&self, goal: ApproxDp, rows: Option<u64>) -> Result<(), Failure> {
        if self.accept_weak_privacy { Ok(()) } else { Ok(refuse_weak_terms(goal, rows)?) }
    }
}

pub(super) fn epsilon(text: &str) -> Result<Epsilon, String> {
    number(text)
        .and_then(|value| Epsilon::new(value).map_err(|_| "epsilon is a number above 0, such as 1 or 0.5".into()))
}

pub(super) fn delta(text: &str) -> Result<Delta, String> {
    number(text).and_then(|value| {
        Delta::new(value).map_err(|_| "delta is a number below 1, such as 1e-9, or 0 for none".into())
    })
}

/// A number, with a word for those who write it as in their own language.
fn number(text: &str) -> Result<f64, String> {
    let with_point = text.replacen(',', ".", 1);
    match (text.parse(), with_point.parse::<f64>()) {
        (Ok(number), _) => Ok(number),
        (Err(_), Ok(_)) => Err(format!("decimals follow a point here: write {with_point}")),
        (Err(_), Err(_)) => Err("not a number, such as 1, 0.5 or 1e-9".into()),
    }
}
