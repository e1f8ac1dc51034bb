//! What precedes the rows: lines before the header, such as a title, which are skipped without
//! being read as text, and the line of names of a file without a header.

use std::io::{self, Read};

use super::TextLayout;
use super::encoding::in_utf8;

/// Maximum bytes of the lines before the header. A file with more of them has no header.
const MAX_PREFACE_BYTES: usize = 16 << 20;

/// Returns the text of a file from its header on, in UTF-8.
pub(crate) fn text(layout: TextLayout, bytes: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
    let bytes = in_utf8(layout.encoding, bytes);
    match layout.lines_before_header {
        0 => bytes,
        lines => Box::new(AfterLines { bytes, lines, after_return: false, skipped: 0 }),
    }
}

/// The header of a file without one: it names all columns of the file, in order.
pub(crate) fn header_line<'n>(layout: TextLayout, names: impl Iterator<Item = &'n str>) -> Vec<u8> {
    let mut line = vec![];
    for name in names {
        if !line.is_empty() {
            line.push(layout.delimiter);
        }
        line.push(layout.quote);
        for byte in name.bytes() {
            line.push(byte);
            if byte == layout.quote {
                line.push(byte);
            }
        }
        line.push(layout.quote);
    }
    line.push(b'\n');
    line
}

/// The bytes after a number of lines.
struct AfterLines<R> {
    bytes: R,
    /// Lines to skip.
    lines: u16,
    /// Whether a `\r` ended the previous line: a `\n` belongs to the same line end.
    after_return: bool,
    skipped: usize,
}

impl<R: Read> Read for AfterLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.lines > 0 || self.after_return {
            if self.skipped > MAX_PREFACE_BYTES {
                return Ok(0);
            }
            let length = self.bytes.read(buffer)?;
            if length == 0 {
                return Ok(0);
            }
            let start = self.skip(&buffer[..length]);
            self.skipped += start;
            if start < length {
                buffer.copy_within(start..length, 0);
                return Ok(length - start);
            }
        }
        self.bytes.read(buffer)
    }
}

impl<R> AfterLines<R> {
    /// Returns how many bytes of `chunk` are skipped.
    fn skip(&mut self, chunk: &[u8]) -> usize {
        for (index, &byte) in chunk.iter().enumerate() {
            let is_second_half = std::mem::take(&mut self.after_return) && byte == b'\n';
            if is_second_half {
                continue;
            }
            if self.lines == 0 {
                return index;
            }
            if matches!(byte, b'\n' | b'\r') {
                self.lines -= 1;
                self.after_return = byte == b'\r';
            }
        }
        chunk.len()
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::Dialect;

    use super::super::{ByteByByte, read_header};
    use super::*;

    fn after(lines: u16, bytes: &'static [u8]) -> String {
        let dialect = Dialect { header_row: (lines + 1).to_string().parse().unwrap(), ..Dialect::default() };
        let layout = TextLayout::new(&dialect, b',');
        let read = |bytes: Box<dyn Read + Send>| {
            let mut found = String::new();
            text(layout, bytes).read_to_string(&mut found).unwrap();
            found
        };
        let (whole, bytewise) = (read(Box::new(bytes)), read(Box::new(ByteByByte(bytes))));
        assert_eq!(whole, bytewise);
        whole
    }

    #[test]
    fn lines_of_every_kind_of_end_are_skipped() {
        assert_eq!(after(0, b"a,b\n1,2\n"), "a,b\n1,2\n");
        assert_eq!(after(1, b"Title\na,b\n1,2\n"), "a,b\n1,2\n");
        assert_eq!(after(2, b"Title\r\n\r\na,b\r\n1,2\r\n"), "a,b\r\n1,2\r\n");
        assert_eq!(after(2, b"\xef\xbb\xbfTitle\r\ra,b\r1,2"), "a,b\r1,2");
        assert_eq!(after(1, b"\"Title\nof two lines\"\na\n"), "of two lines\"\na\n", "a quote holds no lines");
        for (lines, bytes) in [(1, &b"a,b"[..]), (2, b"a\n"), (2, b"a\nb\n"), (1, b"")] {
            assert_eq!(after(lines, bytes), "");
        }
    }

    #[test]
    fn a_header_line_has_the_names_whatever_is_in_them() {
        for (delimiter, quote, comment) in [(b',', b'"', None), (b'a', b'\'', Some(b'#'))] {
            let layout = TextLayout { delimiter, quote, comment, ..TextLayout::new(&Dialect::default(), b',') };
            let names = ["#age", "a,b", "say \"it's\"", "größe"];
            let line = header_line(layout, names.into_iter());
            let found = read_header(&line[..], &[layout]).unwrap();
            assert_eq!(found.names, names);
        }
    }

    #[test]
    fn a_file_without_line_ends_is_not_read_to_its_end() {
        let endless = io::repeat(b'x');
        let mut bytes = AfterLines { bytes: endless, lines: 1, after_return: false, skipped: 0 };
        assert_eq!(bytes.read(&mut [0; 4096]).unwrap(), 0);
    }
}
