//! Binds a job to its table, so that it is not resumed on another one.
//!
//! Beside the journal lies a private file with a random key and, for each journalled release, a
//! digest of the key, the event and the exact answer. A resumed job recounts its answers and
//! compares the digests.
//!
//! # Privacy
//! The digests depend on exact counts, and a reader of the key can test guesses against them. So
//! the file is as private as the rows: only its owner may read it, nothing of it is in the ledger,
//! a model or a message, and it is removed when the job ends. The key is fresh for each job, so
//! that digests of two jobs cannot be compared.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::LedgerError;
use super::storage::private_file;

const KEY_BYTES: usize = 32;

/// Digest of one exact answer.
pub(crate) type AnswerDigest = [u8; 32];

/// The binding of a job to its table.
pub(super) struct Binding {
    file: File,
    key: [u8; KEY_BYTES],
    /// Digests of the releases journalled before the job was interrupted.
    journalled: Vec<AnswerDigest>,
}

impl Binding {
    /// Creates the binding of a job without releases.
    pub(super) fn start(path: &Path) -> Result<Self, LedgerError> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(LedgerError::Entropy)?;
        let opened = private_file().create(true).truncate(true).open(path);
        let mut file = opened.map_err(LedgerError::io("binding a job to its table"))?;
        file.write_all(&key).map_err(LedgerError::write)?;
        file.sync_all().map_err(LedgerError::storage("syncing a binding"))?;
        Ok(Self { file, key, journalled: Vec::new() })
    }

    /// Opens the binding of a job that was interrupted after `releases` journalled releases.
    /// Digests beyond them are removed.
    pub(super) fn resume(path: &Path, releases: usize) -> Result<Self, LedgerError> {
        let unbound = LedgerError::Journal { what: "its binding to a table is missing or incomplete" };
        let opened = private_file().open(path);
        let mut file = match opened {
            // Interrupted before the first release: the job may start on any table.
            Err(cause) if cause.kind() == io::ErrorKind::NotFound && releases == 0 => return Self::start(path),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Err(unbound),
            opened => opened.map_err(LedgerError::io("reading a binding"))?,
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(LedgerError::io("reading a binding"))?;
        let Some((&key, digests)) = bytes.split_first_chunk::<KEY_BYTES>() else {
            return if releases == 0 { Self::start(path) } else { Err(unbound) };
        };
        let (digests, _) = digests.as_chunks();
        let journalled = digests.get(..releases).ok_or(unbound)?.to_vec();
        let length = (KEY_BYTES + releases * size_of::<AnswerDigest>()) as u64;
        file.set_len(length).map_err(LedgerError::storage("cutting a binding"))?;
        file.seek(SeekFrom::Start(length)).map_err(LedgerError::io("reading a binding"))?;
        Ok(Self { file, key, journalled })
    }

    /// Replaces the file, for tests of failing storage.
    #[cfg(test)]
    pub(super) fn break_file(&mut self, file: File) {
        self.file = file;
    }

    /// Computes the digest of the key and an answer, whose bytes `write` appends.
    pub(super) fn digest(&self, write: impl FnOnce(&mut Sha256)) -> AnswerDigest {
        let mut digest = Sha256::new().chain_update(self.key);
        write(&mut digest);
        digest.finalize().into()
    }

    /// Returns the digests of the releases journalled before the job was interrupted, in order.
    pub(super) fn journalled(&self) -> &[AnswerDigest] {
        &self.journalled
    }

    /// Appends digests of releases that are about to be journalled. They are durable once this
    /// returns.
    pub(super) fn append(&mut self, digests: &[AnswerDigest]) -> Result<(), LedgerError> {
        self.file.write_all(digests.as_flattened()).map_err(LedgerError::write)?;
        self.file.sync_all().map_err(LedgerError::storage("syncing a binding"))
    }
}

impl std::fmt::Debug for Binding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Binding(..)")
    }
}
