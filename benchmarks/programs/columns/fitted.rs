//! What the parts share: fits by the recommended method, and rows that break a rule.

use std::path::Path;

use scumble::engine::CodedTable;
use scumble::mechanisms::Method;
use scumble::schema::Clique;
use scumble::{ApproxDp, Delta, Epsilon, Input, Model, ReadOptions, Schema};
use scumble_benchmarks::Result;
use scumble_engine::exact::ExactCounts;

const DELTA: f64 = 1e-9;

/// A model of the rows, by the recommended method.
pub(crate) fn fit(schema: &Schema, rows: &Path, epsilon: f64) -> Result<Model> {
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon)?, delta: Delta::new(DELTA)? };
    Ok(scumble::Fit::new(schema, goal).method(Method::recommended(goal)).run(&[Input::new(rows)])?)
}

/// How many times a row breaks a rule.
pub(crate) fn violations(schema: &Schema, rows: &Input, options: &ReadOptions) -> Result<u64> {
    let table = CodedTable::read(std::slice::from_ref(rows), schema, options)?;
    let cliques: Vec<Clique> = schema.rules().iter().map(|rule| rule.clique().clone()).collect();
    let counts = table.count_tables(&cliques)?;
    Ok(schema.rules().iter().zip(&counts).map(|(rule, counts)| rule.broken(counts)).sum())
}
