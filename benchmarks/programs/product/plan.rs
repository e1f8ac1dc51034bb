//! What `plan` says a fit will take, against what the program takes, from the file to the model.
//!
//! Run it beside nothing else: a busy machine makes processors slower, too.

use std::num::NonZeroU64;

use scumble::mechanisms::Method;
use scumble::mechanisms::forecast::Forecast;
use scumble::schema::AdjacencyKind;
use scumble::{ApproxDp, Delta, Epsilon};

use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::Benchmark;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::journal::{Journal, Mode, Row};
use scumble_benchmarks::measured_fit::{self, FITTED, Fit, Limits};
use scumble_benchmarks::request::Request;

/// All methods, and the other profile of one.
pub(crate) const METHODS: [&str; 10] = [
    "independent",
    "mst",
    "privbayes",
    "privbayes-nist",
    "pb-pgm",
    "auto",
    "aim",
    "privmrf",
    PAPER,
    "smoothed-histogram",
];
const PAPER: &str = "privmrf-paper";
const TABLES: [&str; 5] = ["nltcs", "acs", "adult", "br2000", "fire"];
const EPSILONS: [f64; 1] = [0.8];
const DELTA: f64 = 1e-5;
const HEADER: [&str; 8] =
    ["table", "method", "epsilon", "delta", "outcome", "message", "cpu_seconds", "peak_megabytes"];
/// Table, method and epsilon.
const POINT: usize = 3;
const OUTCOME: usize = 4;
const MESSAGE: usize = 5;
const CPU_SECONDS: usize = 6;
const PEAK_MEGABYTES: usize = 7;
/// How far a plan may be off, either way.
const MEMORY_BAR: f64 = 2.0;
const TIME_BAR: f64 = 3.0;
/// What takes far longer than any plan says is stopped.
const STOPPED_AT: Limits = Limits { cpu_seconds: 900.0, megabytes: 8_000.0 };
/// The system counts time in hundredths of a second: what takes less than three is taken for three.
const SHORTEST: f64 = 0.03;

struct Point {
    table: &'static str,
    method: &'static str,
    epsilon: f64,
}

impl Point {
    fn key(&self) -> Row {
        vec![self.table.into(), self.method.into(), self.epsilon.to_string(), DELTA.to_string()]
    }

    /// The options of the program that name the method.
    fn options(&self) -> Vec<&'static str> {
        if self.method == PAPER {
            vec!["--method", "privmrf", "--profile", "paper"]
        } else {
            vec!["--method", self.method]
        }
    }

    fn method(&self) -> Result<Method> {
        Ok(if self.method == PAPER {
            Method::named("privmrf")?.with_options(["profile=paper"])?
        } else {
            Method::named(self.method)?
        })
    }

    fn forecast(&self, table: &Benchmark) -> Result<Result<Forecast, String>> {
        let goal = ApproxDp { epsilon: Epsilon::new(self.epsilon)?, delta: Delta::new(DELTA)? };
        let rows = NonZeroU64::new(u64::from(table.real.rows())).ok_or("an empty table")?;
        let forecast = Forecast::new(&table.schema, &self.method()?, goal, rows);
        Ok(forecast.map_err(|error| error.to_string()))
    }
}

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let journal = Journal::open(request.output.join("product-plan.csv"), &HEADER, POINT)?;
    let mut points = Vec::new();
    for table in request.tables(&TABLES) {
        for method in request.contenders(&METHODS) {
            let epsilons = request.epsilons(&EPSILONS);
            points.extend(epsilons.into_iter().map(|epsilon| Point { table, method, epsilon }));
        }
    }
    let keys: Vec<Row> = points.iter().map(Point::key).collect();
    if request.mode != Mode::FromCsv {
        println!("other work on this machine, mean of a minute: {}", std::fs::read_to_string("/proc/loadavg")?.trim());
    }
    for place in journal.pending(&keys, request.mode)? {
        let row = measure(request, &points[place])?;
        println!("measured {}", row.join(" "));
        journal.append(row)?;
    }
    let rows = journal.rows()?;
    let mut worst = Worst::default();
    println!("| table | method | epsilon | planned | measured | memory | time |\n|---|---|---|---|---|---|---|");
    for table in request.tables(&TABLES) {
        let benchmark = Benchmark::read(&request.data, table, AdjacencyKind::AddRemove)?;
        for point in points.iter().filter(|point| point.table == table) {
            let key = point.key();
            let row = rows.iter().find(|row| row.starts_with(&key)).ok_or("a point was not measured")?;
            worst.compare(point, row, point.forecast(&benchmark)?)?;
        }
    }
    let count = u32::try_from(points.len())?;
    println!("{count} points, of which {} were refused by plan and fit alike", worst.refused);
    figures.at_most("plan: memory, largest ratio to what is measured", worst.memory, "times", MEMORY_BAR);
    figures.at_most("plan: processor time, largest ratio to what is measured", worst.time, "times", TIME_BAR);
    figures.exactly(
        "plan: points where plan and fit disagree on whether to refuse",
        worst.disagree.into(),
        "points",
        0.0,
    );
    Ok(())
}

fn measure(request: &Request, point: &Point) -> Result<Row> {
    let folder = tempfile::tempdir()?;
    let table = request.data.join(point.table);
    let fit = Fit { table: &table, method: &point.options(), epsilon: point.epsilon, delta: DELTA };
    let ended = measured_fit::run(&fit, &folder.path().join("model"), STOPPED_AT)?;
    let mut row = point.key();
    row.extend([ended.outcome().into(), ended.said.trim().replace('\n', "; ")]);
    row.extend([format!("{:.2}", ended.cpu_seconds), format!("{:.0}", ended.peak_megabytes)]);
    Ok(row)
}

/// How far plans were off at most.
#[derive(Default)]
struct Worst {
    memory: f64,
    time: f64,
    refused: u32,
    disagree: u32,
}

impl Worst {
    fn compare(&mut self, point: &Point, row: &Row, planned: Result<Forecast, String>) -> Result<()> {
        let Point { table, method, epsilon } = point;
        match (planned, row[OUTCOME] == FITTED) {
            (Ok(forecast), true) => {
                let (seconds, megabytes): (f64, f64) = (row[CPU_SECONDS].parse()?, row[PEAK_MEGABYTES].parse()?);
                let (planned_seconds, planned_megabytes) = (forecast.cost.cpu_seconds, forecast.cost.peak_bytes / 1e6);
                let memory = planned_megabytes / megabytes;
                let time = planned_seconds.max(SHORTEST) / seconds.max(SHORTEST);
                self.memory = self.memory.max(memory.max(memory.recip()));
                self.time = self.time.max(time.max(time.recip()));
                println!(
                    "| {table} | `{method}` | {epsilon} | {planned_megabytes:.0} MB, {planned_seconds:.2} s | {megabytes:.0} MB, \
                     {seconds:.2} s | {memory:.2} | {time:.2} |"
                );
            }
            (Err(problem), false) if row[MESSAGE].contains(&problem) => {
                self.refused += 1;
                println!("| {table} | `{method}` | {epsilon} | refused | refused | | |");
            }
            (planned, _) => {
                self.disagree += 1;
                println!(
                    "| {table} | `{method}` | {epsilon} | {:?} | {} | | |",
                    planned.map(|plan| plan.cost),
                    row[OUTCOME]
                );
            }
        }
        Ok(())
    }
}
