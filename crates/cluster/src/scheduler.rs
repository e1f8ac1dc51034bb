//! The scheduler: splits plans into partitions and assigns them to executors. It sees plans, with
//! the names and sizes of files, and the locations of results. It never sees a row or a count: see
//! `sealed.rs`.

use std::net::SocketAddr;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_core::utils::default_session_builder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::create_scheduler;
use datafusion::common::Result;
use datafusion::execution::SessionState;
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use object_store::ObjectStore;
use object_store::memory::InMemory;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal;
use tonic::transport::server::TcpIncoming;
use url::Url;

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
pub fn serve_scheduler(options: &SchedulerOptions) -> std::result::Result<(), ServerError> {
    runtime()?.block_on(serve(options))
}

/// Creates the runtime of a server.
pub(crate) fn runtime() -> std::result::Result<Runtime, ServerError> {
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

/// Creates a session that decodes and splits plans.
fn session(config: SessionConfig) -> Result<SessionState> {
    let runtime = RuntimeEnvBuilder::new().with_object_store_registry(Arc::new(UnopenedStores)).build_arc()?;
    let state = default_session_builder(config)?;
    Ok(SessionStateBuilder::new_from_existing(state).with_runtime_env(runtime).build())
}

/// The stores of a process that reads nothing and has no keys. Decoding a plan asks for the store
/// of its files, so every address has one, which is empty.
#[derive(Debug)]
struct UnopenedStores;

impl ObjectStoreRegistry for UnopenedStores {
    fn register_store(&self, _: &Url, _: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        None
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.get_store(url)
    }

    fn get_store(&self, _: &Url) -> Result<Arc<dyn ObjectStore>> {
        Ok(Arc::new(InMemory::new()))
    }
}

async fn serve(options: &SchedulerOptions) -> std::result::Result<(), ServerError> {
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
        override_session_builder: Some(Arc::new(session)),
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

#[cfg(test)]
mod tests {
    use datafusion::execution::object_store::ObjectStoreUrl;

    use super::*;

    #[test]
    fn plans_over_any_store_can_be_decoded_without_keys() {
        let state = session(SessionConfig::new()).unwrap();
        for address in ["s3://lake", "gs://lake", "abfss://lake@account.dfs.core.windows.net", "file:///"] {
            let store = state.runtime_env().object_store(ObjectStoreUrl::parse(address).unwrap()).unwrap();
            assert_eq!(store.to_string(), "InMemory", "{address}");
        }
    }
}
