//! Completed years between two days: an age that agrees with the date of birth, and years that agree with dates.
//!
//! Codes of the two columns go together if some of their values do. Values that were drawn from those codes are made to agree
//! here: the day first, from the part of its bin that the other columns of the row leave, and then the years.

use arrow_array::ArrayRef;
use chrono::{Datelike, Months, NaiveDate};
use rand::{Rng, RngExt};

use super::Rule;
use super::compile::Columns;
use super::in_order::{wholes, with_wholes};
use super::line::{Codes, Line};
use crate::attribute::{Attribute, FieldType};
use crate::clique::{AttributeId, Clique};
use crate::codes::CodeColumn;
use crate::cut::{Draw, WholeDraw};
use crate::encode::{Values, WholeLine};
use crate::error::SchemaError;
use crate::schema::Schema;
use crate::text::TimeFormat;
use crate::zone::{Zone, clock_in, day_of};

/// Beyond every day of the calendar and every year.
const FAR: i64 = i64::MAX / 4;

/// The day up to which years are completed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Until {
    /// The same in all rows.
    Day(i64),
    /// That of a column of dates, between the first and the last that it declares.
    Date(AttributeId, (i64, i64)),
    /// That of a column of instants, as a clock in its zone shows it.
    Instant(AttributeId, (i64, i64), Option<Zone>),
}

/// A rule `{years: COLUMN, since: COLUMN, until: COLUMN or DAY}` that was checked.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_field_names, reason = "they are called as in the schema file")]
pub(crate) struct Years {
    pub(crate) years: AttributeId,
    pub(crate) since: AttributeId,
    pub(crate) until: Until,
}

impl Until {
    /// The first and the last day that it can be.
    fn days(&self) -> (i64, i64) {
        match self {
            Self::Day(day) => (*day, *day),
            Self::Date(_, days) | Self::Instant(_, days, _) => *days,
        }
    }

    /// The place of its column.
    fn column(&self) -> Option<usize> {
        match self {
            Self::Day(_) => None,
            Self::Date(column, _) | Self::Instant(column, ..) => Some(column.index()),
        }
    }

    /// The days that it can be in a row: one, unless its column has no value there.
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
    /// The columns of the rule, of the types that it needs.
    pub(super) fn years(&self, years: &str, since: &str, until: &str) -> Result<Years, SchemaError> {
        let (years_id, since_id) = (self.find(years)?, self.find(since)?);
        let of_type = |column: AttributeId, wanted: FieldType| {
            let attribute = self.attribute(column);
            if attribute.field_type() == wanted {
                return Ok(());
            }
            Err(SchemaError::column(
                attribute.name(),
                format!("is of type `{}`, and a rule about completed years needs `{wanted}`", attribute.field_type()),
                "name an integer as `years`, a date as `since`, and a date, a datetime or a day as `until`",
            ))
        };
        of_type(years_id, FieldType::Integer)?;
        of_type(since_id, FieldType::Date)?;
        let until = match (self.find(until), TimeFormat::Iso.days(until)) {
            (Ok(column), _) => self.until(column)?,
            (Err(_), Some(day)) => Until::Day(day),
            (Err(_), None) => {
                return Err(SchemaError::table(
                    format!("a rule counts years until `{until}`, which is neither a column nor a day"),
                    "name a date or datetime column, or write a day such as \"2024-12-31\"",
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
                "is the `until` of a rule, and is neither a date nor a datetime",
                "name a date or datetime column, or write a day such as \"2024-12-31\"",
            )),
        }
    }

    /// Which codes of the two columns go together.
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

    /// Which codes of a column of days and one of calendar years are in order.
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

/// The codes of a column of whole numbers.
fn whole_codes(attribute: &Attribute) -> Option<Codes<i64, WholeDraw>> {
    match Line::of(attribute) {
        Some(Line::Whole(codes)) => Some(codes),
        _ => None,
    }
}

/// What codes of a column stand for: as they come back, and beyond both ends where values out of bounds count there.
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

/// The completed years that codes of a column stand for. Nothing was completed before it began, so what lies below the bounds
/// is zero at least.
fn years_of(attribute: &Attribute) -> Vec<Option<(i64, i64)>> {
    let from_zero = |(first, last): (i64, i64)| (if last >= 0 { first.max(0) } else { first }, last);
    reaches(attribute).into_iter().map(|span| span.map(from_zero)).collect()
}

/// The calendar years of the codes of a column of days or years.
fn calendar_years(attribute: &Attribute) -> Vec<Option<(i64, i64)>> {
    let spans = whole_codes(attribute).map(|codes| codes.spans).unwrap_or_default();
    match attribute.field_type() {
        FieldType::Date => {
            spans.into_iter().map(|span| span.map(|(first, last)| (year_of(first), year_of(last)))).collect()
        }
        _ => spans,
    }
}

fn date(day: i64) -> Option<NaiveDate> {
    NaiveDate::from_epoch_days(i32::try_from(day).ok()?)
}

fn year_of(day: i64) -> i64 {
    date(day).map_or(if day < 0 { -FAR } else { FAR }, |date| date.year().into())
}

/// Completed years from one day to another; below zero if the other comes first.
fn completed_years(since: i64, until: i64) -> i64 {
    match (date(since), date(until)) {
        (Some(since), Some(until)) => {
            let has_passed = (until.month(), until.day()) >= (since.month(), since.day());
            i64::from(until.year() - since.year()) - i64::from(!has_passed)
        }
        _ if since < until => FAR,
        _ => -FAR,
    }
}

/// The fewest and the most completed years between days of two intervals.
fn years_between(since: (i64, i64), until: (i64, i64)) -> (i64, i64) {
    (completed_years(since.1, until.0), completed_years(since.0, until.1))
}

/// The days on which `least` to `most` years were completed on a day of `until`.
fn days_of_years((least, most): (i64, i64), (begin, end): (i64, i64)) -> (i64, i64) {
    let before = |day: i64, years: i64| {
        let months =
            u32::try_from(years.unsigned_abs()).ok().and_then(|years| years.checked_mul(12)).map(Months::new)?;
        let shifted =
            if years >= 0 { date(day)?.checked_sub_months(months) } else { date(day)?.checked_add_months(months) };
        shifted.map(|date| i64::from(date.to_epoch_days()))
    };
    let latest = if least <= -FAR { FAR } else { before(end, least).unwrap_or(FAR) };
    let earliest = if most >= FAR { -FAR } else { before(begin, most + 1).map_or(-FAR, |day| day + 1) };
    (earliest, latest)
}

/// Values of some columns, by place and row; columns that no rule is about are empty.
struct RowValues(Vec<Vec<Option<i64>>>);

impl RowValues {
    fn get(&self, column: usize, row: usize) -> Option<i64> {
        self.0[column][row]
    }

    fn set(&mut self, column: usize, row: usize, value: i64) {
        self.0[column][row] = Some(value);
    }
}

/// A column of days, and what other columns of a row say about them.
#[derive(Debug)]
pub(crate) struct DaysInYears {
    column: usize,
    codes: Codes<i64, WholeDraw>,
    limits: Vec<Limit>,
}

/// What another column says.
#[derive(Debug)]
enum Limit {
    /// Completed years until some day.
    Years { years: Partner, reaches: Vec<Option<(i64, i64)>>, until: Until },
    /// A calendar year that the day is not after.
    NotAfterYear(Partner),
    /// A calendar year that the day is not before.
    NotBeforeYear(Partner),
    /// A day that this one is not after.
    NotAfter(usize),
    /// A day that this one is not before.
    NotBefore(usize),
}

/// Another column, whose values may be drawn anew within their codes.
#[derive(Debug)]
struct Partner {
    column: usize,
    codes: Codes<i64, WholeDraw>,
}

impl Partner {
    fn new(schema: &Schema, column: AttributeId) -> Self {
        let codes = whole_codes(schema.attribute(column)).expect("a rule was checked");
        Self { column: column.index(), codes }
    }
}

impl DaysInYears {
    /// Those of a schema, one for every column of days that a rule ties to years.
    pub(crate) fn all(schema: &Schema) -> Vec<Self> {
        let tied = schema.tied_to_years();
        let mut columns: Vec<AttributeId> = tied.years.iter().map(|rule| rule.since).collect();
        let is_date = |column: AttributeId| schema.attribute(column).field_type() == FieldType::Date;
        columns.extend(tied.year_orders.iter().map(|&(first, second)| if is_date(first) { first } else { second }));
        columns.sort_unstable();
        columns.dedup();
        columns.into_iter().map(|column| Self::new(schema, column)).collect()
    }

    fn new(schema: &Schema, column: AttributeId) -> Self {
        let tied = schema.tied_to_years();
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
        for &(first, second) in schema.ascending() {
            if first == column {
                limits.push(Limit::NotAfter(second.index()));
            } else if second == column {
                limits.push(Limit::NotBefore(first.index()));
            }
        }
        let codes = whole_codes(schema.attribute(column)).expect("a rule was checked");
        Self { column: column.index(), codes, limits }
    }

    /// Draws days and years anew that do not agree. Their codes stay what they are.
    pub(crate) fn mend(&self, codes: &[CodeColumn], arrays: &mut [ArrayRef], rng: &mut impl Rng) {
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
            self.mend_row(row, codes, &mut values, rng);
        }
        for place in places {
            arrays[place] = with_wholes(&arrays[place], std::mem::take(&mut values.0[place]));
        }
    }

    fn mend_row(&self, row: usize, codes: &[CodeColumn], values: &mut RowValues, rng: &mut impl Rng) {
        let Some(mut day) = values.get(self.column, row) else { return };
        let code = codes[self.column].get(row);
        let Some((mut low, mut high)) = self.codes.spans[code as usize] else { return };
        for limit in &self.limits {
            let (first, last) = Self::days(limit, row, codes, values);
            // A limit that leaves nothing is one that codes cannot keep, such as that of three columns together.
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

    /// The days that a limit leaves, whatever value the other column takes within its code.
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

/// Gives the other column a value of its code that agrees with the day.
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
    fn the_days_of_some_years_are_exactly_those() {
        for until in ["2024-05-06", "2024-02-29", "2023-02-28"].map(day) {
            for years in [0, 1, 4, 85] {
                let (first, last) = days_of_years((years, years), (until, until));
                assert!((first..=last).all(|since| completed_years(since, until) == years));
                assert!(completed_years(first - 1, until) > years && completed_years(last + 1, until) < years);
            }
        }
    }
}
