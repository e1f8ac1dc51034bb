//! The trait that every method implements.

pub(crate) mod budget_parts;
pub(crate) mod fit;
pub(crate) mod method;
pub(crate) mod option;
pub(crate) mod terms;
pub(crate) mod workload;

use scumble_pgm::StructuralZeros;
use scumble_schema::{Domain, Hierarchies, Recoding, Schema};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, ApproxDp, Budget, Delta, Event, Selecting, Vault};

use crate::error::MechanismError;
use crate::learning::merging::{Merging, merged_after};
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::model::fitted::Fitted;
use crate::planning::outline::{ErrorRange, Outline};

/// A method of fitting, implemented by the type of its options.
///
/// `Method` lists all implementations.
pub(crate) trait Mechanism {
    /// Describes the method and its publication in one or two sentences, for readers of a report.
    fn description(&self) -> &'static str;

    /// Accountings that the method supports.
    fn accountings(&self) -> &'static [AccountingKind] {
        &[AccountingKind::Gdp]
    }

    /// Returns the accounting for `goal`: pure for a delta of 0 if supported, otherwise the last
    /// supported one.
    fn accounting(&self, goal: ApproxDp) -> AccountingKind {
        let accountings = self.accountings();
        if goal.delta == Delta::ZERO && accountings.contains(&AccountingKind::Pure) {
            return AccountingKind::Pure;
        }
        *accountings.last().expect("a method runs under some accounting")
    }

    /// Returns whether the method asks for all its counts at once. If not, the engine keeps the
    /// rows as codes.
    fn asks_once(&self) -> bool {
        false
    }

    /// Returns whether rows of the model keep the rules of a schema. Rules are structural zeros of
    /// a graphical model.
    fn keeps_rules(&self) -> bool {
        false
    }

    /// Checks the options, and returns the columns that a fit may ask about: those of `base`, and
    /// coarser ones by `declared` hierarchies where the method uses them.
    ///
    /// # Errors
    /// If an option is out of its range, or there are too many columns.
    fn recoding(&self, base: &Domain, _declared: &Hierarchies) -> Result<Recoding, MechanismError> {
        Ok(Recoding::identity(base))
    }

    /// Returns which values a fit merges once every column is measured; `None` if it merges none.
    fn merges(&self) -> Option<Merging> {
        None
    }

    /// Recomputes the columns of a fitted model from its releases, to read a model file.
    ///
    /// # Errors
    /// Those of [`Mechanism::recoding`], and if no fit makes such releases.
    fn recoding_after(
        &self,
        schema: &Schema,
        events: &[Event],
        released: &[Vec<i64>],
    ) -> Result<Recoding, MechanismError> {
        let recoding = self.recoding(schema.domain(), &schema.hierarchies())?;
        match self.merges() {
            Some(merging) => merged_after(&recoding, merging, events, released),
            None => Ok(recoding),
        }
    }

    /// Errors measured on the benchmark tables, relative to planned noise, for tables over one to
    /// five columns.
    fn measured_errors(&self) -> [ErrorRange; 5] {
        [ErrorRange::UNKNOWN; 5]
    }

    /// Replaces names of columns in the options by their positions in a schema.
    ///
    /// # Errors
    /// If an option names an unknown column.
    fn of_schema(&self, _schema: &Schema) -> Result<Self, MechanismError>
    where
        Self: Sized + Clone,
    {
        Ok(self.clone())
    }

    /// Spends `budget` on questions to the vault and builds a distribution from the answers.
    ///
    /// # Errors
    /// If an option does not fit the table, or the vault refuses.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        model: &ModelTerms,
    ) -> Result<Fitted, MechanismError>
    where
        Self: Sized;

    /// Outlines the releases and the work of a fit that spends `amount`.
    ///
    /// # Errors
    /// If a fit would be refused before it reads a row, with the same reason.
    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError>
    where
        Self: Sized;
}

/// Facts of a schema that a model depends on, computed once per fit.
#[derive(Debug)]
pub(crate) struct ModelTerms {
    /// The columns that a fit may ask about.
    pub(crate) recoding: Recoding,
    /// Combinations of values that rules forbid.
    pub(crate) rules: Vec<StructuralZeros>,
}
