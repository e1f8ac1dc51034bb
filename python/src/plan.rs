//! Predictions of error and cost, before any row is read.

use std::num::NonZeroU64;

use pyo3::prelude::*;
use scumble::mechanisms::forecast::Machine;
use scumble::report;
use scumble::{ApproxDp, Method};
use serde_json::Value;

use crate::failure::Failure;
use crate::model::{goal, method_named};
use crate::schema::Schema;
use crate::work;

/// Predictions for fits.
#[pyclass(frozen, module = "scumble._native")]
pub(crate) struct Plan(report::FitPlan);

#[pymethods]
impl Plan {
    /// Returns all predictions, as JSON.
    fn json(&self) -> String {
        serde_json::to_string(&self.0).expect("its keys are text")
    }

    /// Returns all predictions, as text.
    fn text(&self) -> String {
        self.0.to_string()
    }

    /// Returns a picture of expected errors against epsilon, as SVG.
    fn picture(&self) -> String {
        self.0.picture()
    }
}

/// Predicts fits by methods, each a name and options, for privacy goals.
#[pyfunction]
pub(crate) fn plan(
    py: Python<'_>,
    schema: &Schema,
    methods: Vec<(Option<String>, Vec<String>)>,
    goals: Vec<(f64, f64)>,
    rows: u64,
) -> PyResult<Plan> {
    let rows =
        NonZeroU64::new(rows).ok_or_else(|| Failure::usage("`rows` is 0", "give the approximate number of rows"))?;
    let goals = goals.into_iter().map(|(epsilon, delta)| goal(epsilon, delta)).collect::<Result<Vec<ApproxDp>, _>>()?;
    let first = *goals.first().ok_or_else(|| Failure::usage("no epsilon to plan for", "give at least one"))?;
    let methods = methods.iter().map(|(name, options)| method_named(name.as_deref(), options, first));
    let methods = methods.collect::<Result<Vec<Method>, _>>()?;
    work::run(py, None, |_| Ok(Plan(report::FitPlan::new(&schema.0, &methods, &goals, rows)?.on(Machine::this()))))
}

/// Returns the options of a method with their default values, as a JSON object.
#[pyfunction]
#[pyo3(signature = (name, options))]
pub(crate) fn method_options(name: &str, options: Vec<String>) -> Result<String, Failure> {
    let method = Method::named(name)?.with_options(options.iter().map(String::as_str))?;
    let written = serde_json::to_value(&method).expect("options are plain numbers and names");
    // A method without options is written as its name.
    let options = written.as_object().and_then(|method| method.values().next().cloned());
    Ok(options.unwrap_or(Value::Object(serde_json::Map::new())).to_string())
}
