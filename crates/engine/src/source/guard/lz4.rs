//! Bounds the unpacked size of an LZ4 frame. Its decoders unpack all of it, whatever length is
//! stated elsewhere.

use std::fs::File;

use super::{Checked, MAX_AT_ONCE, array_at, consistent, within_limits};

const MAGIC: u32 = 0x184D_2204;
/// Maximum number of bytes that one byte of LZ4 unpacks to.
const MAX_EXPANSION: u64 = 255;
/// The old frame format has blocks of up to 8 MiB and no header.
const OLD_MAGIC: u32 = 0x184C_2102;

/// Checks that a frame at `offset`, if there is one, unpacks to little more than `stated` bytes.
pub(super) fn check_frame(file: &mut File, offset: u64, length: u64, stated: u64) -> Checked<()> {
    let fair = stated.saturating_mul(2).saturating_add(MAX_AT_ONCE);
    if length.saturating_mul(MAX_EXPANSION) <= fair {
        return Ok(());
    }
    within_limits(longest(file, offset, length)? <= fair)
}

/// Returns the maximum size to which the blocks of the frame can unpack; 0 if this is not a frame.
fn longest(file: &mut File, offset: u64, length: u64) -> Checked<u64> {
    let magic = u32::from_le_bytes(array_at(file, offset)?);
    if magic == OLD_MAGIC {
        return Ok(u64::MAX);
    }
    if magic != MAGIC {
        return Ok(0);
    }
    let [flags, block] = array_at(file, offset + 4)?;
    let has = |bit: u8| u64::from(flags >> bit & 1);
    let block_limit = match block >> 4 & 7 {
        4 => 64 << 10,
        5 => 256 << 10,
        6 => 1 << 20,
        _ => 4 << 20,
    };
    // After the magic word: flags, block size, optional content length and dictionary id, a
    // checksum.
    let mut at = 4 + 2 + 8 * has(3) + 4 * has(0) + 1;
    let mut unpacked = 0_u64;
    while at + 4 <= length {
        let head = u32::from_le_bytes(array_at(file, offset + at)?);
        let (is_plain, packed) = (head >> 31 == 1, u64::from(head & 0x7FFF_FFFF));
        if head == 0 {
            break;
        }
        let bytes = if is_plain { packed } else { packed.saturating_mul(MAX_EXPANSION).min(block_limit) };
        unpacked = unpacked.saturating_add(bytes);
        at += 4 + packed + 4 * has(4);
        consistent(at <= length)?;
    }
    Ok(unpacked)
}
