//! One checked column: its type, its codes, and the rules that lead to and from them.

use std::fmt;

use crate::cut::Held;
use crate::encode::{Encoder, Values, WholeLine};
use crate::hierarchy::Level;
use crate::missing::MissingKind;
use crate::spec::{FieldSpec, Scalar, Source};
use crate::step::Step;
use crate::text;

/// How an unknown value of an open text column comes back when the schema names no label.
pub(crate) const UNKNOWN_LABEL: &str = "other";

/// The type of a column, which decides how text is read, what may be declared, and what synthetic values look like.
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
    /// Calendar years.
    Year,
}

impl FieldType {
    /// All types, in the order in which errors list them.
    pub const ALL: [Self; 7] =
        [Self::Integer, Self::Number, Self::String, Self::Boolean, Self::Date, Self::Datetime, Self::Year];

    /// The name in a schema file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Datetime => "datetime",
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
///
/// Codes stand in this order: the declared values, then the kinds of missing values if the column is nullable, then `unknown`
/// if it is open.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    pub(crate) spec: FieldSpec,
    pub(crate) field_type: FieldType,
    pub(crate) encoder: Encoder,
    /// In code order; empty unless the column is nullable.
    pub(crate) missing_kinds: Vec<MissingKind>,
    /// How many codes stand for declared values: those of missing and unknown ones follow.
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

    /// How many codes the column has.
    pub fn size(&self) -> u32 {
        self.encoder.size
    }

    /// The rules from value to code.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The levels of the declared hierarchy, finest first; none without one.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The column as the schema file has it.
    pub fn spec(&self) -> &FieldSpec {
        &self.spec
    }

    /// The code of a null, if missing values have codes of their own: that of the plain kind, or of the first one where no
    /// kind is plain. The codes of the other kinds follow it.
    pub fn missing_code(&self) -> Option<u32> {
        (!self.missing_kinds.is_empty()).then_some(self.declared)
    }

    /// The kinds of missing values with their codes, in code order; none if missing values have no code of their own.
    pub fn missing_kinds(&self) -> impl Iterator<Item = (u32, &MissingKind)> {
        (self.declared..).zip(&self.missing_kinds)
    }

    /// The code of the kind of missing value with this label.
    pub fn missing_code_of(&self, label: &str) -> Option<u32> {
        self.missing_kinds().find(|(_, kind)| kind.label() == Some(label)).map(|(code, _)| code)
    }

    /// Whether a code stands for a missing value, of any kind.
    pub fn is_missing(&self, code: u32) -> bool {
        self.missing_kind(code).is_some()
    }

    /// How many codes stand for declared values. Those of missing and of unknown values follow.
    pub fn declared_codes(&self) -> u32 {
        self.declared
    }

    fn missing_kind(&self, code: u32) -> Option<&MissingKind> {
        self.missing_kinds.get(code.checked_sub(self.declared)? as usize)
    }

    /// The code of an unknown value, if the column has one of its own.
    pub fn unknown_code(&self) -> Option<u32> {
        self.unknown_code
    }

    /// Whether a code stands for no declared value: it is missing or unknown.
    pub fn is_special(&self, code: u32) -> bool {
        self.is_missing(code) || Some(code) == self.unknown_code
    }

    /// The step that values come back in, if the column has one.
    pub(crate) fn step(&self) -> Option<Step> {
        Step::of(&self.spec.dp)
    }

    /// Whether some bound, bin or category list is a guess that nobody confirmed.
    pub fn is_assumed(&self) -> bool {
        // A boolean without a word about its texts has nothing to guess.
        let declares_nothing = self.field_type == FieldType::Boolean;
        let bins = self.spec.dp.bins.as_ref().and_then(|bins| bins.source);
        (self.spec.dp.source == Source::Assumed && !declares_nothing) || bins == Some(Source::Assumed)
    }

    /// Whether some bound, bin or category list was read off the rows without a release.
    pub fn is_read_off_data(&self) -> bool {
        let bins = self.spec.dp.bins.as_ref().and_then(|bins| bins.source);
        self.spec.dp.source == Source::Data || bins == Some(Source::Data)
    }

    /// The first and the last value of a code that stands for a bin of whole numbers, days, years or instants, or the edges of
    /// one of real numbers; `None` if the code is a value of its own, missing or unknown. An instant's last value is the one at
    /// which the next bin opens.
    pub fn bin(&self, code: u32) -> Option<(Scalar, Scalar)> {
        if code >= self.declared {
            return None;
        }
        match &self.encoder.values {
            Values::Whole { line, cut } => match cut.held(code) {
                Held::Bin(first, last) | Held::Kept(first, last, ..) => {
                    let last = if matches!(line, WholeLine::Datetime(..)) { last.saturating_add(1) } else { last };
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

    /// How wide the bin of a code is: in units of a number, in days or years, or in seconds for instants. `None` where
    /// [`Attribute::bin`] has no bin, and where a bin is one of several codes.
    pub fn bin_width(&self, code: u32) -> Option<f64> {
        if code >= self.declared {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "no more digits are needed of a width")]
        match &self.encoder.values {
            Values::Whole { line, cut } => match cut.held(code) {
                Held::Bin(first, last) => {
                    let values = last.saturating_sub(first).saturating_add(1) as f64;
                    Some(if matches!(line, WholeLine::Datetime(..)) { values / 1e6 } else { values })
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

    /// The number that a code stands for: a value, or the middle of a bin. Days and instants are told in days and in
    /// microseconds since 1970. `None` for text, for true and false, and for missing and unknown values.
    pub fn number(&self, code: u32) -> Option<f64> {
        if code >= self.declared {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "no more digits are needed of a middle")]
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

    /// What a code stands for, in words.
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
                    // The last bin holds its upper edge too, unless that is a code of its own.
                    let is_last = code + 1 == self.declared;
                    format!("[{from}, {to}{}", if is_last { ']' } else { ')' })
                }
            },
        }
    }
}

impl WholeLine {
    fn label(&self, held: Held<i64>) -> String {
        match held {
            Held::Value(value) => self.write(value),
            Held::AndAbove(value) => format!("{} and above", self.write(value)),
            Held::Bin(first, last) if first == last => self.write(first),
            // Nobody reads microseconds: an instant's bin is told by the instant at which the next one opens.
            Held::Bin(first, last) if matches!(self, Self::Datetime(..)) => {
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
            Self::Date(_) | Self::Datetime(..) => Scalar::Text(self.write(value)),
        }
    }

    pub(crate) fn write(&self, value: i64) -> String {
        match self {
            Self::Integer | Self::Year => value.to_string(),
            // A checked bound was read from text, so it can be written.
            Self::Date(_) => text::day_to_text(value).unwrap_or_default(),
            Self::Datetime(_, None) => text::micros_to_text(value).unwrap_or_default(),
            Self::Datetime(_, Some(zone)) => zone.write(value).unwrap_or_default(),
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
",
        )
        .unwrap();
        let bin = |column: usize, code| schema.attributes()[column].bin(code);
        assert_eq!(bin(0, 3), Some((Scalar::Integer(90), Scalar::Integer(99))));
        assert_eq!(bin(0, 4), None, "missing");
        assert_eq!(bin(1, 0), Some((Scalar::Text("2001-01-01".into()), Scalar::Text("2001-03-14".into()))));
        assert_eq!(bin(2, 1), Some((Scalar::Number(0.5), Scalar::Number(1.0))));
        assert_eq!(bin(3, 0), None);
    }
}
