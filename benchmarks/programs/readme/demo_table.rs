//! The made-up survey, in a file, and fits to it.

use std::path::PathBuf;

use scumble::{ApproxDp, Delta, Epsilon, Input, Method, Model, Schema, TableWriter, demo};
use scumble_benchmarks::Result;
use tempfile::TempDir;

/// The budget of every fit.
pub(crate) const EPSILON: f64 = 1.0;
const DELTA: f64 = 1e-9;

/// The survey.
pub(crate) struct Demo {
    pub(crate) real: PathBuf,
    schema: Schema,
    /// Where files are, as long as this is.
    pub(crate) folder: TempDir,
}

impl Demo {
    pub(crate) fn new(rows: u64) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let real = folder.path().join("people.csv");
        let mut people = demo::people(rows, 1);
        let mut writer = TableWriter::create(&real, people.arrow_schema().clone())?;
        people.try_for_each(|batch| writer.write(&batch))?;
        writer.finish()?;
        Ok(Self { real, schema: Schema::parse(demo::PEOPLE_SCHEMA)?, folder })
    }

    pub(crate) fn fit(&self) -> Result<Model> {
        let goal = ApproxDp { epsilon: Epsilon::new(EPSILON)?, delta: Delta::new(DELTA)? };
        let (input, method) = (Input::new(&self.real), Method::recommended(goal));
        Ok(scumble::Fit::new(&self.schema, goal).method(method).run(&[input])?)
    }
}
