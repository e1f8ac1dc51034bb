//! Formats values for text files: dates and times in the column's format, numbers with its
//! decimals.
//!
//! A format whose texts would be read back as other codes is not used: such a column is written in
//! ISO 8601.

use std::fmt::Write as _;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Time64MicrosecondType, TimestampMicrosecondType};
use arrow_array::{ArrayRef, StringArray};
use chrono::{DateTime, FixedOffset};

use crate::bins::cut::{Draw, WholeDraw};
use crate::schema::attribute::{Attribute, FieldType};
use crate::values::encode::{Values, WholeLine};
use crate::values::text::{TimeFormat, calendar_day, time_of_day};
use crate::values::zone::{Zone, clock_in};

/// The text format of a column, if it is not the default.
#[derive(Debug, Clone, PartialEq)]
pub struct TextForm(Form);

#[derive(Debug, Clone, PartialEq)]
enum Form {
    Date(Box<str>),
    Datetime(Box<str>, Option<Zone>),
    Time(Box<str>),
    Decimals(usize),
}

impl TextForm {
    /// The text format of a column; `None` if it is the default.
    pub(crate) fn of(attribute: &Attribute) -> Option<Self> {
        let form = match &attribute.encoder().values {
            Values::Whole { line: WholeLine::Date(TimeFormat::Pattern(pattern)), .. } => Form::Date(pattern.clone()),
            Values::Whole { line: WholeLine::Datetime(TimeFormat::Pattern(pattern), zone), .. } => {
                Form::Datetime(pattern.clone(), zone.clone())
            }
            Values::Whole { line: WholeLine::Time(TimeFormat::Pattern(pattern)), .. } => Form::Time(pattern.clone()),
            Values::Real(_) => return attribute.step().map(|step| Self(Form::Decimals(step.decimals().into()))),
            _ => return None,
        };
        let form = Self(form);
        form.reads_back(attribute).then_some(form)
    }

    /// The text format of a derived column of dates in this pattern, or of numbers with these
    /// decimals; `None` if it is the default.
    pub(crate) fn of_derived(field_type: FieldType, pattern: Option<Box<str>>, decimals: Option<u8>) -> Option<Self> {
        let form = match (field_type, pattern) {
            (FieldType::Date, Some(pattern)) => Form::Date(pattern),
            (FieldType::Datetime, Some(pattern)) => Form::Datetime(pattern, None),
            (FieldType::Time, Some(pattern)) => Form::Time(pattern),
            _ => Form::Decimals(decimals?.into()),
        };
        Some(Self(form))
    }

    /// Whether the first and last value of every code are read back as that code. Two-digit years,
    /// or hours for bins of minutes, are not.
    fn reads_back(&self, attribute: &Attribute) -> bool {
        let encoder = attribute.encoder();
        let Values::Whole { line, cut } = &encoder.values else { return true };
        let draw = WholeDraw::new(line, cut, &encoder.missing_texts, None);
        let is_read =
            |code: u32, value: i64| self.whole(value).is_some_and(|text| encoder.text(text.as_bytes()) == code);
        (0..attribute.declared_codes()).all(|code| {
            let (first, last) = draw.ends(code);
            is_read(code, first) && is_read(code, last)
        })
    }

    /// Formats a day, an instant or a time; `None` if it is out of the calendar or the day.
    pub(crate) fn whole(&self, value: i64) -> Option<String> {
        let mut text = String::new();
        match &self.0 {
            Form::Date(pattern) => {
                let day = calendar_day(value)?;
                // The time of day of a date is midnight.
                write!(text, "{}", day.and_hms_opt(0, 0, 0)?.and_utc().format(pattern)).ok()?;
            }
            Form::Datetime(pattern, zone) => {
                let east = clock_in(zone.as_ref(), value).checked_sub(value)?.div_euclid(1_000_000);
                let offset = FixedOffset::east_opt(i32::try_from(east).ok()?)?;
                let time = DateTime::from_timestamp_micros(value)?.with_timezone(&offset);
                write!(text, "{}", time.format(pattern)).ok()?;
            }
            Form::Time(pattern) => write!(text, "{}", time_of_day(value)?.format(pattern)).ok()?,
            Form::Decimals(_) => return None,
        }
        Some(text)
    }

    fn real(&self, value: f64) -> String {
        let Form::Decimals(decimals) = self.0 else { return value.to_string() };
        let text = format!("{value:.decimals$}");
        // A declared value may have more decimals.
        if text.parse() == Ok(value) { text } else { value.to_string() }
    }

    /// Formats the values of a column; nulls stay null.
    ///
    /// # Panics
    /// If the column does not have its decoded type.
    pub fn texts(&self, column: &ArrayRef) -> StringArray {
        let whole = |value: i64| self.whole(value).unwrap_or_default();
        match &self.0 {
            Form::Date(_) => {
                column.as_primitive::<Date32Type>().iter().map(|day| day.map(|day| whole(day.into()))).collect()
            }
            Form::Datetime(..) => {
                column.as_primitive::<TimestampMicrosecondType>().iter().map(|time| time.map(whole)).collect()
            }
            Form::Time(_) => {
                column.as_primitive::<Time64MicrosecondType>().iter().map(|time| time.map(whole)).collect()
            }
            Form::Decimals(_) => {
                column.as_primitive::<Float64Type>().iter().map(|value| value.map(|value| self.real(value))).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    use crate::{Decoder, Schema};

    fn texts(field: &str, codes: u32) -> Option<Vec<String>> {
        let schema = Schema::parse(&format!("fields: [{{name: x, {field}}}]")).unwrap();
        let mut column = crate::CodeColumn::with_capacity(schema.attributes()[0].size(), 0);
        (0..codes).for_each(|code| column.push(code));
        let rows = Decoder::new(&schema).decode_rows(0, &[column], &mut SmallRng::seed_from_u64(5));
        let (_, form) = rows.forms.first()?;
        let texts = form.texts(rows.batch.column(0));
        assert!(
            texts
                .iter()
                .flatten()
                .zip(0..)
                .all(|(text, code)| { schema.attributes()[0].encoder().text(text.as_bytes()) == code })
        );
        Some(texts.iter().map(|text| text.unwrap_or("-").to_owned()).collect())
    }

    #[test]
    fn dates_are_written_in_the_declared_format() {
        let days = "type: date, format: '%d.%m.%Y', constraints: {enum: [2020-12-31, 1999-02-01]}";
        assert_eq!(texts(days, 3).unwrap(), ["31.12.2020", "01.02.1999", "-"]);
        let times = "type: datetime, format: '%d/%m/%Y %H:%M', constraints: {minimum: 2020-01-01, maximum: '2020-01-02T23:59:59'}, \
                     dp: {bins: {by: hour}, timeZone: Europe/Berlin}";
        let texts = texts(times, 48).unwrap();
        assert!(texts[25].starts_with("02/01/2020 01:"), "{}", texts[25]);
    }

    #[test]
    fn times_are_written_in_the_declared_format() {
        let shifts = "type: time, format: '%H:%M', dp: {bins: {edges: ['06:00', '14:00', '22:00']}}";
        let written = texts(shifts, 2).unwrap();
        assert!(written.iter().all(|text| text.len() == 5), "{written:?}");
        let of_twelve = "type: time, format: '%I:%M %p', dp: {bins: {width: 900}}";
        assert!(texts(of_twelve, 96).unwrap()[95].ends_with(" PM"));
        let seconds = "type: time, format: '%H:%M', dp: {bins: {width: 30}}";
        assert_eq!(texts(seconds, 10), None, "a format that would be read back as another time");
    }

    #[test]
    fn a_format_that_is_read_back_as_another_day_is_not_used() {
        let century = "type: date, format: '%d.%m.%y', constraints: {minimum: 1930-01-01, maximum: 2020-12-31}, dp: {bins: {by: year}}";
        assert_eq!(texts(century, 10), None);
        let years = "type: date, format: '%d.%m.%y', constraints: {minimum: 1990-01-01, maximum: 2020-12-31}, dp: {bins: {by: year}}";
        assert!(texts(years, 10).is_some());
        let minutes = "type: datetime, format: '%d.%m.%Y %H', constraints: {minimum: 2020-01-01, maximum: 2020-01-02}, dp: {bins: {width: 60}}";
        assert_eq!(texts(minutes, 10), None);
    }

    #[test]
    fn numbers_are_written_with_declared_decimals() {
        let price = "type: number, constraints: {minimum: 0, maximum: 10}, dp: {decimals: 2, bins: {count: 5, points: [0.125]}}";
        let texts = texts(price, 6).unwrap();
        assert_eq!(texts[0], "0.125", "declared so");
        assert!(texts[1..].iter().all(|text| text.split_once('.').unwrap().1.len() == 2), "{texts:?}");
    }
}
