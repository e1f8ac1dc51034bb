//! TLS with rustls, and the certificates that the machine trusts.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::source::database_problem::DatabaseProblem;

/// Creates connections for `mode`. The certificate and the name in it are always verified.
pub(super) fn connector(mode: SslMode) -> Result<MakeRustlsConnect, DatabaseProblem> {
    let mut roots = RootCertStore::empty();
    if mode != SslMode::Disable {
        // Unreadable certificates are skipped: with too few of them a server is refused, never
        // trusted.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    // The provider is explicit, so that nothing depends on the default of the process.
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| DatabaseProblem::Tls)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
