//! Work of a fit, from which its time and memory are computed.

use serde::Serialize;

/// Expected work of a fit, by kind, and the expected size of what it holds in memory.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Work {
    /// Number of values read: rows times columns.
    pub read: f64,
    /// Number of values looked up to count tables: for each table, rows times columns.
    pub counted: f64,
    /// Number of cells of tables that candidates are scored by.
    pub scored: f64,
    /// Number of cells in which candidates are compared with a model, over all rounds.
    pub compared: f64,
    /// Number of candidates whose tables a model computes, times the cells of the model.
    pub explained: f64,
    /// Number of steps of the dynamic programmes of the score `F`.
    pub maximised: f64,
    /// Number of tables whose effect on the size of a model is predicted, times the columns of the
    /// model.
    pub sized: f64,
    /// Number of cells of models, times the passes over them.
    pub fitted: f64,
    /// Number of cells of measured tables, times the passes in which the search for a model visits
    /// all remembered steps.
    pub stepped: f64,
    /// Bytes of the coded table, for methods that ask about rows repeatedly.
    pub coded_bytes: f64,
    /// Number of cells of tables that are counted at once.
    pub counted_cells: f64,
    /// Number of cells of candidates that are compared with expected counts of a model.
    pub compared_cells: f64,
    /// Number of cells of the largest model.
    pub model_cells: f64,
    /// Number of cells of all measured tables.
    pub table_cells: f64,
}

/// Converts a count of work to a float.
pub(crate) fn real(count: u128) -> f64 {
    count as f64
}
