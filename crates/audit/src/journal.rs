//! Runs of an audit in a file, so that an audit that was cut off can be continued.
//!
//! The first line states the audit; every other line is one run. A line that was cut off by the end
//! of the program is dropped. A file that does not begin with that line is refused and stays as it
//! is: it may be anything.
//!
//! Runs on real rows are exact functions of them, so only the owner may read the file.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::AuditError;

/// A file of runs, open for writing.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the file, or creates it. Returns the runs that are in it.
    ///
    /// # Errors
    /// If it is of another audit than `audit`, or cannot be read or written.
    pub(crate) fn open<R: DeserializeOwned>(path: &Path, audit: &Value) -> Result<(Self, Vec<R>), AuditError> {
        let failed = |error| AuditError::File { what: format!("cannot open {}", path.display()), error };
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let first = line_of(audit);
        if !text.starts_with(&first) && !first.starts_with(&text) {
            return Err(AuditError::OtherRuns { line: 1 });
        }
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(failed)?;
        }
        let mut journal = Self { path: path.into(), file };
        if whole == 0 {
            journal.append(std::slice::from_ref(audit))?;
        }
        let lines = text[..whole].lines().skip(1);
        let run = |(line, number): (&str, usize)| {
            serde_json::from_str(line).map_err(|_| AuditError::OtherRuns { line: number })
        };
        let runs = lines.zip(2..).map(run).collect::<Result<Vec<R>, _>>()?;
        Ok((journal, runs))
    }

    /// Adds runs.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn append<R: Serialize>(&mut self, runs: &[R]) -> Result<(), AuditError> {
        let lines: String = runs.iter().map(line_of).collect();
        let what = || format!("cannot write {}", self.path.display());
        self.file.write_all(lines.as_bytes()).map_err(|error| AuditError::File { what: what(), error })
    }
}

fn line_of(run: &impl Serialize) -> String {
    serde_json::to_string(run).expect("runs are numbers") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn runs_come_back_and_a_line_that_was_cut_off_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let audit = json!({"method": "mst"});
        let (mut journal, runs) = Journal::open::<f64>(&path, &audit).unwrap();
        assert!(runs.is_empty());
        journal.append(&[0.1, -2.5]).unwrap();
        drop(journal);
        std::fs::write(&path, format!("{}3.", std::fs::read_to_string(&path).unwrap())).unwrap();

        let (mut journal, runs) = Journal::open::<f64>(&path, &audit).unwrap();
        assert_eq!(runs, [0.1, -2.5]);
        journal.append(&[4.0]).unwrap();
        assert_eq!(Journal::open::<f64>(&path, &audit).unwrap().1, [0.1, -2.5, 4.0]);
    }

    #[test]
    fn runs_of_another_audit_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        Journal::open::<f64>(&path, &json!("mst")).unwrap();
        let error = Journal::open::<f64>(&path, &json!("aim")).unwrap_err();
        assert!(matches!(error, AuditError::OtherRuns { line: 1 }));
        std::fs::write(&path, "\"mst\"\n1.5\nx\n").unwrap();
        let error = Journal::open::<f64>(&path, &json!("mst")).unwrap_err();
        assert!(matches!(error, AuditError::OtherRuns { line: 3 }));
    }

    #[test]
    fn a_file_of_anything_else_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.csv");
        // Without an end of line, so that the last line looks cut off.
        for text in ["age,income", "age,income\n31,20000\n52,31000", "\n", "\"m"] {
            std::fs::write(&path, text).unwrap();
            let error = Journal::open::<f64>(&path, &json!("aim")).unwrap_err();
            assert!(matches!(error, AuditError::OtherRuns { line: 1 }));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        // The first line was being written when the program was killed.
        std::fs::write(&path, "\"a").unwrap();
        assert!(Journal::open::<f64>(&path, &json!("aim")).unwrap().1.is_empty());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "\"aim\"\n");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        Journal::open::<f64>(&path, &json!("aim")).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
}
