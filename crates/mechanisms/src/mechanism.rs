//! The shape that every method has.

use scumble_pgm::StructuralZeros;
use scumble_schema::{Domain, Hierarchies, Recoding, Schema};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, ApproxDp, Budget, Delta, Event, Selecting, Vault};

use crate::error::MechanismError;
use crate::fitted::Fitted;
use crate::merging::{Merging, merged_after};
use crate::outline::{ErrorRange, Outline};
use crate::terms::{MethodAccounting, MethodAdjacency};

/// A method of fitting: what its options decide, how it fits, and what a fit will ask.
///
/// Options are plain numbers and names; `Method` lists the types that implement this.
pub(crate) trait Mechanism {
    /// What the method does and who published it, in one or two sentences for readers of a report.
    fn description(&self) -> &'static str;

    /// The accountings that the method runs under.
    fn accountings(&self) -> &'static [AccountingKind];

    /// The accounting that reaches `goal`: pure for a delta of 0 if the method can, otherwise the last one that it runs under.
    fn accounting(&self, goal: ApproxDp) -> AccountingKind {
        let accountings = self.accountings();
        if goal.delta == Delta::ZERO && accountings.contains(&AccountingKind::Pure) {
            return AccountingKind::Pure;
        }
        *accountings.last().expect("a method runs under some accounting")
    }

    /// Whether the method asks for all its counts at once. If not, the engine keeps the rows as codes.
    fn asks_once(&self) -> bool {
        false
    }

    /// Whether rows of the model keep the rules of a schema. Rules are structural zeros of a graphical model.
    fn keeps_rules(&self) -> bool {
        false
    }

    /// The columns that a fit may ask about: those of `base`, and coarser ones by `declared` hierarchies where the method uses them.
    ///
    /// # Errors
    /// If an option is out of its range, or there are too many columns.
    fn recoding(&self, base: &Domain, declared: &Hierarchies) -> Result<Recoding, MechanismError>;

    /// Which values a fit merges once every column is measured; `None` if none.
    fn merges(&self) -> Option<Merging> {
        None
    }

    /// The columns of the model of a fit with these releases, for whoever reads them in a file.
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

    /// Errors that were measured on the benchmark tables, relative to the noise that a plan has for them: for tables over one column, two,
    /// and so on.
    fn measured_errors(&self) -> [ErrorRange; 5] {
        [ErrorRange::UNKNOWN; 5]
    }

    /// Replaces the names of columns in the options by their places in a schema.
    ///
    /// # Errors
    /// If the schema has no column of a name.
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

/// What a schema says about the model of a method, computed once per fit.
#[derive(Debug)]
pub(crate) struct ModelTerms {
    /// The columns that a fit may ask about.
    pub(crate) recoding: Recoding,
    /// The combinations of values that rules forbid.
    pub(crate) rules: Vec<StructuralZeros>,
}
