//! What the Python package `scumble` is made of: its classes in Python are thin, and call what is here.
//!
//! Nothing is decided here that the library does not decide. What this room adds is what Python asks for: tables that come and
//! go by Arrow's C interface, work that lets other Python threads run and ends at Ctrl-C, and exceptions.
//!
//! | module | gives Python |
//! |---|---|
//! | `arrow`, `data`, `table` | tables in and out: frames by Arrow's C interface, paths, synthetic rows in memory, the demo |
//! | `objects`, `object_column` | columns of Python objects, value by value |
//! | `schema` | schemas as written and checked, drafts, other tools' files |
//! | `plan` | what a budget buys, before any row is read |
//! | `model`, `ledger`, `bundle` | fits and samples, the cap of a table, release folders |
//! | `output` | whether a file may be written |
//! | `evaluate` | quality against the real rows, stamped NOT DIFFERENTIALLY PRIVATE |
//! | `work`, `failure` | threads, progress and Ctrl-C; one tree of exceptions, with the hints of the command line and nothing of the data |
//!
//! It may not copy anything that depends on rows from a real frame to a synthetic one: an index, categories, the order of rows. It is the one
//! crate with an interpreter in it, and the one that may hold code that is unsafe for the interpreter's sake. How it is used is in
//! `docs/how-to/from-python.md`; its tests are in `python/tests`, since nothing here runs without Python.

mod arrow;
mod bundle;
mod data;
mod evaluate;
mod failure;
mod ledger;
mod model;
mod object_column;
mod objects;
mod output;
mod plan;
mod schema;
mod table;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// The compiled part of `scumble`. Private: everything in it is reached through the package.
#[pymodule]
mod _native {
    use super::{OsString, PyModule, PyResult, Python, failure};
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::arrow::Types;
    #[pymodule_export]
    use super::bundle::{bundle_create, bundle_verify};
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
    use super::schema::{Schema, draft, parse_spec, read_spec, spec_to_yaml};
    #[pymodule_export]
    use super::table::{Table, demo_people, demo_schema};

    /// Runs the command line, the name of the program first, and returns the exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| scumble_cli::run(arguments))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        failure::keep_panics_silent();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
