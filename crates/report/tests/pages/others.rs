//! Numbers of pages with single sentences about a guarantee.

use crate::checker::Entry::{self, Computed, NoFact};
use crate::numbers::{beyond, down, epsilon, mu, near, phi, rho, up};

pub(crate) fn threat_model() -> Vec<Entry> {
    vec![
        NoFact("modes 0600 and 0700", "modes of files"),
        NoFact("mode 0700", "modes of files"),
        NoFact("are 0600", "modes of files"),
        NoFact("compare thousands of certificates with 60 digits", "a test"),
        NoFact("more than 700 made files", "a test"),
        NoFact("that 35 runs print", "a test"),
    ]
}

/// `SECURITY.md`: an example of a correction.
pub(crate) fn security() -> Vec<Entry> {
    let one = mu(1.0, 1e-9);
    vec![Computed(format!(
        "a certificate says `mu² = {}`, epsilon 1 at delta 1e-9. If it turned out that `Δ²` is 2 where 1 was charged, `mu²` is {}, and \
         epsilon is {} at delta 1e-9.",
        near(one * one, 4),
        near(2.0 * one * one, 4),
        up(epsilon(2_f64.sqrt() * one, 1e-9), 2)
    ))]
}

/// `docs/how-to/keep-a-ledger.md`: shares of a cap.
pub(crate) fn keep_a_ledger() -> Vec<Entry> {
    let squared = |epsilon| mu(epsilon, 1e-9).powi(2);
    let (one, cap) = (squared(1.0), squared(3.0));
    let spent = one + squared(0.5);
    let percent = |share: f64| near(100.0 * share, 1);
    let whole = |number: f64| down(number, 0);
    let gaussian_in_rho = one / 2.0 / rho(3.0, 1e-9);
    vec![
        Computed(format!(
            "spent ({}, 1e-9), {} % of the cap",
            up(epsilon(spent.sqrt(), 1e-9), 6),
            percent(spent / cap)
        )),
        Computed(format!("left enough for one fit of ({}, 1e-9)", down(epsilon((cap - spent).sqrt(), 1e-9), 4))),
        Computed(format!("1 and 0.5 are together {} here", up(epsilon(spent.sqrt(), 1e-9), 6))),
        Computed(format!("| {}, each {} % of the cap |", whole(cap / one), percent(one / cap))),
        Computed(format!("| {}, each {} % of the cap |", whole(1.0 / gaussian_in_rho), percent(gaussian_in_rho))),
        Computed(format!(
            "under (10, 1e-9) there is room for {} fits of (1, 1e-9) instead of {}.",
            whole(rho(10.0, 1e-9) / (one / 2.0)),
            whole(squared(10.0) / one)
        )),
        Computed(format!(
            "the largest under a cap of (3, 1e-9) has epsilon {}.",
            down((2.0 * rho(3.0, 1e-9)).sqrt(), 2)
        )),
        Computed(format!(
            "Here a fit of ({}, 1e-9) is still possible.",
            down(epsilon((cap - 7.0 * one).sqrt(), 1e-9), 4)
        )),
    ]
}

/// `crates/report/src/odds.md`: the three numbers that are not the same.
pub(crate) fn odds() -> Vec<Entry> {
    let one = mu(1.0, 1e-9);
    let digits = |number: f64| format!("{number:.1e}");
    vec![Computed(format!(
        "At epsilon 1 and delta 1e-9 the three numbers are {}, {} and 1e-9.",
        digits(beyond(one, 1.0)),
        digits(phi(one / 2.0 - 1.0 / one))
    ))]
}

/// `crates/engine/src/unit/unit.md`.
pub(crate) fn unit() -> Vec<Entry> {
    vec![Computed(format!("times as large: {} times (rounded up) with tables alone, 2 times", up(2_f64.sqrt(), 2)))]
}

/// `docs/decisions/0013-choices-under-gdp.md`: what exact accounting gains.
pub(crate) fn choices_under_gdp() -> Vec<Entry> {
    let epsilons = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2];
    let gain = |epsilon: f64| mu(epsilon, 1e-5).powi(2) / 2.0 / rho(epsilon, 1e-5);
    vec![
        Computed(format!("| `mu²/2` over `rho` | {} |", epsilons.map(|epsilon| near(gain(epsilon), 2)).join(" | "))),
        Computed(format!(
            "| noise on tables, less by | {} |",
            epsilons.map(|epsilon| format!("{} %", near(100.0 * (1.0 - gain(epsilon).sqrt().recip()), 1))).join(" | ")
        )),
    ]
}

/// `docs/reference/schema.md`.
pub(crate) fn schema() -> Vec<Entry> {
    vec![Computed(format!(
        "it is {} times as large where it is Gaussian, and 2 times where it is Laplace",
        near(2_f64.sqrt(), 2)
    ))]
}

/// `docs/tutorial/first-table.md`.
pub(crate) fn first_table() -> Vec<Entry> {
    let share = (mu(1.0, 1e-9) / mu(3.0, 1e-9)).powi(2);
    vec![
        Computed(format!("spent (1, 1e-9), {} % of the cap", near(100.0 * share, 1))),
        Computed(format!("Why {} percent and not a third?", near(100.0 * share, 1))),
        Computed(format!("mu = {}.", near(mu(1.0, 1e-9), 5))),
    ]
}
