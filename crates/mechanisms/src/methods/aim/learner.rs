//! The rounds of AIM.

use std::num::{NonZeroU32, NonZeroUsize};
use std::slice;

use scumble_pgm::{JunctionTree, Stop, StructuralZeros, TreeModel};
use scumble_schema::{AdjacencyKind, Clique, Domain, limits};
use scumble_vault::account::SelectionEpsilon;
use scumble_vault::score::{Candidate, L1Error};
use scumble_vault::{Budget, Selecting, Vault};

use super::bounds::{self, Round};
use super::options::Options;
use super::schedule;
use super::workload::WeightedTables;
use crate::error::MechanismError;
use crate::learning::expected::expected_counts;
use crate::learning::merging::non_constant_tables;
use crate::learning::model_fitter::{ModelFitter, public_rows};
use crate::learning::noisy::{counts, generator};
use crate::learning::round_learner::{RoundLearner, noise_of_cells};
use crate::learning::rules;
use crate::mechanism::terms::MethodAdjacency;
use crate::model::table_bound::{Basis, TableBound};

/// Stopping rule of the fits between rounds.
const BETWEEN_ROUNDS: Stop = Stop { at_noise: None, settled: 0.1, passes: 50 };

/// How much a round improved the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gain {
    /// Its table moved the model by more than its noise alone would.
    AboveNoise,
    /// It did not, or no candidate was left: later rounds get less noise.
    BelowNoise,
}

/// A table that may be selected.
#[derive(Debug)]
struct CandidateTable {
    table: Clique,
    weight: NonZeroU32,
    cells: f64,
    /// Number of cells of the model if the table is added to it.
    model_cells: u128,
    /// The last round in which it was a candidate, and its expected counts under the model before
    /// it.
    asked: Option<(usize, Vec<f64>)>,
}

/// The tables measured so far, and the model fitted to them.
#[derive(Debug)]
pub(super) struct Learner<'a> {
    domain: &'a Domain,
    options: &'a Options,
    learned: RoundLearner<'a>,
    /// A table for each column.
    one_way: Vec<Clique>,
    candidates: Vec<CandidateTable>,
    /// The maximal sets among the measured tables and the columns of rules.
    largest: Vec<Clique>,
    /// Number of cells of the tree of these.
    cells: u128,
    /// Number of cells of the tree of rules alone, which no selection can avoid.
    ruled_cells: u128,
    rounds: Vec<Round>,
}

impl<'a> Learner<'a> {
    /// Measures every column.
    pub(super) fn begin<A: MethodAdjacency, M: Selecting>(
        vault: &mut Vault<A, M>,
        domain: &'a Domain,
        rules: &'a [StructuralZeros],
        workload: &WeightedTables,
        options: &'a Options,
        budget: Budget<A, M>,
    ) -> Result<Self, MechanismError> {
        let fitter = ModelFitter::new(domain, rules, options.spread, public_rows(vault)?);
        let one_way = non_constant_tables(domain);
        let tables = vault.measure(&one_way, budget)?.into_inner();
        let drawn = workload.candidates(options.candidates as usize, &mut generator(&tables));
        let candidate = |table: Clique| {
            let cells = domain.cells(&table) as f64;
            CandidateTable { weight: workload.weight(&table), cells, model_cells: 0, asked: None, table }
        };
        let candidates = drawn.into_iter().map(candidate).collect();
        let mut learner = Self {
            domain,
            options,
            learned: RoundLearner::begin(fitter, BETWEEN_ROUNDS, tables)?,
            largest: one_way.iter().cloned().chain(rules::cliques(rules)).collect(),
            ruled_cells: rules::tree_cells(domain, &rules::cliques(rules)),
            one_way,
            candidates,
            cells: 0,
            rounds: Vec::new(),
        };
        learner.predict_sizes();
        Ok(learner)
    }

    /// Runs one round: selects a table, measures it, and refits the model. `spent` is the share of
    /// the budget that is spent after it.
    ///
    /// # Privacy
    /// That of [`Self::select_and_measure`].
    pub(super) fn round<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        spent: f64,
        budget: Budget<A, M>,
    ) -> Result<Gain, MechanismError> {
        let measured = self.select_and_measure(vault, spent, budget)?;
        self.learned.fit_between_rounds()?;
        let Some(Measured { table, expected, noise }) = measured else { return Ok(Gain::BelowNoise) };
        let fitted = &expected_counts(self.learned.model(), slice::from_ref(&table))?[0];
        Ok(if distance(fitted, &expected) <= noise { Gain::BelowNoise } else { Gain::AboveNoise })
    }

    /// Runs the last round, which spends all that is left, and fits the final model.
    ///
    /// # Privacy
    /// That of [`Self::select_and_measure`].
    pub(super) fn last_round<A: MethodAdjacency, M: Selecting>(
        mut self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
    ) -> Result<(TreeModel, Vec<TableBound>), MechanismError> {
        self.select_and_measure(vault, 1.0, budget)?;
        let model = self.learned.finish()?;
        let bounds = self.bounds(&model)?;
        Ok((model, bounds))
    }

    /// Bounds the errors of the final model, for candidates that are marginals of a measured table
    /// or were compared with a model.
    fn bounds(&self, model: &TreeModel) -> Result<Vec<TableBound>, MechanismError> {
        let mut candidates: Vec<&CandidateTable> = self.candidates.iter().collect();
        candidates.sort_by(|left, right| left.cells.total_cmp(&right.cells).then_with(|| left.table.cmp(&right.table)));
        candidates.truncate(TableBound::MAX_PER_MODEL);
        let tables: Vec<Clique> = candidates.iter().map(|candidate| candidate.table.clone()).collect();
        let mut bounds = Vec::with_capacity(candidates.len());
        for (candidate, fitted) in candidates.into_iter().zip(expected_counts(model, &tables)?) {
            let released = bounds::by_released(self.domain, &candidate.table, &fitted, self.learned.tables())?;
            bounds.extend(released.or_else(|| {
                let (round, expected) = candidate.asked.as_ref()?;
                let then = self.rounds[*round].bound(candidate.weight.get().into(), candidate.cells);
                Some(TableBound {
                    table: candidate.table.clone(),
                    rows: then + distance(&fitted, expected),
                    basis: Basis::NotChosen,
                })
            }));
        }
        Ok(bounds)
    }

    /// Selects a table that the model explains badly, given its weight and its noise, and measures
    /// it.
    ///
    /// # Privacy
    /// One selection (weighted L1 errors against a model of released values, less public
    /// penalties), one table; if no candidate is left, the tables of single columns instead.
    fn select_and_measure<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        spent: f64,
        budget: Budget<A, M>,
    ) -> Result<Option<Measured>, MechanismError> {
        let deviation = self.planned_deviation(vault, &budget)?;
        let fitting = self.fitting(deviation, spent);
        if fitting.is_empty() {
            self.learned.measure(vault, &self.one_way, budget)?;
            return Ok(None);
        }
        let budgets = budget.split(self.options.choice_share()?);
        let preference = vault.planned_epsilon(budgets.0.amount());
        let sets: Vec<Clique> = fitting.iter().map(|&place| self.candidates[place].table.clone()).collect();
        let expected = self.learned.expected(sets)?;
        let candidate = |place: usize, error: Candidate<L1Error>| {
            let CandidateTable { weight, cells, .. } = &self.candidates[fitting[place]];
            error.with_weight(*weight).with_penalty(noise_of_cells(*cells, deviation))
        };
        let heaviest = fitting.iter().map(|&place| self.candidates[place].weight).max().unwrap_or(NonZeroU32::MIN);
        let selected = self.learned.select_and_measure(vault, budgets, &expected, candidate)?;

        let CandidateTable { weight, cells, .. } = &self.candidates[fitting[selected]];
        let (table, before) = expected[selected].clone();
        let measured = Measured { table, expected: before, noise: noise_of_cells(*cells, deviation) };
        let released = self.learned.tables().last().map_or(0.0, |table| distance(&counts(table), &measured.expected));
        let per_row = f64::from(heaviest.get()) * f64::from(vault.max_contributions().get()) * rows_that_move::<A>();
        self.rounds.push(Round {
            deviation,
            blur: 2.0 * per_row / preference.map_or(f64::MIN_POSITIVE, SelectionEpsilon::to_f64),
            candidates: fitting.len() as f64,
            weight: weight.get().into(),
            cells: *cells,
            released_error: released,
        });
        for (place, (_, expected)) in fitting.into_iter().zip(expected) {
            self.candidates[place].asked = Some((self.rounds.len() - 1, expected));
        }
        self.grow(&measured.table);
        Ok(Some(measured))
    }

    /// Returns the standard deviation of the noise on the table of a round with this budget.
    fn planned_deviation<A: MethodAdjacency, M: Selecting>(
        &self,
        vault: &Vault<A, M>,
        budget: &Budget<A, M>,
    ) -> Result<f64, MechanismError> {
        let noise = vault.planned_noise(NonZeroUsize::MIN, schedule::for_table(budget.amount(), self.options)?);
        // If there is no such noise, the vault refuses to measure.
        Ok(noise.and_then(|noise| noise.standard_deviation()).unwrap_or(1.0))
    }

    /// Returns the candidates that leave the model within its cells, or add none to it, and whose
    /// noise is below the largest possible error of a model: all rows in wrong cells.
    fn fitting(&self, deviation: f64, spent: f64) -> Vec<usize> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let max_cells = (self.ruled_cells + (f64::from(self.options.model_cells) * spent) as u128).max(self.cells);
        let max_cells = max_cells.min(limits::CELLS_PER_MODEL);
        let max_error = 2.0 * self.learned.model().total();
        let fits = |candidate: &CandidateTable| {
            candidate.model_cells <= max_cells && noise_of_cells(candidate.cells, deviation) < max_error
        };
        (0..self.candidates.len()).filter(|&place| fits(&self.candidates[place])).collect()
    }

    /// Adds a table to those that the tree has to contain.
    fn grow(&mut self, table: &Clique) {
        if !self.largest.iter().any(|larger| larger.holds(table)) {
            self.largest.retain(|smaller| !table.holds(smaller));
            self.largest.push(table.clone());
            self.predict_sizes();
        }
    }

    /// Predicts the number of cells of the tree, and of the tree with each candidate.
    fn predict_sizes(&mut self) {
        self.cells = JunctionTree::predicted_cells(self.domain, &self.largest);
        let tree = JunctionTree::new(self.domain, &self.largest, u128::MAX).ok();
        let mut held = self.largest.clone();
        for candidate in &mut self.candidates {
            let is_held = tree.as_ref().is_some_and(|tree| tree.home(&candidate.table).is_some());
            candidate.model_cells =
                if is_held { self.cells } else { rules::cells_with(self.domain, &mut held, &candidate.table) };
        }
    }
}

/// A table that was selected and measured.
#[derive(Debug)]
struct Measured {
    table: Clique,
    /// Its expected counts under the model before.
    expected: Vec<f64>,
    /// Expected L1 norm of its noise.
    noise: f64,
}

/// L1 sensitivity of a table to one row: a replaced row leaves one cell and enters another.
fn rows_that_move<A: MethodAdjacency>() -> f64 {
    match A::KIND {
        AdjacencyKind::AddRemove => 1.0,
        AdjacencyKind::ReplaceOne => 2.0,
    }
}

fn distance(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| (left - right).abs()).sum()
}
