//! A checked column: its type, its codes, and the values they stand for.

use std::fmt;

use crate::bins::cut::Held;
use crate::bins::step::Step;
use crate::file::spec::{FieldSpec, Scalar, Source};
use crate::schema::hierarchy::Level;
use crate::values::encode::{Encoder, Values, WholeLine};
use crate::values::missing::MissingKind;
use crate::values::text;

/// The type of a column. It determines how text is parsed, what may be declared, and how values are
/// written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// Whole numbers.
    Integer,
    /// Real numbers.
    Number,
    /// Text with declared categories.
    String,
    /// True or false.
    Boolean,
    /// Days.
    Date,
    /// Instants, in UTC.
    Datetime,
    /// Times of day.
    Time,
    /// Calendar years.
    Year,
}

impl FieldType {
    /// All types, in the order of error messages.
    pub const ALL: [Self; 8] =
        [Self::Integer, Self::Number, Self::String, Self::Boolean, Self::Date, Self::Datetime, Self::Time, Self::Year];

    /// The type with this name in a schema file.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    /// The name in a schema file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Datetime => "datetime",
            Self::Time => "time",
            Self::Year => "year",
        }
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A checked column.
/// Order of codes: declared values, then the kinds of missing values if the column is nullable,
/// then `unknown` if it is open.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    pub(crate) spec: FieldSpec,
    pub(crate) field_type: FieldType,
    pub(crate) encoder: Encoder,
    /// In code order; empty unless the column is nullable.
    pub(crate) missing_kinds: Vec<MissingKind>,
    /// Number of codes of declared values. Codes of missing and unknown values follow.
    pub(crate) declared: u32,
    pub(crate) unknown_code: Option<u32>,
    pub(crate) levels: Box<[Level]>,
}

impl Attribute {
    /// The column's name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The column's type.
    pub fn field_type(&self) -> FieldType {
        self.field_type
    }

    /// Number of codes of the column.
    pub fn size(&self) -> u32 {
        self.encoder.size
    }

    /// The encoder, which maps values to codes.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The levels of the declared hierarchy, finest first; empty if there is none.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The column as written in the schema file.
    pub fn spec(&self) -> &FieldSpec {
        &self.spec
    }

    /// The code of a null, if missing values have their own codes: the unlabelled kind, or else the
    /// first kind. Codes of the other kinds follow.
    pub fn missing_code(&self) -> Option<u32> {
        (!self.missing_kinds.is_empty()).then_some(self.declared)
    }

    /// The kinds of missing values with their codes, in code order; empty if missing values have no
    /// code.
    pub fn missing_kinds(&self) -> impl Iterator<Item = (u32, &MissingKind)> {
        (self.declared..).zip(&self.missing_kinds)
    }

    /// The code of the missing kind with this label.
    pub fn missing_code_of(&self, label: &str) -> Option<u32> {
        self.missing_kinds().find(|(_, kind)| kind.label() == Some(label)).map(|(code, _)| code)
    }

    /// Whether a code stands for a missing value, of any kind.
    pub fn is_missing(&self, code: u32) -> bool {
        self.missing_kind(code).is_some()
    }

    /// Number of codes of declared values. Codes of missing and unknown values follow.
    pub fn declared_codes(&self) -> u32 {
        self.declared
    }

    fn missing_kind(&self, code: u32) -> Option<&MissingKind> {
        self.missing_kinds.get(code.checked_sub(self.declared)? as usize)
    }

    /// The code of unknown values, if the column is open.
    pub fn unknown_code(&self) -> Option<u32> {
        self.unknown_code
    }

    /// Whether a code stands for a missing or unknown value.
    pub fn is_special(&self, code: u32) -> bool {
        self.is_missing(code) || Some(code) == self.unknown_code
    }

    /// The declared step or decimals of decoded values, if any.
    pub(crate) fn step(&self) -> Option<Step> {
        Step::of(&self.spec.dp)
    }

    /// Whether a bound, bin or category list is an unconfirmed guess.
    pub fn is_assumed(&self) -> bool {
        let declares_nothing = match self.field_type {
            FieldType::Boolean => true,
            FieldType::Time => self.is_the_whole_day(),
            _ => false,
        };
        let bins = self.spec.dp.bins.as_ref().and_then(|bins| bins.source);
        (self.spec.dp.source == Source::Assumed && !declares_nothing) || bins == Some(Source::Assumed)
    }

    /// Whether times of day are in equal bins over the whole day, which is no guess.
    fn is_the_whole_day(&self) -> bool {
        let constraints = &self.spec.constraints;
        let has_edges = self.spec.dp.bins.as_ref().is_some_and(|bins| bins.edges.is_some());
        constraints.minimum.is_none() && constraints.maximum.is_none() && constraints.categories.is_none() && !has_edges
    }

    /// Whether a bound, bin or category list was read off the rows without a release.
    pub fn is_read_off_data(&self) -> bool {
        let bins = self.spec.dp.bins.as_ref().and_then(|bins| bins.source);
        self.spec.dp.source == Source::Data || bins == Some(Source::Data)
    }

    /// The first and last value of a bin of whole numbers, days or years, or the edges of a bin of
    /// real numbers, instants or times. `None` if the code is a single value, missing or unknown.
    pub fn bin(&self, code: u32) -> Option<(Scalar, Scalar)> {
        if code >= self.declared {
            return None;
        }
        match &self.encoder.values {
            Values::Whole { line, cut } => match cut.held(code) {
                Held::Bin(first, last) | Held::Kept(first, last, ..) => {
                    let last = if line.is_in_micros() { last.saturating_add(1) } else { last };
                    Some((line.scalar(first), line.scalar(last)))
                }
                Held::Value(_) | Held::AndAbove(_) => None,
            },
            Values::Real(cut) => match cut.held(code) {
                Held::Bin(from, to) => Some((Scalar::Number(from), Scalar::Number(to))),
                _ => None,
            },
            Values::Text(_) | Values::Boolean { .. } => None,
        }
    }

    /// The width of a code's bin: in units of the number, in days or years, or in seconds for
    /// datetimes and times. `None` if [`Attribute::bin`] is `None`, or if the bin is divided among
    /// several codes.
    pub fn bin_width(&self, code: u32) -> Option<f64> {
        if code >= self.declared {
            return None;
        }
        match &self.encoder.values {
            Values::Whole { line, cut } => match cut.held(code) {
                Held::Bin(first, last) => {
                    let values = last.saturating_sub(first).saturating_add(1) as f64;
                    Some(if line.is_in_micros() { values / 1e6 } else { values })
                }
                _ => None,
            },
            Values::Real(cut) => match cut.held(code) {
                Held::Bin(from, to) => Some(to - from),
                _ => None,
            },
            Values::Text(_) | Values::Boolean { .. } => None,
        }
    }

    /// The number that a code stands for: a value, or the middle of a bin. Dates are in days and
    /// datetimes in microseconds since 1970, times in microseconds since midnight. `None` for text,
    /// booleans, missing and unknown values.
    pub fn number(&self, code: u32) -> Option<f64> {
        if code >= self.declared {
            return None;
        }
        match &self.encoder.values {
            Values::Boolean { .. } | Values::Text(_) => None,
            Values::Whole { cut, .. } => Some(match cut.held(code) {
                Held::Value(value) | Held::AndAbove(value) => value as f64,
                Held::Bin(first, last) | Held::Kept(first, last, ..) => f64::midpoint(first as f64, last as f64),
            }),
            Values::Real(cut) => Some(match cut.held(code) {
                Held::Value(value) | Held::AndAbove(value) => value,
                Held::Bin(from, to) | Held::Kept(from, to, ..) => f64::midpoint(from, to),
            }),
        }
    }

    /// A readable label for a code.
    pub fn label(&self, code: u32) -> String {
        if let Some(kind) = self.missing_kind(code) {
            return kind.name().into();
        }
        if Some(code) == self.unknown_code {
            return "(unknown)".into();
        }
        match &self.encoder.values {
            Values::Boolean { .. } => (code == 1).to_string(),
            Values::Text(_) => self.spec.constraints.categories.as_ref().expect("a text column lists its categories")
                [code as usize]
                .to_string(),
            Values::Whole { line, cut } => line.label(cut.held(code)),
            Values::Real(cut) => match cut.held(code) {
                Held::Value(value) => value.to_string(),
                Held::AndAbove(value) => format!("{value} and above"),
                Held::Bin(from, to) | Held::Kept(from, to, ..) => {
                    let (from, to) = short(from, to);
                    // The last bin includes its upper edge, unless that is a separate code.
                    let is_last = code + 1 == self.declared;
                    format!("[{from}, {to}{}", if is_last { ']' } else { ')' })
                }
            },
        }
    }
}

/// Returns the edges of a bin without the errors of their last digits, such as `1.705` for
/// `1.7050000000000001`, unless they are the same then.
fn short(from: f64, to: f64) -> (f64, f64) {
    let rounded = |value: f64| format!("{value:.11e}").parse().unwrap_or(value);
    let short = (rounded(from), rounded(to));
    if short.0 < short.1 { short } else { (from, to) }
}

impl WholeLine {
    fn label(&self, held: Held<i64>) -> String {
        match held {
            Held::Value(value) => self.write(value),
            Held::AndAbove(value) => format!("{} and above", self.write(value)),
            Held::Bin(first, last) if first == last => self.write(first),
            // Microseconds are hard to read: end such a bin with the start of the next one.
            Held::Bin(first, last) if self.is_in_micros() => {
                format!("{} to before {}", self.write(first), self.write(last.saturating_add(1)))
            }
            Held::Bin(first, last) => format!("{} to {}", self.write(first), self.write(last)),
            Held::Kept(first, last, keep, part) => {
                format!("{} to {}, {}", self.write(first), self.write(last), keep.name(part))
            }
        }
    }

    fn scalar(&self, value: i64) -> Scalar {
        match self {
            Self::Integer | Self::Year => Scalar::Integer(value),
            Self::Date(_) | Self::Datetime(..) | Self::Time(_) => Scalar::Text(self.write(value)),
        }
    }

    pub(crate) fn write(&self, value: i64) -> String {
        match self {
            Self::Integer | Self::Year => value.to_string(),
            // A checked bound was read from text, so it can be written.
            Self::Date(_) => text::day_to_text(value).unwrap_or_default(),
            Self::Datetime(_, None) => text::micros_to_text(value).unwrap_or_default(),
            Self::Datetime(_, Some(zone)) => zone.write(value).unwrap_or_default(),
            Self::Time(_) => text::clock_to_text(value).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;

    #[test]
    fn only_codes_that_stand_for_bins_have_edges() {
        let schema = Schema::parse(
            "fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 30}}}
  - {name: born, type: date, constraints: {minimum: 2001-01-01, maximum: 2001-12-31}, dp: {bins: {count: 5}}}
  - {name: height, type: number, constraints: {minimum: 0, maximum: 2}, dp: {bins: {count: 4}}}
  - {name: sex, type: string, constraints: {enum: [f, m]}}
  - {name: at, type: time, constraints: {minimum: '06:00'}}
",
        )
        .unwrap();
        let bin = |column: usize, code| schema.attributes()[column].bin(code);
        assert_eq!(bin(0, 3), Some((Scalar::Integer(90), Scalar::Integer(99))));
        assert_eq!(bin(0, 4), None, "missing");
        assert_eq!(bin(1, 0), Some((Scalar::Text("2001-01-01".into()), Scalar::Text("2001-03-14".into()))));
        assert_eq!(bin(2, 1), Some((Scalar::Number(0.5), Scalar::Number(1.0))));
        assert_eq!(bin(3, 0), None);
        assert_eq!(bin(4, 0), Some((Scalar::Text("06:00:00".into()), Scalar::Text("07:00:00".into()))));
        assert_eq!(schema.attributes()[4].label(17), "23:00:00 to before 24:00:00");
        assert_eq!(schema.attributes()[4].bin_width(17), Some(3600.0));
    }

    #[test]
    fn the_whole_day_is_no_guess() {
        let is_assumed = |field: &str| {
            Schema::parse(&format!("fields: [{{name: at, type: time{field}}}]")).unwrap().attributes()[0].is_assumed()
        };
        assert!(!is_assumed("") && !is_assumed(", dp: {bins: {width: 900}}"));
        assert!(is_assumed(", constraints: {minimum: '06:00'}"));
        assert!(is_assumed(", dp: {bins: {edges: ['00:00', '06:00', '24:00']}}"));
    }
}
