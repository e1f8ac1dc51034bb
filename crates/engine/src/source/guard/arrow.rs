//! Checks the messages of an Arrow file or stream: their positions, and the unpacked size of their
//! buffers.

use std::fs::File;

use datafusion::arrow::ipc::{
    Block, CompressionType, Message, RecordBatch, Type as FieldType, root_as_footer, root_as_message,
};

use super::{
    Checked, MAX_ELEMENTS, MAX_METADATA, Refusal, Unpacked, array_at, check_cells, check_disjoint, consistent, lz4,
    read_at, size, within_limits,
};

const MAGIC: &[u8; 6] = b"ARROW1";
/// The length of the footer and the magic word at the end of a file.
const TAIL: u64 = 10;
/// Precedes the length of a message since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xFF; 4];
/// Maximum rows per byte; boolean columns and null bitmaps have eight.
const ROWS_PER_BYTE: u64 = 8;

/// Checks all messages of the file.
pub(crate) fn check_arrow(file: &mut File) -> Checked<()> {
    let length = file.metadata()?.len();
    let mut messages =
        Messages { file, length, unpacked: Unpacked::default(), dictionaries: 0, null_fields: 0, cells: 0 };
    if length >= 6 && &array_at(messages.file, 0)? == MAGIC {
        messages.check_file()?;
    } else {
        messages.check_stream()?;
    }
    let Messages { unpacked, dictionaries, cells, .. } = messages;
    // All dictionaries stay in memory beside the batch.
    Unpacked { at_once: dictionaries, ..unpacked }.check(length)?;
    check_cells(cells, length)
}

struct Messages<'a> {
    file: &'a mut File,
    length: u64,
    unpacked: Unpacked,
    /// Bytes of all dictionaries.
    dictionaries: u64,
    /// Number of columns with a length but no bytes.
    null_fields: u64,
    /// Cells of these columns.
    cells: u64,
}

impl Messages<'_> {
    fn check_file(&mut self) -> Checked<()> {
        let tail_at = self.length.checked_sub(TAIL).ok_or(Refusal::Damaged)?;
        let [a, b, c, d, magic @ ..] = array_at::<10>(self.file, tail_at)?;
        consistent(&magic == MAGIC)?;
        let footer_length = size(i32::from_le_bytes([a, b, c, d]))?;
        let footer_at = tail_at.checked_sub(footer_length).ok_or(Refusal::Damaged)?;
        within_limits(footer_length <= MAX_METADATA)?;
        let bytes = read_at(self.file, footer_at, footer_length)?;
        let footer = root_as_footer(&bytes).map_err(|_| Refusal::Damaged)?;
        self.check_schema(footer.schema().ok_or(Refusal::Damaged)?)?;
        let dictionaries = footer.dictionaries().map(|blocks| blocks.iter().copied().collect::<Vec<_>>());
        let batches = footer.recordBatches().ok_or(Refusal::Damaged)?;
        let blocks: Vec<Block> = dictionaries.into_iter().flatten().chain(batches.iter().copied()).collect();
        let mut places = blocks
            .iter()
            .map(|block| {
                let (start, body) = (size(block.offset())?, size(block.bodyLength())?);
                let length = size(block.metaDataLength())?.checked_add(body).ok_or(Refusal::Damaged)?;
                consistent(start.checked_add(length).is_some_and(|end| end <= footer_at))?;
                Ok((start, length))
            })
            .collect::<Checked<Vec<_>>>()?;
        check_disjoint(&mut places)?;
        blocks.iter().try_for_each(|block| self.check_block(block))
    }

    fn check_block(&mut self, block: &Block) -> Checked<()> {
        let (start, length) = (size(block.offset())?, size(block.metaDataLength())?);
        within_limits(length <= MAX_METADATA)?;
        let bytes = read_at(self.file, start, length)?;
        let marked = bytes.starts_with(&CONTINUATION);
        let bytes = bytes.get(if marked { 8.. } else { 4.. }).ok_or(Refusal::Damaged)?;
        let message = root_as_message(bytes).map_err(|_| Refusal::Damaged)?;
        self.check_message(&message, start + length, size(block.bodyLength())?)
    }

    fn check_stream(&mut self) -> Checked<()> {
        let (mut at, mut is_first) = (0, true);
        // A stream may end without an end marker.
        while at + 4 <= self.length {
            let mut head = array_at(self.file, at)?;
            at += 4;
            if head == CONTINUATION {
                head = array_at(self.file, at)?;
                at += 4;
            }
            let length = size(i32::from_le_bytes(head))?;
            if length == 0 {
                break;
            }
            consistent(length <= self.length - at)?;
            within_limits(length <= MAX_METADATA)?;
            let bytes = read_at(self.file, at, length)?;
            at += length;
            let message = root_as_message(&bytes).map_err(|_| Refusal::Damaged)?;
            let body = size(message.bodyLength())?;
            consistent(body <= self.length - at)?;
            if is_first {
                self.check_schema(message.header_as_schema().ok_or(Refusal::Damaged)?)?;
            }
            self.check_message(&message, at, body)?;
            (at, is_first) = (at + body, false);
        }
        consistent(!is_first)
    }

    fn check_schema(&mut self, schema: datafusion::arrow::ipc::Schema<'_>) -> Checked<()> {
        let fields = schema.fields().ok_or(Refusal::Damaged)?;
        within_limits(fields.len() <= MAX_ELEMENTS)?;
        self.null_fields = fields.iter().filter(|field| field.type_type() == FieldType::Null).count() as u64;
        Ok(())
    }

    fn check_message(&mut self, message: &Message<'_>, body_at: u64, body: u64) -> Checked<()> {
        if let Some(batch) = message.header_as_record_batch() {
            let unpacked = self.check_batch(&batch, body_at, body)?;
            let rows = size(batch.length())?;
            let held = unpacked.saturating_mul(ROWS_PER_BYTE);
            within_limits(self.null_fields > 0 || rows <= held)?;
            self.cells = self.cells.saturating_add(rows.saturating_mul(self.null_fields));
        } else if let Some(dictionary) = message.header_as_dictionary_batch() {
            let batch = dictionary.data().ok_or(Refusal::Damaged)?;
            let unpacked = self.check_batch(&batch, body_at, body)?;
            self.dictionaries = self.dictionaries.saturating_add(unpacked);
            if dictionary.isDelta() {
                // Existing dictionaries are copied.
                self.unpacked.in_all = self.unpacked.in_all.saturating_add(self.dictionaries);
            }
        }
        Ok(())
    }

    /// Returns the size of the batch's buffers when unpacked.
    fn check_batch(&mut self, batch: &RecordBatch<'_>, body_at: u64, body: u64) -> Checked<u64> {
        let codec = batch.compression().map(|compression| compression.codec());
        let mut unpacked = 0_u64;
        for buffer in batch.buffers().into_iter().flatten() {
            let (start, length) = (size(buffer.offset())?, size(buffer.length())?);
            consistent(start.checked_add(length).is_some_and(|end| end <= body))?;
            let here = match codec {
                Some(codec) if length > 0 => self.check_packed(codec, body_at + start, length)?,
                _ => length,
            };
            unpacked = unpacked.saturating_add(here);
        }
        for node in batch.nodes().into_iter().flatten() {
            size(node.length())?;
        }
        self.unpacked.in_all = self.unpacked.in_all.saturating_add(unpacked);
        Unpacked { at_once: unpacked, in_all: 0 }.check(body)?;
        Ok(unpacked)
    }

    /// Returns the stated length of a packed buffer, after checking that its decoder respects it.
    fn check_packed(&mut self, codec: CompressionType, at: u64, length: u64) -> Checked<u64> {
        let packed = length.checked_sub(8).ok_or(Refusal::Damaged)?;
        match i64::from_le_bytes(array_at(self.file, at)?) {
            // Not packed.
            -1 => Ok(packed),
            stated => {
                let stated = size(stated)?;
                if codec == CompressionType::LZ4_FRAME {
                    lz4::check_frame(self.file, at + 8, packed, stated)?;
                }
                Ok(stated)
            }
        }
    }
}
