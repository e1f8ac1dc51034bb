//! Time and memory of a fit.

use serde::Serialize;

use super::coefficients as each;
use crate::planning::outline::Work;

/// Expected time and memory of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// Peak memory of the process, in bytes.
    pub peak_bytes: f64,
    /// Processor time of all threads together, in seconds.
    pub cpu_seconds: f64,
}

impl Cost {
    /// Computes the time and memory of work.
    pub(super) fn of(work: &Work) -> Self {
        let cpu_seconds = each::START
            + each::READ * work.read
            + each::COUNTED * work.counted
            + each::SCORED * work.scored
            + each::COMPARED * work.compared
            + each::EXPLAINED * work.explained
            + each::MAXIMISED * work.maximised
            + each::SIZED * work.sized
            + each::FITTED * work.fitted
            + each::STEPPED * work.stepped;
        let peak_bytes = each::PROCESS
            + each::CODED * work.coded_bytes
            + each::COUNTED_CELL * work.counted_cells.min(each::MAX_COUNTED_CELLS)
            + each::COMPARED_CELL * work.compared_cells
            + each::MODEL_CELL * work.model_cells
            + each::TABLE_CELL * work.table_cells;
        Self { peak_bytes, cpu_seconds }
    }
}
