//! A model that grows with every round.

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
use crate::model_fitter::ModelFitter;
use crate::noisy::generator;
use crate::round_learner::{RoundLearner, noise_of_cells};
use crate::terms::MethodAdjacency;
use crate::union_find::UnionFind;
use crate::versions::Versions;

/// When a fit ends that the next choice is made by. More passes make no better choices.
const BETWEEN_ROUNDS: Stop = Stop { at_noise: None, settled: 0.1, passes: 200 };
/// The noise that counts in a cell that the model believes to be empty, as a part of that in others: an estimate that cannot be negative
/// loses most of it.
const NOISE_OF_EMPTY_CELLS: f64 = 0.02;

/// The tables measured so far, and the model of them.
#[derive(Debug)]
pub(super) struct Learner<'a> {
    versions: &'a Versions<'a>,
    options: &'a Options,
    learned: RoundLearner<'a>,
    /// Cells of a model of columns that are only linked to their coarser versions, which no choice can avoid.
    linked_cells: u128,
    /// How many tables of single columns there are.
    first_tables: usize,
    /// Whether the first tables of several columns are the pairs of a tree.
    tree_first: bool,
}

impl<'a> Learner<'a> {
    /// With the tables of all columns.
    pub(super) fn begin(
        versions: &'a Versions<'a>,
        options: &'a Options,
        public_rows: Option<f64>,
        tables: Vec<NoisyTable>,
    ) -> Result<Self, MechanismError> {
        let fitter = ModelFitter::new(versions.domain(), versions.links(), options.spread, public_rows);
        let (linked_cells, first_tables) = (versions.linked_cells(), tables.len());
        let learned = RoundLearner::begin(fitter, BETWEEN_ROUNDS, tables)?;
        Ok(Self { versions, options, learned, linked_cells, first_tables, tree_first: false })
    }

    /// The number of rows, as far as released values tell it.
    pub(super) fn rows(&self) -> f64 {
        self.learned.model().total()
    }

    /// Begins with a tree of pairs if a model of so many cells cannot afford more than that: if cliques of three columns of middling size, one
    /// for every column, are too large. Then a pair that closes a circle would seldom fit, and what joins two columns first is
    /// what they are left with. So it should be the strongest relation, not the one with the least noise. That is if the noise of a
    /// round's table leaves anything of such a relation; `deviation` is that of a table that gets the whole budget.
    pub(super) fn plan_for(&mut self, schedule: &Schedule, deviation: f64) {
        let domain = self.versions.domain();
        let sizes: Vec<u32> =
            (0..self.versions.columns()).map(|column| domain.size(self.versions.ends_of(column).1)).collect();
        self.tree_first = begins_with_a_tree(&sizes, schedule, deviation, self.rows());
    }

    /// A source of random choices that are no noise.
    pub(super) fn generator(&self) -> ChaCha8Rng {
        generator(self.learned.tables())
    }

    /// Candidates that are not measured yet and leave the model within so many cells, besides those that no choice can avoid.
    pub(super) fn fitting(&mut self, candidates: &Candidates, cells: f64, rng: &mut impl Rng) -> Vec<Clique> {
        let domain = self.versions.domain();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let most = (self.linked_cells + cells as u128).min(limits::CELLS_PER_MODEL);
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
                return tree.cells() <= most;
            }
            held.push((*set).clone());
            let cells = JunctionTree::predicted_cells(domain, &held);
            held.pop();
            cells <= most
        };
        let considered = candidates.considered(rng, fits);
        if considered.is_empty() && self.grows_a_tree() {
            // What is still apart is too large to be joined.
            self.tree_first = false;
            return self.fitting(candidates, cells, rng);
        }
        considered
    }

    /// Chooses a table that the model explains badly, for the noise it will have, and measures it.
    ///
    /// # Privacy
    /// That of [`RoundLearner::choose_and_measure`].
    pub(super) fn choose_and_measure<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        tables: Vec<Clique>,
        budget: Budget<A, M>,
    ) -> Result<(), MechanismError> {
        let budgets = budget.split(self.options.choice_share()?);
        let noise = vault.planned_noise(NonZeroUsize::MIN, budgets.1.amount());
        // Without a noise to plan with, the vault will refuse to measure.
        let deviation = noise.and_then(|noise| noise.standard_deviation()).unwrap_or(1.0);
        let expected = self.learned.expected(tables)?;
        let (grows_a_tree, rows, weight) = (self.grows_a_tree(), self.rows(), self.options.noise_penalty);
        let penalty = |expected: &[f64]| {
            let noise = noise_of(expected, deviation);
            if grows_a_tree && noise < rows { 0.0 } else { weight * noise }
        };
        let candidate = |place: usize, error: Candidate<L1Error>| error.less(penalty(&expected[place].1));
        self.learned.choose_and_measure(vault, budgets, &expected, candidate)?;
        Ok(())
    }

    /// Whether tables join columns into a tree for now, and nothing else.
    fn grows_a_tree(&self) -> bool {
        self.tree_first && self.learned.tables().len() < self.first_tables + self.versions.columns() - 1
    }

    /// The columns that measured tables connect, directly or through others.
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

    /// Whether a table is one of two columns that are not related yet.
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

    /// A model that is good enough to choose by.
    pub(super) fn fit_between_rounds(&mut self) -> Result<(), MechanismError> {
        self.learned.fit_between_rounds()
    }

    /// The model of all tables.
    pub(super) fn finish(self) -> Result<TreeModel, MechanismError> {
        self.learned.finish()
    }
}

/// Whether a tree of pairs comes first, for columns of these sizes: see [`Learner::plan_for`].
pub(super) fn begins_with_a_tree(sizes: &[u32], schedule: &Schedule, deviation: f64, rows: f64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "a thousand columns at most")]
    let columns = sizes.len() as f64;
    let middling = (sizes.iter().map(|&size| f64::from(size).ln()).sum::<f64>() / columns).exp();
    let noise = noise_of_cells(middling.powi(2), schedule.noise_of_round(deviation));
    columns * middling.powi(3) > schedule.cells && noise < rows
}

/// The L1 error that noise of this standard deviation is expected to leave in a table with these expected counts.
fn noise_of(expected: &[f64], deviation: f64) -> f64 {
    let noisy_cells: f64 = expected.iter().map(|count| (NOISE_OF_EMPTY_CELLS + count / deviation).min(1.0)).sum();
    noise_of_cells(noisy_cells, deviation)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_2_PI;

    use super::*;

    #[test]
    fn cells_that_are_believed_to_be_empty_hardly_count_as_noise() {
        let full = noise_of(&[500.0, 500.0], 10.0);
        assert!((full - 2.0 * 10.0 * FRAC_2_PI.sqrt()).abs() < 1e-12);
        let sparse = noise_of(&[500.0, 500.0, 0.0, 0.0], 10.0);
        assert!((sparse / full - 1.02).abs() < 1e-12);
    }
}
