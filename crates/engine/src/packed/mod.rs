//! Tables in ZIP archives and in workbooks, as plain files that the other readers know.
//!
//! An archive must hold one table, which is unpacked into a private file. Of a workbook one sheet is written as CSV into a
//! private file. Both are done once, before the first look at a column.
//!
//! # Nothing in a cell can fail
//! A workbook is read by `quick-xml`, and not by a reader of spreadsheets: those stop at a cell of a kind that they do not know,
//! such as an error value of a newer Excel, and allocate what a file claims. Here every `row` element with a value is a row and
//! every cell is a text, whatever is in it. What can fail is the archive and the markup around the cells.

mod archive;
mod cell_format;
mod directory;
mod sheet;
mod workbook;
mod xml;

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use crate::error::{Damage, EngineError};
use crate::guard::check_unpacked;
use crate::input::{DataFile, Format};
use crate::spill::SpillRoom;

/// The files, with those that are packed replaced by private files in `room`.
pub(crate) fn unpack(files: Vec<DataFile>, room: &SpillRoom) -> Result<Vec<DataFile>, EngineError> {
    files.into_iter().enumerate().map(|(number, file)| unpack_one(file, number, room)).collect()
}

fn unpack_one(file: DataFile, number: usize, room: &SpillRoom) -> Result<DataFile, EngineError> {
    let file = if file.format == Format::Zip { archive::extract(&file, room, number)? } else { file };
    if file.format == Format::Xlsx { workbook::as_csv(&file, room, number) } else { Ok(file) }
}

/// A new private file.
fn private_file(room: &SpillRoom, name: &str) -> Result<(PathBuf, File), EngineError> {
    let path = room.path()?.join(name);
    let file = File::create_new(&path).map_err(|error| EngineError::refused(&path, &error))?;
    Ok((path, file))
}

/// Bytes that come out of a packed file, up to what a file of its size may become.
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

/// The kind of error of which no operating system and no decompressor speaks: too much came out of a file.
const OUTSIZED: io::ErrorKind = io::ErrorKind::FileTooLarge;

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.read(buffer)?;
        self.unpacked += length as u64;
        check_unpacked(self.packed, self.unpacked).map_err(|_| OUTSIZED)?;
        Ok(length)
    }
}

/// From an error met while a packed file was read.
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
