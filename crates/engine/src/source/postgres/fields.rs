//! Builds Arrow columns from the fields of a copy.

use std::sync::Arc;

use datafusion::arrow::array::types::{
    ArrowPrimitiveType, Date32Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType,
};
use datafusion::arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, PrimitiveBuilder, RecordBatch, RecordBatchOptions,
};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};

use super::column::Value;
use super::decode::Damaged;
use crate::codes::encode::TOO_LONG;
use crate::source::csv::ROW_BYTES;

/// A batch is complete at this many bytes, whatever its number of rows.
const BATCH_BYTES: usize = 16 << 20;
/// PostgreSQL counts days and microseconds from 2000-01-01, Arrow from 1970-01-01.
const DAYS_TO_2000: i32 = 10_957;
const MICROS_TO_2000: i64 = 86_400_000_000 * 10_957;

/// The Arrow schema of a copy of `columns`.
pub(super) fn arrow_schema(columns: &[(String, Value)]) -> SchemaRef {
    let fields = columns.iter().map(|(name, value)| Field::new(name, value.arrow_type(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The batch being filled.
#[derive(Debug)]
pub(super) struct Batch {
    schema: SchemaRef,
    columns: Vec<Builder>,
    max_rows: usize,
    rows: usize,
    bytes: usize,
    /// Bytes of the current row that are held.
    row_bytes: usize,
}

impl Batch {
    pub(super) fn new(columns: &[(String, Value)], max_rows: usize) -> Self {
        Self {
            schema: arrow_schema(columns),
            columns: columns.iter().map(|(_, value)| Builder::new(*value)).collect(),
            max_rows: max_rows.max(1),
            rows: 0,
            bytes: 0,
            row_bytes: 0,
        }
    }

    /// Adds a field to a column.
    pub(super) fn push(&mut self, column: usize, bytes: &[u8]) -> Result<(), Damaged> {
        if self.row_bytes + bytes.len() > ROW_BYTES {
            return self.push_too_long(column);
        }
        self.row_bytes += bytes.len();
        self.builder(column)?.push(bytes)
    }

    pub(super) fn push_null(&mut self, column: usize) -> Result<(), Damaged> {
        self.builder(column)?.push_null();
        Ok(())
    }

    /// Adds an unknown value for a field that is not held.
    pub(super) fn push_too_long(&mut self, column: usize) -> Result<(), Damaged> {
        match self.builder(column)? {
            Builder::Bytes(column) => {
                column.append_value(TOO_LONG);
                Ok(())
            }
            // All other types have a fixed, short length.
            _ => Err(Damaged),
        }
    }

    fn builder(&mut self, column: usize) -> Result<&mut Builder, Damaged> {
        self.columns.get_mut(column).ok_or(Damaged)
    }

    /// Ends a row; returns whether the batch is full.
    pub(super) fn end_row(&mut self) -> bool {
        self.rows += 1;
        self.bytes += self.row_bytes;
        self.row_bytes = 0;
        self.rows >= self.max_rows || self.bytes >= BATCH_BYTES
    }

    /// Returns the rows so far, if there are any.
    pub(super) fn take(&mut self) -> Result<Option<RecordBatch>, Damaged> {
        if self.rows == 0 {
            return Ok(None);
        }
        let columns = self.columns.iter_mut().map(Builder::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options).map(Some).map_err(|_| Damaged)
    }
}

#[derive(Debug)]
enum Builder {
    Boolean(BooleanBuilder),
    Int16(PrimitiveBuilder<Int16Type>),
    Int32(PrimitiveBuilder<Int32Type>),
    Int64(PrimitiveBuilder<Int64Type>),
    Float32(PrimitiveBuilder<Float32Type>),
    Float64(PrimitiveBuilder<Float64Type>),
    Date(PrimitiveBuilder<Date32Type>),
    Time(PrimitiveBuilder<Time64MicrosecondType>),
    Timestamp(PrimitiveBuilder<TimestampMicrosecondType>),
    Bytes(BinaryBuilder),
}

/// Applies an expression to the builder of any type.
macro_rules! each {
    ($builder:expr, $column:ident => $then:expr) => {
        match $builder {
            Builder::Boolean($column) => $then,
            Builder::Int16($column) => $then,
            Builder::Int32($column) => $then,
            Builder::Int64($column) => $then,
            Builder::Float32($column) => $then,
            Builder::Float64($column) => $then,
            Builder::Date($column) => $then,
            Builder::Time($column) => $then,
            Builder::Timestamp($column) => $then,
            Builder::Bytes($column) => $then,
        }
    };
}

impl Builder {
    fn new(value: Value) -> Self {
        fn primitive<T: ArrowPrimitiveType>(value: Value) -> PrimitiveBuilder<T> {
            PrimitiveBuilder::new().with_data_type(value.arrow_type())
        }
        match value {
            Value::Boolean => Self::Boolean(BooleanBuilder::new()),
            Value::Int16 => Self::Int16(primitive(value)),
            Value::Int32 => Self::Int32(primitive(value)),
            Value::Int64 => Self::Int64(primitive(value)),
            Value::Float32 => Self::Float32(primitive(value)),
            Value::Float64 => Self::Float64(primitive(value)),
            Value::Date => Self::Date(primitive(value)),
            Value::Time => Self::Time(primitive(value)),
            Value::Timestamp | Value::Instant => Self::Timestamp(primitive(value)),
            Value::Bytes => Self::Bytes(BinaryBuilder::new()),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        match self {
            Self::Boolean(column) => column.append_value(exact::<1>(bytes)? != [0]),
            Self::Int16(column) => column.append_value(i16::from_be_bytes(exact(bytes)?)),
            Self::Int32(column) => column.append_value(i32::from_be_bytes(exact(bytes)?)),
            Self::Int64(column) => column.append_value(i64::from_be_bytes(exact(bytes)?)),
            Self::Float32(column) => column.append_value(f32::from_be_bytes(exact(bytes)?)),
            Self::Float64(column) => column.append_value(f64::from_be_bytes(exact(bytes)?)),
            Self::Date(column) => column.append_value(match i32::from_be_bytes(exact(bytes)?) {
                // The extreme values stand for the infinities, and map to the extreme days.
                i32::MIN => i32::MIN,
                days => days.saturating_add(DAYS_TO_2000),
            }),
            Self::Time(column) => column.append_value(i64::from_be_bytes(exact(bytes)?)),
            Self::Timestamp(column) => column.append_value(match i64::from_be_bytes(exact(bytes)?) {
                i64::MIN => i64::MIN,
                micros => micros.saturating_add(MICROS_TO_2000),
            }),
            Self::Bytes(column) => column.append_value(bytes),
        }
        Ok(())
    }

    fn push_null(&mut self) {
        each!(self, column => column.append_null());
    }

    fn finish(&mut self) -> ArrayRef {
        each!(self, column => Arc::new(column.finish()))
    }
}

/// Converts the bytes of a type of fixed length.
fn exact<const LENGTH: usize>(bytes: &[u8]) -> Result<[u8; LENGTH], Damaged> {
    bytes.try_into().map_err(|_| Damaged)
}
