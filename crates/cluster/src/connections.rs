//! Connections from one executor to others, reused while they are in use.
//!
//! The counts of all partitions are fetched from every executor in thousands of small results, each
//! of which would cost a TLS handshake. Ballista has such a pool, but only its own execution engine
//! uses it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use ballista_core::client::BallistaClient;
use ballista_core::client_pool::{BallistaClientPool, PooledClient};
use ballista_core::error::Result;
use ballista_core::extension::BallistaConfigGrpcEndpoint;
use ballista_core::utils::GrpcClientConfig;

/// How long an idle connection is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// An executor, and the configuration of its connection.
type Peer = (String, u16, GrpcClientConfig);

struct Idle {
    client: BallistaClient,
    since: Instant,
}

#[derive(Default)]
struct IdleClients(Mutex<HashMap<Peer, Vec<Idle>>>);

impl IdleClients {
    fn lock(&self) -> MutexGuard<'_, HashMap<Peer, Vec<Idle>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, peer: &Peer) -> Option<BallistaClient> {
        let mut clients = self.lock();
        clients.retain(|_, idle| {
            idle.retain(|idle| idle.since.elapsed() < IDLE_TIMEOUT);
            !idle.is_empty()
        });
        clients.get_mut(peer)?.pop().map(|idle| idle.client)
    }

    fn put(&self, peer: Peer, client: BallistaClient) {
        self.lock().entry(peer).or_default().push(Idle { client, since: Instant::now() });
    }
}

/// The connections of one executor.
#[derive(Clone, Default)]
pub(crate) struct Connections(Arc<IdleClients>);

impl fmt::Debug for Connections {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Connections")
    }
}

#[async_trait]
impl BallistaClientPool for Connections {
    async fn acquire(
        &self,
        host: &str,
        port: u16,
        config: &GrpcClientConfig,
        customize_endpoint: Option<Arc<BallistaConfigGrpcEndpoint>>,
    ) -> Result<PooledClient> {
        let peer = (host.to_owned(), port, config.clone());
        let client = if let Some(client) = self.0.take(&peer) {
            client
        } else {
            BallistaClient::try_new(
                host,
                port,
                config.max_message_size,
                config.use_tls,
                customize_endpoint,
                config.io_retries_times,
                config.io_retry_wait_time_ms,
                config.initial_connection_window_size,
                config.initial_stream_window_size,
            )
            .await?
        };
        let idle = Arc::clone(&self.0);
        Ok(PooledClient::new(client, Box::new(move |client| idle.put(peer, client))))
    }

    /// Not needed: idle connections are evicted whenever one is acquired.
    async fn evict_idle(&self) {}
}
