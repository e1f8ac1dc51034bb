//! How far from the real marginals one is with little thought or much noise.
//!
//! They are for comparison alone and no methods of release: one reads the real table without noise, and two answer the
//! judged marginals only, with no rows to show for it.
//!
//! | baseline | its marginals | noise |
//! |---|---|---|
//! | [`uniform`] | every cell alike | none, and no rows are looked at |
//! | [`independent`] | the product of the real one-way distributions | none: what a noisy product tends to |
//! | [`laplace`] | each from a noisy table of its own | all tables of its order share the budget |
//! | [`contingency`] | all from one noisy table over all columns | the whole budget |
//!
//! The noise of the latter two comes from a vault, which charges for it as for any release: with add/remove neighbours,
//! under pure differential privacy. It has no seed, so each call draws again.
//!
//! # Reference
//! J. Zhang, G. Cormode, C. Procopiuc, D. Srivastava, X. Xiao 2014, PrivBayes: private data release via Bayesian
//! networks, section 5.1, for the noisy ones and how they are mended: counts below zero become zero, and each marginal
//! is scaled to its sum.

mod contingency;
mod laplace;
mod product;

use std::num::NonZeroU32;

use scumble_vault::{AddRemove, ApproxDp, Budget, Delta, Epsilon, Pure, Vault};

pub use self::contingency::contingency;
pub use self::laplace::laplace;
pub use self::product::{independent, uniform};
use crate::columns::Columns;
use crate::error::EvaluateError;

/// The terms of both noisy baselines.
type OpenVault = (Vault<AddRemove, Pure>, Budget<AddRemove, Pure>);

/// A vault over the table, and its budget.
fn open(real: &Columns, epsilon: Epsilon) -> Result<OpenVault, EvaluateError> {
    let goal = ApproxDp { epsilon, delta: Delta::ZERO };
    Ok(Vault::open(Box::new(real.clone()), goal, NonZeroU32::MIN)?)
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use scumble_schema::{Clique, Domain};

    use super::*;
    use crate::marginal::{MarginalDistances, MarginalSets};

    /// Four columns, each like the one before it three times in four.
    pub(super) fn table(rows: u32) -> Columns {
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        let sizes = [2, 3, 2, 4];
        let mut columns = vec![Vec::new(); 4];
        for _ in 0..rows {
            let mut before = 0;
            for (column, size) in columns.iter_mut().zip(sizes) {
                before = if dice.random_bool(0.75) { before % size } else { dice.random_range(0..size) };
                column.push(before);
            }
        }
        Columns::new(Domain::new(sizes.to_vec()).unwrap(), columns).unwrap()
    }

    /// All sets of one, two and three columns.
    pub(super) fn all_sets(real: &Columns) -> MarginalSets {
        let attributes: Vec<_> = real.domain().attributes().collect();
        let chosen = |bits: usize| attributes.iter().copied().filter(move |one| bits >> one.index() & 1 == 1);
        MarginalSets::new((1..15).map(|bits| Clique::new(chosen(bits))).filter(|clique| clique.len() < 4))
    }

    fn means(distances: &MarginalDistances) -> Vec<f64> {
        distances.orders().iter().map(|order| order.mean).collect()
    }

    #[test]
    fn with_budget_without_end_noise_is_none() {
        let real = table(500);
        let sets = all_sets(&real);
        let epsilon = Epsilon::new(1e5).unwrap();
        for distances in [laplace(&real, &sets, epsilon).unwrap(), contingency(&real, &sets, epsilon).unwrap()] {
            assert_eq!(means(&distances), [0.0; 3]);
        }
    }

    #[test]
    fn error_falls_as_the_budget_grows() {
        // One run may be lucky. The means of twenty lie apart by many of their standard deviations.
        const RUNS: u32 = 20;
        let real = table(2000);
        let sets = all_sets(&real);
        for baseline in [laplace, contingency] {
            let mean = |epsilon| {
                let mut sums = [0.0; 3];
                for _ in 0..RUNS {
                    let distances = baseline(&real, &sets, Epsilon::new(epsilon).unwrap()).unwrap();
                    sums.iter_mut().zip(means(&distances)).for_each(|(sum, mean)| *sum += mean / f64::from(RUNS));
                }
                sums
            };
            let [tiny, small, large] = [0.001, 0.1, 10.0].map(mean);
            for order in 0..3 {
                assert!(
                    tiny[order] > 3.0 * small[order] && small[order] > 3.0 * large[order],
                    "{tiny:?} {small:?} {large:?}"
                );
            }
        }
    }
}
