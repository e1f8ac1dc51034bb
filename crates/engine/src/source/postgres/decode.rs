//! Decodes the binary format of `COPY`, in arbitrary chunks, into record batches.
//!
//! ```text
//! signature (11 bytes)  flags (4)  length of the extension (4)  extension
//! for each row:   number of fields (2)   for each field: length (4), or -1 for null; its bytes
//! at the end:     -1 instead of a number of fields
//! ```
//!
//! All numbers are big-endian. Bytes that contradict this are damage, and so is a missing end
//! marker. Memory is bounded by the batch and one field, whatever lengths the bytes claim: a field
//! that is too long is skipped and becomes an unknown value.

use std::collections::VecDeque;

use datafusion::arrow::array::RecordBatch;

use super::column::Value;
use super::fields::Batch;

const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xFF\r\n\0";
/// Flags that a reader must understand. None is in use today.
const CRITICAL_FLAGS: u32 = 0xFFFF_0000;
/// Maximum length of a field in PostgreSQL.
const MAX_FIELD_BYTES: u32 = (1 << 30) - 1;

/// The bytes are not a copy of the requested columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

/// The next item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Signature,
    Flags,
    ExtensionLength,
    /// Remaining bytes of the extension, which is skipped.
    Extension(u32),
    /// The number of fields of the next row, or the end marker.
    Row,
    Length,
    Field(usize),
    /// Remaining bytes of a field that is too long, which are skipped.
    LongField(u32),
    Nothing,
}

/// Decodes the bytes of one copy into batches.
#[derive(Debug)]
pub(super) struct Decoder {
    next: Next,
    /// The start of an item whose end is in the next chunk.
    pending: Vec<u8>,
    batch: Batch,
    /// Number of columns of a row.
    columns: usize,
    /// Index of the next field's column.
    column: usize,
    field_limit: usize,
    ready: VecDeque<RecordBatch>,
}

impl Decoder {
    /// Creates a decoder of rows of `columns`. A field of more than `field_limit` bytes is an
    /// unknown value.
    pub(super) fn new(columns: &[(String, Value)], field_limit: usize, batch_rows: usize) -> Self {
        Self {
            next: Next::Signature,
            pending: vec![],
            batch: Batch::new(columns, batch_rows),
            columns: columns.len(),
            column: 0,
            field_limit,
            ready: VecDeque::new(),
        }
    }

    /// Decodes the next bytes.
    pub(super) fn feed(&mut self, mut chunk: &[u8]) -> Result<(), Damaged> {
        while !chunk.is_empty() {
            match self.next {
                Next::Extension(left) => {
                    let left = skip(&mut chunk, left);
                    self.next = if left == 0 { Next::Row } else { Next::Extension(left) };
                }
                Next::LongField(left) => {
                    let left = skip(&mut chunk, left);
                    self.next = Next::LongField(left);
                    if left == 0 {
                        self.batch.push_too_long(self.column)?;
                        self.end_field()?;
                    }
                }
                Next::Nothing => return Err(Damaged),
                _ => self.item(&mut chunk)?,
            }
        }
        Ok(())
    }

    /// Checks that the copy is complete, and emits the last batch.
    pub(super) fn finish(&mut self) -> Result<(), Damaged> {
        if self.next != Next::Nothing {
            return Err(Damaged);
        }
        self.ready.extend(self.batch.take()?);
        Ok(())
    }

    /// Returns the next full batch.
    pub(super) fn pop(&mut self) -> Option<RecordBatch> {
        self.ready.pop_front()
    }

    /// Decodes one item of known length, if `chunk` has the rest of it.
    fn item(&mut self, chunk: &mut &[u8]) -> Result<(), Damaged> {
        let length = match self.next {
            Next::Signature => SIGNATURE.len(),
            Next::Row => 2,
            Next::Field(length) => length,
            _ => 4,
        };
        let missing = length - self.pending.len();
        let Some((bytes, rest)) = chunk.split_at_checked(missing) else {
            self.pending.extend_from_slice(chunk);
            *chunk = &[];
            return Ok(());
        };
        *chunk = rest;
        if self.pending.is_empty() {
            return self.take(bytes);
        }
        let mut whole = std::mem::take(&mut self.pending);
        whole.extend_from_slice(bytes);
        let taken = self.take(&whole);
        whole.clear();
        self.pending = whole;
        taken
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        match self.next {
            Next::Signature if bytes == SIGNATURE => self.next = Next::Flags,
            Next::Flags if number(bytes)? & CRITICAL_FLAGS == 0 => self.next = Next::ExtensionLength,
            Next::ExtensionLength => match i32::try_from(number(bytes)?) {
                Ok(0) => self.next = Next::Row,
                Ok(length) => self.next = Next::Extension(length.unsigned_abs()),
                Err(_) => return Err(Damaged),
            },
            Next::Row => self.take_row(bytes)?,
            Next::Length => self.take_length(bytes)?,
            Next::Field(_) => {
                self.batch.push(self.column, bytes)?;
                self.end_field()?;
            }
            _ => return Err(Damaged),
        }
        Ok(())
    }

    fn take_row(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        let fields = i16::from_be_bytes(bytes.try_into().map_err(|_| Damaged)?);
        if fields == -1 {
            self.next = Next::Nothing;
            return Ok(());
        }
        if usize::try_from(fields) != Ok(self.columns) {
            return Err(Damaged);
        }
        self.next = Next::Length;
        if self.columns == 0 { self.end_row() } else { Ok(()) }
    }

    fn take_length(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        match number(bytes)? {
            u32::MAX => {
                self.batch.push_null(self.column)?;
                self.end_field()
            }
            // An empty field: no byte follows that would trigger the next step.
            0 => {
                self.batch.push(self.column, &[])?;
                self.end_field()
            }
            length if length > MAX_FIELD_BYTES => Err(Damaged),
            length => {
                let fits = usize::try_from(length).ok().filter(|length| *length <= self.field_limit);
                self.next = fits.map_or(Next::LongField(length), Next::Field);
                Ok(())
            }
        }
    }

    fn end_field(&mut self) -> Result<(), Damaged> {
        self.column += 1;
        self.next = Next::Length;
        if self.column == self.columns { self.end_row() } else { Ok(()) }
    }

    fn end_row(&mut self) -> Result<(), Damaged> {
        self.column = 0;
        self.next = Next::Row;
        if self.batch.end_row() {
            self.ready.extend(self.batch.take()?);
        }
        Ok(())
    }
}

fn number(bytes: &[u8]) -> Result<u32, Damaged> {
    bytes.try_into().map(u32::from_be_bytes).map_err(|_| Damaged)
}

/// Skips up to `left` bytes of `chunk`, and returns how many of them are still to come.
fn skip(chunk: &mut &[u8], left: u32) -> u32 {
    let taken = chunk.len().min(left as usize);
    *chunk = &chunk[taken..];
    left - u32::try_from(taken).expect("no more than was left")
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
