//! What a fit has to do, counted: what its time and memory follow from.

use serde::Serialize;

/// How much of each kind of work a fit has, and how much it holds at once. Numbers are expectations.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Work {
    /// Values that are read: rows times columns.
    pub read: f64,
    /// Values that are looked up to count tables: for each table, rows times columns.
    pub counted: f64,
    /// Cells of tables that candidates are scored by.
    pub scored: f64,
    /// Cells of tables in which candidates are compared with a model, round after round.
    pub compared: f64,
    /// Candidates whose tables a model is asked for, times the cells of the model.
    pub explained: f64,
    /// Steps of the dynamic programmes of the score `F`.
    pub maximised: f64,
    /// Tables whose effect on the size of a model is worked out, times the columns of the model.
    pub sized: f64,
    /// Cells of models, times the passes over them.
    pub fitted: f64,
    /// Cells of measured tables, times the passes in which the search for a model goes through all the steps that it remembers.
    pub stepped: f64,
    /// Bytes of the coded table, where rows are asked about again and again.
    pub coded_bytes: f64,
    /// Cells of the tables that are counted at once.
    pub counted_cells: f64,
    /// Cells of the candidates' tables that are compared with what a model expects of them.
    pub compared_cells: f64,
    /// Cells of the largest model.
    pub model_cells: f64,
    /// Cells of all tables that are measured.
    pub table_cells: f64,
}

/// A count of work: expectations need no more digits.
#[expect(clippy::cast_precision_loss, reason = "what work is counted with")]
pub(crate) fn real(count: u128) -> f64 {
    count as f64
}
