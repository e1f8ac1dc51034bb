//! Converts text of other encodings to UTF-8, for any contents: nothing can fail.
//!
//! A line depends on its own characters only. In UTF-16 a character is one unit of two bytes, or a
//! pair of them; a half of a pair is replaced, and a line end next to it stays a line end.

use std::io::{self, Read};

use scumble_schema::Encoding;

/// Bytes read at a time. Each becomes at most three.
const CHUNK_BYTES: usize = 64 << 10;

/// Characters of the bytes `80` to `9F`, which are control characters in Latin-1. Bytes that
/// Windows-1252 does not define stay control characters.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

/// Converts `bytes` to UTF-8. Bytes that are declared as UTF-8 are passed on unchanged, valid or
/// not.
pub(crate) fn in_utf8(encoding: Encoding, bytes: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    let decoder = match encoding {
        Encoding::Windows1252 => Decoder::Windows1252,
        Encoding::Utf16 => Decoder::Utf16(Utf16::default()),
        _ => return bytes,
    };
    Box::new(InUtf8 { bytes, decoder, chunk: vec![0; CHUNK_BYTES], text: String::new(), used: 0, is_over: false })
}

struct InUtf8<R> {
    bytes: R,
    decoder: Decoder,
    chunk: Vec<u8>,
    /// The chunk read last, in UTF-8.
    text: String,
    used: usize,
    is_over: bool,
}

impl<R: Read> Read for InUtf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.used == self.text.len() && !self.is_over {
            let length = self.bytes.read(&mut self.chunk)?;
            self.text.clear();
            (self.used, self.is_over) = (0, length == 0);
            self.decoder.decode(&self.chunk[..length], &mut self.text);
        }
        let length = buffer.len().min(self.text.len() - self.used);
        buffer[..length].copy_from_slice(&self.text.as_bytes()[self.used..self.used + length]);
        self.used += length;
        Ok(length)
    }
}

enum Decoder {
    Windows1252,
    Utf16(Utf16),
}

impl Decoder {
    /// Appends the text of a chunk, which is empty at the end.
    fn decode(&mut self, chunk: &[u8], text: &mut String) {
        match self {
            Self::Windows1252 => text.extend(chunk.iter().map(|&byte| character(byte))),
            Self::Utf16(decoder) => decoder.decode(chunk, text),
        }
    }
}

/// A decoder of UTF-16, whose byte order mark says which byte of a unit is first.
///
/// A file without a mark has no text: if UTF-8 were read as UTF-16, all rows would be one line, and
/// the names of its columns.
#[derive(Default)]
struct Utf16 {
    order: Option<Order>,
    /// The bytes of an incomplete character.
    left: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    HighFirst,
    LowFirst,
    Unmarked,
}

impl Order {
    fn of_mark(bytes: &[u8]) -> Self {
        match bytes {
            [0xFE, 0xFF, ..] => Self::HighFirst,
            [0xFF, 0xFE, ..] => Self::LowFirst,
            _ => Self::Unmarked,
        }
    }
}

/// Returns whether `bytes` begin with the byte order mark of UTF-16.
pub(crate) fn has_utf16_mark(mut bytes: impl Read) -> io::Result<bool> {
    let mut mark = [0; 2];
    match bytes.read_exact(&mut mark) {
        Ok(()) => Ok(Order::of_mark(&mark) != Order::Unmarked),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

impl Utf16 {
    fn decode(&mut self, chunk: &[u8], text: &mut String) {
        let is_over = chunk.is_empty();
        self.left.extend_from_slice(chunk);
        if self.left.len() < 2 && !is_over {
            return;
        }
        let order = *self.order.get_or_insert_with(|| {
            let order = Order::of_mark(&self.left);
            self.left.drain(..self.left.len().min(2));
            order
        });
        if order == Order::Unmarked {
            self.left.clear();
            return;
        }
        let (pairs, _) = self.left.as_chunks();
        let unit = |&pair: &[u8; 2]| match order {
            Order::HighFirst => u16::from_be_bytes(pair),
            _ => u16::from_le_bytes(pair),
        };
        let is_half = |unit: u16| (0xD800..0xDC00).contains(&unit);
        // The second half of the last character may be in the next chunk.
        let waits = !is_over && pairs.last().is_some_and(|pair| is_half(unit(pair)));
        let whole = &pairs[..pairs.len() - usize::from(waits)];
        text.extend(
            char::decode_utf16(whole.iter().map(unit)).map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER)),
        );
        let used = 2 * whole.len();
        self.left.drain(..used);
        if is_over && !self.left.is_empty() {
            self.left.clear();
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

fn character(byte: u8) -> char {
    match byte {
        0x80..0xA0 => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => byte.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ByteByByte;
    use super::*;

    fn text_of(bytes: &'static [u8]) -> String {
        let mut text = String::new();
        in_utf8(Encoding::Windows1252, Box::new(bytes)).read_to_string(&mut text).unwrap();
        text
    }

    /// The text of UTF-16, read at once and byte by byte.
    fn text_of_utf16(bytes: &'static [u8]) -> String {
        let sources: [Box<dyn Read + Send>; 2] = [Box::new(bytes), Box::new(ByteByByte(bytes))];
        let [whole, slow] = sources.map(|source| {
            let mut text = String::new();
            in_utf8(Encoding::Utf16, source).read_to_string(&mut text).unwrap();
            text
        });
        assert_eq!(whole, slow);
        whole
    }

    #[test]
    fn utf_16_is_read_in_the_order_of_its_mark() {
        let units: Vec<u16> = "Köln;€\r\n😀\n".encode_utf16().collect();
        let written = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| -> &'static [u8] {
            [mark, &units.iter().flat_map(|&unit| bytes(unit)).collect::<Vec<_>>()].concat().leak()
        };
        let marked = "Köln;€\r\n😀\n";
        assert_eq!(text_of_utf16(written(&[0xFF, 0xFE], u16::to_le_bytes)), marked);
        assert_eq!(text_of_utf16(written(&[0xFE, 0xFF], u16::to_be_bytes)), marked);
        for unmarked in [written(&[], u16::to_le_bytes), b"a,b\n1,2\n", b"a", b""] {
            assert_eq!(text_of_utf16(unmarked), "");
        }
    }

    #[test]
    fn a_half_of_a_character_is_replaced_and_its_line_ends() {
        // A first half before a line end, a second half alone, and an odd byte at the end.
        assert_eq!(text_of_utf16(b"\xFF\xFE\x3D\xD8\n\0\x00\xDE\n\0x"), "\u{FFFD}\n\u{FFFD}\n\u{FFFD}");
        assert_eq!(text_of_utf16(b"\xFF\xFEa\0\x3D\xD8"), "a\u{FFFD}");
    }

    #[test]
    fn western_european_letters_are_read() {
        assert_eq!(text_of(b"K\xF6ln;\x80 5;\x84Gr\xFC\xDFe\x93\n"), "Köln;€ 5;„Grüße“\n");
    }

    #[test]
    fn every_byte_is_a_character() {
        let bytes: &'static [u8] = (0..=u8::MAX).collect::<Vec<_>>().leak();
        let text = text_of(bytes);
        assert_eq!(text.chars().count(), 256);
        let distinct: std::collections::BTreeSet<char> = text.chars().collect();
        assert_eq!(distinct.len(), 256);
    }

    #[test]
    fn a_small_buffer_gives_equal_text() {
        let mut reader = in_utf8(Encoding::Windows1252, Box::new(&b"a\x80b"[..]));
        let mut text = vec![];
        let mut byte = [0];
        while reader.read(&mut byte).unwrap() > 0 {
            text.push(byte[0]);
        }
        assert_eq!(text, "a€b".as_bytes());
    }
}
