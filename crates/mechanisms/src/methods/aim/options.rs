//! Options of `aim`.

use scumble_schema::{Domain, limits};
use scumble_vault::Share;
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::mechanism::option::{GaussianAccounting, check, check_column_count, share, thousandths};
use crate::mechanism::workload::{MAX_TABLE_COLUMNS, Workload};

/// Options of `aim`. The defaults are those of the paper where it names any.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Number of columns of the workload's tables, from 1 to 8, unless `workload` names tables: the
    /// workload is all tables over this number of columns.
    pub workload_columns: u32,
    /// The tables of the workload, with weights; if empty, all over `workload_columns` columns.
    pub workload: Workload,
    /// Rounds per column if every round is above noise, from 1 to 100.
    pub rounds_per_column: f64,
    /// Share of every round for selecting its table: from 0.001 to 0.999, in whole thousandths.
    pub choice_share: f64,
    /// Maximum number of cells of the model, in all cliques of the tree of the measured tables:
    /// from 1,000 to 50,000,000. Early rounds may use the share of it that the budget spent so far
    /// is.
    pub model_cells: u32,
    /// Maximum number of candidates, from 1 to 100,000. If there are more, this number of them is
    /// drawn at random.
    pub candidates: u32,
    /// Prior standard deviation of potentials, from 0.01 to 100: the smaller, the more is treated
    /// as noise. Without it, the model is the one nearest to the tables, as in the paper.
    pub spread: Option<f64>,
    /// Accounting of releases.
    pub accounting: GaussianAccounting,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workload_columns: 3,
            workload: Workload::default(),
            rounds_per_column: 16.0,
            choice_share: 0.1,
            model_cells: 500_000,
            candidates: 1_000,
            spread: Some(1.0),
            accounting: GaussianAccounting::default(),
        }
    }
}

/// Maximum number of columns of a schema.
const MAX_COLUMNS: usize = 1_000;
/// Maximum number of cells of a model.
const MAX_MODEL_CELLS: f64 = limits::CELLS_PER_MODEL as f64;

impl Options {
    /// Refuses options out of their range, a workload that names an unknown column, and tables with
    /// too many columns.
    pub(super) fn check_columns(&self, base: &Domain) -> Result<(), MechanismError> {
        check("workload_columns", self.workload_columns.into(), 1.0, MAX_TABLE_COLUMNS.into())?;
        check("rounds_per_column", self.rounds_per_column, 1.0, 100.0)?;
        thousandths("choice_share", self.choice_share)?;
        check("model_cells", self.model_cells.into(), 1_000.0, MAX_MODEL_CELLS)?;
        check("candidates", self.candidates.into(), 1.0, 100_000.0)?;
        check("spread", self.spread.unwrap_or(1.0), 0.01, 100.0)?;
        self.workload.check(base)?;
        let hint = "leave out columns, or choose `privbayes-nist` or `independent`";
        check_column_count(base, MAX_COLUMNS, "in one model", hint)
    }

    /// Share of a round for the selection.
    pub(super) fn choice_share(&self) -> Result<Share, MechanismError> {
        share("choice_share", self.choice_share)
    }

    /// Share of a round for the selection, in thousandths.
    pub(super) fn choice_thousandths(&self) -> Result<u32, MechanismError> {
        thousandths("choice_share", self.choice_share)
    }
}
