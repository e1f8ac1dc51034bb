//! A defensive reader of Thrift's compact protocol: `None` means that the bytes end, or are not
//! Thrift.

/// Maximum nesting of structs and lists.
const MAX_NESTING: usize = 32;
const STOP: u8 = 0;
pub(super) const I32: u8 = 5;
pub(super) const I64: u8 = 6;
pub(super) const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;

/// The remaining bytes.
#[derive(Debug)]
pub(super) struct Thrift<'a>(pub(super) &'a [u8]);

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn advance(&mut self, length: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(length).ok()?..)?;
        Some(())
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        // Ten bytes of seven bits hold 64 bits; other readers continue for as long as the file
        // does.
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn number(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// Returns the number and kind of the next field; the inner `None` is the end of the struct.
    #[expect(clippy::option_option, reason = "the outer one is for bytes that end, the inner one for structs that do")]
    pub(super) fn field(&mut self, last: &mut i16) -> Option<Option<(i16, u8)>> {
        let head = self.byte()?;
        let (step, kind) = (head >> 4, head & 0x0F);
        if kind == STOP {
            return Some(None);
        }
        *last = match step {
            0 => i16::try_from(self.number()?).ok()?,
            _ => last.checked_add(step.into())?,
        };
        Some(Some((*last, kind)))
    }

    /// Returns the kind and number of a list's elements. Each takes at least one byte, so the
    /// number is at most the bytes left.
    pub(super) fn list(&mut self) -> Option<(u8, usize)> {
        let head = self.byte()?;
        let (short, kind) = (head >> 4, head & 0x0F);
        let length = if short == 15 { usize::try_from(self.varint()?).ok()? } else { short.into() };
        // Booleans: readers disagree on whether they take bytes here, and no list in a footer or a
        // page header has them.
        let walkable = length == 0 || !matches!(kind, 1 | 2);
        (walkable && length <= self.0.len()).then_some((kind, length))
    }

    /// Skips a value of this kind.
    pub(super) fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_nested(kind, MAX_NESTING)
    }

    fn skip_nested(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // The kind of a boolean field is its value.
            1 | 2 => {}
            3 => self.advance(1)?,
            4 | I32 | I64 => {
                self.varint()?;
            }
            7 => self.advance(8)?,
            8 => {
                let length = self.varint()?;
                self.advance(length)?;
            }
            LIST | 10 => {
                let (kind, length) = self.list()?;
                (0..length).try_for_each(|_| self.skip_nested(kind, depth))?;
            }
            11 => {
                let length = usize::try_from(self.varint()?).ok().filter(|length| *length <= self.0.len())?;
                let kinds = if length == 0 { 0 } else { self.byte()? };
                let (key, value) = (kinds >> 4, kinds & 0x0F);
                let walkable = length == 0 || !matches!(key, 1 | 2) && !matches!(value, 1 | 2);
                walkable.then_some(())?;
                (0..length).try_for_each(|_| {
                    self.skip_nested(key, depth)?;
                    self.skip_nested(value, depth)
                })?;
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip_nested(kind, depth)?;
                }
            }
            13 => self.advance(16)?,
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_endless_ones_are_not() {
        assert_eq!(Thrift(&[0xAC, 0x02]).varint(), Some(300));
        assert_eq!(Thrift(&[0x01]).number(), Some(-1));
        assert_eq!(Thrift(&[0xFF; 9].iter().copied().chain([1]).collect::<Vec<_>>()).varint(), Some(u64::MAX));
        assert_eq!(Thrift(&[0xFF; 100]).varint(), None);
        assert_eq!(Thrift(&[0x80]).varint(), None);
    }

    #[test]
    fn lists_are_at_most_as_long_as_the_bytes() {
        assert_eq!(Thrift(&[0x25, 1, 2]).list(), Some((I32, 2)));
        assert_eq!(Thrift(&[0xF5, 0xFF, 0xFF, 0xFF, 0xFF, 0x07]).list(), None);
        assert_eq!(Thrift(&[0x21, 1, 2]).list(), None, "truth values");
    }

    #[test]
    fn a_struct_is_skipped_to_its_end() {
        // Field 1 is a number, field 2 a text, field 3 a struct with a list of two texts.
        let bytes = [0x15, 0x02, 0x18, 0x02, b'a', b'b', 0x1C, 0x19, 0x28, 0x01, b'x', 0x00, 0x00, 0x00, 0x77];
        let mut thrift = Thrift(&bytes);
        thrift.skip(STRUCT).unwrap();
        assert_eq!(thrift.0, [0x77]);
        assert_eq!(Thrift(&[0x1C; 1000]).skip(STRUCT), None, "too deep");
    }
}
