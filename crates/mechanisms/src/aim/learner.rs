//! A model that grows with every round.

use std::num::{NonZeroU32, NonZeroUsize};
use std::slice;

use scumble_pgm::{JunctionTree, Stop, StructuralZeros, TreeModel};
use scumble_schema::{AdjacencyKind, Clique, Domain, limits};
use scumble_vault::account::Tilt;
use scumble_vault::score::{Candidate, L1Error};
use scumble_vault::{Budget, Selecting, Vault};

use super::bounds::{self, Round};
use super::options::Options;
use super::schedule;
use super::workload::Workload;
use crate::error::MechanismError;
use crate::expected::expected_counts;
use crate::merging::non_constant_columns;
use crate::model_fitter::{ModelFitter, public_rows};
use crate::noisy::{counts, generator};
use crate::round_learner::{RoundLearner, noise_of_cells};
use crate::rules;
use crate::table_bound::{Basis, TableBound};
use crate::terms::MethodAdjacency;

/// When a fit ends that the next choice is made by.
const BETWEEN_ROUNDS: Stop = Stop { at_noise: None, settled: 0.1, passes: 50 };

/// What a round was worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    /// Its table moved the model by more than its noise alone would.
    Enough,
    /// It did not, or there was none to choose: the next round is to have less noise.
    Little,
}

/// A table that may be chosen.
#[derive(Debug)]
struct Choice {
    table: Clique,
    weight: NonZeroU32,
    cells: f64,
    /// Cells of the model, were it measured too.
    model_cells: u128,
    /// The last round that it was a candidate of, and what the model before that expected of it.
    asked: Option<(usize, Vec<f64>)>,
}

/// The tables measured so far, and the model of them.
#[derive(Debug)]
pub(super) struct Learner<'a> {
    domain: &'a Domain,
    options: &'a Options,
    learned: RoundLearner<'a>,
    /// A table for each column.
    one_way: Vec<Clique>,
    choices: Vec<Choice>,
    /// The measured tables and the rules' columns that are part of no other.
    largest: Vec<Clique>,
    /// Cells of the tree of these.
    cells: u128,
    /// Cells of the tree of rules alone, which no choice can avoid.
    ruled_cells: u128,
    rounds: Vec<Round>,
}

impl<'a> Learner<'a> {
    /// Measures every column.
    pub(super) fn begin<A: MethodAdjacency, M: Selecting>(
        vault: &mut Vault<A, M>,
        domain: &'a Domain,
        rules: &'a [StructuralZeros],
        workload: &Workload,
        options: &'a Options,
        budget: Budget<A, M>,
    ) -> Result<Self, MechanismError> {
        let fitter = ModelFitter::new(domain, rules, options.spread, public_rows(vault)?);
        let one_way: Vec<Clique> = non_constant_columns(domain).into_iter().map(Clique::single).collect();
        let tables = vault.measure(&one_way, budget)?.into_inner();
        let drawn = workload.candidates(options.candidates as usize, &mut generator(&tables));
        let choice = |table: Clique| {
            #[expect(clippy::cast_precision_loss, reason = "some thousand cells")]
            let cells = domain.cells(&table) as f64;
            Choice { weight: workload.weight(&table), cells, model_cells: 0, asked: None, table }
        };
        let choices = drawn.into_iter().map(choice).collect();
        let mut learner = Self {
            domain,
            options,
            learned: RoundLearner::begin(fitter, BETWEEN_ROUNDS, tables)?,
            largest: one_way.iter().cloned().chain(rules::cliques(rules)).collect(),
            ruled_cells: rules::tree_cells(domain, &rules::cliques(rules)),
            one_way,
            choices,
            cells: 0,
            rounds: Vec::new(),
        };
        learner.size_up();
        Ok(learner)
    }

    /// One round: chooses a table, measures it, and fits the model again. `spent` is the share of the budget that is gone after it.
    ///
    /// # Privacy
    /// That of [`Self::choose_and_measure`].
    pub(super) fn round<A: MethodAdjacency, M: Selecting>(
        &mut self,
        vault: &mut Vault<A, M>,
        spent: f64,
        budget: Budget<A, M>,
    ) -> Result<Worth, MechanismError> {
        let measured = self.choose_and_measure(vault, spent, budget)?;
        self.learned.fit_between_rounds()?;
        let Some(Measured { table, expected, noise }) = measured else { return Ok(Worth::Little) };
        let fitted = &expected_counts(self.learned.model(), slice::from_ref(&table))?[0];
        Ok(if distance(fitted, &expected) <= noise { Worth::Little } else { Worth::Enough })
    }

    /// The round that spends all that is left, and the model of all tables.
    ///
    /// # Privacy
    /// That of [`Self::choose_and_measure`].
    pub(super) fn last_round<A: MethodAdjacency, M: Selecting>(
        mut self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
    ) -> Result<(TreeModel, Vec<TableBound>), MechanismError> {
        self.choose_and_measure(vault, 1.0, budget)?;
        let model = self.learned.finish()?;
        let bounds = self.bounds(&model)?;
        Ok((model, bounds))
    }

    /// How far tables of the last model may be off: those of the workload that are part of a measured one, or were candidates once.
    fn bounds(&self, model: &TreeModel) -> Result<Vec<TableBound>, MechanismError> {
        let mut choices: Vec<&Choice> = self.choices.iter().collect();
        choices.sort_by(|left, right| left.cells.total_cmp(&right.cells).then_with(|| left.table.cmp(&right.table)));
        choices.truncate(TableBound::MOST);
        let tables: Vec<Clique> = choices.iter().map(|choice| choice.table.clone()).collect();
        let mut bounds = Vec::with_capacity(choices.len());
        for (choice, fitted) in choices.into_iter().zip(expected_counts(model, &tables)?) {
            let released = bounds::by_released(self.domain, &choice.table, &fitted, self.learned.tables())?;
            bounds.extend(released.or_else(|| {
                let (round, expected) = choice.asked.as_ref()?;
                let then = self.rounds[*round].bound(choice.weight.get().into(), choice.cells);
                Some(TableBound {
                    table: choice.table.clone(),
                    rows: then + distance(&fitted, expected),
                    basis: Basis::NotChosen,
                })
            }));
        }
        Ok(bounds)
    }

    /// Chooses a table that the model explains badly, for what it matters and for the noise it will have, and measures it.
    ///
    /// # Privacy
    /// One selection (weighted L1 errors against a model of released values, less public penalties), one table; if no table is worth its
    /// noise, the tables of single columns instead.
    fn choose_and_measure<A: MethodAdjacency, M: Selecting>(
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
        let preference = vault.planned_preference(budgets.0.amount());
        let sets: Vec<Clique> = fitting.iter().map(|&place| self.choices[place].table.clone()).collect();
        let expected = self.learned.expected(sets)?;
        let candidate = |place: usize, error: Candidate<L1Error>| {
            let Choice { weight, cells, .. } = &self.choices[fitting[place]];
            error.weighing(*weight).less(noise_of_cells(*cells, deviation))
        };
        let heaviest = fitting.iter().map(|&place| self.choices[place].weight).max().unwrap_or(NonZeroU32::MIN);
        let chosen = self.learned.choose_and_measure(vault, budgets, &expected, candidate)?;

        let Choice { weight, cells, .. } = &self.choices[fitting[chosen]];
        let (table, before) = expected[chosen].clone();
        let measured = Measured { table, expected: before, noise: noise_of_cells(*cells, deviation) };
        let released = self.learned.tables().last().map_or(0.0, |table| distance(&counts(table), &measured.expected));
        let per_row = f64::from(heaviest.get()) * f64::from(vault.max_contributions().get()) * rows_that_move::<A>();
        #[expect(clippy::cast_precision_loss, reason = "a hundred thousand candidates at most")]
        self.rounds.push(Round {
            deviation,
            blur: 2.0 * per_row / preference.map_or(f64::MIN_POSITIVE, Tilt::to_f64),
            candidates: fitting.len() as f64,
            weight: weight.get().into(),
            cells: *cells,
            released_error: released,
        });
        for (place, (_, expected)) in fitting.into_iter().zip(expected) {
            self.choices[place].asked = Some((self.rounds.len() - 1, expected));
        }
        self.grow(&measured.table);
        Ok(Some(measured))
    }

    /// The standard deviation of the noise on the table of a round of this budget.
    fn planned_deviation<A: MethodAdjacency, M: Selecting>(
        &self,
        vault: &Vault<A, M>,
        budget: &Budget<A, M>,
    ) -> Result<f64, MechanismError> {
        let noise = vault.planned_noise(NonZeroUsize::MIN, schedule::for_table(budget.amount(), self.options)?);
        // Without a noise to plan with, the vault will refuse to measure.
        Ok(noise.and_then(|noise| noise.standard_deviation()).unwrap_or(1.0))
    }

    /// The candidates that leave the model within its cells, or add none to it, and whose noise is below any error that a model can have:
    /// all rows in other cells.
    fn fitting(&self, deviation: f64, spent: f64) -> Vec<usize> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let most = (self.ruled_cells + (f64::from(self.options.model_cells) * spent) as u128).max(self.cells);
        let most = most.min(limits::CELLS_PER_MODEL);
        let largest_error = 2.0 * self.learned.model().total();
        let fits =
            |choice: &Choice| choice.model_cells <= most && noise_of_cells(choice.cells, deviation) < largest_error;
        (0..self.choices.len()).filter(|&place| fits(&self.choices[place])).collect()
    }

    /// Adds a table to those that the tree has to hold.
    fn grow(&mut self, table: &Clique) {
        if !self.largest.iter().any(|larger| larger.holds(table)) {
            self.largest.retain(|smaller| !table.holds(smaller));
            self.largest.push(table.clone());
            self.size_up();
        }
    }

    /// How large the tree is, and how large it would be with each candidate.
    fn size_up(&mut self) {
        self.cells = JunctionTree::predicted_cells(self.domain, &self.largest);
        let tree = JunctionTree::new(self.domain, &self.largest, u128::MAX).ok();
        let mut held = self.largest.clone();
        for choice in &mut self.choices {
            let is_held = tree.as_ref().is_some_and(|tree| tree.home(&choice.table).is_some());
            choice.model_cells = if is_held {
                self.cells
            } else {
                held.push(choice.table.clone());
                let cells = JunctionTree::predicted_cells(self.domain, &held);
                held.pop();
                cells
            };
        }
    }
}

/// A table that was chosen and measured.
#[derive(Debug)]
struct Measured {
    table: Clique,
    /// What the model before expected of it.
    expected: Vec<f64>,
    /// The L1 error that its noise alone is expected to make.
    noise: f64,
}

/// How many rows of a table one row moves: the other one comes where it is replaced.
fn rows_that_move<A: MethodAdjacency>() -> f64 {
    match A::KIND {
        AdjacencyKind::AddRemove => 1.0,
        AdjacencyKind::ReplaceOne => 2.0,
    }
}

fn distance(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| (left - right).abs()).sum()
}
