#![doc = include_str!("privmrf.md")]

pub mod paper;

use scumble_pgm::StructuralZeros;
use scumble_schema::{Domain, Recoding};
use scumble_vault::{Budget, Selecting, Vault};
use serde::{Deserialize, Serialize};

use crate::auto;
use crate::error::MechanismError;
use crate::fitted::Fitted;
use crate::neighbours::Neighbours;

/// Which tables are measured, and how they are chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "profile", rename_all = "kebab-case")]
pub enum Options {
    /// What measured best: the method [`auto`].
    Best(auto::Options),
    /// The paper's algorithms.
    Paper(paper::Options),
}

impl Default for Options {
    fn default() -> Self {
        Self::Best(auto::Options::default())
    }
}

impl Options {
    /// The columns that are asked about.
    ///
    /// # Errors
    /// If an option is out of its range, or there would be too many columns.
    pub fn recoding(&self, base: &Domain) -> Result<Recoding, MechanismError> {
        match self {
            Self::Best(options) => options.recoding(base),
            Self::Paper(options) => options.recoding(base),
        }
    }
}

/// Chooses tables, measures them, and fits the Markov random field that is nearest to them. It gives no probability to what `rules`
/// forbid.
///
/// # Errors
/// If an option cannot be had, or the vault refuses.
pub fn fit<A: Neighbours, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    recoding: &Recoding,
    rules: &[StructuralZeros],
    options: &Options,
) -> Result<Fitted, MechanismError> {
    match options {
        Options::Best(options) => auto::fit(vault, budget, recoding, rules, options),
        Options::Paper(options) => paper::fit(vault, budget, recoding, rules, options),
    }
}
