//! A CSV file with a line for every run, written as runs end, so that a run that is cut off loses nothing.
//!
//! Several programs may write to one file: every change happens under a lock on it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::Failure;
use crate::grid::mean_and_spread;

/// A file of results.
pub(crate) struct Journal {
    path: PathBuf,
    header: Row,
    /// How many of the first columns say which point a run belongs to.
    point: usize,
}

/// One line.
pub(crate) type Row = Vec<String>;

/// What happens to results that are in the files already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Those of the chosen points make room for new ones.
    Afresh,
    /// They stay, and only what is missing is measured.
    Resume,
    /// They are all there is: nothing is measured.
    FromCsv,
}

impl Journal {
    pub(crate) fn open(path: PathBuf, header: &[&str], point: usize) -> Result<Self, Failure> {
        let journal = Self { path, header: header.iter().map(ToString::to_string).collect(), point };
        let mut file = journal.locked()?;
        if file.metadata()?.len() == 0 {
            file.write_all(&lines(std::slice::from_ref(&journal.header))?)?;
        } else if csv::Reader::from_reader(&file).headers()? != header {
            return Err(format!("{} has other columns: remove it", journal.path.display()).into());
        }
        Ok(journal)
    }

    /// All runs so far.
    pub(crate) fn rows(&self) -> Result<Vec<Row>, Failure> {
        rows(&mut self.locked()?)
    }

    /// Adds a run.
    pub(crate) fn append(&self, row: Row) -> Result<(), Failure> {
        assert_eq!(row.len(), self.header.len(), "a value for every column");
        let mut file = self.locked()?;
        file.seek(SeekFrom::End(0))?;
        Ok(file.write_all(&lines(&[row])?)?)
    }

    /// Which of these runs are to be done, as positions. A run is given by what its line begins with.
    pub(crate) fn pending(&self, runs: &[Row], mode: Mode) -> Result<Vec<usize>, Failure> {
        let mut file = self.locked()?;
        let mut known = rows(&mut file)?;
        if mode == Mode::Afresh {
            known.retain(|row| !runs.iter().any(|run| row.starts_with(&run[..self.point])));
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&lines(&[vec![self.header.clone()], known].concat())?)?;
            return Ok((0..runs.len()).collect());
        }
        let missing = |run: &Row| mode == Mode::Resume && !known.iter().any(|row| row.starts_with(run));
        Ok((0..runs.len()).filter(|&run| missing(&runs[run])).collect())
    }

    /// The file, which nobody else changes until it is dropped.
    fn locked(&self) -> Result<File, Failure> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path)?;
        file.lock()?;
        Ok(file)
    }
}

/// A number of the line that begins like this, if there is one.
pub(crate) fn value(rows: &[Row], beginning: &[String], column: usize) -> Result<Option<f64>, Failure> {
    Ok(rows.iter().find(|row| row.starts_with(beginning)).map(|row| row[column].parse()).transpose()?)
}

/// Mean and spread of a number over the lines that begin like this, if there are any.
#[allow(dead_code, reason = "every program has this file as a module of its own, and two have one line for each point")]
pub(crate) fn mean(rows: &[Row], beginning: &[String], column: usize) -> Result<Option<(f64, f64)>, Failure> {
    let runs = rows.iter().filter(|row| row.starts_with(beginning)).map(|row| row[column].parse());
    let values: Vec<f64> = runs.collect::<Result<_, _>>()?;
    Ok(if values.is_empty() { None } else { Some(mean_and_spread(&values)) })
}

fn rows(file: &mut File) -> Result<Vec<Row>, Failure> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_string(&mut text)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|record| Ok(record?.iter().map(Into::into).collect()));
    rows.collect()
}

fn lines(rows: &[Row]) -> Result<Vec<u8>, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row)?;
    }
    Ok(writer.into_inner().map_err(csv::IntoInnerError::into_error)?)
}
