//! Rows that no schema expects: random bytes, wrong types, not-a-number, infinities, nothing, too
//! much.

use std::io::{self, Write};
use std::sync::Arc;

use datafusion::arrow::array::types::Int32Type;
use datafusion::arrow::array::{
    ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, Decimal256Array,
    DictionaryArray, Float16Array, Float32Array, Float64Array, Int8Array, Int32Array, Int64Array, LargeBinaryArray,
    LargeStringArray, NullArray, RecordBatch, StringArray, StringViewArray, Time32SecondArray, Time64MicrosecondArray,
    Time64NanosecondArray, TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt64Array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, i256};
use scumble_schema::Schema;
use scumble_schema::limits::FIELD_BYTES;

/// All types, nullable and required, open and closed.
const SCHEMA: &str = "
missingValues: ['', NA, '-9']
# Fields hold line ends, in quotes that are all closed.
dialect: {multiline: true}
fields:
  - {name: region, type: string, constraints: {enum: [north, south, 'true', '7']}}
  - {name: code, type: string, constraints: {enum: [a, b], required: true}, dp: {open: true}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 10}}}
  - {name: rooms, type: integer, constraints: {enum: [0, 1, 2, 3], required: true}}
  - {name: income, type: number, constraints: {minimum: -10, maximum: 1000}, dp: {open: true, bins: {count: 300}}}
  - {name: married, type: boolean, constraints: {required: true}}
  - {name: born, type: date, constraints: {minimum: '1900-01-01', maximum: '2020-12-31'}, dp: {bins: {count: 12}}}
  - {name: seen, type: datetime, constraints: {minimum: '2020-01-01T00:00:00', maximum: '2020-12-31T00:00:00'}, dp: {open: true, bins: {count: 24}}}
  - {name: at, type: time, format: '%H:%M', dp: {open: true}}
  - {name: since, type: year, constraints: {minimum: 1990, maximum: 2020, required: true}}
";

/// One row in this number has a field beyond the byte limit.
const HUGE_ONE_IN: u64 = 20_000;

/// The schema that the rows do not respect.
pub(crate) fn schema() -> Schema {
    Schema::parse(SCHEMA).expect("the schema is sound")
}

/// A stream of junk, the same in every run.
pub(crate) struct Junk(u64);

impl Junk {
    /// The stream number `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("below a usize")
    }

    fn bytes(&mut self, at_most: usize) -> Vec<u8> {
        let length = self.below(at_most + 1);
        (0..length).map(|_| self.next().to_le_bytes()[3]).collect()
    }

    /// A field of some kind, sensible ones among them.
    fn field(&mut self) -> Vec<u8> {
        const TEXTS: [&str; 34] = [
            "18:05",
            "",
            " ",
            "NaN",
            "nan",
            "inf",
            "-inf",
            "+Infinity",
            "1e999",
            "-1e-999",
            "0x1F",
            "1_000",
            "1,5",
            "-0",
            "--1",
            "NA",
            "-9",
            "north",
            "TRUE",
            "true",
            "yes",
            "\u{FEFF}north",
            "no\u{0}rth",
            "2020-02-30",
            "2020-02-29",
            "0000-00-00",
            "+99999-01-01",
            "2020-06-01T24:00:00",
            "2020-06-01T12:00:00+99:99",
            "2020-06-01 12:00:00.123456789Z",
            "12:00",
            "\"",
            "a\"b\r\nc",
            "7",
        ];
        match self.below(8) {
            0 => self.bytes(12),
            1 => self.bytes(200),
            2 => self.next().cast_signed().to_string().into_bytes(),
            3 => f64::from_bits(self.next()).to_string().into_bytes(),
            4 => self.below(130).to_string().into_bytes(),
            5 => vec![b'9'; self.below(400)],
            _ => TEXTS[self.below(TEXTS.len())].as_bytes().to_vec(),
        }
    }

    /// Writes `rows` lines of CSV, ragged and with any bytes, quoted so that each is one row.
    pub(crate) fn write_csv(&mut self, rows: u64, output: &mut impl Write) -> io::Result<()> {
        let schema = schema();
        let names: Vec<&str> = schema.attributes().iter().map(scumble_schema::Attribute::name).collect();
        writeln!(output, "{}", names.join(","))?;
        for _ in 0..rows {
            let fields = match self.below(10) {
                0 => 1 + self.below(2 * names.len()),
                _ => names.len(),
            };
            let huge = self.next().is_multiple_of(HUGE_ONE_IN).then(|| self.below(fields));
            for field in 0..fields {
                let mut value = self.field();
                if huge == Some(field) {
                    value.resize(FIELD_BYTES + self.below(FIELD_BYTES), b'x');
                }
                output.write_all(if field == 0 { b"\"" } else { b",\"" })?;
                for part in value.split_inclusive(|byte| *byte == b'"') {
                    output.write_all(part)?;
                    if part.ends_with(b"\"") {
                        output.write_all(b"\"")?;
                    }
                }
                output.write_all(b"\"")?;
            }
            output.write_all([&b"\n"[..], b"\r\n", b"\r"][self.below(3)])?;
        }
        Ok(())
    }

    /// Bytes that are not even CSV: quotes, delimiters and line ends stand anywhere.
    pub(crate) fn raw_csv(&mut self, length: usize) -> Vec<u8> {
        const COMMON: &[u8] = b",,,\"\"\n\r17.e-NATtrue\xFF\xEF\xBB\xBF\0 ";
        let schema = schema();
        let names: Vec<&str> = schema.attributes().iter().map(scumble_schema::Attribute::name).collect();
        let mut bytes = names.join(",").into_bytes();
        bytes.push(b'\n');
        bytes.extend((0..length).map(|_| COMMON[self.below(COMMON.len())]));
        bytes
    }

    /// A batch in which attribute `i` has the Arrow type number `rotation + i`, with values all
    /// over the type.
    pub(crate) fn typed_batch(&mut self, rows: usize, rotation: usize) -> RecordBatch {
        let schema = schema();
        let columns = schema.attributes().iter().enumerate().map(|(index, attribute)| {
            let column = self.column(rows, (rotation + index) % TYPES);
            (attribute.name().to_owned(), column)
        });
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)).collect::<Vec<_>>())
            .expect("columns of one length")
    }

    fn column(&mut self, rows: usize, kind: usize) -> ArrayRef {
        macro_rules! numbers {
            ($array:ty, $convert:expr) => {
                Arc::new((0..rows).map(|_| self.maybe(|junk| $convert(junk.number()))).collect::<$array>())
            };
        }
        macro_rules! fields {
            ($array:ty) => {
                Arc::new((0..rows).map(|_| self.maybe(Self::field)).collect::<$array>())
            };
        }
        macro_rules! texts {
            ($array:ty) => {
                Arc::new((0..rows).map(|_| self.maybe(Self::text)).collect::<$array>())
            };
        }
        match kind {
            0 => Arc::new(NullArray::new(rows)),
            1 => numbers!(BooleanArray, |value: i64| value & 1 == 1),
            2 => numbers!(Int8Array, |value: i64| value.to_le_bytes()[0].cast_signed()),
            3 => numbers!(Int64Array, |value: i64| value),
            4 => numbers!(UInt64Array, i64::cast_unsigned),
            5 => numbers!(Float64Array, |value: i64| f64::from_bits(value.cast_unsigned())),
            6 => numbers!(Float32Array, |value: i64| f32::from_bits(low_bits(value))),
            7 => numbers!(Date32Array, |value: i64| low_bits(value).cast_signed()),
            8 => numbers!(Date64Array, |value: i64| value),
            9 => numbers!(TimestampSecondArray, |value: i64| value),
            10 => numbers!(TimestampMillisecondArray, |value: i64| value),
            11 => numbers!(TimestampMicrosecondArray, |value: i64| value),
            12 => numbers!(TimestampNanosecondArray, |value: i64| value),
            13 => numbers!(Decimal128Array, |value: i64| i128::from(value) * i128::from(value)),
            14 => numbers!(Decimal256Array, |value: i64| i256::from_i128(i128::from(value)).wrapping_mul(i256::MAX)),
            15 => fields!(BinaryArray),
            16 => fields!(LargeBinaryArray),
            17 => fields!(BinaryViewArray),
            18 => texts!(StringArray),
            19 => texts!(LargeStringArray),
            20 => texts!(StringViewArray),
            21 => self.dictionary(rows),
            22 => {
                let halves: Float16Array = cast(&self.column(rows, 6), &DataType::Float16)
                    .expect("every number has a nearest half")
                    .as_any()
                    .downcast_ref::<Float16Array>()
                    .expect("just cast")
                    .clone();
                Arc::new(halves)
            }
            23 => numbers!(Time32SecondArray, |value: i64| low_bits(value).cast_signed()),
            24 => numbers!(Time64MicrosecondArray, |value: i64| value),
            25 => numbers!(Time64NanosecondArray, |value: i64| value),
            _ => unreachable!("there are {TYPES} kinds"),
        }
    }

    fn dictionary(&mut self, rows: usize) -> ArrayRef {
        let values: StringArray = (0..50).map(|_| self.maybe(Self::text)).collect();
        let keys: Int32Array =
            (0..rows).map(|_| self.maybe(|junk| i32::try_from(junk.below(50)).expect("small"))).collect();
        Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(values)).expect("keys are below 50"))
    }

    fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (!self.next().is_multiple_of(8)).then(|| value(self))
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(&self.field()).into_owned()
    }

    /// Small numbers, the ends of the type, and anything.
    fn number(&mut self) -> i64 {
        match self.below(8) {
            0 => i64::MIN,
            1 => i64::MAX,
            2 => self.next().cast_signed(),
            3 => f64::NAN.to_bits().cast_signed(),
            4 => f64::NEG_INFINITY.to_bits().cast_signed(),
            _ => self.next().cast_signed() % 3_000,
        }
    }
}

/// How many Arrow types [`Junk::typed_batch`] goes through.
pub(crate) const TYPES: usize = 26;

fn low_bits(value: i64) -> u32 {
    let [a, b, c, d, ..] = value.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}
