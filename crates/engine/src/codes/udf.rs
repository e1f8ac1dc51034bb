//! Encoding as a DataFusion function, so that it is part of the plan and runs wherever the plan
//! runs.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Column, Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use scumble_schema::{Attribute, AttributeId, Encoder, Schema, SchemaSpec};

use crate::codes::encode::{code_type, encode, supports};
use crate::source::whole::WholeCodes;

/// `encode(column)`: the codes of a column under the rules of one attribute.
///
/// The rules are part of the function, not an argument: an argument would be copied for every row
/// of every batch.
#[derive(Debug)]
pub(crate) struct EncodeColumn {
    schema: Arc<Schema>,
    attribute: AttributeId,
    whole: WholeCodes,
    signature: Signature,
}

impl EncodeColumn {
    pub(crate) fn new(schema: &Arc<Schema>, attribute: AttributeId) -> Self {
        Self {
            schema: Arc::clone(schema),
            attribute,
            whole: WholeCodes::default(),
            signature: Signature::any(1, Volatility::Immutable),
        }
    }

    /// Returns the expression that encodes the column named after the attribute.
    pub(crate) fn of_column(schema: &Arc<Schema>, attribute: AttributeId) -> Expr {
        let column = Expr::Column(Column::new_unqualified(schema.attribute(attribute).name()));
        ScalarUDF::new_from_impl(Self::new(schema, attribute)).call(vec![column])
    }

    fn attribute(&self) -> &Attribute {
        self.schema.attribute(self.attribute)
    }

    fn encoder(&self) -> &Encoder {
        self.attribute().encoder()
    }

    /// Returns a schema of this column alone, from which another machine builds the function again.
    pub(crate) fn to_spec(&self) -> SchemaSpec {
        SchemaSpec {
            missing_values: Some(self.schema.missing_values().to_vec()),
            fields: vec![self.attribute().spec().clone()],
            ..SchemaSpec::default()
        }
    }

    /// Builds the function from a schema with a single column; `None` if `spec` is not such a
    /// schema.
    pub(crate) fn of_spec(spec: SchemaSpec) -> Option<Self> {
        let schema = Arc::new(Schema::new(spec).ok()?);
        (schema.attributes().len() == 1).then(|| Self::new(&schema, AttributeId::new(0)))
    }
}

impl PartialEq for EncodeColumn {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.schema, &other.schema) && self.attribute == other.attribute)
            || (self.attribute().name() == other.attribute().name() && self.encoder() == other.encoder())
    }
}

impl Eq for EncodeColumn {}

impl Hash for EncodeColumn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The optimiser hashes expressions often, and an encoder may hold a million categories.
        // Equal functions still have equal hashes.
        self.attribute().name().hash(state);
        self.encoder().size().hash(state);
    }
}

impl ScalarUDFImpl for EncodeColumn {
    fn name(&self) -> &'static str {
        "encode"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        match arguments {
            [argument] if supports(argument) => Ok(code_type(self.encoder().size())),
            _ => plan_err!("encode takes one column of a plain type"),
        }
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<_> = arguments.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        // Missing values have a code, so the result has no nulls.
        Ok(Arc::new(Field::new(self.name(), self.return_type(&types)?, false)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [column] = arguments.args.as_slice() else { return exec_err!("encode takes one column") };
        // A constant is a value from the path of a file, and is encoded once.
        let is_constant = matches!(column, ColumnarValue::Scalar(_));
        let array = column.to_array(if is_constant { 1 } else { arguments.number_rows })?;
        let Some(codes) = encode(self.encoder(), &self.whole, array.as_ref()) else {
            return exec_err!("encode takes a column of a plain type");
        };
        if is_constant {
            return ScalarValue::try_from_array(codes.as_ref(), 0).map(ColumnarValue::Scalar);
        }
        Ok(ColumnarValue::Array(codes))
    }
}
