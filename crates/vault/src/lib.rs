//! The only crate that sees exact counts **and** randomness.
//!
//! # What it is for
//! A [`Vault`] owns a source of exact counts and releases noisy answers until its budget, fixed
//! when it is opened, is spent. Its [`Certificate`] states the guarantee for all answers together,
//! and anyone can recompute it. A [`Ledger`](ledger::Ledger) enforces one budget across all jobs on
//! a dataset.
//!
//! | question | answer | accounting |
//! |---|---|---|
//! | [tables](Vault::measure) | counts with noise on every cell | [`Pure`] (Laplace), [`Gdp`], [`Zcdp`] (Gaussian) |
//! | [scores](Vault::measure_scores) of candidates | scores with noise on each | [`Pure`] (Laplace), [`Gdp`], [`Zcdp`] (Gaussian) |
//! | [the best](Vault::select) of several candidates | one of them, by the exponential mechanism | [`Pure`], [`Gdp`], [`Zcdp`] |
//! | [rows](Vault::draw_rows) | cells of a smoothed histogram | [`Pure`], [`Zcdp`], with [`ReplaceOne`] |
//! | [grids](ColumnVault::measure_grids) over columns that no schema describes | counts with noise on every cell | [`Pure`] (Laplace), [`Gdp`], [`Zcdp`] (Gaussian) |
//! | [values](ColumnVault::release_values) of such columns | those that enough rows share, with noisy counts | [`Gdp`], [`Zcdp`] |
//!
//! # What it refuses to know
//! - Data files, rows and values: it asks a [`MarginalSource`] for counts over public cells.
//! - Methods: it answers questions of any method.
//! - Seeds: noise comes from the operating system's randomness or not at all.
//! - Floats: between count and release there are only integers, and no float is a budget.
//!
//! # Its five main types
//! - [`Private`] holds data that only this crate may read. [`Released`] holds what may leave; only
//!   this crate makes one.
//! - [`Budget`] is permission to spend. Spending consumes it. It can be split, but not copied,
//!   forged or used under another [`Adjacency`] or [`Accounting`].
//! - [`Vault`] combines the three; [`Certificate`] lists every [`Event`] with its sensitivity and
//!   scale.
//!
//! # Example
//! ```
//! use std::num::NonZeroU32;
//! use scumble_schema::{Clique, Domain};
//! use scumble_vault::{AddRemove, ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError, Vault};
//!
//! /// Seven people, three of whom smoke.
//! struct Smokers(Domain);
//!
//! impl MarginalSource for Smokers {
//!     fn domain(&self) -> &Domain {
//!         &self.0
//!     }
//!     fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
//!         Ok(Private::new(cliques.iter().map(|clique| CountTable::new(clique.clone(), vec![4, 3])).collect()))
//!     }
//! }
//!
//! let domain = Domain::new(vec![2])?;
//! let smokes = domain.one_way();
//! let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
//!
//! let (mut vault, budget) = Vault::<AddRemove>::open(Box::new(Smokers(domain)), goal, NonZeroU32::MIN)?;
//! let tables = vault.measure(&smokes, budget)?;
//! assert_eq!(tables[0].values().len(), 2);
//!
//! let certificate = vault.close();
//! certificate.verify()?;
//! assert!(certificate.epsilon() <= goal.epsilon);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where the proofs are
//! Each proof is a note beside the code it is about, included in that code's documentation.
//!
//! | claim | note |
//! |---|---|
//! | how costs add up, and which epsilon and delta follow | [`account::pure`], [`account::gdp`], [`account::zcdp`] |
//! | every sensitivity that is charged or verified, in one table | [`account::sensitivity`] |
//! | Gaussian and Laplace noise, sensitivity of tables | [`noise::RoundedGaussian`], [`noise::DiscreteLaplace`] |
//! | selecting a candidate | [`noise::ExponentialMechanism`] |
//! | drawing rows | [`account::Smoothing`] |
//! | values above a threshold | [`account::Threshold`] |
//! | the sensitivity of every score | [`score`], and each score type |
//! | no release without a spend, none drawn twice | [`ledger`] |
//!
//! [`glossary`] gives the papers' word for each of ours, and a reading order: `account` (costs),
//! then `noise` (samplers) and `score`, then `vault` (where counts, costs and randomness meet), and
//! `ledger` last.

// Every float in this crate that stands for a count says why it may.
#![warn(clippy::cast_precision_loss)]

#[cfg(all(feature = "planted-bugs", not(debug_assertions)))]
compile_error!("the feature `planted-bugs` undercharges scores on purpose: it is for tests only");

pub mod account;
#[cfg(feature = "audit")]
pub mod audit;
mod error;
pub mod glossary;
pub mod ledger;
pub mod noise;
mod private;
mod released;
#[cfg(feature = "replay")]
pub mod replay;
pub mod score;
mod source;
mod vault;

pub use account::{
    Accounting, AccountingKind, AddRemove, Adjacency, ApproxDp, Budget, Certificate, Cost, Delta, Epsilon, Event,
    EventId, Gdp, MuSquared, Pure, ReplaceOne, Rho, RowDrawing, Selecting, Share, Sigma, Thresholding, WeakTerm, Zcdp,
};
pub use error::VaultError;
pub use private::Private;
pub use released::Released;
pub use source::{CountTable, MarginalSource, SourceError, ValueSource};
pub use vault::{ColumnVault, CommonValues, Grid, NoisyScores, NoisyTable, ValueSink, Vault};

/// Formats bytes in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |digit: u8| char::from(b"0123456789abcdef"[usize::from(digit)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
