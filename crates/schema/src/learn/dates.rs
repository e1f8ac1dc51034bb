//! Bounds and bins of dates and instants, from counts over a public calendar.

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
const MAX_BINS: f64 = 100.0;
/// Rows of a bin for each row of noise in the learning of it.
const ROWS_PER_NOISE: f64 = 3.0;
/// Units of the calendar and their days, fine ones first.
const UNITS: [(CalendarUnit, f64); 5] = [
    (CalendarUnit::Day, 1.0),
    (CalendarUnit::Week, 7.0),
    (CalendarUnit::Month, 30.44),
    (CalendarUnit::Quarter, 91.3),
    (CalendarUnit::Year, 365.25),
];

/// Returns the column that counts dates by months or years.
pub(super) fn grid(learned: &LearnedKind, name: &str, resolution: Resolution) -> FieldSpec {
    let unit = match resolution {
        Resolution::Coarse => CalendarUnit::Year,
        Resolution::Fine => CalendarUnit::Month,
    };
    let bins = BinsSpec { by: Some(unit), ..BinsSpec::default() };
    let (first, last) = (format!("{}-01-01", YEARS.start()), format!("{}-12-31", YEARS.end()));
    FieldSpec {
        dp: FieldTerms { source: Source::Public, bins: Some(bins), ..FieldTerms::default() },
        ..bounded(learned, name, false, first, last)
    }
}

/// Returns a column of days or instants between two days.
fn bounded(learned: &LearnedKind, name: &str, required: bool, first: String, last: String) -> FieldSpec {
    let (field_type, format) = match learned.kind {
        Kind::Date(style) => ("date", style.pattern().map(str::to_owned)),
        Kind::Datetime(style) => ("datetime", style.pattern()),
        _ => ("datetime", None),
    };
    let last = if field_type == "datetime" { format!("{last}T23:59:59") } else { last };
    let first = if field_type == "datetime" { format!("{first}T00:00:00") } else { first };
    FieldSpec {
        field_type: field_type.into(),
        format,
        constraints: Constraints {
            required,
            minimum: Some(Scalar::Text(first)),
            maximum: Some(Scalar::Text(last)),
            categories: None,
        },
        ..learned.field(name)
    }
}

/// Returns the column as learned: the months or years that rows are in beyond doubt, in the finest
/// unit of which there are not too many.
pub(super) fn learned(learned: &LearnedKind, name: &str, counts: LineCounts<'_>) -> FieldSpec {
    let of_cell = match counts.resolution {
        Resolution::Coarse => 12,
        Resolution::Fine => 1,
    };
    let GridCounts { counts, noise } = counts.cells;
    // The rest are codes for dates beyond the grid, and for missing ones.
    let cells = usize::try_from(12 * (YEARS.end() - YEARS.start() + 1)).unwrap_or(0) / of_cell;
    let (first, last, rows) = match populated(&counts[..cells.min(counts.len())], noise, learned.rows) {
        Some((cells, rows)) => (cells.start * of_cell, cells.end * of_cell - 1, rows.iter().sum()),
        None => (UNKNOWN_MONTHS.start, UNKNOWN_MONTHS.end - 1, 0.0),
    };
    let days = 30.44 * (last - first + 1) as f64;
    let bins = (rows / (ROWS_PER_NOISE * noise)).clamp(12.0, MAX_BINS);
    let unit =
        UNITS.into_iter().find(|(_, of_unit)| days / of_unit <= bins).map_or(CalendarUnit::Year, |(unit, _)| unit);
    let bins = BinsSpec { by: Some(unit), ..BinsSpec::default() };
    let field = bounded(learned, name, learned.is_required, day(first, false), day(last, true));
    FieldSpec { dp: FieldTerms { bins: Some(bins), ..field.dp }, ..field }
}

/// Returns the first or last day of a month of the grid.
fn day(month: usize, last: bool) -> String {
    let (year, month) = (YEARS.start() + i32::try_from(month / 12).unwrap_or(0), month % 12 + 1);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    format!("{year}-{month:02}-{:02}", if last { days[month - 1] } else { 1 })
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
        let learned = LearnedKind { kind, is_required: true, missing: Vec::new(), rows: None };
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
        assert_eq!(dates.domain().sizes(), [24], "by months");
        let dates = of(Kind::Date(DateStyle::DaySlash), &["15/01/2019", "03/12/2020"], 200.0);
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

    #[test]
    fn instants_too() {
        let times = of(Kind::Datetime(TimeStyle::Iso), &["2019-01-15T12:00:00", "2020-12-03 10:11:12"], 4_000.0);
        assert_eq!(times.domain().sizes(), [24]);
        assert_eq!(times.attributes()[0].field_type().name(), "datetime");
    }

    #[test]
    fn noise_alone_gives_some_column() {
        assert!(of(Kind::Date(DateStyle::Iso), &[], 1.0).domain().sizes()[0] <= 100);
    }
}
