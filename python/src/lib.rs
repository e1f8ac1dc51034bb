//! Native module of the Python package `scumble`, whose Python classes are thin wrappers of it.
//!
//! The module makes no decisions of its own. It adds what Python needs to the library: tables by
//! Arrow's C interface, work that lets other Python threads run and ends at Ctrl-C, and exceptions.
//!
//! | module | gives Python |
//! |---|---|
//! | `arrow`, `data`, `table` | tables in and out: frames by Arrow's C interface, paths, synthetic rows in memory, the demo |
//! | `objects`, `object_column` | columns of Python objects, value by value |
//! | `schema` | schemas as written and checked, drafts, other tools' files |
//! | `plan` | what a budget buys, before any row is read |
//! | `model`, `ledger`, `bundle` | fits and samples, the cap of a table, release folders |
//! | `quality` | figures of rows that may be published, and criteria |
//! | `output` | whether a file may be written |
//! | `evaluate` | quality against the real rows, stamped NOT DIFFERENTIALLY PRIVATE |
//! | `work`, `failure` | threads, progress and Ctrl-C; one tree of exceptions, with the hints of the command line and nothing of the data |
//!
//! It must not copy anything that depends on rows from a real frame to a synthetic one: an index,
//! categories, the order of rows. It is the only crate with a Python interpreter,
//! and the only one that may have unsafe code. `docs/how-to/from-python.md` shows how to use the
//! package. Its tests are in `python/tests`, since nothing here runs without Python.

mod arrow;
mod bundle;
mod columns;
mod data;
mod evaluate;
mod failure;
mod ledger;
mod model;
mod object_column;
mod objects;
mod output;
mod plan;
mod quality;
mod schema;
mod table;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// The native module of `scumble`. Private: use the package.
#[pymodule]
mod _native {
    use super::{OsString, PyModule, PyResult, Python, failure};
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::arrow::Types;
    #[pymodule_export]
    use super::bundle::{bundle_create, bundle_verify, check_folder_name, try_key};
    #[pymodule_export]
    use super::evaluate::{coverage, evaluate};
    #[pymodule_export]
    use super::ledger::{ledger_create, ledger_statement};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::output::output_refused;
    #[pymodule_export]
    use super::plan::{Plan, method_options, plan};
    #[pymodule_export]
    use super::quality::{check_rows, quality};
    #[pymodule_export]
    use super::schema::{Schema, draft, parse_spec, read_spec, spec_to_yaml};
    #[pymodule_export]
    use super::table::{Table, demo_people, demo_schema};

    /// Runs the command line, which begins with the name of the program, and returns the exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| scumble_cli::run(arguments))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        failure::silence_panics();
        module.add("DEFAULT_DELTA", scumble::Delta::DEFAULT.get())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
