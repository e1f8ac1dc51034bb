//! `unit_key(column)`: whose a row is.

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use sha2::{Digest, Sha256};
use std::sync::Arc;

use super::row::fixed_size_array;
use super::text::{canonical, each_text};
use crate::encode::supports;

/// Bytes of a key.
pub(super) const KEY_BYTES: usize = 32;

pub(super) type Key = [u8; KEY_BYTES];

/// The function: a cryptographic hash of the value's one text, since units that shared a key would share their places.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct UnitKey {
    /// The texts that stand for a missing value, each in its one form.
    missing: Vec<Vec<u8>>,
    signature: Signature,
}

impl UnitKey {
    pub(super) fn new(missing_values: &[String]) -> Self {
        let form = |text: &String| canonical(text.as_bytes(), &mut Vec::new()).map(<[u8]>::to_vec);
        Self {
            missing: missing_values.iter().filter_map(form).collect(),
            signature: Signature::any(1, Volatility::Immutable),
        }
    }

    /// The keys of a column; `None` if its type is not supported.
    pub(super) fn keys(&self, array: &dyn Array) -> Option<Vec<Key>> {
        if matches!(array.data_type(), DataType::Dictionary(..)) {
            return self.keys_of_dictionary(array);
        }
        let mut keys = Vec::with_capacity(array.len());
        each_text(array, &mut |text| keys.push(self.key(text)))?;
        Some(keys)
    }

    /// Hashes each entry of the dictionary once.
    fn keys_of_dictionary(&self, array: &dyn Array) -> Option<Vec<Key>> {
        let array = array.as_any_dictionary();
        let (entries, nobody) = (self.keys(array.values().as_ref())?, self.key(None));
        if entries.is_empty() {
            // Without entries all keys are null.
            return Some(vec![nobody; array.len()]);
        }
        let indices = array.normalized_keys();
        let key = |row: usize| if array.is_null(row) { nobody } else { entries[indices[row]] };
        Some((0..array.len()).map(key).collect())
    }

    /// The key of a text. All rows without one have the same key: they are one unit.
    pub(super) fn key(&self, text: Option<&[u8]>) -> Key {
        let text = text.filter(|text| !self.missing.iter().any(|missing| missing == text));
        // The first byte keeps what is missing apart from every text.
        match text {
            None => Sha256::digest([0]).into(),
            Some(text) => Sha256::new().chain_update([1]).chain_update(text).finalize().into(),
        }
    }
}

impl ScalarUDFImpl for UnitKey {
    fn name(&self) -> &'static str {
        "unit_key"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [argument] if supports(argument) => Ok(DataType::FixedSizeBinary(32)),
            _ => plan_err!("unit_key takes one column of a plain type"),
        }
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<_> = arguments.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        Ok(Arc::new(Field::new(self.name(), self.return_type(&types)?, false)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [column] = arguments.args.as_slice() else { return exec_err!("unit_key takes one column") };
        let Some(keys) = self.keys(column.to_array(arguments.number_rows)?.as_ref()) else {
            return exec_err!("unit_key takes a column of a plain type");
        };
        Ok(ColumnarValue::Array(fixed_size_array(KEY_BYTES, keys.into_flattened())))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Int64Array, StringArray, new_null_array};
    use datafusion::arrow::datatypes::{IntervalUnit, TimeUnit};

    use super::*;

    #[test]
    fn every_type_that_can_be_encoded_can_be_a_unit() {
        let (unit, zone) = (TimeUnit::Second, Some("UTC".into()));
        let mut types = vec![
            DataType::Null,
            DataType::Boolean,
            DataType::Int8,
            DataType::Int16,
            DataType::Int32,
            DataType::Int64,
            DataType::UInt8,
            DataType::UInt16,
            DataType::UInt32,
            DataType::UInt64,
            DataType::Float16,
            DataType::Float32,
            DataType::Float64,
            DataType::Utf8,
            DataType::LargeUtf8,
            DataType::Utf8View,
            DataType::Binary,
            DataType::LargeBinary,
            DataType::BinaryView,
            DataType::FixedSizeBinary(16),
            DataType::Date32,
            DataType::Date64,
            DataType::Time32(unit),
            DataType::Time64(TimeUnit::Nanosecond),
            DataType::Duration(unit),
            DataType::Interval(IntervalUnit::DayTime),
            DataType::Timestamp(unit, None),
            DataType::Timestamp(TimeUnit::Millisecond, zone.clone()),
            DataType::Timestamp(TimeUnit::Microsecond, None),
            DataType::Timestamp(TimeUnit::Nanosecond, zone),
            DataType::Decimal32(5, 2),
            DataType::Decimal64(5, 2),
            DataType::Decimal128(5, -2),
            DataType::Decimal256(5, 2),
        ];
        types.extend(
            types.clone().into_iter().map(|values| DataType::Dictionary(Box::new(DataType::Int8), Box::new(values))),
        );
        let key = UnitKey::new(&[]);
        for data_type in types {
            let keys = key.keys(new_null_array(&data_type, 2).as_ref());
            assert_eq!(keys.is_some(), supports(&data_type), "{data_type}");
            assert!(keys.is_none_or(|keys| keys == [key.key(None); 2]), "{data_type}");
        }
    }

    #[test]
    fn what_the_schema_calls_missing_is_missing() {
        let key = UnitKey::new(&[String::new(), "NA".into(), "-9".into()]);
        let texts = key.keys(&StringArray::from(vec!["NA", " NA ", "-9.0", "", "x"])).unwrap();
        assert_eq!(texts[..4], [key.key(None); 4]);
        assert_ne!(texts[4], key.key(None));
        assert_eq!(key.keys(&Int64Array::from(vec![-9])).unwrap(), [key.key(None)]);
    }

    #[test]
    fn no_text_has_the_key_of_a_missing_unit() {
        let key = UnitKey::new(&[]);
        for text in ["", "\0", "0", "null"] {
            assert_ne!(key.key(Some(text.as_bytes())), key.key(None));
        }
    }
}
