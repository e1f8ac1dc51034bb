//! An executor: who reads files, encodes and counts.
//!
//! What it writes down on the way, the counts of its parts and the rows of units that go from one executor to another, is in a
//! directory that only its owner can enter, and is removed when the job is done, when the executor ends, or, after an end
//! without a chance to, when the next one begins at the same place.

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
use scumble_engine::SpillRoom;

use crate::MESSAGE_BYTES;
use crate::address::Address;
use crate::codec::Codec;
use crate::failure::ServerError;
use crate::scheduler::runtime;
use crate::sealed::SealedEngine;
use crate::stores::Stores;
use crate::tls::Security;

/// How long an executor looks for its scheduler when it starts.
const FIND_SCHEDULER: u16 = 30;
/// What a client that died left behind is removed after so many seconds without a change. Results of clients that live are
/// removed when they say so.
const LEFT_BEHIND: u64 = 6 * 60 * 60;
const LOOK_FOR_LEFT_BEHIND_EVERY: u64 = 60;

/// How an executor runs.
#[derive(Debug, Clone)]
pub struct ExecutorOptions {
    /// Its scheduler.
    pub scheduler: Address,
    /// Where it listens for other executors, and for clients that fetch results.
    pub listen: SocketAddr,
    /// The name or address under which they find it, if it is not that.
    pub host: Option<String>,
    /// How many parts it counts at once.
    pub threads: usize,
    /// How much memory sorting may take, in bytes; by the machine without it.
    pub memory: Option<u64>,
    /// Where its private files go; the system's directory for temporary files without it.
    pub work_directory: Option<PathBuf>,
    /// Who may talk to it.
    pub security: Security,
}

/// Runs an executor until a signal ends it. One that loses its scheduler looks for it until then.
pub fn run_executor(options: &ExecutorOptions) -> Result<(), ServerError> {
    runtime()?.block_on(run(options))
}

async fn run(options: &ExecutorOptions) -> Result<(), ServerError> {
    let room = SpillRoom::new(options.work_directory.as_deref());
    let work = room.path()?.join("work");
    std::fs::create_dir(&work).map_err(|error| ServerError::Ended(error.to_string()))?;
    let spill = room.path()?.join("spill");
    std::fs::create_dir(&spill).map_err(|error| ServerError::Ended(error.to_string()))?;
    // Bound once before anything else, so that an address in use is told at once.
    let listener = std::net::TcpListener::bind(options.listen);
    drop(listener.map_err(|_| ServerError::Listen(options.listen.to_string()))?);

    let security = options.security.clone();
    let endpoints = options.security.of_ballista();
    let stores = Arc::new(Stores::default());
    let config = ExecutorProcessConfig {
        bind_host: bracketed(options.listen),
        external_host: Some(options.host.clone().unwrap_or_else(|| bracketed(options.listen))),
        port: options.listen.port(),
        // Nobody calls it there: it asks for work.
        grpc_port: options.listen.port(),
        scheduler_host: options.scheduler.host().to_owned(),
        scheduler_port: options.scheduler.port(),
        scheduler_connect_timeout_seconds: FIND_SCHEDULER,
        vcores: options.threads,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(work.display().to_string()),
        job_data_ttl_seconds: LEFT_BEHIND,
        job_data_clean_up_interval_seconds: LOOK_FOR_LEFT_BEHIND_EVERY,
        grpc_max_decoding_message_size: MESSAGE_BYTES,
        grpc_max_encoding_message_size: MESSAGE_BYTES,
        memory_pool_size: options.memory,
        // The sizes of this process follow the rows it holds.
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
    drop(room);
    ended.map_err(|error| match error {
        BallistaError::GrpcConnectionError(_) | BallistaError::General(_) => {
            ServerError::NoScheduler(options.scheduler.to_string())
        }
        error => error.into(),
    })
}

/// The host as it stands in a URL.
fn bracketed(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

/// What plans run under, in the client as in executors.
pub(crate) fn session_config() -> SessionConfig {
    SessionConfig::new_with_ballista().with_ballista_grpc_client_max_message_size(MESSAGE_BYTES as usize)
}
