//! Quality of synthetic rows that may be published, and criteria.

use std::path::PathBuf;

use pyo3::prelude::*;
use scumble::mechanisms::quality::{Check, CheckShare, Checked, Criteria, Judged};
use scumble::{Certificate, Ledger, ReadOptions, RowCheck, Workload, parse_criteria, read_criteria};
use serde::Serialize;

use crate::data::Data;
use crate::failure::Failure;
use crate::model::{Model, goal, sampling_named, start_of};
use crate::schema::format_named;
use crate::work;

/// Criteria: a path, or their text.
#[derive(FromPyObject)]
pub(crate) struct GivenCriteria {
    #[pyo3(item)]
    path: Option<PathBuf>,
    #[pyo3(item)]
    text: Option<String>,
}

impl GivenCriteria {
    pub(crate) fn read(&self) -> Result<Option<Criteria>, Failure> {
        Ok(match (&self.path, &self.text) {
            (Some(path), _) => Some(read_criteria(path)?),
            (None, Some(text)) => Some(parse_criteria(text)?),
            (None, None) => None,
        })
    }
}

/// The check of a fit.
#[derive(FromPyObject)]
pub(crate) struct GivenCheck {
    #[pyo3(item)]
    share: Option<f64>,
    #[pyo3(item)]
    criteria: GivenCriteria,
    #[pyo3(item)]
    rows: Option<u64>,
    #[pyo3(item)]
    seed: u64,
    #[pyo3(item)]
    sampling: Option<String>,
}

impl GivenCheck {
    pub(crate) fn read(&self) -> Result<Check, Failure> {
        let share = self.share.map_or_else(|| Ok(CheckShare::default()), share_of)?;
        let (criteria, sampling) = (self.criteria.read()?, sampling_named(self.sampling.as_deref())?);
        Ok(Check { share, rows: self.rows, seed: self.seed, sampling, ..Check::new(criteria.as_ref()) })
    }
}

fn share_of(share: f64) -> Result<CheckShare, Failure> {
    CheckShare::of(share).ok_or_else(|| {
        let problem = "`check_share` is at least 0.001 and at most 0.999";
        Failure::usage(problem, "give 0.05, or leave it out to check nothing")
    })
}

/// Released figures, how they compare with criteria, and the certificate of a check by itself.
#[derive(Serialize)]
struct Quality<'a> {
    #[serde(flatten)]
    checked: &'a Checked,
    criteria: Vec<Judged>,
    accepted: bool,
    /// Mandatory criteria that are not met or were not measured, in words.
    refusals: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<&'a Certificate>,
}

/// Returns figures and criteria, as JSON and as text.
fn shown(checked: &Checked, criteria: Option<&Criteria>, certificate: Option<&Certificate>) -> (String, String) {
    let refusals = criteria.map(|criteria| criteria.refusals(checked)).unwrap_or_default();
    let criteria = criteria.map(|criteria| criteria.judge(checked)).unwrap_or_default();
    let lines = checked.figures.iter().map(ToString::to_string);
    let lines: Vec<String> = lines.chain(criteria.iter().map(ToString::to_string)).collect();
    let quality = Quality { checked, criteria, accepted: refusals.is_empty(), refusals, certificate };
    (serde_json::to_string(&quality).expect("figures are text and numbers"), lines.join("\n"))
}

/// Returns the figures of the rows that the fit of a model checked, and how they compare with
/// criteria, as JSON and as text; `None` if there are neither figures nor criteria.
#[pyfunction]
pub(crate) fn quality(model: &Model, criteria: GivenCriteria) -> Result<Option<(String, String)>, Failure> {
    let criteria = criteria.read()?;
    Ok(match (model.0.checked(), &criteria) {
        (None, None) => None,
        // Without figures no criterion is met.
        (checked, criteria) => Some(shown(&checked.unwrap_or_default(), criteria.as_ref(), None)),
    })
}

/// Draws rows of a model and compares them with the real ones, for a budget of its own. Returns
/// figures, as JSON and as text.
#[pyfunction]
#[pyo3(signature = (model, data, *, epsilon, delta, rows, seed, sampling, criteria, workload, ledger, resume, anew,
                    accept_weak_privacy, format, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names where it is called")]
pub(crate) fn check_rows(
    model: &Model,
    data: &Bound<'_, PyAny>,
    epsilon: f64,
    delta: f64,
    rows: Option<u64>,
    seed: u64,
    sampling: Option<&str>,
    criteria: GivenCriteria,
    workload: &str,
    ledger: Option<PathBuf>,
    resume: bool,
    anew: bool,
    accept_weak_privacy: bool,
    format: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String)> {
    let (model, goal, start) = (&model.0, goal(epsilon, delta)?, start_of(resume, anew)?);
    let (criteria, sampling) = (criteria.read()?, sampling_named(sampling)?);
    let workload: Workload = serde_json::from_str(workload).map_err(|_| {
        Failure::usage("the workload has another form", "give a list such as `[{\"columns\": [\"age\", \"income\"]}]`")
    })?;
    let read_options = ReadOptions { format: format.map(format_named).transpose()?, ..ReadOptions::default() };
    let inputs = Data::of(data)?.0;
    work::run(data.py(), progress.as_ref(), |reporter| {
        reporter.report("comparing", 0, 0);
        let ledger = ledger.as_deref().map(Ledger::open).transpose()?;
        let check = RowCheck::new(model.schema(), goal)
            .figures(criteria.as_ref().map(Criteria::figures).unwrap_or_default())
            .workload(workload)
            .ledger(ledger.as_ref())
            .start(start)
            .accept_weak_privacy(accept_weak_privacy)
            .read_options(read_options);
        let (checked, certificate) = check.run_on_model(&inputs, model, rows, seed, sampling)?;
        Ok(shown(&checked, criteria.as_ref(), Some(&certificate)))
    })
}
