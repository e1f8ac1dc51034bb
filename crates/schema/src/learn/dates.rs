//! Bounds and bins of dates and instants, from counts over a public calendar.

use std::ops::Range;

use chrono::{Datelike, Days, Months, NaiveDate};

use super::kind::{Kind, LearnedKind};
use super::segments::populated;
use super::{GridCounts, LineCounts, Resolution};
use crate::bins::calendar::CalendarUnit;
use crate::file::spec::{BinsSpec, Constraints, FieldSpec, FieldTerms, Scalar, Source};

/// First and last year of the grid.
const YEARS: std::ops::RangeInclusive<i32> = 1850..=2149;
/// Months from 1970 to 2029, if rows are in none beyond doubt.
const UNKNOWN_MONTHS: std::ops::Range<usize> = 12 * 120..12 * 180;
/// Maximum number of bins.
const MAX_BINS: f64 = 128.0;
/// Rows of a bin for each row of noise in the learning of it.
const ROWS_PER_NOISE: f64 = 1.5;
/// Days in a month, on average.
const DAYS_OF_MONTH: f64 = 30.44;
/// Maximum number of months that are looked at more closely by days, and of those by months.
const BY_DAYS: usize = 13;
const BY_MONTHS: usize = 360;

/// Units that bins may have, with their days, fine ones first. The first two are for instants only.
const UNITS: [(Unit, f64); 7] = [
    (Unit::By(CalendarUnit::Hour), 1.0 / 24.0),
    (Unit::HalfDay, 0.5),
    (Unit::By(CalendarUnit::Day), 1.0),
    (Unit::By(CalendarUnit::Week), 7.0),
    (Unit::By(CalendarUnit::Month), DAYS_OF_MONTH),
    (Unit::By(CalendarUnit::Quarter), 91.3),
    (Unit::By(CalendarUnit::Year), 365.25),
];

#[derive(Debug, Clone, Copy)]
enum Unit {
    By(CalendarUnit),
    HalfDay,
}

impl Unit {
    fn bins(self) -> BinsSpec {
        match self {
            Self::By(unit) => BinsSpec { by: Some(unit), ..BinsSpec::default() },
            Self::HalfDay => BinsSpec::of_width(43_200.0),
        }
    }
}

/// A range of days that is counted once more, in finer cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloserLook {
    first: NaiveDate,
    last: NaiveDate,
    /// Whether cells are days; months otherwise.
    by_days: bool,
}

impl CloserLook {
    /// Returns the first and last day of some cells.
    fn days(&self, cells: Range<usize>) -> (NaiveDate, NaiveDate) {
        let start = |cell: usize| {
            let cell = u32::try_from(cell).unwrap_or(u32::MAX);
            if self.by_days {
                self.first.checked_add_days(Days::new(cell.into()))
            } else {
                self.first.checked_add_months(Months::new(cell))
            }
        };
        let last = start(cells.end).and_then(|day| day.pred_opt());
        (start(cells.start).unwrap_or(self.first), last.unwrap_or(self.last).min(self.last))
    }

    fn cells(&self) -> usize {
        let days = (self.last - self.first).num_days() + 1;
        let months = 12 * i64::from(self.last.year() - self.first.year()) + i64::from(self.last.month())
            - i64::from(self.first.month())
            + 1;
        usize::try_from(if self.by_days { days } else { months }).unwrap_or(0)
    }
}

/// Returns the column that counts dates by months or years.
pub(super) fn grid(learned: &LearnedKind, name: &str, resolution: Resolution) -> FieldSpec {
    let unit = match resolution {
        Resolution::Coarse => CalendarUnit::Year,
        Resolution::Fine => CalendarUnit::Month,
    };
    let (first, last) = (format!("{}-01-01", YEARS.start()), format!("{}-12-31", YEARS.end()));
    public(bounded(learned, name, false, &first, &last), unit)
}

/// Returns the column that counts dates in finer cells.
pub(super) fn closer_grid(learned: &LearnedKind, name: &str, look: &CloserLook) -> FieldSpec {
    let unit = if look.by_days { CalendarUnit::Day } else { CalendarUnit::Month };
    public(bounded(learned, name, false, &look.first.to_string(), &look.last.to_string()), unit)
}

/// Returns a column with public bins.
fn public(field: FieldSpec, unit: CalendarUnit) -> FieldSpec {
    let bins = Some(Unit::By(unit).bins());
    FieldSpec { dp: FieldTerms { source: Source::Public, bins, ..FieldTerms::default() }, ..field }
}

/// Returns a column of days or instants between two days.
fn bounded(learned: &LearnedKind, name: &str, required: bool, first: &str, last: &str) -> FieldSpec {
    let (field_type, format) = match learned.kind {
        Kind::Date(style) => ("date", style.pattern().map(str::to_owned)),
        Kind::Datetime(style) => ("datetime", style.pattern()),
        _ => ("datetime", None),
    };
    let at = |day: &str, clock: &str| {
        Scalar::Text(if field_type == "datetime" { format!("{day}T{clock}") } else { day.to_owned() })
    };
    FieldSpec {
        field_type: field_type.into(),
        format,
        constraints: Constraints {
            required,
            minimum: Some(at(first, "00:00:00")),
            maximum: Some(at(last, "23:59:59")),
            categories: None,
        },
        ..learned.field(name)
    }
}

/// Returns the months that rows are in beyond doubt, and the number of rows; `None` if there are
/// none.
fn months(learned: &LearnedKind, counts: LineCounts<'_>) -> Option<(Range<usize>, f64)> {
    let of_cell = match counts.resolution {
        Resolution::Coarse => 12,
        Resolution::Fine => 1,
    };
    let GridCounts { counts, noise } = counts.cells;
    // The rest are codes for dates beyond the grid, and for missing ones.
    let cells = usize::try_from(12 * (YEARS.end() - YEARS.start() + 1)).unwrap_or(0) / of_cell;
    let (cells, rows) = populated(&counts[..cells.min(counts.len())], noise, learned.rows)?;
    Some((cells.start * of_cell..cells.end * of_cell, rows.iter().sum()))
}

/// Returns the range that is worth a second look: one that finer cells would divide better than
/// those of the grid do.
pub(super) fn closer(learned: &LearnedKind, counts: LineCounts<'_>) -> Option<CloserLook> {
    let (months, _) = months(learned, counts)?;
    let by_days = months.len() <= BY_DAYS;
    let is_finer = by_days || (counts.resolution == Resolution::Coarse && months.len() <= BY_MONTHS);
    let (first, last) = days_of(&months)?;
    is_finer.then_some(CloserLook { first, last, by_days })
}

/// Returns the column as learned: the months or years that rows are in beyond doubt, in the finest
/// unit of which there are not too many.
pub(super) fn learned(learned: &LearnedKind, name: &str, counts: LineCounts<'_>) -> FieldSpec {
    let (months, rows) = months(learned, counts).unwrap_or((UNKNOWN_MONTHS, 0.0));
    let (first, last) = days_of(&months).expect("months of the grid are in the calendar");
    of_days(learned, name, (first, last), rows / counts.cells.noise)
}

/// Returns the column as learned from a closer look; from the first one, if nothing stands out.
pub(super) fn learned_closer(
    learned: &LearnedKind,
    name: &str,
    first: LineCounts<'_>,
    look: &CloserLook,
    counts: GridCounts<'_>,
) -> FieldSpec {
    let GridCounts { counts, noise } = counts;
    match populated(&counts[..look.cells().min(counts.len())], noise, learned.rows) {
        Some((cells, rows)) => of_days(learned, name, look.days(cells), rows.iter().sum::<f64>() / noise),
        None => self::learned(learned, name, first),
    }
}

/// Returns a column of these days, in bins as fine as the rows for each row of noise allow.
fn of_days(learned: &LearnedKind, name: &str, (first, last): (NaiveDate, NaiveDate), rows_per_noise: f64) -> FieldSpec {
    let days = ((last - first).num_days() + 1) as f64;
    let bins = (rows_per_noise / ROWS_PER_NOISE).clamp(12.0, MAX_BINS);
    let units = match learned.kind {
        Kind::Date(_) => &UNITS[2..],
        _ => &UNITS[..],
    };
    let unit = units.iter().find(|(_, of_unit)| days / of_unit <= bins);
    let unit = unit.map_or(Unit::By(CalendarUnit::Year), |(unit, _)| *unit);
    let field = bounded(learned, name, learned.is_required, &first.to_string(), &last.to_string());
    FieldSpec { dp: FieldTerms { bins: Some(unit.bins()), ..field.dp }, ..field }
}

/// Returns the first and last day of months of the grid.
fn days_of(months: &Range<usize>) -> Option<(NaiveDate, NaiveDate)> {
    let start = |month: usize| {
        let first = NaiveDate::from_ymd_opt(*YEARS.start(), 1, 1)?;
        first.checked_add_months(Months::new(u32::try_from(month).ok()?))
    };
    Some((start(months.start)?, start(months.end)?.pred_opt()?))
}

#[cfg(test)]
mod tests {
    use super::super::{DateStyle, TimeStyle};
    use super::*;
    use crate::Schema;
    use crate::file::spec::SchemaSpec;

    fn schema(field: FieldSpec) -> Schema {
        Schema::new(SchemaSpec { fields: vec![field], ..SchemaSpec::default() }).unwrap()
    }

    fn of(kind: Kind, texts: &[&str], rows: f64) -> Schema {
        let learned = LearnedKind { is_required: true, ..LearnedKind::stated(kind) };
        let grid = schema(grid(&learned, "x", Resolution::Fine));
        let mut counts = vec![0.0; grid.domain().sizes()[0] as usize];
        for text in texts {
            counts[grid.attributes()[0].encoder().text(text.as_bytes()) as usize] += rows;
        }
        let cells = GridCounts { counts: &counts, noise: 10.0 };
        schema(super::learned(&learned, "x", LineCounts { cells, resolution: Resolution::Fine }))
    }

    #[test]
    fn bounds_are_whole_months() {
        let dates = of(Kind::Date(DateStyle::DaySlash), &["15/01/2019", "03/12/2020"], 2_000.0);
        let spec = dates.attributes()[0].spec();
        assert_eq!(spec.constraints.minimum, Some(Scalar::Text("2019-01-01".into())));
        assert_eq!(spec.constraints.maximum, Some(Scalar::Text("2020-12-31".into())));
        assert_eq!(dates.domain().sizes(), [105], "by weeks");
        let dates = of(Kind::Date(DateStyle::DaySlash), &["15/01/2019", "03/12/2020"], 80.0);
        assert_eq!(dates.domain().sizes(), [8], "few rows: by quarters");
        let dates = of(Kind::Date(DateStyle::Iso), &["2020-02-03"], 40_000.0);
        assert_eq!(dates.domain().sizes(), [29], "many rows: by days");
    }

    #[test]
    fn a_thin_spread_of_births_is_found_by_years() {
        let learned = LearnedKind::stated(Kind::Date(DateStyle::Iso));
        let grid = schema(grid(&learned, "x", Resolution::Coarse));
        let wiggle = |cell: usize| ((cell * 7_919 % 1_000) as f64 / 500.0 - 1.0) * 100.0;
        let mut counts: Vec<f64> = (0..grid.domain().sizes()[0] as usize).map(wiggle).collect();
        for year in 1930..2015 {
            counts[grid.attributes()[0].encoder().text(format!("{year}-05-17").as_bytes()) as usize] += 110.0;
        }
        let cells = GridCounts { counts: &counts, noise: 60.0 };
        let births = schema(super::learned(&learned, "x", LineCounts { cells, resolution: Resolution::Coarse }));
        assert!((80..=95).contains(&births.attributes()[0].declared_codes()), "{:?}", births.domain().sizes());
    }

    /// Looks at instants on these days, with their numbers of rows, by years and then closer.
    fn closer(days: &[(&str, f64)]) -> Schema {
        let learned = LearnedKind::stated(Kind::Datetime(TimeStyle::Iso));
        let counts = |grid: &Schema| {
            let wiggle = |cell: usize| ((cell * 7_919 % 1_000) as f64 / 500.0 - 1.0) * 60.0;
            let mut counts: Vec<f64> = (0..grid.domain().sizes()[0] as usize).map(wiggle).collect();
            for (day, rows) in days {
                let at = format!("{day}T09:30:00");
                counts[grid.attributes()[0].encoder().text(at.as_bytes()) as usize] += rows;
            }
            counts
        };
        let first = counts(&schema(grid(&learned, "x", Resolution::Coarse)));
        let first = GridCounts { counts: &first, noise: 60.0 };
        let first = LineCounts { cells: first, resolution: Resolution::Coarse };
        let look = learned.closer(first).unwrap();
        let second = counts(&schema(learned.closer_grid("x", &look)));
        schema(learned.of_closer_grid("x", first, &look, GridCounts { counts: &second, noise: 60.0 }))
    }

    #[test]
    fn a_closer_look_finds_weeks_in_a_year() {
        let days: Vec<String> = (5..25).map(|day| format!("2024-02-{day:02}")).collect();
        let visits = closer(&days.iter().map(|day| (day.as_str(), 500.0)).collect::<Vec<_>>());
        let spec = visits.attributes()[0].spec();
        assert_eq!(spec.constraints.minimum, Some(Scalar::Text("2024-02-05T00:00:00".into())));
        assert_eq!(visits.attributes()[0].declared_codes(), 40, "half days");
        // A few years: months are looked at, and no day is made up.
        let years: Vec<String> =
            (0..36).map(|month| format!("{}-{:02}-11", 2019 + month / 12, month % 12 + 1)).collect();
        let visits = closer(&years[2..34].iter().map(|day| (day.as_str(), 400.0)).collect::<Vec<_>>());
        let spec = visits.attributes()[0].spec();
        assert_eq!(spec.constraints.minimum, Some(Scalar::Text("2019-03-01T00:00:00".into())));
        assert_eq!(spec.constraints.maximum, Some(Scalar::Text("2021-10-31T23:59:59".into())));
    }

    #[test]
    fn a_long_time_needs_no_closer_look() {
        let learned = LearnedKind::stated(Kind::Date(DateStyle::Iso));
        let mut counts = vec![0.0; 302];
        counts[80..170].fill(500.0);
        let births = LineCounts { cells: GridCounts { counts: &counts, noise: 60.0 }, resolution: Resolution::Coarse };
        assert_eq!(learned.closer(births), None);
    }

    #[test]
    fn instants_too() {
        let times = of(Kind::Datetime(TimeStyle::Iso), &["2019-01-15T12:00:00", "2020-12-03 10:11:12"], 4_000.0);
        assert_eq!(times.domain().sizes(), [105]);
        assert_eq!(times.attributes()[0].field_type().name(), "datetime");
    }

    #[test]
    fn noise_alone_gives_some_column() {
        assert!(of(Kind::Date(DateStyle::Iso), &[], 1.0).domain().sizes()[0] <= 128);
    }
}
