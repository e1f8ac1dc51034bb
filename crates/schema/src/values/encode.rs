//! Maps values to codes. The mapping is total: every value of every type has exactly one code, and
//! nothing panics.
//! The code of a value that is not declared depends on whether the column is nullable and open:
//!
//! | column | missing value | unknown value (undeclared, unreadable, too long) |
//! |---|---|---|
//! | nullable, closed | code `missing` | code `missing` |
//! | nullable, open | code `missing` | code `unknown` |
//! | required, open | code `unknown` | code `unknown` |
//! | required, closed | the value named by `foldInto` | the value named by `foldInto` |
//!
//! Each kind of missing value has its own code. A null has the code of the unlabelled kind, and so
//! does an unknown value of a nullable, closed column.
//!
//! A number out of bounds gets the nearest bin in a closed column and `unknown` in an open one. NaN
//! is missing; infinities are out of bounds.

use std::io::Write;

use crate::bins::cut::{RealCut, WholeCut};
use crate::learn::Class;
use crate::limits;
use crate::values::missing::MissingTexts;
use crate::values::number_text::NumberText;
use crate::values::text::{self, TimeFormat};
use crate::values::zone::{Zone, instant_in};

/// Maps the values of one column to codes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Encoder {
    pub(crate) values: Values,
    pub(crate) size: u32,
    pub(crate) missing: u32,
    pub(crate) unknown: u32,
    pub(crate) below: u32,
    pub(crate) above: u32,
    pub(crate) missing_texts: MissingTexts,
    pub(crate) numbers: NumberText,
    /// Whether codes are those of the classes of texts, whatever the categories.
    pub(crate) classifies: bool,
}

/// The declared values of a column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Values {
    Text(Lookup<Box<[u8]>>),
    Boolean { false_texts: Lookup<Box<[u8]>>, true_texts: Lookup<Box<[u8]>> },
    Whole { line: WholeLine, cut: WholeCut },
    Real(RealCut),
}

/// What the whole numbers of a column represent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum WholeLine {
    Integer,
    Year,
    /// Days since 1970.
    Date(TimeFormat),
    /// Microseconds since 1970 in UTC, and the zone of local times.
    Datetime(TimeFormat, Option<Zone>),
    /// Microseconds since midnight.
    Time(TimeFormat),
}

impl WholeLine {
    /// Whether the numbers are microseconds.
    pub(crate) fn is_in_micros(&self) -> bool {
        matches!(self, Self::Datetime(..) | Self::Time(_))
    }
}

/// A key that is equal for equal numbers: `-0.0` and `0.0` have the same.
pub(crate) fn real_key(value: f64) -> u64 {
    (value + 0.0).to_bits()
}

/// Values with their codes, sorted by value for binary search.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Lookup<T>(Box<[(T, u32)]>);

impl<T: Ord> Lookup<T> {
    /// Builds the lookup of values whose code is their position. `Err` holds the position of a
    /// duplicate.
    pub(crate) fn new(values: impl IntoIterator<Item = T>) -> Result<Self, usize> {
        let mut pairs: Vec<(T, u32)> = values.into_iter().zip(0..).collect();
        pairs.sort_unstable();
        match pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(pair[1].1 as usize),
            None => Ok(Self(pairs.into())),
        }
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, value: &Q) -> Option<u32>
    where
        T: std::borrow::Borrow<Q>,
    {
        self.0.binary_search_by(|(declared, _)| declared.borrow().cmp(value)).ok().map(|index| self.0[index].1)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The values in code order.
    pub(crate) fn by_code(&self) -> Vec<&T> {
        let mut pairs: Vec<_> = self.0.iter().map(|(value, code)| (*code, value)).collect();
        pairs.sort_unstable_by_key(|(code, _)| *code);
        pairs.into_iter().map(|(_, value)| value).collect()
    }
}

impl Encoder {
    /// Number of codes of the column.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The code of a null.
    pub fn null(&self) -> u32 {
        self.missing
    }

    /// The code of an undeclared or unreadable value.
    pub fn unknown(&self) -> u32 {
        self.unknown
    }

    /// The code of a number below the least bound.
    pub fn below(&self) -> u32 {
        self.below
    }

    /// The code of a number above the greatest bound.
    pub fn above(&self) -> u32 {
        self.above
    }

    /// The code of a text, in any bytes.
    pub fn text(&self, bytes: &[u8]) -> u32 {
        if self.classifies {
            return Class::of(bytes).code();
        }
        if bytes.len() > limits::FIELD_BYTES {
            return self.unknown;
        }
        let trimmed = bytes.trim_ascii();
        if let Some(missing) = self.missing_texts.text(bytes).or_else(|| self.missing_texts.text(trimmed)) {
            return missing;
        }
        // Exact text first: a category may begin or end with a space.
        let category = |lookup: &Lookup<Box<[u8]>>| lookup.get(bytes).or_else(|| lookup.get(trimmed));
        match &self.values {
            Values::Text(categories) => category(categories).unwrap_or(self.unknown),
            Values::Boolean { false_texts, true_texts } => match (category(false_texts), category(true_texts)) {
                (Some(_), _) => 0,
                (None, Some(_)) => 1,
                (None, None) => self.unknown,
            },
            Values::Whole { line, cut } => match std::str::from_utf8(trimmed) {
                Ok(text) => match line {
                    // Like the typed value, so that text files and typed files get the same codes.
                    WholeLine::Integer | WholeLine::Year => match self.numbers.plain(text) {
                        Some(text) => match text::whole(&text) {
                            Some(value) => self.integer(value),
                            None => text.parse().map_or(self.unknown, |value| self.float(value)),
                        },
                        None => self.unknown,
                    },
                    WholeLine::Date(format) => self.whole_or_unknown(cut, format.days(text)),
                    WholeLine::Datetime(format, zone) => {
                        self.whole_or_unknown(cut, format.micros_in(text, zone.as_ref()))
                    }
                    WholeLine::Time(format) => self.whole_or_unknown(cut, format.clock(text)),
                },
                Err(_) => self.unknown,
            },
            Values::Real(_) => {
                let text = std::str::from_utf8(trimmed).ok().and_then(|text| self.numbers.plain(text));
                match text.and_then(|text| text.parse().ok()) {
                    Some(value) => self.float(value),
                    None => self.unknown,
                }
            }
        }
    }

    /// The code of a whole number.
    pub fn integer(&self, value: i128) -> u32 {
        if let Some(missing) = self.missing_texts.real(value as f64) {
            return missing;
        }
        match &self.values {
            Values::Whole { line: WholeLine::Integer | WholeLine::Year, cut } => self.whole(cut, value),
            Values::Real(cut) => self.real(cut, value as f64),
            // A category `3`, a boolean `1`, a date `20200131` with a pattern: encode the text.
            Values::Text(_) | Values::Boolean { .. } | Values::Whole { .. } => {
                // 40 bytes hold the longest i128 with its sign.
                let mut buffer = [0_u8; 40];
                let mut rest = &mut buffer[..];
                write!(rest, "{value}").expect("the buffer holds any i128");
                let unused = rest.len();
                self.text(&buffer[..buffer.len() - unused])
            }
        }
    }

    /// The range of whole numbers within which codes change: all numbers below it share a code, and
    /// so do all above. `None` if the column is not integer or year, or if the range is unknown.
    ///
    /// ```
    /// # use scumble_schema::Schema;
    /// let schema = Schema::parse("fields: [{name: age, type: integer, constraints: {minimum: 0, maximum: 119}}]")?;
    /// assert_eq!(schema.attributes()[0].encoder().whole_span(), Some((0, 119)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn whole_span(&self) -> Option<(i64, i64)> {
        let Values::Whole { line: WholeLine::Integer | WholeLine::Year, cut } = &self.values else { return None };
        let (mut first, mut last) = match (cut, cut.bounds()) {
            (WholeCut::Categories(categories), _) => {
                let (first, last) = (categories.0.first()?, categories.0.last()?);
                (first.0, last.0)
            }
            (_, bounds) => bounds?,
        };
        for missing in self.missing_texts.reals() {
            // Beyond this, several whole numbers are the same float.
            const EXACT: i128 = 1 << 53;
            let Some(missing) = text::whole_of_real(missing) else { continue };
            let missing = i64::try_from(missing).ok().filter(|&missing| i128::from(missing).abs() < EXACT)?;
            (first, last) = (first.min(missing), last.max(missing));
        }
        Some((first, last))
    }

    /// The code of a real number.
    pub fn float(&self, value: f64) -> u32 {
        if value.is_nan() {
            return self.missing;
        }
        if let Some(missing) = self.missing_texts.real(value) {
            return missing;
        }
        match (&self.values, text::whole_of_real(value)) {
            (Values::Real(cut), _) => self.real(cut, value),
            (Values::Whole { line: WholeLine::Integer | WholeLine::Year, cut }, Some(whole)) => self.whole(cut, whole),
            (Values::Whole { line: WholeLine::Integer | WholeLine::Year, .. }, None) => self.unknown,
            (_, Some(whole)) if value.is_finite() => self.integer(whole),
            _ => self.text(value.to_string().as_bytes()),
        }
    }

    /// The code of a boolean.
    pub fn boolean(&self, value: bool) -> u32 {
        match &self.values {
            Values::Boolean { .. } => value.into(),
            Values::Text(_) => self.text(if value { b"true" } else { b"false" }),
            Values::Whole { .. } | Values::Real(_) => self.integer(value.into()),
        }
    }

    /// The code of a day, counted from 1970-01-01.
    pub fn date(&self, days: i64) -> u32 {
        match &self.values {
            Values::Whole { line: WholeLine::Date(_), cut } => self.whole(cut, days.into()),
            Values::Whole { line: WholeLine::Datetime(_, zone), cut } => {
                let midnight = i128::from(days) * i128::from(text::MICROS_PER_DAY);
                let instant = i64::try_from(midnight).ok().and_then(|clock| instant_in(zone.as_ref(), clock));
                // A day beyond the calendar still compares correctly with the bounds.
                self.whole(cut, instant.map_or(midnight, i128::from))
            }
            Values::Whole { line: WholeLine::Year, cut } => self.whole_or_unknown(cut, text::year_of_day(days)),
            Values::Text(_) => text::day_to_text(days).map_or(self.unknown, |text| self.text(text.as_bytes())),
            Values::Whole { .. } | Values::Real(_) | Values::Boolean { .. } => self.unknown,
        }
    }

    /// The code of an instant, in microseconds from 1970-01-01 UTC.
    pub fn timestamp(&self, micros: i64) -> u32 {
        match &self.values {
            Values::Whole { line: WholeLine::Datetime(..), cut } => self.whole(cut, micros.into()),
            Values::Whole { line: WholeLine::Time(_), .. } => self.time(micros.rem_euclid(text::MICROS_PER_DAY)),
            Values::Text(_) => text::micros_to_text(micros).map_or(self.unknown, |text| self.text(text.as_bytes())),
            Values::Whole { .. } | Values::Real(_) | Values::Boolean { .. } => {
                self.date(micros.div_euclid(text::MICROS_PER_DAY))
            }
        }
    }

    /// The code of a local time, in microseconds from 1970-01-01, in the column's time zone or else
    /// in UTC.
    pub fn local_timestamp(&self, micros: i64) -> u32 {
        match &self.values {
            Values::Whole { line: WholeLine::Datetime(_, Some(zone)), .. } => {
                // A time beyond the calendar still compares correctly with the bounds.
                self.timestamp(zone.instant(micros).unwrap_or(micros))
            }
            _ => self.timestamp(micros),
        }
    }

    /// The code of a time of day, in microseconds from midnight.
    pub fn time(&self, micros: i64) -> u32 {
        match &self.values {
            Values::Whole { line: WholeLine::Time(_), cut } => self.whole(cut, micros.into()),
            Values::Text(_) => text::clock_to_text(micros).map_or(self.unknown, |text| self.text(text.as_bytes())),
            Values::Whole { .. } | Values::Real(_) | Values::Boolean { .. } => self.unknown,
        }
    }

    fn whole_or_unknown(&self, cut: &WholeCut, value: Option<i64>) -> u32 {
        value.map_or(self.unknown, |value| self.whole(cut, value.into()))
    }

    fn whole(&self, cut: &WholeCut, value: i128) -> u32 {
        match (cut.bounds(), i64::try_from(value)) {
            (Some((low, _)), _) if value < low.into() => self.below,
            (Some((_, high)), _) if value > high.into() => self.above,
            (_, Ok(value)) => cut.code(value).unwrap_or(self.unknown),
            (_, Err(_)) => self.unknown,
        }
    }

    fn real(&self, cut: &RealCut, value: f64) -> u32 {
        match cut.bounds() {
            Some((low, _)) if value < low => self.below,
            Some((_, high)) if value > high => self.above,
            _ => cut.code(value).unwrap_or(self.unknown),
        }
    }
}
