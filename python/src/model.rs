//! Fits, models, and synthetic rows.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use scumble::mechanisms::marginals::Exported;
use scumble::report::{Explanation, FitClock, LearnedColumns, Summary, dead_columns, guarantee, picture, public_page};
use scumble::schema::Decoder;
use scumble::{
    ApproxDp, Conditions, Delta, Draw, Epsilon, Input, Ledger, MemoryLimit, Method, ReadOptions, Sampling, Shares,
    Start,
};

use crate::columns::Columns;
use crate::data::Data;
use crate::failure::Failure;
use crate::quality::GivenCheck;
use crate::schema::{Schema, format_named};
use crate::table::Table;
use crate::work;

/// A fitted model.
#[pyclass(frozen, module = "scumble._native")]
pub(crate) struct Model(pub(crate) scumble::Model);

/// Returns the method with this name and these options, each written `name=value`; without a name,
/// the recommended one.
pub(crate) fn method_named(name: Option<&str>, options: &[String], goal: ApproxDp) -> Result<Method, Failure> {
    let method = name.map_or_else(|| Ok(Method::recommended(goal)), Method::named)?;
    Ok(method.with_options(options.iter().map(String::as_str))?)
}

/// Returns the privacy goal of a fit.
pub(crate) fn goal(epsilon: f64, delta: f64) -> Result<ApproxDp, Failure> {
    Ok(ApproxDp { epsilon: Epsilon::new(epsilon)?, delta: Delta::new(delta)? })
}

/// Returns the sampling method with this name.
pub(crate) fn sampling_named(name: Option<&str>) -> Result<Option<Sampling>, Failure> {
    let named = name.map(str::parse::<Sampling>).transpose();
    named.map_err(|unknown| Failure::usage(unknown.to_string(), "omit `sampling` for the default"))
}

/// Returns how work starts on its ledger.
pub(crate) fn start_of(resume: bool, anew: bool) -> Result<Start, Failure> {
    match (resume, anew) {
        (true, true) => Err(Failure::usage("`resume` and `anew` exclude each other", "give only one of them")),
        (true, false) => Ok(Start::Resume),
        (false, true) => Ok(Start::Anew),
        (false, false) => Ok(Start::New),
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("its keys are text")
}

#[pymethods]
impl Model {
    /// Fits a model to rows.
    #[staticmethod]
    #[pyo3(signature = (data, schema, *, unit, max_rows, learn_share, dialect, check, method, options, epsilon, delta,
                        ledger, resume, anew, accept_weak_privacy, save_to, format, threads,
                        memory_limit, spill_directory, push_down, progress))]
    #[expect(
        clippy::fn_params_excessive_bools,
        clippy::too_many_arguments,
        reason = "they have names where it is called"
    )]
    fn fit(
        data: &Bound<'_, PyAny>,
        schema: Option<&Schema>,
        unit: Option<String>,
        max_rows: Option<u32>,
        learn_share: Option<f64>,
        dialect: Option<&str>,
        check: Option<GivenCheck>,
        method: Option<&str>,
        options: Vec<String>,
        epsilon: f64,
        delta: f64,
        ledger: Option<PathBuf>,
        resume: bool,
        anew: bool,
        accept_weak_privacy: bool,
        save_to: Option<PathBuf>,
        format: Option<&str>,
        threads: Option<usize>,
        memory_limit: Option<&str>,
        spill_directory: Option<PathBuf>,
        push_down: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let goal = goal(epsilon, delta)?;
        let start = start_of(resume, anew)?;
        let memory_limit = memory_limit.map(str::parse::<MemoryLimit>).transpose();
        let read_options = ReadOptions {
            format: format.map(format_named).transpose()?,
            threads,
            memory_limit: memory_limit.map_err(|problem| Failure::usage(problem, "give a size, or none"))?,
            spill_directory,
            ..ReadOptions::default()
        };
        let method = method_named(method, &options, goal)?;
        let inputs = Data::of(data)?.0;
        let columns = Columns::of(schema, &inputs, unit, max_rows, learn_share, dialect)?;
        let check = check.as_ref().map(GivenCheck::read).transpose()?;
        let model = work::run(data.py(), progress.as_ref(), |reporter| {
            // Without a progress bar no forecast is needed.
            let sink = progress.is_some().then(|| {
                let file = inputs.first().and_then(Input::path).map(PathBuf::from).unwrap_or_default();
                let (schema, method) = (columns.schema().cloned(), method.clone());
                reporter.of_fit(move |bytes| FitClock::start(schema.as_ref()?, &method, goal, &file, bytes))
            });
            let ledger = ledger.as_deref().map(Ledger::open).transpose()?;
            let fit = columns
                .fit(goal)
                .method(method.clone())
                .ledger(ledger.as_ref())
                .start(start)
                .accept_weak_privacy(accept_weak_privacy)
                .check_rows(check)
                .push_down(push_down)
                .read_options(ReadOptions { progress: sink, ..read_options });
            let fit = match save_to {
                Some(path) => fit.save_to(path),
                None => fit,
            };
            Ok(fit.run(&inputs)?)
        });
        Ok(Self(model?))
    }

    /// Fits a model to a file of noisy tables that another party released.
    #[staticmethod]
    fn of_marginals(py: Python<'_>, path: PathBuf, schema: &Schema) -> PyResult<Self> {
        work::run(py, None, |_| Ok(Self(scumble::fit_marginals(&path, &schema.0)?)))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        work::run(py, None, |_| Ok(Self(scumble::Model::read(&path)?)))
    }

    /// Restores the model written by [`Model::to_bytes`].
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        Ok(Self(scumble::Model::from_bytes(bytes)?))
    }

    /// Returns the bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Writes the model file atomically.
    fn save(&self, path: PathBuf) -> Result<(), Failure> {
        Ok(self.0.write(&path)?)
    }

    /// Draws rows.
    #[pyo3(signature = (*, rows, seed, sampling, conditions, rebalance, path, progress))]
    #[expect(clippy::too_many_arguments, reason = "they have names where it is called")]
    fn sample(
        &self,
        py: Python<'_>,
        rows: Option<u64>,
        seed: Option<u64>,
        sampling: Option<&str>,
        conditions: Vec<String>,
        rebalance: Option<(String, String)>,
        path: Option<PathBuf>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Table> {
        let (schema, sampling) = (self.0.schema(), sampling_named(sampling)?);
        work::run(py, progress.as_ref(), |reporter| {
            let filter = Conditions::parse(schema, conditions.iter().map(String::as_str))?;
            let shares = rebalance.map(|(column, lines)| Shares::parse_csv(schema, &column, &lines)).transpose()?;
            let draw = Draw::from(&self.0).rows(rows).seed(seed).sampling(sampling).filter(filter).rebalance(shares);
            let draw = draw.progress(reporter.of_rows());
            let batches = match path {
                Some(path) => draw.write(path).map(|_| vec![]),
                None => draw.collect(),
            };
            Ok(Table::new(Decoder::new(schema).arrow_schema().clone(), batches?))
        })
    }

    /// Writes the noisy tables that the model was fitted to. Returns the number of tables that were
    /// summed over columns that are not in the schema, and the number left out because they have no
    /// other columns.
    fn write_marginals(&self, path: PathBuf) -> Result<(usize, usize), Failure> {
        let Exported { marginals, summed, left_out } = self.0.marginals()?;
        marginals.write(&path, self.0.schema())?;
        Ok((summed, left_out))
    }

    /// Released number of rows.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// Schema of the fitted table.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.0.schema().clone())
    }

    /// Name of the method and its options, as JSON; `None` if the tables were released by another
    /// party.
    #[getter]
    fn method(&self) -> Option<(&'static str, String)> {
        self.0.method().map(|method| (method.name(), json(method)))
    }

    /// The guarantee in one sentence.
    #[getter]
    fn guarantee(&self) -> String {
        guarantee(&self.0)
    }

    /// The certificate, as JSON; `None` if the tables were released by another party.
    #[getter]
    fn certificate(&self) -> Option<String> {
        self.0.certificate().map(json)
    }

    /// SHA-256 of the model file.
    #[getter]
    fn fingerprint(&self) -> String {
        self.0.fingerprint()
    }

    /// Returns a summary, as JSON and as text.
    fn summary(&self, py: Python<'_>) -> PyResult<(String, String)> {
        work::run(py, None, |_| {
            let summary = Summary::new(&self.0);
            Ok((json(&summary), summary.to_string()))
        })
    }

    /// Returns a sentence for every column with nearly all values missing, unknown or at a bound.
    fn dead_columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        work::run(py, None, |_| Ok(dead_columns(&self.0).iter().map(ToString::to_string).collect()))
    }

    /// Returns a line for each column that was learned.
    fn learned_columns(&self) -> Vec<(String, String)> {
        let learned = self.0.certificate().and_then(|certificate| LearnedColumns::new(self.0.schema(), certificate));
        let columns = learned.iter().flat_map(LearnedColumns::columns);
        columns.map(|column| (column.name.clone(), column.found.clone())).collect()
    }

    /// Returns the explanation of the guarantee in plain words, as JSON and as text.
    fn explanation(&self) -> (String, String) {
        let explanation = Explanation::new(&self.0);
        (json(&explanation.paragraphs), explanation.to_string())
    }

    /// Returns a picture of the model, as SVG.
    fn picture(&self, py: Python<'_>) -> PyResult<String> {
        work::run(py, None, |_| Ok(picture(&self.0)))
    }

    /// Returns the report for publication, as HTML.
    #[pyo3(signature = (*, title))]
    fn page(&self, py: Python<'_>, title: Option<&str>) -> PyResult<String> {
        work::run(py, None, |_| Ok(public_page(&self.0, title)))
    }
}
