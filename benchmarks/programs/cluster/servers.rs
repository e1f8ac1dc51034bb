//! Servers as processes, with certificates of an authority of their own.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use scumble::ReadOptions;
use scumble::cluster::{Cluster, ClusterOptions, Security};
use scumble::engine::{Stores, TableScan};
use scumble::schema::Clique;
use scumble_engine::exact::ExactCounts;

use super::table::Table;
use scumble_benchmarks::clock::peak_kib;
use scumble_benchmarks::{Result, data};

/// How long a fault may last.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// The program that is shown.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("SCUMBLE").map_or_else(|| PathBuf::from("scumble"), PathBuf::from)
}

/// An authority and two folders of certificates.
pub(crate) struct Certificates {
    folder: tempfile::TempDir,
}

impl Certificates {
    pub(crate) fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let script = data::root().join("cluster/certificates.sh");
        let output = Command::new(script).arg(folder.path().join("tls")).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok(Self { folder })
    }

    pub(crate) fn server(&self) -> PathBuf {
        self.folder.path().join("tls/server")
    }

    pub(crate) fn client(&self) -> PathBuf {
        self.folder.path().join("tls/client")
    }
}

/// A process that is killed with it.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A machine, from the view of a process: the network namespace it is in, if not this one, and its
/// address there.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) namespace: Option<String>,
    pub(crate) address: SocketAddr,
}

impl Place {
    pub(crate) fn here(port: u16) -> Self {
        Self { namespace: None, address: SocketAddr::from(([127, 0, 0, 1], port)) }
    }

    fn command(&self) -> Command {
        match &self.namespace {
            None => Command::new(program()),
            Some(name) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", name]).arg(program());
                command
            }
        }
    }
}

/// A scheduler and its executors.
pub(crate) struct Servers {
    pub(crate) certificates: Certificates,
    pub(crate) scheduler: Option<Process>,
    pub(crate) executors: Vec<(Place, Option<Process>)>,
    pub(crate) at: Place,
    pub(crate) work: tempfile::TempDir,
    /// Where executor number so and so has its private files, if not in a folder of its own in
    /// `work`.
    pub(crate) work_of: Option<(usize, PathBuf)>,
    /// Into parts of how many bytes files are cut, if not as usual.
    pub(crate) part_bytes: Option<u64>,
    threads: usize,
}

impl Servers {
    pub(crate) fn on_loopback(executors: u16, threads: usize) -> Result<Self> {
        Self::at(Place::here(52_050), (0..executors).map(|number| Place::here(52_051 + number)).collect(), threads)
    }

    pub(crate) fn at(scheduler: Place, executors: Vec<Place>, threads: usize) -> Result<Self> {
        let mut servers = Self {
            certificates: Certificates::new()?,
            scheduler: None,
            executors: executors.into_iter().map(|place| (place, None)).collect(),
            at: scheduler,
            work: tempfile::tempdir()?,
            work_of: None,
            part_bytes: None,
            threads,
        };
        servers.start_scheduler()?;
        for number in 0..servers.executors.len() {
            servers.start_executor(number)?;
        }
        servers.wait()?;
        Ok(servers)
    }

    pub(crate) fn start_scheduler(&mut self) -> Result<()> {
        let process = self
            .at
            .command()
            .args(["scheduler", "--quiet", "--listen", &self.at.address.to_string(), "--tls"])
            .arg(self.certificates.server())
            .stdin(Stdio::null())
            .stderr(log()?)
            .spawn()?;
        self.scheduler = Some(Process(process));
        Ok(())
    }

    pub(crate) fn start_executor(&mut self, number: usize) -> Result<()> {
        let work = match &self.work_of {
            Some((special, folder)) if *special == number => folder.clone(),
            _ => self.work.path().join(number.to_string()),
        };
        fs::create_dir_all(&work)?;
        let (place, process) = &mut self.executors[number];
        let scheduler = format!("ballista://{}", self.at.address);
        let started = place
            .command()
            .args(["executor", "--quiet", "--scheduler", &scheduler, "--listen", &place.address.to_string()])
            .args(["--threads", &self.threads.to_string(), "--tls"])
            .arg(self.certificates.server())
            .arg("--work-dir")
            .arg(work)
            .stdin(Stdio::null())
            .stderr(log()?)
            .spawn()?;
        *process = Some(Process(started));
        Ok(())
    }

    pub(crate) fn engine(&self) -> String {
        format!("ballista://{}", self.at.address)
    }

    pub(crate) fn cluster(&self) -> Result<Cluster> {
        self.cluster_as(Security::read(&self.certificates.client())?)
    }

    pub(crate) fn cluster_as(&self, security: Security) -> Result<Cluster> {
        Ok(Cluster::new(self.engine().parse()?, self.options(security)))
    }

    fn options(&self, security: Security) -> ClusterOptions {
        let patience = Duration::from_mins(10);
        let options = ClusterOptions { patience, ..ClusterOptions::new(security) };
        ClusterOptions { part_bytes: self.part_bytes.unwrap_or(options.part_bytes), ..options }
    }

    /// Processor seconds of all executors so far.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        let processes = self.executors.iter().filter_map(|(_, process)| process.as_ref());
        processes.map(|process| cpu_seconds(process.0.id())).sum()
    }

    /// Peak memory of the scheduler and of every executor, in MiB.
    pub(crate) fn peaks(&self) -> Result<Vec<f64>> {
        let executors = self.executors.iter().filter_map(|(_, process)| process.as_ref());
        let processes = self.scheduler.iter().chain(executors);
        processes.map(|process| Ok(peak_kib(process.0.id()).ok_or("no peak")? as f64 / 1024.0)).collect()
    }

    pub(crate) fn read_options(&self) -> Result<ReadOptions> {
        let (remote, stores) = (Arc::new(self.cluster()?), Arc::new(Stores::default()));
        Ok(ReadOptions { remote: Some(remote), stores: Some(stores), ..ReadOptions::default() })
    }

    /// Waits until a count comes back, and a little longer for the executor that did not do it.
    pub(crate) fn wait(&self) -> Result<()> {
        let table = Table::of_millions(5)?;
        let begun = Instant::now();
        loop {
            let counted = TableScan::open(&table.inputs(), &table.schema, &self.read_options()?)?
                .count_tables(&[Clique::empty()]);
            match counted {
                Ok(_) => break,
                Err(error) if begun.elapsed() > LIMIT => return Err(error.into()),
                Err(_) => thread::sleep(Duration::from_millis(200)),
            }
        }
        thread::sleep(Duration::from_secs(1));
        Ok(())
    }
}

/// Processor seconds of a process.
fn cpu_seconds(process: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, which may hold anything, ends with the last bracket; user and system time are 12
    // and 13 words behind it.
    let fields: Vec<&str> = stat.rsplit_once(')').ok_or("no process")?.1.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks / 100.0)
}

/// The log of all servers.
fn log() -> Result<fs::File> {
    fs::create_dir_all(super::table::cache())?;
    Ok(fs::File::options().create(true).append(true).open(super::table::cache().join("servers.log"))?)
}
