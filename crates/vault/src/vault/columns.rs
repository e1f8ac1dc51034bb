//! Facts about columns that no schema declares: the only way to them.

use std::num::{NonZeroU32, NonZeroUsize};

use scumble_planted::Mutant;
use scumble_schema::{AttributeId, Clique};

use super::draw::Drawing;
use super::releases::Releases;
use super::value_sink::unpacked;
use super::{Exact, NoisyTable, Vault, count_tables, table_lengths};
use crate::account::{
    Accounting, Adjacency, Amount, ApproxDp, Budget, Certificate, Event, Gdp, Mechanism, Question, RowUnits,
    ThresholdDelta, Thresholding, Unit,
};
use crate::error::VaultError;
use crate::ledger::Job;
use crate::noise::JobKey;
use crate::released::Released;
use crate::source::{MarginalSource, ValueSource};

/// Releases facts about columns before they have codes: counts over public grids, and values that
/// enough rows share. Then it becomes the [`Vault`] of the same job.
///
/// # Privacy
/// As for [`Vault`]: all values that the two return are together `(epsilon, delta)`-differentially
/// private for the goal. Noise gets the `delta` that thresholds leave; the proof is at
/// [`Threshold`](crate::account::Threshold). All sources of a job must read the same rows and keep
/// at most `max_contributions` of each unit.
#[derive(Debug)]
pub struct ColumnVault<A: Adjacency, M: Accounting = Gdp> {
    releases: Releases<A, M>,
}

/// A public grid over one column: the cells are the codes of an attribute of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Name of the column.
    pub column: String,
    /// Name of the grid, which tells its cells.
    pub name: String,
    /// Attribute of the source whose codes are the cells.
    pub attribute: AttributeId,
}

/// The values of a column that enough rows share, as released by [`ColumnVault::release_values`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommonValues {
    values: Vec<(Vec<u8>, i64)>,
    mechanism: Mechanism,
}

impl CommonValues {
    /// Returns the values that passed, in the order of their bytes, each with its noisy number of
    /// rows.
    pub fn values(&self) -> &[(Vec<u8>, i64)] {
        &self.values
    }

    /// Returns the mechanism: its noise and its threshold.
    pub fn mechanism(&self) -> Mechanism {
        self.mechanism
    }
}

/// The root of a number of rows, for a planted bug.
fn root(rows: NonZeroU32) -> NonZeroU32 {
    NonZeroU32::new(rows.get().isqrt()).unwrap_or(rows)
}

impl<A: Adjacency, M: Accounting> ColumnVault<A, M> {
    /// Opens a vault and issues the budget for `goal`, of whose `delta` a part is set aside for
    /// thresholds.
    ///
    /// # Errors
    /// If the goal allows no release, or the operating system gives no randomness.
    pub fn open(
        goal: ApproxDp,
        for_thresholds: ThresholdDelta,
        max_contributions: NonZeroU32,
    ) -> Result<(Self, Budget<A, M>), VaultError> {
        Self::open_drawing(goal, for_thresholds, max_contributions, Drawing::fresh(JobKey::from_os()?))
    }

    /// Opens a vault for a job with a budget reserved in a ledger, as [`Vault::open_on`] does.
    ///
    /// # Errors
    /// Those of [`ColumnVault::open`], and if the reservation is for other terms.
    pub fn open_on(
        job: &Job,
        goal: ApproxDp,
        for_thresholds: ThresholdDelta,
        max_contributions: NonZeroU32,
    ) -> Result<(Self, Budget<A, M>), VaultError> {
        job.check(A::KIND, max_contributions, M::KIND, goal, for_thresholds)?;
        Self::open_drawing(goal, for_thresholds, max_contributions, Drawing::journalled(JobKey::from_os()?, job)?)
    }

    /// Opens a vault whose released values come from `drawing`.
    pub(crate) fn open_drawing(
        goal: ApproxDp,
        for_thresholds: ThresholdDelta,
        max_contributions: NonZeroU32,
        drawing: Drawing,
    ) -> Result<(Self, Budget<A, M>), VaultError> {
        let (releases, budget) = Releases::open(goal, for_thresholds, max_contributions, drawing)?;
        Ok((Self { releases }, budget))
    }

    /// Returns what is left of the `delta` for thresholds.
    pub fn for_thresholds(&self) -> ThresholdDelta {
        self.releases.for_thresholds()
    }

    /// Releases the noisy number of rows in every cell of each grid, each for an equal share of
    /// `budget`. The codes of `source` must be public grids.
    ///
    /// # Privacy
    /// As for [`Vault::measure`]: one event per grid, of the sensitivity of a table.
    ///
    /// # Errors
    /// Those of [`Vault::measure`].
    pub fn measure_grids(
        &mut self,
        source: &dyn MarginalSource,
        grids: &[Grid],
        budget: Budget<A, M>,
    ) -> Result<Released<Vec<NoisyTable>>, VaultError> {
        if grids.is_empty() {
            return Err(VaultError::config("grids", &0, "at least one"));
        }
        let cliques: Vec<Clique> = grids.iter().map(|grid| Clique::new([grid.attribute])).collect();
        let lengths = table_lengths(source.domain(), &cliques)?;
        let question = |grid: &Grid| Question::Grid { column: grid.column.clone(), grid: grid.name.clone() };
        let (events, mechanism) = self.releases.charge_tables(grids.iter().map(question), &lengths, budget)?;
        let resumed = self.releases.resume(&events)?;
        let tables = count_tables(source, None, &cliques, &lengths)?;
        let exact = tables.into_iter().map(|table| Exact::Counts(table.into_counts())).collect();
        let released = self.releases.draw(events, resumed, exact)?;
        Ok(released.map(|tables| NoisyTable::of_release(&cliques, tables, mechanism)))
    }

    /// Releases the values of each column that enough rows share, with their noisy counts: each
    /// column for an equal share of `budget` and of `delta`.
    ///
    /// # Privacy
    /// One event per column, of the sensitivity of a table, with the least threshold whose own
    /// `delta` is at most the share. Values below it, and their number, are not released. Released
    /// values are texts of the data, and public from then on. Under
    /// [`Pure`](crate::account::Pure) accounting there is no such release:
    /// ```compile_fail,E0277
    /// # use scumble_vault::{AddRemove, Budget, ColumnVault, Pure, ValueSource, account::ThresholdDelta};
    /// fn values(vault: &mut ColumnVault<AddRemove, Pure>, source: &dyn ValueSource, budget: Budget<AddRemove, Pure>) {
    ///     let values = vault.release_values(source, &["name"], ThresholdDelta::ZERO, budget);
    /// }
    /// ```
    ///
    /// # Errors
    /// If `columns` is empty, `delta` exceeds what is left for thresholds or is too small for one,
    /// the budget was issued by another vault or is too small, or the source fails. The budget is
    /// consumed in any case.
    pub fn release_values(
        &mut self,
        source: &dyn ValueSource,
        columns: &[&str],
        delta: ThresholdDelta,
        budget: Budget<A, M>,
    ) -> Result<Released<Vec<CommonValues>>, VaultError>
    where
        M: Thresholding,
    {
        if columns.is_empty() {
            return Err(VaultError::config("columns", &0, "at least one"));
        }
        if delta > self.for_thresholds() {
            return Err(VaultError::config("delta of thresholds", &delta.to_f64(), "at most what is left for them"));
        }
        let unit = self.releases.max_contributions();
        let charged = if Mutant::ValuesOfRootContributions.is_planted() { root(unit) } else { unit };
        let (sensitivity, limit) = (A::table_sensitivity(charged), delta.divided(columns.len()));
        let mechanism = self
            .releases
            .charge(columns.len(), budget, |share| Mechanism::thresholded(sensitivity, unit, share, limit))?;
        let event = |&column: &&str| {
            let question = Question::Values { column: column.to_owned() };
            self.releases.event(question, mechanism, RowUnits::LATTICE_LOG2, 0)
        };
        let events: Vec<Event> = columns.iter().map(event).collect();
        let resumed = self.releases.resume(&events)?;
        let drawing = self.releases.drawing();
        let values = drawing.draw_values(&events, resumed, |sink| source.count_values(columns, sink))?;
        let released = self.releases.keep(events, values);
        let values: Option<Vec<_>> = released.iter().map(|numbers| unpacked(numbers)).collect();
        let values = values.ok_or(VaultError::Bug { what: "released values are not in order" })?;
        Ok(released.map(|_| values.into_iter().map(|values| CommonValues { values, mechanism }).collect()))
    }

    /// Returns the noise that [`ColumnVault::measure_grids`] would add to `grids` grids for
    /// `amount`; `None` if its scale would be too large.
    ///
    /// # Privacy
    /// Nothing is spent and no row is read, as for [`Vault::planned_noise`].
    pub fn planned_noise(&self, grids: NonZeroUsize, amount: Amount<M>) -> Option<Mechanism> {
        self.releases.planned_noise(grids, amount)
    }

    /// Returns how [`ColumnVault::release_values`] would release the values of `columns` columns
    /// for `amount` and `delta`; `None` if it could not.
    ///
    /// # Privacy
    /// As for [`ColumnVault::planned_noise`].
    pub fn planned_threshold(
        &self,
        columns: NonZeroUsize,
        delta: ThresholdDelta,
        amount: Amount<M>,
    ) -> Option<Mechanism>
    where
        M: Thresholding,
    {
        let unit = self.releases.max_contributions();
        let share = Amount::<M>::from_quanta(amount.quanta() / columns.get() as u128);
        Mechanism::thresholded(A::table_sensitivity(unit), unit, share, delta.divided(columns.get()))
    }

    /// Continues the job with questions about the codes of `source`, whose domain may depend on all
    /// that was released so far. What is left of the budget is spent there.
    ///
    /// # Privacy
    /// `source` reads the rows that were read here. Its codes are a function of released values, so
    /// they are part of the next questions, as scales are.
    pub fn into_vault(self, source: Box<dyn MarginalSource>) -> Vault<A, M> {
        Vault::over(source, self.releases)
    }

    /// Closes the vault and returns the certificate of its releases.
    pub fn close(self) -> Certificate {
        self.releases.close()
    }

    /// Returns the released values of each event, in order.
    pub fn released_values(&self) -> &[Vec<i64>] {
        self.releases.values()
    }
}
