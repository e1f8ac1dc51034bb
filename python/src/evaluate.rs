//! Quality against the real rows. NOT differentially private, and every result says so.

use std::thread;

use pyo3::prelude::*;
use scumble::ReadOptions;
use scumble::schema::AttributeId;
use scumble_evaluate::evaluation::Depth;
use scumble_evaluate::{Columns, Coverage, Evaluation, NOT_PRIVATE, Settings, steward_page};

use crate::data::Data;
use crate::failure::{Failure, refused};
use crate::schema::Schema;
use crate::work;

fn columns(schema: &Schema, names: &[String]) -> Result<Vec<AttributeId>, Failure> {
    let column = |name: &String| {
        let unknown =
            || Failure::usage(format!("there is no column `{name}` in the schema"), "give a column of the schema");
        schema.0.find(name).ok_or_else(unknown)
    };
    names.iter().map(column).collect()
}

/// Compares a synthetic table with the real one. Returns JSON, text and a page.
#[pyfunction]
#[pyo3(signature = (real, synthetic, schema, *, orders, count, subgroups, targets, quick, seed, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names where it is called")]
pub(crate) fn evaluate(
    real: &Bound<'_, PyAny>,
    synthetic: &Bound<'_, PyAny>,
    schema: &Schema,
    orders: Vec<usize>,
    count: usize,
    subgroups: Option<Vec<String>>,
    targets: Option<Vec<String>>,
    quick: bool,
    seed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, String)> {
    let usual = Settings::new(&schema.0);
    let settings = Settings {
        orders,
        count,
        subgroups: subgroups.map_or(Ok(usual.subgroups), |names| columns(schema, &names))?,
        targets: targets.map_or(Ok(usual.targets), |names| columns(schema, &names))?,
        depth: if quick { Depth::Quick } else { Depth::Full },
        seed,
        ..usual
    };
    let (inputs, synthetic) = (Data::of(real)?.0, Data::of(synthetic)?.0);
    work::run(real.py(), progress.as_ref(), |reporter| {
        reporter.report("evaluating", 0, 0);
        let options = ReadOptions::default();
        let token = scumble_cancel::current();
        // Read concurrently: each table is read by one thread, in order.
        let (real, synthetic) = thread::scope(|scope| {
            let real = scope.spawn(|| scumble_cancel::share(token, || Columns::read(&inputs, &schema.0, &options)));
            let synthetic = Columns::read(&synthetic, &schema.0.of_synthetic_rows(), &options);
            (real.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), synthetic)
        });
        let (real, synthetic) = (real.map_err(refused)?, synthetic.map_err(refused)?);
        let evaluation = Evaluation::new(&real, &synthetic, &schema.0, &settings).map_err(refused)?;
        let json = serde_json::to_string(&evaluation).expect("its keys are text");
        Ok((json, evaluation.to_string(), steward_page(&evaluation)))
    })
}

/// Returns which values of a table the schema covers, as JSON, and as text that begins with the
/// stamp.
#[pyfunction]
pub(crate) fn coverage(data: &Bound<'_, PyAny>, schema: &Schema) -> PyResult<(String, String)> {
    let inputs = Data::of(data)?.0;
    work::run(data.py(), None, |_| {
        let coverage = Coverage::read(&inputs, &schema.0, &ReadOptions::default()).map_err(refused)?;
        let json = serde_json::json!({ "stamp": NOT_PRIVATE, "coverage": coverage });
        Ok((json.to_string(), coverage.to_string()))
    })
}
