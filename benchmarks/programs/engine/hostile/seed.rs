//! Sound files in every format: what the damage starts from.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::types::Int32Type;
use datafusion::arrow::array::{
    ArrayRef, DictionaryArray, Float64Array, Int64Array, ListArray, RecordBatch, StringArray, StringViewArray,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::ipc::CompressionType;
use datafusion::arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use datafusion::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use futures::{StreamExt, TryStreamExt};
use scumble_schema::Schema;

use super::random::Random;

/// A number that no length or count beside it has, so that it can be found in a file and replaced.
pub(crate) const ROWS: usize = 4_099;

const CITIES: [&str; 8] =
    ["Aalborg", "Bergen", "Kaunas", "Malmo", "Oulu", "Reykjavik", "Tartu", "a longer name than twelve bytes"];

/// The columns that a reader asks for: those in the file's name between points, as in
/// `bomb.age.parquet`, or both.
pub(crate) fn schema(file_name: &str) -> Schema {
    let age = "  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 10}}}\n";
    let city = "  - {name: city, type: string, constraints: {enum: [Aalborg, Bergen, Kaunas, Malmo, Oulu]}}\n";
    let fields = match file_name {
        name if name.contains(".age.") => age.to_owned(),
        name if name.contains(".city.") => city.to_owned(),
        _ => format!("{age}{city}"),
    };
    Schema::parse(&format!("fields:\n{fields}")).expect("the schema is sound")
}

fn column(name: &'static str, values: ArrayRef) -> (&'static str, ArrayRef, bool) {
    (name, values, true)
}

/// Rows of plain columns, with nulls.
pub(crate) fn rows(random: &mut Random) -> RecordBatch {
    let mut maybe = |bound: usize| (random.below(9) > 0).then(|| random.below(bound));
    let age: Int64Array = (0..ROWS).map(|_| maybe(100).map(|age| i64::try_from(age).expect("small"))).collect();
    let city: StringArray = (0..ROWS).map(|_| maybe(CITIES.len()).map(|city| CITIES[city])).collect();
    let score: Float64Array =
        (0..ROWS).map(|_| maybe(1 << 20).map(|score| f64::from(u32::try_from(score).expect("small")) / 7.0)).collect();
    RecordBatch::try_from_iter_with_nullable([
        column("age", Arc::new(age)),
        column("city", Arc::new(city)),
        column("score", Arc::new(score)),
    ])
    .expect("columns of one length")
}

/// Rows with a dictionary, a view and a list beside the plain columns.
fn rich_rows(random: &mut Random) -> RecordBatch {
    let plain = rows(random);
    let city = cast(plain.column(1), &DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)))
        .expect("text has a dictionary");
    let view: StringViewArray = (0..ROWS).map(|_| Some(CITIES[random.below(CITIES.len())])).collect();
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(
        (0..ROWS).map(|_| Some((0..random.below(4)).map(|item| Some(i32::try_from(item).expect("small"))))),
    );
    RecordBatch::try_from_iter_with_nullable([
        column("age", Arc::clone(plain.column(0))),
        column("city", city),
        column("view", Arc::new(view)),
        column("list", Arc::new(list)),
    ])
    .expect("columns of one length")
}

/// The rows as text.
pub(crate) fn text(random: &mut Random, delimiter: char) -> Vec<u8> {
    let mut text = format!("age{delimiter}city{delimiter}note\n").into_bytes();
    for _ in 0..ROWS {
        let (age, city) = (random.below(100), CITIES[random.below(CITIES.len())]);
        writeln!(text, "{age}{delimiter}{city}{delimiter}\"a \"\"quoted\"\" note{delimiter} {age}\"").expect("memory");
    }
    text
}

/// The compressed bytes, by DataFusion's encoders.
pub(crate) fn compress(compression: FileCompressionType, bytes: Vec<u8>) -> Vec<u8> {
    let chunk = futures::stream::once(async move { Ok(Bytes::from(bytes)) }).boxed();
    let stream = compression.convert_to_compress_stream(chunk).expect("a compression that is built in");
    let chunks: Vec<Bytes> = futures::executor::block_on(stream.try_collect()).expect("memory can be compressed");
    chunks.concat()
}

pub(crate) const COMPRESSIONS: [(&str, FileCompressionType); 4] = [
    ("gz", FileCompressionType::GZIP),
    ("zst", FileCompressionType::ZSTD),
    ("bz2", FileCompressionType::BZIP2),
    ("xz", FileCompressionType::XZ),
];

pub(crate) fn parquet_of(batch: &RecordBatch, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let mut writer = ArrowWriter::try_new(vec![], batch.schema(), Some(properties.build())).expect("a sound schema");
    writer.write(batch).expect("sound rows");
    writer.into_inner().expect("memory takes the file")
}

/// Parquet in the codecs, encodings and page versions that writers use.
pub(crate) fn parquet(random: &mut Random) -> Vec<(&'static str, Vec<u8>)> {
    let (plain, rich) = (rows(random), rich_rows(random));
    let codec = |codec| WriterProperties::builder().set_compression(codec);
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let delta = |encoding| {
        let properties = WriterProperties::builder().set_dictionary_enabled(false);
        let properties = properties.set_column_encoding("city".into(), encoding);
        properties.set_column_encoding("age".into(), Encoding::DELTA_BINARY_PACKED).set_data_page_row_count_limit(500)
    };
    vec![
        ("plain", parquet_of(&plain, codec(Compression::UNCOMPRESSED).set_dictionary_enabled(false))),
        ("dictionary", parquet_of(&plain, codec(Compression::UNCOMPRESSED))),
        ("snappy", parquet_of(&plain, codec(Compression::SNAPPY).set_data_page_row_count_limit(700))),
        ("gzip", parquet_of(&plain, codec(Compression::GZIP(GzipLevel::default())))),
        ("brotli", parquet_of(&plain, codec(Compression::BROTLI(BrotliLevel::default())))),
        ("lz4", parquet_of(&plain, codec(Compression::LZ4))),
        ("lz4raw", parquet_of(&plain, codec(Compression::LZ4_RAW))),
        ("zstd", parquet_of(&plain, codec(zstd).set_writer_version(WriterVersion::PARQUET_2_0))),
        ("delta", parquet_of(&plain, delta(Encoding::DELTA_BYTE_ARRAY).set_writer_version(WriterVersion::PARQUET_2_0))),
        ("deltalength", parquet_of(&plain, delta(Encoding::DELTA_LENGTH_BYTE_ARRAY).set_compression(zstd))),
        ("groups", parquet_of(&plain, codec(zstd).set_max_row_group_row_count(Some(100)))),
        ("nested", parquet_of(&rich, codec(zstd))),
    ]
}

/// Arrow files and streams with the compressions of their bodies.
pub(crate) fn arrow(random: &mut Random) -> Vec<(&'static str, Vec<u8>)> {
    let (plain, rich) = (rows(random), rich_rows(random));
    let (lz4, zstd) = (Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD));
    vec![
        ("file", arrow_file(&plain, None)),
        ("file-lz4", arrow_file(&plain, lz4)),
        ("file-zstd", arrow_file(&plain, zstd)),
        ("file-rich", arrow_file(&rich, None)),
        ("stream", arrow_stream(&plain, None)),
        ("stream-lz4", arrow_stream(&rich, lz4)),
        ("stream-zstd", arrow_stream(&plain, zstd)),
        ("stream-rich", arrow_stream(&rich, None)),
    ]
}

fn options(compression: Option<CompressionType>) -> IpcWriteOptions {
    IpcWriteOptions::default().try_with_compression(compression).expect("a compression that is built in")
}

pub(crate) fn arrow_file(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let writer = FileWriter::try_new_with_options(vec![], &batch.schema(), options(compression));
    let mut writer = writer.expect("a sound schema");
    for _ in 0..3 {
        writer.write(batch).expect("sound rows");
    }
    writer.finish().expect("memory takes the file");
    writer.into_inner().expect("memory takes the file")
}

pub(crate) fn arrow_stream(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let writer = StreamWriter::try_new_with_options(vec![], &batch.schema(), options(compression));
    let mut writer = writer.expect("a sound schema");
    for _ in 0..3 {
        writer.write(batch).expect("sound rows");
    }
    writer.finish().expect("memory takes the file");
    writer.into_inner().expect("memory takes the file")
}

/// Keys into a dictionary of one value.
pub(crate) fn one_value_dictionary(value: &str, rows: usize) -> DictionaryArray<Int32Type> {
    let keys = datafusion::arrow::array::Int32Array::from(vec![0; rows]);
    DictionaryArray::try_new(keys, Arc::new(StringArray::from(vec![value]))).expect("all keys are the first")
}
