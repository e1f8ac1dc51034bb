//! Maps codes to other codes, as a DataFusion function: to their digits, or to groups of codes.
//!
//! Total, like encoding: every code of a column has one new code, so no row is lost or counted
//! twice. Rows are recoded while they are counted. Nothing is cached: a lookup costs a fraction of
//! the counting.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::types::{ArrowPrimitiveType, UInt8Type, UInt16Type, UInt32Type};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use scumble_schema::{AttributeId, CodeColumn, Recoding};

use crate::codes::encode::code_type;
use crate::count::kernel::KernelError;

/// `recode(codes)`: one new column of a recoding, from the codes of its base column.
///
/// The new codes are part of the function, not an argument: an argument would be copied for every
/// row of every batch.
#[derive(Debug)]
pub(crate) struct RecodeColumn {
    /// The new code of each code.
    new_codes: CodeColumn,
    size: u32,
    signature: Signature,
}

impl RecodeColumn {
    pub(crate) fn new(recoding: &Recoding, column: AttributeId) -> Self {
        Self::of_list(recoding.domain().size(column), recoding.codes(column)).expect("codes of the recoding's domain")
    }

    /// Maps each code to the new code at that index. `None` if a new code is out of range.
    pub(crate) fn of_list(size: u32, new: &[u32]) -> Option<Self> {
        let mut new_codes = CodeColumn::with_capacity(size, new.len());
        for &code in new {
            if code >= size {
                return None;
            }
            new_codes.push(code);
        }
        Some(Self { new_codes, size, signature: Signature::any(1, Volatility::Immutable) })
    }

    /// Returns the number of new codes, and the new code of each code.
    pub(crate) fn to_list(&self) -> (u32, Vec<u32>) {
        let new = match &self.new_codes {
            CodeColumn::U8(codes) => codes.iter().map(|&code| code.into()).collect(),
            CodeColumn::U16(codes) => codes.iter().map(|&code| code.into()).collect(),
            CodeColumn::U32(codes) => codes.clone(),
        };
        (self.size, new)
    }

    /// Returns the expression of the new column: `codes` itself if the recoding is the identity.
    pub(crate) fn of_codes(recoding: &Recoding, column: AttributeId, codes: Expr) -> Expr {
        if recoding.codes(column).iter().copied().eq(0..recoding.domain().size(column)) {
            return codes;
        }
        ScalarUDF::new_from_impl(Self::new(recoding, column)).call(vec![codes])
    }

    /// Number of codes of the base column.
    fn base_size(&self) -> u32 {
        u32::try_from(self.new_codes.len()).expect("a domain has sizes of 32 bits")
    }

    fn recode<C: Copy + Ord + Into<u32>>(&self, codes: &[C]) -> Result<ArrayRef> {
        // Codes that we wrote are in range; codes of a spill file that was tampered with may not
        // be. `reduce(Ord::max)` vectorises, `max` does not.
        let largest = codes.iter().copied().reduce(Ord::max);
        if largest.is_some_and(|largest| largest.into() >= self.base_size()) {
            return Err(DataFusionError::External(Box::new(KernelError::Codes)));
        }
        Ok(match &self.new_codes {
            CodeColumn::U8(new_codes) => looked_up::<UInt8Type, C>(new_codes, codes),
            CodeColumn::U16(new_codes) => looked_up::<UInt16Type, C>(new_codes, codes),
            CodeColumn::U32(new_codes) => looked_up::<UInt32Type, C>(new_codes, codes),
        })
    }
}

fn looked_up<T: ArrowPrimitiveType, C: Copy + Into<u32>>(new_codes: &[T::Native], codes: &[C]) -> ArrayRef {
    let recoded: Vec<T::Native> = if size_of::<C>() == 1 {
        // A table of 256 entries needs no bounds checks.
        let mut all = [T::Native::default(); 256];
        let known = new_codes.len().min(256);
        all[..known].copy_from_slice(&new_codes[..known]);
        codes.iter().map(|&code| all[(code.into() & 0xFF) as usize]).collect()
    } else {
        codes.iter().map(|&code| new_codes[code.into() as usize]).collect()
    };
    Arc::new(PrimitiveArray::<T>::new(recoded.into(), None))
}

impl PartialEq for RecodeColumn {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size && self.new_codes == other.new_codes
    }
}

impl Eq for RecodeColumn {}

impl Hash for RecodeColumn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The optimiser hashes expressions often. Equal functions still have equal hashes.
        self.size.hash(state);
        self.new_codes.len().hash(state);
    }
}

impl ScalarUDFImpl for RecodeColumn {
    fn name(&self) -> &'static str {
        "recode"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [argument] if *argument == code_type(self.base_size()) => Ok(code_type(self.size)),
            _ => plan_err!("recode takes one column of codes"),
        }
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<_> = arguments.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        Ok(Arc::new(Field::new(self.name(), self.return_type(&types)?, false)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [column] = arguments.args.as_slice() else { return exec_err!("recode takes one column") };
        let array = column.to_array(arguments.number_rows)?;
        if array.null_count() > 0 {
            return exec_err!("a code is missing");
        }
        let recoded = match array.data_type() {
            DataType::UInt8 => self.recode(array.as_primitive::<UInt8Type>().values()),
            DataType::UInt16 => self.recode(array.as_primitive::<UInt16Type>().values()),
            DataType::UInt32 => self.recode(array.as_primitive::<UInt32Type>().values()),
            _ => exec_err!("a column is not one of codes"),
        };
        recoded.map(ColumnarValue::Array)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{UInt8Array, UInt16Array};
    use scumble_schema::Domain;

    use super::*;

    #[test]
    fn an_unknown_code_is_refused_without_quoting_it() {
        let recoding = Recoding::binary(&Domain::new(vec![5]).unwrap()).unwrap();
        let first = RecodeColumn::new(&recoding, AttributeId::new(0));
        let recoded = first.recode(&[0_u8, 4, 3]).unwrap();
        assert_eq!(recoded.as_primitive::<UInt8Type>(), &UInt8Array::from(vec![0, 1, 0]));
        let error = first.recode(&[0_u8, 77]).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("77"));
        assert!(first.recode::<u8>(&[]).unwrap().is_empty());
    }

    #[test]
    fn groups_of_many_codes_keep_the_width_they_need() {
        let recoding = Recoding::with_coarser(&Domain::new(vec![70_000]).unwrap(), 10, 800).unwrap();
        let columns = [1, 2].map(|column| RecodeColumn::new(&recoding, AttributeId::new(column)));
        let [tens, hundreds] = columns.map(|column| column.recode(&[69_999_u32, 0, 1_234]).unwrap());
        assert_eq!(tens.as_primitive::<UInt16Type>(), &UInt16Array::from(vec![6_999, 0, 123]));
        assert_eq!(hundreds.as_primitive::<UInt16Type>(), &UInt16Array::from(vec![699, 0, 12]));
    }
}
