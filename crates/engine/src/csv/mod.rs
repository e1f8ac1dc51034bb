//! CSV that cannot fail on its contents.
//!
//! A reader that stops at a bad byte or a short line lets one row decide the exit code, so this one takes any bytes:
//!
//! * the first line that is not blank is the header; a UTF-8 byte order mark before it is passed over, and each file's
//!   header is matched to the schema by name, so files may order their columns differently;
//! * a line with too few fields has nulls for the rest, fields beyond the header are passed over;
//! * bytes need not be UTF-8; a quote inside an unquoted field is an ordinary byte; text after a closing quote belongs
//!   to the field; a quote that is never closed reaches to the end of the file;
//! * lines end in `\n`, `\r\n` or `\r`;
//! * a field of more than [`FIELD_BYTES`](scumble_schema::limits::FIELD_BYTES), or one of more than
//!   [`ALWAYS_HELD_BYTES`] that brings its row above [`ROW_BYTES`], is not held: it is an unknown value;
//! * **a blank line** is no row where the header has several columns, since a row would at least have its delimiters.
//!   Where the header has one column it is a row with an empty value: many programs write a missing value that way, and
//!   a row must not be dropped. The end of the file after a line end is not a blank line.
//!
//! What a row becomes depends on that row and the header alone.

mod cut;
mod decode;
mod header;
mod source;

pub(crate) use header::{HeaderProblem, read_header};
pub(crate) use source::CsvSource;

/// Most bytes of one row that are held. Fields beyond are unknown values, so that 10,000 fields of 1 MiB each cannot
/// fill the memory.
pub(crate) const ROW_BYTES: usize = 16 << 20;
/// Fields of so few bytes are held whatever the rest of their row is: whose a row is must not depend on its other fields.
/// They add 10 MiB to a row at most.
pub(crate) const ALWAYS_HELD_BYTES: usize = 1 << 10;
