#![doc = include_str!("auto.md")]

mod candidates;
mod learner;
mod options;
mod outline;
pub(crate) mod parities;
mod row_rounds;
mod schedule;
mod tree;
mod workload;

use std::num::{NonZeroU32, NonZeroUsize};

use scumble_schema::{AttributeId, Clique, Domain, Hierarchies, Recoding, Schema};
use scumble_vault::account::Amount;
use scumble_vault::{Budget, Selecting, Vault};

use self::candidates::Candidates;
use self::learner::Learner;
pub use self::options::{Effort, Options};
use self::schedule::{Division, Schedule};
use self::workload::Workload;
use crate::error::MechanismError;
use crate::learning::column_levels::ColumnLevels;
use crate::learning::merging::{Merging, merged, non_constant_tables, with_levels};
use crate::learning::model_fitter::public_rows;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::model::fitted::Fitted;
use crate::planning::outline::{ErrorRange, Outline};

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "Every column is measured, then tables are selected round by round by the errors of the model so far and their noise; a Markov \
         random field is fitted to all measured tables."
    }

    fn keeps_rules(&self) -> bool {
        true
    }

    fn recoding(&self, base: &Domain, declared: &Hierarchies) -> Result<Recoding, MechanismError> {
        self.check_columns(base)?;
        with_levels(base, declared)
    }

    fn merges(&self) -> Option<Merging> {
        Some(self.merging())
    }

    fn measured_errors(&self) -> [ErrorRange; 5] {
        use ErrorRange::Times;
        [Times(0.8, 2.3), Times(0.6, 1.5), Times(0.5, 1.3), Times(0.5, 1.5), Times(0.5, 1.7)]
    }

    fn of_schema(&self, schema: &Schema) -> Result<Self, MechanismError> {
        Ok(Self { workload: self.workload.by_place(schema)?, ..self.clone() })
    }

    /// Measures every column, then, round by round, a table that the model so far explains badly
    /// for its size, and fits the most likely Markov random field. It gives no probability to
    /// combinations that rules forbid.
    ///
    /// # Privacy
    /// One table per column; then for each round one selection by the exponential mechanism among
    /// L1 errors against a model of released values (Δ 1 under add/remove, 2 under replace-one),
    /// and the selected table (Δ₂ 1; √2 under replace-one). Rounds of a workload weigh the errors
    /// (Δ the largest weight, or twice that); its last tables are not selected. All decisions in
    /// between, and all that follows, read released values, the schema and options.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        ModelTerms { recoding, rules }: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        // Levels and merged values become columns once every column is measured.
        let base = recoding.base();
        let one_way = non_constant_tables(base);
        if one_way.len() < 2 && rules.is_empty() {
            return crate::methods::independent::fit(vault, budget, base);
        }
        if let Some(columns) = parities::columns(vault.domain()).filter(|_| self.parities && rules.is_empty()) {
            return parities::fit(vault, budget, &columns);
        }
        let whole_noise = vault.planned_noise(NonZeroUsize::MIN, budget.amount());
        let (for_columns, budget) = schedule::for_columns(budget, self)?;
        // A second pass may measure them again.
        vault.count_ahead(&one_way)?;
        let tables = vault.measure(&one_way, for_columns)?.into_inner();
        let merged = merged(recoding, self.merging(), &tables)?;
        vault.recode(merged.clone())?;
        let versions = ColumnLevels::new(&merged, rules)?;
        let mut learner = Learner::begin(&versions, self, public_rows(vault)?, tables)?;
        let deviation = whole_noise.and_then(|noise| noise.standard_deviation()).unwrap_or(f64::INFINITY);
        let division = Division::new(&learner.sizes(), learner.rows() / deviation, self);
        let (for_rows, for_columns, budget) = division.split(budget);
        let workload = learner.workload(base)?;
        let (for_last, budget) = workload.split(budget);
        if let Some(for_columns) = for_columns {
            learner.measure_columns_again(vault, for_columns)?;
            learner.fit_between_rounds()?;
        }
        if division.is_tree {
            tree::measure(&mut learner, vault, budget, &workload)?;
        } else {
            let has_levels = |column: AttributeId| recoding.levels().iter().any(|&(of, _)| of == column);
            let schedule = workload.in_rounds(division.schedule);
            rounds(&mut learner, vault, budget, &schedule, &workload, has_levels)?;
        }
        let max_target_cells = row_rounds::max_pair_cells(division.row_tables + workload.tables().len());
        let across = match for_last {
            Some(for_last) => {
                // Without any target, rows are moved towards all tables of three columns of the
                // model, which is worth more than a few targets.
                let max_cells = if for_rows.is_some() { max_target_cells } else { 0 };
                workload::measure_held(&workload, &mut learner, vault, for_last, max_cells)?
            }
            None => None,
        };
        let finish = |learner: &Learner| if division.is_tree { learner.finish_tree() } else { learner.finish() };
        let mut model = finish(&learner)?;
        let mut targets = match across {
            Some((for_last, across)) => workload::targets(vault, for_last, &model, across, self)?,
            None => Vec::new(),
        };
        if let Some(for_rows) = for_rows {
            let mut candidates = row_rounds::across(&learner.columns(), &model, max_target_cells);
            candidates.retain(|pair| !targets.iter().any(|target| target.clique().holds(pair)));
            if candidates.is_empty() {
                // The model holds every pair: the columns are measured once more.
                learner.measure_columns_again(vault, for_rows)?;
                model = finish(&learner)?;
            } else {
                let tables = division.row_tables;
                targets = row_rounds::run(vault, for_rows, &model, &versions, targets, candidates, tables, self)?;
            }
        }
        Ok(Fitted { targets, ..Fitted::of_tree(model) })
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        outline::outline(outline, recoding, self, amount)
    }
}

/// Selects and measures a table in every round, and refits the model.
fn rounds<A: MethodAdjacency, M: Selecting>(
    learner: &mut Learner,
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    schedule: &Schedule,
    workload: &Workload,
    has_levels: impl Fn(AttributeId) -> bool,
) -> Result<(), MechanismError> {
    let mut rng = learner.generator();
    let candidates = Candidates::draw(learner.versions(), learner.options(), has_levels, &mut rng);
    let weights = workload.candidates();
    let of_workload = Candidates::of_workload(learner.versions().domain(), weights.keys(), learner.options());
    // Most of them are asked about in some round.
    vault.count_ahead(of_workload.sets().iter().chain(candidates.sets()))?;
    let mut budget = schedule.divide(budget);
    for round in 0..schedule.rounds() {
        let cells = schedule.cells_after(round);
        let named =
            if schedule.is_of_workload(round) { learner.fitting(&of_workload, cells, &mut rng) } else { Vec::new() };
        // Weights count only among tables of the workload.
        let is_named = !named.is_empty();
        let weight = |table: &Clique| weights.get(table).filter(|_| is_named).copied().unwrap_or(NonZeroU32::MIN);
        let fitting = if is_named { named } else { learner.fitting(&candidates, cells, &mut rng) };
        if fitting.is_empty() {
            // No candidate fits: the rest of the budget measures the columns again.
            return learner.measure_columns_again(vault, budget.rest());
        }
        if round + 1 == schedule.rounds() {
            return learner.select_and_measure(vault, fitting, weight, budget.rest());
        }
        let (for_round, rest) = budget.take(schedule.parts_of(round));
        budget = rest;
        learner.select_and_measure(vault, fitting, weight, for_round)?;
        learner.fit_between_rounds()?;
    }
    Ok(())
}
