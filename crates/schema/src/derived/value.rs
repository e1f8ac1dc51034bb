//! Values of expressions, and their kinds.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::schema::attribute::FieldType;
use crate::values::text::{calendar_day, clock_to_text, micros_to_text};

/// The kind of a value, known before any row is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A whole number.
    Whole,
    /// A real number.
    Real,
    Text,
    Boolean,
    /// A day.
    Date,
    /// A day with a local time.
    Datetime,
    /// A time of day.
    Time,
    /// The time between two days, in months.
    Age,
    /// The kind of `NULL`, which is a value of every kind.
    Nothing,
}

/// A value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Missing,
    Whole(i64),
    Real(f64),
    Text(Cow<'a, str>),
    Boolean(bool),
    /// Days since 1970.
    Date(i64),
    /// Microseconds of the local clock since 1970.
    Datetime(i64),
    /// Microseconds since midnight.
    Time(i64),
    /// Completed months.
    Age(i64),
}

impl Kind {
    /// Returns the kind of the values of a column.
    pub(super) fn of(field_type: FieldType) -> Self {
        match field_type {
            FieldType::Integer | FieldType::Year => Self::Whole,
            FieldType::Number => Self::Real,
            FieldType::String => Self::Text,
            FieldType::Boolean => Self::Boolean,
            FieldType::Date => Self::Date,
            FieldType::Datetime => Self::Datetime,
            FieldType::Time => Self::Time,
        }
    }

    /// Returns the type of a column of such values, if there is one.
    pub(crate) fn field_type(self) -> Option<FieldType> {
        match self {
            Self::Whole => Some(FieldType::Integer),
            Self::Real => Some(FieldType::Number),
            Self::Text => Some(FieldType::String),
            Self::Boolean => Some(FieldType::Boolean),
            Self::Date => Some(FieldType::Date),
            Self::Datetime => Some(FieldType::Datetime),
            Self::Time => Some(FieldType::Time),
            Self::Age | Self::Nothing => None,
        }
    }

    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Whole | Self::Real)
    }

    /// Returns the kind that holds values of both: whole numbers become real ones beside those.
    pub(super) fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, Self::Nothing) => Some(one),
            (Self::Nothing, other) => Some(other),
            (Self::Whole, Self::Real) | (Self::Real, Self::Whole) => Some(Self::Real),
            (one, other) => (one == other).then_some(one),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Whole => "a whole number",
            Self::Real => "a number",
            Self::Text => "a text",
            Self::Boolean => "true or false",
            Self::Date => "a date",
            Self::Datetime => "a datetime",
            Self::Time => "a time of day",
            Self::Age => "an age",
            Self::Nothing => "NULL",
        })
    }
}

impl Value<'_> {
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Returns the value of a number.
    pub(super) fn real(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "a real number is as near as SQL has it")]
            Self::Whole(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Self::Whole(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Compares two values of kinds that go together; `None` if one is missing.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(one), Self::Whole(other))
            | (Self::Date(one), Self::Date(other))
            | (Self::Datetime(one), Self::Datetime(other))
            | (Self::Time(one), Self::Time(other))
            | (Self::Age(one), Self::Age(other)) => Some(one.cmp(other)),
            (Self::Text(one), Self::Text(other)) => Some(one.cmp(other)),
            (Self::Boolean(one), Self::Boolean(other)) => Some(one.cmp(other)),
            (one, other) => one.real()?.partial_cmp(&other.real()?),
        }
    }

    /// Returns the value as text, as SQL casts it.
    pub(super) fn to_text(&self) -> Option<String> {
        match self {
            Self::Missing | Self::Age(_) => None,
            Self::Whole(value) => Some(value.to_string()),
            Self::Real(value) => Some(value.to_string()),
            Self::Text(text) => Some(text.to_string()),
            Self::Boolean(value) => Some(value.to_string()),
            Self::Date(day) => calendar_day(*day).map(|day| day.to_string()),
            Self::Datetime(clock) => micros_to_text(*clock),
            Self::Time(clock) => clock_to_text(*clock),
        }
    }
}

impl From<Option<Self>> for Value<'_> {
    fn from(value: Option<Self>) -> Self {
        value.unwrap_or(Value::Missing)
    }
}
