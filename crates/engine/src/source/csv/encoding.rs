//! Converts text of a one-byte encoding to UTF-8. Every byte is a character, so nothing can fail.

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
    match encoding {
        Encoding::Windows1252 => Box::new(Windows1252 { bytes, chunk: vec![0; CHUNK_BYTES], text: vec![], used: 0 }),
        _ => bytes,
    }
}

struct Windows1252<R> {
    bytes: R,
    chunk: Vec<u8>,
    /// The chunk read last, in UTF-8.
    text: Vec<u8>,
    used: usize,
}

impl<R: Read> Read for Windows1252<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.used == self.text.len() {
            let length = self.bytes.read(&mut self.chunk)?;
            self.text.clear();
            self.used = 0;
            for &byte in &self.chunk[..length] {
                match byte {
                    ..0x80 => self.text.push(byte),
                    _ => self.text.extend_from_slice(character(byte).encode_utf8(&mut [0; 4]).as_bytes()),
                }
            }
        }
        let length = buffer.len().min(self.text.len() - self.used);
        buffer[..length].copy_from_slice(&self.text[self.used..self.used + length]);
        self.used += length;
        Ok(length)
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
    use super::*;

    fn text_of(bytes: &'static [u8]) -> String {
        let mut text = String::new();
        in_utf8(Encoding::Windows1252, Box::new(bytes)).read_to_string(&mut text).unwrap();
        text
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
