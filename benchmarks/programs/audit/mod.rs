//! Audits from outside: T7, T8 and T9 of `docs/reference/privacy-tests.md`.
//!
//! Every bound is a lower bound of 99.9 % confidence, so a true claim is exceeded once in a
//! thousand bounds by chance; the fixed number of bounds here keeps that below one run in ten.

mod methods;
mod phases;
#[cfg(feature = "planted-bugs")]
mod planted;

use scumble_audit::white_box::PhaseAudit;
use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;
use scumble_vault::{ApproxDp, Delta, Epsilon};

/// The claim of the audits with delta: at `mu` 1.7, the errors of the best test are easy to count.
const EPSILON: f64 = 8.0;
const DELTA: f64 = 1e-5;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let usage = Usage {
        parts: &["phases", "methods", "pure"],
        on_request: if cfg!(feature = "planted-bugs") { &["planted"] } else { &[] },
        options: &["--runs", "--only"],
        ..Usage::default()
    };
    let arguments = Arguments::parse(arguments, &usage)?;
    let runs: Option<u64> = arguments.value("--runs")?;
    let only: Option<String> = arguments.value("--only")?;
    let mut figures = Figures::default();
    for part in arguments.parts() {
        match *part {
            "phases" => phases::run(runs.unwrap_or(100_000), only.as_deref(), &mut figures)?,
            "methods" => methods::gaussian(runs.unwrap_or(100_000), only.as_deref(), &mut figures)?,
            "pure" => methods::pure(runs.unwrap_or(10_000), only.as_deref(), &mut figures)?,
            #[cfg(feature = "planted-bugs")]
            "planted" => planted::run(runs.unwrap_or(10_000), &mut figures)?,
            _ => unreachable!("parts are checked"),
        }
    }
    figures.print();
    Ok(())
}

/// The goal of the audits with delta.
fn goal() -> ApproxDp {
    ApproxDp {
        epsilon: Epsilon::new(EPSILON).expect("positive"),
        delta: Delta::new(DELTA).expect("between zero and one"),
    }
}

/// Proved share of the claim: of `mu` where there is one, otherwise of epsilon.
fn share(audit: &PhaseAudit) -> f64 {
    let proved = |bound: Option<scumble_audit::statistic::Bound>| bound.map_or(f64::NAN, |bound| bound.value);
    match audit.claim.mu {
        Some(mu) => proved(audit.mu) / mu,
        None => proved(audit.epsilon) / audit.claim.epsilon,
    }
}
