//! Converts tables in ZIP archives and workbooks to plain files for the other readers.
//!
//! An archive must contain one table, which is unpacked into a private file. One sheet of a
//! workbook is written as CSV into a private file. Both happen once, before any column is read.
//!
//! # Nothing in a cell can fail
//! A workbook is read with `quick-xml`, not with a spreadsheet reader: these stop at an unknown
//! kind of cell, such as an error value of a newer Excel, and allocate what a file claims. Here
//! every `row` element with a value is a row and every cell is a text, whatever it contains. Only
//! the archive and the markup around the cells can fail.

mod archive;
mod cell_format;
mod directory;
mod sheet;
mod workbook;
mod xml;

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use scumble_schema::Dialect;

use crate::error::{Damage, EngineError};
use crate::run::spill::SpillDirectory;
use crate::source::guard::check_unpacked;
use crate::source::input::{DataFile, Format};

/// Returns the files, with packed ones replaced by private files in `spill`.
/// Of `dialect`, a sheet has only what is said of the header.
pub(crate) fn unpack(
    files: Vec<DataFile>,
    dialect: &Dialect,
    spill: &SpillDirectory,
) -> Result<Vec<DataFile>, EngineError> {
    files.into_iter().enumerate().map(|(number, file)| unpack_one(file, dialect, number, spill)).collect()
}

fn unpack_one(
    file: DataFile,
    dialect: &Dialect,
    number: usize,
    spill: &SpillDirectory,
) -> Result<DataFile, EngineError> {
    let file = if file.format == Format::Zip { archive::extract(&file, spill, number)? } else { file };
    if file.format == Format::Xlsx { workbook::as_csv(&file, dialect, spill, number) } else { Ok(file) }
}

/// Creates a private file.
fn private_file(spill: &SpillDirectory, name: &str) -> Result<(PathBuf, File), EngineError> {
    let path = spill.path()?.join(name);
    let file = File::create_new(&path).map_err(|error| EngineError::refused(&path, &error))?;
    Ok((path, file))
}

/// Bytes of a packed file, up to the limit for a file of its size.
struct Bounded<R> {
    bytes: R,
    packed: u64,
    unpacked: u64,
}

impl<R> Bounded<R> {
    fn new(bytes: R, packed: u64) -> Self {
        Self { bytes, packed, unpacked: 0 }
    }
}

/// Marks that a file unpacks to too much; no operating system or decompressor reports this kind.
const OUTSIZED: io::ErrorKind = io::ErrorKind::FileTooLarge;

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.read(buffer)?;
        self.unpacked += length as u64;
        check_unpacked(self.packed, self.unpacked).map_err(|_| OUTSIZED)?;
        Ok(length)
    }
}

/// Converts an error that occurred while a packed file was read.
fn unpacking_failed(shown: &str, error: &io::Error, damage: Damage) -> EngineError {
    let path = shown.to_owned();
    match error.kind() {
        OUTSIZED => EngineError::Engine { path, problem: Damage::Outsized },
        _ => match EngineError::unreadable(shown, error) {
            EngineError::Engine { .. } => EngineError::Engine { path, problem: damage },
            error => error,
        },
    }
}
