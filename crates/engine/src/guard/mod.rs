//! What a file claims about itself is checked before a decoder believes it.
//!
//! The decoders of Parquet and Arrow allocate, and loop, by what a file says: a footer of 20 bytes can ask for 200 GiB, a
//! page of 2 MB can unpack to 2 GB, three bytes can stand for two billion rows. A failed allocation ends the process, and
//! no error can be caught. So every length, count and offset that a decoder will use is read here first, by code that
//! allocates nothing for a claim, and a file whose claims do not fit in it is refused.
//!
//! Judged is the structure alone: sizes, counts and places in headers and footers, and how long what is packed would be.
//! What a row holds is not looked at. The cost is one small read per page or message.
//!
//! # The limits, and why ordinary files stay below them
//!
//! * **Everything lies in the file, and nothing twice.** Pages, batches and buffers that reach beyond the end, or that
//!   overlap, were written by nobody.
//! * **At once**, what one thread must hold unpacked is at most [`AT_ONCE`], or [`FACTOR`] times its packed bytes. Writers
//!   cut pages at about 1 MiB, some at 100 MiB, and batches at some 64 Ki rows; those that do not, such as fastparquet,
//!   which writes a column of a row group as one page, and Arrow files of one batch, pack real columns less than tenfold.
//! * **In all**, a file unpacks to at most [`IN_ALL`] and [`FACTOR`] times its size. Encoded columns that shrink more than
//!   that hold next to nothing, and then they are small.
//! * **Rows**: a file has at most [`CELLS`] cells and [`CELLS_PER_BYTE`] for every byte. Millions of equal values take a
//!   few bytes, which is fair; a table that is all of this kind, and has more than 134 million cells, is no table.
//! * **Schemas** are at most [`DEPTH`] deep, because readers walk them by recursion, and have at most [`ELEMENTS`] parts.

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

/// Bytes that may be unpacked at once, whatever their packed size.
const AT_ONCE: u64 = 256 << 20;
/// Bytes that a file may unpack to, whatever its size.
const IN_ALL: u64 = 1 << 30;
/// How many times larger than packed the unpacked bytes may be beyond these.
const FACTOR: u64 = 64;
/// Cells, that is rows times columns, that a file may have whatever its size.
const CELLS: u64 = 1 << 27;
/// Cells that it may have beyond these for every byte.
const CELLS_PER_BYTE: u64 = 4096;
/// How deep a schema may be nested.
const DEPTH: usize = 100;
/// How many parts a schema may have. A schema of ours has at most 10,000 columns.
const ELEMENTS: usize = 1 << 17;
/// How many bytes of metadata are read: the footer of 100 row groups of 2,000 columns has 40 MB.
const METADATA: u64 = 256 << 20;

/// Why a file is not read.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// What it says contradicts itself, or its length.
    Damaged,
    /// What it says could be true, and is far beyond what a table of its length needs.
    Outsized,
    /// It is packed in a way that cannot be checked.
    Brotli,
    /// It could not be read.
    Io(io::Error),
}

impl Refusal {
    /// As an error about the file at `path`, which is `damage` if it contradicts itself.
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

/// A length, count or offset of a file, which its format lets be negative.
fn size(value: impl TryInto<u64>) -> Checked<u64> {
    value.try_into().map_err(|_| Refusal::Damaged)
}

/// `length` bytes at `offset`, or fewer at the end of the file. The caller has bounded the length.
fn read_at(file: &mut File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    // Room for a page header at once, so that it is one read; what is longer gets room as it comes.
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(4096)).unwrap_or_default());
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// `N` bytes at `offset`.
fn array_at<const N: usize>(file: &mut File, offset: u64) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Fails if two of the ranges, given by start and length, share a byte.
fn apart(ranges: &mut [(u64, u64)]) -> Checked<()> {
    ranges.sort_unstable();
    let clash = ranges.windows(2).any(|pair| pair[0].0.saturating_add(pair[0].1) > pair[1].0);
    consistent(!clash)
}

/// What is unpacked at once, and in all.
#[derive(Debug, Default, Clone, Copy)]
struct Unpacked {
    at_once: u64,
    in_all: u64,
}

impl Unpacked {
    /// Fails if this is more than `packed` bytes may become.
    fn check(self, packed: u64) -> Checked<()> {
        let fair = packed.saturating_mul(FACTOR);
        within_limits(self.at_once <= AT_ONCE.max(fair) && self.in_all <= IN_ALL.saturating_add(fair))
    }
}

/// Fails if `bytes` are too few for so many cells.
fn check_cells(cells: u64, bytes: u64) -> Checked<()> {
    within_limits(cells <= bytes.saturating_mul(CELLS_PER_BYTE).saturating_add(CELLS))
}
