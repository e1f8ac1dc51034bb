//! Calendar bins: days, weeks, months, quarters, years, and hours of datetimes.

use chrono::{Datelike, NaiveDate};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::limits;
use crate::values::text::{MICROS_PER_DAY, calendar_day};
use crate::values::zone::{Zone, clock_in, day_of, instant_in};

const MICROS_PER_HOUR: i64 = MICROS_PER_DAY / 24;
const DAYS_PER_WEEK: i64 = 7;
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CalendarUnit {
    /// An hour; for datetimes only.
    Hour,
    /// A day.
    Day,
    /// Seven days, starting on Monday.
    Week,
    /// A month.
    Month,
    /// Three months, starting in January, April, July or October.
    Quarter,
    /// A year.
    Year,
}

/// The part of a date that is kept besides its bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// The day of the week.
    Weekday,
    /// The month of the year.
    Month,
}

impl CalendarUnit {
    /// The first day of the next unit after `day`; `i64::MAX` beyond the calendar.
    fn next(self, day: i64) -> i64 {
        let months = match self {
            Self::Hour | Self::Day => return day.saturating_add(1),
            Self::Week => return day.saturating_add(DAYS_PER_WEEK - i64::from(weekday(day))),
            Self::Month => 1,
            Self::Quarter => 3,
            Self::Year => 12,
        };
        let first_of_next = || {
            let date = calendar_day(day)?;
            let units = (i64::from(date.year()) * 12 + i64::from(date.month0())).div_euclid(months) + 1;
            let (year, month) = ((units * months).div_euclid(12), (units * months).rem_euclid(12));
            let first = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, u32::try_from(month).ok()? + 1, 1)?;
            Some(i64::from(first.to_epoch_days()))
        };
        first_of_next().unwrap_or(i64::MAX)
    }

    /// The first day of each bin from `low` to `high`; `None` above `limits::CATEGORIES` bins. The
    /// first bin starts at `low`.
    pub(crate) fn days(self, low: i64, high: i64) -> Option<Box<[i64]>> {
        bins(low, high, |day| self.next(day))
    }

    /// The first instant of each bin from `low` to `high`, with boundaries in local time of the
    /// zone; `None` above `limits::CATEGORIES` bins.
    pub(crate) fn instants(self, zone: Option<&Zone>, low: i64, high: i64) -> Option<Box<[i64]>> {
        bins(low, high, |instant| {
            let clock = clock_in(zone, instant);
            if self == Self::Hour {
                // An hour repeated by a clock change gives two bins, and a skipped hour gives none.
                return instant.saturating_add(MICROS_PER_HOUR - clock.rem_euclid(MICROS_PER_HOUR));
            }
            let midnight = self.next(day_of(clock)).checked_mul(MICROS_PER_DAY);
            midnight.and_then(|midnight| instant_in(zone, midnight)).unwrap_or(i64::MAX)
        })
    }
}

fn bins(low: i64, high: i64, next: impl Fn(i64) -> i64) -> Option<Box<[i64]>> {
    let mut lower = vec![low];
    let mut opens = next(low);
    while opens <= high && lower.last().is_some_and(|&last| last < opens) {
        if lower.len() as u128 >= limits::CATEGORIES {
            return None;
        }
        lower.push(opens);
        opens = next(opens);
    }
    Some(lower.into())
}

impl Keep {
    /// Names of the parts, in code order.
    fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Weekday => &WEEKDAYS,
            Self::Month => &MONTHS,
        }
    }

    /// Number of parts of a bin.
    pub(crate) fn count(self) -> u32 {
        u32::try_from(self.parts().len()).expect("a few")
    }

    /// The name of a part.
    pub(crate) fn name(self, part: u32) -> &'static str {
        self.parts()[part as usize]
    }

    /// The name of the kept part, for messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Weekday => "weekday",
            Self::Month => "month",
        }
    }

    /// The part that a day since 1970 belongs to.
    pub(crate) fn part(self, day: i64) -> u32 {
        match self {
            Self::Weekday => weekday(day),
            // Bounds of a date column are valid calendar days.
            Self::Month => calendar_day(day).map_or(0, |date| date.month0()),
        }
    }

    /// The first and last day of `first ..= last` that belong to `part`, if any.
    pub(crate) fn ends(self, first: i64, last: i64, part: u32) -> Option<(i64, i64)> {
        let (earliest, latest) = match self {
            Self::Weekday => {
                let until = |from: u32, to: u32| (i64::from(to) - i64::from(from)).rem_euclid(DAYS_PER_WEEK);
                let earliest = first.checked_add(until(weekday(first), part))?;
                (earliest, last.checked_sub(until(part, weekday(last)))?)
            }
            Self::Month => {
                let (low, high) = (calendar_day(first)?, calendar_day(last)?);
                let opens = |year: i32| NaiveDate::from_ymd_opt(year, part + 1, 1);
                let earliest = match low.month0() {
                    month if month == part => low,
                    month => opens(low.year() + i32::from(month > part))?,
                };
                let latest = match high.month0() {
                    month if month == part => high,
                    month => {
                        opens(high.year() - i32::from(month < part))? + chrono::Months::new(1) - chrono::Days::new(1)
                    }
                };
                (earliest.to_epoch_days().into(), latest.to_epoch_days().into())
            }
        };
        (earliest <= latest).then_some((earliest, latest))
    }

    /// Draws uniformly among the days of `first ..= last` that belong to `part`, if any.
    pub(crate) fn draw(self, first: i64, last: i64, part: u32, rng: &mut impl Rng) -> Option<i64> {
        let (earliest, latest) = self.ends(first, last, part)?;
        if self == Self::Weekday {
            return Some(earliest + DAYS_PER_WEEK * rng.random_range(0..=(latest - earliest) / DAYS_PER_WEEK));
        }
        // Both ends are in the month, so at least one day in twelve is.
        loop {
            let day = rng.random_range(earliest..=latest);
            if self.part(day) == part {
                return Some(day);
            }
        }
    }
}

/// The weekday of a day since 1970-01-01, which was a Thursday; 0 is Monday.
fn weekday(day: i64) -> u32 {
    // Remainder first, to avoid overflow.
    let index = (day.rem_euclid(DAYS_PER_WEEK) + 3) % DAYS_PER_WEEK;
    u32::try_from(index).expect("a remainder of seven")
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    use super::*;
    use crate::values::text::{TimeFormat, day_to_text, micros_to_text};

    fn days(unit: CalendarUnit, low: &str, high: &str) -> Vec<String> {
        let day = |text| TimeFormat::Iso.days(text).unwrap();
        let lower = unit.days(day(low), day(high)).unwrap();
        lower.iter().map(|&day| day_to_text(day).unwrap()).collect()
    }

    #[test]
    fn days_are_binned_by_calendar_unit() {
        assert_eq!(
            days(CalendarUnit::Month, "2023-12-15", "2024-03-01"),
            ["2023-12-15", "2024-01-01", "2024-02-01", "2024-03-01"]
        );
        assert_eq!(days(CalendarUnit::Quarter, "2023-11-15", "2024-04-30"), ["2023-11-15", "2024-01-01", "2024-04-01"]);
        assert_eq!(days(CalendarUnit::Year, "1969-06-01", "1971-01-01"), ["1969-06-01", "1970-01-01", "1971-01-01"]);
        // The 6th and the 13th of November 2023 are Mondays.
        assert_eq!(days(CalendarUnit::Week, "2023-11-01", "2023-11-18"), ["2023-11-01", "2023-11-06", "2023-11-13"]);
        assert_eq!(days(CalendarUnit::Day, "2023-02-28", "2023-03-01"), ["2023-02-28", "2023-03-01"]);
    }

    #[test]
    fn instants_are_binned_by_local_time() {
        let micros = |text| TimeFormat::Iso.micros_in(text, None).unwrap();
        let cut = |unit: CalendarUnit, low, high| -> Vec<String> {
            let berlin = Zone::new("Europe/Berlin").unwrap();
            let lower = unit.instants(Some(&berlin), micros(low), micros(high)).unwrap();
            lower.iter().map(|&instant| micros_to_text(instant).unwrap()).collect()
        };
        let days = cut(CalendarUnit::Day, "2024-03-30T12:00:00Z", "2024-04-01T12:00:00Z");
        assert_eq!(days, ["2024-03-30T12:00:00", "2024-03-30T23:00:00", "2024-03-31T22:00:00"]);
        // A day on which clocks are set back has 25 hours.
        let hours = cut(CalendarUnit::Hour, "2024-10-26T22:00:00Z", "2024-10-27T22:59:59Z");
        assert_eq!(hours.len(), 25);
    }

    #[test]
    fn too_many_bins_are_refused_before_they_are_allocated() {
        assert_eq!(CalendarUnit::Hour.instants(None, i64::MIN, i64::MAX), None);
        assert!(CalendarUnit::Year.days(i64::from(i32::MIN), i64::from(i32::MAX)).is_some());
    }

    #[test]
    fn weekdays_match_the_calendar() {
        let name = |day| Keep::Weekday.name(Keep::Weekday.part(day));
        assert_eq!([0, -1, 4].map(name), ["Thursday", "Wednesday", "Monday"]);
        assert_eq!(Keep::Weekday.ends(0, 14, 3), Some((0, 14)));
        assert_eq!(Keep::Weekday.ends(0, 14, 0), Some((4, 11)));
        assert_eq!(Keep::Weekday.ends(0, 2, 0), None);
    }

    #[test]
    fn parts_match_a_scan_over_every_day() {
        let mut rng = SmallRng::seed_from_u64(5);
        for keep in [Keep::Weekday, Keep::Month] {
            for (first, length) in
                (-800..800).step_by(37).flat_map(|first| [0, 5, 40, 365, 900].map(|days| (first, days)))
            {
                let days = first..=first + length;
                for part in 0..keep.count() {
                    let belong: Vec<i64> = days.clone().filter(|&day| keep.part(day) == part).collect();
                    let ends = belong.first().copied().zip(belong.last().copied());
                    assert_eq!(keep.ends(first, first + length, part), ends, "{first} {length} {part}");
                    let drawn = keep.draw(first, first + length, part, &mut rng);
                    assert!(drawn.map_or(belong.is_empty(), |day| belong.contains(&day)));
                }
            }
        }
    }
}
