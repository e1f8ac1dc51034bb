//! The kind of a column, from the classes of its texts.

use super::classes::{Class, Clock, DateStyle, TimeStyle};
use super::form::{Form, MAX_DECIMALS, Notation};
use super::{GridCounts, Resolution, SURE};
use crate::values::missing::MissingValue;
use crate::values::number_text::NumberText;

/// Share of the values that are there which must be of a kind.
const MOST: f64 = 0.9;
/// Share of the numbers that must have some number of decimals, for it to count.
const SOME: f64 = 0.01;
/// Most single letters that stand for missing numbers, and numbers that there must be for each.
const MAX_LETTERS: usize = 2;
const BESIDE_LETTERS: f64 = 0.25;

/// The kind of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Real numbers, with their number of decimals if it is the same for all.
    Number {
        /// Number of decimals.
        decimals: Option<u8>,
    },
    /// Days.
    Date(DateStyle),
    /// Instants.
    Datetime(TimeStyle),
    /// Times of day, in bins as fine as their number allows.
    Time(Clock, Resolution),
    /// True and false.
    Boolean,
    /// Texts.
    Text {
        /// Whether most are short and contain digits, as identifiers do.
        codes: bool,
    },
    /// Nothing but missing values.
    Empty,
}

/// What the classes of its texts tell about a column.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedKind {
    /// The kind of its values.
    pub kind: Kind,
    /// How its numbers are written.
    pub notation: Notation,
    /// Whether no value is missing.
    pub is_required: bool,
    /// Texts that stand for missing values; the empty one for blanks.
    pub missing: Vec<&'static str>,
    /// Estimated number of values that are there, if it is known.
    pub rows: Option<f64>,
}

impl LearnedKind {
    /// Decides from the noisy numbers of texts in all [classes](Class::all).
    pub fn new(counts: GridCounts<'_>) -> Self {
        let classes = Classes(counts);
        let (letters, missing): (Vec<_>, Vec<_>) = classes.sure_missing().partition(|(class, _)| class.is_letter());
        let (kind, notation) = classes.kind();
        let of_letters: f64 = letters.iter().map(|(_, count)| count).sum();
        // One or two letters beside numbers say why a number is missing. Among texts they are
        // texts.
        let letters_are_missing =
            letters.len() <= MAX_LETTERS && classes.there() >= BESIDE_LETTERS * of_letters && !kind.is_text();
        let kind = match kind {
            kind if letters.is_empty() || letters_are_missing => kind,
            _ => Kind::Text { codes: false },
        };
        let texts = missing.iter().chain(letters.iter().filter(|_| letters_are_missing));
        let missing: Vec<&'static str> = texts.filter_map(|(class, _)| class.missing_text()).collect();
        let of_texts = if letters_are_missing { 0.0 } else { of_letters };
        Self { kind, notation, is_required: missing.is_empty(), missing, rows: Some(classes.there() + of_texts) }
    }

    /// Returns the kind of a column whose type the file itself states.
    pub fn stated(kind: Kind) -> Self {
        Self { kind, notation: Notation::default(), is_required: false, missing: Vec::new(), rows: None }
    }

    /// Returns how its numbers are parsed.
    pub(super) fn number_text(&self) -> NumberText {
        let Notation { has_decimal_comma, group, is_marked } = self.notation;
        NumberText::of(if has_decimal_comma { ',' } else { '.' }, group, !is_marked)
    }

    /// Returns whether the column has texts, of which categories have to be learned.
    pub fn is_text(&self) -> bool {
        self.kind.is_text()
    }

    /// Returns whether the column has texts that look like identifiers.
    pub fn is_code(&self) -> bool {
        self.kind == Kind::Text { codes: true }
    }

    /// Returns whether a value stands for a missing one.
    pub fn is_missing(&self, value: &[u8]) -> bool {
        let value = value.trim_ascii();
        value.is_empty() || self.missing.iter().any(|text| text.as_bytes() == value)
    }

    /// Returns whether the column has numbers.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Integer | Kind::Number { .. })
    }

    /// Returns whether the values are dates or instants.
    pub fn is_date(&self) -> bool {
        matches!(self.kind, Kind::Date(_) | Kind::Datetime(_))
    }

    /// Returns whether numbers or dates are counted over a grid.
    pub fn has_grid(&self) -> bool {
        self.is_number() || self.is_date()
    }

    /// Returns whether nothing more has to be counted.
    pub fn needs_no_counts(&self) -> bool {
        matches!(self.kind, Kind::Boolean | Kind::Time(..) | Kind::Empty)
    }

    /// Returns the missing values, unless they are blanks alone. Every other text is a kind of its
    /// own, and written as it was.
    pub(super) fn missing_values(&self) -> Option<Vec<MissingValue>> {
        let value = |text: &&str| MissingValue {
            value: (*text).to_owned(),
            label: (!text.is_empty()).then(|| (*text).to_owned()),
        };
        self.missing.iter().any(|text| !text.is_empty()).then(|| self.missing.iter().map(value).collect())
    }
}

impl Kind {
    fn is_text(self) -> bool {
        matches!(self, Self::Text { .. })
    }
}

/// Noisy numbers of texts in all classes.
struct Classes<'a>(GridCounts<'a>);

impl Classes<'_> {
    fn all(&self) -> impl Iterator<Item = (Class, f64)> {
        Class::all().zip(self.0.counts.iter().copied())
    }

    /// Returns the texts of missing values that are there beyond doubt.
    fn sure_missing(&self) -> impl Iterator<Item = (Class, f64)> {
        self.all().filter(|(class, count)| class.missing_text().is_some() && *count > SURE * self.0.noise)
    }

    /// Returns the number of texts in some classes, or zero if it may be noise. The positive parts
    /// of noise over many classes would add up.
    fn sum(&self, is: impl Fn(Class) -> bool) -> f64 {
        let counts: Vec<f64> = self.all().filter(|(class, _)| is(*class)).map(|(_, count)| count).collect();
        let sum: f64 = counts.iter().sum();
        if sum > SURE * self.0.noise * (counts.len() as f64).sqrt() { sum } else { 0.0 }
    }

    /// Returns the numbers of texts in the groups of classes that a kind is decided by.
    fn groups(&self) -> Groups {
        Groups {
            numbers: self.families(|class| if let Class::Number(form) = class { Some(form) } else { None }),
            marked: self.families(|class| if let Class::Marked(form) = class { Some(form) } else { None }),
            compact: self.sum(|class| class == Class::Date(DateStyle::Compact)),
            booleans: self.sum(|class| class == Class::Boolean),
            dates: self.sum(|class| matches!(class, Class::Date(style) if style != DateStyle::Compact)),
            datetimes: self.sum(|class| matches!(class, Class::Datetime(_))),
            times: self.sum(|class| matches!(class, Class::Time(_))),
            digits: self.sum(|class| class == Class::Digits),
            codes: self.sum(|class| class == Class::Code),
            words: self.sum(|class| class == Class::Words),
            long: self.sum(|class| class == Class::Long),
        }
    }

    /// Returns the numbers of texts in each family of forms.
    fn families(&self, form: impl Fn(Class) -> Option<Form>) -> Vec<(Form, f64)> {
        let families = Form::all().filter(|form| form.family() == *form);
        families.map(|family| (family, self.sum(|class| form(class).map(Form::family) == Some(family)))).collect()
    }

    /// Returns the number of texts that are no missing values.
    fn there(&self) -> f64 {
        self.groups().all()
    }

    /// Returns the kind of most texts, single letters aside, and how its numbers are written.
    fn kind(&self) -> (Kind, Notation) {
        let groups = self.groups();
        let Groups { compact, booleans, dates, datetimes, times, digits, codes, .. } = groups;
        let are_most = |texts: f64| texts >= MOST * groups.all();
        let notation = groups.notation();
        let kind = if groups.all() <= 0.0 {
            Kind::Empty
        } else if are_most(compact) {
            Kind::Date(DateStyle::Compact)
        } else if are_most(groups.numbers_in(notation, |_| true)) {
            let is_whole = |form| notation.decimals(form) == Some(Some(0));
            let are_whole = are_most(groups.numbers_in(notation, is_whole));
            let number = || Kind::Number { decimals: self.decimals(notation) };
            return (if are_whole { Kind::Integer } else { number() }, notation);
        } else if are_most(booleans) {
            Kind::Boolean
        } else if are_most(dates + compact) {
            Kind::Date(DateStyle::of_most(|style| self.count(Class::Date(style))))
        } else if are_most(datetimes + dates) {
            Kind::Datetime(TimeStyle::of_most(|style| self.count(Class::Datetime(style))))
        } else if are_most(times) {
            let is_sure = |count: f64| count > SURE * self.0.noise;
            let clock = Clock::of_most(|clock| self.count(Class::Time(clock)), is_sure);
            Kind::Time(clock, Resolution::of(Some(times), self.0.noise))
        } else {
            Kind::Text { codes: are_most(codes + digits) }
        };
        (kind, Notation::default())
    }

    /// Returns the largest number of decimals of more than a few numbers; `None` if some have more
    /// than there are classes for.
    fn decimals(&self, notation: Notation) -> Option<u8> {
        let form = |class| match class {
            Class::Number(form) => Some(form),
            Class::Marked(form) => Some(form).filter(|_| notation.is_marked),
            _ => None,
        };
        let count = |decimals: Option<u8>| -> f64 {
            let has = |class| form(class).and_then(|form| notation.decimals(form)) == Some(decimals);
            self.all().filter(|(class, _)| has(*class)).map(|(_, count)| count.max(0.0)).sum()
        };
        let all: f64 = (1..=MAX_DECIMALS).map(Some).chain([None]).map(count).sum();
        let counts = |decimals: Option<u8>| count(decimals) > (SURE * self.0.noise).max(SOME * all);
        if counts(None) { None } else { (1..=MAX_DECIMALS).rev().find(|decimals| counts(Some(*decimals))) }
    }

    /// Returns the number of texts in a class, at least zero.
    fn count(&self, class: Class) -> f64 {
        self.0.counts[class.code() as usize].max(0.0)
    }
}

/// Numbers of texts by what they look like.
struct Groups {
    /// Numbers, and numbers with marks, by the family of their form.
    numbers: Vec<(Form, f64)>,
    marked: Vec<(Form, f64)>,
    /// Whole numbers that may be dates.
    compact: f64,
    booleans: f64,
    dates: f64,
    datetimes: f64,
    times: f64,
    digits: f64,
    codes: f64,
    words: f64,
    long: f64,
}

impl Groups {
    fn all(&self) -> f64 {
        let Self { numbers, marked, compact, booleans, dates, datetimes, times, digits, codes, words, long } = self;
        let numbers: f64 = numbers.iter().chain(marked).map(|(_, count)| count).sum();
        numbers + compact + booleans + dates + datetimes + times + digits + codes + words + long
    }

    /// Returns the number of numbers that are written in a notation, of the forms that count.
    fn numbers_in(&self, notation: Notation, counts: impl Fn(Form) -> bool) -> f64 {
        let is_in = |form: Form| notation.decimals(form).is_some() && counts(form);
        let marked = if notation.is_marked { &self.marked[..] } else { &[] };
        let numbers = self.numbers.iter().chain(marked).filter(|(form, _)| is_in(*form));
        self.compact + numbers.map(|(_, count)| count).sum::<f64>()
    }

    /// Returns the notation of most numbers; of several, the most likely one.
    fn notation(&self) -> Notation {
        let marked = Notation::all().map(|notation| Notation { is_marked: true, ..notation });
        let counted = Notation::all().chain(marked).map(|notation| (notation, self.numbers_in(notation, |_| true)));
        counted
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
            .map_or_else(Notation::default, |best| best.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Clock;
    use super::*;

    /// The kind of a column of these texts, without noise.
    fn of(texts: &[(&str, f64)]) -> LearnedKind {
        let mut counts = vec![0.0; Class::all().count()];
        for (text, count) in texts {
            counts[Class::of(text.as_bytes()).code() as usize] += count;
        }
        LearnedKind::new(GridCounts { counts: &counts, noise: 10.0 })
    }

    #[test]
    fn a_few_other_texts_do_not_change_the_kind() {
        let ages = of(&[("39", 950.0), ("declined", 45.0)]);
        assert_eq!((ages.kind, ages.is_required), (Kind::Integer, true));
        let ages = of(&[("39", 950.0), ("", 45.0), ("?", 300.0)]);
        assert_eq!((ages.kind, ages.is_required, ages.missing), (Kind::Integer, false, vec!["", "?"]));
        assert_eq!(of(&[("39", 500.0), ("declined", 400.0)]).kind, Kind::Text { codes: false });
    }

    #[test]
    fn numbers_keep_their_decimals() {
        let of = |texts: &[(&str, f64)]| {
            let learned = of(texts);
            let Kind::Number { decimals } = learned.kind else { panic!("{texts:?}: {:?}", learned.kind) };
            (decimals, learned.notation.has_decimal_comma)
        };
        assert_eq!(of(&[("1.5", 500.0), ("2", 400.0)]), (Some(1), false));
        assert_eq!(of(&[("1.50", 5_000.0), ("1.5", 600.0), ("1.505", 20.0)]), (Some(2), false));
        assert_eq!(of(&[("1,50", 5_000.0)]), (Some(2), true));
        assert_eq!(of(&[("1e-7", 500.0), ("2.25", 500.0)]), (None, false));
        assert_eq!(of(&[("0.125", 500.0), ("1.125", 500.0)]), (Some(3), false));
        assert_eq!(of(&[("1.125", 500.0)]), (Some(3), false));
    }

    #[test]
    fn groups_and_marks_are_those_of_most_numbers() {
        let of = |texts: &[(&str, f64)]| {
            let LearnedKind { kind, notation, .. } = of(texts);
            (kind, notation.has_decimal_comma, notation.group, notation.is_marked)
        };
        let number = |decimals| Kind::Number { decimals: Some(decimals) };
        // Counts of people, of which most are below a thousand, and amounts.
        assert_eq!(of(&[("950", 700.0), ("12,345", 300.0)]), (Kind::Integer, false, Some(','), false));
        assert_eq!(
            of(&[("950", 700.0), ("1.234.567", 60.0), ("12.345", 300.0)]),
            (Kind::Integer, true, Some('.'), false)
        );
        assert_eq!(of(&[("0,125", 500.0), ("1,125", 500.0)]), (number(3), true, None, false));
        assert_eq!(of(&[("$950.00", 700.0), ("$1,234.50", 300.0)]), (number(2), false, Some(','), true));
        assert_eq!(of(&[("1.234,50 €", 700.0), ("20,00 €", 300.0)]), (number(2), true, Some('.'), true));
        assert_eq!(of(&[("1 234,50", 700.0), ("20,00", 300.0)]), (number(2), true, Some(' '), false));
        assert_eq!(of(&[("95%", 700.0), ("12.5%", 300.0)]), (number(1), false, None, true));
        assert_eq!(of(&[("5", 950.0), ("$5", 50.0)]), (Kind::Integer, false, None, true));
        // Without a sure sign of marks or groups there are none.
        assert_eq!(of(&[("5", 950.0), ("$5", 20.0)]), (Kind::Integer, false, None, false));
    }

    #[test]
    fn eight_digits_are_a_date_if_all_of_them_are() {
        assert_eq!(of(&[("20200131", 900.0), ("99999999", 40.0)]).kind, Kind::Date(DateStyle::Compact));
        assert_eq!(of(&[("20200131", 100.0), ("31415926", 900.0)]).kind, Kind::Integer);
        assert_eq!(of(&[("20200131", 500.0), ("2020-01-31", 500.0)]).kind, Kind::Date(DateStyle::Compact));
    }

    #[test]
    fn dates_with_slashes_are_of_the_style_of_the_others() {
        let dates =
            |day: f64, month: f64| of(&[("31/01/2020", day), ("01/31/2020", month), ("01/02/2020", 400.0)]).kind;
        assert_eq!(dates(600.0, 0.0), Kind::Date(DateStyle::DaySlash));
        assert_eq!(dates(0.0, 600.0), Kind::Date(DateStyle::MonthSlash));
        assert_eq!(of(&[("2020-01-31", 500.0)]).kind, Kind::Date(DateStyle::Iso));
        assert_eq!(of(&[("2020-01-31 10:00:00", 500.0), ("2020-01-31", 20.0)]).kind, Kind::Datetime(TimeStyle::Iso));
        let times = of(&[("1/8/90 0:00", 500.0), ("1/18/90 0:00", 500.0)]).kind;
        assert_eq!(times, Kind::Datetime(TimeStyle::Of(DateStyle::ShortMonthSlash, Clock::Minutes)));
    }

    #[test]
    fn times_of_day_need_no_date() {
        let kind = |texts: &[(&str, f64)]| of(texts).kind;
        let minutes = |rows| kind(&[("18:05", rows), ("8:30", rows)]);
        assert_eq!(minutes(3_000.0), Kind::Time(Clock::Minutes, Resolution::Fine));
        assert_eq!(minutes(300.0), Kind::Time(Clock::Minutes, Resolution::Coarse));
        assert_eq!(
            kind(&[("18:05", 6_000.0), ("18:05:30", 100.0)]),
            Kind::Time(Clock::Seconds, Resolution::Fine),
            "which reads both"
        );
        assert_eq!(kind(&[("6:05 PM", 600.0)]), Kind::Time(Clock::MinutesOf12, Resolution::Coarse));
        assert_eq!(kind(&[("18:05", 600.0), ("evening", 400.0)]), Kind::Text { codes: false });
        let opens = of(&[("18:05", 600.0), ("", 100.0)]);
        assert!(opens.needs_no_counts() && !opens.is_required);
    }

    #[test]
    fn letters_beside_numbers_are_missing_values() {
        let incomes = of(&[("41200", 700.0), ("N", 300.0)]);
        assert_eq!((incomes.kind, incomes.missing), (Kind::Integer, vec!["N"]));
        let sexes = of(&[("F", 700.0), ("M", 300.0), ("9", 60.0)]);
        assert_eq!((sexes.kind, sexes.missing), (Kind::Text { codes: false }, vec![]));
        let grades = of(&[("A", 300.0), ("B", 300.0), ("C", 300.0), ("1", 300.0)]);
        assert_eq!(grades.kind, Kind::Text { codes: false });
    }

    #[test]
    fn noise_in_many_classes_does_not_outvote_a_small_table() {
        let mut counts: Vec<f64> =
            (0..Class::all().count()).map(|class| if class % 2 == 0 { 150.0 } else { -150.0 }).collect();
        counts[Class::Number(Form::Whole).code() as usize] = 1_300.0;
        let learned = LearnedKind::new(GridCounts { counts: &counts, noise: 125.0 });
        assert_eq!((learned.kind, learned.is_required), (Kind::Integer, true));
    }

    #[test]
    fn other_kinds() {
        assert_eq!(of(&[("true", 300.0), ("False", 300.0)]).kind, Kind::Boolean);
        assert_eq!(of(&[("A-17", 600.0)]).kind, Kind::Text { codes: true });
        assert_eq!(of(&[("", 600.0)]).kind, Kind::Empty);
        assert_eq!(of(&[("39", 20.0)]).kind, Kind::Empty, "noise");
    }
}
