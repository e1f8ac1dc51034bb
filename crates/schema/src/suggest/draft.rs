//! Drafts a schema from the names and Arrow types of columns. No row is read.

use std::fmt::Write as _;

use arrow_schema::{DataType, Schema as ArrowSchema};

use super::{column_comment, rules_comment};
use crate::error::SchemaError;
use crate::limits;
use crate::schema::attribute::FieldType;

/// The field type for an Arrow type, if Scumble supports it.
pub fn field_type_of(arrow: &DataType) -> Option<FieldType> {
    Some(match arrow {
        DataType::Boolean => FieldType::Boolean,
        DataType::Date32 | DataType::Date64 => FieldType::Date,
        DataType::Timestamp(..) => FieldType::Datetime,
        DataType::Time32(_) | DataType::Time64(_) => FieldType::Time,
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

/// Drafts a schema as YAML from the names and types of columns, to be completed by a person.
///
/// Everything is marked `assumed`, and no value of the data is in it: properties of the values are
/// left to fill in. Comments suggest what the column names make likely.
pub fn draft(columns: &ArrowSchema) -> Result<String, SchemaError> {
    if columns.fields().len() > limits::COLUMNS {
        return Err(SchemaError::TooManyColumns { columns: columns.fields().len() });
    }
    let names: Vec<&str> = columns.fields().iter().map(|field| field.name().as_str()).collect();
    let mut yaml = format!("{DRAFT_HEADER}{}fields:\n", rules_comment(&names));
    for (place, field) in (1..).zip(columns.fields()) {
        if field.name().trim().is_empty() {
            let _ = writeln!(yaml, "  # left out: column {place}, which has no name");
            continue;
        }
        // Any JSON string is a YAML string.
        let name = serde_json::Value::from(field.name().as_str());
        match field_type_of(field.data_type()) {
            Some(field_type) => {
                let comment = column_comment(field.name(), field_type);
                let _ = write!(yaml, "  - name: {name}\n{comment}    type: {field_type}\n{}", blanks(field_type));
            }
            None => {
                let _ = writeln!(yaml, "  # dropped: column {name}, whose type Scumble does not support");
            }
        }
    }
    Ok(yaml)
}

const DRAFT_HEADER: &str = "\
# A draft: Scumble read the names and types of columns, but no values. A CSV file has no types: there every
# column is drafted as `string`, so change `type` where it is `integer`, `number`, `boolean`, `date`, `datetime`, `time` or `year`.
# Replace every FILL IN from public knowledge (a code book, a questionnaire, a law), never by looking at the data, and
# set `source: public` where you did. Then run `scumble schema check`.
# An identifier is not modelled: drop it, or generate new ones with `dp: {generate: {pattern: \"P-#####\"}}` in place of
# everything below its `type`.
missingValues: [\"\"]
dp:
  privacyUnit: row   # or the column that identifies the person, such as person_id: it need not be among the fields
  maxContributions: 1   # the most rows of one person in the table; with such a column, the most that are kept
";

/// The lines that a person has to complete, by type.
fn blanks(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::String => {
            "    constraints:\n      enum: []   # FILL IN: all categories\n    dp:\n      source: assumed\n      open: true   # other values count as `other`\n"
        }
        FieldType::Boolean => "    dp:\n      source: assumed\n",
        FieldType::Time => "    # Bins are hours; others with `dp: {bins: {width: 900}}`, in seconds\n",
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
