//! Makes ages agree with dates of birth, and years with dates.
//!
//! Codes of two columns are compatible if some of their values agree. Here the drawn values are
//! made to agree: first the day, drawn from the part of its bin that the other columns allow, then
//! the years.

use arrow_array::ArrayRef;
use chrono::{Datelike, Months, NaiveDate};
use rand::{Rng, RngExt};

use super::Rule;
use super::compile::Columns;
use super::in_order::{wholes, with_wholes};
use super::line::{Codes, Line};
use crate::bins::cut::{Draw, WholeDraw};
use crate::domain::clique::{AttributeId, Clique};
use crate::domain::codes::CodeColumn;
use crate::error::SchemaError;
use crate::schema::Schema;
use crate::schema::attribute::{Attribute, FieldType};
use crate::values::encode::{Values, WholeLine};
use crate::values::text::{TimeFormat, calendar_day};
use crate::values::zone::{Zone, clock_in, day_of};

/// Beyond every day of the calendar and every year.
const FAR: i64 = i64::MAX / 4;

/// The day up to which years are counted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Until {
    /// A fixed day.
    Day(i64),
    /// A date column, with its first and last declared day.
    Date(AttributeId, (i64, i64)),
    /// A datetime column, with its first and last declared day in local time of its zone.
    Instant(AttributeId, (i64, i64), Option<Zone>),
}

/// A checked rule `{years: COLUMN, since: COLUMN, until: COLUMN or DAY}`.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_field_names, reason = "the names of the schema file")]
pub(crate) struct Years {
    pub(crate) years: AttributeId,
    pub(crate) since: AttributeId,
    pub(crate) until: Until,
}

impl Until {
    /// The first and last possible day.
    fn days(&self) -> (i64, i64) {
        match self {
            Self::Day(day) => (*day, *day),
            Self::Date(_, days) | Self::Instant(_, days, _) => *days,
        }
    }

    /// The index of the column, if any.
    fn column(&self) -> Option<usize> {
        match self {
            Self::Day(_) => None,
            Self::Date(column, _) | Self::Instant(column, ..) => Some(column.index()),
        }
    }

    /// The first and last possible day in a row: one day, unless the column is missing there.
    fn days_in(&self, row: usize, values: &RowValues) -> (i64, i64) {
        let value = self.column().and_then(|column| values.get(column, row));
        let day = value.map(|value| match self {
            Self::Instant(_, _, zone) => day_of(clock_in(zone.as_ref(), value)),
            Self::Date(..) | Self::Day(_) => value,
        });
        day.map_or(self.days(), |day| (day, day))
    }
}

impl Columns<'_> {
    /// Checks the columns of the rule and their types.
    pub(super) fn years(&self, years: &str, since: &str, until: &str) -> Result<Years, SchemaError> {
        let (years_id, since_id) = (self.find(years)?, self.find(since)?);
        let check_type = |column: AttributeId, expected: FieldType| {
            let attribute = self.attribute(column);
            if attribute.field_type() == expected {
                return Ok(());
            }
            Err(SchemaError::column(
                attribute.name(),
                format!("is of type `{}`, but a rule on completed years needs `{expected}`", attribute.field_type()),
                "write an integer column as `years`, a date column as `since`, and a date or datetime column or a day as `until`",
            ))
        };
        check_type(years_id, FieldType::Integer)?;
        check_type(since_id, FieldType::Date)?;
        let until = match (self.find(until), TimeFormat::Iso.days(until)) {
            (Ok(column), _) => self.until(column)?,
            (Err(_), Some(day)) => Until::Day(day),
            (Err(_), None) => {
                return Err(SchemaError::table(
                    format!("a rule counts years until `{until}`, which is neither a column nor a day"),
                    "write a date or datetime column, or a day such as \"2024-12-31\"",
                ));
            }
        };
        Ok(Years { years: years_id, since: since_id, until })
    }

    fn until(&self, column: AttributeId) -> Result<Until, SchemaError> {
        let attribute = self.attribute(column);
        let spans = whole_codes(attribute).map(|codes| codes.spans);
        let ends = spans
            .iter()
            .flatten()
            .flatten()
            .copied()
            .reduce(|(low, high), (first, last)| (low.min(first), high.max(last)));
        match (&attribute.encoder().values, ends) {
            (Values::Whole { line: WholeLine::Date(_), .. }, Some((first, last))) => {
                Ok(Until::Date(column, (first, last)))
            }
            (Values::Whole { line: WholeLine::Datetime(_, zone), .. }, Some((first, last))) => {
                let day = |instant: i64| day_of(clock_in(zone.as_ref(), instant));
                Ok(Until::Instant(column, (day(first), day(last)), zone.clone()))
            }
            _ => Err(SchemaError::column(
                attribute.name(),
                "is the `until` of a rule, but is neither a date nor a datetime",
                "write a date or datetime column, or a day such as \"2024-12-31\"",
            )),
        }
    }

    /// Compiles the compatible codes of `years` and `since`.
    pub(super) fn years_rule(&self, written: usize, rule: &Years) -> Result<Rule, SchemaError> {
        let clique = Clique::new([rule.years, rule.since]);
        self.check_size(&clique)?;
        let (years, since) = (years_of(self.attribute(rule.years)), reaches(self.attribute(rule.since)));
        self.rule(written, clique, |codes| match (years[codes.of(rule.years)], since[codes.of(rule.since)]) {
            (Some((least, most)), Some(days)) => {
                let (fewest, longest) = years_between(days, rule.until.days());
                fewest <= most && least <= longest
            }
            _ => true,
        })
    }

    /// Compiles the ordered codes of a date and a year column.
    pub(super) fn year_order_rule(
        &self,
        written: usize,
        earlier: AttributeId,
        later: AttributeId,
    ) -> Result<Rule, SchemaError> {
        let clique = Clique::new([earlier, later]);
        self.check_size(&clique)?;
        let [first, second] = [earlier, later].map(|column| calendar_years(self.attribute(column)));
        self.rule(written, clique, |codes| match (first[codes.of(earlier)], second[codes.of(later)]) {
            (Some((low, _)), Some((_, high))) => low <= high,
            _ => true,
        })
    }
}

/// The codes of a column of whole numbers, dates or datetimes.
fn whole_codes(attribute: &Attribute) -> Option<Codes<i64, WholeDraw>> {
    match Line::of(attribute) {
        Some(Line::Whole(codes)) => Some(codes),
        _ => None,
    }
}

/// The values of every code. The outermost codes are unbounded if they include values out of
/// bounds.
fn reaches(attribute: &Attribute) -> Vec<Option<(i64, i64)>> {
    let mut spans = whole_codes(attribute).map(|codes| codes.spans).unwrap_or_default();
    let encoder = attribute.encoder();
    if let Values::Whole { cut, .. } = &encoder.values
        && cut.bounds().is_some()
    {
        if let Some((first, _)) = &mut spans[encoder.below as usize] {
            *first = -FAR;
        }
        if let Some((_, last)) = &mut spans[encoder.above as usize] {
            *last = FAR;
        }
    }
    spans
}

/// The completed years of every code. They are at least zero, unless negative years are declared.
fn years_of(attribute: &Attribute) -> Vec<Option<(i64, i64)>> {
    let from_zero = |(first, last): (i64, i64)| (if last >= 0 { first.max(0) } else { first }, last);
    reaches(attribute).into_iter().map(|span| span.map(from_zero)).collect()
}

/// The calendar years of every code of a date or year column.
fn calendar_years(attribute: &Attribute) -> Vec<Option<(i64, i64)>> {
    let spans = whole_codes(attribute).map(|codes| codes.spans).unwrap_or_default();
    match attribute.field_type() {
        FieldType::Date => {
            spans.into_iter().map(|span| span.map(|(first, last)| (year_of(first), year_of(last)))).collect()
        }
        _ => spans,
    }
}

fn year_of(day: i64) -> i64 {
    calendar_day(day).map_or(if day < 0 { -FAR } else { FAR }, |date| date.year().into())
}

/// Completed years from `since` to `until`; negative if `until` is earlier.
fn completed_years(since: i64, until: i64) -> i64 {
    match (calendar_day(since), calendar_day(until)) {
        (Some(since), Some(until)) => {
            let has_passed = (until.month(), until.day()) >= (since.month(), since.day());
            i64::from(until.year() - since.year()) - i64::from(!has_passed)
        }
        _ if since < until => FAR,
        _ => -FAR,
    }
}

/// The fewest and the most completed years between days of two ranges.
fn years_between(since: (i64, i64), until: (i64, i64)) -> (i64, i64) {
    (completed_years(since.1, until.0), completed_years(since.0, until.1))
}

/// The range of start days from which `least` to `most` years are completed on a day between
/// `begin` and `end`.
fn days_of_years((least, most): (i64, i64), (begin, end): (i64, i64)) -> (i64, i64) {
    let before = |day: i64, years: i64| {
        let months =
            u32::try_from(years.unsigned_abs()).ok().and_then(|years| years.checked_mul(12)).map(Months::new)?;
        let shifted = if years >= 0 {
            calendar_day(day)?.checked_sub_months(months)
        } else {
            calendar_day(day)?.checked_add_months(months)
        };
        shifted.map(|date| i64::from(date.to_epoch_days()))
    };
    let latest = if least <= -FAR { FAR } else { before(end, least).unwrap_or(FAR) };
    let earliest = if most >= FAR { -FAR } else { before(begin, most + 1).map_or(-FAR, |day| day + 1) };
    (earliest, latest)
}

/// Values by column index and row; columns without a rule are empty.
struct RowValues(Vec<Vec<Option<i64>>>);

impl RowValues {
    fn get(&self, column: usize, row: usize) -> Option<i64> {
        self.0[column][row]
    }

    fn set(&mut self, column: usize, row: usize, value: i64) {
        self.0[column][row] = Some(value);
    }
}

/// A date column and the limits that other columns set on it.
#[derive(Debug)]
pub(crate) struct DaysInYears {
    column: usize,
    codes: Codes<i64, WholeDraw>,
    limits: Vec<Limit>,
}

/// A limit that another column sets on a day.
#[derive(Debug)]
enum Limit {
    /// Completed years until a day.
    Years { years: Partner, reaches: Vec<Option<(i64, i64)>>, until: Until },
    /// The day is not after this calendar year.
    NotAfterYear(Partner),
    /// The day is not before this calendar year.
    NotBeforeYear(Partner),
    /// The day is not after the day of this column.
    NotAfter(usize),
    /// The day is not before the day of this column.
    NotBefore(usize),
}

/// Another column, whose values may be redrawn within their codes.
#[derive(Debug)]
struct Partner {
    column: usize,
    codes: Codes<i64, WholeDraw>,
}

impl Partner {
    fn new(schema: &Schema, column: AttributeId) -> Self {
        let codes = whole_codes(schema.attribute(column)).expect("the rule was checked");
        Self { column: column.index(), codes }
    }
}

impl DaysInYears {
    /// One for every date column that a rule ties to years.
    pub(crate) fn all(schema: &Schema) -> Vec<Self> {
        let tied = schema.rule_set();
        let mut columns: Vec<AttributeId> = tied.years.iter().map(|rule| rule.since).collect();
        let is_date = |column: AttributeId| schema.attribute(column).field_type() == FieldType::Date;
        columns.extend(tied.year_orders.iter().map(|&(first, second)| if is_date(first) { first } else { second }));
        columns.sort_unstable();
        columns.dedup();
        columns.into_iter().map(|column| Self::new(schema, column)).collect()
    }

    fn new(schema: &Schema, column: AttributeId) -> Self {
        let tied = schema.rule_set();
        let mut limits = Vec::new();
        for rule in tied.years.iter().filter(|rule| rule.since == column) {
            limits.push(Limit::Years {
                years: Partner::new(schema, rule.years),
                reaches: years_of(schema.attribute(rule.years)),
                until: rule.until.clone(),
            });
        }
        for &(first, second) in &tied.year_orders {
            if first == column {
                limits.push(Limit::NotAfterYear(Partner::new(schema, second)));
            } else if second == column {
                limits.push(Limit::NotBeforeYear(Partner::new(schema, first)));
            }
        }
        for &(first, second) in &schema.rule_set().ascending {
            if first == column {
                limits.push(Limit::NotAfter(second.index()));
            } else if second == column {
                limits.push(Limit::NotBefore(first.index()));
            }
        }
        let codes = whole_codes(schema.attribute(column)).expect("the rule was checked");
        Self { column: column.index(), codes, limits }
    }

    /// Redraws days and years that do not agree. Codes do not change.
    pub(crate) fn enforce(&self, codes: &[CodeColumn], arrays: &mut [ArrayRef], rng: &mut impl Rng) {
        let mut places = vec![self.column];
        for limit in &self.limits {
            match limit {
                Limit::Years { years, until, .. } => {
                    places.push(years.column);
                    places.extend(until.column());
                }
                Limit::NotAfterYear(partner) | Limit::NotBeforeYear(partner) => places.push(partner.column),
                Limit::NotAfter(column) | Limit::NotBefore(column) => places.push(*column),
            }
        }
        places.sort_unstable();
        places.dedup();
        let mut values = RowValues(vec![Vec::new(); arrays.len()]);
        for &place in &places {
            values.0[place] = wholes(&arrays[place]);
        }
        for row in 0..codes[self.column].len() {
            self.enforce_row(row, codes, &mut values, rng);
        }
        for place in places {
            arrays[place] = with_wholes(&arrays[place], std::mem::take(&mut values.0[place]));
        }
    }

    fn enforce_row(&self, row: usize, codes: &[CodeColumn], values: &mut RowValues, rng: &mut impl Rng) {
        let Some(mut day) = values.get(self.column, row) else { return };
        let code = codes[self.column].get(row);
        let Some((mut low, mut high)) = self.codes.spans[code as usize] else { return };
        for limit in &self.limits {
            let (first, last) = Self::days(limit, row, codes, values);
            // Ignore a limit that leaves no day: codes cannot guarantee limits of three columns
            // together.
            if first.max(low) <= last.min(high) {
                (low, high) = (first.max(low), last.min(high));
            }
        }
        if !(low..=high).contains(&day) {
            day = self.codes.draw.draw_within(code, low, high, rng);
            values.set(self.column, row, day);
        }
        for limit in &self.limits {
            fit_partner(limit, day, row, codes, values, rng);
        }
    }

    /// The days that a limit allows for some value of the other column's code.
    fn days(limit: &Limit, row: usize, codes: &[CodeColumn], values: &RowValues) -> (i64, i64) {
        let everything = (-FAR, FAR);
        match limit {
            Limit::Years { years, reaches, until } => match reaches[codes[years.column].get(row) as usize] {
                Some(reach) => days_of_years(reach, until.days_in(row, values)),
                None => everything,
            },
            Limit::NotAfterYear(partner) => match partner.codes.spans[codes[partner.column].get(row) as usize] {
                Some((_, last)) => (-FAR, first_day(last + 1) - 1),
                None => everything,
            },
            Limit::NotBeforeYear(partner) => match partner.codes.spans[codes[partner.column].get(row) as usize] {
                Some((first, _)) => (first_day(first), FAR),
                None => everything,
            },
            Limit::NotAfter(column) => (-FAR, values.get(*column, row).unwrap_or(FAR)),
            Limit::NotBefore(column) => (values.get(*column, row).unwrap_or(-FAR), FAR),
        }
    }
}

/// The first day of a year.
fn first_day(year: i64) -> i64 {
    let day = i32::try_from(year).ok().and_then(|year| NaiveDate::from_ymd_opt(year, 1, 1));
    day.map_or(if year < 0 { -FAR } else { FAR }, |day| day.to_epoch_days().into())
}

/// Sets the other column to a value of its code that agrees with the day.
fn fit_partner(limit: &Limit, day: i64, row: usize, codes: &[CodeColumn], values: &mut RowValues, rng: &mut impl Rng) {
    let span = |partner: &Partner| partner.codes.spans[codes[partner.column].get(row) as usize];
    match limit {
        Limit::Years { years, until, .. } => {
            let (Some(value), Some((first, last))) = (values.get(years.column, row), span(years)) else { return };
            let (fewest, most) = years_between((day, day), until.days_in(row, values));
            values.set(years.column, row, value.clamp(fewest, most).clamp(first, last));
        }
        Limit::NotAfterYear(partner) | Limit::NotBeforeYear(partner) => {
            let (Some(value), Some((first, last))) = (values.get(partner.column, row), span(partner)) else { return };
            let year = year_of(day);
            let (low, high) = match limit {
                Limit::NotAfterYear(_) => (first.max(year), last),
                _ => (first, last.min(year)),
            };
            if low <= high && !(low..=high).contains(&value) {
                values.set(partner.column, row, rng.random_range(low..=high));
            }
        }
        Limit::NotAfter(_) | Limit::NotBefore(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> i64 {
        TimeFormat::Iso.days(text).unwrap()
    }

    #[test]
    fn years_are_completed_on_birthdays() {
        for (since, until, years) in [
            ("1984-03-05", "2024-03-04", 39),
            ("1984-03-05", "2024-03-05", 40),
            ("2000-02-29", "2023-02-28", 22),
            ("2000-02-29", "2023-03-01", 23),
            ("2024-06-01", "2024-05-06", -1),
        ] {
            assert_eq!(completed_years(day(since), day(until)), years, "{since} to {until}");
        }
    }

    #[test]
    fn days_of_years_inverts_completed_years() {
        for until in ["2024-05-06", "2024-02-29", "2023-02-28"].map(day) {
            for years in [0, 1, 4, 85] {
                let (first, last) = days_of_years((years, years), (until, until));
                assert!((first..=last).all(|since| completed_years(since, until) == years));
                assert!(completed_years(first - 1, until) > years && completed_years(last + 1, until) < years);
            }
        }
    }
}
