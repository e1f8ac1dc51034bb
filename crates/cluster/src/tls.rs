//! Who may talk to whom.
//!
//! Exact counts cross the network before noise is added, so every connection is TLS with certificates on both sides, all from one
//! authority that signs for this cluster and nothing else. A server shows a certificate for the name [`SERVER_NAME`], whatever its
//! host is called: machines of a cluster come and go under addresses that nobody knows beforehand. A client's certificate has no
//! such name, so that a client cannot pass for a server.

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
/// The files of a directory with certificates.
const AUTHORITY: &str = "ca.pem";
const CERTIFICATE: &str = "cert.pem";
const KEY: &str = "key.pem";

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(5);
/// How often the other side is asked whether it is still there, and how long it may take to answer. A cable that was cut says
/// nothing by itself.
const ALIVE_EVERY: Duration = Duration::from_secs(5);
const ALIVE_WITHIN: Duration = Duration::from_secs(10);

/// How the machines of a cluster know each other.
#[derive(Clone)]
pub enum Security {
    /// By certificates of one authority.
    Tls(TlsFiles),
    /// Not at all: whoever reaches a port can ask for the exact counts of any file that the executors can read.
    None,
}

/// What stands in a directory with certificates.
#[derive(Clone)]
pub struct TlsFiles {
    authority: Arc<[u8]>,
    certificate: Arc<[u8]>,
    key: Arc<[u8]>,
}

/// Why a directory with certificates is of no use.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read `{path}`: {problem}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        problem: io::Error,
    },
    /// Others can read the key.
    #[error("`{0}` can be read by others than its owner")]
    OpenKey(PathBuf),
    /// They are no certificates, or do not belong together.
    #[error("the certificates in `{0}` are not sound, or the key is not that of the certificate")]
    Unsound(PathBuf),
}

impl TlsError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::File { .. } | Self::Unsound(_) => {
                "the folder holds `ca.pem`, `cert.pem` and `key.pem`, all in PEM; `cluster/certificates.sh` makes them"
            }
            Self::OpenKey(_) => "take the right from the others: `chmod 600 key.pem`",
        }
    }
}

impl Security {
    /// From the files `ca.pem`, `cert.pem` and `key.pem` of a directory.
    pub fn read(directory: &Path) -> Result<Self, TlsError> {
        let read = |name: &str| {
            let path = directory.join(name);
            fs::read(&path).map(Arc::from).map_err(|problem| TlsError::File { path, problem })
        };
        let files = TlsFiles { authority: read(AUTHORITY)?, certificate: read(CERTIFICATE)?, key: read(KEY)? };
        check_key(&directory.join(KEY))?;
        // Both sides are tried now, and not with the first connection.
        let sound = Endpoint::from_static("https://localhost").tls_config(files.client()).is_ok()
            && Server::builder().tls_config(files.server()).is_ok();
        if sound { Ok(Self::Tls(files)) } else { Err(TlsError::Unsound(directory.to_owned())) }
    }

    /// A connection to the server at `url`, not yet made.
    pub(crate) fn endpoint(&self, url: &str) -> Result<Endpoint, tonic::transport::Error> {
        let endpoint = match self {
            Self::None => Endpoint::from_shared(url.to_owned())?,
            Self::Tls(files) => {
                Endpoint::from_shared(url.replacen("http://", "https://", 1))?.tls_config(files.client())?
            }
        };
        Ok(endpoint
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(ALIVE_EVERY)
            .keep_alive_timeout(ALIVE_WITHIN)
            .keep_alive_while_idle(true))
    }

    /// The same, as Ballista asks for it: it makes a plain endpoint, and lets us have another in its place.
    pub(crate) fn of_ballista(&self) -> EndpointOverrideFn {
        let security = self.clone();
        Arc::new(move |endpoint| Ok(security.endpoint(&endpoint.uri().to_string())?))
    }

    /// A server without services.
    pub(crate) fn server(&self) -> Result<Server, tonic::transport::Error> {
        let server = Server::builder();
        let server = match self {
            Self::None => server,
            Self::Tls(files) => server.tls_config(files.server())?,
        };
        Ok(server
            .tcp_nodelay(true)
            .http2_keepalive_interval(Some(ALIVE_EVERY))
            .http2_keepalive_timeout(Some(ALIVE_WITHIN)))
    }
}

/// Refuses a key that others can read. One that is root's may be read by a group: that is how secrets are handed to a service.
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
