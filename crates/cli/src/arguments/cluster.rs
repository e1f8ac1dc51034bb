//! Arguments that select the engine, and those of the servers of a cluster.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use scumble::MemoryLimit;
use scumble::cluster::{Address, AddressError, Cluster, ClusterOptions, LogLevel, Security};
use scumble::engine::Remote;

use crate::failure::Failure;

/// The engine that counts and draws rows.
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

/// Help heading of the options of a cluster.
const CLUSTER: &str = "Cluster";

/// Authentication between the machines of a cluster.
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// Folder with the certificates of the cluster: `ca.pem`, `cert.pem` and `key.pem`
    #[arg(long, value_name = "FOLDER", env = "SCUMBLE_TLS", help_heading = CLUSTER)]
    tls: Option<PathBuf>,
    /// Run without certificates: everyone who reaches a port of the cluster can then read the data
    /// and exact counts
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
                    "give their folder with `--tls`, or pass `--without-tls` if nobody else can reach the machines"
                        .into(),
                ),
            )),
        }
    }
}

/// The engine that counts and draws rows, and its options.
#[derive(Debug, Args)]
pub(crate) struct EngineChoice {
    /// Engine: `local` for this machine, or `ballista://host:port` for a cluster
    #[arg(long, value_name = "ENGINE", default_value = "local", help_heading = CLUSTER)]
    engine: Engine,
    #[command(flatten)]
    trust: Trust,
    /// Timeout of one query to a cluster, in seconds
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
    /// Returns whether this machine does the work.
    pub(crate) fn is_local(&self) -> bool {
        self.engine == Engine::Local
    }

    /// Returns the remote counter, if a cluster was named.
    pub(crate) fn remote(&self) -> Result<Option<Arc<dyn Remote>>, Failure> {
        Ok(self.cluster()?.map(|cluster| cluster as _))
    }

    /// Returns the cluster, if one was named.
    pub(crate) fn cluster(&self) -> Result<Option<Arc<Cluster>>, Failure> {
        let Engine::Cluster(address) = &self.engine else { return Ok(None) };
        let patience = Duration::from_secs(self.patience);
        let options = ClusterOptions { patience, ..ClusterOptions::new(self.trust.security()?) };
        Ok(Some(Arc::new(Cluster::new(address.clone(), options))))
    }
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(crate) enum LogName {
    /// Errors and warnings
    #[default]
    Warn,
    /// Also operations
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

/// Run the scheduler of a cluster, which assigns work to executors and sees no counts
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  scumble scheduler --listen 10.0.0.1:50050 --tls certificates")]
pub(crate) struct Scheduler {
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) trust: Trust,
    /// Log level on standard error
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) log: LogName,
}

/// Run an executor of a cluster, which reads files, counts, and draws rows
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  scumble executor --scheduler ballista://10.0.0.1:50050 --listen 10.0.0.2:50051 --tls certificates"
)]
pub(crate) struct Executor {
    /// Address of the scheduler
    #[arg(long, value_name = "ADDRESS", default_value = "ballista://127.0.0.1:50050")]
    pub(crate) scheduler: Address,
    /// Address to listen on for other executors, and for clients that fetch counts
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub(crate) listen: SocketAddr,
    /// Host name or address of this machine for others, if it differs from `--listen`
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
    /// Number of partitions processed at once; by default, the number of cores
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Memory limit for sorting, such as 4GiB; by default, a fraction of the machine's memory
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory_limit: Option<MemoryLimit>,
    /// Folder for intermediate counts and rows, which are kept in a directory that only you can
    /// read; by default, the system's directory for temporary files
    #[arg(long, value_name = "FOLDER")]
    pub(crate) work_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) trust: Trust,
    /// Log level on standard error
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) log: LogName,
}
