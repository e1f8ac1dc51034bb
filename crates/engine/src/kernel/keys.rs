//! From codes to cells: the key of a row is the sum of code times stride over the axes of a table.
//!
//! The loops are written so that the compiler turns them into vector instructions: plain slices of one length, no
//! branch, and up to three axes at once, so that keys are stored and loaded less often.

use super::counter::Codes;
use super::plan::Axis;

/// A cell's number, in 16 bits for small tables and 32 for large ones.
pub(super) trait Key: Copy {
    /// The stride in this width. A stride is below the number of cells, and those fit the key.
    fn stride(stride: usize) -> Self;
    /// `code * stride`. No product or sum of valid codes exceeds the last cell; nothing is checked here.
    fn part(code: u32, stride: Self) -> Self;
    fn plus(self, other: Self) -> Self;
}

macro_rules! key {
    ($key:ty) => {
        impl Key for $key {
            fn stride(stride: usize) -> Self {
                // The stride of an axis with one code may be the number of cells itself; its code is 0.
                Self::try_from(stride).unwrap_or(0)
            }

            #[expect(clippy::cast_possible_truncation, reason = "codes of a table's axes are below its cells")]
            #[inline(always)]
            fn part(code: u32, stride: Self) -> Self {
                (code as Self).wrapping_mul(stride)
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }
    };
}

key!(u16);
key!(u32);

/// Writes the keys of the rows `start..start + keys.len()`.
pub(super) fn fill<K: Key>(keys: &mut [K], axes: &[Axis], columns: &[Codes<'_>], start: usize) {
    let rows = start..start + keys.len();
    let stride = |axis: &Axis| K::stride(axis.stride);
    if axes.is_empty() {
        keys.fill(K::stride(0));
    }
    let mut rest = axes;
    // The first axes write the keys, the others add to them.
    let mut fresh = true;
    while let [first, behind @ ..] = rest {
        rest = behind;
        match columns[first.column] {
            Codes::U8(a) => {
                let a = &a[rows.clone()];
                if let [second, third, behind @ ..] = rest
                    && let (Codes::U8(b), Codes::U8(c)) = (columns[second.column], columns[third.column])
                {
                    let codes = (a, &b[rows.clone()], &c[rows.clone()]);
                    three(keys, codes, [stride(first), stride(second), stride(third)], fresh);
                    rest = behind;
                } else {
                    one(keys, a, stride(first), fresh);
                }
            }
            Codes::U16(codes) => one(keys, &codes[rows.clone()], stride(first), fresh),
            Codes::U32(codes) => one(keys, &codes[rows.clone()], stride(first), fresh),
        }
        fresh = false;
    }
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

// A function each, not inlined and with the slices as arguments of their own: only then does the compiler know that the
// keys overlap none of the codes, and uses whole vectors.
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
