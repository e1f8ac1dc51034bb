//! The domain file of `mbi`: names of columns and their numbers of codes.

use std::path::Path;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};

use super::tree::Tree;
use super::{Exported, Report, table_losses};
use crate::error::SchemaError;
use crate::file::spec::{Constraints, FieldSpec, FieldTerms, Scalar, SchemaSpec, Source};
use crate::file::{ReadError, read_text};
use crate::schema::attribute::FieldType;
use crate::schema::{Problems, Schema};

impl SchemaSpec {
    /// Imports an `mbi` domain, `{"column": size, ...}`, as required, closed columns of the
    /// integers `0 ..= size - 1`.
    pub fn from_mbi(text: &str) -> Result<Self, SchemaError> {
        let DomainFile(columns) = serde_json::from_str(text).map_err(|error| SchemaError::Syntax {
            problem: error.to_string(),
            hint: "an mbi domain is a JSON object of names and sizes, such as {\"age\": 85, \"sex\": 2}".into(),
        })?;
        let fields = columns.into_iter().map(|(name, size)| {
            if size == 0 {
                return Err(SchemaError::column(&name, "has size 0", "write a size of at least 1"));
            }
            Ok(FieldSpec {
                name,
                field_type: FieldType::Integer.name().into(),
                constraints: Constraints {
                    required: true,
                    minimum: Some(Scalar::Integer(0)),
                    maximum: Some(Scalar::Integer(i64::from(size) - 1)),
                    categories: None,
                },
                // The source of a size is unknown; it may have been counted in the rows.
                dp: FieldTerms {
                    source: Source::Assumed,
                    fold_into: Some(Scalar::Integer(0)),
                    ..FieldTerms::default()
                },
                ..FieldSpec::default()
            })
        });
        Ok(Self { fields: fields.collect::<Result<_, _>>()?, ..Self::default() })
    }

    /// Imports an `mbi` domain file.
    pub fn read_mbi(path: &Path) -> Result<Self, ReadError> {
        Ok(Self::from_mbi(&read_text(path)?).map_err(Problems::from)?)
    }
}

/// The columns of a domain file, in file order.
struct DomainFile(Vec<(String, u32)>);

impl<'de> Deserialize<'de> for DomainFile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Columns;
        impl<'de> Visitor<'de> for Columns {
            type Value = DomainFile;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object of column sizes")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DomainFile, A::Error> {
                let mut columns = Vec::new();
                while let Some(column) = map.next_entry()? {
                    columns.push(column);
                }
                Ok(DomainFile(columns))
            }
        }
        deserializer.deserialize_map(Columns)
    }
}

/// Exports the sizes of a schema as an `mbi` domain file.
pub fn export_mbi(schema: &Schema) -> Exported {
    let mut report = Report::default();
    let sizes = schema.attributes().iter().map(|attribute| {
        let (name, size) = (attribute.name(), attribute.size());
        let what = format!("written as {size} codes from 0, without their values");
        report.lost(Some(name), "type", what);
        (name.to_owned(), Tree::whole(size))
    });
    let text = Tree::Map(sizes.collect()).to_json();
    for column in schema.generated() {
        report.lost(
            Some(column.name()),
            "dp.generate",
            "a generated column is not part of the real table: it is dropped",
        );
    }
    table_losses(&schema.to_spec(), &[], "an mbi domain", &mut report);
    Exported { text, losses: report.0 }
}
