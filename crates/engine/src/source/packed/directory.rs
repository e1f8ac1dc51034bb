//! Reads the directory at the end of a ZIP archive.
//!
//! Archives are read by our own code because the decompressor is already a dependency: deflated
//! data is framed as a gzip file, so that length and checksum are checked as in other compressed
//! files. Every length and offset is checked against the file before it is used.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use datafusion::datasource::file_format::file_compression_type::FileCompressionType;

use crate::source::guard::unpacking;

/// The record at the end of an archive, and the maximum length of the comment after it.
const END: [u8; 4] = *b"PK\x05\x06";
const END_BYTES: usize = 22;
const MAX_COMMENT: u64 = 0xFFFF;
/// Precedes the end record in archives of more than 4 GiB: the location of their own record.
const WIDE_LOCATOR: [u8; 4] = *b"PK\x06\x07";
const WIDE_END: [u8; 4] = *b"PK\x06\x06";
const WIDE_END_BYTES: usize = 56;
const LOCATOR_BYTES: usize = 20;
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const ENTRY_BYTES: usize = 46;
const LOCAL: [u8; 4] = *b"PK\x03\x04";
const LOCAL_BYTES: usize = 30;
/// Marks a value that is stored elsewhere, because it needs more room.
const STORED_ELSEWHERE: u64 = 0xFFFF_FFFF;
/// Maximum bytes of a directory: a million files have fewer.
const DIRECTORY_BYTES: u64 = 128 << 20;
/// First bytes of a gzip file without optional fields.
const GZIP_HEADER: [u8; 10] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF];

/// An archive and its entries.
#[derive(Debug)]
pub(super) struct Archive {
    path: PathBuf,
    entries: Vec<Entry>,
}

/// A file in an archive.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    is_encrypted: bool,
    method: u16,
    checksum: u32,
    packed: u64,
    unpacked: u64,
    place: u64,
}

impl Archive {
    /// Reads the directory of the archive at `path`.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let directory = directory(&mut file)?;
        let mut entries = vec![];
        let mut rest = &directory[..];
        while let Some((entry, after)) = Entry::read(rest)? {
            entries.push(entry);
            rest = after;
        }
        Ok(Self { path: path.to_owned(), entries })
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// Returns a reader of the unpacked bytes of an entry.
    pub(super) fn unpack(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        if entry.is_encrypted {
            return damaged();
        }
        let mut file = File::open(&self.path)?;
        let local = bytes_at(&mut file, entry.place, LOCAL_BYTES)?;
        if !local.starts_with(&LOCAL) {
            return damaged();
        }
        let start = entry.place + (LOCAL_BYTES as u64) + u64::from(short(&local, 26)) + u64::from(short(&local, 28));
        file.seek(SeekFrom::Start(start))?;
        let packed = file.take(entry.packed);
        match entry.method {
            0 if entry.packed == entry.unpacked => Ok(Box::new(packed)),
            8 => {
                // gzip stores the length modulo 2^32.
                #[expect(clippy::cast_possible_truncation, reason = "that is what the format does")]
                let length = entry.unpacked as u32;
                let trailer = [entry.checksum.to_le_bytes(), length.to_le_bytes()].concat();
                let gzip = Cursor::new(GZIP_HEADER).chain(packed).chain(Cursor::new(trailer));
                unpacking(FileCompressionType::GZIP, gzip).map_err(|_| io::ErrorKind::InvalidData.into())
            }
            _ => damaged(),
        }
    }
}

impl Entry {
    /// Reads the first entry of the rest of a directory, and returns what follows it.
    fn read(directory: &[u8]) -> io::Result<Option<(Self, &[u8])>> {
        if directory.is_empty() {
            return Ok(None);
        }
        let (fixed, rest) = directory.split_at_checked(ENTRY_BYTES).ok_or(io::ErrorKind::InvalidData)?;
        if !fixed.starts_with(&ENTRY) {
            return damaged();
        }
        let lengths = [28, 30, 32].map(|at| usize::from(short(fixed, at)));
        let (name, rest) = rest.split_at_checked(lengths[0]).ok_or(io::ErrorKind::InvalidData)?;
        let (extra, rest) = rest.split_at_checked(lengths[1]).ok_or(io::ErrorKind::InvalidData)?;
        let (_comment, rest) = rest.split_at_checked(lengths[2]).ok_or(io::ErrorKind::InvalidData)?;
        let mut wide = wide_values(extra);
        // In this order, each only if it is stored elsewhere.
        let mut size = |at| match u64::from(word(fixed, at)) {
            STORED_ELSEWHERE => wide.next().ok_or(io::Error::from(io::ErrorKind::InvalidData)),
            size => Ok(size),
        };
        let (unpacked, packed, place) = (size(24)?, size(20)?, size(42)?);
        let entry = Self {
            name: String::from_utf8_lossy(name).into_owned(),
            is_encrypted: short(fixed, 8) & 1 != 0,
            method: short(fixed, 10),
            checksum: word(fixed, 16),
            packed,
            unpacked,
            place,
        };
        Ok(Some((entry, rest)))
    }
}

/// Returns the eight-byte numbers of an entry's extra field.
fn wide_values(mut extra: &[u8]) -> impl Iterator<Item = u64> {
    let mut values = vec![];
    while let Some((head, rest)) = extra.split_first_chunk::<4>() {
        let length = usize::from(short(head, 2)).min(rest.len());
        if short(head, 0) == 1 {
            values = rest[..length].chunks_exact(8).map(|value| long(value, 0)).collect();
        }
        extra = &rest[length..];
    }
    values.into_iter()
}

/// Reads the bytes of the directory.
fn directory(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let tail_length = length.min(MAX_COMMENT + END_BYTES as u64 + LOCATOR_BYTES as u64);
    let tail = bytes_at(file, length - tail_length, usize::try_from(tail_length).unwrap_or(usize::MAX))?;
    let is_end = |at: &usize| tail[*at..].starts_with(&END) && tail.len() >= at + END_BYTES;
    let end = (0..tail.len()).rev().find(is_end).ok_or(io::ErrorKind::InvalidData)?;
    let (mut size, mut place) = (u64::from(word(&tail[end..], 12)), u64::from(word(&tail[end..], 16)));
    let locator = end.checked_sub(LOCATOR_BYTES).map(|start| &tail[start..end]);
    if let Some(locator) = locator.filter(|locator| locator.starts_with(&WIDE_LOCATOR)) {
        let wide = bytes_at(file, long(locator, 8), WIDE_END_BYTES)?;
        if !wide.starts_with(&WIDE_END) {
            return damaged();
        }
        (size, place) = (long(&wide, 40), long(&wide, 48));
    }
    if size > DIRECTORY_BYTES || place.checked_add(size).is_none_or(|end| end > length) {
        return damaged();
    }
    bytes_at(file, place, usize::try_from(size).map_err(|_| io::ErrorKind::InvalidData)?)
}

/// Reads `length` bytes of a file, which the caller has bounded.
fn bytes_at(file: &mut File, place: u64, length: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(place))?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn damaged<T>() -> io::Result<T> {
    Err(io::ErrorKind::InvalidData.into())
}

/// Reads numbers of two, four and eight bytes at positions that the caller has checked.
fn short(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from(short(bytes, at)) | u32::from(short(bytes, at + 2)) << 16
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}
