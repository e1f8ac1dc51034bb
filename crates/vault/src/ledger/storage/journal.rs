//! Journal of a job: its releases, so that a resumed job repeats them and draws nothing twice.
//!
//! An entry is a header (two lengths and a check of them), the event, the values and a hash. Header
//! and hash are chained to the previous entry, the first entry to the record of the reservation.
//! The lengths have their own check so that a damaged length is distinguished from a truncated
//! entry.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::super::LedgerError;
use super::chain::{self, GENESIS, Hash};

/// Two lengths of 8 bytes, then 16 bytes of their hash.
const HEADER: usize = 32;
const HASH: usize = 32;
/// Number of values that are converted to bytes at a time.
const CHUNK: usize = 8192;

/// One journalled release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Text of the event.
    pub event: String,
    /// Released values.
    pub values: Vec<i64>,
}

/// A journal that this process alone writes.
#[derive(Debug)]
pub(in crate::ledger) struct Journal {
    file: File,
    link: Hash,
    /// Set while an entry is not known to be durable; stays set if writing it fails.
    stopped: bool,
}

impl Journal {
    /// Locks the journal of a new job, whose reservation has the hash `head`.
    pub(in crate::ledger) fn start(file: File, job: &str, head: &str) -> Result<Self, LedgerError> {
        lock(&file, job)?;
        Ok(Self { file, link: chain::link(&GENESIS, head), stopped: false })
    }

    /// Reads the journal of an interrupted job, and returns it with its entries.
    ///
    /// A truncated last entry is removed: its values had not left the process, see `ledger.md`.
    pub(in crate::ledger) fn resume(mut file: File, head: &str) -> Result<(Self, Vec<JournalEntry>), LedgerError> {
        let (entries, link, length) = read(&file, chain::link(&GENESIS, head))?;
        file.set_len(length).map_err(LedgerError::storage("cutting a journal"))?;
        // Entries may have been written and not synced. They are made durable before they are used.
        file.sync_all().map_err(LedgerError::storage("syncing a journal"))?;
        file.seek(SeekFrom::Start(length)).map_err(LedgerError::io("reading a journal"))?;
        Ok((Self { file, link, stopped: false }, entries))
    }

    /// Appends entries. They are durable once this returns, and only then may the values leave the
    /// process.
    pub(in crate::ledger) fn append<'a>(
        &mut self,
        releases: impl IntoIterator<Item = (&'a str, &'a [i64])>,
    ) -> Result<(), LedgerError> {
        self.refuse_if_stopped()?;
        self.stopped = true;
        for (event, values) in releases {
            self.link = self.write(event, values).map_err(LedgerError::write)?;
        }
        self.file.sync_all().map_err(LedgerError::storage("syncing a journal"))?;
        self.stopped = false;
        Ok(())
    }

    /// Refuses further entries, because data that belongs to them is not durable.
    pub(in crate::ledger) fn stop(&mut self) {
        self.stopped = true;
    }

    pub(in crate::ledger) fn refuse_if_stopped(&self) -> Result<(), LedgerError> {
        if self.stopped { Err(LedgerError::Stopped) } else { Ok(()) }
    }

    fn write(&mut self, event: &str, values: &[i64]) -> io::Result<Hash> {
        let header = header(&self.link, event.len() as u64, values.len() as u64);
        let mut hasher = Sha256::new().chain_update(self.link);
        let mut write = |bytes: &[u8]| {
            hasher.update(bytes);
            self.file.write_all(bytes)
        };
        write(&header)?;
        write(event.as_bytes())?;
        for values in values.chunks(CHUNK) {
            write(&values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())?;
        }
        let link: Hash = hasher.finalize().into();
        self.file.write_all(&link)?;
        Ok(link)
    }
}

/// Opens and locks the journal of a job. Fails if the process that runs the job is alive.
pub(in crate::ledger) fn claim(path: &Path, job: &str) -> Result<File, LedgerError> {
    let file = OpenOptions::new().read(true).write(true).open(path).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => LedgerError::Journal { what: "its journal is gone" },
        _ => LedgerError::io("opening a journal")(cause),
    })?;
    lock(&file, job)?;
    Ok(file)
}

fn lock(file: &File, job: &str) -> Result<(), LedgerError> {
    file.try_lock().map_err(|cause| match cause {
        TryLockError::WouldBlock => LedgerError::Running { job: job.to_owned() },
        TryLockError::Error(cause) => LedgerError::io("locking a journal")(cause),
    })
}

fn header(link: &Hash, event: u64, values: u64) -> [u8; HEADER] {
    let (event, values) = (event.to_le_bytes(), values.to_le_bytes());
    let check = Sha256::new().chain_update(link).chain_update(event).chain_update(values).finalize();
    let mut header = [0; HEADER];
    for (to, from) in header.iter_mut().zip(event.iter().chain(&values).chain(&check)) {
        *to = *from;
    }
    header
}

/// Reads the complete entries, and returns them with the link after them and their end.
fn read(file: &File, mut link: Hash) -> Result<(Vec<JournalEntry>, Hash, u64), LedgerError> {
    let failed = || LedgerError::io("reading a journal");
    let length = file.metadata().map_err(failed())?.len();
    let (mut entries, mut end) = (Vec::new(), 0);
    let mut reader = BufReader::new(file);
    loop {
        let left = length - end;
        if left < HEADER as u64 {
            return Ok((entries, link, end));
        }
        let mut found = [0; HEADER];
        reader.read_exact(&mut found).map_err(failed())?;
        let [event_length, values_length] =
            [0, 8].map(|at| u64::from_le_bytes(found[at..at + 8].try_into().expect("eight bytes of 32")));
        if found != header(&link, event_length, values_length) {
            return Err(LedgerError::Journal { what: "its journal has a broken entry" });
        }
        let size = u128::from(event_length) + u128::from(values_length) * 8 + (HEADER + HASH) as u128;
        if u128::from(left) < size {
            return Ok((entries, link, end));
        }
        let mut body = vec![0; usize::try_from(size).expect("a file fits memory") - HEADER];
        reader.read_exact(&mut body).map_err(failed())?;
        let (content, hash) = body.split_at(body.len() - HASH);
        link = Sha256::new().chain_update(link).chain_update(found).chain_update(content).finalize().into();
        if hash != link {
            return Err(LedgerError::Journal { what: "its journal has a broken entry" });
        }
        let (event, values) = content.split_at(usize::try_from(event_length).expect("a part of what fits memory"));
        let event = String::from_utf8_lossy(event).into_owned();
        let values = values.chunks_exact(8).map(|value| i64::from_le_bytes(value.try_into().expect("chunks of eight")));
        entries.push(JournalEntry { event, values: values.collect() });
        end += u64::try_from(size).expect("at most what is left of the file");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_that_failed_once_refuses_further_entries() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        File::create(&path).unwrap();
        // A read-only handle, so that writing fails.
        let mut journal = Journal::start(File::open(&path).unwrap(), "job", "head").unwrap();
        assert!(matches!(journal.append([("event", &[1][..])]), Err(LedgerError::Storage { .. })));
        assert!(matches!(journal.append([("event", &[1][..])]), Err(LedgerError::Stopped)));
        assert!(matches!(journal.refuse_if_stopped(), Err(LedgerError::Stopped)));
    }
}
