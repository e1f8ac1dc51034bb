//! T10: empirical audit of one run of the vault.
//!
//! # Design
//! A table of 100,000 cells. A fair coin per cell decides whether one canary row lies in it. The
//! vault measures the table once, with the whole budget. The auditor sees the released values and
//! guesses, for each cell, "in" if the value is above one half. Add/remove neighbours differ in one
//! canary, so each guess is a test between two neighbours, and one run holds 100,000 of them.
//!
//! For `mu`-GDP, the sum of the two error rates of any such test is at least `2 Phi(-mu/2)`; with a
//! fair coin the guess is right with probability at most `Phi(mu/2)`. The rounding of the noise
//! costs the auditor nothing: for an integer count the rounded value is above one half exactly if
//! the unrounded one is. So the share of right guesses tends to `Phi(mu/2)` itself and a lower
//! confidence bound on it is one on `mu`, which the profile turns into one on `epsilon` at the
//! claimed `delta`.
//!
//! The bound is a one-sided Clopper-Pearson interval, which treats guesses as independent. They are
//! if the noise of different cells is. The vault is written that way, and `sampler.rs` and the
//! tests of the generator test it, but it is an assumption of this audit. Bounds that hold without
//! it exist (Steinke, Nasr and Jagielski 2023) and are looser for Gaussian noise. Dependence
//! between cells is for the tests of the generator to detect.
#![allow(clippy::disallowed_methods, reason = "statistics of 10^5 cells")]

use std::num::NonZeroU32;

use crate::rows::{Rows, goal};
use crate::support::upper_tail;
use scumble_schema::Domain;
use scumble_vault::account::gdp;
use scumble_vault::{AddRemove, MuSquared, Vault};

const CANARIES: u32 = 100_000;
/// Claim of the audited run: mu is 0.92, so that guesses are right in two thirds of the cells.
const EPSILON: f64 = 4.0;
const DELTA: f64 = 1e-5;
/// A true claim fails the audit once in a million runs.
const CONFIDENCE: f64 = 1e-6;

/// Returns the audited lower bound on epsilon if each canary has `rows_per_canary` rows and the
/// vault assumes one.
fn audited_epsilon(rows_per_canary: usize) -> f64 {
    let mut coins = vec![0; CANARIES as usize];
    getrandom::fill(&mut coins).unwrap();
    let present = |cell: u32| coins[cell as usize] & 1 == 1;
    let canaries = (0..CANARIES).filter(|&cell| present(cell));
    let table = canaries.flat_map(|cell| vec![vec![cell]; rows_per_canary]).collect();

    let source = Box::new(Rows::new(&[CANARIES], table));
    let cliques = Domain::new(vec![CANARIES]).unwrap().one_way();
    let (mut vault, budget) = Vault::<AddRemove>::open(source, goal(EPSILON, DELTA), NonZeroU32::MIN).unwrap();
    let released = vault.measure(&cliques, budget).unwrap();

    let halfway = i64::try_from(rows_per_canary).unwrap();
    let right =
        (0..CANARIES).zip(released[0].values()).filter(|(cell, value)| present(*cell) == (2 * **value >= halfway));
    let share = clopper_pearson(right.count() as u64, CANARIES.into(), CONFIDENCE);
    let mu = 2.0 * quantile(share);
    // Rounded down, so that the lower bound stays one; the margin of `gdp::epsilon` is 10^-9 at
    // most.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "mu² 2^96 fits 128 bits")]
    let mu_squared = MuSquared::from_quanta((mu.max(0.0).powi(2) * 2_f64.powi(96)) as u128);
    gdp::epsilon(mu_squared, goal(EPSILON, DELTA).delta).unwrap().get() * (1.0 - 2e-9)
}

#[test]
fn one_run_of_the_vault_reveals_between_nine_tenths_and_all_of_epsilon() {
    let ratio = audited_epsilon(1) / EPSILON;
    assert!((0.90..=1.00).contains(&ratio), "the audit finds {ratio} of the claimed epsilon");
}

#[test]
fn the_audit_catches_a_sensitivity_of_one_instead_of_two() {
    let ratio = audited_epsilon(2) / EPSILON;
    assert!(ratio > 1.5, "two rows per unit that are charged as one: {ratio} of the claimed epsilon");
}

/// Returns the smallest probability under which `successes` or more of `trials` have at least
/// probability `level`.
fn clopper_pearson(successes: u64, trials: u64, level: f64) -> f64 {
    let (mut low, mut high) = (0.0, successes as f64 / trials as f64);
    for _ in 0..60 {
        let p = f64::midpoint(low, high);
        if binomial_tail(successes, trials, p) < level { low = p } else { high = p }
    }
    low
}

/// Returns the probability of `successes` or more in `trials`, for `p` below the observed share,
/// where terms fall from the first.
fn binomial_tail(successes: u64, trials: u64, p: f64) -> f64 {
    let [k, n] = [successes, trials].map(|count| count as f64);
    let ln_choose = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    let mut term = (ln_choose + k * p.ln() + (n - k) * (-p).ln_1p()).exp();
    let mut sum = 0.0;
    for count in successes..=trials {
        sum += term;
        term *= (n - count as f64) / (count as f64 + 1.0) * p / (1.0 - p);
        if term < sum * 1e-16 {
            break;
        }
    }
    sum
}

/// Computes the normal quantile of a probability of at least one half, by bisection.
fn quantile(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let x = f64::midpoint(low, high);
        if 1.0 - upper_tail(x, 1.0) < p { low = x } else { high = x }
    }
    low
}

#[test]
fn the_statistics_of_the_audit_are_right() {
    assert!((quantile(0.975) - 1.959_963_985).abs() < 1e-8);
    // 8 of 10: the one-sided 95 % bound is 0.49310.
    assert!((clopper_pearson(8, 10, 0.05) - 0.493_10).abs() < 1e-5);
    assert!((binomial_tail(8, 10, 0.5) - 56.0 / 1024.0).abs() < 1e-12);
}
