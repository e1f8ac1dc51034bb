//! Maps codes to cells: the key of a row is the sum of code times stride over the axes of a table.
//!
//! The loops are written to be vectorised: plain slices of one length, no branches, and up to three
//! axes at once, so that keys are stored and loaded less often.

use std::ops::Range;

use super::counter::Codes;

/// Index of a cell, in 16 bits for small tables and 32 for large ones.
///
/// Sums and products wrap around; for checked codes no result exceeds the last cell.
pub(super) trait Key: Copy {
    /// Converts a stride, which is below the number of cells and so fits the key. Only the stride
    /// of an axis with one code may equal the number of cells, and its code is 0.
    fn stride(stride: usize) -> Self;
    /// `code * stride`
    fn part(code: u32, stride: Self) -> Self;
    fn plus(self, other: Self) -> Self;
}

impl Key for u16 {
    fn stride(stride: usize) -> Self {
        Self::try_from(stride).unwrap_or(0)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a code of a small table is below its cells")]
    #[inline]
    fn part(code: u32, stride: Self) -> Self {
        (code as Self).wrapping_mul(stride)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Key for u32 {
    fn stride(stride: usize) -> Self {
        Self::try_from(stride).unwrap_or(0)
    }

    #[inline]
    fn part(code: u32, stride: Self) -> Self {
        code.wrapping_mul(stride)
    }

    #[inline]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

/// Rows whose keys are computed at a time; the keys stay in the first-level cache beside the lanes.
pub(super) const KEY_ROWS: usize = 2048;

/// Writes one key per row, from the codes of these rows.
pub(super) fn fill<'a, K: Key>(keys: &mut [K], axes: impl Iterator<Item = (Codes<'a>, usize)>) {
    let parts = axes.map(|(codes, stride)| (codes, K::stride(stride)));
    // The first axes write the keys, the others add to them.
    let mut fresh = true;
    let mut waiting: [Option<(&[u8], K)>; 2] = [None, None];
    for (codes, stride) in parts {
        match codes {
            Codes::U8(codes) => match waiting {
                [Some(a), Some(b)] => {
                    three(keys, (a.0, b.0, codes), [a.1, b.1, stride], fresh);
                    (waiting, fresh) = ([None, None], false);
                }
                [Some(a), None] => waiting = [Some(a), Some((codes, stride))],
                _ => waiting = [Some((codes, stride)), None],
            },
            Codes::U16(codes) => {
                one(keys, codes, stride, fresh);
                fresh = false;
            }
            Codes::U32(codes) => {
                one(keys, codes, stride, fresh);
                fresh = false;
            }
        }
    }
    for (codes, stride) in waiting.into_iter().flatten() {
        one(keys, codes, stride, fresh);
        fresh = false;
    }
    if fresh {
        keys.fill(K::stride(0));
    }
}

/// Packs the codes of up to eight binary columns into the bits of one byte, the first column
/// highest.
///
/// Bytes are half as wide as keys, so a vector holds twice as many; a bit is shifted up by adding a
/// byte to itself.
pub(super) fn pack_bits(bytes: &mut [u8], bits: &[usize], columns: &[Codes<'_>], rows: Range<usize>) {
    let column = |position: usize| match columns[position] {
        Codes::U8(codes) => &codes[rows.clone()],
        Codes::U16(_) | Codes::U32(_) => unreachable!("the codes of a binary column are bytes"),
    };
    let (threes, rest) = bits.as_chunks::<3>();
    bytes.fill(0);
    for &[a, b, c] in threes {
        append_three(bytes, column(a), column(b), column(c));
    }
    for &a in rest {
        append_one(bytes, column(a));
    }
}

#[inline(never)]
fn append_three(bytes: &mut [u8], a: &[u8], b: &[u8], c: &[u8]) {
    let rows = bytes.len();
    let (a, b, c) = (&a[..rows], &b[..rows], &c[..rows]);
    for row in 0..rows {
        bytes[row] = doubled(doubled(doubled(bytes[row], a[row]), b[row]), c[row]);
    }
}

#[inline(never)]
fn append_one(bytes: &mut [u8], a: &[u8]) {
    for (byte, &a) in bytes.iter_mut().zip(a) {
        *byte = doubled(*byte, a);
    }
}

fn doubled(byte: u8, bit: u8) -> u8 {
    byte.wrapping_add(byte).wrapping_add(bit)
}

fn one<K: Key, C: Copy + Into<u32>>(keys: &mut [K], codes: &[C], stride: K, fresh: bool) {
    let rows = keys.iter_mut().zip(codes);
    if fresh {
        rows.for_each(|(key, &code)| *key = K::part(code.into(), stride));
    } else {
        rows.for_each(|(key, &code)| *key = key.plus(K::part(code.into(), stride)));
    }
}

fn three<K: Key>(keys: &mut [K], (a, b, c): (&[u8], &[u8], &[u8]), strides: [K; 3], fresh: bool) {
    if fresh { write_three(keys, a, b, c, strides) } else { add_three(keys, a, b, c, strides) }
}

// Separate functions, not inlined, with the slices as arguments: only then does the compiler know
// that keys and codes do not overlap, and uses whole vectors.
#[inline(never)]
fn write_three<K: Key>(keys: &mut [K], a: &[u8], b: &[u8], c: &[u8], [of_a, of_b, of_c]: [K; 3]) {
    let rows = keys.len();
    let (a, b, c) = (&a[..rows], &b[..rows], &c[..rows]);
    for row in 0..rows {
        let two = K::part(a[row].into(), of_a).plus(K::part(b[row].into(), of_b));
        keys[row] = two.plus(K::part(c[row].into(), of_c));
    }
}

#[inline(never)]
fn add_three<K: Key>(keys: &mut [K], a: &[u8], b: &[u8], c: &[u8], [of_a, of_b, of_c]: [K; 3]) {
    let rows = keys.len();
    let (a, b, c) = (&a[..rows], &b[..rows], &c[..rows]);
    for row in 0..rows {
        let two = K::part(a[row].into(), of_a).plus(K::part(b[row].into(), of_b));
        keys[row] = keys[row].plus(two).plus(K::part(c[row].into(), of_c));
    }
}
