#![doc = include_str!("aim.md")]

mod bounds;
mod learner;
mod options;
mod outline;
mod schedule;
mod workload;

use scumble_schema::{Domain, Hierarchies, Recoding, Schema};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, ApproxDp, Budget, Selecting, Vault};

use self::learner::{Gain, Learner};
pub use self::options::Options;
use self::schedule::PARTS_OF_A_ROUND;
use self::workload::WeightedTables;
use crate::error::MechanismError;
use crate::learning::merging::non_constant_columns;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::model::fitted::Fitted;
use crate::planning::outline::{ErrorRange, Outline};

/// Factor by which the budget of a round grows after one below noise: twice the epsilon of its
/// selection, half the noise of its table.
const ANNEALING: u32 = 4;

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "Every column is measured, then tables are selected round by round for a workload; a Markov random field is fitted to all \
         measured tables: McKenna, Mullins, Sheldon and Miklau, 2022."
    }

    fn accountings(&self) -> &'static [AccountingKind] {
        &[AccountingKind::Gdp, AccountingKind::Zcdp]
    }

    fn accounting(&self, _: ApproxDp) -> AccountingKind {
        self.accounting.into()
    }

    fn keeps_rules(&self) -> bool {
        true
    }

    fn recoding(&self, base: &Domain, _: &Hierarchies) -> Result<Recoding, MechanismError> {
        self.check_columns(base)?;
        Ok(Recoding::identity(base))
    }

    fn measured_errors(&self) -> [ErrorRange; 5] {
        use ErrorRange::Times;
        [Times(1.0, 2.6), Times(1.3, 2.9), Times(1.4, 3.7), Times(1.2, 5.0), Times(1.4, 7.0)]
    }

    fn of_schema(&self, schema: &Schema) -> Result<Self, MechanismError> {
        Ok(Self { workload: self.workload.by_place(schema)?, ..self.clone() })
    }

    /// Measures every column, then, round by round, a table that the model so far explains badly,
    /// given its weight in the workload and its noise, until the budget is spent. The model gives
    /// no probability to combinations that rules forbid.
    ///
    /// # Privacy
    /// One table per column; then for each round one selection by the exponential mechanism among
    /// weighted L1 errors against a model of released values, less public penalties (Δ the largest
    /// weight under add/remove, twice that under replace-one), and the selected table (Δ₂ 1; √2
    /// under replace-one). How much a round spends follows from released values. The rest is
    /// post-processing.
    ///
    /// # Reference
    /// McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, Algorithms 1 to 3.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        ModelTerms { recoding, rules }: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        let domain = recoding.domain();
        let columns = non_constant_columns(domain).len();
        if columns == 0 {
            return crate::methods::independent::fit(vault, budget, domain);
        }
        let workload = WeightedTables::new(domain, self)?;
        let (for_columns, mut budget) = schedule::divide(budget, columns, self)?;
        let whole_parts = schedule::parts(columns, self);
        let mut learner = Learner::begin(vault, domain, rules, &workload, self, for_columns)?;
        let mut of_round = PARTS_OF_A_ROUND;
        while budget.parts() > 2 * of_round {
            let (for_round, rest) = budget.take(of_round);
            budget = rest;
            let spent = 1.0 - f64::from(budget.parts()) / f64::from(whole_parts);
            match learner.round(vault, spent, for_round)? {
                Gain::AboveNoise => {}
                Gain::BelowNoise => of_round = of_round.saturating_mul(ANNEALING),
            }
        }
        let (model, bounds) = learner.last_round(vault, budget.rest())?;
        Ok(Fitted { bounds, ..Fitted::of_tree(model) })
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        outline::outline(outline, recoding.domain(), self, amount)
    }
}
