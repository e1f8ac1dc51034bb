//! Computes checked expressions, row by row.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::check::{Column, Node};
use super::value::Value;
use crate::values::zone::clock_in;

impl Node {
    /// Returns the value in a row of the modelled columns.
    pub(super) fn value<'a>(&'a self, columns: &'a [ArrayRef], row: usize) -> Value<'a> {
        match self {
            Self::Column(column) => column.value(&columns[column.place], row),
            Self::Constant(value) => value.clone(),
            Self::Call(function, arguments) => {
                function.value(arguments.iter().map(|argument| argument.value(columns, row)).collect())
            }
            Self::Case { branches, otherwise } => {
                let is_true = |condition: &Self| condition.value(columns, row).boolean() == Some(true);
                let found = branches.iter().find(|(condition, _)| is_true(condition));
                found.map_or(otherwise.as_ref(), |(_, result)| result).value(columns, row)
            }
        }
    }
}

impl Column {
    fn value<'a>(&self, array: &'a ArrayRef, row: usize) -> Value<'a> {
        if array.is_null(row) {
            return Value::Missing;
        }
        match array.data_type() {
            DataType::Int64 => Value::Whole(array.as_primitive::<Int64Type>().value(row)),
            DataType::Int32 => Value::Whole(array.as_primitive::<Int32Type>().value(row).into()),
            DataType::Float64 => Value::Real(array.as_primitive::<Float64Type>().value(row)),
            DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
            DataType::Utf8 => Value::Text(array.as_string::<i32>().value(row).into()),
            DataType::Date32 => Value::Date(array.as_primitive::<Date32Type>().value(row).into()),
            DataType::Timestamp(..) => {
                let instant = array.as_primitive::<TimestampMicrosecondType>().value(row);
                Value::Datetime(clock_in(self.zone.as_ref(), instant))
            }
            DataType::Time64(_) => Value::Time(array.as_primitive::<Time64MicrosecondType>().value(row)),
            other => unreachable!("no column is decoded as {other}"),
        }
    }
}
