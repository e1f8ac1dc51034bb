#![doc = include_str!("auto.md")]

mod candidates;
mod learner;
mod options;
mod outline;
mod schedule;

use std::num::NonZeroUsize;

use scumble_schema::{AttributeId, Clique, Domain, Hierarchies, Recoding};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, Budget, Selecting, Vault};

use self::candidates::Candidates;
use self::learner::Learner;
pub use self::options::Options;
pub(crate) use self::outline::useful_cells;
use self::schedule::Schedule;
use crate::error::MechanismError;
use crate::fitted::{Distribution, Fitted};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::merging::{Merging, merged, non_constant_columns, with_levels};
use crate::model_fitter::public_rows;
use crate::noisy::whole;
use crate::outline::{ErrorRange, Outline};
use crate::terms::{MethodAccounting, MethodAdjacency};
use crate::versions::Versions;

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "Every column is measured, then tables are chosen round by round where the model so far is worst for the noise that they will \
         have; a Markov random field is fitted to all that were measured."
    }

    fn accountings(&self) -> &'static [AccountingKind] {
        &[AccountingKind::Gdp]
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

    /// Measures every column, then, round by round, a table that the model so far explains badly for its size, and fits the Markov
    /// random field that is likeliest. It gives no probability to what rules forbid.
    ///
    /// # Privacy
    /// One table per column; then for each round one selection by the exponential mechanism among L1 errors against a model of released
    /// values (Δ 1 under add/remove, 2 under replace-one), and the table that was selected (Δ₂ 1; √2 under replace-one). All that is
    /// decided in between, and all that follows, reads released values and the schema.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        ModelTerms { recoding, rules }: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        // Declared levels are asked about once it is known which values they are to take together.
        let base = recoding.base();
        let columns = non_constant_columns(base);
        if columns.len() < 2 && rules.is_empty() {
            return crate::independent::fit(vault, budget, base);
        }
        let whole_noise = vault.planned_noise(NonZeroUsize::MIN, budget.amount());
        let (for_columns, budget) = schedule::for_columns(budget, self)?;
        let one_way: Vec<Clique> = columns.into_iter().map(Clique::single).collect();
        let tables = vault.measure(&one_way, for_columns)?.into_inner();
        let merged = merged(recoding, self.merging(), &tables)?;
        vault.recode(merged.clone())?;
        let versions = Versions::new(&merged, rules)?;
        let mut learner = Learner::begin(&versions, self, public_rows(vault)?, tables)?;
        let deviation = whole_noise.and_then(|noise| noise.standard_deviation()).unwrap_or(f64::INFINITY);
        let schedule = Schedule::new(versions.columns(), learner.rows() / deviation, self);
        learner.plan_for(&schedule, deviation);
        let mut rng = learner.generator();
        let declared = recoding.levels();
        let has_levels = |column: AttributeId| declared.iter().any(|&(of, _)| of == column);
        let candidates = Candidates::draw(&versions, self, has_levels, &mut rng);

        let mut budget = schedule.divide(budget);
        for round in 0..schedule.rounds() {
            let fitting = learner.fitting(&candidates, schedule.cells_after(round), &mut rng);
            if fitting.is_empty() {
                // Nothing that is left to choose fits: what was meant for it makes the first tables better.
                learner.measure_columns_again(vault, budget.rest())?;
                break;
            }
            if round + 1 == schedule.rounds() {
                learner.choose_and_measure(vault, fitting, budget.rest())?;
                break;
            }
            let (for_round, rest) = budget.take(schedule.parts_of(round));
            budget = rest;
            learner.choose_and_measure(vault, fitting, for_round)?;
            learner.fit_between_rounds()?;
        }
        let model = learner.finish()?;
        let rows = whole(model.total());
        Ok(Fitted::new(Distribution::Tree(model), rows))
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
