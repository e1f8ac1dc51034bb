//! Who counts and draws, and the servers of a cluster.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use scumble::MemoryLimit;
use scumble::cluster::{Address, AddressError, Cluster, ClusterOptions, LogLevel, Security};

use crate::failure::Failure;

/// Who does the work.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Engine {
    Local,
    Cluster(Address),
}

impl FromStr for Engine {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if text == "local" { Ok(Self::Local) } else { text.parse().map(Self::Cluster) }
    }
}

/// Over the options that are about a cluster.
const CLUSTER: &str = "Cluster";

/// How the machines of a cluster know each other.
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// Certificates for a cluster: a folder with `ca.pem`, `cert.pem` and `key.pem`
    #[arg(long, value_name = "FOLDER", env = "SCUMBLE_TLS", help_heading = CLUSTER)]
    tls: Option<PathBuf>,
    /// Do without certificates: whoever reaches a port of the cluster can then read what it reads, and no noise is on it
    #[arg(long, help_heading = CLUSTER)]
    without_tls: bool,
}

impl Trust {
    pub(crate) fn security(&self) -> Result<Security, Failure> {
        match (&self.tls, self.without_tls) {
            (_, true) => Ok(Security::None),
            (Some(folder), false) => Ok(Security::read(folder)?),
            (None, false) => Err(Failure::new(
                scumble::Fault::Usage,
                "a cluster needs certificates: exact counts cross its network",
                Some(
                    "name their folder with `--tls`, or say `--without-tls` if nobody else can reach the machines"
                        .into(),
                ),
            )),
        }
    }
}

/// Who does the work.
#[derive(Debug, Args)]
pub(crate) struct EngineChoice {
    /// Who does the work: `local`, which is this machine, or a cluster, `ballista://host:port`
    #[arg(long, value_name = "ENGINE", default_value = "local", help_heading = CLUSTER)]
    engine: Engine,
    #[command(flatten)]
    trust: Trust,
    /// How many seconds one question to a cluster may take
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 3600,
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = CLUSTER
    )]
    patience: u64,
}

impl EngineChoice {
    /// The cluster that was named, if one was.
    pub(crate) fn cluster(&self) -> Result<Option<Arc<Cluster>>, Failure> {
        let Engine::Cluster(address) = &self.engine else { return Ok(None) };
        let patience = Duration::from_secs(self.patience);
        let options = ClusterOptions { patience, ..ClusterOptions::new(self.trust.security()?) };
        Ok(Some(Arc::new(Cluster::new(address.clone(), options))))
    }
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum LogName {
    /// What went wrong
    #[default]
    Warn,
    /// Also what was done
    Info,
    /// Everything
    Debug,
}

impl From<LogName> for LogLevel {
    fn from(name: LogName) -> Self {
        match name {
            LogName::Warn => Self::Warn,
            LogName::Info => Self::Info,
            LogName::Debug => Self::Debug,
        }
    }
}

/// Run the scheduler of a cluster, which hands out work and sees no counts
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble scheduler --listen 10.0.0.1:50050 --tls certificates")]
pub(crate) struct Scheduler {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) trust: Trust,
    /// How much to say on standard error
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) log: LogName,
}

/// Run an executor of a cluster, which reads files, counts, and draws rows
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  scumble executor --scheduler ballista://10.0.0.1:50050 --listen 10.0.0.2:50051 --tls certificates"
)]
pub(crate) struct Executor {
    /// The scheduler to ask for work
    #[arg(long, value_name = "ADDRESS", default_value = "ballista://127.0.0.1:50050")]
    pub(crate) scheduler: Address,
    /// Where to listen for other executors, and for clients that fetch their counts
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub(crate) listen: SocketAddr,
    /// The name or address under which others find this machine, if it is not that of `--listen`
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
    /// How many parts to work on at once; as many as there are cores without it
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// How much memory sorting may take, such as 4GiB; a part of the machine's without it
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory_limit: Option<MemoryLimit>,
    /// Where counts and rows are put meanwhile, in a directory that only you can read; the system's directory for temporary
    /// files without it
    #[arg(long, value_name = "FOLDER")]
    pub(crate) work_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trust: Trust,
    /// How much to say on standard error
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) log: LogName,
}
