//! Schemas: as written, and checked.

use std::path::PathBuf;

use pyo3::prelude::*;
use scumble::engine::column_types;
use scumble::schema::{self, Dialect, Problems};
use scumble::{Format, SchemaSpec};
use serde_json::json;

use crate::arrow::Types;
use crate::data::Data;
use crate::failure::Failure;

/// A checked schema.
#[pyclass(frozen, module = "scumble._native")]
pub(crate) struct Schema(pub(crate) scumble::Schema);

#[pymethods]
impl Schema {
    /// Checks a schema as written, in JSON.
    #[new]
    fn new(spec: &str) -> Result<Self, Failure> {
        Ok(Self(scumble::Schema::new(SchemaSpec::parse(spec).map_err(Problems::from)?)?))
    }

    /// Returns the schema as written, in JSON.
    fn spec(&self) -> String {
        spec_json(&self.0.to_spec())
    }

    /// Returns the columns whose bounds and categories are not declared public.
    fn assumed(&self) -> Vec<&str> {
        self.0.assumed().map(schema::Attribute::name).collect()
    }

    /// Returns the assumptions of a guarantee that the program cannot enforce, named as in the
    /// certificate. JSON.
    fn assumptions(&self) -> String {
        json!(self.0.assumptions()).to_string()
    }

    /// Returns a description of every column, as JSON.
    fn columns(&self) -> String {
        let modelled = self.0.attributes().iter().map(|attribute| {
            json!({
                "name": attribute.name(),
                "type": attribute.field_type().name(),
                "codes": attribute.size(),
                "missing": attribute.label(attribute.encoder().null()),
                "unknown": attribute.label(attribute.encoder().unknown()),
                "can_be_missing": attribute.missing_kinds().next().is_some(),
                "assumed": attribute.is_assumed(),
                "read_off_data": attribute.is_read_off_data(),
                "generated": null,
            })
        });
        let made_up = self.0.generated().iter().map(|column| {
            json!({
                "name": column.name(),
                "type": column.field_type().name(),
                "codes": null,
                "missing": null,
                "unknown": null,
                "can_be_missing": false,
                "assumed": false,
                "read_off_data": false,
                "generated": column.in_words(),
            })
        });
        serde_json::Value::from(modelled.chain(made_up).collect::<Vec<_>>()).to_string()
    }
}

fn spec_json(spec: &SchemaSpec) -> String {
    serde_json::to_string(spec).expect("a schema holds nothing that JSON cannot write")
}

/// Reads a schema file without checking it, and inlines the hierarchy files that it names. Returns
/// JSON.
#[pyfunction]
pub(crate) fn read_spec(path: PathBuf) -> Result<String, Failure> {
    Ok(spec_json(&SchemaSpec::read_inlined(&path)?))
}

/// Parses a schema in YAML or JSON without checking it. Returns JSON.
#[pyfunction]
pub(crate) fn parse_spec(text: &str) -> Result<String, Failure> {
    Ok(spec_json(&SchemaSpec::parse(text).map_err(Problems::from)?))
}

/// Converts a schema as written from JSON to YAML.
#[pyfunction]
pub(crate) fn spec_to_yaml(spec: &str) -> Result<String, Failure> {
    Ok(SchemaSpec::parse(spec).map_err(Problems::from)?.to_yaml())
}

/// Drafts a schema to complete by hand, as YAML, from the types of a table or the columns of the
/// first file of `data`.
#[pyfunction]
pub(crate) fn draft(data: &Bound<'_, PyAny>, format: Option<&str>, dialect: Option<&str>) -> PyResult<String> {
    if let Ok(types) = data.cast::<Types>() {
        return Ok(drafted(&types.get().0)?);
    }
    let format = format.map(format_named).transpose()?;
    let inputs = Data::of(data)?.0;
    let first = inputs.first().ok_or_else(|| Failure::usage("no input file", "name at least one file"))?;
    Ok(drafted(&column_types(first, format, &dialect_of(dialect)?).map_err(Failure::from)?.types)?)
}

/// Parses a dialect, which is JSON.
pub(crate) fn dialect_of(dialect: Option<&str>) -> Result<Dialect, Failure> {
    let Some(dialect) = dialect else { return Ok(Dialect::default()) };
    serde_json::from_str(dialect).map_err(|error| {
        Failure::usage(
            format!("`dialect`: {error}"),
            "as in `dialect={\"delimiter\": \",\", \"columnNames\": [\"age\", \"sex\"]}`",
        )
    })
}

fn drafted(columns: &arrow_schema::Schema) -> Result<String, Failure> {
    Ok(schema::draft(columns).map_err(Problems::from)?)
}

/// Returns the format with this name on the command line.
pub(crate) fn format_named(name: &str) -> Result<Format, Failure> {
    match name {
        "csv" => Ok(Format::Csv),
        "tsv" => Ok(Format::Tsv),
        "parquet" => Ok(Format::Parquet),
        "arrow" => Ok(Format::Arrow),
        "xlsx" => Ok(Format::Xlsx),
        _ => Err(Failure::usage(format!("there is no format `{name}`"), "choose csv, tsv, parquet, arrow or xlsx")),
    }
}
