//! Options of `privbayes`.

use scumble_vault::Share;
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::mechanism::option::invalid;

/// Options of `privbayes`, and of `pb-pgm`, which learns the same network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Share of the budget for the network, above 0 and below 1; the rest is for tables. 0.3 as in
    /// the papers of 2017 and 2021, 0.5 in that of 2014.
    pub beta: f64,
    /// Minimum mean count of a cell, in multiples of its noise.
    pub theta: f64,
    /// Score of candidates.
    pub score: Score,
    /// Encoding of columns.
    pub encoding: Encoding,
    /// Number of parents, instead of the number that `theta` allows.
    pub degree: Option<u32>,
    /// For the hierarchical encoding: number of neighbouring codes in a group of the next coarser
    /// version. Columns of more codes than its square have one.
    pub group: u32,
}

impl Default for Options {
    fn default() -> Self {
        let (score, encoding) = (Score::Auto, Encoding::Vanilla);
        Self { beta: 0.3, theta: 4.0, score, encoding, degree: None, group: 4 }
    }
}

/// Score of candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// `F` if all columns are binary, `R` otherwise.
    Auto,
    /// The paper's F: how close a binary column is to one half and to a function of its parents.
    F,
    /// Distance of a column and its parents from independence, in rows.
    R,
    /// Mutual information; needs a public number of rows.
    I,
}

/// Encoding of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// Every column is its binary digits, each a column of the network.
    Binary,
    /// Columns are unchanged.
    Vanilla,
    /// Columns are unchanged, and coarser versions of large ones may be parents.
    Hierarchical,
}

/// Shares of the budget are whole millionths.
const MILLION: u32 = 1_000_000;

impl Options {
    /// `beta` as an exact share.
    pub(crate) fn network_share(&self) -> Result<Share, MechanismError> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN is 0")]
        let millionths = (self.beta * f64::from(MILLION)).round() as u32;
        Share::of(millionths, MILLION).ok_or_else(|| invalid("beta", "must be a share above 0 and below 1"))
    }
}
