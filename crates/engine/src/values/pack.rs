//! Packing the texts of a row into one value, and splitting them again.

use std::sync::Arc;

use datafusion::arrow::array::builder::{BinaryBuilder, ListBuilder};
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use crate::codes::encode::TOO_LONG;

/// Longest text that is a value of its own, in bytes. Longer ones are one class.
const MAX_TEXT: usize = 100;
/// Bytes of the number of a column before its text, and of a length.
const TAG: usize = 4;

/// `pack_texts(columns, ...)`: the trimmed texts of a row, each after its length plus one; zero for
/// a null.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct PackTexts {
    signature: Signature,
}

impl Default for PackTexts {
    fn default() -> Self {
        Self { signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for PackTexts {
    fn name(&self) -> &'static str {
        "pack_texts"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn return_field_from_args(&self, _: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(self.name(), DataType::Binary, false)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = arguments.number_rows;
        let columns = arguments.args.iter().map(|column| Ok(Texts::of(&column.to_array(rows)?)));
        let columns: Vec<Texts> = columns.collect::<Result<_>>()?;
        let mut packed = BinaryBuilder::with_capacity(rows, rows * columns.len() * 16);
        let mut row_bytes = Vec::new();
        for row in 0..rows {
            row_bytes.clear();
            for column in &columns {
                let text = column.get(row);
                let length = text.map_or(0, |text| u32::try_from(text.len()).unwrap_or(0) + 1);
                row_bytes.extend_from_slice(&length.to_le_bytes());
                row_bytes.extend_from_slice(text.unwrap_or_default());
            }
            packed.append_value(&row_bytes);
        }
        Ok(ColumnarValue::Array(Arc::new(packed.finish())))
    }
}

/// A column as texts; values of a type that has none are one text.
struct Texts(Option<ArrayRef>);

impl Texts {
    fn of(array: &ArrayRef) -> Self {
        Self(match array.data_type() {
            DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView => Some(Arc::clone(array)),
            _ => cast(array, &DataType::Utf8).ok(),
        })
    }

    /// Returns the text of a row, trimmed, or the one that stands for all long ones.
    fn get(&self, row: usize) -> Option<&[u8]> {
        let Some(array) = &self.0 else { return Some(TOO_LONG) };
        if array.is_null(row) {
            return None;
        }
        let text: &[u8] = match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
            DataType::LargeUtf8 => array.as_string::<i64>().value(row).as_bytes(),
            DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
            DataType::Binary => array.as_binary::<i32>().value(row),
            DataType::LargeBinary => array.as_binary::<i64>().value(row),
            _ => array.as_binary_view().value(row),
        };
        let text = text.trim_ascii();
        Some(if text.len() > MAX_TEXT { TOO_LONG } else { text })
    }
}

/// `split_texts(packed)`: the texts of a row, each after the number of its column.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct SplitTexts {
    signature: Signature,
}

impl Default for SplitTexts {
    fn default() -> Self {
        Self { signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl SplitTexts {
    fn list() -> DataType {
        DataType::List(Arc::new(Field::new_list_field(DataType::Binary, true)))
    }
}

impl ScalarUDFImpl for SplitTexts {
    fn name(&self) -> &'static str {
        "split_texts"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        if let [DataType::Binary] = arguments {
            return Ok(Self::list());
        }
        plan_err!("split_texts takes packed texts")
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<_> = arguments.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        Ok(Arc::new(Field::new(self.name(), self.return_type(&types)?, false)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [packed] = arguments.args.as_slice() else { return exec_err!("split_texts takes packed texts") };
        let packed = packed.to_array(arguments.number_rows)?;
        let Some(packed) = packed.as_binary_opt::<i32>() else { return exec_err!("split_texts takes packed texts") };
        let mut lists = ListBuilder::new(BinaryBuilder::new());
        let mut tagged = Vec::new();
        for row in packed {
            let mut rest = row.unwrap_or_default();
            let mut column = 0_u32;
            while let Some((length, after)) = rest.split_first_chunk::<TAG>() {
                rest = after;
                if let Some(length) = u32::from_le_bytes(*length).checked_sub(1) {
                    let Some((text, after)) = rest.split_at_checked(length as usize) else {
                        return exec_err!("split_texts takes packed texts");
                    };
                    rest = after;
                    tagged.clear();
                    tagged.extend_from_slice(&column.to_le_bytes());
                    tagged.extend_from_slice(text);
                    lists.values().append_value(&tagged);
                }
                column += 1;
            }
            lists.append(true);
        }
        Ok(ColumnarValue::Array(Arc::new(lists.finish())))
    }
}

/// Returns the number of the column and the text of a value that was split.
pub(super) fn read_tag(value: &[u8]) -> Option<(usize, &[u8])> {
    let (tag, text) = value.split_first_chunk::<TAG>()?;
    Some((u32::from_le_bytes(*tag) as usize, text))
}
