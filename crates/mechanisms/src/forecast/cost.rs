//! What work takes.

use serde::Serialize;

use super::coefficients as each;
use crate::outline::Work;

/// What a fit is expected to take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Cost {
    /// Memory of the process at its peak, in bytes.
    pub peak_bytes: f64,
    /// Processor time, of all threads together.
    pub cpu_seconds: f64,
}

impl Cost {
    /// What so much work takes.
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
            + each::COUNTED_CELL * work.counted_cells.min(each::MOST_COUNTED_CELLS)
            + each::COMPARED_CELL * work.compared_cells
            + each::MODEL_CELL * work.model_cells
            + each::TABLE_CELL * work.table_cells;
        Self { peak_bytes, cpu_seconds }
    }
}
