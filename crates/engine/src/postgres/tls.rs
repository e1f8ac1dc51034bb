//! TLS by rustls, with the certificates that the machine trusts.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::problem::DatabaseProblem;

/// Makes connections for `mode`. A certificate is always checked, and so is the name in it.
pub(super) fn connector(mode: SslMode) -> Result<MakeRustlsConnect, DatabaseProblem> {
    let mut roots = RootCertStore::empty();
    if mode != SslMode::Disable {
        // Certificates that cannot be read are left out: with too few of them a server is refused, never trusted.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    // The provider is named, so that nothing depends on which one the process has as its default.
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| DatabaseProblem::Tls)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
