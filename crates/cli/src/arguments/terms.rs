//! Parsers of epsilon and delta, and the option that accepts weak ones.

use clap::Args;
use scumble::{Delta, Epsilon};

/// Option that accepts privacy terms with little protection.
#[derive(Debug, Args)]
pub(crate) struct WeakPrivacy {
    /// Accept weak privacy: an epsilon above 10, a delta above 1e-4, or a delta of at least one
    /// over the number of rows. A person's rows may then show. The certificate and all pages say so
    #[arg(long)]
    pub(crate) accept_weak_privacy: bool,
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

/// Parses a number. If it has a decimal comma, the error suggests a point.
fn number(text: &str) -> Result<f64, String> {
    let with_point = text.replacen(',', ".", 1);
    match (text.parse(), with_point.parse::<f64>()) {
        (Ok(number), _) => Ok(number),
        (Err(_), Ok(_)) => Err(format!("the decimal separator is a point: write {with_point}")),
        (Err(_), Err(_)) => Err("not a number, such as 1, 0.5 or 1e-9".into()),
    }
}
