//! The executor: reads files, encodes and counts.
//!
//! Its intermediate results, the counts of its partitions and the rows of units that move between
//! executors, are in a directory that only its owner can enter. They are removed when the job is
//! done, when the executor ends, or, after a crash, when the next one starts at the same place.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_core::extension::SessionConfigExt;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_executor::flight_service::BallistaFlightService;
use ballista_executor::metrics::ExecutorMetricCollectionPolicy;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionConfig;
use scumble_engine::{SpillDirectory, Stores};

use crate::MESSAGE_BYTES;
use crate::address::Address;
use crate::codec::Codec;
use crate::failure::ServerError;
use crate::scheduler::runtime;
use crate::sealed::SealedEngine;
use crate::tls::Security;

/// Seconds to connect to the scheduler at the start.
const CONNECT_SECONDS: u16 = 30;
/// Seconds without a change after which the data of a dead client is removed. Live clients remove
/// their results themselves.
const ABANDONED_DATA_SECONDS: u64 = 6 * 60 * 60;
const CLEAN_UP_INTERVAL_SECONDS: u64 = 60;

/// Options of an executor.
#[derive(Debug, Clone)]
pub struct ExecutorOptions {
    /// Its scheduler.
    pub scheduler: Address,
    /// Address on which it serves other executors, and clients that fetch results.
    pub listen: SocketAddr,
    /// The name or address under which they reach it, if it differs from `listen`.
    pub host: Option<String>,
    /// Number of partitions that it counts at once.
    pub threads: usize,
    /// Memory for sorting, in bytes; by default, according to the machine.
    pub memory: Option<u64>,
    /// Directory of its private files; by default, the system's temporary directory.
    pub work_directory: Option<PathBuf>,
    /// How peers are authenticated.
    pub security: Security,
}

/// Runs an executor until a signal ends it. It reconnects to its scheduler until then.
pub fn run_executor(options: &ExecutorOptions) -> Result<(), ServerError> {
    runtime()?.block_on(run(options))
}

async fn run(options: &ExecutorOptions) -> Result<(), ServerError> {
    let directory = SpillDirectory::new(options.work_directory.as_deref());
    let work = directory.path()?.join("work");
    std::fs::create_dir(&work).map_err(|error| ServerError::Ended(error.to_string()))?;
    let spill = directory.path()?.join("spill");
    std::fs::create_dir(&spill).map_err(|error| ServerError::Ended(error.to_string()))?;
    // Bound once before anything else, so that an address in use is reported immediately.
    let listener = std::net::TcpListener::bind(options.listen);
    drop(listener.map_err(|_| ServerError::Listen(options.listen.to_string()))?);

    let security = options.security.clone();
    let endpoints = options.security.of_ballista();
    let stores = Arc::new(Stores::default());
    let config = ExecutorProcessConfig {
        bind_host: bracketed(options.listen),
        external_host: Some(options.host.clone().unwrap_or_else(|| bracketed(options.listen))),
        port: options.listen.port(),
        // Nothing connects to it there: it polls for work.
        grpc_port: options.listen.port(),
        scheduler_host: options.scheduler.host().to_owned(),
        scheduler_port: options.scheduler.port(),
        scheduler_connect_timeout_seconds: CONNECT_SECONDS,
        vcores: options.threads,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(work.display().to_string()),
        job_data_ttl_seconds: ABANDONED_DATA_SECONDS,
        job_data_clean_up_interval_seconds: CLEAN_UP_INTERVAL_SECONDS,
        grpc_max_decoding_message_size: MESSAGE_BYTES,
        grpc_max_encoding_message_size: MESSAGE_BYTES,
        memory_pool_size: options.memory,
        // Memory sizes of this process depend on the rows it holds.
        metric_collection_policy: ExecutorMetricCollectionPolicy::Off,
        override_execution_engine: Some(Arc::new(SealedEngine::new())),
        override_config_producer: Some(Arc::new({
            let endpoints = Arc::clone(&endpoints);
            move || session_config().with_ballista_override_create_grpc_client_endpoint(Arc::clone(&endpoints))
        })),
        override_runtime_producer: Some(Arc::new(move |_| {
            let disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Directories(vec![spill.clone()]));
            let runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(disk);
            runtime.with_object_store_registry(Arc::clone(&stores) as _).build_arc()
        })),
        override_physical_codec: Some(Arc::new(Codec::default())),
        override_create_grpc_client_endpoint: Some(endpoints),
        override_arrow_flight_service: Some(Arc::new(move |work_directory, address, mut shutdown, _| {
            let service = FlightServiceServer::new(BallistaFlightService::new(work_directory))
                .max_decoding_message_size(MESSAGE_BYTES as usize)
                .max_encoding_message_size(MESSAGE_BYTES as usize);
            let server = security.server();
            tokio::spawn(async move {
                let server = server.map_err(BallistaError::TonicError)?.add_service(service);
                server.serve_with_shutdown(address, shutdown.recv()).await.map_err(BallistaError::TonicError)
            })
        })),
        ..ExecutorProcessConfig::default()
    };
    let ended = start_executor_process(Arc::new(config)).await;
    drop(directory);
    ended.map_err(|error| match error {
        BallistaError::GrpcConnectionError(_) | BallistaError::General(_) => {
            ServerError::NoScheduler(options.scheduler.to_string())
        }
        error => error.into(),
    })
}

/// The host as written in a URL.
fn bracketed(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

/// Configuration of plans, in the client as in executors.
pub(crate) fn session_config() -> SessionConfig {
    SessionConfig::new_with_ballista().with_ballista_grpc_client_max_message_size(MESSAGE_BYTES as usize)
}
