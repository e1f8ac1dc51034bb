//! Parses typed values from text, and formats them for comparison with declared texts.
//! Nothing panics: an invalid text is `None`.

use chrono::format::{Item, StrftimeItems};
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, TimeDelta};

use crate::values::zone::{Zone, instant_in};

/// Microseconds in a day.
pub(crate) const MICROS_PER_DAY: i64 = 86_400_000_000;

/// The format of dates and datetimes of a column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum TimeFormat {
    Iso,
    Pattern(Box<str>),
}

impl TimeFormat {
    /// The format of a field's `format` property; `None` if it is invalid.
    pub(crate) fn new(format: Option<&str>) -> Option<Self> {
        match format {
            None | Some("default" | "any") => Some(Self::Iso),
            Some(pattern) => {
                let broken = StrftimeItems::new(pattern).any(|item| matches!(item, Item::Error));
                (!broken).then(|| Self::Pattern(pattern.into()))
            }
        }
    }

    /// Days since 1970 of a date, or of the day of a datetime.
    pub(crate) fn days(&self, text: &str) -> Option<i64> {
        let date = match self {
            Self::Iso => iso_date(text),
            Self::Pattern(pattern) => NaiveDate::parse_from_str(text, pattern).ok(),
        };
        date.map(days_since_epoch)
            .or_else(|| self.micros_of_datetime(text).map(|micros| micros.div_euclid(MICROS_PER_DAY)))
    }

    /// Microseconds since 1970 in UTC of a datetime, or of midnight at the start of a date. A text
    /// without a zone is in `zone`, or in UTC.
    pub(crate) fn micros_in(&self, text: &str, zone: Option<&Zone>) -> Option<i64> {
        match self.time(text) {
            Some(Time::Instant(instant)) => Some(instant),
            Some(Time::Clock(clock)) => instant_in(zone, clock),
            None => match self {
                Self::Iso => {
                    let midnight = days_since_epoch(iso_date(text)?).checked_mul(MICROS_PER_DAY)?;
                    instant_in(zone, midnight)
                }
                Self::Pattern(_) => None,
            },
        }
    }

    /// Days since 1970 of a date in this format or in ISO 8601.
    pub(crate) fn days_or_iso(&self, text: &str) -> Option<i64> {
        self.days(text).or_else(|| Self::Iso.days(text))
    }

    /// Microseconds since 1970 in UTC of a datetime in this format or in ISO 8601.
    pub(crate) fn micros_or_iso(&self, text: &str, zone: Option<&Zone>) -> Option<i64> {
        self.micros_in(text, zone).or_else(|| Self::Iso.micros_in(text, zone))
    }

    fn micros_of_datetime(&self, text: &str) -> Option<i64> {
        self.time(text).map(|(Time::Instant(micros) | Time::Clock(micros))| micros)
    }

    fn time(&self, text: &str) -> Option<Time> {
        match self {
            Self::Iso => iso_datetime(text),
            Self::Pattern(pattern) => DateTime::parse_from_str(text, pattern)
                .map(|instant| Time::Instant(instant.timestamp_micros()))
                .or_else(|_| {
                    NaiveDateTime::parse_from_str(text, pattern)
                        .map(|time| Time::Clock(time.and_utc().timestamp_micros()))
                })
                .ok(),
        }
    }
}

/// A time in microseconds since 1970.
enum Time {
    /// An instant, written with its zone.
    Instant(i64),
    /// A local time, written without a zone.
    Clock(i64),
}

/// Parses a date such as `2020-12-31`.
pub(crate) fn iso_date(text: &str) -> Option<NaiveDate> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    NaiveDate::from_ymd_opt(
        i32::try_from(digits(&bytes[..4])?).ok()?,
        u32::try_from(digits(&bytes[5..7])?).ok()?,
        u32::try_from(digits(&bytes[8..])?).ok()?,
    )
}

/// Parses a datetime `2020-12-31T23:59[:59[.999999]]` with an optional `Z` or offset; `T` may be a
/// space.
fn iso_datetime(text: &str) -> Option<Time> {
    let (date, rest) = text.split_at_checked(10)?;
    let day_micros = days_since_epoch(iso_date(date)?).checked_mul(MICROS_PER_DAY)?;
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, offset) = split_offset(clock)?;
    let (hours, rest) = clock.split_at_checked(2)?;
    let (minutes, rest) = rest.strip_prefix(':')?.split_at_checked(2)?;
    let (seconds, fraction) = match rest.strip_prefix(':') {
        Some(rest) => {
            let (seconds, fraction) = rest.split_at_checked(2)?;
            (digits(seconds.as_bytes())?, fraction)
        }
        None => (0, rest),
    };
    let micros = match fraction.strip_prefix('.') {
        // Digits below a microsecond are dropped; `{:0<6}` pads `.5` to half a million.
        Some(places) if !places.is_empty() && places.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits(format!("{places:0<6}").get(..6)?.as_bytes())?
        }
        None if fraction.is_empty() => 0,
        _ => return None,
    };
    let (hours, minutes) = (digits(hours.as_bytes())?, digits(minutes.as_bytes())?);
    // 60 is a leap second, read as the first second of the next minute.
    if hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let clock_seconds = (hours * 60 + minutes - offset.unwrap_or(0)) * 60 + seconds;
    let micros = day_micros.checked_add(clock_seconds * 1_000_000 + micros)?;
    Some(if offset.is_some() { Time::Instant(micros) } else { Time::Clock(micros) })
}

/// Splits a time into local time and the offset in minutes east of Greenwich, if written.
fn split_offset(clock: &str) -> Option<(&str, Option<i64>)> {
    if let Some(utc) = clock.strip_suffix(['Z', 'z']) {
        return Some((utc, Some(0)));
    }
    let Some(sign) = clock.rfind(['+', '-']) else {
        return Some((clock, None));
    };
    let (time, offset) = clock.split_at(sign);
    let east = if offset.starts_with('+') { 1 } else { -1 };
    let offset = offset[1..].replace(':', "");
    let (hours, minutes) = match offset.len() {
        2 => (digits(offset.as_bytes())?, 0),
        4 => (digits(&offset.as_bytes()[..2])?, digits(&offset.as_bytes()[2..])?),
        _ => return None,
    };
    (hours <= 23 && minutes <= 59).then_some((time, Some(east * (hours * 60 + minutes))))
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0_i64, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
}

fn days_since_epoch(date: NaiveDate) -> i64 {
    date.to_epoch_days().into()
}

/// The date of a day since 1970; `None` beyond the calendar.
pub(crate) fn calendar_day(days: i64) -> Option<NaiveDate> {
    NaiveDate::from_epoch_days(i32::try_from(days).ok()?)
}

/// The year of a day.
pub(crate) fn year_of_day(days: i64) -> Option<i64> {
    calendar_day(days).map(|date| date.year().into())
}

/// A day in ISO 8601.
pub(crate) fn day_to_text(days: i64) -> Option<String> {
    calendar_day(days).map(|date| date.to_string())
}

/// An instant in ISO 8601.
pub(crate) fn micros_to_text(micros: i64) -> Option<String> {
    let time = DateTime::UNIX_EPOCH.checked_add_signed(TimeDelta::microseconds(micros))?;
    Some(time.format("%Y-%m-%dT%H:%M:%S%.f").to_string())
}

/// Parses a whole number. One too large for `i128` saturates, since it is out of all bounds anyway.
/// `39.0` is whole, because tools write integer columns with gaps like that.
pub(crate) fn whole(text: &str) -> Option<i128> {
    if let Ok(value) = text.parse::<i128>() {
        return Some(value);
    }
    let value = text.parse::<f64>().ok()?;
    whole_of_real(value)
}

/// A real number as a whole number, if it has no fraction.
pub(crate) fn whole_of_real(value: f64) -> Option<i128> {
    // The conversion saturates, so infinities stay out of bounds on their side.
    #[expect(clippy::cast_possible_truncation, reason = "saturation is intended")]
    (value.is_infinite() || value.fract() == 0.0).then_some(value as i128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_datetimes_with_and_without_zones() {
        let iso = TimeFormat::Iso;
        assert_eq!(iso.micros_in("1970-01-01T00:00:01", None), Some(1_000_000));
        assert_eq!(iso.micros_in("1970-01-01 00:00:01.5", None), Some(1_500_000));
        assert_eq!(iso.micros_in("1970-01-01T00:00:00.1234567Z", None), Some(123_456));
        assert_eq!(iso.micros_in("1970-01-01T01:00+01:00", None), Some(0));
        assert_eq!(iso.micros_in("1970-01-01T01:00-0030", None), Some(90 * 60 * 1_000_000));
        assert_eq!(iso.micros_in("1970-01-02", None), Some(MICROS_PER_DAY));
        assert_eq!(iso.days("1969-12-31T23:59:59Z"), Some(-1));
    }

    #[test]
    fn invalid_times_are_none() {
        let iso = TimeFormat::Iso;
        for text in [
            "",
            "x",
            "2020-13-01",
            "2020-02-30",
            "2020-1-1",
            "2020-01-01T",
            "2020-01-01T25:00",
            "2020-01-01T00:00:00.",
            "2020-01-01T00:00+",
            "2020-01-01T00:00+99:99",
            "éééééééééé",
            "2020-01-01Té:00",
        ] {
            assert_eq!(iso.micros_in(text, None), None, "{text}");
        }
        assert_eq!(iso.days("2020-13-01"), None);
    }

    #[test]
    fn patterns_follow_strptime() {
        let day_first = TimeFormat::new(Some("%d/%m/%Y")).unwrap();
        assert_eq!(day_first.days("02/01/1970"), Some(1));
        assert_eq!(day_first.days("1970-01-02"), None);
        assert!(TimeFormat::new(Some("%!")).is_none());
    }

    #[test]
    fn huge_whole_numbers_saturate() {
        assert_eq!(whole("39.0"), Some(39));
        assert_eq!(whole("39.5"), None);
        assert_eq!(whole("nan"), None);
        assert_eq!(whole("-inf"), Some(i128::MIN));
        assert_eq!(whole("99999999999999999999999999999999999999999999999999"), Some(i128::MAX));
    }
}
