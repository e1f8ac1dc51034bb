//! A cluster of processes on this machine, which lives as long as a test.

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use scumble::ReadOptions;
use scumble::cluster::{Address, Cluster, ClusterOptions, Security};
use scumble::engine::Stores;

/// Maximum time for a server to start.
const START: Duration = Duration::from_mins(1);

/// A scheduler and its executors, which are killed when it is dropped.
pub(crate) struct Servers {
    scheduler: Option<Server>,
    executors: Vec<Server>,
    trust: Vec<String>,
    security: Security,
    folder: tempfile::TempDir,
    /// Folder for detailed logs of the servers, if they write any.
    logs: Option<PathBuf>,
}

/// A server process.
pub(crate) struct Server {
    process: Child,
    pub(crate) listens: SocketAddr,
    pub(crate) work: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a free port. Ports appear in logs, so one that equals a canary count is skipped.
fn free_port() -> SocketAddr {
    loop {
        let listens = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        if listens.port() != 52_361 {
            return listens;
        }
    }
}

pub(crate) fn scumble(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scumble"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs the program, which must succeed.
pub(crate) fn run(arguments: &[&str]) {
    let output = scumble(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

impl Servers {
    /// Starts `n` executors of one thread each, without certificates.
    pub(crate) fn start(executors: usize) -> Self {
        Self::start_with(executors, &["--without-tls"], Security::None)
    }

    pub(crate) fn start_with(executors: usize, trust: &[&str], security: Security) -> Self {
        Self::start_all(executors, trust, security, None)
    }

    /// Starts servers that write detailed logs to files of the folder `logs`.
    pub(crate) fn start_talkative(executors: usize, logs: &Path) -> Self {
        Self::start_all(executors, &["--without-tls"], Security::None, Some(logs.to_owned()))
    }

    fn start_all(executors: usize, trust: &[&str], security: Security, logs: Option<PathBuf>) -> Self {
        let trust = trust.iter().map(ToString::to_string).collect();
        let folder = tempfile::tempdir().unwrap();
        let mut servers = Self { scheduler: None, executors: vec![], trust, security, folder, logs };
        servers.start_scheduler(free_port());
        for _ in 0..executors {
            servers.start_executor();
        }
        servers.wait_for_executor();
        servers
    }

    pub(crate) fn start_scheduler(&mut self, listen: SocketAddr) {
        let mut process = self.server("scheduler", listen);
        let process = process.args(&self.trust).spawn().unwrap();
        self.scheduler = Some(Server { process, listens: listen, work: self.folder.path().to_owned() });
        wait_until("the scheduler listens", || TcpStream::connect(listen).is_ok());
    }

    fn server(&self, verb: &str, listen: SocketAddr) -> Command {
        let mut server = scumble(&[verb, "--listen", &listen.to_string()]);
        let Some(logs) = &self.logs else {
            server.arg("--quiet");
            return server;
        };
        let log = File::create(logs.join(format!("{verb}-{}.log", listen.port()))).unwrap();
        server.args(["--log", "debug"]).stdout(log.try_clone().unwrap()).stderr(log);
        server.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full").env("TMPDIR", self.folder.path());
        server
    }

    pub(crate) fn start_executor(&mut self) {
        // A port is free until its executor listens, and may be returned twice.
        let (listens, work) = std::iter::repeat_with(free_port)
            .map(|listens| (listens, self.folder.path().join(format!("executor-{}", listens.port()))))
            .find(|(_, work)| std::fs::create_dir(work).is_ok())
            .unwrap();
        let address = self.address();
        let process = self
            .server("executor", listens)
            .args(["--threads", "1", "--scheduler", &address, "--work-dir", work.to_str().unwrap()])
            .args(&self.trust)
            .spawn()
            .unwrap();
        self.executors.push(Server { process, listens, work });
    }

    /// Waits until every executor has asked for work.
    fn wait_for_executor(&self) {
        for executor in &self.executors {
            wait_until("an executor listens", || TcpStream::connect(executor.listens).is_ok());
        }
        // It may listen before or after it first asks for work.
        std::thread::sleep(Duration::from_millis(500));
    }

    pub(crate) fn scheduler_address(&self) -> SocketAddr {
        self.scheduler.as_ref().unwrap().listens
    }

    pub(crate) fn stop_scheduler(&mut self) {
        self.scheduler = None;
    }

    pub(crate) fn executors(&mut self) -> &mut Vec<Server> {
        &mut self.executors
    }

    /// Returns the address for `--engine`.
    pub(crate) fn address(&self) -> String {
        format!("ballista://{}", self.scheduler_address())
    }

    pub(crate) fn cluster(&self) -> Cluster {
        self.cluster_as(self.security.clone())
    }

    pub(crate) fn cluster_as(&self, security: Security) -> Cluster {
        let address: Address = self.address().parse().unwrap();
        Cluster::new(address, ClusterOptions { patience: Duration::from_mins(2), ..ClusterOptions::new(security) })
    }

    /// Returns the read options of the library for this cluster.
    pub(crate) fn read_options(&self) -> ReadOptions {
        ReadOptions {
            remote: Some(Arc::new(self.cluster())),
            stores: Some(Arc::new(Stores::default())),
            ..ReadOptions::default()
        }
    }
}

pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < START, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// All files below a folder.
pub(crate) fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = vec![];
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { files.extend(files_below(&path)?) } else { files.push(path) }
    }
    Ok(files)
}
