//! Schemas out of other tools' descriptions of a table. Descriptions only: no row is looked at.

use std::fmt::Write as _;
use std::path::Path;

use arrow_schema::{DataType, Schema as ArrowSchema};
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};

use crate::attribute::FieldType;
use crate::error::SchemaError;
use crate::file::{ReadError, read_text};
use crate::limits;
use crate::schema::Problems;
use crate::spec::{Constraints, FieldSpec, FieldTerms, Scalar, SchemaSpec, Source};
use crate::suggest::{column_comment, rules_comment};

impl SchemaSpec {
    /// Reads an `mbi` domain file, `{"column": size, ...}`: required, closed columns of the integers `0 ..= size - 1`.
    pub fn from_mbi(text: &str) -> Result<Self, SchemaError> {
        let DomainFile(columns) = serde_json::from_str(text).map_err(|error| SchemaError::Syntax {
            problem: error.to_string(),
            hint: "an mbi domain is a JSON object of names and sizes, such as {\"age\": 85, \"sex\": 2}".into(),
        })?;
        let fields = columns.into_iter().map(|(name, size)| {
            if size == 0 {
                return Err(SchemaError::column(&name, "has size 0", "give it at least one value"));
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
                // A size says nothing about where it comes from, and is easily counted in the rows.
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

    /// Reads an `mbi` domain file from disk.
    pub fn read_mbi(path: &Path) -> Result<Self, ReadError> {
        Ok(Self::from_mbi(&read_text(path)?).map_err(Problems::from)?)
    }
}

/// The columns of a domain file in their order, which a map type would lose.
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

/// The type of ours that a column of this Arrow type has, if there is one.
pub fn field_type_of(arrow: &DataType) -> Option<FieldType> {
    Some(match arrow {
        DataType::Boolean => FieldType::Boolean,
        DataType::Date32 | DataType::Date64 => FieldType::Date,
        DataType::Timestamp(..) => FieldType::Datetime,
        DataType::Dictionary(_, values) => return field_type_of(values),
        arrow if arrow.is_integer() => FieldType::Integer,
        arrow if arrow.is_numeric() => FieldType::Number,
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => FieldType::String,
        _ => return None,
    })
}

/// A schema to be completed by a person, as YAML text, from the names and types of columns.
///
/// Everything in it is marked `assumed`, and no value of the data is in it: what must be known about the values is left
/// as a line that says what to fill in. Comments say what the names of columns make likely.
pub fn draft(columns: &ArrowSchema) -> Result<String, SchemaError> {
    if columns.fields().len() > limits::COLUMNS {
        return Err(SchemaError::TooManyColumns { columns: columns.fields().len() });
    }
    let names: Vec<&str> = columns.fields().iter().map(|field| field.name().as_str()).collect();
    let mut yaml = format!("{DRAFT_HEADER}{}fields:\n", rules_comment(&names));
    for field in columns.fields() {
        // A JSON string is a YAML string, whatever the name holds.
        let name = serde_json::Value::from(field.name().as_str());
        match field_type_of(field.data_type()) {
            Some(field_type) => {
                let comment = column_comment(field.name(), field_type);
                let _ = write!(yaml, "  - name: {name}\n{comment}    type: {field_type}\n{}", blanks(field_type));
            }
            None => {
                let _ = writeln!(yaml, "  # left out: column {name}, whose type Scumble does not model");
            }
        }
    }
    Ok(yaml)
}

const DRAFT_HEADER: &str = "\
# A draft: Scumble read names and types of columns, and nothing of the values. A CSV file has no types: there every
# column is drafted as `string`, so change `type` where it is `integer`, `number`, `boolean`, `date`, `datetime` or `year`.
# Replace every FILL IN from public knowledge (a code book, a questionnaire, a law), never by looking at the data, and
# set `source: public` where you did. Then run `scumble schema check`.
# An identifier is not modelled: leave it out, or make up new ones with `dp: {generate: {pattern: \"P-#####\"}}` in place of
# everything below its `type`.
missingValues: [\"\"]
dp:
  privacyUnit: row   # or the column that says whose a row is, such as person_id: then it need not be among the fields
  maxContributions: 1   # most rows that one person has in the table; with such a column, most that are kept
";

/// The lines a person has to complete, by type.
fn blanks(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::String => {
            "    constraints:\n      enum: []   # FILL IN: all categories\n    dp:\n      source: assumed\n      open: true   # other values count as `other`\n"
        }
        FieldType::Boolean => "    dp:\n      source: assumed\n",
        FieldType::Integer | FieldType::Year => {
            "    constraints:\n      minimum:   # FILL IN\n      maximum:   # FILL IN\n    dp:\n      source: assumed\n      # bins: {width: 10}\n"
        }
        FieldType::Number => {
            "    constraints:\n      minimum:   # FILL IN\n      maximum:   # FILL IN\n    dp:\n      source: assumed\n      bins: {count: 32}\n"
        }
        FieldType::Date => {
            "    constraints:\n      minimum:   # FILL IN, for example \"2020-01-01\"\n      maximum:   # FILL IN\n    dp:\n      source: assumed\n      bins: {width: 30}   # days\n"
        }
        FieldType::Datetime => {
            "    constraints:\n      minimum:   # FILL IN, for example \"2020-01-01T00:00:00\"\n      maximum:   # FILL IN\n    dp:\n      source: assumed\n      bins: {width: 86400}   # seconds\n"
        }
    }
}
