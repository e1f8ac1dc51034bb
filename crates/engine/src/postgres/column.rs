//! How a column of a PostgreSQL type is asked for, and what its bytes are.
//!
//! | type | asked for as | read as |
//! |---|---|---|
//! | `bool`, `int2`, `int4`, `int8`, `float4`, `float8`, `date`, `timestamp`, `timestamptz` | itself | its value |
//! | `text`, `varchar`, `name`, `bytea` | itself, cut where it is too long | bytes |
//! | `bpchar` (`char(n)`) | text, which drops the blanks it was filled up with: to SQL they are no part of the value | bytes |
//! | `money` | `numeric` as text, since its own text follows the customs of a country | bytes |
//! | arrays, composites, `json`, `jsonb`, `xml`, pseudo-types | refused | |
//! | all others: `numeric`, `uuid`, enums, `time`, `interval`, ranges, `inet`, ... | text | bytes |
//!
//! A domain is what it is made of. Types are public, so refusing one tells nothing.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use scumble_schema::limits::FIELD_BYTES;
use tokio_postgres::types::{Kind, Type};

use super::identifier::quoted;

/// The text columns of a row share this many bytes, so that no row can be too large for a message of the server, which
/// ends at 1 GiB. Text is cut by letters, and a letter has up to four bytes.
const TEXT_BYTES: usize = 128 << 20;

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    name: String,
    /// The type's name, for messages.
    type_name: String,
    asked: Asked,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Value(Value),
    /// Text as it is, of a limited length.
    ShortText,
    /// Text as it is, cut where it is too long.
    Text,
    Bytea,
    /// As text, which cannot be long.
    ShortCast {
        is_number: bool,
    },
    /// As text, cut where it is too long.
    Cast,
    Money,
    Nothing {
        is_list: bool,
    },
}

/// Types whose binary form is read as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Boolean,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Date,
    Timestamp,
    Instant,
    /// Any bytes.
    Bytes,
}

impl Value {
    pub(super) fn arrow_type(self) -> DataType {
        match self {
            Self::Boolean => DataType::Boolean,
            Self::Int16 => DataType::Int16,
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::Float32 => DataType::Float32,
            Self::Float64 => DataType::Float64,
            Self::Date => DataType::Date32,
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Instant => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Bytes => DataType::Binary,
        }
    }
}

impl Column {
    /// The column `name` of `column_type`; `modifier` is what the type was given in brackets.
    pub(super) fn new(name: &str, column_type: &Type, modifier: i32) -> Self {
        Self { name: name.to_owned(), type_name: type_name(column_type), asked: Asked::of(column_type, modifier) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn type_name(&self) -> &str {
        &self.type_name
    }

    /// What the bytes of the column's fields are; `None` if the type is refused.
    pub(super) fn value(&self) -> Option<Value> {
        match self.asked {
            Asked::Value(value) => Some(value),
            Asked::Nothing { .. } => None,
            _ => Some(Value::Bytes),
        }
    }

    /// The column as a draft of a schema should see it, with the type its values have and not the one they come in.
    pub(super) fn declared(&self) -> Field {
        let arrow_type = match self.asked {
            Asked::Value(value) => value.arrow_type(),
            Asked::ShortText | Asked::Text | Asked::Cast | Asked::ShortCast { is_number: false } => DataType::Utf8,
            Asked::Bytea => DataType::Binary,
            Asked::Money | Asked::ShortCast { is_number: true } => DataType::Float64,
            Asked::Nothing { is_list: true } => DataType::List(Arc::new(Field::new("item", DataType::Null, true))),
            Asked::Nothing { is_list: false } => DataType::Struct(Fields::empty()),
        };
        Field::new(&self.name, arrow_type, true)
    }

    /// The expression in the statement. `limit` is the most bytes that are wanted; of a longer text more than `limit`
    /// bytes come, but not all.
    fn expression(&self, limit: usize) -> String {
        let name = quoted(&self.name);
        let cut = |text: &str, function: &str| {
            let (from, letters) = (if function == "substr" { "1, " } else { "" }, limit + 1);
            format!(
                "CASE WHEN pg_catalog.octet_length({text}) > {limit} \
                 THEN pg_catalog.{function}({text}, {from}{letters}) ELSE {text} END"
            )
        };
        match self.asked {
            Asked::Value(_) | Asked::ShortText | Asked::Nothing { .. } => name,
            Asked::Text => cut(&name, "left"),
            Asked::Bytea => cut(&name, "substr"),
            Asked::ShortCast { .. } => format!("{name}::pg_catalog.text"),
            Asked::Cast => cut(&format!("{name}::pg_catalog.text"), "left"),
            Asked::Money => format!("{name}::pg_catalog.numeric::pg_catalog.text"),
        }
    }
}

impl Asked {
    fn of(column_type: &Type, modifier: i32) -> Self {
        match column_type.kind() {
            Kind::Domain(base) => return Self::of(base, -1),
            Kind::Array(_) => return Self::Nothing { is_list: true },
            Kind::Composite(_) | Kind::Pseudo => return Self::Nothing { is_list: false },
            Kind::Enum(_) => return Self::ShortCast { is_number: false },
            _ => {}
        }
        // The modifier of a text type is its most letters and 4.
        let is_short = usize::try_from(modifier).is_ok_and(|letters| letters.saturating_mul(4) <= 1024);
        match *column_type {
            Type::BOOL => Self::Value(Value::Boolean),
            Type::INT2 => Self::Value(Value::Int16),
            Type::INT4 => Self::Value(Value::Int32),
            Type::INT8 => Self::Value(Value::Int64),
            Type::FLOAT4 => Self::Value(Value::Float32),
            Type::FLOAT8 => Self::Value(Value::Float64),
            Type::DATE => Self::Value(Value::Date),
            Type::TIMESTAMP => Self::Value(Value::Timestamp),
            Type::TIMESTAMPTZ => Self::Value(Value::Instant),
            Type::NAME => Self::ShortText,
            Type::VARCHAR if is_short => Self::ShortText,
            Type::TEXT | Type::VARCHAR => Self::Text,
            Type::BPCHAR if is_short => Self::ShortCast { is_number: false },
            Type::BYTEA => Self::Bytea,
            Type::MONEY => Self::Money,
            // At most 147,456 digits.
            Type::NUMERIC => Self::ShortCast { is_number: true },
            Type::UUID
            | Type::TIME
            | Type::TIMETZ
            | Type::INTERVAL
            | Type::INET
            | Type::CIDR
            | Type::MACADDR
            | Type::MACADDR8
            | Type::CHAR
            | Type::OID => Self::ShortCast { is_number: false },
            Type::JSON | Type::JSONB | Type::XML | Type::JSONPATH => Self::Nothing { is_list: false },
            _ => Self::Cast,
        }
    }

    /// Whether values can be long.
    fn is_long(self) -> bool {
        matches!(self, Self::Text | Self::Bytea | Self::Cast)
    }
}

/// The type's name in the words of SQL.
fn type_name(column_type: &Type) -> String {
    match column_type.kind() {
        Kind::Array(item) => format!("{}[]", type_name(item)),
        _ => column_type.name().to_owned(),
    }
}

/// Most bytes that one field of `columns` may have; a longer one is an unknown value.
pub(super) fn field_limit(columns: &[Column]) -> usize {
    let long = columns.iter().filter(|column| column.asked.is_long()).count().max(1);
    FIELD_BYTES.min(TEXT_BYTES / long)
}

/// The statement that copies `columns` out of `table`, which is quoted already.
pub(super) fn copy_statement(table: &str, columns: &[Column]) -> String {
    let limit = field_limit(columns);
    let columns: Vec<_> = columns.iter().map(|column| column.expression(limit)).collect();
    format!("COPY (SELECT {} FROM {table}) TO STDOUT (FORMAT BINARY)", columns.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_types_come_as_they_are_and_long_text_is_cut() {
        let columns = [
            Column::new("a\"b", &Type::INT4, -1),
            Column::new("t", &Type::TEXT, -1),
            Column::new("v", &Type::VARCHAR, 14),
            Column::new("c", &Type::BPCHAR, 9),
            Column::new("m", &Type::MONEY, -1),
            Column::new("u", &Type::UUID, -1),
        ];
        assert_eq!(
            copy_statement("\"s\".\"t\"", &columns),
            "COPY (SELECT \"a\"\"b\", \
             CASE WHEN pg_catalog.octet_length(\"t\") > 1048576 THEN pg_catalog.left(\"t\", 1048577) ELSE \"t\" END, \
             \"v\", \"c\"::pg_catalog.text, \"m\"::pg_catalog.numeric::pg_catalog.text, \"u\"::pg_catalog.text \
             FROM \"s\".\"t\") TO STDOUT (FORMAT BINARY)"
        );
    }

    #[test]
    fn a_row_fits_a_message_however_many_columns_it_has() {
        for columns in [1, 100, 128, 129, 1664] {
            let text: Vec<_> = (0..columns).map(|_| Column::new("t", &Type::TEXT, -1)).collect();
            let limit = field_limit(&text);
            assert!(columns * 4 * (limit + 1) < 1 << 30);
            assert_eq!(limit == FIELD_BYTES, columns <= 128);
        }
    }

    #[test]
    fn nested_types_are_refused_by_name() {
        for (nested, name) in [(Type::INT4_ARRAY, "int4[]"), (Type::JSONB, "jsonb"), (Type::RECORD, "record")] {
            let column = Column::new("x", &nested, -1);
            assert_eq!((column.value(), column.type_name()), (None, name));
            assert!(column.declared().data_type().is_nested());
        }
    }
}
