//! The rounds of `auto`.

use std::num::NonZeroUsize;

use chacha20::ChaCha8Rng;
use rand::Rng;
use scumble_pgm::{JunctionTree, Stop, StructuralZeros, TreeModel};
use scumble_schema::{Clique, limits};
use scumble_vault::score::{Candidate, L1Error};
use scumble_vault::{Budget, NoisyTable, Selecting, Vault};

use super::candidates::Candidates;
use super::options::Options;
use super::schedule::Schedule;
use crate::error::MechanismError;
use crate::learning::column_levels::ColumnLevels;
use crate::learning::model_fitter::ModelFitter;
use crate::learning::noisy::generator;
use crate::learning::round_learner::{RoundLearner, noise_of_cells};
use crate::learning::rules::cells_with;
use crate::learning::union_find::UnionFind;
use crate::mechanism::terms::MethodAdjacency;

/// Stopping rule of the fits between rounds. More passes do not improve selections.
const BETWEEN_ROUNDS: Stop = Stop { at_noise: None, settled: 0.1, passes: 200 };
/// Noise counted for a cell that is empty in the model, relative to other cells: an estimate that
/// cannot be negative loses most of it.
const NOISE_OF_EMPTY_CELLS: f64 = 0.02;

/// The tables measured so far, and the model fitted to them.
#[derive(Debug)]
pub(super) struct Learner<'a> {
    versions: &'a ColumnLevels<'a>,
    options: &'a Options,
    learned: RoundLearner<'a>,
    /// Number of cells of a model of nothing but links and rules, which no selection can avoid.
    linked_cells: u128,
    /// Number of tables of single columns.
    first_tables: usize,
    /// Whether the first tables of several columns are the pairs of a tree.
    tree_first: bool,
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
        let (linked_cells, first_tables) = (versions.linked_cells(), tables.len());
        let learned = RoundLearner::begin(fitter, BETWEEN_ROUNDS, tables)?;
        Ok(Self { versions, options, learned, linked_cells, first_tables, tree_first: false })
    }

    /// Number of rows: public, or estimated from released values.
    pub(super) fn rows(&self) -> f64 {
        self.learned.model().total()
    }

    /// Decides whether the first rounds build a tree of pairs.
    ///
    /// They do if cliques of three columns of average size, one for every column, exceed the cells
    /// of the model. Then a pair that closes a cycle seldom fits, and the first table that joins
    /// two columns is often the only one. So it should be the strongest relation, not the one with
    /// the least noise. The noise of a round's table must also be small enough to leave such a
    /// relation visible; `deviation` is that of a table that gets the whole budget.
    pub(super) fn plan_for(&mut self, schedule: &Schedule, deviation: f64) {
        let domain = self.versions.domain();
        let sizes: Vec<u32> =
            (0..self.versions.columns()).map(|column| domain.size(self.versions.ends_of(column).1)).collect();
        self.tree_first = begins_with_a_tree(&sizes, schedule, deviation, self.rows());
    }

    /// Returns a random generator for draws that are not noise.
    pub(super) fn generator(&self) -> ChaCha8Rng {
        generator(self.learned.tables())
    }

    /// Returns candidates that are not measured yet and leave the model within `cells` cells,
    /// beyond those that no selection can avoid.
    pub(super) fn fitting(&mut self, candidates: &Candidates, cells: f64, rng: &mut impl Rng) -> Vec<Clique> {
        let domain = self.versions.domain();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let max_cells = (self.linked_cells + cells as u128).min(limits::CELLS_PER_MODEL);
        let links = self.versions.links().iter().map(StructuralZeros::clique);
        let mut held: Vec<Clique> =
            self.learned.tables().iter().map(NoisyTable::clique).chain(links).cloned().collect();
        let tree = JunctionTree::new(domain, &held, u128::MAX).ok();
        let related = self.grows_a_tree().then(|| self.related_columns());
        let fits = |set: &&Clique| {
            if related.as_ref().is_some_and(|related| !self.joins(related, set)) {
                return false;
            }
            if self.learned.tables().iter().any(|table| table.clique() == *set) {
                return false;
            }
            if let Some(tree) = tree.as_ref().filter(|tree| tree.home(set).is_some()) {
                return tree.cells() <= max_cells;
            }
            cells_with(domain, &mut held, set) <= max_cells
        };
        let considered = candidates.considered(rng, fits);
        if considered.is_empty() && self.grows_a_tree() {
            // The remaining components are too large to be joined.
            self.tree_first = false;
            return self.fitting(candidates, cells, rng);
        }
        considered
    }

    /// Selects a table that the model explains badly, given its noise, and measures it.
    ///
    /// # Privacy
    /// That of [`RoundLearner::select_and_measure`].
    pub(super) fn select_and_measure<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        tables: Vec<Clique>,
        budget: Budget<A, M>,
    ) -> Result<(), MechanismError> {
        let budgets = budget.split(self.options.choice_share()?);
        let noise = vault.planned_noise(NonZeroUsize::MIN, budgets.1.amount());
        // If there is no such noise, the vault refuses to measure.
        let deviation = noise.and_then(|noise| noise.standard_deviation()).unwrap_or(1.0);
        let expected = self.learned.expected(tables)?;
        let (grows_a_tree, rows, weight) = (self.grows_a_tree(), self.rows(), self.options.noise_penalty);
        let penalty = |expected: &[f64]| {
            let noise = noise_of(expected, deviation);
            if grows_a_tree && noise < rows { 0.0 } else { weight * noise }
        };
        let candidate = |place: usize, error: Candidate<L1Error>| error.with_penalty(penalty(&expected[place].1));
        self.learned.select_and_measure(vault, budgets, &expected, candidate)?;
        Ok(())
    }

    /// Returns whether the next table has to join two components of the tree.
    fn grows_a_tree(&self) -> bool {
        self.tree_first && self.learned.tables().len() < self.first_tables + self.versions.columns() - 1
    }

    /// Returns the components of columns that measured tables connect.
    fn related_columns(&self) -> UnionFind {
        let mut related = UnionFind::new(self.versions.domain().len());
        for table in self.learned.tables() {
            for pair in table.clique().attributes().windows(2) {
                let [one, other] = [pair[0], pair[1]].map(|version| self.versions.finest_of(version).index());
                related.connect(one, other);
            }
        }
        related
    }

    /// Returns whether a table has two columns, of different components.
    fn joins(&self, related: &UnionFind, table: &Clique) -> bool {
        let of = |version| self.versions.finest_of(version).index();
        matches!(table.attributes(), &[one, other] if !related.connected(of(one), of(other)))
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
    pub(super) fn finish(self) -> Result<TreeModel, MechanismError> {
        self.learned.finish()
    }
}

/// Returns whether the first rounds build a tree of pairs, for columns of these sizes: see
/// [`Learner::plan_for`].
pub(super) fn begins_with_a_tree(sizes: &[u32], schedule: &Schedule, deviation: f64, rows: f64) -> bool {
    let columns = sizes.len() as f64;
    let average = (sizes.iter().map(|&size| f64::from(size).ln()).sum::<f64>() / columns).exp();
    let noise = noise_of_cells(average.powi(2), schedule.noise_of_round(deviation));
    columns * average.powi(3) > schedule.cells && noise < rows
}

/// Expected L1 error that noise leaves in a table with these expected counts.
fn noise_of(expected: &[f64], deviation: f64) -> f64 {
    let noisy_cells: f64 = expected.iter().map(|count| (NOISE_OF_EMPTY_CELLS + count / deviation).min(1.0)).sum();
    noise_of_cells(noisy_cells, deviation)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_2_PI;

    use super::*;

    #[test]
    fn cells_that_are_empty_in_the_model_hardly_count_as_noise() {
        let full = noise_of(&[500.0, 500.0], 10.0);
        assert!((full - 2.0 * 10.0 * FRAC_2_PI.sqrt()).abs() < 1e-12);
        let sparse = noise_of(&[500.0, 500.0, 0.0, 0.0], 10.0);
        assert!((sparse / full - 1.02).abs() < 1e-12);
    }
}
