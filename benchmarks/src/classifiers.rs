//! Support vector machines trained on some rows and tested on real rows that were held out, run by
//! run into a file.
//!
//! The judge splits the rows in five folds, trains and tests. A method sees only the four fifths
//! that are not tested on.

use std::path::{Path, PathBuf};

use scumble::Sampling;
use scumble::schema::AdjacencyKind;
use serde_json::Value;
use tempfile::TempDir;

use crate::benchmark::{Benchmark, Run, judge, score, text};
use crate::grid;
use crate::grid::mean_and_spread;
use crate::journal::{Journal, Row};
use crate::request::Request;
use crate::{Failure, Result};

/// Number of folds; each holds out a fifth of the rows.
pub const FOLDS: usize = 5;
/// Numbers of rows that the authors' code of PrivMRF was trained and tested on. The judge needs an
/// order of marginals, too.
const SVM: [&str; 6] = ["--alphas", "1", "--svm-max-train", "3000", "--svm-max-test", "3000"];

/// The rows that classifiers learn from.
pub enum Training {
    /// The real rows, for the best rate without privacy.
    Real,
    /// Rows of a model that is fitted to the real rows of the fold.
    Synthetic(Run),
}

/// Classifiers whose error becomes a line of the file.
pub struct Task {
    /// The first fields of the line, up to the fold.
    pub point: Row,
    /// The rows to learn from.
    pub training: Training,
    /// The fold that is held out.
    pub fold: usize,
}

impl Task {
    fn key(&self) -> Row {
        self.point.iter().cloned().chain([self.fold.to_string()]).collect()
    }
}

/// A folder with three files of rows: real rows to fit to, rows to learn from, and real rows to
/// test on.
pub struct Lesson(pub TempDir);

impl Lesson {
    /// Names of the three files.
    pub const FILES: [&str; 3] = ["real.csv", "learned.csv", "tested.csv"];

    fn prepare(benchmark: &Benchmark, training: &Training, fold: usize) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let [real, learned, tested] = Self::FILES.map(|name| folder.path().join(name));
        let files = ["--real", text(&benchmark.rows), "--train", text(&real), "--test", text(&tested)];
        judge(&[&["split", "--fold", &fold.to_string()], &files[..]].concat())?;
        match training {
            Training::Real => {
                std::fs::copy(&real, &learned)?;
            }
            Training::Synthetic(run) => {
                let model = benchmark.fit_to(&real, run)?;
                let sampling = Sampling::for_rows(model.rows());
                benchmark.write(&benchmark.synthesise(&model, fold as u64, sampling)?, &learned)?;
            }
        }
        Ok(Self(folder))
    }

    /// Returns the judge's scores of classifiers of these rows. `domain` is the file with the sizes
    /// of the columns.
    pub fn judged(&self, domain: &Path, options: &[&str]) -> Result<Value> {
        let [real, learned, tested] = Self::FILES.map(|name| self.0.path().join(name));
        let options = [&SVM[..], &["--svm", text(&tested)], options].concat();
        Ok(score(&real, domain, &learned, &options)?["svm"].take())
    }
}

/// A file of misclassification rates. Lines begin with what was learned from and the fold; rates
/// follow.
pub struct RateFile {
    journal: Journal,
    /// Number of columns before the fold.
    before_fold: usize,
}

impl RateFile {
    /// Opens the file, whose lines begin with these columns and the fold. The first `point` columns
    /// identify the point of a line.
    pub fn open(path: PathBuf, what: &[&str], point: usize, rates: &[&str]) -> Result<Self> {
        let header = [what, &["fold"], rates].concat();
        Ok(Self { journal: Journal::open(path, &header, point)?, before_fold: what.len() })
    }

    /// Runs those of the tasks whose results are missing. `rates` returns none for a rate that the
    /// table does not have.
    pub fn measure(
        &self,
        table: &str,
        tasks: &[Task],
        request: &Request,
        rates: impl Fn(&Benchmark, &Lesson) -> Result<Vec<Option<f64>>, Failure> + Sync,
    ) -> Result<()> {
        let keys: Vec<Row> = tasks.iter().map(Task::key).collect();
        let pending = self.journal.pending(&keys, request.mode)?;
        if pending.is_empty() {
            return Ok(());
        }
        let benchmark = Benchmark::read(&request.data, table, AdjacencyKind::AddRemove)?;
        grid::all(pending.len(), request.jobs, |place| {
            let Task { training, fold, .. } = &tasks[pending[place]];
            let rates = rates(&benchmark, &Lesson::prepare(&benchmark, training, *fold)?)?;
            let mut row = keys[pending[place]].clone();
            row.extend(rates.into_iter().map(|rate| rate.map_or_else(String::new, |rate| format!("{rate:.6}"))));
            println!("{}", row.join(" "));
            self.journal.append(row)
        })?;
        Ok(())
    }

    /// Returns all rates so far.
    pub fn rates(&self) -> Result<Rates> {
        Ok(Rates { rows: self.journal.rows()?, before_fold: self.before_fold })
    }
}

/// The lines of a file.
pub struct Rates {
    rows: Vec<Row>,
    before_fold: usize,
}

impl Rates {
    /// Returns a rate at a point on each fold in the file, in the order of folds. The first rate is
    /// number 0.
    pub fn by_fold(&self, point: &[String], rate: usize) -> Result<Vec<(usize, f64)>> {
        let mut rates = Vec::new();
        for row in self.rows.iter().filter(|row| row.starts_with(point)) {
            rates.push((row[self.before_fold].parse()?, row[self.before_fold + 1 + rate].parse()?));
        }
        rates.sort_by_key(|(fold, _)| *fold);
        Ok(rates)
    }

    /// Returns mean and standard deviation over folds, if there are any.
    pub fn mean(&self, point: &[String], rate: usize) -> Result<Option<(f64, f64)>> {
        let rates: Vec<f64> = self.by_fold(point, rate)?.into_iter().map(|(_, rate)| rate).collect();
        Ok(if rates.is_empty() { None } else { Some(mean_and_spread(&rates)) })
    }
}
