//! Authentication between the machines of a cluster.
//!
//! Exact counts cross the network before noise is added, so every connection is TLS with
//! certificates on both sides, all from one authority that signs only for this cluster. A server's
//! certificate is for the name [`SERVER_NAME`], whatever its host name: the addresses of a
//! cluster's machines are not known beforehand. A client's certificate does not have this name, so
//! a client cannot impersonate a server.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::EndpointOverrideFn;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, Server, ServerTlsConfig};

/// The name in the certificates of schedulers and executors.
const SERVER_NAME: &str = "scumble-cluster";
/// Names of the files in a directory of certificates.
const AUTHORITY: &str = "ca.pem";
const CERTIFICATE: &str = "cert.pem";
const KEY: &str = "key.pem";

/// Time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval of keep-alive messages, and time limit for their response: a broken network connection
/// reports nothing by itself.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(10);

/// How the machines of a cluster authenticate each other.
#[derive(Clone)]
pub enum Security {
    /// With certificates of one authority.
    Tls(TlsFiles),
    /// Not at all: anyone who reaches a port can request exact counts of any file that the
    /// executors can read.
    None,
}

/// The contents of a directory of certificates.
#[derive(Clone)]
pub struct TlsFiles {
    authority: Arc<[u8]>,
    certificate: Arc<[u8]>,
    key: Arc<[u8]>,
}

/// Why a directory of certificates cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read `{path}`: {problem}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        problem: io::Error,
    },
    /// Other users can read the key.
    #[error("`{0}` can be read by others than its owner")]
    OpenKey(PathBuf),
    /// The files are not valid certificates, or do not match.
    #[error("the certificates in `{0}` are not sound, or the key is not that of the certificate")]
    Unsound(PathBuf),
}

impl TlsError {
    /// Returns what to do about the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::File { .. } | Self::Unsound(_) => {
                "the folder holds `ca.pem`, `cert.pem` and `key.pem`, all in PEM; `cluster/certificates.sh` makes them"
            }
            Self::OpenKey(_) => "remove the permissions of other users: `chmod 600 key.pem`",
        }
    }
}

impl Security {
    /// Reads the files `ca.pem`, `cert.pem` and `key.pem` of a directory.
    pub fn read(directory: &Path) -> Result<Self, TlsError> {
        let read = |name: &str| {
            let path = directory.join(name);
            fs::read(&path).map(Arc::from).map_err(|problem| TlsError::File { path, problem })
        };
        let files = TlsFiles { authority: read(AUTHORITY)?, certificate: read(CERTIFICATE)?, key: read(KEY)? };
        check_key(&directory.join(KEY))?;
        // Both sides are checked now, not with the first connection.
        let sound = Endpoint::from_static("https://localhost").tls_config(files.client()).is_ok()
            && Server::builder().tls_config(files.server()).is_ok();
        if sound { Ok(Self::Tls(files)) } else { Err(TlsError::Unsound(directory.to_owned())) }
    }

    /// Returns an endpoint for the server at `url`, not yet connected.
    pub(crate) fn endpoint(&self, url: &str) -> Result<Endpoint, tonic::transport::Error> {
        let endpoint = match self {
            Self::None => Endpoint::from_shared(url.to_owned())?,
            Self::Tls(files) => {
                Endpoint::from_shared(url.replacen("http://", "https://", 1))?.tls_config(files.client())?
            }
        };
        Ok(endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEP_ALIVE_INTERVAL)
            .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
            .keep_alive_while_idle(true))
    }

    /// Returns the endpoint override for Ballista, which creates a plain endpoint and lets us
    /// replace it.
    pub(crate) fn of_ballista(&self) -> EndpointOverrideFn {
        let security = self.clone();
        Arc::new(move |endpoint| Ok(security.endpoint(&endpoint.uri().to_string())?))
    }

    /// Creates a server without services.
    pub(crate) fn server(&self) -> Result<Server, tonic::transport::Error> {
        let server = Server::builder();
        let server = match self {
            Self::None => server,
            Self::Tls(files) => server.tls_config(files.server())?,
        };
        Ok(server
            .tcp_nodelay(true)
            .http2_keepalive_interval(Some(KEEP_ALIVE_INTERVAL))
            .http2_keepalive_timeout(Some(KEEP_ALIVE_TIMEOUT)))
    }
}

/// Refuses a key that others can read. A key owned by root may be readable by a group: that is how
/// secrets are given to a service.
#[cfg(unix)]
fn check_key(path: &Path) -> Result<(), TlsError> {
    use std::os::unix::fs::MetadataExt;
    let key = fs::metadata(path).map_err(|problem| TlsError::File { path: path.to_owned(), problem })?;
    let forbidden = if key.uid() == 0 { 0o037 } else { 0o077 };
    if key.mode() & forbidden == 0 { Ok(()) } else { Err(TlsError::OpenKey(path.to_owned())) }
}

#[cfg(not(unix))]
fn check_key(_: &Path) -> Result<(), TlsError> {
    Ok(())
}

impl fmt::Debug for Security {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Tls(_) => "Tls(..)",
            Self::None => "None",
        })
    }
}

impl TlsFiles {
    fn authority(&self) -> Certificate {
        Certificate::from_pem(&self.authority)
    }

    fn identity(&self) -> Identity {
        Identity::from_pem(&self.certificate, &self.key)
    }

    fn client(&self) -> ClientTlsConfig {
        ClientTlsConfig::new().domain_name(SERVER_NAME).ca_certificate(self.authority()).identity(self.identity())
    }

    fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new().identity(self.identity()).client_ca_root(self.authority()).client_auth_optional(false)
    }
}
