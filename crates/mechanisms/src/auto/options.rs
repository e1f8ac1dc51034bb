//! What can be chosen.

use scumble_schema::{Domain, limits};
use scumble_vault::account::Share;
use serde::{Deserialize, Serialize};

use super::schedule::MAX_GROWTH;
use crate::error::MechanismError;
use crate::merging::Merging;
use crate::option::{check, share};

/// What can be chosen. The defaults are what measured best: see `docs/reproduction/privmrf.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The share of the budget that goes to one table per column: from 0.001 to 0.999, in whole thousandths.
    pub one_way_share: f64,
    /// The share of every round that goes to choosing its table: from 0.001 to 0.999, in whole thousandths.
    pub choice_share: f64,
    /// Rounds per column with an ordinary budget: from 0.1 to 10. A larger one, for the rows that there are, has up to twice as many.
    pub rounds_per_column: f64,
    /// What the last round gets of the budget, in multiples of what the first gets: from 0.1 to 10.
    pub last_round: f64,
    /// Most columns of a table: from 2 to 16.
    pub most_columns: u32,
    /// Sets of three and more columns that are drawn as candidates, besides all pairs, and most candidates that a round considers: from 1
    /// to 100,000.
    pub candidates: u32,
    /// Most cells of the model with an ordinary budget, in all cliques of the tree of the measured tables: from 1,000 to 25,000,000. A
    /// larger one has up to twice as many, and many rounds have fewer. Early rounds may use as much of them as of the budget.
    pub model_cells: u32,
    /// How much the noise of a table counts against choosing it, in multiples of what it does: from 0 to 100.
    pub noise_penalty: f64,
    /// How large potentials are expected to be, from 0.01 to 100: the smaller, the more is taken for noise. None is taken for it if
    /// there is none, and the model is the one nearest to the tables.
    pub spread: Option<f64>,
    /// Columns of more codes than this are taken in groups of neighbouring codes by all tables but their own: at least 2.
    pub large_column: u32,
    /// How many groups those are, of about as many rows by the column's own table: from 2 to 10,000.
    pub groups: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            one_way_share: 0.1,
            choice_share: 0.07,
            rounds_per_column: 1.5,
            last_round: 2.0,
            most_columns: 6,
            candidates: 1_000,
            model_cells: 500_000,
            noise_penalty: 0.7,
            spread: Some(0.7),
            large_column: 1_024,
            groups: 64,
        }
    }
}

/// Most columns.
const MAX_COLUMNS: usize = 1_000;
/// Most cells of a model.
#[expect(clippy::cast_precision_loss, reason = "fifty million")]
const MAX_CELLS: f64 = limits::CELLS_PER_MODEL as f64;

impl Options {
    /// The values that are merged in all tables but those of their columns.
    pub(crate) fn merging(&self) -> Merging {
        Merging::Neighbours { of_more_than: self.large_column, groups: self.groups }
    }

    /// Refuses options out of their range, and tables with too many columns.
    pub(super) fn check_columns(&self, base: &Domain) -> Result<(), MechanismError> {
        self.check()?;
        let too_large = |problem: String| MechanismError::TooLarge {
            problem,
            hint: "leave out columns, or choose `independent`".into(),
        };
        if base.len() > MAX_COLUMNS {
            let columns = base.len();
            return Err(too_large(format!("there are {columns} columns, at most {MAX_COLUMNS} can be in one model")));
        }
        let cells: u128 = base.sizes().iter().map(|&size| u128::from(size)).sum();
        if cells > limits::CELLS_PER_MODEL {
            let most = limits::CELLS_PER_MODEL;
            return Err(too_large(format!("columns have {cells} values, at most {most} can be in one model")));
        }
        Ok(())
    }

    /// The share of the tables of single columns.
    pub(super) fn one_way_share(&self) -> Result<Share, MechanismError> {
        share("one_way_share", self.one_way_share)
    }

    /// The share of a round that chooses.
    pub(super) fn choice_share(&self) -> Result<Share, MechanismError> {
        share("choice_share", self.choice_share)
    }

    fn check(&self) -> Result<(), MechanismError> {
        self.one_way_share()?;
        self.choice_share()?;
        check("rounds_per_column", self.rounds_per_column, 0.1, 10.0)?;
        check("last_round", self.last_round, 0.1, 10.0)?;
        check("most_columns", self.most_columns.into(), 2.0, 16.0)?;
        check("candidates", self.candidates.into(), 1.0, 100_000.0)?;
        check("model_cells", self.model_cells.into(), 1_000.0, MAX_CELLS / MAX_GROWTH)?;
        check("noise_penalty", self.noise_penalty, 0.0, 100.0)?;
        check("spread", self.spread.unwrap_or(1.0), 0.01, 100.0)?;
        check("large_column", self.large_column.into(), 2.0, f64::from(u32::MAX))?;
        check("groups", self.groups.into(), 2.0, 10_000.0)
    }
}
