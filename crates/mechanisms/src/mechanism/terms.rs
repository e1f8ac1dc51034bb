//! The adjacencies and accountings of methods, from values to types.

use std::num::NonZeroUsize;

use scumble_schema::{AdjacencyKind, Clique};
use scumble_vault::account::{Amount, Mechanism, ThresholdDelta};
use scumble_vault::{
    Accounting, AccountingKind, AddRemove, Adjacency, Budget, ColumnVault, CommonValues, Gdp, Pure, Released,
    ReplaceOne, Selecting, ValueSource, Vault, Zcdp,
};

use crate::error::MechanismError;

/// Source of the number of rows.
#[derive(Debug)]
pub enum RowTotal {
    /// The number is private, and estimated from the sums of noisy tables.
    Estimated,
    /// The number is public.
    Public(Released<u64>),
}

/// A vault whose number of rows is public, with a budget to spend there.
pub type PublicRows<'a, M> = (&'a mut Vault<ReplaceOne, M>, Budget<ReplaceOne, M>);

/// An adjacency that methods support.
pub trait MethodAdjacency: Adjacency + Sized {
    /// Returns the number of rows if it is public.
    ///
    /// # Errors
    /// If it is public and cannot be counted.
    fn row_total<M: Accounting>(vault: &Vault<Self, M>) -> Result<RowTotal, MechanismError>;

    /// Returns the vault and the budget for questions that need a public number of rows. `what`
    /// names the method or score that asks one.
    ///
    /// # Errors
    /// Under add/remove, where the number of rows is private.
    fn with_public_rows<'a, M: Accounting>(
        vault: &'a mut Vault<Self, M>,
        budget: Budget<Self, M>,
        what: &'static str,
    ) -> Result<PublicRows<'a, M>, MechanismError>;
}

impl MethodAdjacency for AddRemove {
    fn row_total<M: Accounting>(_: &Vault<Self, M>) -> Result<RowTotal, MechanismError> {
        Ok(RowTotal::Estimated)
    }

    fn with_public_rows<'a, M: Accounting>(
        _: &'a mut Vault<Self, M>,
        _: Budget<Self, M>,
        what: &'static str,
    ) -> Result<PublicRows<'a, M>, MechanismError> {
        Err(MechanismError::NeedsPublicRows { what })
    }
}

impl MethodAdjacency for ReplaceOne {
    fn row_total<M: Accounting>(vault: &Vault<Self, M>) -> Result<RowTotal, MechanismError> {
        Ok(RowTotal::Public(vault.row_count()?))
    }

    fn with_public_rows<'a, M: Accounting>(
        vault: &'a mut Vault<Self, M>,
        budget: Budget<Self, M>,
        _: &'static str,
    ) -> Result<PublicRows<'a, M>, MechanismError> {
        Ok((vault, budget))
    }
}

/// An accounting that methods support.
pub trait MethodAccounting: Selecting {
    /// Draws rows from the smoothed table of all columns, see [`Vault::draw_rows`].
    ///
    /// # Errors
    /// Those of the vault; and under an accounting that defines no cost for it, such as [`Gdp`].
    fn draw_rows(
        _vault: &mut Vault<ReplaceOne, Self>,
        _clique: &Clique,
        _rows: u64,
        _budget: Budget<ReplaceOne, Self>,
    ) -> Result<Released<Vec<u64>>, MechanismError> {
        Err(MechanismError::OtherAccounting { method: "smoothed-histogram", accounting: Self::KIND })
    }

    /// Releases values that enough rows share, see [`ColumnVault::release_values`].
    ///
    /// # Errors
    /// Those of the vault; and under [`Pure`], which defines no cost for it.
    fn release_values<A: Adjacency>(
        vault: &mut ColumnVault<A, Self>,
        source: &dyn ValueSource,
        columns: &[&str],
        delta: ThresholdDelta,
        budget: Budget<A, Self>,
    ) -> Result<Released<Vec<CommonValues>>, MechanismError>;

    /// Returns how the values of `columns` columns would be released; `None` if they could not be.
    fn planned_threshold<A: Adjacency>(
        vault: &ColumnVault<A, Self>,
        columns: NonZeroUsize,
        delta: ThresholdDelta,
        amount: Amount<Self>,
    ) -> Option<Mechanism>;
}

impl MethodAccounting for Pure {
    fn release_values<A: Adjacency>(
        _: &mut ColumnVault<A, Self>,
        _: &dyn ValueSource,
        _: &[&str],
        _: ThresholdDelta,
        _: Budget<A, Self>,
    ) -> Result<Released<Vec<CommonValues>>, MechanismError> {
        Err(MechanismError::CategoriesNeedDelta)
    }

    fn planned_threshold<A: Adjacency>(
        _: &ColumnVault<A, Self>,
        _: NonZeroUsize,
        _: ThresholdDelta,
        _: Amount<Self>,
    ) -> Option<Mechanism> {
        None
    }

    fn draw_rows(
        vault: &mut Vault<ReplaceOne, Self>,
        clique: &Clique,
        rows: u64,
        budget: Budget<ReplaceOne, Self>,
    ) -> Result<Released<Vec<u64>>, MechanismError> {
        Ok(vault.draw_rows(clique, rows, budget)?)
    }
}

impl MethodAccounting for Zcdp {
    fn release_values<A: Adjacency>(
        vault: &mut ColumnVault<A, Self>,
        source: &dyn ValueSource,
        columns: &[&str],
        delta: ThresholdDelta,
        budget: Budget<A, Self>,
    ) -> Result<Released<Vec<CommonValues>>, MechanismError> {
        Ok(vault.release_values(source, columns, delta, budget)?)
    }

    fn planned_threshold<A: Adjacency>(
        vault: &ColumnVault<A, Self>,
        columns: NonZeroUsize,
        delta: ThresholdDelta,
        amount: Amount<Self>,
    ) -> Option<Mechanism> {
        vault.planned_threshold(columns, delta, amount)
    }

    fn draw_rows(
        vault: &mut Vault<ReplaceOne, Self>,
        clique: &Clique,
        rows: u64,
        budget: Budget<ReplaceOne, Self>,
    ) -> Result<Released<Vec<u64>>, MechanismError> {
        Ok(vault.draw_rows(clique, rows, budget)?)
    }
}

impl MethodAccounting for Gdp {
    fn release_values<A: Adjacency>(
        vault: &mut ColumnVault<A, Self>,
        source: &dyn ValueSource,
        columns: &[&str],
        delta: ThresholdDelta,
        budget: Budget<A, Self>,
    ) -> Result<Released<Vec<CommonValues>>, MechanismError> {
        Ok(vault.release_values(source, columns, delta, budget)?)
    }

    fn planned_threshold<A: Adjacency>(
        vault: &ColumnVault<A, Self>,
        columns: NonZeroUsize,
        delta: ThresholdDelta,
        amount: Amount<Self>,
    ) -> Option<Mechanism> {
        vault.planned_threshold(columns, delta, amount)
    }
}

/// A computation that is generic over adjacency and accounting.
pub(crate) trait OnTerms {
    /// Its result.
    type Output;

    /// Runs the computation.
    fn run<A: MethodAdjacency, M: MethodAccounting>(self) -> Self::Output;
}

/// Runs a computation under an adjacency and an accounting that are given as values.
pub(crate) fn on_terms<W: OnTerms>(adjacency: AdjacencyKind, accounting: AccountingKind, work: W) -> W::Output {
    match (adjacency, accounting) {
        (AdjacencyKind::AddRemove, AccountingKind::Pure) => work.run::<AddRemove, Pure>(),
        (AdjacencyKind::AddRemove, AccountingKind::Gdp) => work.run::<AddRemove, Gdp>(),
        (AdjacencyKind::AddRemove, AccountingKind::Zcdp) => work.run::<AddRemove, Zcdp>(),
        (AdjacencyKind::ReplaceOne, AccountingKind::Pure) => work.run::<ReplaceOne, Pure>(),
        (AdjacencyKind::ReplaceOne, AccountingKind::Gdp) => work.run::<ReplaceOne, Gdp>(),
        (AdjacencyKind::ReplaceOne, AccountingKind::Zcdp) => work.run::<ReplaceOne, Zcdp>(),
    }
}
