//! Faults in the middle of fits: the same released bytes, or an error, and soon.
//!
//! A fit is recorded on this machine once. On the cluster the same values are forced, so its model
//! must have the same bytes, and what noise was drawn on must be the same to the last count.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble::engine::TableScan;
use scumble::mechanisms::fit_in;
use scumble::vault::replay::{Recording, force, record};
use scumble::vault::{AddRemove, Gdp};
use scumble::{ApproxDp, Delta, Epsilon, Input, Method, Model, ReadOptions};

use super::hosts::Hosts;
use super::servers::{LIMIT, Servers, program};
use super::table::Table;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

const KILLS: usize = 20;

/// How a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Same,
    CleanError,
    Other,
    Hang,
}

pub(crate) struct Fit {
    table: Table,
    /// Where the cluster finds the table.
    inputs: Vec<Input>,
    method: Method,
    goal: ApproxDp,
    model: Vec<u8>,
    recording: Recording,
}

impl Fit {
    /// Fits by a method on this machine, and keeps what was released. The cluster is to read
    /// `inputs`.
    pub(crate) fn recorded(method: &str, table: Table, inputs: Vec<Input>) -> Result<Self> {
        let method = Method::named(method)?;
        let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
        let source = Box::new(TableScan::open(&table.inputs(), &table.schema, &ReadOptions::default())?.code()?);
        let (vault, budget, recorder) = record::<AddRemove, Gdp>(source, goal, NonZeroU32::MIN)?;
        let model = fit_in(vault, budget, &table.schema, &method)?.to_bytes();
        Ok(Self { table, inputs, method, goal, model, recording: recorder.finish() })
    }

    fn of_files() -> Result<Self> {
        let table = Table::of_millions(10)?;
        let inputs = table.inputs().to_vec();
        Self::recorded("mst", table, inputs)
    }

    /// Fits by a cluster.
    pub(crate) fn again(&self, options: &ReadOptions) -> End {
        let fitted = || -> Result<bool> {
            let source = Box::new(TableScan::open(&self.inputs, &self.table.schema, options)?.code()?);
            let (vault, budget, recorder) =
                force::<AddRemove, Gdp>(source, self.goal, NonZeroU32::MIN, &self.recording)?;
            let model = fit_in(vault, budget, &self.table.schema, &self.method)?.to_bytes();
            let distances = self.recording.distances(&recorder.finish())?;
            Ok(model == self.model && distances.iter().all(|&distance| distance == 0))
        };
        match fitted() {
            Ok(true) => End::Same,
            Ok(false) => End::Other,
            Err(error) => {
                println!("  error: {error}{}", error.source().map(|cause| format!(": {cause}")).unwrap_or_default());
                End::CleanError
            }
        }
    }

    /// Fits by `servers`, and does `harm` to them after `delay`. `None` if the fit was done by
    /// then.
    pub(crate) fn under(
        &self,
        servers: &mut Servers,
        delay: Duration,
        harm: impl FnOnce(&mut Servers) -> Result<()>,
    ) -> Result<Option<(End, Duration)>> {
        let options = servers.read_options()?;
        thread::scope(|scope| {
            let (send, ended) = mpsc::channel();
            scope.spawn(move || send.send(self.again(&options)));
            if ended.recv_timeout(delay).is_ok() {
                return Ok(None);
            }
            let harmed = Instant::now();
            harm(servers)?;
            match ended.recv_timeout(LIMIT) {
                Ok(end) => Ok(Some((end, harmed.elapsed()))),
                Err(_) => Ok(Some((End::Hang, harmed.elapsed()))),
            }
        })
    }
}

fn report(figures: &mut Figures, what: &str, ends: &[(End, Duration)]) {
    let mut counts: BTreeMap<End, usize> = BTreeMap::new();
    for (end, _) in ends {
        *counts.entry(*end).or_default() += 1;
    }
    let longest = ends.iter().map(|(_, taken)| taken.as_secs_f64()).fold(0.0, f64::max);
    println!("{what}: {counts:?}, longest {longest:.1} s");
    let fine = ends.iter().filter(|(end, _)| matches!(end, End::Same | End::CleanError)).count();
    let hangs = ends.iter().filter(|(end, taken)| *end == End::Hang || *taken > LIMIT).count();
    {
        let of = format!("{what}: same bytes or clean error");
        figures.exactly(&of, fine as f64, &format!("of {}", ends.len()), ends.len() as f64);
        figures.exactly(&format!("{what}: hangs"), hangs as f64, "runs", 0.0);
    }
    figures.at_most(&format!("{what}: longest until the end"), longest, "seconds", LIMIT.as_secs_f64());
}

/// Executors killed at random times.
pub(crate) fn kills(figures: &mut Figures) -> Result<()> {
    let fit = Fit::of_files()?;
    let mut servers = Servers::on_loopback(2, 1)?;
    let begun = Instant::now();
    if fit.again(&servers.read_options()?) != End::Same {
        return Err("the cluster fits otherwise without any fault".into());
    }
    let undisturbed = begun.elapsed();
    println!("undisturbed: {:.1} s", undisturbed.as_secs_f64());
    let mut dice = SmallRng::seed_from_u64(12);
    let mut ends = vec![];
    while ends.len() < KILLS {
        let (victim, delay) = (dice.random_range(0..2), undisturbed.mul_f64(dice.random_range(0.02..0.98)));
        let end = fit.under(&mut servers, delay, |servers| {
            servers.executors[victim].1 = None;
            Ok(())
        })?;
        if let Some((end, taken)) = end {
            let (delay, taken_seconds) = (delay.as_secs_f64(), taken.as_secs_f64());
            println!("killed executor {victim} after {delay:.2} s: {end:?} {taken_seconds:.1} s later");
            ends.push((end, taken));
        }
        servers.start_executor(victim)?;
        servers.wait()?;
    }
    report(figures, "executor killed", &ends);
    ledger(figures, &mut servers)
}

/// A fit of the program on a ledger, with an executor killed in the middle of it.
fn ledger(figures: &mut Figures, servers: &mut Servers) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let table = Table::of_millions(10)?;
    fs::write(path("schema.yaml"), serde_json::to_string(&table.schema.to_spec())?)?;
    let run = |command: &mut Command| -> Result<serde_json::Value> {
        let output = command.arg("--json").output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stdout).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    };
    let budget = ["--epsilon", "1", "--delta", "1e-9"];
    run(Command::new(program())
        .args(["ledger", "init"])
        .arg(path("ledger"))
        .arg("--schema")
        .arg(path("schema.yaml"))
        .args(budget))?;
    let mut fit = Command::new(program());
    fit.arg("fit").arg(&table.folder).arg("--schema").arg(path("schema.yaml")).arg("--ledger").arg(path("ledger"));
    fit.args(budget)
        .args(["--method", "mst", "--engine", &servers.engine(), "--tls"])
        .arg(servers.certificates.client());
    fit.arg("-o").arg(path("model"));
    let fitted = thread::scope(|scope| {
        let fitting = scope.spawn(|| run(&mut fit).map_err(|error| error.to_string()));
        thread::sleep(Duration::from_millis(1_500));
        servers.executors[0].1 = None;
        fitting.join().expect("it does not panic")
    });
    let shown = run(Command::new(program()).args(["ledger", "show"]).arg(path("ledger")))?;
    run(Command::new(program()).args(["ledger", "verify"]).arg(path("ledger")))?;
    let jobs = shown["jobs"].as_array().ok_or("a ledger has jobs")?;
    println!("fit on a ledger: {}", if fitted.is_ok() { "a model" } else { "an error" });
    let is_right = match &fitted {
        // Every release of the certificate is on the ledger once, so none was drawn twice.
        Ok(_) => {
            let model = Model::read(&path("model"))?;
            let released = model.certificate().map_or(0, |certificate| certificate.events().len());
            println!("{released} releases on the certificate, {} on the ledger", jobs[0]["releases"]);
            jobs.len() == 1 && jobs[0]["releases"] == released && shown["suspect"] == false
        }
        Err(_) => jobs.len() <= 1 && !path("model").exists(),
    };
    figures.exactly(
        "ledger after a kill: one job, sound, and as the model says",
        f64::from(u8::from(is_right)),
        "of 1",
        1.0,
    );
    Ok(())
}

/// A cable that is cut, a disk that is full, a scheduler that starts again.
pub(crate) fn others(figures: &mut Figures) -> Result<()> {
    let fit = Fit::of_files()?;
    let mut ends = vec![];
    {
        let hosts = Hosts::new(3)?;
        let mut servers = Servers::at(hosts.place(0, 50_050), vec![hosts.place(1, 50_051), hosts.place(2, 50_051)], 1)?;
        for (victim, delay) in [(1, 300), (2, 1_200), (1, 2_000)] {
            ends.extend(fit.under(&mut servers, Duration::from_millis(delay), |_| hosts.cut(victim))?);
            hosts.reconnect(victim)?;
            thread::sleep(Duration::from_secs(12));
            servers.wait()?;
        }
        report(figures, "cable of an executor cut", &ends);
        let end = fit.under(&mut servers, Duration::from_millis(800), |_| hosts.cut(0))?;
        hosts.reconnect(0)?;
        report(figures, "cable of the scheduler cut", end.as_slice());
    }
    {
        let small = tempfile::tempdir()?;
        let mount = |arguments: &[&str]| Command::new("mount").args(arguments).arg(small.path()).status();
        // Room for the directories, and not for counts.
        if !mount(&["-t", "tmpfs", "-o", "size=48k,mode=0700", "tmpfs"])?.success() {
            return Err("a small disk cannot be mounted".into());
        }
        let mut servers = Servers::on_loopback(2, 1)?;
        let outcome = fit.under(&mut servers, Duration::ZERO, |servers| {
            servers.executors[1].1 = None;
            servers.work_of = Some((1, small.path().to_owned()));
            servers.start_executor(1)
        });
        drop(servers);
        let _ = Command::new("umount").arg("-l").arg(small.path()).status();
        report(figures, "disk of an executor full", outcome?.as_slice());
    }
    let mut servers = Servers::on_loopback(2, 1)?;
    let mut ends = vec![];
    for delay in [200, 900, 1_700] {
        ends.extend(fit.under(&mut servers, Duration::from_millis(delay), |servers| {
            servers.scheduler = None;
            thread::sleep(Duration::from_millis(300));
            servers.start_scheduler()
        })?);
        servers.wait()?;
    }
    report(figures, "scheduler killed and started again", &ends);
    let end = fit.under(&mut servers, Duration::from_millis(500), |servers| {
        servers.executors.iter_mut().for_each(|(_, process)| *process = None);
        Ok(())
    })?;
    report(figures, "all executors killed", end.as_slice());
    Ok(())
}
