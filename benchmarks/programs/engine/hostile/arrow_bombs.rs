//! Arrow files and streams that claim, or unpack to, far more than they hold.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BinaryViewArray, FixedSizeBinaryArray, Int64Array, NullArray, RecordBatch, RecordBatchOptions,
};
use datafusion::arrow::buffer::{Buffer, ScalarBuffer};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::arrow::ipc::{CompressionType, root_as_footer, root_as_message};

use super::damage::{arrow_footer, overwritten, replaced};
use super::random::Random;
use super::seed::{ROWS, arrow_file, arrow_stream, one_value_dictionary, rows};

type Files = Vec<(String, Vec<u8>)>;

/// Claims in place of a length or a count.
const CLAIMS: [(&str, i64); 6] = [
    ("half-of-all", i64::MAX / 2),
    ("max", i64::MAX),
    ("minus", -1),
    ("min", i64::MIN),
    ("tebibyte", 1 << 40),
    ("2-gib", 1 << 31),
];

pub(crate) fn files(random: &mut Random) -> Files {
    let batch = rows(random);
    [headers(&batch), batches(&batch), footers(&batch), prefixes(&batch), unpacking(), shapes(), schemas()].concat()
}

/// The first bytes of a stream.
pub(crate) fn headers(batch: &RecordBatch) -> Files {
    let mut files: Files = vec![
        ("ten-bytes".into(), b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F\0\0".to_vec()),
        ("ten-bytes-of-old".into(), b"\xFF\xFF\xFF\x7F\0\0\0\0\0\0".to_vec()),
        ("length-minus".into(), b"\xFF\xFF\xFF\xFF\xFE\xFF\xFF\xFF\0\0".to_vec()),
        ("file-magic-only".into(), b"ARROW1".to_vec()),
        ("file-magic-twice".into(), b"ARROW1\0\0\xFF\xFF\xFF\x7FARROW1".to_vec()),
        ("file-footer-minus".into(), b"ARROW1\0\0\xFF\xFF\xFF\xFFARROW1".to_vec()),
        ("file-footer-empty".into(), b"ARROW1\0\0\0\0\0\0ARROW1".to_vec()),
    ];
    let stream = arrow_stream(batch, None);
    let second = first_batch(&stream).metadata.start - 4;
    for (name, length) in [("max", i32::MAX), ("min", i32::MIN), ("gib", 1 << 30)] {
        files.push((format!("second-header-{name}"), overwritten(&stream, second, &length.to_le_bytes())));
    }
    files
}

/// Where the first record batch of a file or stream is.
struct Place {
    metadata: std::ops::Range<usize>,
    body_length: i64,
    /// Offset in the body and length of every buffer.
    buffers: Vec<(i64, i64)>,
}

fn first_block(file: &[u8]) -> usize {
    let blocks = root_as_footer(&file[arrow_footer(file)]).expect("sound").recordBatches().expect("there are batches");
    usize::try_from(blocks.get(0).offset()).expect("a sound offset")
}

fn first_batch(bytes: &[u8]) -> Place {
    let mut at = if bytes.starts_with(b"ARROW1") { first_block(bytes) } else { 0 };
    loop {
        let length = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().expect("four bytes")) as usize;
        let metadata = at + 8..at + 8 + length;
        let message = root_as_message(&bytes[metadata.clone()]).expect("a sound message");
        if let Some(batch) = message.header_as_record_batch() {
            let buffers = batch.buffers().expect("columns have buffers");
            let buffers = buffers.iter().map(|buffer| (buffer.offset(), buffer.length())).collect();
            return Place { metadata, body_length: message.bodyLength(), buffers };
        }
        at = metadata.end + usize::try_from(message.bodyLength()).expect("a sound length");
    }
}

/// Record batch messages that lie.
pub(crate) fn batches(batch: &RecordBatch) -> Files {
    let mut files = vec![];
    for (kind, bytes) in [("file", arrow_file(batch, None)), ("stream", arrow_stream(batch, None))] {
        let place = first_batch(&bytes);
        let count = i64::try_from(ROWS).expect("small").to_le_bytes();
        let (offset, length) = place.buffers[1];
        let buffer = [offset.to_le_bytes(), length.to_le_bytes()].concat();
        for (claim, number) in CLAIMS {
            let new = number.to_le_bytes();
            files.push((format!("{kind}-rows-{claim}"), replaced(&bytes, &count, &new)));
            files.push((format!("{kind}-body-{claim}"), replaced(&bytes, &place.body_length.to_le_bytes(), &new)));
            let longer = [offset.to_le_bytes(), new].concat();
            files.push((format!("{kind}-buffer-length-{claim}"), replaced(&bytes, &buffer, &longer)));
            let moved = [new, length.to_le_bytes()].concat();
            files.push((format!("{kind}-buffer-offset-{claim}"), replaced(&bytes, &buffer, &moved)));
        }
    }
    files
}

/// Footers whose blocks are not there.
fn footers(batch: &RecordBatch) -> Files {
    let bytes = arrow_file(batch, None);
    let footer = arrow_footer(&bytes);
    let block = *root_as_footer(&bytes[footer.clone()]).expect("sound").recordBatches().expect("three").get(0);
    let (offset, body) = (block.offset().to_le_bytes(), block.bodyLength().to_le_bytes());
    let metadata = block.metaDataLength().to_le_bytes();
    let in_footer = |old: &[u8], new: &[u8]| {
        let mut file = bytes.clone();
        let changed = replaced(&bytes[footer.clone()], old, new);
        file[footer.clone()].copy_from_slice(&changed);
        file
    };
    let mut files = vec![];
    for (claim, number) in CLAIMS {
        let new = number.to_le_bytes();
        files.push((format!("block-offset-{claim}"), in_footer(&offset, &new)));
        files.push((format!("block-body-{claim}"), in_footer(&body, &new)));
    }
    for (claim, number) in [("max", i32::MAX), ("minus", -1)] {
        let old = [&metadata[..], &[0; 4], &body].concat();
        files.push((
            format!("block-metadata-{claim}"),
            in_footer(&old, &[&number.to_le_bytes()[..], &[0; 4], &body].concat()),
        ));
    }
    // All three blocks are the first.
    let blocks: Vec<[u8; 8]> = root_as_footer(&bytes[footer.clone()])
        .expect("sound")
        .recordBatches()
        .expect("three")
        .iter()
        .map(|block| block.offset().to_le_bytes())
        .collect();
    let file = replaced(&bytes[footer.clone()], &blocks[1], &blocks[0]);
    let file = replaced(&file, &blocks[2], &blocks[0]);
    files.push(("blocks-shared".into(), [&bytes[..footer.start], &file, &bytes[footer.end..]].concat()));
    files
}

/// Compressed buffers that lie about their length.
pub(crate) fn prefixes(batch: &RecordBatch) -> Files {
    let mut files = vec![];
    for (codec, compression) in [("lz4", CompressionType::LZ4_FRAME), ("zstd", CompressionType::ZSTD)] {
        for (kind, bytes) in
            [("file", arrow_file(batch, Some(compression))), ("stream", arrow_stream(batch, Some(compression)))]
        {
            let place = first_batch(&bytes);
            let at = place.metadata.end + usize::try_from(place.buffers[1].0).expect("a sound offset");
            for (claim, number) in CLAIMS {
                files.push((format!("{kind}-{codec}-prefix-{claim}"), overwritten(&bytes, at, &number.to_le_bytes())));
            }
        }
    }
    files
}

/// Buffers that unpack to gigabytes. The zeros are not in memory before they are read.
fn unpacking() -> Files {
    let mut files = vec![];
    let zeros = |rows| {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![0; rows]));
        RecordBatch::try_from_iter([("age", column)]).expect("one column")
    };
    for (codec, compression) in [("lz4", CompressionType::LZ4_FRAME), ("zstd", CompressionType::ZSTD)] {
        for mebibytes in [64, 1900] {
            let stream = single(&zeros(mebibytes << 17), Some(compression));
            if mebibytes > 1000 {
                let place = first_batch(&stream);
                let at = place.metadata.end + usize::try_from(place.buffers[1].0).expect("a sound offset");
                let lying = overwritten(&stream, at, &64_i64.to_le_bytes());
                files.push((format!("{codec}-buffer-of-{mebibytes}-mib-that-lies.age"), lying));
            }
            files.push((format!("{codec}-buffer-of-{mebibytes}-mib.age"), stream));
        }
    }
    files
}

fn single(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = datafusion::arrow::ipc::writer::IpcWriteOptions::default().try_with_compression(compression);
    let options = options.expect("a compression that is built in");
    let mut writer = StreamWriter::try_new_with_options(vec![], &batch.schema(), options).expect("a sound schema");
    writer.write(batch).expect("sound rows");
    writer.finish().expect("memory takes the file");
    writer.into_inner().expect("memory takes the file")
}

/// Batches that are large without bytes.
pub(crate) fn shapes() -> Files {
    let one = |column: ArrayRef, name| RecordBatch::try_from_iter([(name, column)]).expect("one column");
    let count = i64::try_from(ROWS).expect("small").to_le_bytes();
    let nulls = single(&one(Arc::new(NullArray::new(ROWS)), "age"), None);
    let mut files: Files = vec![];
    for (claim, number) in [("2-billion", 1 << 31), ("quadrillion", 1_i64 << 50), ("half-of-all", i64::MAX / 2)] {
        files.push((format!("nulls-{claim}.age"), replaced(&nulls, &count, &number.to_le_bytes())));
    }
    let schema = Arc::new(Schema::new(vec![Field::new("age", DataType::Null, true)]));
    let options = RecordBatchOptions::new().with_row_count(Some(ROWS));
    let empty = RecordBatch::try_new_with_options(schema, vec![Arc::new(NullArray::new(ROWS))], &options);
    files.push(("null-column.age".into(), arrow_file(&empty.expect("sound"), None)));
    // A million views of one mebibyte.
    let view = (1_u128 << 20) | (u128::from(u32::from_le_bytes(*b"    ")) << 32);
    let views = ScalarBuffer::from(vec![view; 1 << 20]);
    let text = Buffer::from_vec(vec![b' '; 1 << 20]);
    let views: ArrayRef = Arc::new(BinaryViewArray::new(views, vec![text], None));
    files.push(("million-views-of-a-mebibyte.city".into(), single(&one(Arc::clone(&views), "city"), None)));
    files.push(("million-views-of-a-mebibyte.age".into(), single(&one(views, "age"), None)));
    let keys: ArrayRef = Arc::new(one_value_dictionary(&" ".repeat(1 << 20), 1 << 20));
    files.push(("million-keys-of-a-mebibyte.city".into(), single(&one(keys, "city"), None)));
    let fixed: ArrayRef = Arc::new(FixedSizeBinaryArray::new(1 << 20, Buffer::from_vec(vec![b' '; 8 << 20]), None));
    files.push(("fixed-mebibytes.city".into(), single(&one(fixed, "city"), None)));
    files
}

/// Schemas that are too deep or too wide.
fn schemas() -> Files {
    let mut files: Files = vec![];
    let age = Field::new("age", DataType::Int64, true);
    for depth in [20, 200, 2_000] {
        let mut kind = DataType::Int64;
        for _ in 0..depth {
            kind = DataType::List(Arc::new(Field::new("item", kind, true)));
        }
        let schema = Schema::new(vec![age.clone(), Field::new("deep", kind, true)]);
        files.push((format!("schema-{depth}-deep.age"), schema_only(&schema)));
    }
    for columns in [10_000, 400_000] {
        let fields = (0..columns).map(|column| Field::new(format!("c{column}"), DataType::Int64, true));
        let schema = Schema::new(std::iter::once(age.clone()).chain(fields).collect::<Vec<_>>());
        files.push((format!("schema-of-{columns}-columns.age"), schema_only(&schema)));
    }
    files
}

fn schema_only(schema: &Schema) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(vec![], schema).expect("a sound schema");
    writer.finish().expect("memory takes the file");
    writer.into_inner().expect("memory takes the file")
}
