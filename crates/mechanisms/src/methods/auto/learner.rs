//! The rounds of `auto`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::slice;

use chacha20::ChaCha8Rng;
use rand::Rng;
use scumble_pgm::{JunctionTree, Stop, StructuralZeros, TreeModel};
use scumble_schema::{AttributeId, Clique, Domain, limits};
use scumble_vault::score::{Candidate, L1Error};
use scumble_vault::{Budget, NoisyTable, Selecting, Vault};

use super::candidates::Candidates;
use super::options::Options;
use super::workload::Workload;
use crate::error::MechanismError;
use crate::learning::column_levels::ColumnLevels;
use crate::learning::model_fitter::ModelFitter;
use crate::learning::noisy::generator;
use crate::learning::round_learner::{RoundLearner, noise_of_cells};
use crate::learning::rules::cells_with;
use crate::learning::spanning_tree::End;
use crate::mechanism::budget_parts::BudgetParts;
use crate::mechanism::terms::MethodAdjacency;

/// Stopping rule of the fits between rounds. More passes do not improve selections.
const BETWEEN_ROUNDS: Stop = Stop { at_noise: None, settled: 0.1, passes: 200 };
/// Noise counted for a cell that is empty in the model, relative to other cells: an estimate that
/// cannot be negative loses most of it.
pub(super) const NOISE_OF_EMPTY_CELLS: f64 = 0.02;

/// Columns times columns of all searches for a small tree in one round. Pairs that need none are
/// candidates all the same.
const SEARCHED_COLUMNS: usize = 400_000;

/// The tables measured so far, and the model fitted to them.
#[derive(Debug)]
pub(super) struct Learner<'a> {
    versions: &'a ColumnLevels<'a>,
    options: &'a Options,
    learned: RoundLearner<'a>,
    /// Number of cells of a model of nothing but links and rules, which no selection can avoid.
    linked_cells: u128,
}

impl<'a> Learner<'a> {
    /// Begins with the tables of all columns.
    pub(super) fn begin(
        versions: &'a ColumnLevels<'a>,
        options: &'a Options,
        public_rows: Option<f64>,
        tables: Vec<NoisyTable>,
    ) -> Result<Self, MechanismError> {
        let fitter = ModelFitter::new(versions.domain(), versions.links(), options.spread, public_rows);
        let learned = RoundLearner::begin(fitter, BETWEEN_ROUNDS, tables)?;
        Ok(Self { versions, options, learned, linked_cells: versions.linked_cells() })
    }

    /// Number of rows: public, or estimated from released values.
    pub(super) fn rows(&self) -> f64 {
        self.learned.model().total()
    }

    /// Returns the columns in the versions in which pairs have them. Merging may leave one value of
    /// a column, which is in no pair.
    pub(super) fn columns(&self) -> Vec<AttributeId> {
        let domain = self.versions.domain();
        let columns = self.versions.of_size(self.options.large_column).into_iter();
        columns.filter(|&column| domain.size(column) > 1).collect()
    }

    /// Returns the tables of the workload, with the columns in the versions in which pairs have
    /// them.
    pub(super) fn workload(&self, base: &Domain) -> Result<Workload, MechanismError> {
        let domain = self.versions.domain();
        let (finest, used) = (self.versions.finest(), self.versions.of_size(self.options.large_column));
        let version = |column: &AttributeId| finest.iter().position(|finest| finest == column).map(|place| used[place]);
        let table = |(table, weight): (Clique, f64)| {
            let columns = table.attributes().iter().filter_map(version).filter(|&column| domain.size(column) > 1);
            (Clique::new(columns), weight)
        };
        Ok(Workload::new(self.options.workload.cliques(base)?.into_iter().map(table)))
    }

    /// Sizes of the columns in the versions in which pairs have them, of all columns.
    pub(super) fn sizes(&self) -> Vec<u32> {
        let columns = self.versions.of_size(self.options.large_column).into_iter();
        columns.map(|column| self.versions.domain().size(column)).collect()
    }

    /// The options of the fit.
    pub(super) fn options(&self) -> &'a Options {
        self.options
    }

    /// The columns and their coarser versions.
    pub(super) fn versions(&self) -> &'a ColumnLevels<'a> {
        self.versions
    }

    /// Returns the columns that a tree may join, with the counts that the model expects.
    pub(super) fn ends(&self) -> Result<Vec<End>, MechanismError> {
        let columns = self.columns();
        let tables = self.learned.expected(columns.iter().map(|&column| Clique::single(column)).collect())?;
        Ok(columns.into_iter().zip(tables).map(|(column, (_, expected))| End { column, expected }).collect())
    }

    /// Returns a random generator for draws that are not noise.
    pub(super) fn generator(&self) -> ChaCha8Rng {
        generator(self.learned.tables())
    }

    /// Returns whether the model of all tables so far holds a table in one clique.
    pub(super) fn holding(&self) -> impl Fn(&Clique) -> bool + use<> {
        let tree = JunctionTree::new(self.versions.domain(), &self.held(), u128::MAX).ok();
        move |table| tree.as_ref().is_some_and(|tree| tree.home(table).is_some())
    }

    /// Returns the columns of measured tables, links and rules.
    fn held(&self) -> Vec<Clique> {
        let links = self.versions.links().iter().map(StructuralZeros::clique);
        self.learned.tables().iter().map(NoisyTable::clique).chain(links).cloned().collect()
    }

    /// Pairs tables with their expected counts under the model.
    pub(super) fn expected(&self, tables: Vec<Clique>) -> Result<Vec<(Clique, Vec<f64>)>, MechanismError> {
        self.learned.expected(tables)
    }

    /// Returns candidates that are not measured yet and leave the model within `cells` cells,
    /// beyond those that no selection can avoid.
    pub(super) fn fitting(&self, candidates: &Candidates, cells: f64, rng: &mut impl Rng) -> Vec<Clique> {
        let domain = self.versions.domain();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let max_cells = (self.linked_cells + cells as u128).min(limits::CELLS_PER_MODEL);
        let mut held = self.held();
        let tree = JunctionTree::new(domain, &held, u128::MAX).ok();
        let mut searches = SEARCHED_COLUMNS / domain.len().pow(2).max(1);
        let fits = |set: &&Clique| {
            if self.learned.tables().iter().any(|table| table.clique() == *set) {
                return false;
            }
            if let Some(tree) = &tree {
                if tree.home(set).is_some() {
                    return tree.cells() <= max_cells;
                }
                if let &[one, other] = set.attributes()
                    && tree.cells_with_pair(domain, [one, other]) <= max_cells.min(limits::CELLS_PER_MODEL / 2)
                {
                    return true;
                }
            }
            searches = searches.saturating_sub(1);
            searches > 0 && cells_with(domain, &mut held, set) <= max_cells
        };
        candidates.considered(rng, fits)
    }

    /// Selects a table that the model explains badly, given its noise and its weight, and measures
    /// it.
    ///
    /// # Privacy
    /// That of [`RoundLearner::select_and_measure`].
    pub(super) fn select_and_measure<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        tables: Vec<Clique>,
        weight: impl Fn(&Clique) -> NonZeroU32,
        budget: Budget<A, M>,
    ) -> Result<(), MechanismError> {
        let budgets = budget.split(self.options.choice_share()?);
        let deviation = planned_deviation(vault, NonZeroUsize::MIN, &budgets.1);
        let expected = self.learned.expected(tables)?;
        let penalty =
            |place: usize| self.options.noise_penalty * noise_of(expected[place].1.iter().copied(), deviation);
        let candidate = |place: usize, error: Candidate<L1Error>| {
            error.with_weight(weight(&expected[place].0)).with_penalty(penalty(place))
        };
        self.learned.select_and_measure(vault, budgets, &expected, candidate)?;
        Ok(())
    }

    /// Measures tables, with these parts of the budget.
    pub(super) fn measure_in_parts<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        tables: &[Clique],
        parts: &[u32],
        budget: Budget<A, M>,
    ) -> Result<(), MechanismError> {
        self.learned.add(measure_in_parts(vault, tables, parts, budget)?);
        Ok(())
    }

    /// Measures every column once more.
    pub(super) fn measure_columns_again<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
    ) -> Result<(), MechanismError> {
        self.learned.measure(vault, &self.versions.one_way(), budget)
    }

    /// Refits the model, well enough to select by.
    pub(super) fn fit_between_rounds(&mut self) -> Result<(), MechanismError> {
        self.learned.fit_between_rounds()
    }

    /// Fits the final model to all tables.
    pub(super) fn finish(&self) -> Result<TreeModel, MechanismError> {
        self.learned.finish()
    }

    /// Returns the final model of tables whose pairs are a tree.
    pub(super) fn finish_tree(&self) -> Result<TreeModel, MechanismError> {
        // Rules may relate further columns.
        match self.learned.forest()? {
            Some(model) => Ok(model),
            None => self.finish(),
        }
    }
}

/// Measures tables, with these parts of the budget.
pub(super) fn measure_in_parts<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    tables: &[Clique],
    parts: &[u32],
    budget: Budget<A, M>,
) -> Result<Vec<NoisyTable>, MechanismError> {
    let mut measured = Vec::with_capacity(tables.len());
    let Some((last, before)) = tables.split_last() else { return Ok(measured) };
    let mut budget = BudgetParts::new(budget, parts.iter().sum());
    for (table, &parts) in before.iter().zip(parts) {
        let (for_table, rest) = budget.take(parts);
        budget = rest;
        measured.extend(vault.measure(slice::from_ref(table), for_table)?.into_inner());
    }
    measured.extend(vault.measure(slice::from_ref(last), budget.rest())?.into_inner());
    Ok(measured)
}

/// Standard deviation of the noise of each of some tables that share a budget.
pub(super) fn planned_deviation<A: MethodAdjacency, M: Selecting>(
    vault: &Vault<A, M>,
    tables: NonZeroUsize,
    budget: &Budget<A, M>,
) -> f64 {
    let noise = vault.planned_noise(tables, budget.amount());
    // If there is no such noise, the vault refuses to measure.
    noise.and_then(|noise| noise.standard_deviation()).unwrap_or(1.0)
}

/// Expected L1 error that noise leaves in a table with these expected counts.
pub(super) fn noise_of(expected: impl IntoIterator<Item = f64>, deviation: f64) -> f64 {
    let noisy_cells: f64 = expected.into_iter().map(|count| (NOISE_OF_EMPTY_CELLS + count / deviation).min(1.0)).sum();
    noise_of_cells(noisy_cells, deviation)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_2_PI;

    use super::*;

    #[test]
    fn cells_that_are_empty_in_the_model_hardly_count_as_noise() {
        let full = noise_of([500.0, 500.0], 10.0);
        assert!((full - 2.0 * 10.0 * FRAC_2_PI.sqrt()).abs() < 1e-12);
        let sparse = noise_of([500.0, 500.0, 0.0, 0.0], 10.0);
        assert!((sparse / full - 1.02).abs() < 1e-12);
    }
}
