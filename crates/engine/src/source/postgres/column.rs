//! How a column of each PostgreSQL type is selected, and how its bytes are read.
//!
//! | type | selected as | read as |
//! |---|---|---|
//! | `bool`, `int2`, `int4`, `int8`, `float4`, `float8`, `date`, `time`, `timestamp`, `timestamptz` | itself | its value |
//! | `text`, `varchar`, `name`, `bytea` | itself, cut where it is too long | bytes |
//! | `bpchar` (`char(n)`) | text, which drops the padding: to SQL it is not part of the value | bytes |
//! | `money` | `numeric` as text, because its own text depends on the locale | bytes |
//! | arrays, composites, `json`, `jsonb`, `xml`, pseudo-types | refused | |
//! | all others: `numeric`, `uuid`, enums, `timetz`, `interval`, ranges, `inet`, ... | text | bytes |
//!
//! A domain is treated as its base type. Types are public, so refusing one reveals nothing.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use scumble_schema::limits::FIELD_BYTES;
use tokio_postgres::types::{Kind, Type};

use crate::push_down::{ValueKind, quoted};

/// The text columns of a row share this many bytes, so that no row exceeds a message of the server,
/// which ends at 1 GiB. Text is cut by characters, and a character has up to four bytes.
const TEXT_BYTES: usize = 128 << 20;

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    name: String,
    /// The type's name, for messages.
    type_name: String,
    form: SelectForm,
}

/// How a column is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SelectForm {
    Value(Value),
    /// Text of a limited length, unchanged.
    ShortText,
    /// Text, cut if it is too long.
    Text,
    Bytea,
    /// Cast to text, which cannot be long.
    ShortCast {
        is_number: bool,
    },
    /// Cast to text, cut if it is too long.
    Cast,
    Money,
    Refused {
        is_list: bool,
    },
}

/// Types that are read in their binary form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Boolean,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    Date,
    Time,
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
            Self::Time => DataType::Time64(TimeUnit::Microsecond),
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Instant => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Bytes => DataType::Binary,
        }
    }
}

impl Column {
    /// Creates the column `name` of `column_type`; `modifier` is the argument of the type, such as
    /// its length.
    pub(super) fn new(name: &str, column_type: &Type, modifier: i32) -> Self {
        Self { name: name.to_owned(), type_name: type_name(column_type), form: SelectForm::of(column_type, modifier) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn type_name(&self) -> &str {
        &self.type_name
    }

    /// Returns the type of the column's bytes; `None` if the type is refused.
    pub(super) fn value(&self) -> Option<Value> {
        match self.form {
            SelectForm::Value(value) => Some(value),
            SelectForm::Refused { .. } => None,
            _ => Some(Value::Bytes),
        }
    }

    /// Returns what the values are to a comparison inside the database; `None` if they cannot be
    /// compared.
    pub(super) fn kind(&self) -> Option<ValueKind> {
        Some(match self.form {
            SelectForm::Value(Value::Boolean) => ValueKind::Boolean,
            SelectForm::Value(Value::Int16 | Value::Int32 | Value::Int64) => ValueKind::Integer,
            SelectForm::Value(Value::Float32 | Value::Float64) => ValueKind::Real,
            SelectForm::Value(Value::Date) => ValueKind::Day,
            SelectForm::Value(Value::Timestamp) => ValueKind::Instant { has_zone: false },
            SelectForm::Value(Value::Instant) => ValueKind::Instant { has_zone: true },
            SelectForm::ShortText
            | SelectForm::Text
            | SelectForm::Cast
            | SelectForm::ShortCast { is_number: false } => ValueKind::Text,
            SelectForm::ShortCast { is_number: true } => ValueKind::NumberText,
            SelectForm::Value(Value::Bytes | Value::Time)
            | SelectForm::Bytea
            | SelectForm::Money
            | SelectForm::Refused { .. } => return None,
        })
    }

    /// Returns the column for a draft schema, with the type of its values and not the one of its
    /// transfer.
    pub(super) fn declared(&self) -> Field {
        let arrow_type = match self.form {
            SelectForm::Value(value) => value.arrow_type(),
            SelectForm::ShortText
            | SelectForm::Text
            | SelectForm::Cast
            | SelectForm::ShortCast { is_number: false } => DataType::Utf8,
            SelectForm::Bytea => DataType::Binary,
            SelectForm::Money | SelectForm::ShortCast { is_number: true } => DataType::Float64,
            SelectForm::Refused { is_list: true } => DataType::List(Arc::new(Field::new("item", DataType::Null, true))),
            SelectForm::Refused { is_list: false } => DataType::Struct(Fields::empty()),
        };
        Field::new(&self.name, arrow_type, true)
    }

    /// Returns the expression in the statement. `limit` is the maximum number of bytes; a longer
    /// text is cut to more than `limit` bytes, which marks it as too long.
    fn expression(&self, limit: usize) -> String {
        let name = quoted(&self.name);
        let cut = |text: &str, function: &str| {
            let (from, letters) = (if function == "substr" { "1, " } else { "" }, limit + 1);
            format!(
                "CASE WHEN pg_catalog.octet_length({text}) > {limit} \
                 THEN pg_catalog.{function}({text}, {from}{letters}) ELSE {text} END"
            )
        };
        match self.form {
            SelectForm::Value(_) | SelectForm::ShortText | SelectForm::Refused { .. } => name,
            SelectForm::Text => cut(&name, "left"),
            SelectForm::Bytea => cut(&name, "substr"),
            SelectForm::ShortCast { .. } => format!("{name}::pg_catalog.text"),
            SelectForm::Cast => cut(&format!("{name}::pg_catalog.text"), "left"),
            SelectForm::Money => format!("{name}::pg_catalog.numeric::pg_catalog.text"),
        }
    }
}

impl SelectForm {
    fn of(column_type: &Type, modifier: i32) -> Self {
        match column_type.kind() {
            Kind::Domain(base) => return Self::of(base, -1),
            Kind::Array(_) => return Self::Refused { is_list: true },
            Kind::Composite(_) | Kind::Pseudo => return Self::Refused { is_list: false },
            Kind::Enum(_) => return Self::ShortCast { is_number: false },
            _ => {}
        }
        // The modifier of a text type is its maximum length plus 4.
        let is_short = usize::try_from(modifier).is_ok_and(|letters| letters.saturating_mul(4) <= 1024);
        match *column_type {
            Type::BOOL => Self::Value(Value::Boolean),
            Type::INT2 => Self::Value(Value::Int16),
            Type::INT4 => Self::Value(Value::Int32),
            Type::INT8 => Self::Value(Value::Int64),
            Type::FLOAT4 => Self::Value(Value::Float32),
            Type::FLOAT8 => Self::Value(Value::Float64),
            Type::DATE => Self::Value(Value::Date),
            Type::TIME => Self::Value(Value::Time),
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
            | Type::TIMETZ
            | Type::INTERVAL
            | Type::INET
            | Type::CIDR
            | Type::MACADDR
            | Type::MACADDR8
            | Type::CHAR
            | Type::OID => Self::ShortCast { is_number: false },
            Type::JSON | Type::JSONB | Type::XML | Type::JSONPATH => Self::Refused { is_list: false },
            _ => Self::Cast,
        }
    }

    /// Whether values can be long.
    fn is_long(self) -> bool {
        matches!(self, Self::Text | Self::Bytea | Self::Cast)
    }
}

/// The type's name in SQL.
fn type_name(column_type: &Type) -> String {
    match column_type.kind() {
        Kind::Array(item) => format!("{}[]", type_name(item)),
        _ => column_type.name().to_owned(),
    }
}

/// Maximum bytes of one field of `columns`; a longer one is an unknown value.
pub(super) fn field_limit(columns: &[Column]) -> usize {
    let long = columns.iter().filter(|column| column.form.is_long()).count().max(1);
    FIELD_BYTES.min(TEXT_BYTES / long)
}

/// Returns the statement that copies `columns` from `table`, which is already quoted.
pub(super) fn copy_statement(table: &str, columns: &[Column]) -> String {
    let limit = field_limit(columns);
    let columns: Vec<_> = columns.iter().map(|column| column.expression(limit)).collect();
    format!("COPY (SELECT {} FROM {table}) TO STDOUT (FORMAT BINARY)", columns.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_types_are_unchanged_and_long_text_is_cut() {
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
    fn a_row_fits_a_message_for_any_number_of_columns() {
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
