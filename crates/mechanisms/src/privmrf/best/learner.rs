//! A model that grows with every round.

use std::f64::consts::FRAC_2_PI;
use std::num::NonZeroUsize;
use std::slice;

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_pgm::{Estimate, Estimator, JunctionTree, Search, Stop, StructuralZeros, Total, TreeModel};
use scumble_schema::{Clique, limits};
use scumble_vault::score::{Candidate, L1Error};
use scumble_vault::{Budget, NoisyTable, Selecting, Vault, VaultError};
use sha2::{Digest, Sha256};

use super::candidates::Candidates;
use super::options::Options;
use super::versions::Versions;
use crate::error::MechanismError;
use crate::neighbours::{Neighbours, RowTotal};
use crate::noisy::{estimated_rows, measurement};
use crate::privmrf::expected::expected_counts;

/// When a fit ends that the next choice is made by. More passes make no better choices.
const BETWEEN_ROUNDS: Stop = Stop { at_noise: None, settled: 0.1, passes: 200 };
/// When the last fit ends.
const AT_THE_END: Stop = Stop { at_noise: None, settled: 1e-3, passes: 1_000 };
/// The noise that counts in a cell that the model believes to be empty, as a part of that in others: an estimate that cannot be negative
/// loses most of it.
const NOISE_OF_EMPTY_CELLS: f64 = 0.02;

/// The tables measured so far, and the model of them.
#[derive(Debug)]
pub(super) struct Learner<'a> {
    versions: &'a Versions<'a>,
    options: &'a Options,
    /// The number of rows, where it is public.
    public_rows: Option<f64>,
    tables: Vec<NoisyTable>,
    estimate: Estimate,
    /// Cells of a model of columns that are only linked to their coarser versions, which no choice can avoid.
    linked_cells: u128,
}

impl<'a> Learner<'a> {
    /// Measures every column.
    pub(super) fn begin<A: Neighbours, M: Selecting>(
        vault: &mut Vault<A, M>,
        versions: &'a Versions<'a>,
        options: &'a Options,
        budget: Budget<A, M>,
    ) -> Result<Self, MechanismError> {
        #[expect(clippy::cast_precision_loss, reason = "a row more or less in 2^53 does not matter")]
        let public_rows = match A::row_total(vault)? {
            RowTotal::Estimated => None,
            RowTotal::Public(rows) => Some(*rows as f64),
        };
        let tables = vault.measure(&versions.one_way(), budget)?.into_inner();
        let estimate = fit(versions, options, &tables, public_rows, None, BETWEEN_ROUNDS)?;
        let linked_cells = versions.linked_cells();
        Ok(Self { versions, options, public_rows, tables, estimate, linked_cells })
    }

    /// The number of rows, as far as released values tell it.
    pub(super) fn rows(&self) -> f64 {
        self.estimate.model.total()
    }

    /// A source of random choices that are no noise. It follows from released values, so that a fit that is taken up again chooses the
    /// same, and differs from fit to fit.
    pub(super) fn generator(&self) -> ChaCha8Rng {
        let mut digest = Sha256::new();
        for value in self.tables.iter().flat_map(NoisyTable::values) {
            digest.update(value.to_le_bytes());
        }
        ChaCha8Rng::from_seed(digest.finalize().into())
    }

    /// The candidates that are not measured yet and leave the model within so many cells, besides those that no choice can avoid.
    pub(super) fn fitting(&self, candidates: &Candidates, cells: f64) -> Vec<Clique> {
        let domain = self.versions.domain();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let most = (self.linked_cells + cells as u128).min(limits::CELLS_PER_MODEL);
        let links = self.versions.links().iter().map(StructuralZeros::clique);
        let mut held: Vec<Clique> = self.tables.iter().map(NoisyTable::clique).chain(links).cloned().collect();
        let tree = JunctionTree::new(domain, &held, u128::MAX).ok();
        let mut fits = |set: &&Clique| {
            if self.tables.iter().any(|table| table.clique() == *set) {
                return false;
            }
            if let Some(tree) = tree.as_ref().filter(|tree| tree.home(set).is_some()) {
                return tree.cells() <= most;
            }
            held.push((*set).clone());
            let cells = JunctionTree::predicted_cells(domain, &held);
            held.pop();
            cells <= most
        };
        candidates.sets().iter().filter(|set| fits(set)).cloned().collect()
    }

    /// Chooses a table that the model explains badly, for the noise it will have, and measures it.
    ///
    /// # Privacy
    /// One choice (L1 errors against a model of released values, less public penalties), one table.
    pub(super) fn choose_and_measure<A: Neighbours, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        sets: &[Clique],
        budget: Budget<A, M>,
    ) -> Result<(), MechanismError> {
        let (for_choice, for_table) = budget.split(self.options.choice_share()?);
        let noise = vault.planned_noise(NonZeroUsize::MIN, for_table.amount());
        // Without a noise to plan with, the vault will refuse to measure.
        let deviation = noise.and_then(|noise| noise.standard_deviation()).unwrap_or(1.0);
        let expected = expected_counts(&self.estimate.model, sets)?;
        let score = |(set, expected): (&Clique, &Vec<f64>)| {
            let penalty = self.options.noise_penalty * noise_of(expected, deviation);
            Candidate::new(L1Error::against(set.clone(), expected)?).less(penalty)
        };
        let scores = sets.iter().zip(&expected).map(score).collect::<Result<Vec<_>, VaultError>>()?;
        let chosen = *vault.select(&scores, for_choice)?;
        self.tables.extend(vault.measure(slice::from_ref(&sets[chosen]), for_table)?.into_inner());
        Ok(())
    }

    /// Measures every column once more.
    pub(super) fn measure_columns_again<A: Neighbours, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
    ) -> Result<(), MechanismError> {
        self.tables.extend(vault.measure(&self.versions.one_way(), budget)?.into_inner());
        Ok(())
    }

    /// A model that is good enough to choose by.
    pub(super) fn fit_between_rounds(&mut self) -> Result<(), MechanismError> {
        self.estimate = self.fit(BETWEEN_ROUNDS)?;
        Ok(())
    }

    /// The model of all tables.
    pub(super) fn finish(self) -> Result<TreeModel, MechanismError> {
        Ok(self.fit(AT_THE_END)?.model)
    }

    fn fit(&self, stop: Stop) -> Result<Estimate, MechanismError> {
        fit(self.versions, self.options, &self.tables, self.public_rows, Some(&self.estimate), stop)
    }
}

fn fit(
    versions: &Versions,
    options: &Options,
    tables: &[NoisyTable],
    public_rows: Option<f64>,
    earlier: Option<&Estimate>,
    stop: Stop,
) -> Result<Estimate, MechanismError> {
    let domain = versions.domain();
    let measurements = tables.iter().map(|table| measurement(domain, table)).collect::<Result<Vec<_>, _>>()?;
    // A table that seems empty is fitted as if it had one row: a distribution of none has no shape.
    let rows = public_rows.unwrap_or_else(|| estimated_rows(tables)).max(1.0);
    let search = options.spread.map_or(Search::Proximal, |spread| Search::Shrunk { spread });
    let estimator = Estimator::new(domain.clone())
        .total(Total::Fixed(rows))
        .zeros(versions.links().to_vec())
        .search(search)
        .stop(stop);
    Ok(match earlier {
        Some(earlier) => estimator.estimate_from(&measurements, earlier)?,
        None => estimator.estimate(&measurements)?,
    })
}

/// The L1 error that noise of this standard deviation is expected to leave in a table with these expected counts.
fn noise_of(expected: &[f64], deviation: f64) -> f64 {
    let noisy_cells: f64 = expected.iter().map(|count| (NOISE_OF_EMPTY_CELLS + count / deviation).min(1.0)).sum();
    FRAC_2_PI.sqrt() * deviation * noisy_cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_are_believed_to_be_empty_hardly_count_as_noise() {
        let full = noise_of(&[500.0, 500.0], 10.0);
        assert!((full - 2.0 * 10.0 * FRAC_2_PI.sqrt()).abs() < 1e-12);
        let sparse = noise_of(&[500.0, 500.0, 0.0, 0.0], 10.0);
        assert!((sparse / full - 1.02).abs() < 1e-12);
    }
}
