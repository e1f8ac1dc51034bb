//! What ties a job to its table, so that it is not resumed on another.
//!
//! Beside the journal lies a private file with a random key and, for each journalled release, a digest of the key, the event and the
//! exact answer. A job that is resumed counts again what it has released, and each answer must have its digest.
//!
//! # Privacy
//! The digests depend on exact counts, and whoever reads the key can test guesses against them. So the file is like the rows: only its
//! owner may read it, nothing of it is in the ledger, a model or a message, and it is removed when the job ends. The key is
//! fresh for each job, so that digests of two jobs cannot be compared.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::LedgerError;
use super::storage::private_file;

const KEY_BYTES: usize = 32;

/// The digest of one exact answer.
pub(crate) type AnswerDigest = [u8; 32];

/// The binding of a job that this process runs.
pub(super) struct Binding {
    file: File,
    key: [u8; KEY_BYTES],
    /// Those of the releases that were journalled before the job was cut off.
    journalled: Vec<AnswerDigest>,
}

impl Binding {
    /// The binding of a job that has released nothing yet.
    pub(super) fn start(path: &Path) -> Result<Self, LedgerError> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(LedgerError::Entropy)?;
        let opened = private_file().create(true).truncate(true).open(path);
        let mut file = opened.map_err(LedgerError::io("binding a job to its table"))?;
        file.write_all(&key).map_err(LedgerError::write)?;
        file.sync_all().map_err(LedgerError::storage("syncing a binding"))?;
        Ok(Self { file, key, journalled: Vec::new() })
    }

    /// The binding of a job that was cut off after so many releases. A digest of a release that was not journalled is cut off.
    pub(super) fn resume(path: &Path, releases: usize) -> Result<Self, LedgerError> {
        let unbound = LedgerError::Journal { what: "nothing says which table it was begun on" };
        let opened = private_file().open(path);
        let mut file = match opened {
            // Cut off before anything was released: any table is the first.
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

    /// Puts another file in place of the one that is written.
    #[cfg(test)]
    pub(super) fn break_file(&mut self, file: File) {
        self.file = file;
    }

    /// The digest of an answer, whose bytes `write` puts behind the key.
    pub(super) fn digest(&self, write: impl FnOnce(&mut Sha256)) -> AnswerDigest {
        let mut digest = Sha256::new().chain_update(self.key);
        write(&mut digest);
        digest.finalize().into()
    }

    /// Those of the releases that were journalled before the job was cut off, in order.
    pub(super) fn journalled(&self) -> &[AnswerDigest] {
        &self.journalled
    }

    /// Adds digests of releases that are about to be journalled. They last once this returns.
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
