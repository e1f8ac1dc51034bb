//! Checks pages of texts in delta encodings, which state their number of values inside, and share
//! prefixes.
//!
//! A reader allocates as many lengths as the page's first bytes claim. Also, a value may repeat the
//! previous one at no cost: a mebibyte that is stored once can be a hundred thousand values. So
//! these pages are unpacked here, and their lengths added up. They are rare.

use std::fs::File;
use std::sync::Arc;

use datafusion::parquet::basic::Encoding;
use datafusion::parquet::column::page::{Page, PageReader};
use datafusion::parquet::file::metadata::ColumnChunkMetaData;
use datafusion::parquet::file::serialized_reader::SerializedPageReader;

use super::thrift::Thrift;
use super::{Checked, Refusal, Unpacked};
use crate::codes::encode::LONG_TEXT;

/// Checks all pages of a column chunk whose headers were checked; returns how many bytes shared
/// prefixes add.
pub(super) fn check_delta(file: Arc<File>, chunk: &ColumnChunkMetaData) -> Checked<Unpacked> {
    let mut found = Unpacked::default();
    let mut pages = pages(file, chunk)?;
    while let Some(page) = pages.get_next_page().map_err(|_| Refusal::Damaged)? {
        let shared = shared_bytes(&page, chunk).ok_or(Refusal::Damaged)?;
        found.at_once = found.at_once.max(shared);
        found.in_all = found.in_all.saturating_add(shared);
    }
    Ok(found)
}

/// Texts of a dictionary.
#[derive(Debug, Default)]
pub(super) struct Entries {
    /// Bytes of the longest.
    pub(super) longest: u64,
    /// Total bytes of all long texts.
    pub(super) long: u64,
}

impl Entries {
    /// Reads the entries of the chunk's dictionary, which holds texts.
    pub(super) fn read(file: Arc<File>, chunk: &ColumnChunkMetaData) -> Checked<Self> {
        let page = pages(file, chunk)?.get_next_page().map_err(|_| Refusal::Damaged)?;
        let mut entries = Self::default();
        let Some(Page::DictionaryPage { buf, .. }) = page else { return Ok(entries) };
        let mut rest = &buf[..];
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length);
            rest = after.get(length as usize..).ok_or(Refusal::Damaged)?;
            entries.longest = entries.longest.max(length.into());
            if length as usize >= LONG_TEXT {
                entries.long += u64::from(length);
            }
        }
        Ok(entries)
    }
}

fn pages(file: Arc<File>, chunk: &ColumnChunkMetaData) -> Checked<SerializedPageReader<File>> {
    SerializedPageReader::new(file, chunk, 0, None).map_err(|_| Refusal::Damaged)
}

/// Returns the bytes that the values of a page have beyond the stored ones; `None` if its counts
/// are wrong.
fn shared_bytes(page: &Page, chunk: &ColumnChunkMetaData) -> Option<u64> {
    let (bytes, values) = match page {
        Page::DataPage { buf, num_values, .. } => (after_levels(buf, chunk)?, *num_values),
        Page::DataPageV2 { buf, num_values, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let levels = (*def_levels_byte_len as usize).checked_add(*rep_levels_byte_len as usize)?;
            (buf.get(levels..)?, *num_values)
        }
        Page::DictionaryPage { .. } => return Some(0),
    };
    match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => {
            Numbers::read(bytes, values)?;
            Some(0)
        }
        Encoding::DELTA_BYTE_ARRAY => {
            let prefixes = Numbers::read(bytes, values)?;
            let suffixes = Numbers::read(bytes.get(prefixes.end..)?, values)?;
            (prefixes.count == suffixes.count).then_some(prefixes.sum)
        }
        _ => Some(0),
    }
}

/// Skips the levels at the start of a version 1 page, each of which has a length.
fn after_levels<'a>(mut bytes: &'a [u8], chunk: &ColumnChunkMetaData) -> Option<&'a [u8]> {
    let column = chunk.column_descr();
    for level in [column.max_rep_level(), column.max_def_level()] {
        if level > 0 {
            let (length, after) = bytes.split_first_chunk::<4>()?;
            bytes = after.get(u32::from_le_bytes(*length) as usize..)?;
        }
    }
    Some(bytes)
}

/// A sequence of lengths in `DELTA_BINARY_PACKED`.
#[derive(Debug, PartialEq, Eq)]
struct Numbers {
    count: u64,
    sum: u64,
    /// Position of the first byte after the sequence.
    end: usize,
}

impl Numbers {
    /// Reads a sequence of at most `max_count` numbers, none of them negative.
    fn read(bytes: &[u8], max_count: u32) -> Option<Self> {
        let mut thrift = Thrift(bytes);
        let block = usize::try_from(thrift.varint()?).ok()?;
        let parts = usize::try_from(thrift.varint()?).ok().filter(|parts| *parts > 0)?;
        let count = thrift.varint()?;
        let mut value = i32::try_from(thrift.number()?).ok()?;
        (count <= max_count.into() && block % parts == 0 && (block / parts).is_multiple_of(32)).then_some(())?;
        let part_values = block / parts;
        let (mut left, mut sum) = (count.saturating_sub(1), 0);
        if count > 0 {
            sum = u64::try_from(value).ok()?;
        }
        while left > 0 {
            let least = i32::try_from(thrift.number()?).ok()?;
            let (widths, after) = thrift.0.split_at_checked(parts)?;
            thrift.0 = after;
            for width in widths.iter().map(|width| usize::from(*width)) {
                if left == 0 {
                    // The widths of absent parts may have any value.
                    break;
                }
                let packed = (part_values / 8).checked_mul(width).filter(|_| width <= 32)?;
                // The last part may end after its last value.
                let here = left.min(part_values as u64);
                let (part, after) = thrift.0.split_at(packed.min(thrift.0.len()));
                for index in 0..usize::try_from(here).ok()? {
                    let step = bits(part, index.checked_mul(width)?, width)?;
                    value = value.wrapping_add(least).wrapping_add(step.cast_signed());
                    sum = u64::try_from(value).ok()?.checked_add(sum)?;
                }
                thrift.0 = after;
                left -= here;
            }
        }
        Some(Self { count, sum, end: bytes.len() - thrift.0.len() })
    }
}

/// Reads `width` bits, at most 32, from bit `place` on, low bits first.
fn bits(bytes: &[u8], place: usize, width: usize) -> Option<u32> {
    if width == 0 {
        return Some(0);
    }
    let last = bytes.get(place / 8..(place + width).div_ceil(8))?;
    let mut word = [0; 8];
    word[..last.len()].copy_from_slice(last);
    let word = u64::from_le_bytes(word) >> (place % 8);
    u32::try_from(word & ((1 << width) - 1)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_added_up() {
        // Seven, eight, ten, in one block of 128 with four parts: deltas one and two, minimum one,
        // one bit each.
        let mut bytes = vec![0x80, 0x01, 0x04, 0x03, 0x0E, 0x02, 1, 0, 0, 0];
        bytes.extend([0b10, 0, 0, 0, 0xAA]);
        assert_eq!(Numbers::read(&bytes, 3), Some(Numbers { count: 3, sum: 25, end: 14 }));
        assert_eq!(Numbers::read(&bytes, 2), None, "more than the page has");
        assert_eq!(Numbers::read(&bytes[..9], 3), None);
    }

    #[test]
    fn one_number_needs_no_block() {
        assert_eq!(Numbers::read(&[0x80, 0x01, 0x04, 0x01, 0x0E], 9), Some(Numbers { count: 1, sum: 7, end: 5 }));
        assert_eq!(Numbers::read(&[0x80, 0x01, 0x04, 0x01, 0x0D], 9), None, "negative");
    }
}
