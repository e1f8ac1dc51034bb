//! CSV that cannot fail on its contents.
//!
//! A reader that stops at a bad byte or a short line lets one row decide the exit code, so this one
//! accepts any bytes:
//!
//! * the first line that is not blank is the header, or the first after as many lines as the
//!   dialect declares, which are not read; a UTF-8 byte order mark before it is skipped,
//!   and each file's header is matched to the schema by name, so files may order their columns
//!   differently;
//! * if the dialect names the columns, there is no header: the first line is a row. The names, as a
//!   line before it, take the place of the header below;
//! * without a declared delimiter the header decides between comma, semicolon, tab and pipe: the
//!   one that splits it into the most names, the first of them on a tie. No row is read for that;
//! * with a declared comment character, a line that begins with it is neither a row nor the header;
//! * a line with too few fields has nulls for the rest; fields beyond the header are skipped;
//! * **a record is a line**. A field that begins with a quote extends to the quote that closes it
//!   on the same line; two quotes in it stand for one, and text after the closing quote belongs to
//!   the field. A quote that does not close on its line is text: the field keeps it as its first
//!   byte and ends at the next delimiter. A quote inside an unquoted field is an ordinary byte. In
//!   a line of more than [`MAX_LINE_BYTES`] all quotes are text. The header follows the same rules;
//! * if the owner of the table declares that a careful writer made the files (`dialect: {multiline:
//!   true}`), a quoted field may contain line ends, and a quote that is never closed extends to the
//!   end of the file. This is the one case where a row can change how others are read, so the
//!   certificate states it;
//! * bytes need not be UTF-8; in a declared one-byte encoding every byte is a character, and in
//!   declared UTF-16 every unit of two bytes, or a pair of units, which are converted to UTF-8;
//! * lines end in `\n`, `\r\n` or `\r`;
//! * a field of more than [`FIELD_BYTES`](scumble_schema::limits::FIELD_BYTES), or one of more than
//!   [`ALWAYS_HELD_BYTES`] that brings its row above [`ROW_BYTES`], is not held: it is an unknown
//!   value;
//! * **a blank line** is not a row if the header has several columns, because a row would at least
//!   have its delimiters. If the header has one column it is a row with an empty value: many
//!   programs write a missing value that way, and a row must not be dropped. The end of the file
//!   after a line end is not a blank line.
//!
//! The result for a line depends only on its bytes and the header. Neighbouring files have the same
//! lines up to the header, and differ in one line after it, with its line end. A line before the
//! header is not a row.

mod cut;
mod decode;
mod encoding;
mod header;
mod lines;
mod preface;
mod records;
mod source;

use scumble_schema::{AsciiSymbol, Dialect, Encoding};

pub(crate) use header::{DELIMITERS, HeaderProblem, read_header, without_header};
pub(crate) use preface::text;
pub(crate) use source::CsvSource;

/// Maximum bytes of one row that are held. Fields beyond are unknown values, so that 10,000 fields
/// of 1 MiB each cannot fill the memory.
pub(crate) const ROW_BYTES: usize = 16 << 20;
/// Fields of up to this many bytes are always held, because the unit of a row must not depend on
/// the row's other fields. They add at most 10 MiB to a row.
pub(crate) const ALWAYS_HELD_BYTES: usize = 1 << 10;
/// Maximum bytes of one line that are held until its end is known. A row of [`ROW_BYTES`] that are
/// all quotes is not longer.
pub(crate) const MAX_LINE_BYTES: usize = 2 * ROW_BYTES;

/// The layout of a text file: how it is split into fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLayout {
    /// The byte between two fields.
    pub delimiter: u8,
    /// The byte that opens and closes a quoted field.
    pub quote: u8,
    /// First byte of comment lines.
    pub comment: Option<u8>,
    /// Whether quoted fields may span lines.
    pub multiline: bool,
    /// Character encoding.
    pub encoding: Encoding,
    /// Number of lines before the header.
    pub lines_before_header: u16,
    /// Whether the file has a header. Without one, the columns of the scan are all columns of the
    /// file, in its order.
    pub has_header: bool,
}

impl TextLayout {
    /// Layout of files in `dialect` with fields separated by `delimiter`.
    pub fn new(dialect: &Dialect, delimiter: u8) -> Self {
        Self {
            delimiter,
            quote: dialect.quote(),
            comment: dialect.comment_char.map(AsciiSymbol::byte),
            multiline: dialect.multiline,
            encoding: dialect.encoding,
            lines_before_header: dialect.header_row.lines_before(),
            has_header: dialect.column_names.is_none(),
        }
    }

    /// Serialises the layout, for another process with the engine.
    pub fn to_bytes(self) -> [u8; 8] {
        // No symbol is a zero byte.
        let encoding = match self.encoding {
            Encoding::Windows1252 => 1,
            Encoding::Utf16 => 2,
            _ => 0,
        };
        let [high, low] = self.lines_before_header.to_be_bytes();
        let [multiline, has_header] = [self.multiline, self.has_header].map(u8::from);
        [self.delimiter, self.quote, self.comment.unwrap_or(0), multiline, encoding, high, low, has_header]
    }

    /// Deserialises a layout that [`to_bytes`](Self::to_bytes) wrote.
    pub fn from_bytes([delimiter, quote, comment, multiline, encoding, high, low, has_header]: [u8; 8]) -> Self {
        Self {
            delimiter,
            quote,
            comment: (comment != 0).then_some(comment),
            multiline: multiline != 0,
            encoding: match encoding {
                1 => Encoding::Windows1252,
                2 => Encoding::Utf16,
                _ => Encoding::Utf8,
            },
            lines_before_header: u16::from_be_bytes([high, low]),
            has_header: has_header != 0,
        }
    }
}

/// Gives one byte at a time, so that everything falls on a boundary of two reads.
#[cfg(test)]
struct ByteByByte(&'static [u8]);

#[cfg(test)]
impl std::io::Read for ByteByByte {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_survives_a_round_trip() {
        let plain = TextLayout::new(&Dialect::default(), b',');
        let other = TextLayout {
            delimiter: b';',
            quote: b'\'',
            comment: Some(b'#'),
            multiline: true,
            encoding: Encoding::Windows1252,
            lines_before_header: 0x102,
            has_header: true,
        };
        let wide = TextLayout { encoding: Encoding::Utf16, has_header: false, ..plain };
        for layout in [plain, other, wide] {
            assert_eq!(TextLayout::from_bytes(layout.to_bytes()), layout);
        }
    }
}
