//! Signatures of bundles: SSH signatures of the list of checksums, which covers all other files.
//!
//! They are made and checked by `ssh-keygen -Y` of OpenSSH, so that anyone can check a bundle
//! without this program, and so that keys may be where people have them already: in files, in an
//! agent, on a hardware key.

mod envelope;
mod keygen;

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use scumble_schema::io_problem;

use super::error::BundleError;
use keygen::Messages;

pub(super) use envelope::Envelope;

/// File with the signature of the list of checksums.
pub(super) const SIGNATURE: &str = "SHA256SUMS.sig";
/// What these signatures are for: a signature of another namespace is not one of a release.
pub(super) const NAMESPACE: &str = "scumble-release";
/// Text that is signed to try a key. It is no list of checksums, so its signature signs no bundle.
const TRIAL: &[u8] = b"A trial of this key by scumble. Nothing was released.\n";

/// The key of a publisher, which signs bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    key: PathBuf,
}

impl Signer {
    /// Tries a key: the file of a private key, or that of a public key whose private key is in an
    /// agent. Call it before budget is spent, so that no release fails for want of a signature.
    ///
    /// # Errors
    /// If `ssh-keygen` is not installed or does not sign with this key.
    pub fn try_key(key: &Path) -> Result<Self, BundleError> {
        let signer = Self { key: key.to_owned() };
        signer.sign(TRIAL)?;
        Ok(signer)
    }

    /// Returns the file of the key.
    pub fn key(&self) -> &Path {
        &self.key
    }

    pub(super) fn sign(&self, text: &[u8]) -> Result<Envelope, BundleError> {
        let refused = |problem: String| BundleError::Sign { key: self.key.display().to_string(), problem };
        let words = ["-Y", "sign", "-q", "-n", NAMESPACE, "-f"].map(OsStr::new);
        let arguments = [&words[..], &[self.key.as_os_str()]].concat();
        let output = keygen::run(&arguments, text, Messages::Shown)?;
        if !output.status.success() {
            return Err(refused(keygen::reason(&output)));
        }
        Envelope::parse(&output.stdout).map_err(|problem| refused(format!("its signature {problem}")))
    }
}

/// The keys that a reader accepts signatures of: a file of names and public keys, in the format
/// `allowed_signers` of OpenSSH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signers {
    file: PathBuf,
    name: Option<String>,
}

impl Signers {
    /// Accepts signatures of everyone in this file.
    pub fn of(file: &Path) -> Self {
        Self { file: file.to_owned(), name: None }
    }

    /// Accepts signatures of one name in the file only.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }

    /// Returns the name of the signer of a text, or why the signature is not accepted.
    pub(super) fn check(&self, text: &[u8], signature: &Envelope) -> Result<Result<String, String>, BundleError> {
        let unreadable = |error: std::io::Error| BundleError::Signers {
            path: self.file.display().to_string(),
            problem: io_problem(&error),
        };
        File::open(&self.file).map_err(unreadable)?;
        // The bytes that were checked, and not those that the folder may have by now.
        let no_copy = |error: std::io::Error| BundleError::Keygen { problem: io_problem(&error) };
        let mut copy = tempfile::NamedTempFile::new().map_err(no_copy)?;
        copy.write_all(signature.text()).map_err(no_copy)?;
        let names = match &self.name {
            Some(name) => vec![name.clone()],
            None => match self.names_of(copy.path())? {
                Ok(names) => names,
                Err(problem) => return Ok(Err(problem)),
            },
        };
        let mut problem = "the key has no name".to_owned();
        for name in names {
            let words = ["-Y", "verify", "-n", NAMESPACE, "-I", &name, "-s"].map(OsStr::new);
            let paths = [copy.path().as_os_str(), OsStr::new("-f"), self.file.as_os_str()];
            let output = keygen::run(&[&words[..], &paths].concat(), text, Messages::Read)?;
            if output.status.success() {
                return Ok(Ok(name));
            }
            problem = keygen::reason(&output);
        }
        Ok(Err(problem))
    }

    /// Returns the names that the file has for the key of a signature. Whether the signature is
    /// right is not checked.
    fn names_of(&self, signature: &Path) -> Result<Result<Vec<String>, String>, BundleError> {
        let words = ["-Y", "find-principals", "-s"].map(OsStr::new);
        let paths = [signature.as_os_str(), OsStr::new("-f"), self.file.as_os_str()];
        let output = keygen::run(&[&words[..], &paths].concat(), b"", Messages::Read)?;
        if !output.status.success() {
            return Ok(Err(keygen::reason(&output)));
        }
        Ok(Ok(String::from_utf8_lossy(&output.stdout).lines().map(Into::into).collect()))
    }
}
