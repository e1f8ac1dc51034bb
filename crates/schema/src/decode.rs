//! From codes back to typed columns.
//!
//! Declared values come back as they were declared. A bin comes back as a value drawn uniformly from it: a number as a
//! real number between the edges, whole numbers, days and instants as one of the bin's members. Missing comes back as a
//! blank; so does unknown, except in an open text column, where it is the declared label.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, StringBuilder};
use arrow_array::types::{ArrowPrimitiveType, Date32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema as ArrowSchema, SchemaRef, TimeUnit};
use rand::{Rng, RngExt};

use crate::attribute::{Attribute, FieldType, UNKNOWN_LABEL};
use crate::bins::{RealBins, WholeBins};
use crate::codes::CodeColumn;
use crate::encode::{RealCut, Values, WholeCut};
use crate::schema::Schema;
use crate::spec::Scalar;

/// Turns codes of a schema into Arrow columns.
#[derive(Debug)]
pub struct Decoder {
    columns: Vec<ColumnDecoder>,
    arrow_schema: SchemaRef,
}

impl FieldType {
    /// The Arrow type that columns of this type come back as.
    pub fn arrow_type(self) -> DataType {
        match self {
            Self::Integer => DataType::Int64,
            Self::Number => DataType::Float64,
            Self::String => DataType::Utf8,
            Self::Boolean => DataType::Boolean,
            Self::Date => DataType::Date32,
            Self::Datetime => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Year => DataType::Int32,
        }
    }
}

impl Decoder {
    /// A decoder for `schema`.
    pub fn new(schema: &Schema) -> Self {
        let fields: Vec<Field> = schema
            .attributes()
            .iter()
            .map(|attribute| {
                let nullable = !attribute.spec().constraints.required;
                Field::new(attribute.name(), attribute.field_type().arrow_type(), nullable)
            })
            .collect();
        Self {
            columns: schema.attributes().iter().map(ColumnDecoder::new).collect(),
            arrow_schema: Arc::new(ArrowSchema::new(fields)),
        }
    }

    /// Names and types of what comes out.
    pub fn arrow_schema(&self) -> &SchemaRef {
        &self.arrow_schema
    }

    /// Decodes rows given column by column, in schema order.
    ///
    /// # Panics
    /// If the columns are not those of the schema.
    pub fn decode(&self, columns: &[CodeColumn], rng: &mut impl Rng) -> RecordBatch {
        let arrays = self.columns.iter().zip(columns).map(|(decoder, codes)| decoder.decode(codes, rng)).collect();
        RecordBatch::try_new(Arc::clone(&self.arrow_schema), arrays).expect("columns are those of the schema")
    }
}

/// Code to value, looked up once per column and not once per row.
#[derive(Debug)]
enum ColumnDecoder {
    Text(Vec<Option<Box<str>>>),
    Boolean { values: u32 },
    Whole { field_type: FieldType, cut: WholeDecoder, count: u32 },
    Real(RealDecoder),
}

#[derive(Debug)]
enum WholeDecoder {
    Values(Vec<i64>),
    Bins(WholeBins),
}

#[derive(Debug)]
enum RealDecoder {
    Values(Vec<f64>),
    Bins(RealBins),
}

impl ColumnDecoder {
    fn new(attribute: &Attribute) -> Self {
        let special = u32::from(attribute.missing_code().is_some()) + u32::from(attribute.unknown_code().is_some());
        let count = attribute.size() - special;
        match &attribute.encoder().values {
            Values::Text(_) => Self::Text(text_labels(attribute)),
            Values::Boolean { .. } => Self::Boolean { values: count },
            Values::Whole { cut, .. } => Self::Whole {
                field_type: attribute.field_type(),
                cut: match cut {
                    WholeCut::Categories(categories) => {
                        WholeDecoder::Values(categories.by_code().into_iter().copied().collect())
                    }
                    WholeCut::Bins(bins) => WholeDecoder::Bins(bins.clone()),
                },
                count,
            },
            Values::Real(RealCut::Categories(categories)) => Self::Real(RealDecoder::Values(
                categories.by_code().into_iter().map(|bits| f64::from_bits(*bits)).collect(),
            )),
            Values::Real(RealCut::Bins(bins)) => Self::Real(RealDecoder::Bins(bins.clone())),
        }
    }

    fn decode(&self, codes: &CodeColumn, rng: &mut impl Rng) -> ArrayRef {
        match self {
            Self::Text(labels) => {
                let mut builder = StringBuilder::new();
                codes.iter().for_each(|code| builder.append_option(labels[code as usize].as_deref()));
                Arc::new(builder.finish())
            }
            Self::Boolean { values } => {
                let mut builder = BooleanBuilder::with_capacity(codes.len());
                codes.iter().for_each(|code| builder.append_option((code < *values).then_some(code == 1)));
                Arc::new(builder.finish())
            }
            Self::Whole { field_type, cut, count } => {
                let mut draw = |code: u32| match cut {
                    WholeDecoder::Bins(bins) => {
                        let (first, last) = bins.members(code);
                        uniform(first, last, rng)
                    }
                    WholeDecoder::Values(values) => values[code as usize],
                };
                let values = codes.iter().map(|code| (code < *count).then(|| draw(code)));
                // Days and years were checked to fit 32 bits.
                match field_type {
                    FieldType::Date => narrow::<Date32Type>(values),
                    FieldType::Year => narrow::<Int32Type>(values),
                    FieldType::Datetime => Arc::new(values.collect::<PrimitiveArray<TimestampMicrosecondType>>()),
                    _ => Arc::new(values.collect::<PrimitiveArray<Int64Type>>()),
                }
            }
            Self::Real(RealDecoder::Values(values)) => Arc::new(
                codes.iter().map(|code| values.get(code as usize).copied()).collect::<PrimitiveArray<Float64Type>>(),
            ),
            Self::Real(RealDecoder::Bins(bins)) => Arc::new(
                codes
                    .iter()
                    .map(|code| {
                        (code < bins.count()).then(|| {
                            let (low, high) = bins.interval(code);
                            let value = low + (high - low) * rng.random::<f64>();
                            // Rounding may reach the upper edge, which opens the next bin.
                            if value < high { value } else { low }
                        })
                    })
                    .collect::<PrimitiveArray<Float64Type>>(),
            ),
        }
    }
}

fn narrow<T: ArrowPrimitiveType<Native = i32>>(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    let narrowed = values.map(|value| value.map(|value| i32::try_from(value).expect("checked bounds fit 32 bits")));
    Arc::new(narrowed.collect::<PrimitiveArray<T>>())
}

/// A uniform member of `first ..= last`.
fn uniform(first: i64, last: i64, rng: &mut impl Rng) -> i64 {
    if first == last { first } else { rng.random_range(first..=last) }
}

fn text_labels(attribute: &Attribute) -> Vec<Option<Box<str>>> {
    let spec = attribute.spec();
    let declared = spec.constraints.categories.iter().flatten().map(|category| match category {
        Scalar::Text(text) => Some(text.as_str().into()),
        _ => unreachable!("a checked text column has text categories"),
    });
    let mut labels: Vec<Option<Box<str>>> = declared.collect();
    labels.extend(attribute.missing_code().map(|_| None));
    labels.extend(
        attribute.unknown_code().map(|_| Some(spec.dp.unknown_label.as_deref().unwrap_or(UNKNOWN_LABEL).into())),
    );
    labels
}
