//! What methods ask that depends on who is whose neighbour.

use scumble_schema::Domain;
use scumble_vault::score::MutualInformation;
use scumble_vault::{Accounting, AddRemove, Adjacency, Budget, Released, ReplaceOne, RowDrawing, Selecting, Vault};

use crate::error::MechanismError;
use crate::fitted::Fitted;
use crate::smoothed_histogram;

/// Where the number of rows comes from.
#[derive(Debug)]
pub enum RowTotal {
    /// It is private: the sums of the noisy tables estimate it.
    Estimated,
    /// It is public.
    Public(Released<u64>),
}

/// An adjacency that methods run under, with the questions that only one of the two answers.
pub trait Neighbours: Adjacency + Sized {
    /// Where the number of rows comes from.
    ///
    /// # Errors
    /// If it is public and cannot be counted.
    fn row_total<M: Accounting>(vault: &Vault<Self, M>) -> Result<RowTotal, MechanismError>;

    /// Chooses columns that share much mutual information.
    ///
    /// # Errors
    /// Under add/remove, where its sensitivity is not known; and those of [`Vault::select`].
    fn select_by_information<M: Selecting>(
        vault: &mut Vault<Self, M>,
        candidates: &[MutualInformation],
        budget: Budget<Self, M>,
    ) -> Result<Released<usize>, MechanismError>;

    /// Draws rows from the smoothed table of all columns.
    ///
    /// # Errors
    /// Under add/remove, where the smoothing would tell the number of rows; and those of [`smoothed_histogram::fit`].
    fn smoothed_histogram<M: RowDrawing>(
        vault: &mut Vault<Self, M>,
        budget: Budget<Self, M>,
        domain: &Domain,
        options: &smoothed_histogram::Options,
    ) -> Result<Fitted, MechanismError>;
}

impl Neighbours for AddRemove {
    fn row_total<M: Accounting>(_: &Vault<Self, M>) -> Result<RowTotal, MechanismError> {
        Ok(RowTotal::Estimated)
    }

    fn select_by_information<M: Selecting>(
        _: &mut Vault<Self, M>,
        _: &[MutualInformation],
        _: Budget<Self, M>,
    ) -> Result<Released<usize>, MechanismError> {
        Err(MechanismError::NeedsPublicRows { what: "the score `i`" })
    }

    fn smoothed_histogram<M: RowDrawing>(
        _: &mut Vault<Self, M>,
        _: Budget<Self, M>,
        _: &Domain,
        _: &smoothed_histogram::Options,
    ) -> Result<Fitted, MechanismError> {
        Err(MechanismError::NeedsPublicRows { what: "`smoothed-histogram`" })
    }
}

impl Neighbours for ReplaceOne {
    fn row_total<M: Accounting>(vault: &Vault<Self, M>) -> Result<RowTotal, MechanismError> {
        Ok(RowTotal::Public(vault.row_count()?))
    }

    fn select_by_information<M: Selecting>(
        vault: &mut Vault<Self, M>,
        candidates: &[MutualInformation],
        budget: Budget<Self, M>,
    ) -> Result<Released<usize>, MechanismError> {
        Ok(vault.select(candidates, budget)?)
    }

    fn smoothed_histogram<M: RowDrawing>(
        vault: &mut Vault<Self, M>,
        budget: Budget<Self, M>,
        domain: &Domain,
        options: &smoothed_histogram::Options,
    ) -> Result<Fitted, MechanismError> {
        smoothed_histogram::fit(vault, budget, domain, options)
    }
}
