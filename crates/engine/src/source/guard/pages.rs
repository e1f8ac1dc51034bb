//! Checks the pages of a Parquet file: their positions, and their unpacked sizes.

use std::fs::File;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::parquet::basic::{Compression, Type};
use datafusion::parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataReader};

use super::delta::{Entries, check_delta};
use super::thrift::{I32, STRUCT, Thrift};
use super::unpack::{max_gzip_bytes, unpacks_within};
use super::{
    Checked, MAX_AT_ONCE, MAX_IN_ALL, Refusal, Unpacked, check_cells, check_disjoint, consistent, lz4, read_at, size,
    within_limits,
};

/// Rows that a reader decodes at a time.
const BATCH_ROWS: u64 = 8192;
/// Bytes that hold most page headers, and the maximum that is read: statistics can be long texts.
const USUAL_HEADER_BYTES: u64 = 256;
const MAX_HEADER_BYTES: u64 = 32 << 20;
/// Pages of fewer bytes are read in pieces of `AHEAD` bytes.
const SMALL_PAGE: u64 = 16 << 10;
const AHEAD: u64 = 64 << 10;

const DICTIONARY_PAGE: i64 = 2;
const DATA_PAGE: i64 = 0;
const DATA_PAGE_V2: i64 = 3;
const PLAIN_DICTIONARY: i64 = 2;
const DELTA_LENGTH_BYTE_ARRAY: i64 = 6;
const DELTA_BYTE_ARRAY: i64 = 7;
const RLE_DICTIONARY: i64 = 8;

/// Checks all row groups and, in columns that will be read, all pages.
///
/// `read_type` returns the Arrow type of a column that will be read. The footer must have been
/// checked.
pub(crate) fn check_pages(file: &mut File, read_type: impl Fn(&str) -> Option<DataType>) -> Checked<()> {
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&*file).map_err(|_| Refusal::Damaged)?;
    let file_length = file.metadata()?.len();
    let (mut places, mut cells, mut packed_in_all, mut in_all) = (vec![], 0_u64, 0_u64, 0_u64);
    for group in metadata.row_groups() {
        let rows = size(group.num_rows())?;
        let (mut packed, mut at_once) = (0_u64, 0_u64);
        for chunk in group.columns() {
            let start = size(chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset()))?;
            let length = size(chunk.compressed_size())?;
            consistent(start.checked_add(length).is_some_and(|end| end <= file_length))?;
            let Some(column_type) = chunk.column_path().parts().first().and_then(|root| read_type(root)) else {
                continue;
            };
            let (column_type, window) = (&column_type, (0, vec![]));
            let walk = ChunkWalk { file, chunk, start, length, rows, column_type, window, ahead: USUAL_HEADER_BYTES };
            let unpacked = walk.run()?;
            places.push((start, length));
            packed += length;
            at_once = at_once.saturating_add(unpacked.at_once);
            in_all = in_all.saturating_add(unpacked.in_all);
            cells = cells.saturating_add(rows);
        }
        Unpacked { at_once, in_all: 0 }.check(packed)?;
        packed_in_all += packed;
    }
    check_disjoint(&mut places)?;
    Unpacked { at_once: 0, in_all }.check(packed_in_all)?;
    check_cells(cells, packed_in_all)
}

/// The fields of a page header.
#[derive(Debug, Default, PartialEq, Eq)]
struct Header {
    kind: i64,
    unpacked: i64,
    packed: i64,
    values: i64,
    encoding: i64,
    /// Bytes of the levels of a version 2 page, which are not packed.
    levels: i64,
}

impl Header {
    /// Reads the fields of `PageHeader`: 1 to 3 are kind and sizes; 5, 7 and 8 are structs for
    /// data, dictionaries and version 2 data.
    fn read(thrift: &mut Thrift<'_>) -> Option<Self> {
        let (mut header, mut last) = (Self::default(), 0);
        while let Some((id, kind)) = thrift.field(&mut last)? {
            match (id, kind) {
                (1, I32) => header.kind = thrift.number()?,
                (2, I32) => header.unpacked = thrift.number()?,
                (3, I32) => header.packed = thrift.number()?,
                (5 | 7 | 8, STRUCT) => header.read_inner(thrift, id == 8)?,
                _ => thrift.skip(kind)?,
            }
        }
        Some(header)
    }

    fn read_inner(&mut self, thrift: &mut Thrift<'_>, version_2: bool) -> Option<()> {
        let mut last = 0;
        while let Some((id, kind)) = thrift.field(&mut last)? {
            match (id, kind, version_2) {
                (1, I32, _) => self.values = thrift.number()?,
                (2, I32, false) | (4, I32, true) => self.encoding = thrift.number()?,
                (5 | 6, I32, true) => {
                    let length = u32::try_from(thrift.number()?).ok()?;
                    self.levels += i64::from(length);
                }
                _ => thrift.skip(kind)?,
            }
        }
        Some(())
    }

    fn has_data(&self) -> bool {
        matches!(self.kind, DATA_PAGE | DATA_PAGE_V2)
    }

    fn is_dictionary_coded(&self) -> bool {
        matches!(self.encoding, PLAIN_DICTIONARY | RLE_DICTIONARY)
    }
}

/// One column of one row group.
struct ChunkWalk<'a> {
    file: &'a mut File,
    chunk: &'a ColumnChunkMetaData,
    start: u64,
    length: u64,
    rows: u64,
    column_type: &'a DataType,
    /// The bytes read last, and their offset.
    window: (u64, Vec<u8>),
    /// Bytes to read at the start of a header.
    ahead: u64,
}

impl ChunkWalk<'_> {
    fn run(mut self) -> Checked<Unpacked> {
        let (mut at, end) = (self.start, self.start + self.length);
        let (mut largest, mut dictionary, mut in_all, mut values) = (0, 0, 0_u64, 0_u64);
        let (mut has_delta, mut has_plain) = (false, false);
        while at < end {
            let (header, header_length) = self.header(at, end)?;
            let (unpacked, packed) = (size(header.unpacked)?, size(header.packed)?);
            at += header_length;
            consistent(packed <= end - at)?;
            let body = at;
            at += packed;
            // Small pages are numerous: the headers of the following ones are read along with the
            // next.
            self.ahead = if packed < SMALL_PAGE { AHEAD } else { USUAL_HEADER_BYTES };
            if header.kind == DICTIONARY_PAGE {
                self.check_dictionary(&header, unpacked)?;
                dictionary = unpacked;
            } else if header.has_data() {
                has_delta |= matches!(header.encoding, DELTA_LENGTH_BYTE_ARRAY | DELTA_BYTE_ARRAY);
                has_plain |= !header.is_dictionary_coded();
                values = values.saturating_add(size(header.values)?);
                largest = unpacked.max(largest);
            } else {
                continue;
            }
            in_all = in_all.saturating_add(unpacked);
            // Before anything is unpacked to measure it.
            Unpacked { at_once: unpacked, in_all }.check(self.length)?;
            self.check_body(&header, body, packed, unpacked)?;
        }
        let flat = self.chunk.column_descr().max_rep_level() == 0;
        consistent(!flat || values == self.rows)?;
        let mut found = Unpacked { at_once: largest.saturating_add(dictionary), in_all };
        let batch_rows = self.rows.min(BATCH_ROWS);
        if self.chunk.column_type() == Type::FIXED_LEN_BYTE_ARRAY {
            let width = size(self.chunk.column_descr().type_length())?;
            found.at_once = found.at_once.saturating_add(width.saturating_mul(batch_rows));
        }
        if has_delta && matches!(self.chunk.column_type(), Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY) {
            // Their lengths are read one by one.
            check_cells(self.rows, self.length)?;
            let shared = check_delta(Arc::new(self.file.try_clone()?), self.chunk)?;
            found.at_once = found.at_once.saturating_add(shared.at_once);
            found.in_all = found.in_all.saturating_add(shared.in_all);
        }
        // The cost of entries that a reader or the encoder may process again for every batch of
        // rows.
        let falls_back = has_plain && matches!(self.column_type, DataType::Dictionary(_, _));
        let read_again = dictionary.saturating_mul(self.rows.div_ceil(BATCH_ROWS));
        let holds_texts = dictionary > 0 && self.chunk.column_type() == Type::BYTE_ARRAY;
        if holds_texts && (falls_back || read_again > MAX_IN_ALL) {
            let entries = Entries::read(Arc::new(self.file.try_clone()?), self.chunk)?;
            found.in_all = found.in_all.saturating_add(entries.long.saturating_mul(self.rows.div_ceil(BATCH_ROWS)));
            if falls_back {
                // The reader drops the dictionary and materialises its values.
                found.at_once = found.at_once.saturating_add(entries.longest.saturating_mul(batch_rows));
            }
        }
        Ok(found)
    }

    /// Returns the header at `at`, and its length.
    fn header(&mut self, at: u64, end: u64) -> Checked<(Header, u64)> {
        let mut length = USUAL_HEADER_BYTES;
        loop {
            let bytes = self.bytes_at(at, length.min(end - at), end)?;
            let mut thrift = Thrift(bytes);
            if let Some(header) = Header::read(&mut thrift) {
                return Ok((header, (bytes.len() - thrift.0.len()) as u64));
            }
            consistent(length < end - at)?;
            within_limits(length < MAX_HEADER_BYTES)?;
            length *= 8;
        }
    }

    /// Returns at least `length` bytes at `at`, if the file has them, and none after `end`.
    fn bytes_at(&mut self, at: u64, length: u64, end: u64) -> Checked<&[u8]> {
        let (start, bytes) = &self.window;
        if at < *start || at + length > start + bytes.len() as u64 {
            self.window = (at, read_at(self.file, at, length.max(self.ahead).min(end - at))?);
        }
        let (start, bytes) = &self.window;
        let skipped = usize::try_from(at - start).map_err(|_| Refusal::Damaged)?;
        Ok(bytes.get(skipped..).unwrap_or_default())
    }

    /// Checks that a dictionary has no more entries than its bytes hold.
    fn check_dictionary(&self, header: &Header, unpacked: u64) -> Checked<()> {
        let width = match self.chunk.column_type() {
            Type::BOOLEAN => 1,
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => size(self.chunk.column_descr().type_length())?,
        };
        consistent(width > 0 && size(header.values)?.checked_mul(width).is_some_and(|least| least <= unpacked))
    }

    /// Checks bodies whose decompressors do not stop at the length that the page states.
    fn check_body(&mut self, header: &Header, body: u64, packed: u64, unpacked: u64) -> Checked<()> {
        let (levels, length) = match header.kind {
            DATA_PAGE_V2 => {
                let levels = size(header.levels)?;
                (levels, packed.checked_sub(levels).ok_or(Refusal::Damaged)?)
            }
            _ => (0, packed),
        };
        match self.chunk.compression() {
            Compression::BROTLI(_) => Err(Refusal::Brotli),
            Compression::GZIP(_) if max_gzip_bytes(length) > MAX_AT_ONCE => {
                unpacks_within(self.file, body + levels, length, unpacked)
            }
            Compression::LZ4 => lz4::check_frame(self.file, body + levels, length, unpacked),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_field_by_field() {
        let bytes = [
            0x15, 0x06, 0x15, 0x50, 0x15, 0x28, 0x5C, 0x15, 0x0A, 0x15, 0x02, 0x15, 0x0A, 0x15, 0x10, 0x15, 0x04, 0x15,
            0x02, 0x00, 0x00, 9,
        ];
        let mut thrift = Thrift(&bytes);
        let header = Header::read(&mut thrift).unwrap();
        assert_eq!(header, Header { kind: 3, unpacked: 40, packed: 20, values: 5, encoding: 8, levels: 3 });
        assert_eq!(thrift.0, [9]);
    }
}
