//! A CSV file with a line for every run, written as runs end, so that an interrupted program loses
//! nothing.
//!
//! Several programs may write to one file: every change happens under a lock on it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::Result;
use crate::grid::mean_and_spread;

/// A file of results.
pub struct Journal {
    path: PathBuf,
    header: Row,
    /// Number of first columns that identify the point of a run.
    point: usize,
}

/// The fields of a line.
pub type Row = Vec<String>;

/// What happens to results that are in the files already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Those of the selected points are replaced.
    Afresh,
    /// They stay, and only missing runs are measured.
    Resume,
    /// They are summed up, and nothing is measured.
    FromCsv,
}

impl Journal {
    /// Opens or creates the file. The first `point` columns identify the point of a run.
    pub fn open(path: PathBuf, header: &[&str], point: usize) -> Result<Self> {
        let journal = Self { path, header: header.iter().map(ToString::to_string).collect(), point };
        let mut file = journal.locked()?;
        if file.metadata()?.len() == 0 {
            file.write_all(&lines(std::slice::from_ref(&journal.header))?)?;
        } else if csv::Reader::from_reader(&file).headers()? != header {
            return Err(format!("{} has other columns: remove it", journal.path.display()).into());
        }
        Ok(journal)
    }

    /// Returns all runs so far.
    pub fn rows(&self) -> Result<Vec<Row>> {
        rows(&mut self.locked()?)
    }

    /// Adds a run.
    pub fn append(&self, row: Row) -> Result<()> {
        assert_eq!(row.len(), self.header.len(), "a value for every column");
        let mut file = self.locked()?;
        file.seek(SeekFrom::End(0))?;
        Ok(file.write_all(&lines(&[row])?)?)
    }

    /// Returns the positions of runs that are to be measured. Each is given by the first fields of
    /// its line.
    pub fn pending(&self, runs: &[Row], mode: Mode) -> Result<Vec<usize>> {
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

    /// Opens the file with a lock that is held until it is dropped.
    fn locked(&self) -> Result<File> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path)?;
        file.lock()?;
        Ok(file)
    }
}

/// Returns a number of the line that begins with these fields, if there is one.
pub fn value(rows: &[Row], beginning: &[String], column: usize) -> Result<Option<f64>> {
    Ok(rows.iter().find(|row| row.starts_with(beginning)).map(|row| row[column].parse()).transpose()?)
}

/// Returns mean and standard deviation of a number over the lines that begin with these fields, if
/// there are any.
pub fn mean(rows: &[Row], beginning: &[String], column: usize) -> Result<Option<(f64, f64)>> {
    let runs = rows.iter().filter(|row| row.starts_with(beginning)).map(|row| row[column].parse());
    let values: Vec<f64> = runs.collect::<Result<_, _>>()?;
    Ok(if values.is_empty() { None } else { Some(mean_and_spread(&values)) })
}

fn rows(file: &mut File) -> Result<Vec<Row>> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_string(&mut text)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|record| Ok(record?.iter().map(Into::into).collect()));
    rows.collect()
}

fn lines(rows: &[Row]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.write_record(row)?;
    }
    Ok(writer.into_inner().map_err(csv::IntoInnerError::into_error)?)
}
