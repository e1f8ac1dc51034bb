//! A row as one value: its codes concatenated. Sorting and partitioning by unit then move one
//! column, not thousands.

use std::sync::Arc;

use datafusion::arrow::array::types::{ArrowPrimitiveType, UInt8Type, UInt16Type, UInt32Type};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, FixedSizeBinaryArray, PrimitiveArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use scumble_planted::Mutant;
use sha2::{Digest, Sha256};

use super::key::KEY_BYTES;

/// Bytes of a rank. Two different rows of a unit have equal ranks with probability 2^-128; then
/// either may be kept.
const RANK_BYTES: usize = 16;

/// Bytes of a code of this type.
fn width(codes: &DataType) -> Option<usize> {
    match codes {
        DataType::UInt8 => Some(1),
        DataType::UInt16 => Some(2),
        DataType::UInt32 => Some(4),
        _ => None,
    }
}

/// Converts a size to Arrow's type of sizes.
pub(super) fn in_i32(bytes: usize) -> i32 {
    i32::try_from(bytes).expect("ten thousand columns of four bytes")
}

pub(super) fn fixed_size(bytes: usize) -> DataType {
    DataType::FixedSizeBinary(in_i32(bytes))
}

/// Creates an array of values of `size` bytes each, without nulls.
fn fixed_size_array(size: usize, bytes: Vec<u8>) -> ArrayRef {
    Arc::new(FixedSizeBinaryArray::new(in_i32(size), bytes.into(), None))
}

fn without_nulls(name: &str, data_type: DataType) -> FieldRef {
    Arc::new(Field::new(name, data_type, false))
}

/// `pack_row(codes, ...)`: the codes of a row, little-endian, concatenated.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct PackRow {
    signature: Signature,
}

impl Default for PackRow {
    fn default() -> Self {
        Self { signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for PackRow {
    fn name(&self) -> &'static str {
        "pack_row"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        let Some(bytes) = arguments.iter().map(width).sum() else {
            return plan_err!("pack_row takes columns of codes");
        };
        Ok(fixed_size(bytes))
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<_> = arguments.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        Ok(without_nulls(self.name(), self.return_type(&types)?))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = arguments.number_rows;
        let columns = arguments.args.iter().map(|column| column.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let Some(row_bytes) = columns.iter().map(|codes| width(codes.data_type())).sum::<Option<usize>>() else {
            return exec_err!("pack_row takes columns of codes");
        };
        let mut packed = vec![0; rows * row_bytes];
        let mut offset = 0;
        for codes in &columns {
            let places = packed.chunks_exact_mut(row_bytes).map(|row| &mut row[offset..]);
            offset += match codes.data_type() {
                DataType::UInt8 => scatter::<UInt8Type, 1>(codes, places, u8::to_le_bytes),
                DataType::UInt16 => scatter::<UInt16Type, 2>(codes, places, u16::to_le_bytes),
                _ => scatter::<UInt32Type, 4>(codes, places, u32::to_le_bytes),
            };
        }
        Ok(ColumnarValue::Array(fixed_size_array(row_bytes, packed)))
    }
}

/// Writes the codes of one column to the start of their places, and returns their width.
fn scatter<'a, T: ArrowPrimitiveType, const WIDTH: usize>(
    codes: &ArrayRef,
    places: impl Iterator<Item = &'a mut [u8]>,
    write: fn(T::Native) -> [u8; WIDTH],
) -> usize {
    for (place, code) in places.zip(codes.as_primitive::<T>().values()) {
        place[..WIDTH].copy_from_slice(&write(*code));
    }
    WIDTH
}

/// `unpack_code(row)`: one column of codes from packed rows.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct UnpackCode {
    offset: usize,
    codes: DataType,
    signature: Signature,
}

impl UnpackCode {
    pub(super) fn new(offset: usize, codes: DataType) -> Self {
        Self { offset, codes, signature: Signature::any(1, Volatility::Immutable) }
    }

    /// Returns the offset of the code, and its number of bytes.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.offset, width(&self.codes).expect("the type of codes"))
    }

    /// Creates the function for the code at an offset, if a code can have that number of bytes.
    pub(crate) fn of_place(offset: usize, bytes: usize) -> Option<Self> {
        let types = [DataType::UInt8, DataType::UInt16, DataType::UInt32];
        types.into_iter().find(|codes| width(codes) == Some(bytes)).map(|codes| Self::new(offset, codes))
    }

    /// Offset of the next code.
    pub(super) fn end(&self) -> usize {
        let (offset, bytes) = self.place();
        offset + bytes
    }
}

impl ScalarUDFImpl for UnpackCode {
    fn name(&self) -> &'static str {
        "unpack_code"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [DataType::FixedSizeBinary(bytes)] if usize::try_from(*bytes).is_ok_and(|bytes| self.end() <= bytes) => {
                Ok(self.codes.clone())
            }
            _ => plan_err!("unpack_code takes packed rows"),
        }
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<_> = arguments.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        Ok(without_nulls(self.name(), self.return_type(&types)?))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [rows] = arguments.args.as_slice() else { return exec_err!("unpack_code takes packed rows") };
        let rows = rows.to_array(arguments.number_rows)?;
        let Some(rows) = rows.as_fixed_size_binary_opt() else { return exec_err!("unpack_code takes packed rows") };
        Ok(ColumnarValue::Array(match self.codes {
            DataType::UInt8 => gather::<UInt8Type, 1>(rows, self.offset, u8::from_le_bytes),
            DataType::UInt16 => gather::<UInt16Type, 2>(rows, self.offset, u16::from_le_bytes),
            _ => gather::<UInt32Type, 4>(rows, self.offset, u32::from_le_bytes),
        }))
    }
}

fn gather<T: ArrowPrimitiveType, const WIDTH: usize>(
    rows: &FixedSizeBinaryArray,
    offset: usize,
    read: fn([u8; WIDTH]) -> T::Native,
) -> ArrayRef {
    let code = |row: usize| {
        let code = rows.value(row)[offset..].first_chunk::<WIDTH>().expect("checked when the plan was made");
        read(*code)
    };
    let codes: Vec<T::Native> = (0..rows.len()).map(code).collect();
    Arc::new(PrimitiveArray::<T>::new(codes.into(), None))
}

/// `rank_row(unit, row)`: the rank of a row among those of its unit, a hash of its contents.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct RankRow {
    signature: Signature,
}

impl Default for RankRow {
    fn default() -> Self {
        Self { signature: Signature::any(2, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for RankRow {
    fn name(&self) -> &'static str {
        "rank_row"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [unit, DataType::FixedSizeBinary(_) | DataType::Binary] if *unit == fixed_size(KEY_BYTES) => {
                Ok(fixed_size(RANK_BYTES))
            }
            _ => plan_err!("rank_row takes unit keys and packed rows"),
        }
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<_> = arguments.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        Ok(without_nulls(self.name(), self.return_type(&types)?))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [units, rows] = arguments.args.as_slice() else { return exec_err!("rank_row takes two columns") };
        let (units, rows) = (units.to_array(arguments.number_rows)?, rows.to_array(arguments.number_rows)?);
        let Some(units) = units.as_fixed_size_binary_opt() else {
            return exec_err!("rank_row takes unit keys and packed rows");
        };
        let contents: Vec<&[u8]> = match (rows.as_fixed_size_binary_opt(), rows.as_binary_opt::<i32>()) {
            (Some(codes), _) => (0..codes.len()).map(|row| codes.value(row)).collect(),
            (None, Some(texts)) => (0..texts.len()).map(|row| texts.value(row)).collect(),
            (None, None) => return exec_err!("rank_row takes unit keys and packed rows"),
        };
        let mut ranks = Vec::with_capacity(rows.len() * RANK_BYTES);
        for (row, contents) in contents.into_iter().enumerate() {
            let mut rank = rank(units.value(row), contents);
            if Mutant::UnitKeepsTheFirst.is_planted() {
                rank[..size_of::<usize>()].copy_from_slice(&row.to_be_bytes());
            }
            ranks.extend_from_slice(&rank);
        }
        Ok(ColumnarValue::Array(fixed_size_array(RANK_BYTES, ranks)))
    }
}

/// Computes the rank of a row. It includes the unit, so that no contents are preferred in every
/// unit.
pub(super) fn rank(unit: &[u8], row: &[u8]) -> [u8; RANK_BYTES] {
    let hash: [u8; 32] = Sha256::new().chain_update(unit).chain_update(row).finalize().into();
    *hash.first_chunk().expect("a hash of 32 bytes")
}
