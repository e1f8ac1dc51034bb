//! Checks what a file claims about itself before a decoder relies on it.
//!
//! The decoders of Parquet and Arrow allocate, and loop, by what a file claims: a footer of 20
//! bytes can request 200 GiB, a page of 2 MB can unpack to 2 GB, three bytes can stand for two
//! billion rows. A failed allocation ends the process, and cannot be caught. So every length, count
//! and offset that a decoder will use is read here first, by code that allocates nothing for a
//! claim, and a file with impossible claims is refused.
//!
//! Only the structure is checked: sizes, counts and offsets in headers and footers, and the
//! unpacked length of packed data. Values of rows are not examined. The cost is one small read per
//! page or message.
//!
//! # The limits, and why ordinary files stay below them
//!
//! * **Everything is in the file, and nothing twice.** No writer makes pages, batches or buffers
//!   that overlap, or that extend beyond the end.
//! * **At once**, one thread must hold at most [`MAX_AT_ONCE`] unpacked bytes, or [`FACTOR`] times
//!   the packed bytes. Writers cut pages at about 1 MiB, some at 100 MiB, and batches at about 64
//!   Ki rows; those that do not, such as fastparquet, which writes a column of a row group as one
//!   page, and Arrow files of one batch, pack real columns less than tenfold.
//! * **In all**, a file unpacks to at most [`MAX_IN_ALL`] plus [`FACTOR`] times its size. Encoded
//!   columns that shrink more than that hold next to nothing, and then they are small.
//! * **Rows**: a file has at most [`CELLS`] cells plus [`CELLS_PER_BYTE`] for every byte. Millions
//!   of equal values may take a few bytes; a table of only such columns, with more than 134 million
//!   cells, is not a real table.
//! * **Schemas** are at most [`MAX_DEPTH`] deep, because readers walk them by recursion, and have
//!   at most [`MAX_ELEMENTS`] elements.

mod arrow;
mod delta;
mod footer;
mod lz4;
mod pages;
mod thrift;
mod unpack;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::error::{Damage, EngineError};

pub(crate) use arrow::check_arrow;
pub(crate) use footer::{TAIL, check_footer, check_footer_bytes, footer_start};
pub(crate) use pages::check_pages;
pub(crate) use unpack::{MAX_FREE_LINE, check_unpacked, unpacking};

/// Bytes that may be unpacked at once, for any packed size.
const MAX_AT_ONCE: u64 = 256 << 20;
/// Bytes that a file may unpack to, for any size.
const MAX_IN_ALL: u64 = 1 << 30;
/// Beyond these limits, the maximum ratio of unpacked to packed bytes.
const FACTOR: u64 = 64;
/// Cells (rows times columns) that a file of any size may have.
const CELLS: u64 = 1 << 27;
/// Additional cells per byte of the file.
const CELLS_PER_BYTE: u64 = 4096;
/// Maximum nesting of a schema.
const MAX_DEPTH: usize = 100;
/// Maximum elements of a schema. A schema of Scumble has at most 10,000 columns.
const MAX_ELEMENTS: usize = 1 << 17;
/// Maximum bytes of metadata: the footer of 100 row groups of 2,000 columns has 40 MB.
const MAX_METADATA: u64 = 256 << 20;

/// Why a file is refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Its claims contradict each other, or its length.
    Damaged,
    /// Its claims may be true, but far exceed what a table of its length needs.
    Outsized,
    /// Its compression cannot be checked.
    Brotli,
    /// It could not be read.
    Io(io::Error),
}

impl Refusal {
    /// Converts the refusal to an error about the file at `path`: `damage` if it contradicts
    /// itself.
    pub(crate) fn in_file(self, path: &str, damage: Damage) -> EngineError {
        let problem = match self {
            Self::Damaged => damage,
            Self::Outsized => Damage::Outsized,
            Self::Brotli => Damage::Brotli,
            Self::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => damage,
            Self::Io(error) => return EngineError::unreadable(path, &error),
        };
        EngineError::Engine { path: path.into(), problem }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

type Checked<T> = Result<T, Refusal>;

/// Fails as outsized unless `holds`.
fn within_limits(holds: bool) -> Checked<()> {
    if holds { Ok(()) } else { Err(Refusal::Outsized) }
}

/// Fails as damaged unless `holds`.
fn consistent(holds: bool) -> Checked<()> {
    if holds { Ok(()) } else { Err(Refusal::Damaged) }
}

/// Converts a length, count or offset of a file, which its format allows to be negative.
fn size(value: impl TryInto<u64>) -> Checked<u64> {
    value.try_into().map_err(|_| Refusal::Damaged)
}

/// Reads `length` bytes at `offset`, or fewer at the end of the file. The caller has bounded the
/// length.
fn read_at(file: &mut File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    // Room for a page header, so that it takes one read; more is allocated as it is read.
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(4096)).unwrap_or_default());
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads `N` bytes at `offset`.
fn array_at<const N: usize>(file: &mut File, offset: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Fails if two of the ranges, given by start and length, share a byte.
fn check_disjoint(ranges: &mut [(u64, u64)]) -> Checked<()> {
    ranges.sort_unstable();
    let clash = ranges.windows(2).any(|pair| pair[0].0.saturating_add(pair[0].1) > pair[1].0);
    consistent(!clash)
}

/// Bytes that are unpacked at once, and in total.
#[derive(Debug, Default, Clone, Copy)]
struct Unpacked {
    at_once: u64,
    in_all: u64,
}

impl Unpacked {
    /// Fails if this is more than `packed` bytes may become.
    fn check(self, packed: u64) -> Checked<()> {
        let fair = packed.saturating_mul(FACTOR);
        within_limits(self.at_once <= MAX_AT_ONCE.max(fair) && self.in_all <= MAX_IN_ALL.saturating_add(fair))
    }
}

/// Fails if `bytes` are too few for the number of cells.
fn check_cells(cells: u64, bytes: u64) -> Checked<()> {
    within_limits(cells <= bytes.saturating_mul(CELLS_PER_BYTE).saturating_add(CELLS))
}
