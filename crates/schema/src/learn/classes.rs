//! Classes of texts: what a value of a column without a type looks like.

use std::sync::LazyLock;

use chrono::{NaiveDate, NaiveTime};

use super::form::Form;
use crate::values::encode::Lookup;
use crate::values::text::TimeFormat;

/// Texts that often stand for a missing value, besides blanks. Each is a class of its own. Single
/// letters do so only beside numbers and dates.
#[rustfmt::skip]
const MISSING: [&str; 88] = [
    "NA", "N/A", "n/a", "na", "N.A.", "NaN", "nan", "NULL", "null", "None", "none", "?", "-", "--", ".", "#N/A",
    "unknown", "Unknown", "UNKNOWN", "missing", "Missing", "MISSING",
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W",
    "X", "Y", "Z",
    "n.a.", "N.A", "<NA>", "NaT", "\\N", "(null)", "nil", "#NV", "#N/D", "#DIV/0!", "#VALUE!", "#REF!", "..", "...",
    "n/d", "N/D", "s/d", "k.A.", "k. A.", "keine Angabe", "unbekannt", "Unbekannt", "inconnu", "desconocido",
    "not applicable", "Not applicable", "not available", "Not available", "not known", "Not known", "not specified",
    "Not specified", "not stated", "Not stated", "no data", "No data", "refused", "Refused", "don't know",
    "Don't know",
];
const LONGEST_MISSING: usize = 14;
/// The places of those texts in their list: every row of a column of short texts is looked up.
static MISSING_PLACES: LazyLock<Lookup<&str>> =
    LazyLock::new(|| Lookup::new(MISSING).expect("the list has every text once"));
/// Longest text of a code, such as an identifier, and of a category, in bytes.
const MAX_CODE: usize = 40;
const MAX_WORDS: usize = 100;

/// The class of a text. The list is public, and every text is in exactly one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Nothing but spaces.
    Blank,
    /// One of the usual texts for a missing value, by its place in their list.
    Missing(u8),
    /// True or false.
    Boolean,
    /// A number.
    Number(Form),
    /// Digits with leading zeros, or too many: a code, not a number.
    Digits,
    /// A number with a currency or a percent, in parentheses, or with its sign behind it.
    Marked(Form),
    /// A date.
    Date(DateStyle),
    /// A date with a time.
    Datetime(TimeStyle),
    /// A time of day.
    Time(Clock),
    /// A short text without spaces that contains a digit.
    Code,
    /// A text of at most 100 bytes.
    Words,
    /// A longer text, or bytes that are no text.
    Long,
}

/// How a date is written. Days and months have one digit or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DateStyle {
    /// `2020-01-31`.
    Iso,
    /// `20200131`, which may be a number.
    Compact,
    /// `2020/01/31`.
    YearSlash,
    /// `31.01.2020`.
    DayDot,
    /// `31-01-2020`.
    DayDash,
    /// `31/01/2020`.
    DaySlash,
    /// `01/31/2020`.
    MonthSlash,
    /// `01/02/2020`, which is one of the last two.
    EitherSlash,
    /// `31.01.20`.
    ShortDayDot,
    /// `31/01/20`.
    ShortDaySlash,
    /// `01/31/20`.
    ShortMonthSlash,
    /// `01/02/20`, which is one of the last two.
    ShortEitherSlash,
    /// `31 January 2020`, or with the first letters of the month.
    DayName,
    /// `31-Jan-2020`.
    DayDashName,
    /// `January 31 2020`.
    NameDay,
    /// `January 31, 2020`.
    NameDayComma,
}

/// How a date with a time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TimeStyle {
    /// By ISO 8601, also with a zone.
    Iso,
    /// A date, a space and a time.
    Of(DateStyle, Clock),
}

/// How a time of day is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Clock {
    /// `18:05`.
    Minutes,
    /// `18:05:59`.
    Seconds,
    /// `6:05 PM`.
    MinutesOf12,
    /// `6:05:59 PM`.
    SecondsOf12,
}

impl DateStyle {
    const ALL: [Self; 16] = [
        Self::Iso,
        Self::Compact,
        Self::YearSlash,
        Self::DayDot,
        Self::DayDash,
        Self::DaySlash,
        Self::MonthSlash,
        Self::EitherSlash,
        Self::ShortDayDot,
        Self::ShortDaySlash,
        Self::ShortMonthSlash,
        Self::ShortEitherSlash,
        Self::DayName,
        Self::DayDashName,
        Self::NameDay,
        Self::NameDayComma,
    ];
    /// Those with the name of the month.
    const NAMED: [Self; 4] = [Self::DayName, Self::DayDashName, Self::NameDay, Self::NameDayComma];
    /// Those that a time may follow, besides ISO 8601.
    const WITH_TIME: [Self; 9] = [
        Self::YearSlash,
        Self::DayDot,
        Self::DaySlash,
        Self::MonthSlash,
        Self::EitherSlash,
        Self::ShortDayDot,
        Self::ShortDaySlash,
        Self::ShortMonthSlash,
        Self::ShortEitherSlash,
    ];

    /// Returns the `strptime` pattern; `None` for ISO 8601.
    pub fn pattern(self) -> Option<&'static str> {
        Some(match self {
            Self::Iso => return None,
            Self::Compact => "%Y%m%d",
            Self::YearSlash => "%Y/%m/%d",
            Self::DayDot => "%d.%m.%Y",
            Self::DayDash => "%d-%m-%Y",
            Self::DaySlash | Self::EitherSlash => "%d/%m/%Y",
            Self::MonthSlash => "%m/%d/%Y",
            Self::ShortDayDot => "%d.%m.%y",
            Self::ShortDaySlash | Self::ShortEitherSlash => "%d/%m/%y",
            Self::ShortMonthSlash => "%m/%d/%y",
            Self::DayName => "%d %B %Y",
            Self::DayDashName => "%d-%b-%Y",
            Self::NameDay => "%B %d %Y",
            Self::NameDayComma => "%B %d, %Y",
        })
    }

    /// Returns the two styles that a date may be of.
    fn either(self) -> Option<(Self, Self)> {
        match self {
            Self::EitherSlash => Some((Self::DaySlash, Self::MonthSlash)),
            Self::ShortEitherSlash => Some((Self::ShortDaySlash, Self::ShortMonthSlash)),
            _ => None,
        }
    }

    /// Returns the style of most dates. Those that may be of two styles are of the one that more of
    /// the others are of.
    pub(super) fn of_most(count: impl Fn(Self) -> f64) -> Self {
        let clear = |style: Self| match style.either() {
            Some((day, month)) => {
                if count(month) > count(day) {
                    month
                } else {
                    day
                }
            }
            None => style,
        };
        let all = |style: Self| Self::ALL.into_iter().filter(|one| clear(*one) == style).map(&count).sum::<f64>();
        let styles = Self::ALL.into_iter().filter(|style| style.either().is_none());
        styles.max_by(|left, right| all(*left).total_cmp(&all(*right))).unwrap_or(Self::Iso)
    }

    /// Returns the style of a declared pattern, ISO 8601 if it is another one. The pattern itself
    /// is kept.
    pub(super) fn of_pattern(pattern: Option<&str>) -> Self {
        Self::ALL.into_iter().find(|style| style.pattern() == pattern).unwrap_or(Self::Iso)
    }

    fn of(text: &str) -> Option<Self> {
        let parses = |style: Self| NaiveDate::parse_from_str(text, style.pattern().unwrap_or("%Y-%m-%d")).is_ok();
        if text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            // A pattern with four digits of the year takes fewer too.
            let has_year = text.len() > 4 && text.as_bytes()[text.len() - 4..].iter().all(u8::is_ascii_digit);
            return Self::NAMED.into_iter().find(|style| has_year && parses(*style));
        }
        let Some(separator) = text.bytes().find(|byte| !byte.is_ascii_digit()).map(char::from) else {
            let is_of_these_centuries = text.len() == 8 && (text.starts_with("19") || text.starts_with("20"));
            return Some(Self::Compact).filter(|style| is_of_these_centuries && parses(*style));
        };
        let [first, _, last] = text.split(separator).collect::<Vec<_>>()[..] else { return None };
        let style = match (separator, first.len(), last.len()) {
            ('-', 4, _) => Self::Iso,
            ('/', 4, _) => Self::YearSlash,
            ('.', _, 4) => Self::DayDot,
            ('-', _, 4) => Self::DayDash,
            ('/', _, 4) => Self::EitherSlash,
            ('.', _, 2) => Self::ShortDayDot,
            ('/', _, 2) => Self::ShortEitherSlash,
            _ => return None,
        };
        match style.either() {
            None => parses(style).then_some(style),
            Some((day, month)) => match (parses(day), parses(month)) {
                (true, true) => Some(style),
                (true, false) => Some(day),
                (false, true) => Some(month),
                (false, false) => None,
            },
        }
    }
}

impl TimeStyle {
    /// Returns all styles, in the order of their classes.
    fn all() -> impl Iterator<Item = Self> {
        let with_clock = |date: DateStyle| Clock::ALL.map(|clock| Self::Of(date, clock));
        std::iter::once(Self::Iso).chain(DateStyle::WITH_TIME.into_iter().flat_map(with_clock))
    }

    /// Returns the `strptime` pattern; `None` for ISO 8601.
    pub fn pattern(self) -> Option<String> {
        match self {
            Self::Iso => None,
            Self::Of(date, clock) => Some(format!("{} {}", date.pattern().unwrap_or("%Y-%m-%d"), clock.pattern())),
        }
    }

    /// Returns the style of most instants.
    pub(super) fn of_most(count: impl Fn(Self) -> f64) -> Self {
        let of_clock =
            |clock: Clock| DateStyle::WITH_TIME.into_iter().map(|date| count(Self::Of(date, clock))).sum::<f64>();
        let clocks = Clock::ALL.into_iter().max_by(|left, right| of_clock(*left).total_cmp(&of_clock(*right)));
        match clocks.filter(|clock| of_clock(*clock) > count(Self::Iso)) {
            None => Self::Iso,
            Some(clock) => {
                let of_date = |date: DateStyle| {
                    if DateStyle::WITH_TIME.contains(&date) { count(Self::Of(date, clock)) } else { 0.0 }
                };
                Self::Of(DateStyle::of_most(of_date), clock)
            }
        }
    }

    fn of(text: &str) -> Option<Self> {
        if text.len() > "2020-01-31".len() && TimeFormat::Iso.micros_in(text, None).is_some() {
            return Some(Self::Iso);
        }
        let (date, clock) = text.split_once(' ')?;
        let date = DateStyle::of(date).filter(|date| DateStyle::WITH_TIME.contains(date))?;
        Some(Self::Of(date, Clock::of(clock)?))
    }
}

impl Clock {
    const ALL: [Self; 4] = [Self::Minutes, Self::Seconds, Self::MinutesOf12, Self::SecondsOf12];

    /// Returns the `strptime` pattern of times of day; `None` for ISO 8601, which seconds may have
    /// fractions in.
    pub(super) fn format(self) -> Option<&'static str> {
        (self != Self::Seconds).then(|| self.pattern())
    }

    fn pattern(self) -> &'static str {
        match self {
            Self::Minutes => "%H:%M",
            Self::Seconds => "%H:%M:%S",
            Self::MinutesOf12 => "%I:%M %p",
            Self::SecondsOf12 => "%I:%M:%S %p",
        }
    }

    fn reads(self, text: &str) -> bool {
        NaiveTime::parse_from_str(text, self.pattern()).is_ok()
    }

    fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|clock| clock.reads(text))
    }

    /// Returns how a time without a date is written. Its minutes have two digits: `2:1` is a score.
    fn of_time(text: &str) -> Option<Self> {
        // Decides codes and addresses that start with a digit, of which every row may have one.
        if !text.contains(':') {
            return None;
        }
        if TimeFormat::Iso.clock(text).is_some() {
            return Some(if text.matches(':').count() == 1 { Self::Minutes } else { Self::Seconds });
        }
        [Self::MinutesOf12, Self::SecondsOf12].into_iter().find(|clock| clock.reads(text))
    }

    /// Returns the clock of most times. ISO 8601 reads times with and without seconds.
    pub(super) fn of_most(count: impl Fn(Self) -> f64, is_sure: impl Fn(f64) -> bool) -> Self {
        let most = Self::ALL.into_iter().max_by(|left, right| count(*left).total_cmp(&count(*right)));
        match most {
            Some(Self::Minutes) if is_sure(count(Self::Seconds)) => Self::Seconds,
            most => most.unwrap_or(Self::Minutes),
        }
    }
}

impl Class {
    /// Returns all classes, in code order.
    pub fn all() -> impl Iterator<Item = Self> {
        let missing = (0..).take(MISSING.len()).map(Self::Missing);
        [Self::Blank]
            .into_iter()
            .chain(missing)
            .chain([Self::Boolean, Self::Digits])
            .chain(Form::all().map(Self::Number))
            .chain(Form::all().map(Self::Marked))
            .chain(DateStyle::ALL.map(Self::Date))
            .chain(TimeStyle::all().map(Self::Datetime))
            .chain(Clock::ALL.map(Self::Time))
            .chain([Self::Code, Self::Words, Self::Long])
    }

    /// Returns the class of a text, in any bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(bytes.trim_ascii()) else { return Self::Long };
        if text.is_empty() {
            return Self::Blank;
        }
        if text.len() > MAX_WORDS {
            return Self::Long;
        }
        // Most texts are numbers or longer, and need not be compared with the list.
        let may_be_missing = text.len() <= LONGEST_MISSING && !text.ends_with(|end: char| end.is_ascii_digit());
        if may_be_missing && let Some(place) = MISSING_PLACES.get(text).and_then(|place| u8::try_from(place).ok()) {
            return Self::Missing(place);
        }
        if ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
            return Self::Boolean;
        }
        // Numbers and dates start with a digit, dates also with the name of a month.
        let starts = text.trim_start_matches(['-', '+']).as_bytes().first();
        let may_be_number = starts.is_some_and(|first| first.is_ascii_digit() || *first == b'.' || *first == b',');
        if may_be_number && let Some(class) = number_or_time(text) {
            return class;
        }
        if text.bytes().any(|byte| byte.is_ascii_digit())
            && let Some(form) = Form::of_marked(text)
        {
            return Self::Marked(form);
        }
        if text.ends_with(|end: char| end.is_ascii_digit())
            && let Some(style) = DateStyle::of(text)
        {
            return Self::Date(style);
        }
        let is_code = text.len() <= MAX_CODE
            && text.bytes().any(|byte| byte.is_ascii_digit())
            && !text.bytes().any(|byte| byte.is_ascii_whitespace());
        if is_code { Self::Code } else { Self::Words }
    }

    /// Returns the code of the class: its place among all.
    #[expect(clippy::cast_possible_truncation, reason = "lengths of short lists, and a place in one")]
    pub fn code(self) -> u32 {
        const BOOLEAN: u32 = 1 + MISSING.len() as u32;
        const NUMBER: u32 = BOOLEAN + 2;
        const MARKED: u32 = NUMBER + Form::COUNT;
        const DATE: u32 = MARKED + Form::COUNT;
        const DATETIME: u32 = DATE + DateStyle::ALL.len() as u32;
        const TIME: u32 = DATETIME + 1 + (DateStyle::WITH_TIME.len() * Clock::ALL.len()) as u32;
        const CODE: u32 = TIME + Clock::ALL.len() as u32;
        match self {
            Self::Blank => 0,
            Self::Missing(place) => 1 + u32::from(place),
            Self::Boolean => BOOLEAN,
            Self::Digits => BOOLEAN + 1,
            Self::Number(form) => NUMBER + form.code(),
            Self::Marked(form) => MARKED + form.code(),
            Self::Date(style) => DATE + style as u32,
            Self::Datetime(TimeStyle::Iso) => DATETIME,
            Self::Datetime(TimeStyle::Of(date, clock)) => {
                let place = DateStyle::WITH_TIME.iter().position(|style| *style == date).unwrap_or(0) as u32;
                DATETIME + 1 + place * Clock::ALL.len() as u32 + clock as u32
            }
            Self::Time(clock) => TIME + clock as u32,
            Self::Code => CODE,
            Self::Words => CODE + 1,
            Self::Long => CODE + 2,
        }
    }

    /// Returns the name of the class, in grids.
    pub fn name(self) -> String {
        match self {
            Self::Blank => "blank".into(),
            Self::Missing(place) => format!("missing {}", MISSING[usize::from(place)]),
            Self::Boolean => "boolean".into(),
            Self::Digits => "digits".into(),
            Self::Number(form) => form.name(),
            Self::Marked(form) => format!("marked {}", form.name()),
            Self::Date(style) => format!("date {}", date_name(style)),
            Self::Datetime(TimeStyle::Iso) => format!("datetime {ISO}"),
            Self::Datetime(TimeStyle::Of(date, clock)) => format!("datetime {} {}", date_name(date), clock.pattern()),
            Self::Time(clock) => format!("time {}", clock.pattern()),
            Self::Code => "code".into(),
            Self::Words => "words".into(),
            Self::Long => "long".into(),
        }
    }

    /// Returns the text that the class stands for, if it may be that of a missing value.
    pub fn missing_text(self) -> Option<&'static str> {
        match self {
            Self::Blank => Some(""),
            Self::Missing(place) => Some(MISSING[usize::from(place)]),
            _ => None,
        }
    }

    /// Returns whether the class is a single letter.
    pub fn is_letter(self) -> bool {
        self.missing_text().is_some_and(|text| text.len() == 1 && text.as_bytes()[0].is_ascii_alphabetic())
    }
}

fn number_or_time(text: &str) -> Option<Class> {
    if let Some(form) = Form::of(text) {
        let date = if form == Form::Whole { DateStyle::of(text) } else { None };
        return Some(date.map_or(Class::Number(form), Class::Date));
    }
    if text.trim_start_matches(['-', '+']).bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Class::Digits);
    }
    let date = DateStyle::of(text).map(Class::Date);
    date.or_else(|| TimeStyle::of(text).map(Class::Datetime)).or_else(|| Clock::of_time(text).map(Class::Time))
}

const ISO: &str = "ISO 8601";

fn date_name(style: DateStyle) -> String {
    let pattern = style.pattern().unwrap_or(ISO);
    if style.either().is_some() { format!("{pattern} or month first") } else { pattern.into() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_in_the_class_that_a_person_would_say() {
        for (text, class) in [
            ("", Class::Blank),
            ("  ", Class::Blank),
            ("NA", Class::Missing(0)),
            ("?", Class::Missing(11)),
            ("k.A.", Class::Missing(65)),
            ("Don't know", Class::Missing(87)),
            ("True", Class::Boolean),
            ("0", Class::Number(Form::Whole)),
            ("-17", Class::Number(Form::Whole)),
            ("007", Class::Digits),
            ("1234567890123456789", Class::Digits),
            ("3.50", Class::Number(Form::Point(2))),
            (".5", Class::Number(Form::Point(1))),
            ("-0,25", Class::Number(Form::Comma(2))),
            ("1e-7", Class::Number(Form::Point(0))),
            ("3.14159265", Class::Number(Form::Point(0))),
            ("1,234", Class::Number(Form::EitherComma)),
            ("$5.25", Class::Marked(Form::Point(2))),
            ("12 %", Class::Marked(Form::Whole)),
            ("20200131", Class::Date(DateStyle::Compact)),
            ("20201331", Class::Number(Form::Whole)),
            ("30200131", Class::Number(Form::Whole)),
            ("2020-01-31", Class::Date(DateStyle::Iso)),
            ("2020-02-31", Class::Code),
            ("31.01.2020", Class::Date(DateStyle::DayDot)),
            ("31/01/2020", Class::Date(DateStyle::DaySlash)),
            ("01/31/2020", Class::Date(DateStyle::MonthSlash)),
            ("01/02/2020", Class::Date(DateStyle::EitherSlash)),
            ("2020/1/2", Class::Date(DateStyle::YearSlash)),
            ("1/8/90", Class::Date(DateStyle::ShortEitherSlash)),
            ("31/8/90", Class::Date(DateStyle::ShortDaySlash)),
            ("31.8.90", Class::Date(DateStyle::ShortDayDot)),
            ("8 January 2020", Class::Date(DateStyle::DayName)),
            ("8-Jan-2020", Class::Date(DateStyle::DayDashName)),
            ("January 8 2020", Class::Date(DateStyle::NameDay)),
            ("Jan 8, 2020", Class::Date(DateStyle::NameDayComma)),
            ("January 8 99", Class::Words),
            ("2020-01-31 12:00:00", Class::Datetime(TimeStyle::Iso)),
            ("2020-01-31T12:00:00Z", Class::Datetime(TimeStyle::Iso)),
            ("01/31/2020 18:05", Class::Datetime(TimeStyle::Of(DateStyle::MonthSlash, Clock::Minutes))),
            ("1/8/90 0:00", Class::Datetime(TimeStyle::Of(DateStyle::ShortEitherSlash, Clock::Minutes))),
            ("31.01.2020 18:05:59", Class::Datetime(TimeStyle::Of(DateStyle::DayDot, Clock::Seconds))),
            ("1/31/2020 6:05:59 PM", Class::Datetime(TimeStyle::Of(DateStyle::MonthSlash, Clock::SecondsOf12))),
            ("18:05", Class::Time(Clock::Minutes)),
            ("8:05", Class::Time(Clock::Minutes)),
            ("24:00", Class::Time(Clock::Minutes)),
            ("18:05:59.25", Class::Time(Clock::Seconds)),
            ("6:05 PM", Class::Time(Clock::MinutesOf12)),
            ("06:05:59 am", Class::Time(Clock::SecondsOf12)),
            ("25:05", Class::Code),
            ("2:1", Class::Code),
            ("AB-12", Class::Code),
            ("192.168.0.1", Class::Code),
            ("3 rooms", Class::Words),
            ("Bergen", Class::Words),
            ("1.", Class::Code),
            ("-", Class::Missing(12)),
            ("N", Class::Missing(35)),
            ("n", Class::Words),
        ] {
            assert_eq!(Class::of(text.as_bytes()), class, "{text}");
        }
        assert_eq!(Class::of(b"\xff"), Class::Long);
        assert_eq!(Class::of(&[b'a'; 101]), Class::Long);
    }

    #[test]
    fn every_class_has_a_name_and_a_code_of_its_own() {
        let names: BTreeSet<String> = Class::all().map(Class::name).collect();
        assert_eq!(names.len(), Class::all().count());
        assert!((0..).zip(Class::all()).all(|(code, class)| class.code() == code));
        assert_eq!(MISSING.map(str::len).into_iter().max(), Some(LONGEST_MISSING));
        assert_eq!(Class::all().filter(|class| class.is_letter()).count(), 26);
    }

    proptest! {
        #[test]
        fn every_text_has_a_class(bytes: Vec<u8>) {
            prop_assert!((Class::of(&bytes).code() as usize) < Class::all().count());
        }

        #[test]
        fn a_class_of_numbers_holds_numbers(value in -1e9..1e9_f64, places in 0..8_usize) {
            let text = format!("{value:.places$}");
            let class = Class::of(text.as_bytes());
            prop_assert!(matches!(class, Class::Number(_) | Class::Digits | Class::Date(DateStyle::Compact)), "{} {:?}", text, class);
        }
    }
}
