//! A release as one folder.

use std::path::PathBuf;

use pyo3::prelude::*;
use scumble::bundle::{self, Date, Publisher, Release};
use scumble::fresh_seed;
use serde_json::json;

use crate::failure::Failure;
use crate::model::{Model, sampling_named};
use crate::work;

/// Writes a bundle, and tells what is in it, as JSON. What the publisher says is a JSON object.
#[pyfunction]
#[pyo3(signature = (model, folder, *, rows, seed, sampling, date, publisher, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names where it is called")]
pub(crate) fn bundle_create(
    py: Python<'_>,
    model: &Model,
    folder: PathBuf,
    rows: Option<u64>,
    seed: Option<u64>,
    sampling: Option<&str>,
    date: &str,
    publisher: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let model = &model.0;
    let rows = rows.unwrap_or(model.rows());
    let publisher: Publisher = serde_json::from_str(publisher)
        .map_err(|_| Failure::usage("a text of the publisher is none", "give texts only"))?;
    let release = Release {
        rows,
        seed: seed.map_or_else(fresh_seed, Ok).map_err(Failure::from)?,
        sampling: sampling_named(sampling, rows)?,
        date: date.parse::<Date>().map_err(Failure::from)?,
        publisher,
    };
    work::run(py, progress.as_ref(), |reporter| {
        let files = bundle::create(model, &release, &folder, reporter.of_rows(rows))?;
        Ok(json!({ "files": files, "release": release, "left_open": release.left_open(model) }).to_string())
    })
}

/// Checks a bundle: every check, as JSON.
#[pyfunction]
pub(crate) fn bundle_verify(py: Python<'_>, folder: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<String> {
    work::run(py, progress.as_ref(), |reporter| {
        let found = bundle::verify(&folder, |drawn, rows| {
            reporter.tell("drawing rows again", drawn, rows);
            !scumble_cancel::is_cancelled()
        })?;
        Ok(json!({ "ok": found.failed().next().is_none(), "checks": found.checks }).to_string())
    })
}
