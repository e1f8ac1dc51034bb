//! Fitting, models, and rows drawn from them.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use scumble::cluster::Stores;
use scumble::mechanisms::MechanismError;
use scumble::mechanisms::marginals::Exported;
use scumble::report::{Explanation, FitClock, Summary, dead_columns, guarantee, picture, public_page};
use scumble::schema::{DecodedRows, Decoder};
use scumble::{
    ApproxDp, Delta, Epsilon, Error, Input, Ledger, MemoryLimit, Method, ReadOptions, Sampling, Shares, Start, Wanted,
    fresh_seed, refuse_weak_terms,
};

use crate::data::Data;
use crate::failure::Failure;
use crate::schema::{Schema, format_named};
use crate::table::Table;
use crate::work::{self, Reporter};

/// A fitted model.
#[pyclass(frozen, module = "scumble._native")]
pub(crate) struct Model(pub(crate) scumble::Model);

/// The method of this name with these options, each written `name=value`; the recommended one without a name.
pub(crate) fn method_named(name: Option<&str>, options: &[String], goal: ApproxDp) -> Result<Method, Failure> {
    let method = name.map_or_else(|| Ok(Method::recommended(goal)), Method::named)?;
    Ok(method.with_options(options.iter().map(String::as_str))?)
}

/// What a fit has to stay within.
pub(crate) fn goal(epsilon: f64, delta: f64) -> Result<ApproxDp, Failure> {
    Ok(ApproxDp { epsilon: Epsilon::new(epsilon)?, delta: Delta::new(delta)? })
}

/// The way of sampling that is called so on the command line; the usual one for so many rows without a name.
pub(crate) fn sampling_named(name: Option<&str>, rows: u64) -> Result<Sampling, Failure> {
    match name {
        None => Ok(Sampling::for_rows(rows)),
        Some("matched") => Ok(Sampling::Matched),
        Some("low-variance") => Ok(Sampling::LowVariance),
        Some("independent") => Ok(Sampling::Independent),
        Some(name) => {
            Err(Failure::usage(format!("there is no sampling `{name}`"), "take matched, low-variance or independent"))
        }
    }
}

/// What a fit is asked for, besides the rows.
struct Request<'a> {
    schema: &'a scumble::Schema,
    method: Method,
    goal: ApproxDp,
    ledger: Option<PathBuf>,
    start: Start,
    save_to: Option<PathBuf>,
    /// Whether anybody is told how far it is.
    is_watched: bool,
    options: ReadOptions,
}

impl Request<'_> {
    fn fit(self, inputs: &[Input], reporter: &Reporter) -> Result<scumble::Model, Failure> {
        let Self { schema, method, goal, ledger, start, save_to, is_watched, options } = self;
        // What nobody watches needs no forecast.
        let progress = is_watched.then(|| {
            let file = inputs.first().and_then(Input::path).map(PathBuf::from).unwrap_or_default();
            let (schema, method) = (schema.clone(), method.clone());
            reporter.of_fit(move |bytes| FitClock::start(&schema, &method, goal, &file, bytes))
        });
        let options = ReadOptions { progress, ..options };
        let (model, job) = match ledger {
            None => (scumble::fit(inputs, schema, &method, goal, &options)?, None),
            Some(path) => {
                let ledger = Ledger::open(&path)?;
                let (model, job) = scumble::fit_on(&ledger, start, inputs, schema, &method, goal, &options)?;
                (model, Some(job))
            }
        };
        // In this order: until the model is durable, the ledger keeps what is needed to make it again.
        if let Some(path) = save_to {
            model.write(&path)?;
        }
        if let Some(job) = job {
            job.commit()?;
        }
        Ok(model)
    }
}

/// Which rows are drawn, and how.
struct Draw {
    rows: Option<u64>,
    seed: Option<u64>,
    sampling: Option<String>,
    /// As on the command line: `column=value`.
    conditions: Vec<String>,
    /// A column, and the text of a CSV file with its values and their shares.
    rebalance: Option<(String, String)>,
}

impl Draw {
    /// Draws the rows, or writes them to a file if there is one.
    fn from(self, model: &scumble::Model, path: Option<&PathBuf>, reporter: &Reporter) -> Result<Table, Failure> {
        let seed = self.seed.map_or_else(fresh_seed, Ok)?;
        let schema = model.schema();
        let columns = Decoder::new(schema).arrow_schema().clone();
        if self.conditions.is_empty() && self.rebalance.is_none() {
            let rows = self.rows.unwrap_or(model.rows());
            let sampling = sampling_named(self.sampling.as_deref(), rows)?;
            let go_on = reporter.of_rows(rows);
            if let Some(path) = path {
                scumble::sample(model, rows, seed, sampling, path, go_on)?;
                return Ok(Table::new(columns, vec![]));
            }
            schema.check_rows(rows).map_err(MechanismError::Rows)?;
            let batches = collect(model.sample_rows(rows, seed, sampling).map(Ok), go_on)?;
            return Ok(Table::new(columns, batches));
        }
        let wanted = Wanted::parse(schema, self.conditions.iter().map(String::as_str))?;
        let shares = self.rebalance.map(|(column, lines)| Shares::parse_csv(schema, &column, &lines)).transpose()?;
        let part = model.part(&wanted, shares.as_ref())?;
        let rows = self.rows.or_else(|| part.expected_rows()).ok_or_else(|| {
            let problem = "the model expects less than one row that meets these conditions";
            Failure::usage(problem, "say how many to draw with `rows`")
        })?;
        let sampling = sampling_named(self.sampling.as_deref(), rows)?;
        let go_on = reporter.of_rows(rows);
        if let Some(path) = path {
            scumble::sample_part(&part, rows, seed, sampling, path, go_on)?;
            return Ok(Table::new(columns, vec![]));
        }
        schema.check_rows(rows).map_err(MechanismError::Rows)?;
        let batches = collect(part.sample(rows, seed, sampling)?, go_on)?;
        Ok(Table::new(columns, batches))
    }
}

fn collect(
    rows: impl Iterator<Item = Result<DecodedRows, MechanismError>>,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Vec<arrow_array::RecordBatch>, Failure> {
    let (mut batches, mut drawn) = (Vec::new(), 0);
    for rows in rows {
        let batch = rows?.batch;
        drawn += batch.num_rows() as u64;
        batches.push(batch);
        if !go_on(drawn) {
            return Err(Error::Interrupted.into());
        }
    }
    Ok(batches)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("what we tell has text keys")
}

#[pymethods]
impl Model {
    /// Fits a model to rows.
    #[staticmethod]
    #[pyo3(signature = (data, schema, *, method, options, epsilon, delta, ledger, resume, anew,
                        accept_weak_privacy, save_to, format, threads,
                        memory_limit, spill_directory, progress))]
    #[expect(clippy::too_many_arguments, reason = "they have names where it is called")]
    fn fit(
        data: &Bound<'_, PyAny>,
        schema: &Schema,
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
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let goal = goal(epsilon, delta)?;
        if !accept_weak_privacy {
            refuse_weak_terms(goal, None).map_err(Failure::from)?;
        }
        let start = match (resume, anew) {
            (true, true) => {
                let problem = "a fit is either resumed or begun anew";
                return Err(Failure::usage(problem, "give one of `resume` and `anew`").into());
            }
            (true, false) => Start::Resume,
            (false, true) => Start::Anew,
            (false, false) => Start::New,
        };
        let memory_limit = memory_limit.map(str::parse::<MemoryLimit>).transpose();
        let request = Request {
            schema: &schema.0,
            method: method_named(method, &options, goal)?,
            goal,
            ledger,
            start,
            save_to,
            is_watched: progress.is_some(),
            options: ReadOptions {
                format: format.map(format_named).transpose()?,
                threads,
                memory_limit: memory_limit.map_err(|problem| Failure::usage(problem, "give a size, or none"))?,
                spill_directory,
                progress: None,
                remote: None,
                stores: Some(Arc::new(Stores::default())),
            },
        };
        let inputs = Data::of(data)?.0;
        let model = work::run(data.py(), progress.as_ref(), |reporter| request.fit(&inputs, &reporter));
        Ok(Self(model?))
    }

    /// Fits a model to a file of noisy tables that were made elsewhere.
    #[staticmethod]
    fn of_marginals(py: Python<'_>, path: PathBuf, schema: &Schema) -> PyResult<Self> {
        work::run(py, None, |_| Ok(Self(scumble::fit_marginals(&path, &schema.0)?)))
    }

    /// Reads a model file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        work::run(py, None, |_| Ok(Self(scumble::Model::read(&path)?)))
    }

    /// The model that [`Model::to_bytes`] has written down.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        Ok(Self(scumble::Model::from_bytes(bytes)?))
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Writes the model file, whole or not at all.
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
        sampling: Option<String>,
        conditions: Vec<String>,
        rebalance: Option<(String, String)>,
        path: Option<PathBuf>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Table> {
        let draw = Draw { rows, seed, sampling, conditions, rebalance };
        work::run(py, progress.as_ref(), |reporter| draw.from(&self.0, path.as_ref(), &reporter))
    }

    /// Writes the noisy tables that the model was fitted to; how many are summed over columns of the method's own, and how many
    /// are left out because they have no others.
    fn write_marginals(&self, path: PathBuf) -> Result<(usize, usize), Failure> {
        let Exported { marginals, summed, left_out } = self.0.marginals()?;
        marginals.write(&path, self.0.schema())?;
        Ok((summed, left_out))
    }

    /// The released number of rows.
    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// The schema it was fitted to.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(self.0.schema().clone())
    }

    /// The method that measured it and its options, as JSON; nothing if its tables were made elsewhere.
    #[getter]
    fn method(&self) -> Option<(&'static str, String)> {
        self.0.method().map(|method| (method.name(), json(method)))
    }

    /// The guarantee in a sentence.
    #[getter]
    fn guarantee(&self) -> String {
        guarantee(&self.0)
    }

    /// The certificate, as JSON; nothing if its tables were made elsewhere.
    #[getter]
    fn certificate(&self) -> Option<String> {
        self.0.certificate().map(json)
    }

    /// The SHA-256 of the model file.
    #[getter]
    fn fingerprint(&self) -> String {
        self.0.fingerprint()
    }

    /// A summary, as JSON and as text.
    fn summary(&self, py: Python<'_>) -> PyResult<(String, String)> {
        work::run(py, None, |_| {
            let summary = Summary::new(&self.0);
            Ok((json(&summary), summary.to_string()))
        })
    }

    /// A sentence for every column nearly all of whose rows are missing, unknown or at an end.
    fn dead_columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        work::run(py, None, |_| Ok(dead_columns(&self.0).iter().map(ToString::to_string).collect()))
    }

    /// The guarantee in plain words, as JSON and as text.
    fn explanation(&self) -> (String, String) {
        let explanation = Explanation::new(&self.0);
        (json(&explanation.paragraphs), explanation.to_string())
    }

    /// A picture of the model, as SVG.
    fn picture(&self, py: Python<'_>) -> PyResult<String> {
        work::run(py, None, |_| Ok(picture(&self.0)))
    }

    /// The page that may be published, as HTML.
    #[pyo3(signature = (*, title))]
    fn page(&self, py: Python<'_>, title: Option<&str>) -> PyResult<String> {
        work::run(py, None, |_| Ok(public_page(&self.0, title)))
    }
}
