//! `unit_key(column)`: the key of a row's unit, if it has one.

use datafusion::arrow::array::{Array, AsArray, FixedSizeBinaryArray, FixedSizeBinaryBuilder};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use sha2::{Digest, Sha256};
use std::sync::Arc;

use super::row::{fixed_size, in_i32};
use super::text::{canonical, each_text};
use crate::codes::encode::supports;
use crate::source::indirect::Indirect;

/// Bytes of a key.
pub(super) const KEY_BYTES: usize = 32;

pub(super) type Key = [u8; KEY_BYTES];

/// A cryptographic hash of the value's canonical text, because units with equal keys would share
/// one bound. Null if there is no unit.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct UnitKey {
    /// The canonical texts of missing values.
    missing: Vec<Vec<u8>>,
    signature: Signature,
}

impl UnitKey {
    pub(super) fn new<'a>(missing_texts: impl Iterator<Item = &'a str>) -> Self {
        let form = |text: &str| canonical(text.as_bytes(), &mut Vec::new()).map(<[u8]>::to_vec);
        Self::of_forms(missing_texts.filter_map(form).collect())
    }

    /// Creates the key function from the [canonical texts](Self::forms) of another.
    pub(crate) fn of_forms(missing: Vec<Vec<u8>>) -> Self {
        Self { missing, signature: Signature::any(1, Volatility::Immutable) }
    }

    /// The canonical texts of missing values.
    pub(crate) fn forms(&self) -> &[Vec<u8>] {
        &self.missing
    }

    /// Returns the keys of a column of a [supported](supports) type.
    pub(super) fn keys(&self, array: &dyn Array) -> Result<FixedSizeBinaryArray> {
        if let Some(array) = array.as_any_dictionary_opt() {
            // Hashes each entry of the dictionary once.
            let entries = self.keys(array.values().as_ref())?;
            return Ok(take(&entries, array.keys(), None)?.as_fixed_size_binary().clone());
        }
        let mut keys = FixedSizeBinaryBuilder::with_capacity(array.len(), in_i32(KEY_BYTES));
        if let Some(column) = Indirect::of(array).filter(|_| supports(array.data_type())) {
            let all: Vec<Vec<Option<Key>>> = column.children.iter().map(|child| self.keys_or_none(child)).collect();
            for key in column.pick(&all) {
                append(&mut keys, key.copied().flatten());
            }
            return Ok(keys.finish());
        }
        let read = each_text(array, &mut |text| append(&mut keys, self.key(text)));
        if read.is_none() {
            return exec_err!("unit_key takes a column of a plain type");
        }
        Ok(keys.finish())
    }

    /// Returns the keys of the child of a union: a value of an unsupported type has no unit.
    fn keys_or_none(&self, array: &dyn Array) -> Vec<Option<Key>> {
        let key = |bytes: Option<&[u8]>| bytes.and_then(|bytes| bytes.try_into().ok());
        self.keys(array).map_or_else(|_| vec![None; array.len()], |keys| keys.iter().map(key).collect())
    }

    /// Returns the key of a text, if it identifies a unit.
    pub(super) fn key(&self, text: Option<&[u8]>) -> Option<Key> {
        let text = text.filter(|text| !self.missing.iter().any(|missing| missing == text))?;
        Some(Sha256::digest(text).into())
    }
}

fn append(keys: &mut FixedSizeBinaryBuilder, key: Option<Key>) {
    match key {
        Some(key) => keys.append_value(key).expect("a key of that many bytes"),
        None => keys.append_null(),
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
            [argument] if supports(argument) => Ok(fixed_size(KEY_BYTES)),
            _ => plan_err!("unit_key takes one column of a plain type"),
        }
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<_> = arguments.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        Ok(Arc::new(Field::new(self.name(), self.return_type(&types)?, true)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [column] = arguments.args.as_slice() else { return exec_err!("unit_key takes one column") };
        let keys = self.keys(column.to_array(arguments.number_rows)?.as_ref())?;
        Ok(ColumnarValue::Array(Arc::new(keys)))
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Int64Array, StringArray, new_null_array};
    use datafusion::arrow::compute::cast;
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
        let key = UnitKey::new(std::iter::empty());
        for data_type in types {
            let keys = key.keys(new_null_array(&data_type, 2).as_ref());
            assert_eq!(keys.is_ok(), supports(&data_type), "{data_type}");
            assert!(keys.is_ok_and(|keys| (keys.len(), keys.null_count()) == (2, 2)) || !supports(&data_type));
        }
    }

    #[test]
    fn missing_values_of_the_schema_are_missing() {
        let key = UnitKey::new(["", "NA", "-9"].into_iter());
        let is_unit = |array: &dyn Array| {
            let keys = key.keys(array).unwrap();
            (0..keys.len()).map(|row| keys.is_valid(row)).collect::<Vec<_>>()
        };
        let texts = StringArray::from(vec!["NA", " NA ", "-9.0", "", "x", "9"]);
        let expected = [false, false, false, false, true, true];
        assert_eq!(is_unit(&texts), expected);
        let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        assert_eq!(is_unit(&cast(&texts, &dictionary).unwrap()), expected);
        assert_eq!(is_unit(&Int64Array::from(vec![Some(-9), None, Some(9)])), [false, false, true]);
    }

    #[test]
    fn a_dictionary_has_the_keys_of_its_values() {
        let key = UnitKey::new(std::iter::empty());
        let texts = StringArray::from(vec![Some("x"), None, Some("y"), Some(""), Some("x")]);
        let dictionary = DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
        let keys = key.keys(&texts).unwrap();
        assert_eq!(key.keys(&cast(&texts, &dictionary).unwrap()).unwrap(), keys);
        assert_eq!(keys.value(0), key.key(Some(b"x")).unwrap());
        assert!(keys.value(0) == keys.value(4) && keys.value(0) != keys.value(2));
    }
}
