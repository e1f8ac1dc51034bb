//! Decodes codes into typed columns.
//!
//! Declared values are written as declared. A bin becomes a value drawn uniformly from it: a real
//! number on the column's step or with the digits that the bin width needs, a whole number, a day,
//! an instant (in whole seconds if the bin is long enough), or a time of day (in whole seconds, or
//! in whole minutes if its format has no seconds).
//!
//! Missing values become nulls, and so do unknown values, except in an open text column, which
//! writes the declared label. A labelled kind of missing value is written as its text in a text
//! column; in a typed column it is null, and [`DecodedRows`] holds its text for text files.
//!
//! Values of columns that a rule orders are drawn in that order, and days agree with completed
//! years.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, StringBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema as ArrowSchema, SchemaRef, TimeUnit};
use rand::Rng;

use crate::bins::cut::{Draw, RealCut, RealDraw, WholeDraw};
use crate::domain::codes::CodeColumn;
use crate::file::spec::Scalar;
use crate::rules::{DaysInYears, InOrder};
use crate::schema::Schema;
use crate::schema::attribute::{Attribute, FieldType};
use crate::schema::generated::{Generated, OutputColumn};
use crate::values::encode::{Values, WholeLine};
use crate::values::missing::{self, MissingKind};
use crate::values::text_form::TextForm;

/// Decodes the codes of a schema into Arrow columns.
#[derive(Debug)]
pub struct Decoder {
    /// Decoders of the modelled columns.
    columns: Vec<ColumnDecoder>,
    orders: Vec<InOrder>,
    days_in_years: Vec<DaysInYears>,
    /// Generated columns, in output order.
    generated: Vec<Generated>,
    seed: u64,
    /// The output index of each modelled column, and the texts of its missing values.
    blanks: Vec<(usize, BlankTexts)>,
    /// Columns with their own text format, by output index.
    forms: Vec<(usize, TextForm)>,
    arrow_schema: SchemaRef,
}

/// Synthetic rows as typed columns, plus what a text file needs.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedRows {
    /// The typed columns.
    pub batch: RecordBatch,
    /// For columns with several kinds of missing values, by index: the text of the missing value in
    /// each row. Null in rows that have a value or are blank in a text file.
    pub blanks: Vec<(usize, StringArray)>,
    /// For columns with a declared format or decimals, by index: how a text file writes their
    /// values.
    pub forms: Vec<(usize, TextForm)>,
}

/// The texts of a column's missing values in a text file.
#[derive(Debug)]
struct BlankTexts {
    /// The code of the first kind.
    first: u32,
    /// The text of each kind; `None` for a blank.
    texts: Vec<Option<Box<str>>>,
}

impl BlankTexts {
    fn new(attribute: &Attribute) -> Self {
        let texts = missing::written_texts(&attribute.missing_kinds);
        Self {
            first: attribute.declared_codes(),
            texts: texts.into_iter().map(|text| text.filter(|text| !text.is_empty()).map(Box::from)).collect(),
        }
    }

    /// The texts, one per row; `None` if no kind has a text.
    fn decode(&self, codes: &CodeColumn) -> Option<StringArray> {
        let text = |code: u32| self.texts.get(code.checked_sub(self.first)? as usize)?.as_deref();
        self.texts.iter().any(Option::is_some).then(|| codes.iter().map(text).collect())
    }
}

impl FieldType {
    /// The Arrow type of decoded columns. For a datetime with a time zone, see
    /// [`Attribute::arrow_type`].
    pub fn arrow_type(self) -> DataType {
        match self {
            Self::Integer => DataType::Int64,
            Self::Number => DataType::Float64,
            Self::String => DataType::Utf8,
            Self::Boolean => DataType::Boolean,
            Self::Date => DataType::Date32,
            Self::Datetime => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Time => DataType::Time64(TimeUnit::Microsecond),
            Self::Year => DataType::Int32,
        }
    }
}

impl Attribute {
    /// The Arrow type of the decoded column.
    pub fn arrow_type(&self) -> DataType {
        match &self.encoder().values {
            Values::Whole { line: WholeLine::Datetime(_, Some(zone)), .. } => {
                DataType::Timestamp(TimeUnit::Microsecond, Some(zone.name().into()))
            }
            _ => self.field_type().arrow_type(),
        }
    }
}

impl Decoder {
    /// Creates a decoder for `schema`.
    pub fn new(schema: &Schema) -> Self {
        let fields: Vec<Field> = schema
            .output_columns()
            .into_iter()
            .map(|column| Field::new(column.name(), column.arrow_type(), column.is_nullable()))
            .collect();
        let blanks = schema.output_columns().into_iter().enumerate().filter_map(|(place, column)| match column {
            OutputColumn::Modelled(attribute) => Some((place, BlankTexts::new(attribute))),
            OutputColumn::Generated(_) => None,
        });
        let forms = schema.output_columns().into_iter().enumerate().filter_map(|(place, column)| match column {
            OutputColumn::Modelled(attribute) => Some((place, TextForm::of(attribute)?)),
            OutputColumn::Generated(generated) => Some((place, generated.form()?.clone())),
        });
        Self {
            columns: schema.attributes().iter().map(ColumnDecoder::new).collect(),
            orders: InOrder::all(schema),
            days_in_years: DaysInYears::all(schema),
            generated: schema.generated().to_vec(),
            seed: 0,
            blanks: blanks.collect(),
            forms: forms.collect(),
            arrow_schema: Arc::new(ArrowSchema::new(fields)),
        }
    }

    /// Names and types of the decoded columns.
    pub fn arrow_schema(&self) -> &SchemaRef {
        &self.arrow_schema
    }

    /// Sets the seed of generated columns, 0 by default.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Decodes the first rows of a table, given as columns in schema order.
    ///
    /// # Panics
    /// If the columns are not those of the schema.
    pub fn decode(&self, columns: &[CodeColumn], rng: &mut impl Rng) -> RecordBatch {
        self.decode_from(0, columns, rng)
    }

    /// Decodes rows that come after `before` others. Generated values depend on the row number, so
    /// a table can be decoded in batches of any size.
    ///
    /// # Panics
    /// If the columns are not those of the schema.
    pub fn decode_from(&self, before: u64, columns: &[CodeColumn], rng: &mut impl Rng) -> RecordBatch {
        let rows = columns.first().map_or(0, CodeColumn::len);
        let mut arrays: Vec<ArrayRef> =
            self.columns.iter().zip(columns).map(|(decoder, codes)| decoder.decode(codes, rng)).collect();
        for order in &self.orders {
            order.enforce(columns, &mut arrays, rng);
        }
        for days in &self.days_in_years {
            days.enforce(columns, &mut arrays, rng);
        }
        let generated = self.generated.iter().map(|column| column.values(before, rows, self.seed, &arrays));
        for (column, values) in self.generated.iter().zip(generated.collect::<Vec<_>>()) {
            arrays.insert(column.place(), values);
        }
        RecordBatch::try_new(Arc::clone(&self.arrow_schema), arrays).expect("columns are those of the schema")
    }

    /// Decodes rows that come after `before` others, with the texts of missing values and the
    /// formats for a text file.
    ///
    /// # Panics
    /// If the columns are not those of the schema.
    pub fn decode_rows(&self, before: u64, columns: &[CodeColumn], rng: &mut impl Rng) -> DecodedRows {
        let blanks = self.blanks.iter().zip(columns).map(|((place, blanks), codes)| (*place, blanks.decode(codes)));
        let blanks = blanks.filter_map(|(place, texts)| Some((place, texts?))).collect();
        DecodedRows { batch: self.decode_from(before, columns, rng), blanks, forms: self.forms.clone() }
    }
}

/// Maps codes to values, prepared once per column.
#[derive(Debug)]
enum ColumnDecoder {
    Text(Vec<Option<Box<str>>>),
    Boolean { values: u32 },
    Whole { arrow_type: DataType, draw: WholeDraw, count: u32 },
    Real { draw: RealDraw, count: u32 },
    RealValues(Vec<f64>),
}

impl ColumnDecoder {
    fn new(attribute: &Attribute) -> Self {
        let count = attribute.declared_codes();
        match &attribute.encoder().values {
            Values::Text(_) => Self::Text(text_labels(attribute)),
            Values::Boolean { .. } => Self::Boolean { values: count },
            Values::Whole { line, cut } => Self::Whole {
                arrow_type: attribute.arrow_type(),
                draw: WholeDraw::new(line, cut, &attribute.encoder().missing_texts, attribute.step()),
                count,
            },
            Values::Real(RealCut::Categories(categories)) => {
                Self::RealValues(categories.by_code().into_iter().map(|bits| f64::from_bits(*bits)).collect())
            }
            Values::Real(cut) => {
                let missing = &attribute.encoder().missing_texts;
                Self::Real { draw: RealDraw::new(cut, count, missing, attribute.step()), count }
            }
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
            Self::Whole { arrow_type, draw, count } => {
                let values = codes.iter().map(|code| (code < *count).then(|| draw.draw(code, rng)));
                // Days and years were checked to fit 32 bits.
                match arrow_type {
                    DataType::Date32 => narrow::<Date32Type>(values),
                    DataType::Int32 => narrow::<Int32Type>(values),
                    DataType::Timestamp(_, zone) => {
                        let instants = values.collect::<PrimitiveArray<TimestampMicrosecondType>>();
                        Arc::new(instants.with_timezone_opt(zone.clone()))
                    }
                    DataType::Time64(_) => Arc::new(values.collect::<PrimitiveArray<Time64MicrosecondType>>()),
                    _ => Arc::new(values.collect::<PrimitiveArray<Int64Type>>()),
                }
            }
            Self::Real { draw, count } => Arc::new(
                codes
                    .iter()
                    .map(|code| (code < *count).then(|| draw.draw(code, rng)))
                    .collect::<PrimitiveArray<Float64Type>>(),
            ),
            Self::RealValues(values) => Arc::new(
                codes.iter().map(|code| values.get(code as usize).copied()).collect::<PrimitiveArray<Float64Type>>(),
            ),
        }
    }
}

fn narrow<T: ArrowPrimitiveType<Native = i32>>(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    let narrowed = values.map(|value| value.map(|value| i32::try_from(value).expect("checked bounds fit 32 bits")));
    Arc::new(narrowed.collect::<PrimitiveArray<T>>())
}

fn text_labels(attribute: &Attribute) -> Vec<Option<Box<str>>> {
    let spec = attribute.spec();
    let declared = spec.constraints.categories.iter().flatten().map(|category| match category {
        Scalar::Text(text) => Some(text.as_str().into()),
        _ => unreachable!("a checked text column has text categories"),
    });
    let mut labels: Vec<Option<Box<str>>> = declared.collect();
    let text = |(_, kind): (u32, &MissingKind)| kind.label().and(kind.texts().first()).map(|text| text.as_str().into());
    labels.extend(attribute.missing_kinds().map(text));
    labels.extend(attribute.unknown_code().map(|_| Some(spec.dp.unknown_label().into())));
    labels
}
