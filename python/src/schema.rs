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

/// A schema that holds together.
#[pyclass(frozen, module = "scumble._native")]
pub(crate) struct Schema(pub(crate) scumble::Schema);

#[pymethods]
impl Schema {
    /// Checks a schema as written, which is JSON here.
    #[new]
    fn new(spec: &str) -> Result<Self, Failure> {
        Ok(Self(scumble::Schema::new(SchemaSpec::parse(spec).map_err(Problems::from)?)?))
    }

    /// The schema as written, as JSON.
    fn spec(&self) -> String {
        spec_json(&self.0.to_spec())
    }

    /// Columns whose bounds and categories nobody has vouched for.
    fn assumed(&self) -> Vec<&str> {
        self.0.assumed().map(schema::Attribute::name).collect()
    }

    /// What a guarantee for it assumes beyond what the program enforces, each as the certificate names it. JSON.
    fn assumptions(&self) -> String {
        json!(self.0.assumptions()).to_string()
    }

    /// A description of every column, as JSON.
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

/// Reads a schema file without checking it; files of hierarchies that it names are put into it. JSON.
#[pyfunction]
pub(crate) fn read_spec(path: PathBuf) -> Result<String, Failure> {
    Ok(spec_json(&SchemaSpec::read_inlined(&path)?))
}

/// Reads a schema out of YAML or JSON text without checking it. JSON.
#[pyfunction]
pub(crate) fn parse_spec(text: &str) -> Result<String, Failure> {
    Ok(spec_json(&SchemaSpec::parse(text).map_err(Problems::from)?))
}

/// A schema as written, which is JSON here, as YAML.
#[pyfunction]
pub(crate) fn spec_to_yaml(spec: &str) -> Result<String, Failure> {
    Ok(SchemaSpec::parse(spec).map_err(Problems::from)?.to_yaml())
}

/// A schema to be completed by a person, as YAML, from the types of a table or the columns of the first file of `data`.
#[pyfunction]
pub(crate) fn draft(data: &Bound<'_, PyAny>, format: Option<&str>) -> PyResult<String> {
    if let Ok(types) = data.cast::<Types>() {
        return Ok(drafted(&types.get().0)?);
    }
    let format = format.map(format_named).transpose()?;
    let inputs = Data::of(data)?.0;
    let first = inputs.first().ok_or_else(|| Failure::usage("no input file", "name at least one file"))?;
    Ok(drafted(&column_types(first, format, Dialect::default()).map_err(Failure::from)?)?)
}

fn drafted(columns: &arrow_schema::Schema) -> Result<String, Failure> {
    Ok(schema::draft(columns).map_err(Problems::from)?)
}

/// The format that is written so on the command line.
pub(crate) fn format_named(name: &str) -> Result<Format, Failure> {
    match name {
        "csv" => Ok(Format::Csv),
        "tsv" => Ok(Format::Tsv),
        "parquet" => Ok(Format::Parquet),
        "arrow" => Ok(Format::Arrow),
        "xlsx" => Ok(Format::Xlsx),
        _ => Err(Failure::usage(format!("there is no format `{name}`"), "take csv, tsv, parquet, arrow or xlsx")),
    }
}
