//! The values of a derived column as an Arrow column.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, StringBuilder};
use arrow_array::types::{
    Date32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, PrimitiveArray};

use super::value::{Kind, Value};
use crate::schema::attribute::FieldType;

/// The type of a derived column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResultType {
    pub(crate) field_type: FieldType,
    /// Number of decimals of numbers, if it is declared.
    pub(crate) decimals: Option<u8>,
}

impl ResultType {
    /// Whether values of a kind can be in a column of this type.
    pub(crate) fn takes(&self, kind: Kind) -> bool {
        match self.field_type {
            FieldType::Integer | FieldType::Year => kind == Kind::Whole,
            FieldType::Number => kind.is_number(),
            other => kind == Kind::of(other),
        }
    }

    pub(super) fn collect<'a>(&self, values: impl Iterator<Item = Value<'a>>) -> ArrayRef {
        match self.field_type {
            FieldType::Integer => Arc::new(values.map(|value| value.whole()).collect::<PrimitiveArray<Int64Type>>()),
            FieldType::Year => {
                let narrow = |value: Value<'_>| value.whole().and_then(|year| i32::try_from(year).ok());
                Arc::new(values.map(narrow).collect::<PrimitiveArray<Int32Type>>())
            }
            FieldType::Number => {
                let rounded = |value: Value<'_>| value.real().map(|value| self.rounded(value));
                Arc::new(values.map(rounded).collect::<PrimitiveArray<Float64Type>>())
            }
            FieldType::String => {
                let mut texts = StringBuilder::new();
                values.for_each(|value| texts.append_option(value.text()));
                Arc::new(texts.finish())
            }
            FieldType::Boolean => {
                let mut booleans = BooleanBuilder::new();
                values.for_each(|value| booleans.append_option(value.boolean()));
                Arc::new(booleans.finish())
            }
            FieldType::Date => {
                let day = |value: Value<'_>| match value {
                    Value::Date(day) => i32::try_from(day).ok(),
                    _ => None,
                };
                Arc::new(values.map(day).collect::<PrimitiveArray<Date32Type>>())
            }
            FieldType::Datetime => {
                let clock = |value: Value<'_>| match value {
                    Value::Datetime(clock) => Some(clock),
                    _ => None,
                };
                Arc::new(values.map(clock).collect::<PrimitiveArray<TimestampMicrosecondType>>())
            }
            FieldType::Time => {
                let clock = |value: Value<'_>| match value {
                    Value::Time(clock) => Some(clock),
                    _ => None,
                };
                Arc::new(values.map(clock).collect::<PrimitiveArray<Time64MicrosecondType>>())
            }
        }
    }

    fn rounded(&self, value: f64) -> f64 {
        let Some(decimals) = self.decimals else { return value };
        // The text is the nearest with these decimals, and its value the nearest to the text.
        format!("{value:.*}", usize::from(decimals)).parse().unwrap_or(value)
    }
}
