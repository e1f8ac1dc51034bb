//! The scheduler: splits plans into partitions and assigns them to executors. It sees plans, with
//! the names and sizes of files, and the locations of results. It never sees a row or a count: see
//! `sealed.rs`.

use std::net::SocketAddr;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::create_scheduler;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal;
use tonic::transport::server::TcpIncoming;

use crate::MESSAGE_BYTES;
use crate::codec::Codec;
use crate::failure::ServerError;
use crate::guarded::GuardedScheduler;
use crate::tls::Security;

/// Seconds of silence after which an executor counts as dead. A busy one sends a heartbeat every
/// five.
const EXECUTOR_TIMEOUT_SECONDS: u64 = 15;
const EXPIRY_CHECK_SECONDS: u64 = 2;
/// Seconds to wait for another executor after the last is gone.
const NO_EXECUTORS_SECONDS: u64 = 20;
/// Seconds after which the results of a job whose client is dead are removed. Codes that are kept
/// are results too, of clients that live: a longer fit makes them again.
const ABANDONED_RESULTS_SECONDS: u64 = 60 * 60;
const ABANDONED_STATE_SECONDS: u64 = 600;

/// Options of a scheduler.
#[derive(Debug, Clone)]
pub struct SchedulerOptions {
    /// Where it listens.
    pub listen: SocketAddr,
    /// How peers are authenticated.
    pub security: Security,
}

/// Runs a scheduler until a signal ends it.
///
/// Its state is in memory: jobs end with the process, and their clients submit them again.
pub fn serve_scheduler(options: &SchedulerOptions) -> Result<(), ServerError> {
    runtime()?.block_on(serve(options))
}

/// Creates the runtime of a server.
pub(crate) fn runtime() -> Result<Runtime, ServerError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| ServerError::Ended(error.to_string()))
}

/// Completes with the first signal to end.
async fn shutdown_signal() {
    #[cfg(unix)]
    if let Ok(mut terminate) = signal::unix::signal(signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = signal::ctrl_c() => {}
        }
        return;
    }
    if signal::ctrl_c().await.is_err() {
        // Without signals the process is still ended by the system, but not cleanly.
        std::future::pending::<()>().await;
    }
}

async fn serve(options: &SchedulerOptions) -> Result<(), ServerError> {
    let config = SchedulerConfig {
        bind_host: options.listen.ip().to_string(),
        external_host: options.listen.ip().to_string(),
        bind_port: options.listen.port(),
        // Executors poll for work, and accept connections only from each other and from clients
        // that fetch a result.
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        finished_job_data_clean_up_interval_seconds: ABANDONED_RESULTS_SECONDS,
        finished_job_state_clean_up_interval_seconds: ABANDONED_STATE_SECONDS,
        grpc_server_max_decoding_message_size: MESSAGE_BYTES,
        grpc_server_max_encoding_message_size: MESSAGE_BYTES,
        grpc_client_max_message_size: MESSAGE_BYTES,
        executor_timeout_seconds: EXECUTOR_TIMEOUT_SECONDS,
        expire_dead_executor_interval_seconds: EXPIRY_CHECK_SECONDS,
        no_executors_grace_period_seconds: NO_EXECUTORS_SECONDS,
        override_physical_codec: Some(Arc::new(Codec::default())),
        override_create_grpc_client_endpoint: Some(options.security.of_ballista()),
        ..SchedulerConfig::default()
    };
    let cannot_listen = |_| ServerError::Listen(options.listen.to_string());
    let listener = TcpListener::bind(options.listen).await.map_err(cannot_listen)?;
    let cluster = BallistaCluster::new_from_config(&config).await?;
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, Arc::new(config)).await?;
    let service = SchedulerGrpcServer::new(GuardedScheduler(scheduler))
        .max_decoding_message_size(MESSAGE_BYTES as usize)
        .max_encoding_message_size(MESSAGE_BYTES as usize);
    let server = options.security.server()?.add_service(service);
    Ok(server
        .serve_with_incoming_shutdown(TcpIncoming::from(listener).with_nodelay(Some(true)), shutdown_signal())
        .await?)
}
