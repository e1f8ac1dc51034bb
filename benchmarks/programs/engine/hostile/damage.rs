//! Ways to spoil a sound file.

use std::ops::Range;

use super::random::Random;

/// The file's beginning, in `count` lengths from nothing to all but one byte.
pub(crate) fn truncations(bytes: &[u8], count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|step| bytes[..(bytes.len() - 1) * step / (count - 1).max(1)].to_vec()).collect()
}

/// Copies with `flips` bits turned somewhere in `range`.
pub(crate) fn flipped(bytes: &[u8], range: Range<usize>, flips: usize, random: &mut Random) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    for _ in 0..flips {
        damaged[range.start + random.below(range.len())] ^= 1 << random.below(8);
    }
    damaged
}

/// A copy in which every `old` is `new`.
pub(crate) fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len(), "the rest of the file must stay where it is");
    let mut damaged = bytes.to_vec();
    let mut at = 0;
    while let Some(found) = damaged[at..].windows(old.len()).position(|window| window == old) {
        damaged[at + found..at + found + new.len()].copy_from_slice(new);
        at += found + new.len();
    }
    assert_ne!(damaged, bytes, "there was nothing to replace");
    damaged
}

/// A copy with `new` at `place`.
pub(crate) fn overwritten(bytes: &[u8], place: usize, new: &[u8]) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    damaged[place..place + new.len()].copy_from_slice(new);
    damaged
}

/// Where the footer of a Parquet file begins and ends.
pub(crate) fn parquet_footer(bytes: &[u8]) -> Range<usize> {
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four bytes"));
    end - length as usize..end
}

/// Where the footer of an Arrow file begins and ends.
pub(crate) fn arrow_footer(bytes: &[u8]) -> Range<usize> {
    let end = bytes.len() - 10;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().expect("four bytes"));
    end - length as usize..end
}
