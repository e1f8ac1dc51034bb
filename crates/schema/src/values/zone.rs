//! Time zones: converts between local time and instants.

use std::hash::{Hash, Hasher};

use arrow_array::timezone::Tz;
use chrono::{DateTime, MappedLocalTime, Offset, TimeDelta, TimeZone};

use crate::values::text::MICROS_PER_DAY;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// A time zone: a name of the IANA database, or a fixed offset such as `+02:00`.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    name: Box<str>,
    zone: Tz,
}

impl Zone {
    /// The zone with this name, if it exists.
    pub(crate) fn new(name: &str) -> Option<Self> {
        Some(Self { zone: name.parse().ok()?, name: name.into() })
    }

    /// The name as declared.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The local time of an instant, in microseconds since 1970-01-01 local time.
    pub(crate) fn clock(&self, instant: i64) -> i64 {
        // There is no offset beyond the calendar.
        let time = DateTime::from_timestamp_micros(instant);
        let offset =
            time.map_or(0, |time| self.zone.offset_from_utc_datetime(&time.naive_utc()).fix().local_minus_utc());
        instant.saturating_add(i64::from(offset) * MICROS_PER_SECOND)
    }

    /// The instant of a local time. A repeated local time gives the first instant; a skipped one
    /// gives the instant by the offset before the clock change.
    pub(crate) fn instant(&self, clock: i64) -> Option<i64> {
        let shown = DateTime::from_timestamp_micros(clock)?.naive_utc();
        let offset = match self.zone.offset_from_local_datetime(&shown) {
            MappedLocalTime::Single(offset) | MappedLocalTime::Ambiguous(offset, _) => {
                i64::from(offset.fix().local_minus_utc()) * MICROS_PER_SECOND
            }
            // No clock was ever set forward by more than a day, so the day before has the old
            // offset.
            MappedLocalTime::None => {
                let day_before = (shown - TimeDelta::days(1)).and_utc().timestamp_micros();
                match self.zone.offset_from_local_datetime(&(shown - TimeDelta::days(1))) {
                    MappedLocalTime::None => 0,
                    _ => day_before - self.instant(day_before)?,
                }
            }
        };
        clock.checked_sub(offset)
    }

    /// An instant as local time in ISO 8601, with its offset.
    pub(crate) fn write(&self, instant: i64) -> Option<String> {
        let time = DateTime::from_timestamp_micros(instant)?.with_timezone(&self.zone);
        Some(time.format("%Y-%m-%dT%H:%M:%S%.f%:z").to_string())
    }
}

/// The instant of a local time in `zone`, or in UTC.
pub(crate) fn instant_in(zone: Option<&Zone>, clock: i64) -> Option<i64> {
    zone.map_or(Some(clock), |zone| zone.instant(clock))
}

/// The local time of an instant in `zone`, or in UTC.
pub(crate) fn clock_in(zone: Option<&Zone>, instant: i64) -> i64 {
    zone.map_or(instant, |zone| zone.clock(instant))
}

/// The day of a local time, since 1970.
pub(crate) fn day_of(clock: i64) -> i64 {
    clock.div_euclid(MICROS_PER_DAY)
}

// A name identifies a zone.
impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Zone {}

impl Hash for Zone {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::text::TimeFormat;

    fn micros(text: &str) -> i64 {
        TimeFormat::Iso.micros_in(text, None).unwrap()
    }

    #[test]
    fn local_times_are_converted_to_instants() {
        let berlin = Zone::new("Europe/Berlin").unwrap();
        let cases = [
            ("2024-01-15T12:00:00", "2024-01-15T11:00:00Z"),
            ("2024-07-15T12:00:00", "2024-07-15T10:00:00Z"),
            // Repeated: the first counts.
            ("2024-10-27T02:30:00", "2024-10-27T00:30:00Z"),
            // Skipped: by the old offset.
            ("2024-03-31T02:30:00", "2024-03-31T01:30:00Z"),
        ];
        for (local, instant) in cases {
            assert_eq!(berlin.instant(micros(local)), Some(micros(instant)), "{local}");
        }
        assert_eq!(berlin.clock(micros("2024-07-15T10:00:00Z")), micros("2024-07-15T12:00:00"));
        assert_eq!(berlin.write(micros("2024-07-15T10:00:00Z")).unwrap(), "2024-07-15T12:00:00+02:00");
    }

    #[test]
    fn zones_are_names_or_offsets() {
        assert!(Zone::new("Nowhere/Atlantis").is_none());
        assert_eq!(Zone::new("+02:00").unwrap().instant(7_200_000_000), Some(0));
        assert_eq!(Zone::new("UTC").unwrap().instant(5), Some(5));
    }

    #[test]
    fn extreme_instants_do_not_panic() {
        let zone = Zone::new("Pacific/Apia").unwrap();
        for end in [i64::MIN, i64::MAX] {
            let _ = (zone.clock(end), zone.instant(end), zone.write(end));
        }
        // The day that Samoa skipped.
        assert!(zone.instant(micros("2011-12-30T12:00:00")).is_some());
    }
}
