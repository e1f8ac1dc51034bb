//! A small made-up table of all types, and helpers to read it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int32Array, Int64Array, RecordBatch,
    StringArray, TimestampMicrosecondArray,
};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use futures::{StreamExt, TryStreamExt};
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, EngineError, Input, MemoryLimit, ReadOptions, TableWriter};
use scumble_schema::{AttributeId, Clique, Schema};
use tempfile::TempDir;

pub(crate) const SCHEMA: &str = "
missingValues: ['', NA]
# One of the regions below has two lines.
dialect: {multiline: true}
fields:
  - {name: region, type: string, constraints: {enum: [north, south, 'far, away', 'say \"so\"']}, dp: {open: true}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 10}}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 1000}, dp: {open: true, bins: {count: 7}}}
  - {name: married, type: boolean}
  - {name: born, type: date, constraints: {minimum: '1900-01-01', maximum: '2020-12-31'}, dp: {bins: {count: 12}}}
  - {name: seen, type: datetime, constraints: {minimum: '2020-01-01T00:00:00', maximum: '2020-12-31T00:00:00'}, dp: {bins: {count: 24}}}
  - {name: since, type: year, constraints: {minimum: 1990, maximum: 2020, required: true}}
  - {name: weight, type: number, constraints: {minimum: 0, maximum: 200}, dp: {bins: {count: 400}}}
";

pub(crate) fn schema() -> Schema {
    Schema::parse(SCHEMA).unwrap()
}

/// Pseudorandom numbers, the same in every run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Returns a value below `bound`, or `None` one time in eight.
    pub(crate) fn maybe(&mut self, bound: i64) -> Option<i64> {
        let value = i64::try_from(self.below(bound.unsigned_abs())).unwrap();
        (self.below(8) > 0).then_some(value)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, usize::try_from(self.below(last as u64 + 1)).unwrap());
        }
    }
}

/// Rows of all types, with missing, unknown and out-of-range values.
pub(crate) fn people(rows: usize, seed: u64) -> RecordBatch {
    let mut numbers = Numbers(seed);
    let mut column = |bound: i64| (0..rows).map(|_| numbers.maybe(bound)).collect::<Vec<_>>();
    let regions = ["north", "south", "far, away", "say \"so\"", "elsewhere", "no\nwhere"];
    let regions: StringArray =
        column(6).into_iter().map(|value| value.map(|value| regions[usize::try_from(value).unwrap()])).collect();
    let small = |value: Option<i64>| value.map(|value| i32::try_from(value).unwrap());
    let weight: Decimal128Array = column(30_000).into_iter().map(|value| value.map(i128::from)).collect();
    let columns: [(&str, ArrayRef); 8] = [
        ("weight", Arc::new(weight.with_precision_and_scale(5, 2).unwrap())),
        ("region", Arc::new(regions)),
        ("age", Arc::new(column(140).into_iter().collect::<Int64Array>())),
        (
            "income",
            Arc::new(
                column(1_200)
                    .into_iter()
                    .map(|value| value.map(|value| f64::from(i32::try_from(value).unwrap()) / 1.5))
                    .collect::<Float64Array>(),
            ),
        ),
        (
            "married",
            Arc::new(column(2).into_iter().map(|value| value.map(|value| value == 1)).collect::<BooleanArray>()),
        ),
        ("born", Arc::new(column(20_000).into_iter().map(small).collect::<Date32Array>())),
        (
            "seen",
            Arc::new(
                column(400 * 86_400)
                    .into_iter()
                    .map(|value| value.map(|value| 1_577_836_800_000_000 + value * 1_000_000))
                    .collect::<TimestampMicrosecondArray>(),
            ),
        ),
        (
            "since",
            Arc::new(
                column(40).into_iter().map(|value| small(value).map(|value| value + 1985)).collect::<Int32Array>(),
            ),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// The empty clique, every attribute, every pair, and one triple.
pub(crate) fn cliques(schema: &Schema) -> Vec<Clique> {
    let attributes: Vec<AttributeId> = schema.domain().attributes().collect();
    let mut cliques = vec![Clique::empty()];
    cliques.extend(schema.domain().one_way());
    for (index, first) in attributes.iter().enumerate() {
        cliques.extend(attributes[index + 1..].iter().map(|second| Clique::new([*first, *second])));
    }
    cliques.push(Clique::new(attributes.into_iter().take(3)));
    cliques
}

/// Counts all tables of [`cliques`], and checks that their sums are equal.
pub(crate) fn counts(table: &CodedTable, schema: &Schema) -> Vec<Vec<u64>> {
    let tables = table.count_tables(&cliques(schema)).unwrap();
    let rows = tables[0][0];
    assert!(tables.iter().all(|table| table.iter().sum::<u64>() == rows), "a row is missing or counted twice");
    tables
}

pub(crate) fn read(path: impl Into<PathBuf>, schema: &Schema) -> Result<CodedTable, EngineError> {
    CodedTable::read(&[Input::new(path)], schema, &ReadOptions::default())
}

/// Counts the tables of CSV text under a schema like [`schema`].
pub(crate) fn counts_of_text(schema: &Schema, bytes: impl AsRef<[u8]>) -> Vec<Vec<u64>> {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("rows.csv");
    std::fs::write(&path, bytes).unwrap();
    counts(&read(path, schema).unwrap(), schema)
}

pub(crate) fn write(path: &Path, batches: &[RecordBatch]) {
    let mut writer = TableWriter::create(path, batches[0].schema()).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
}

/// Options with the smallest memory limit, and private files in `spill`.
pub(crate) fn smallest_limit(spill: &Path) -> ReadOptions {
    ReadOptions {
        threads: Some(2),
        memory_limit: Some(MemoryLimit::of_bytes(0)),
        spill_directory: Some(spill.to_owned()),
        ..ReadOptions::default()
    }
}

/// Compresses bytes with DataFusion's encoders.
pub(crate) fn compress(compression: FileCompressionType, bytes: Vec<u8>) -> Vec<u8> {
    let chunk = futures::stream::once(async move { Ok(Bytes::from(bytes)) }).boxed();
    let stream = compression.convert_to_compress_stream(chunk).unwrap();
    let chunks: Vec<Bytes> = futures::executor::block_on(stream.try_collect()).unwrap();
    chunks.concat()
}
