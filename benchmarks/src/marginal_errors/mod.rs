//! Files of errors of marginals, run by run.

pub mod ablation;
pub mod ratios;
pub mod summary;

use std::path::PathBuf;
use std::time::Instant;

use scumble::Sampling;
use scumble::mechanisms::Method;
use scumble::schema::AdjacencyKind;
use scumble_evaluate::MarginalSets;

use crate::Result;
use crate::benchmark::{Benchmark, Run};
use crate::grid;
use crate::journal::{Journal, Row};
use crate::reference::DELTA;
use crate::request::Request;

/// A file of errors. Lines begin with the fit, delta and the run; errors by order and wall-clock
/// seconds follow.
pub struct ErrorFile {
    journal: Journal,
    orders: &'static [usize],
    judged: bool,
}

/// A fit whose errors become a line of the file.
pub struct Task {
    /// The first fields of the line.
    key: Row,
    fit: Run,
    run: usize,
}

/// Several runs of every contender at every epsilon.
pub struct Grid {
    /// Methods with their names.
    pub contenders: Vec<(&'static str, Method)>,
    /// The epsilons of the goals.
    pub epsilons: Vec<f64>,
    /// Number of runs of each point.
    pub runs: usize,
}

impl Grid {
    /// Returns the fits to a table.
    pub fn tasks(&self, table: &str) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (name, method) in &self.contenders {
            for &epsilon in &self.epsilons {
                tasks.extend((0..self.runs).map(|run| Task::new(&[table, name], method.clone(), epsilon, run)));
            }
        }
        tasks
    }
}

impl Task {
    /// A run of a method, whose line begins with `what`.
    pub fn new(what: &[&str], method: Method, epsilon: f64, run: usize) -> Self {
        let numbers = [epsilon.to_string(), DELTA.to_string(), run.to_string()];
        let key = what.iter().map(ToString::to_string).chain(numbers).collect();
        Self { key, fit: Run { method, epsilon, delta: DELTA }, run }
    }
}

impl ErrorFile {
    /// Opens the file, whose lines begin with these columns, and with epsilon, delta and run.
    ///
    /// If it is `judged`, the judge scores the first run of every point from files, too, and the
    /// last column holds the largest difference to our distances.
    pub fn open(path: PathBuf, what: &[&str], orders: &'static [usize], judged: bool) -> Result<Self> {
        let errors: Vec<String> = orders.iter().map(|order| format!("tvd{order}")).collect();
        let errors: Vec<&str> = errors.iter().map(String::as_str).collect();
        let last: &[&str] = if judged { &["seconds", "judge_differs_by"] } else { &["seconds"] };
        let header = [what, &["epsilon", "delta", "run"], &errors, last].concat();
        // All but delta and the run identify the point of a run.
        Ok(Self { journal: Journal::open(path, &header, what.len() + 1)?, orders, judged })
    }

    /// Measures those of the runs that are missing.
    pub fn measure(&self, table: &str, tasks: &[Task], request: &Request) -> Result<()> {
        let keys: Vec<Row> = tasks.iter().map(|task| task.key.clone()).collect();
        let pending = self.journal.pending(&keys, request.mode)?;
        if pending.is_empty() {
            return Ok(());
        }
        let benchmark = Benchmark::read(&request.data, table, AdjacencyKind::AddRemove)?;
        let sets = benchmark.sets(self.orders)?;
        grid::all(pending.len(), request.jobs, |place| {
            let row = self.row(&benchmark, &sets, &tasks[pending[place]])?;
            println!("{}", row.join(" "));
            self.journal.append(row)
        })?;
        Ok(())
    }

    /// Returns all runs so far.
    pub fn rows(&self) -> Result<Vec<Row>> {
        self.journal.rows()
    }

    /// Fits a model, draws rows and compares them with the real ones.
    fn row(&self, benchmark: &Benchmark, sets: &MarginalSets, task: &Task) -> Result<Row> {
        let start = Instant::now();
        let model = benchmark.fit(&task.fit)?;
        let seconds = start.elapsed().as_secs_f64();
        let synthetic = benchmark.synthesise(&model, task.run as u64, Sampling::for_rows(model.rows()))?;
        let distances = benchmark.distances(&synthetic, sets)?;
        let mut row = task.key.clone();
        row.extend(distances.iter().map(|distance| format!("{distance:.6}")));
        row.push(format!("{seconds:.2}"));
        if self.judged {
            row.push(String::new());
        }
        if self.judged && task.run == 0 {
            let judged = benchmark.judged(&synthetic, self.orders)?;
            let difference =
                distances.iter().zip(judged).map(|(ours, judges)| (ours - judges).abs()).fold(0.0, f64::max);
            *row.last_mut().expect("the judge has a column") = format!("{difference:.1e}");
        }
        Ok(row)
    }
}
