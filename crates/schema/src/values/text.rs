//! Parses typed values from text, and formats them for comparison with declared texts.
//! Nothing panics: an invalid text is `None`.

use std::fmt::Write as _;

use chrono::format::{Item, Numeric, StrftimeItems};
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};

use crate::values::zone::{Zone, instant_in};

/// Microseconds in a day.
pub(crate) const MICROS_PER_DAY: i64 = 86_400_000_000;
const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_MINUTE: i64 = 60 * MICROS_PER_SECOND;
/// Texts for the end of a day.
const END_OF_DAY: [&str; 2] = ["24:00", "24:00:00"];

/// The format of dates, datetimes and times of a column.
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

    /// Microseconds since midnight of a time of day, or of the time of a datetime.
    pub(crate) fn clock(&self, text: &str) -> Option<i64> {
        let clock = match self {
            Self::Iso => iso_clock(text),
            Self::Pattern(pattern) => NaiveTime::parse_from_str(text, pattern).ok().map(micros_since_midnight),
        };
        clock
            .or_else(|| self.micros_of_datetime(text).map(|micros| micros.rem_euclid(MICROS_PER_DAY)))
            .or_else(|| END_OF_DAY.contains(&text).then_some(MICROS_PER_DAY))
    }

    /// Microseconds since midnight of a time of day in this format or in ISO 8601.
    pub(crate) fn clock_or_iso(&self, text: &str) -> Option<i64> {
        self.clock(text).or_else(|| Self::Iso.clock(text))
    }

    /// Whether a time of day can be written and read in this format.
    pub(crate) fn is_of_clock(&self) -> bool {
        let Self::Pattern(pattern) = self else { return true };
        let mut text = String::new();
        let afternoon = NaiveTime::from_hms_opt(13, 45, 0).expect("a time of day");
        // A pattern with parts of a date cannot be written.
        write!(text, "{}", afternoon.format(pattern)).is_ok()
            && NaiveTime::parse_from_str(&text, pattern) == Ok(afternoon)
    }

    /// The microseconds between two times of day that the format can write, at least a second.
    pub(crate) fn clock_step(&self) -> i64 {
        let has_seconds =
            |pattern: &str| StrftimeItems::new(pattern).any(|item| matches!(item, Item::Numeric(Numeric::Second, _)));
        match self {
            Self::Pattern(pattern) if !has_seconds(pattern) => MICROS_PER_MINUTE,
            _ => MICROS_PER_SECOND,
        }
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
    // The hours of a datetime have two digits.
    let micros = iso_clock(clock).filter(|_| clock.find(':') == Some(2))?;
    let micros = day_micros.checked_add(micros - offset.unwrap_or(0) * MICROS_PER_MINUTE)?;
    Some(if offset.is_some() { Time::Instant(micros) } else { Time::Clock(micros) })
}

/// Parses a time of day `23:59[:59[.999999]]`, in microseconds since midnight.
fn iso_clock(text: &str) -> Option<i64> {
    let (hours, rest) = text.split_once(':').filter(|(hours, _)| (1..=2).contains(&hours.len()))?;
    let (minutes, rest) = rest.split_at_checked(2)?;
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
    Some(((hours * 60 + minutes) * 60 + seconds) * MICROS_PER_SECOND + micros)
}

fn micros_since_midnight(time: NaiveTime) -> i64 {
    i64::from(time.num_seconds_from_midnight()) * MICROS_PER_SECOND + i64::from(time.nanosecond() / 1000)
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

/// A time of day, as microseconds since midnight; `None` beyond a day.
pub(crate) fn time_of_day(micros: i64) -> Option<NaiveTime> {
    let seconds = u32::try_from(micros.div_euclid(MICROS_PER_SECOND)).ok()?;
    let nanos = u32::try_from(micros.rem_euclid(MICROS_PER_SECOND)).ok()? * 1000;
    NaiveTime::from_num_seconds_from_midnight_opt(seconds, nanos)
}

/// A time of day in ISO 8601. The end of the day is `24:00:00`.
pub(crate) fn clock_to_text(micros: i64) -> Option<String> {
    if micros == MICROS_PER_DAY {
        return Some("24:00:00".into());
    }
    time_of_day(micros).map(|time| time.format("%H:%M:%S%.f").to_string())
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
    fn times_of_day_with_and_without_seconds() {
        let iso = TimeFormat::Iso;
        let hours = |hours: i64| hours * 60 * MICROS_PER_MINUTE;
        assert_eq!(iso.clock("18:00"), Some(hours(18)));
        assert_eq!(iso.clock("8:00:01"), Some(hours(8) + MICROS_PER_SECOND));
        assert_eq!(iso.clock("08:00:00.5"), Some(hours(8) + MICROS_PER_SECOND / 2));
        assert_eq!(iso.clock("1999-12-31T18:00:00"), Some(hours(18)), "the time of a datetime");
        assert_eq!(iso.clock("24:00"), Some(MICROS_PER_DAY));
        for text in [
            "",
            ":",
            "18",
            "18:0",
            "18:000",
            "118:00",
            "24:01",
            "18:60",
            "18:00:61",
            "18:00x",
            "é:00",
            "-1:00",
            ":05",
            "99999999999999999999:00",
        ] {
            assert_eq!(iso.clock(text), None, "{text}");
        }
        let of_twelve = TimeFormat::new(Some("%I:%M %p")).unwrap();
        assert_eq!(of_twelve.clock("6:05 PM"), Some(hours(18) + 5 * MICROS_PER_MINUTE));
        assert_eq!(of_twelve.clock("18:05"), None);
        assert_eq!(of_twelve.clock_or_iso("18:05"), of_twelve.clock("06:05 pm"));
        for micros in [0, hours(7) + 1, MICROS_PER_DAY - 1, MICROS_PER_DAY] {
            assert_eq!(iso.clock(&clock_to_text(micros).unwrap()), Some(micros));
        }
        assert_eq!((clock_to_text(-1), clock_to_text(MICROS_PER_DAY + 1)), (None, None));
    }

    #[test]
    fn a_format_of_times_has_hours_and_minutes() {
        let format = |pattern| TimeFormat::new(Some(pattern)).unwrap();
        for (pattern, step) in
            [("%H:%M", 60), ("%H.%M", 60), ("%H%M", 60), ("%I:%M %p", 60), ("%T", 1), ("%H:%M:%S", 1)]
        {
            assert!(format(pattern).is_of_clock(), "{pattern}");
            assert_eq!(format(pattern).clock_step(), step * MICROS_PER_SECOND, "{pattern}");
        }
        for pattern in ["%H", "%M:%S", "%I:%M", "%d.%m.%Y %H:%M", "x"] {
            assert!(!format(pattern).is_of_clock(), "{pattern}");
        }
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
