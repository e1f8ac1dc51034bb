//! A table that is read by several schemas, one after another.

use scumble_engine::{ColumnTypes, EngineError, Input, ReadOptions, TableScan, check_names, column_types};
use scumble_mechanisms::columns::RawTable;
use scumble_schema::learn::PartialSchema;
use scumble_schema::{
    Dialect, FieldSpec, FieldTerms, FieldType, Schema, SchemaSpec, Source, TableTerms, field_type_of,
};
use scumble_vault::{MarginalSource, SourceError, ValueSource};

use crate::error::Error;
use crate::fit::for_method;

/// A table that is read by several schemas.
pub(crate) struct ReadTable {
    inputs: Vec<Input>,
    options: ReadOptions,
    asks_once: bool,
}

impl ReadTable {
    pub(crate) fn new(inputs: &[Input], options: ReadOptions, asks_once: bool) -> Self {
        Self { inputs: inputs.to_vec(), options, asks_once }
    }

    /// Checks that the table has the columns; no row is read.
    pub(crate) fn check(&self, partial: &PartialSchema) -> Result<(), Error> {
        let names =
            partial.fields().iter().filter(|field| !field.dp.is_made_on_output()).map(|field| field.name.as_str());
        let schema = partial.of_texts(names).map_err(scumble_mechanisms::MechanismError::from)?;
        self.open(&schema)?;
        Ok(())
    }

    fn open(&self, schema: &Schema) -> Result<TableScan, EngineError> {
        TableScan::open(&self.inputs, schema, &self.options)
    }
}

impl RawTable for ReadTable {
    fn marginals(&self, schema: &Schema, is_for_method: bool) -> Result<Box<dyn MarginalSource>, SourceError> {
        let scan = self.open(schema).map_err(SourceError::new)?;
        if is_for_method {
            return for_method(scan, schema, self.asks_once).map_err(SourceError::new);
        }
        Ok(Box::new(scan))
    }

    fn values(&self, schema: &Schema) -> Result<Box<dyn ValueSource>, SourceError> {
        Ok(Box::new(self.open(schema).map_err(SourceError::new)?))
    }
}

/// Returns a schema of all columns of a table, of which everything is to be learned that the file
/// itself does not state. Reads names and types, and no row.
///
/// The column that identifies people is not among them: it is read and not modelled. Nor are those
/// that are [left out](ColumnTypes::left_out).
///
/// # Errors
/// If the table cannot be opened, two columns have the same name, the header may be a row, or the
/// terms are invalid.
pub fn undeclared(input: &Input, dialect: Dialect, terms: TableTerms) -> Result<PartialSchema, Error> {
    undeclared_of(&column_types(input, None, &dialect)?, &input.shown(), dialect, terms)
}

/// Returns a schema as [`undeclared`] does, of columns that are known already. Errors name the
/// table as `shown`.
///
/// # Errors
/// Those of [`undeclared`], but for a table that cannot be opened.
pub fn undeclared_of(
    columns: &ColumnTypes,
    shown: &str,
    dialect: Dialect,
    terms: TableTerms,
) -> Result<PartialSchema, Error> {
    columns.check_header(shown)?;
    check_names(shown, &columns.types)?;
    let is_unit = |name: &str| terms.privacy_unit.as_deref() == Some(name);
    let fields = columns.learnable().filter(|column| !is_unit(column.name())).map(|column| FieldSpec {
        name: column.name().clone(),
        // In text files every column is text, and its type has to be learned.
        field_type: field_type_of(column.data_type())
            .filter(|field_type| *field_type != FieldType::String)
            .map_or_else(String::new, |field_type| field_type.to_string()),
        dp: FieldTerms { source: Source::Dp, ..FieldTerms::default() },
        ..FieldSpec::default()
    });
    let fields = fields.collect();
    let spec = SchemaSpec { dialect, fields, dp: terms, ..SchemaSpec::default() };
    Ok(PartialSchema::new(spec).map_err(scumble_mechanisms::MechanismError::from)?)
}
