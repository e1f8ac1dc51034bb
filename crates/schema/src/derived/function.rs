//! The operators and functions of expressions: their kinds and their values.

use std::borrow::Cow;
use std::cmp::Ordering;

use chrono::{Datelike, NaiveDate};

use super::value::{Kind, Value};
use crate::values::text::{MICROS_PER_DAY, calendar_day, iso_date};
use crate::values::zone::day_of;

/// An operator or a function. Unless stated, its value is missing if one of its arguments is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// The whole part of a quotient.
    Div,
    /// The remainder, with the sign of the dividend.
    Mod,
    Negate,
    Abs,
    /// With one argument, a whole number.
    Round,
    Floor,
    Ceil,
    Sqrt,
    Power,
    Ln,
    Exp,
    Compare(Comparison),
    /// False if one side is false, even if the other is missing.
    And,
    /// True if one side is true, even if the other is missing.
    Or,
    Not,
    /// Never missing.
    IsNull,
    /// The first argument that is there.
    Coalesce,
    NullIf,
    /// The greatest argument that is there.
    Greatest,
    /// The least argument that is there.
    Least,
    /// `||`
    Join,
    /// Like `||`, but skips what is missing.
    Concat,
    Substring,
    Left,
    Right,
    Upper,
    Lower,
    Trim,
    Length,
    Extract(Part),
    /// The time from the second day to the first.
    Age,
    MakeDate,
    Cast(Kind),
}

/// Which order of two values is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) less: bool,
    pub(super) equal: bool,
    pub(super) greater: bool,
}

/// A part of a date or time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Year,
    Quarter,
    Month,
    Week,
    Day,
    /// From 0 for Sunday to 6.
    DayOfWeek,
    DayOfYear,
    Hour,
    Minute,
    Second,
}

/// Functions by their names in SQL.
const NAMED: [(&str, Function); 26] = [
    ("abs", Function::Abs),
    ("age", Function::Age),
    ("ceil", Function::Ceil),
    ("ceiling", Function::Ceil),
    ("coalesce", Function::Coalesce),
    ("concat", Function::Concat),
    ("div", Function::Div),
    ("exp", Function::Exp),
    ("floor", Function::Floor),
    ("greatest", Function::Greatest),
    ("least", Function::Least),
    ("left", Function::Left),
    ("length", Function::Length),
    ("ln", Function::Ln),
    ("lower", Function::Lower),
    ("make_date", Function::MakeDate),
    ("mod", Function::Mod),
    ("nullif", Function::NullIf),
    ("power", Function::Power),
    ("right", Function::Right),
    ("round", Function::Round),
    ("sqrt", Function::Sqrt),
    ("substr", Function::Substring),
    ("substring", Function::Substring),
    ("trim", Function::Trim),
    ("upper", Function::Upper),
];

impl Function {
    /// Returns the function with this name in SQL.
    pub(super) fn named(name: &str) -> Option<Self> {
        NAMED.iter().find(|(named, _)| *named == name).map(|(_, function)| *function)
    }

    /// Returns the names of all functions.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// Returns the kind of the value for arguments of these kinds; `None` if it does not take them.
    pub(super) fn kind(self, arguments: &[Kind]) -> Option<Kind> {
        let takes = |kinds: &[Kind]| {
            let fits = |(given, taken): (&Kind, &Kind)| given.with(*taken) == Some(*taken);
            arguments.len() == kinds.len() && arguments.iter().zip(kinds).all(fits)
        };
        let common = || arguments.iter().copied().try_fold(Kind::Nothing, Kind::with);
        let number = |count| common().filter(|kind| arguments.len() == count && kind.is_number());
        match self {
            Self::Add | Self::Subtract if takes(&[Kind::Date, Kind::Whole]) => Some(Kind::Date),
            Self::Add if takes(&[Kind::Whole, Kind::Date]) => Some(Kind::Date),
            Self::Subtract if takes(&[Kind::Date, Kind::Date]) => Some(Kind::Whole),
            Self::Add | Self::Subtract | Self::Multiply => number(2),
            // In SQL the quotient of whole numbers is whole, which is seldom meant.
            Self::Divide => number(2).filter(|kind| *kind == Kind::Real),
            Self::Div | Self::Mod => takes(&[Kind::Whole, Kind::Whole]).then_some(Kind::Whole),
            Self::Negate | Self::Abs => number(1),
            Self::Round if takes(&[Kind::Real, Kind::Whole]) => Some(Kind::Real),
            Self::Round | Self::Floor | Self::Ceil => takes(&[Kind::Real]).then_some(Kind::Whole),
            Self::Sqrt | Self::Ln | Self::Exp => takes(&[Kind::Real]).then_some(Kind::Real),
            Self::Power => takes(&[Kind::Real, Kind::Real]).then_some(Kind::Real),
            Self::Compare(_) => common().filter(|_| arguments.len() == 2).map(|_| Kind::Boolean),
            Self::And | Self::Or => takes(&[Kind::Boolean, Kind::Boolean]).then_some(Kind::Boolean),
            Self::Not => takes(&[Kind::Boolean]).then_some(Kind::Boolean),
            Self::IsNull => (arguments.len() == 1).then_some(Kind::Boolean),
            Self::Coalesce | Self::Greatest | Self::Least => common().filter(|_| !arguments.is_empty()),
            Self::NullIf => common().filter(|_| arguments.len() == 2).map(|_| arguments[0]),
            Self::Join | Self::Concat => {
                let are_texts = arguments.len() >= 2 && arguments.iter().all(|kind| kind.with(Kind::Text).is_some());
                are_texts.then_some(Kind::Text)
            }
            Self::Substring if takes(&[Kind::Text, Kind::Whole]) => Some(Kind::Text),
            Self::Substring => takes(&[Kind::Text, Kind::Whole, Kind::Whole]).then_some(Kind::Text),
            Self::Left | Self::Right => takes(&[Kind::Text, Kind::Whole]).then_some(Kind::Text),
            Self::Upper | Self::Lower | Self::Trim => takes(&[Kind::Text]).then_some(Kind::Text),
            Self::Length => takes(&[Kind::Text]).then_some(Kind::Whole),
            Self::Extract(part) => {
                let is_taken = match arguments {
                    [Kind::Age] => matches!(part, Part::Year | Part::Month),
                    [Kind::Date] => !part.is_of_clock(),
                    [Kind::Datetime] => true,
                    [Kind::Time] => part.is_of_clock(),
                    _ => false,
                };
                is_taken.then_some(Kind::Whole)
            }
            Self::Age => {
                let is_day = |kind: &Kind| matches!(kind, Kind::Date | Kind::Datetime);
                (arguments.len() == 2 && arguments.iter().all(is_day)).then_some(Kind::Age)
            }
            Self::MakeDate => takes(&[Kind::Whole; 3]).then_some(Kind::Date),
            Self::Cast(to) => {
                let [from] = arguments else { return None };
                let is_possible = match (from, to) {
                    (Kind::Age, _) => false,
                    (_, Kind::Text)
                    | (Kind::Nothing, _)
                    | (Kind::Text, Kind::Whole | Kind::Real | Kind::Date)
                    | (Kind::Date, Kind::Datetime)
                    | (Kind::Datetime, Kind::Date | Kind::Time)
                    | (Kind::Boolean, Kind::Whole) => true,
                    (from, to) => *from == to || (from.is_number() && to.is_number()),
                };
                is_possible.then_some(to)
            }
        }
    }

    /// Returns the value for arguments of kinds that it takes.
    pub(super) fn value(self, mut arguments: Vec<Value<'_>>) -> Value<'_> {
        match self {
            Self::And => return both(&arguments, false),
            Self::Or => return both(&arguments, true),
            Self::IsNull => return Value::Boolean(arguments[0].is_missing()),
            Self::Coalesce => return arguments.into_iter().find(|value| !value.is_missing()).into(),
            Self::Greatest => return best(arguments, Ordering::Greater),
            Self::Least => return best(arguments, Ordering::Less),
            Self::Concat => {
                let text: String = arguments.iter().filter_map(Value::text).collect();
                return Value::Text(text.into());
            }
            Self::NullIf => {
                let is_equal = arguments[0].compare(&arguments[1]) == Some(Ordering::Equal);
                return if is_equal { Value::Missing } else { arguments.swap_remove(0) };
            }
            _ => {}
        }
        if arguments.iter().any(Value::is_missing) {
            return Value::Missing;
        }
        self.of_present(&arguments).into()
    }

    /// Returns the value for arguments that are all there; `None` if it has none.
    fn of_present<'a>(self, arguments: &[Value<'a>]) -> Option<Value<'a>> {
        let text = |text: Cow<'_, str>| Some(Value::Text(text.into_owned().into()));
        match (self, arguments) {
            (Self::Add, [Value::Date(day), Value::Whole(days)] | [Value::Whole(days), Value::Date(day)]) => {
                day.checked_add(*days).and_then(date)
            }
            (Self::Subtract, [Value::Date(day), Value::Whole(days)]) => day.checked_sub(*days).and_then(date),
            (Self::Subtract, [Value::Date(one), Value::Date(other)]) => Some(Value::Whole(one - other)),
            (Self::Add, [one, other]) => arithmetic(one, other, i64::checked_add, |one, other| one + other),
            (Self::Subtract, [one, other]) => arithmetic(one, other, i64::checked_sub, |one, other| one - other),
            (Self::Multiply, [one, other]) => arithmetic(one, other, i64::checked_mul, |one, other| one * other),
            (Self::Divide, [one, other]) => finite(one.real()? / other.real()?),
            (Self::Div, [one, other]) => one.whole()?.checked_div(other.whole()?).map(Value::Whole),
            (Self::Mod, [one, other]) => one.whole()?.checked_rem(other.whole()?).map(Value::Whole),
            (Self::Negate, [Value::Whole(value)]) => value.checked_neg().map(Value::Whole),
            (Self::Negate, [value]) => finite(-value.real()?),
            (Self::Abs, [Value::Whole(value)]) => value.checked_abs().map(Value::Whole),
            (Self::Abs, [value]) => finite(value.real()?.abs()),
            (Self::Round, [value, decimals]) => {
                let scale = 10_f64.powi(i32::try_from(decimals.whole()?.clamp(-300, 300)).ok()?);
                finite((value.real()? * scale).round() / scale)
            }
            (Self::Round, [value]) => whole(value.real()?.round()),
            (Self::Floor, [value]) => whole(value.real()?.floor()),
            (Self::Ceil, [value]) => whole(value.real()?.ceil()),
            (Self::Sqrt, [value]) => finite(value.real()?.sqrt()),
            (Self::Ln, [value]) => finite(value.real()?.ln()),
            (Self::Exp, [value]) => finite(value.real()?.exp()),
            (Self::Power, [base, exponent]) => finite(base.real()?.powf(exponent.real()?)),
            (Self::Compare(comparison), [one, other]) => Some(Value::Boolean(comparison.holds(one.compare(other)?))),
            (Self::Not, [value]) => Some(Value::Boolean(!value.boolean()?)),
            (Self::Join, [one, other]) => text(format!("{}{}", one.text()?, other.text()?).into()),
            (Self::Substring, [value, start, rest @ ..]) => {
                let length = rest.first().map_or(Some(i64::MAX), Value::whole)?;
                text(substring(value.text()?, start.whole()?, length)?.into())
            }
            (Self::Left, [value, count]) => text(left(value.text()?, count.whole()?).into()),
            (Self::Right, [value, count]) => text(right(value.text()?, count.whole()?).into()),
            (Self::Upper, [value]) => text(value.text()?.to_uppercase().into()),
            (Self::Lower, [value]) => text(value.text()?.to_lowercase().into()),
            (Self::Trim, [value]) => text(value.text()?.trim_matches(' ').into()),
            (Self::Length, [value]) => i64::try_from(value.text()?.chars().count()).ok().map(Value::Whole),
            (Self::Extract(part), [value]) => part.of(value).map(Value::Whole),
            (Self::Age, [end, start]) => age(day(end)?, day(start)?).map(Value::Age),
            (Self::MakeDate, [year, month, day]) => {
                let (year, month) = (i32::try_from(year.whole()?).ok()?, u32::try_from(month.whole()?).ok()?);
                let day = NaiveDate::from_ymd_opt(year, month, u32::try_from(day.whole()?).ok()?)?;
                Some(Value::Date(day.to_epoch_days().into()))
            }
            (Self::Cast(to), [value]) => cast(value, to),
            _ => None,
        }
    }
}

impl Comparison {
    pub(super) const EQUAL: Self = Self { less: false, equal: true, greater: false };
    pub(super) const NOT_EQUAL: Self = Self { less: true, equal: false, greater: true };
    pub(super) const LESS: Self = Self { less: true, equal: false, greater: false };
    pub(super) const AT_MOST: Self = Self { less: true, equal: true, greater: false };
    pub(super) const GREATER: Self = Self { less: false, equal: false, greater: true };
    pub(super) const AT_LEAST: Self = Self { less: false, equal: true, greater: true };

    fn holds(self, order: Ordering) -> bool {
        match order {
            Ordering::Less => self.less,
            Ordering::Equal => self.equal,
            Ordering::Greater => self.greater,
        }
    }
}

impl Part {
    fn is_of_clock(self) -> bool {
        matches!(self, Self::Hour | Self::Minute | Self::Second)
    }

    /// Returns the part of a date, datetime, time or age.
    fn of(self, value: &Value<'_>) -> Option<i64> {
        if let Value::Age(months) = value {
            return Some(if self == Self::Year { months / 12 } else { months % 12 });
        }
        if let (Value::Datetime(clock) | Value::Time(clock), true) = (value, self.is_of_clock()) {
            let seconds = clock.rem_euclid(MICROS_PER_DAY) / 1_000_000;
            return Some(match self {
                Self::Hour => seconds / 3_600,
                Self::Minute => seconds / 60 % 60,
                _ => seconds % 60,
            });
        }
        let day = calendar_day(day(value)?)?;
        Some(match self {
            Self::Year => day.year().into(),
            Self::Quarter => day.month().div_ceil(3).into(),
            Self::Month => day.month().into(),
            Self::Week => day.iso_week().week().into(),
            Self::Day => day.day().into(),
            Self::DayOfWeek => day.weekday().num_days_from_sunday().into(),
            Self::DayOfYear => day.ordinal().into(),
            Self::Hour | Self::Minute | Self::Second => return None,
        })
    }
}

/// Returns `decisive` if one side is it, else the other value if both are there.
fn both<'a>(sides: &[Value<'a>], decisive: bool) -> Value<'a> {
    match [sides[0].boolean(), sides[1].boolean()] {
        [Some(one), _] | [_, Some(one)] if one == decisive => Value::Boolean(decisive),
        [Some(_), Some(_)] => Value::Boolean(!decisive),
        _ => Value::Missing,
    }
}

/// Returns the value that no other exceeds in the order `wins`; missing if none is there.
fn best(values: Vec<Value<'_>>, wins: Ordering) -> Value<'_> {
    let present = values.into_iter().filter(|value| !value.is_missing());
    present.reduce(|best, value| if value.compare(&best) == Some(wins) { value } else { best }).into()
}

fn arithmetic<'a>(
    one: &Value<'_>,
    other: &Value<'_>,
    of_whole: fn(i64, i64) -> Option<i64>,
    of_real: fn(f64, f64) -> f64,
) -> Option<Value<'a>> {
    match (one, other) {
        (Value::Whole(one), Value::Whole(other)) => of_whole(*one, *other).map(Value::Whole),
        _ => finite(of_real(one.real()?, other.real()?)),
    }
}

fn finite<'a>(value: f64) -> Option<Value<'a>> {
    value.is_finite().then_some(Value::Real(value))
}

fn whole<'a>(value: f64) -> Option<Value<'a>> {
    crate::values::text::whole_of_real(value).and_then(|value| i64::try_from(value).ok()).map(Value::Whole)
}

fn date<'a>(day: i64) -> Option<Value<'a>> {
    calendar_day(day).map(|_| Value::Date(day))
}

/// Returns the day of a date or datetime.
fn day(value: &Value<'_>) -> Option<i64> {
    match value {
        Value::Date(day) => Some(*day),
        Value::Datetime(clock) => Some(day_of(*clock)),
        _ => None,
    }
}

/// Returns the completed months from `start` to `end`; negative if `end` is earlier.
fn age(end: i64, start: i64) -> Option<i64> {
    if end < start {
        return age(start, end).map(|months| -months);
    }
    let (end, start) = (calendar_day(end)?, calendar_day(start)?);
    let months = |day: NaiveDate| i64::from(day.year()) * 12 + i64::from(day.month());
    Some(months(end) - months(start) - i64::from(end.day() < start.day()))
}

/// Returns `length` characters from place `start` on, counted from 1. Places before the first
/// count, as in SQL.
fn substring(text: &str, start: i64, length: i64) -> Option<String> {
    if length < 0 {
        return None;
    }
    let end = start.saturating_add(length).max(1);
    let start = start.max(1);
    let skip = usize::try_from(start - 1).unwrap_or(usize::MAX);
    let take = usize::try_from((end - start).max(0)).unwrap_or(usize::MAX);
    Some(text.chars().skip(skip).take(take).collect())
}

/// Returns the first characters; all but the last ones if `count` is negative.
fn left(text: &str, count: i64) -> String {
    text.chars().take(places(text, count)).collect()
}

/// Returns the last characters; all but the first ones if `count` is negative.
fn right(text: &str, count: i64) -> String {
    let taken = places(text, count);
    text.chars().skip(text.chars().count().saturating_sub(taken)).collect()
}

fn places(text: &str, count: i64) -> usize {
    let size = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if count < 0 { text.chars().count().saturating_sub(size) } else { size }
}

fn cast<'a>(value: &Value<'a>, to: Kind) -> Option<Value<'a>> {
    Some(match (value, to) {
        (_, Kind::Text) => Value::Text(value.to_text()?.into()),
        (Value::Text(text), Kind::Whole) => Value::Whole(text.trim().parse().ok()?),
        (Value::Text(text), Kind::Real) => return text.trim().parse().ok().and_then(finite),
        (Value::Text(text), Kind::Date) => Value::Date(iso_date(text.trim())?.to_epoch_days().into()),
        (Value::Boolean(value), Kind::Whole) => Value::Whole((*value).into()),
        (Value::Real(value), Kind::Whole) => return whole(value.round()),
        (value, Kind::Real) => return value.real().and_then(finite),
        (Value::Date(day), Kind::Datetime) => Value::Datetime(day.checked_mul(MICROS_PER_DAY)?),
        (Value::Datetime(clock), Kind::Date) => Value::Date(day_of(*clock)),
        (Value::Datetime(clock), Kind::Time) => Value::Time(clock.rem_euclid(MICROS_PER_DAY)),
        (value, _) => value.clone(),
    })
}
