//! A noisy table for every marginal.

use std::num::NonZeroUsize;
use std::slice;

use scumble_schema::Clique;
use scumble_vault::{Epsilon, NoisyTable, Share};

use super::open;
use crate::columns::Columns;
use crate::distance::to_clipped;
use crate::error::EvaluateError;
use crate::marginal::{MarginalDistances, MarginalSets, tables_of};

/// The distances of tables with Laplace noise from the real ones, when all tables of an order share the budget
/// `epsilon`.
///
/// Each order is an experiment of its own. Only the judged tables are drawn, each for the share of one of all: what
/// noise a table gets does not depend on whether the others are looked at.
///
/// # Errors
/// If the sets are over another domain, a table has more cells than a vault measures, or there are 2^32 tables of an
/// order or more.
pub fn laplace(real: &Columns, sets: &MarginalSets, epsilon: Epsilon) -> Result<MarginalDistances, EvaluateError> {
    MarginalDistances::of_orders(sets, |order, cliques| {
        let mut distances = Vec::with_capacity(cliques.len());
        measure(real, order, cliques, epsilon, |table| {
            distances.push(to_clipped(&real.counts(table.clique())?, table.values()));
            Ok(())
        })?;
        Ok(distances)
    })
}

/// Hands out a noisy table per clique, one at a time because together they may not fit the memory.
fn measure(
    real: &Columns,
    order: usize,
    cliques: &[Clique],
    epsilon: Epsilon,
    mut take: impl FnMut(&NoisyTable) -> Result<(), EvaluateError>,
) -> Result<(), EvaluateError> {
    for clique in cliques {
        real.check(clique)?;
    }
    let too_many = || EvaluateError::config("sets", "of an order with fewer than 2^32 tables");
    let all = tables_of(real.domain().len(), order).ok_or_else(too_many)?;
    let Some(judged) = NonZeroUsize::new(cliques.len()) else { return Ok(()) };
    let (mut vault, budget) = open(real, epsilon)?;
    // Judging all tables leaves nothing to split off.
    let share = u32::try_from(judged.get()).ok().and_then(|judged| Share::of(judged, all));
    let budget = match share {
        Some(share) => budget.split(share).0,
        None => budget,
    };
    for (clique, budget) in cliques.iter().zip(budget.split_evenly(judged)) {
        vault.measure(slice::from_ref(clique), budget)?.iter().try_for_each(&mut take)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{all_sets, table};
    use super::*;

    const EPSILON: f64 = 0.5;

    fn deviations(real: &Columns, order: usize, cliques: &[Clique]) -> Vec<f64> {
        let mut deviations = Vec::new();
        measure(real, order, cliques, Epsilon::new(EPSILON).unwrap(), |table| {
            deviations.push(table.standard_deviation());
            Ok(())
        })
        .unwrap();
        deviations
    }

    #[test]
    fn a_table_gets_the_noise_of_one_of_all_however_many_are_judged() {
        let real = table(50);
        let sets = all_sets(&real);
        for (order, cliques) in sets.orders() {
            let (mut vault, budget) = open(&real, Epsilon::new(EPSILON).unwrap()).unwrap();
            let due = vault.measure(cliques, budget).unwrap()[0].standard_deviation();
            for judged in [&cliques[..1], &cliques[..2], cliques] {
                let deviations = deviations(&real, order, judged);
                assert_eq!(deviations.len(), judged.len());
                assert!(deviations.iter().all(|deviation| (deviation / due - 1.0).abs() < 1e-9));
            }
            // Laplace noise of scale b = tables / epsilon deviates by nearly the square root of two times as much; a
            // test that spent all on the judged table would be off by their number.
            #[expect(clippy::cast_precision_loss, reason = "few sets")]
            let scale = cliques.len() as f64 / EPSILON;
            assert!((due / (2_f64.sqrt() * scale) - 1.0).abs() < 0.01, "order {order}: {due} for scale {scale}");
        }
    }

    #[test]
    fn sets_of_another_domain_are_refused() {
        let real = table(5);
        let sets = MarginalSets::new([Clique::single(scumble_schema::AttributeId::new(9))]);
        let refused = laplace(&real, &sets, Epsilon::new(1.0).unwrap());
        assert!(matches!(refused, Err(EvaluateError::OtherDomain { .. })));
    }
}
