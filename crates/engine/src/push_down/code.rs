//! The code of a value as an expression of SQL.
//!
//! Expressions compare, and never compute with a value that could be out of range, so no value can
//! make them fail. Comparisons are nested like a binary search.

use datafusion::arrow::temporal_conversions::{date32_to_datetime, timestamp_us_to_datetime};
use scumble_schema::{Attribute, Encoder, limits};

use super::DatabaseColumn;
use crate::error::{ColumnProblem, EngineError};

/// White space of ASCII, as Rust trims it.
const SPACES: &str = " \t\n\x0C\r";
/// Minimum number of neighbouring values with neighbouring codes that are computed by one addition.
const SUCCESSIVE: usize = 3;

/// The SQL of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(all(feature = "adbc", feature = "postgres")),
    allow(dead_code, reason = "of databases not in this build")
)]
pub(crate) enum Dialect {
    Postgres,
    DuckDb,
}

impl Dialect {
    /// Returns a text in quotes that means the same whatever the settings of the server.
    fn text(self, text: &str) -> String {
        let quoted = text.replace('\'', "''");
        let escaped = |letter: char| match letter {
            '\\' => "\\\\".into(),
            // One line in the server's log.
            _ if letter.is_ascii_control() => format!("\\x{:02x}", u32::from(letter)),
            _ => letter.to_string(),
        };
        match self {
            Self::Postgres => format!("E'{}'", quoted.chars().map(escaped).collect::<String>()),
            Self::DuckDb => format!("'{quoted}'"),
        }
    }

    /// The value of `column` as text, in the order of its bytes.
    fn as_text(self, column: &str) -> String {
        match self {
            Self::Postgres => format!("CAST({column} AS pg_catalog.text) COLLATE \"C\""),
            Self::DuckDb => format!("CAST({column} AS VARCHAR) COLLATE C"),
        }
    }

    /// The number of bytes of a text.
    fn bytes(self, text: &str) -> String {
        match self {
            Self::Postgres => format!("pg_catalog.octet_length({text})"),
            Self::DuckDb => format!("strlen({text})"),
        }
    }

    /// A text without white space around it.
    fn trimmed(self, text: &str) -> String {
        let spaces = self.text(SPACES);
        match self {
            Self::Postgres => format!("pg_catalog.btrim({text}, {spaces})"),
            Self::DuckDb => format!("trim({text}, {spaces})"),
        }
    }

    /// A float without its fraction.
    fn whole(self, float: &str) -> String {
        match self {
            Self::Postgres => format!("pg_catalog.trunc({float})"),
            Self::DuckDb => format!("trunc({float})"),
        }
    }

    /// Ends a subquery whose columns must be computed once and not wherever they are used.
    pub(super) fn fence(self) -> &'static str {
        match self {
            Self::Postgres => " OFFSET 0",
            // It computes equal expressions once.
            Self::DuckDb => "",
        }
    }
}

/// Returns a name in double quotes, in which only double quotes are special.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What the values of a column of a database are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(all(feature = "adbc", feature = "postgres")),
    allow(dead_code, reason = "of databases not in this build")
)]
pub(crate) enum ValueKind {
    Boolean,
    /// Of at most 64 bits.
    Integer,
    Real,
    /// Compared by the text of the value.
    Text,
    /// A decimal number of at most 38 digits.
    Decimal,
    /// A number of any length, compared by its text.
    NumberText,
    Day,
    /// In microseconds.
    Instant {
        has_zone: bool,
    },
}

/// How the codes of a column are computed from its values.
#[derive(Debug)]
enum Form {
    Boolean,
    Integer(Vec<(i64, u32)>),
    Real {
        steps: Vec<(f64, u32)>,
        /// In a column of whole numbers, where a fraction is unknown.
        is_whole: bool,
        /// Whether the value becomes a float by way of its text, which rounds it correctly.
        by_text: bool,
    },
    Text(Vec<(String, u32)>),
    Day(Vec<(i64, u32)>),
    Instant {
        steps: Vec<(i64, u32)>,
        has_zone: bool,
    },
}

/// The codes of one column.
#[derive(Debug)]
pub(super) struct ColumnCode {
    /// In quotes.
    column: String,
    form: Form,
}

impl ColumnCode {
    /// Finds the column of `attribute` among those of the table at `shown`.
    pub(super) fn new(attribute: &Attribute, columns: &[DatabaseColumn], shown: &str) -> Result<Self, EngineError> {
        let name = attribute.name();
        let found = columns.iter().filter(|column| column.name == name);
        let names = columns.iter().map(|column| column.name.as_str());
        let column = ColumnProblem::find_unique(found, name, names).map_err(|problem| EngineError::Schema {
            path: shown.into(),
            column: name.into(),
            problem,
        })?;
        let form = column.kind.and_then(|kind| Form::of(kind, attribute.encoder())).ok_or_else(|| {
            EngineError::config(
                format!(
                    "a database cannot count column `{name}` (`{shown}`): it has the type `{}`, and the schema says \
                     `{}`, with values that are not found by comparing",
                    column.type_name,
                    attribute.field_type()
                ),
                "name a view that casts the column to the type of the schema, or leave out `--push-down`",
            )
        })?;
        Ok(Self { column: quoted(name), form })
    }

    /// The value that [`Self::expression`] compares.
    pub(super) fn value(&self, dialect: Dialect) -> String {
        let column = &self.column;
        match &self.form {
            Form::Boolean | Form::Day(_) | Form::Instant { .. } => column.clone(),
            Form::Integer(_) => format!("CAST({column} AS bigint)"),
            Form::Real { by_text: false, .. } => format!("CAST({column} AS double precision)"),
            Form::Real { by_text: true, .. } => format!("CAST(CAST({column} AS varchar) AS double precision)"),
            Form::Text(_) => dialect.as_text(column),
        }
    }

    /// The code of `value`, or the new code of it by `recoding`.
    pub(super) fn expression(
        &self,
        dialect: Dialect,
        value: &str,
        encoder: &Encoder,
        recoding: Option<&[u32]>,
    ) -> String {
        let new = |code: u32| recoding.map_or(code, |recoding| recoding[code as usize]);
        let null = new(encoder.null());
        let code = match &self.form {
            Form::Boolean => {
                format!(
                    "CASE WHEN {value} THEN {} ELSE {} END",
                    new(encoder.boolean(true)),
                    new(encoder.boolean(false))
                )
            }
            Form::Integer(steps) => search(value, &sums(value, &recoded(steps, new)), &|number| integer(*number)),
            Form::Real { steps, is_whole, .. } => {
                let found = search(value, &constants(&recoded(steps, new)), &|number| real(*number));
                let fraction = if *is_whole {
                    format!(" WHEN {value} <> {} THEN {}", dialect.whole(value), new(encoder.unknown()))
                } else {
                    String::new()
                };
                format!("CASE WHEN {value} = {} THEN {null}{fraction} ELSE {found} END", real(f64::NAN))
            }
            Form::Text(texts) => {
                let texts: Vec<(&str, u32)> = texts.iter().map(|(text, code)| (text.as_str(), new(*code))).collect();
                let unknown = new(encoder.unknown());
                format!(
                    "CASE WHEN {} > {} THEN {unknown} ELSE COALESCE({}, {}, {unknown}) END",
                    dialect.bytes(value),
                    limits::FIELD_BYTES,
                    found_text(dialect, value, &texts),
                    found_text(dialect, &dialect.trimmed(value), &texts),
                )
            }
            Form::Day(steps) => {
                search(value, &constants(&recoded(steps, new)), &|day| format!("DATE '{}'", date(*day)))
            }
            Form::Instant { steps, has_zone } => {
                let literal = |micros: &i64| {
                    let time = time(*micros);
                    if *has_zone { format!("TIMESTAMPTZ '{time}+00'") } else { format!("TIMESTAMP '{time}'") }
                };
                search(value, &constants(&recoded(steps, new)), &literal)
            }
        };
        format!("CASE WHEN {value} IS NULL THEN {null} ELSE {code} END")
    }
}

impl Form {
    /// Returns how values of `kind` are encoded; `None` if not by comparisons.
    fn of(kind: ValueKind, encoder: &Encoder) -> Option<Self> {
        let form = match kind {
            ValueKind::Boolean => Self::Boolean,
            // As a float where the encoder takes it as one.
            ValueKind::Integer => match encoder.integer_steps() {
                Some(steps) => Self::Integer(steps),
                None => Self::Real { steps: encoder.float_steps()?, is_whole: false, by_text: false },
            },
            ValueKind::Real => Self::real(encoder, false)?,
            // A scan reads its text, in which the point need not be the decimal character.
            ValueKind::Decimal if encoder.text_codes().is_none() => {
                encoder.has_plain_numbers().then(|| Self::real(encoder, true))??
            }
            ValueKind::Text | ValueKind::Decimal | ValueKind::NumberText => {
                let texts = encoder.text_codes()?;
                // No text of PostgreSQL has a zero byte.
                if texts.iter().any(|(text, _)| text.contains('\0')) {
                    return None;
                }
                Self::Text(texts)
            }
            ValueKind::Day => Self::Day(encoder.day_steps().filter(|steps| steps.iter().skip(1).all(is_date))?),
            ValueKind::Instant { has_zone } => {
                let steps = encoder.instant_steps(!has_zone)?;
                let is_time = |(micros, code): &(i64, u32)| is_date(&(micros.div_euclid(MICROS_PER_DAY), *code));
                Self::Instant { steps: Some(steps).filter(|steps| steps.iter().skip(1).all(is_time))?, has_zone }
            }
        };
        Some(form)
    }

    fn real(encoder: &Encoder, by_text: bool) -> Option<Self> {
        Some(match encoder.float_steps() {
            Some(steps) => Self::Real { steps, is_whole: false, by_text },
            None => Self::Real { steps: encoder.whole_float_steps()?, is_whole: true, by_text },
        })
    }
}

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Whether a day is in a year of four digits, which every database writes alike.
fn is_date((day, _): &(i64, u32)) -> bool {
    // 0001-01-01 to 9999-12-31.
    (-719_162..=2_932_896).contains(day)
}

/// A day in ISO 8601, which means the same whatever the settings of the server.
fn date(day: i64) -> String {
    let date = i32::try_from(day).ok().and_then(date32_to_datetime).expect("checked to be in the calendar");
    date.date().to_string()
}

/// A time in ISO 8601.
fn time(micros: i64) -> String {
    timestamp_us_to_datetime(micros).expect("checked to be in the calendar").to_string()
}

fn integer(number: i64) -> String {
    if number < 0 { format!("({number})") } else { number.to_string() }
}

fn real(number: f64) -> String {
    // The shortest text that is read back as the same number.
    format!("CAST('{number:e}' AS double precision)")
}

/// Steps with new codes, without those that change nothing.
fn recoded<T: Copy>(steps: &[(T, u32)], new: impl Fn(u32) -> u32) -> Vec<(T, u32)> {
    let mut steps: Vec<(T, u32)> = steps.iter().map(|&(from, code)| (from, new(code))).collect();
    steps.dedup_by_key(|&mut (_, code)| code);
    steps
}

fn constants<T: Copy>(steps: &[(T, u32)]) -> Vec<(T, String)> {
    steps.iter().map(|&(from, code)| (from, code.to_string())).collect()
}

/// The expression from each step on. Neighbouring values with neighbouring codes share one: the
/// value and a constant.
fn sums(value: &str, steps: &[(i64, u32)]) -> Vec<(i64, String)> {
    let mut found = vec![];
    let mut rest = steps;
    while let Some((&(from, code), after)) = rest.split_first() {
        let follows = |pair: &[(i64, u32)]| {
            pair[1].0.checked_sub(1) == Some(pair[0].0) && pair[0].1.checked_add(1) == Some(pair[1].1)
        };
        let mut length = 1 + rest.windows(2).take_while(|pair| follows(pair)).count();
        // The last of them may be longer than one value.
        let is_single = rest.get(length).is_some_and(|next| next.0.checked_sub(1) == Some(rest[length - 1].0));
        length -= usize::from(!is_single);
        if let Some(difference) = i64::from(code).checked_sub(from).filter(|_| length >= SUCCESSIVE) {
            found.push((from, format!("{value} + {}", integer(difference))));
            rest = &rest[length..];
        } else {
            found.push((from, code.to_string()));
            rest = after;
        }
    }
    found
}

/// The expression of the last step that is not above `value`.
fn search<T>(value: &str, steps: &[(T, String)], literal: &dyn Fn(&T) -> String) -> String {
    if let [(_, only)] = steps {
        return only.clone();
    }
    let (left, right) = steps.split_at(steps.len() / 2);
    let (left, from, right) = (search(value, left, literal), literal(&right[0].0), search(value, right, literal));
    format!("CASE WHEN {value} < {from} THEN {left} ELSE {right} END")
}

/// The code of a text among `texts`, which are in the order of their bytes; null if it is not
/// there.
fn found_text(dialect: Dialect, value: &str, texts: &[(&str, u32)]) -> String {
    let steps: Vec<(&str, String)> = texts
        .iter()
        .map(|&(text, code)| (text, format!("CASE WHEN {value} = {} THEN {code} END", dialect.text(text))))
        .collect();
    if steps.is_empty() { "NULL".into() } else { search(value, &steps, &|text| dialect.text(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_values_with_neighbouring_codes_are_added() {
        let steps = [(i64::MIN, 9), (-1, 0), (0, 1), (1, 2), (2, 3), (3, 9)];
        assert_eq!(sums("v", &steps), [(i64::MIN, "9".into()), (-1, "v + 1".into()), (3, "9".into())]);
        // The last step has no end, and the one before it is followed at a distance.
        let steps = [(0, 0), (1, 1), (2, 2), (9, 3)];
        assert_eq!(sums("v", &steps), [(0, "0".into()), (1, "1".into()), (2, "2".into()), (9, "3".into())]);
        assert_eq!(search("v", &sums("v", &steps[..2]), &|from| integer(*from)), "CASE WHEN v < 1 THEN 0 ELSE 1 END");
    }

    #[test]
    fn texts_are_quoted_for_every_server() {
        assert_eq!(Dialect::Postgres.text("it's a \\ \t"), r"E'it''s a \\ \x09'");
        assert_eq!(Dialect::DuckDb.text("it's a \\ \t"), "'it''s a \\ \t'");
    }

    #[test]
    fn numbers_and_times_are_written_exactly() {
        assert_eq!((integer(-3), integer(3)), ("(-3)".into(), "3".into()));
        assert_eq!(real(0.1), "CAST('1e-1' AS double precision)");
        assert_eq!(real(f64::NAN), "CAST('NaN' AS double precision)");
        assert_eq!((date(0), date(-719_162)), ("1970-01-01".into(), "0001-01-01".into()));
        assert_eq!(time(-1), "1969-12-31 23:59:59.999999");
    }
}
