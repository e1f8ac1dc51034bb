//! Release bundles.

use std::path::PathBuf;

use pyo3::prelude::*;
use scumble::bundle::{self, Date, Publisher, Release};
use serde_json::json;

use crate::failure::Failure;
use crate::model::{Model, sampling_named};
use crate::quality::GivenCriteria;
use crate::work;

/// Writes a bundle and returns the list of its files, as JSON. `publisher` is a JSON object of
/// texts.
#[pyfunction]
#[pyo3(signature = (model, folder, *, rows, seed, sampling, date, publisher, criteria, progress))]
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
    criteria: GivenCriteria,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let model = &model.0;
    let publisher: Publisher = serde_json::from_str(publisher)
        .map_err(|_| Failure::usage("the publication metadata is not text", "give texts only"))?;
    let date = date.parse::<Date>().map_err(Failure::from)?;
    let usual = Release::of_model(model, rows, seed, date).map_err(Failure::from)?;
    let release = Release {
        sampling: sampling_named(sampling)?.unwrap_or(usual.sampling),
        publisher,
        criteria: criteria.read()?,
        ..usual
    };
    work::run(py, progress.as_ref(), |reporter| {
        let mut progress = reporter.of_rows();
        let files = bundle::create(model, &release, &folder, |drawn| progress(drawn, release.rows))?;
        Ok(json!({ "files": files, "release": release, "left_open": release.left_open(model) }).to_string())
    })
}

/// Verifies a bundle and returns all checks, as JSON.
#[pyfunction]
pub(crate) fn bundle_verify(py: Python<'_>, folder: PathBuf, progress: Option<Py<PyAny>>) -> PyResult<String> {
    work::run(py, progress.as_ref(), |reporter| {
        let found = bundle::verify(&folder, |drawn, rows| {
            reporter.report("drawing rows again", drawn, rows);
            !scumble_cancel::is_cancelled()
        })?;
        Ok(json!({ "ok": found.failed().next().is_none(), "checks": found.checks }).to_string())
    })
}
