//! CSV that cannot fail on its contents.
//!
//! A reader that stops at a bad byte or a short line lets one row decide the exit code, so this one takes any bytes:
//!
//! * the first line that is not blank is the header; a UTF-8 byte order mark before it is passed over, and each file's
//!   header is matched to the schema by name, so files may order their columns differently;
//! * a line with too few fields has nulls for the rest, fields beyond the header are passed over;
//! * **a record is a line**. A field that begins with a quote reaches to the quote that closes it on the same line; two
//!   quotes in it stand for one, and text after the closing quote belongs to the field. A quote that does not close on its
//!   line is text: the field keeps it as its first byte and ends at the next delimiter. A quote inside an unquoted field is
//!   an ordinary byte. In a line of more than [`MAX_LINE_BYTES`] all quotes are text. The header is a line like others;
//! * where the owner of the table declares that a careful writer made the files (`dialect: {multiline: true}`), a quoted
//!   field may hold line ends, and a quote that is never closed reaches to the end of the file. This is the one place where
//!   a row can change how others are read, so the certificate states it;
//! * bytes need not be UTF-8;
//! * lines end in `\n`, `\r\n` or `\r`;
//! * a field of more than [`FIELD_BYTES`](scumble_schema::limits::FIELD_BYTES), or one of more than
//!   [`ALWAYS_HELD_BYTES`] that brings its row above [`ROW_BYTES`], is not held: it is an unknown value;
//! * **a blank line** is no row where the header has several columns, since a row would at least have its delimiters.
//!   Where the header has one column it is a row with an empty value: many programs write a missing value that way, and
//!   a row must not be dropped. The end of the file after a line end is not a blank line.
//!
//! What a line becomes depends on its bytes and the header alone. Neighbouring files have the same header and differ in one
//! line, with its line end. A line that stands before the header would be the header, and is no row.

mod cut;
mod decode;
mod header;
mod lines;
mod records;
mod source;

pub(crate) use header::{HeaderProblem, read_header};
pub(crate) use source::CsvSource;

/// Most bytes of one row that are held. Fields beyond are unknown values, so that 10,000 fields of 1 MiB each cannot
/// fill the memory.
pub(crate) const ROW_BYTES: usize = 16 << 20;
/// Fields of so few bytes are held whatever the rest of their row is: whose a row is must not depend on its other fields.
/// They add 10 MiB to a row at most.
pub(crate) const ALWAYS_HELD_BYTES: usize = 1 << 10;
/// Most bytes of one line that are held until its end is known. A row of [`ROW_BYTES`] that are all quotes is not longer.
pub(crate) const MAX_LINE_BYTES: usize = 2 * ROW_BYTES;

/// How a text file is to be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLayout {
    /// The byte between two fields.
    pub delimiter: u8,
    /// Whether quoted fields may span lines.
    pub multiline: bool,
}
