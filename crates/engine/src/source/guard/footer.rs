//! Checks the footer of a Parquet file before a reader allocates by its claims.

use std::fs::File;

use super::thrift::{I32, LIST, STRUCT, Thrift};
use super::{Checked, MAX_DEPTH, MAX_ELEMENTS, MAX_METADATA, Refusal, array_at, consistent, read_at, within_limits};

/// Length of the footer length and the magic word after it.
pub(crate) const TAIL: u64 = 8;
/// Maximum column chunks in all row groups. Each takes about a kibibyte when read.
const MAX_CHUNKS: usize = 1 << 18;

/// Checks that the lists of a footer are in it, and that its schema is a tree of moderate depth and
/// size.
pub(crate) fn check_footer(file: &mut File) -> Checked<()> {
    let length = file.metadata()?.len();
    let tail_at = length.checked_sub(TAIL).ok_or(Refusal::Damaged)?;
    let footer_at = footer_start(length, array_at(file, tail_at)?)?;
    check_footer_bytes(&read_at(file, footer_at, tail_at - footer_at)?)
}

/// Returns where the footer begins in a file, from the file's length and its last eight bytes.
pub(crate) fn footer_start(file_length: u64, tail: [u8; 8]) -> Checked<u64> {
    let [a, b, c, d, magic @ ..] = tail;
    consistent(&magic == b"PAR1")?;
    let footer_length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = file_length.checked_sub(TAIL + footer_length).ok_or(Refusal::Damaged)?;
    within_limits(footer_length <= MAX_METADATA)?;
    Ok(start)
}

/// Checks the footer alone.
pub(crate) fn check_footer_bytes(footer: &[u8]) -> Checked<()> {
    let walked = walk(footer).ok_or(Refusal::Damaged)?;
    within_limits(walked.elements <= MAX_ELEMENTS && walked.depth <= MAX_DEPTH && walked.chunks <= MAX_CHUNKS)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Walked {
    elements: usize,
    depth: usize,
    chunks: usize,
}

/// Fields of `FileMetaData`: 2 is the schema, 4 are the row groups.
fn walk(bytes: &[u8]) -> Option<Walked> {
    let (mut thrift, mut last, mut walked) = (Thrift(bytes), 0, Walked::default());
    while let Some((id, kind)) = thrift.field(&mut last)? {
        match (id, kind) {
            (2, LIST) => (walked.elements, walked.depth) = walk_schema(&mut thrift)?,
            (4, LIST) => walked.chunks = walk_row_groups(&mut thrift)?,
            _ => thrift.skip(kind)?,
        }
    }
    Some(walked)
}

/// Returns the number of elements of the schema, and its depth. Parents come first, each with the
/// number of its children.
fn walk_schema(thrift: &mut Thrift<'_>) -> Option<(usize, usize)> {
    let (kind, elements) = thrift.list()?;
    (kind == STRUCT).then_some(())?;
    // Number of missing children of each open parent.
    let mut waiting: Vec<usize> = vec![];
    let mut depth = 0;
    for element in 0..elements {
        let (mut last, mut children) = (0, 0);
        while let Some((id, kind)) = thrift.field(&mut last)? {
            match (id, kind) {
                (5, I32) => children = usize::try_from(thrift.number()?).ok()?,
                _ => thrift.skip(kind)?,
            }
        }
        (children < elements - element).then_some(())?;
        if let Some(left) = waiting.last_mut() {
            *left -= 1;
        }
        waiting.push(children);
        depth = depth.max(waiting.len());
        while waiting.last() == Some(&0) {
            waiting.pop();
        }
    }
    Some((elements, depth))
}

/// Returns the number of column chunks of the row groups. Field 1 of each is the list of them.
fn walk_row_groups(thrift: &mut Thrift<'_>) -> Option<usize> {
    let (kind, groups) = thrift.list()?;
    (kind == STRUCT).then_some(())?;
    let mut chunks = 0;
    for _ in 0..groups {
        let mut last = 0;
        while let Some((id, kind)) = thrift.field(&mut last)? {
            match (id, kind) {
                (1, LIST) => {
                    let (kind, length) = thrift.list()?;
                    chunks += length;
                    (0..length).try_for_each(|_| thrift.skip(kind))?;
                }
                _ => thrift.skip(kind)?,
            }
        }
    }
    Some(chunks)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer with the schema `schema { a, b { c } }` and two row groups of three chunks.
    const FOOTER: [u8; 38] = [
        0x15, 0x02, // version
        0x19, 0x4C, // four elements
        0x55, 0x04, 0x00, // two children
        0x15, 0x02, 0x00, 0x55, 0x02, 0x00, 0x15, 0x02, 0x00, // leaf, one child, leaf
        0x16, 0x02, // rows
        0x19, 0x2C, // two row groups
        0x19, 0x3C, 0x00, 0x00, 0x00, 0x00, 0x19, 0x3C, 0x00, 0x00, 0x00, 0x00, // three chunks each
        0x00, 0, 0, 0, 0, 0,
    ];

    #[test]
    fn elements_depth_and_chunks_are_counted() {
        assert_eq!(walk(&FOOTER).unwrap(), Walked { elements: 4, depth: 3, chunks: 6 });
    }

    #[test]
    fn a_truncated_footer_is_refused() {
        // The stop byte of the whole struct is at 32.
        for length in 0..32 {
            assert_eq!(walk(&FOOTER[..length]), None, "{length}");
        }
    }

    #[test]
    fn more_children_than_elements_are_refused() {
        let mut footer = FOOTER;
        footer[5] = 0x20;
        assert_eq!(walk(&footer), None);
        footer[5] = 0x01;
        assert_eq!(walk(&footer), None, "minus one");
    }
}
