//! Errors of marginals, run by run, into a file.

pub(crate) mod ablation;
pub(crate) mod ratios;
pub(crate) mod summary;

use std::path::PathBuf;
use std::time::Instant;

use scumble::Sampling;
use scumble::mechanisms::Method;
use scumble::schema::AdjacencyKind;
use scumble_evaluate::MarginalSets;

use crate::benchmark::{Benchmark, Run};
use crate::journal::{Journal, Row};
use crate::reference::DELTA;
use crate::request::Request;
use crate::{Failure, grid};

/// A file of errors. Lines begin with what was fitted, delta and the run; errors by order and seconds by the clock follow.
pub(crate) struct ErrorFile {
    journal: Journal,
    orders: &'static [usize],
    judged: bool,
}

/// A fit whose errors become a line.
pub(crate) struct Task {
    /// What the line begins with.
    key: Row,
    fit: Run,
    run: usize,
}

/// Everything at every epsilon, several times.
pub(crate) struct Grid {
    pub(crate) contenders: Vec<(&'static str, Method)>,
    pub(crate) epsilons: Vec<f64>,
    pub(crate) runs: usize,
}

impl Grid {
    /// The fits to a table.
    pub(crate) fn tasks(&self, table: &str) -> Vec<Task> {
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
    pub(crate) fn new(what: &[&str], method: Method, epsilon: f64, run: usize) -> Self {
        let numbers = [epsilon.to_string(), DELTA.to_string(), run.to_string()];
        let key = what.iter().map(ToString::to_string).chain(numbers).collect();
        Self { key, fit: Run { method, epsilon, delta: DELTA }, run }
    }
}

impl ErrorFile {
    /// Opens the file, whose lines begin with these columns, and with epsilon, delta and run.
    ///
    /// If it is `judged`, the first run of every point is judged from files, too, and the last column says how far that is
    /// from our distances.
    pub(crate) fn open(path: PathBuf, what: &[&str], orders: &'static [usize], judged: bool) -> Result<Self, Failure> {
        let errors: Vec<String> = orders.iter().map(|order| format!("tvd{order}")).collect();
        let errors: Vec<&str> = errors.iter().map(String::as_str).collect();
        let last: &[&str] = if judged { &["seconds", "judge_differs_by"] } else { &["seconds"] };
        let header = [what, &["epsilon", "delta", "run"], &errors, last].concat();
        // All but delta and the run say which point a run belongs to.
        Ok(Self { journal: Journal::open(path, &header, what.len() + 1)?, orders, judged })
    }

    /// Does those of the runs that are to be done.
    pub(crate) fn measure(&self, table: &str, tasks: &[Task], request: &Request) -> Result<(), Failure> {
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

    /// All runs so far.
    pub(crate) fn rows(&self) -> Result<Vec<Row>, Failure> {
        self.journal.rows()
    }

    /// Fits, draws rows and compares them.
    fn row(&self, benchmark: &Benchmark, sets: &MarginalSets, task: &Task) -> Result<Row, Failure> {
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
