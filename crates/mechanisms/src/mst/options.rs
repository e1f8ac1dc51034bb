//! What can be chosen.

use scumble_schema::Domain;
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::merging::Merging;
use crate::option::{GaussianAccounting, check};

/// What can be chosen of `mst`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Values with a noisy count below so many standard deviations of its noise are merged: from 0 to 100.
    pub merge_below: f64,
    /// How large potentials are expected to be, from 0.01 to 100: the smaller, the more is taken for noise. None is taken for it if
    /// there is none, and the model is the one nearest to the tables, as in the paper.
    pub spread: Option<f64>,
    /// How releases are added up.
    pub accounting: GaussianAccounting,
}

impl Default for Options {
    fn default() -> Self {
        Self { merge_below: 3.0, spread: None, accounting: GaussianAccounting::default() }
    }
}

/// Most columns: every pair of them is scored.
const MAX_COLUMNS: usize = 1_000;

impl Options {
    /// The values that are merged.
    pub(crate) fn merging(&self) -> Merging {
        Merging::Rare { below: self.merge_below }
    }

    /// Refuses options out of their range, and tables with too many columns.
    pub(super) fn check_columns(&self, base: &Domain) -> Result<(), MechanismError> {
        check("merge_below", self.merge_below, 0.0, 100.0)?;
        check("spread", self.spread.unwrap_or(1.0), 0.01, 100.0)?;
        if base.len() > MAX_COLUMNS {
            return Err(MechanismError::TooLarge {
                problem: format!("there are {} columns, at most {MAX_COLUMNS} can be in one tree", base.len()),
                hint: "leave out columns, or choose `privbayes-nist` or `independent`".into(),
            });
        }
        Ok(())
    }
}
