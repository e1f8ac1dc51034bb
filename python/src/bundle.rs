//! Release bundles.

use std::path::PathBuf;

use pyo3::prelude::*;
use scumble::bundle::{self, Date, LedgerState, Publisher, Release, Signer, Signers};
use serde_json::json;

use crate::failure::Failure;
use crate::model::{Model, sampling_named};
use crate::quality::GivenCriteria;
use crate::work;

/// Writes a bundle and returns the list of its files, as JSON. `publisher` is a JSON object of
/// texts, `ledger` the ledger that the model was fitted on, and `sign` the key of its publisher.
#[pyfunction]
#[pyo3(signature = (model, folder, *, rows, seed, sampling, date, publisher, criteria, ledger, sign, progress))]
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
    ledger: Option<PathBuf>,
    sign: Option<PathBuf>,
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
        ledger: ledger.map(|path| LedgerState::read(&path, model)).transpose().map_err(Failure::from)?,
        ..usual
    };
    let signer = sign.map(|key| Signer::try_key(&key).map_err(Failure::from)).transpose()?;
    work::run(py, progress.as_ref(), |reporter| {
        let mut progress = reporter.of_rows();
        let go_on = |drawn| progress(drawn, release.rows);
        let files = match &signer {
            Some(signer) => bundle::create_signed(model, &release, signer, &folder, go_on)?,
            None => bundle::create(model, &release, &folder, go_on)?,
        };
        Ok(json!({ "files": files, "release": release, "left_open": release.left_open(model) }).to_string())
    })
}

/// Tries a key before budget is spent, so that no release fails for want of a signature.
#[pyfunction]
pub(crate) fn try_key(key: PathBuf) -> Result<(), Failure> {
    Signer::try_key(&key)?;
    Ok(())
}

/// Refuses the name of a file for the folder of a bundle, before budget is spent.
#[pyfunction]
pub(crate) fn check_folder_name(folder: PathBuf) -> Result<(), Failure> {
    bundle::check_folder_name(&folder)?;
    Ok(())
}

/// Verifies a bundle and returns all checks, as JSON. With `signers` it must be signed by one of
/// them, or by the one named `signer`.
#[pyfunction]
#[pyo3(signature = (folder, *, signers, signer, progress))]
pub(crate) fn bundle_verify(
    py: Python<'_>,
    folder: PathBuf,
    signers: Option<PathBuf>,
    signer: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let accepted = signers.map(|file| match signer {
        Some(name) => Signers::of(&file).named(name),
        None => Signers::of(&file),
    });
    work::run(py, progress.as_ref(), |reporter| {
        let go_on = |drawn, rows| {
            reporter.report("drawing rows again", drawn, rows);
            !scumble_cancel::is_cancelled()
        };
        let found = match &accepted {
            Some(signers) => bundle::verify_signed(&folder, signers, go_on)?,
            None => bundle::verify(&folder, go_on)?,
        };
        Ok(json!({ "ok": found.failed().next().is_none(), "checks": found.checks }).to_string())
    })
}
