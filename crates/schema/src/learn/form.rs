//! How numbers are written in texts: decimal marks, groups of digits, currencies and percents.

use std::ops::ControlFlow;

/// Largest number of decimals that has a form of its own.
pub(super) const MAX_DECIMALS: u8 = 6;
/// Largest number of decimals of grouped digits that has a form of its own.
const MAX_GROUPED_DECIMALS: u8 = 2;
/// Most digits of a whole number: more may not fit an `i64`.
const MAX_DIGITS: usize = 18;

/// Currencies and percents around a number.
#[rustfmt::skip]
const MARKS: [&str; 44] = [
    "$", "€", "£", "¥", "₹", "₩", "₽", "₺", "₴", "₦", "₱", "฿", "₫", "₪", "R$", "US$", "%", "‰",
    "AUD", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HUF", "INR", "JPY", "MXN", "NOK", "NZD", "PLN",
    "SEK", "USD", "ZAR", "kr", "kr.", "Kč", "zł", "Ft", "Fr.", "lei",
];
const SPACES: [char; 3] = [' ', '\u{a0}', '\u{202f}'];

/// The form of a number, without its sign and without what stands around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// A whole number without leading zeros and groups.
    Whole,
    /// A decimal point and this number of decimals; 0 for more than six, or an exponent.
    Point(u8),
    /// A decimal comma and this number of decimals; 0 for more than six.
    Comma(u8),
    /// `1.234`, which has three decimals or two groups.
    EitherPoint,
    /// `1,234`, which has three decimals or two groups.
    EitherComma,
    /// Groups of digits and this number of decimals; 3 for more than two.
    Grouped(Grouping, u8),
}

/// Groups of digits, and the decimal mark beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Grouping {
    group: char,
    has_decimal_comma: bool,
}

impl Grouping {
    const COUNT: u32 = 10;
    const ALL: [Self; Self::COUNT as usize] = {
        const fn of(group: char, has_decimal_comma: bool) -> Grouping {
            Grouping { group, has_decimal_comma }
        }
        [
            of(',', false),
            of('.', true),
            of(' ', false),
            of(' ', true),
            of('\u{a0}', false),
            of('\u{a0}', true),
            of('\u{202f}', false),
            of('\u{202f}', true),
            of('\'', false),
            of('\'', true),
        ]
    };

    fn name(self) -> String {
        let group = match self.group {
            ' ' => "space".into(),
            '\u{a0}' => "no-break space".into(),
            '\u{202f}' => "narrow space".into(),
            other => other.to_string(),
        };
        format!("{group} and decimal {}", if self.has_decimal_comma { "comma" } else { "point" })
    }
}

impl Form {
    /// Number of forms.
    pub(super) const COUNT: u32 = 5 + 2 * MAX_DECIMALS as u32 + Grouping::COUNT * (MAX_GROUPED_DECIMALS as u32 + 2);

    /// Returns all forms, in the order of their codes.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let points = (0..=MAX_DECIMALS).map(Self::Point);
        let commas = (0..=MAX_DECIMALS).map(Self::Comma);
        let grouped = |grouping| (0..=MAX_GROUPED_DECIMALS + 1).map(move |places| Self::Grouped(grouping, places));
        [Self::Whole]
            .into_iter()
            .chain(points)
            .chain(commas)
            .chain([Self::EitherPoint, Self::EitherComma])
            .chain(Grouping::ALL.into_iter().flat_map(grouped))
    }

    /// Returns the place of the form among all.
    pub(super) fn code(self) -> u32 {
        const COMMA: u32 = 2 + MAX_DECIMALS as u32;
        const EITHER: u32 = COMMA + 1 + MAX_DECIMALS as u32;
        match self {
            Self::Whole => 0,
            Self::Point(places) => 1 + u32::from(places),
            Self::Comma(places) => COMMA + u32::from(places),
            Self::EitherPoint => EITHER,
            Self::EitherComma => EITHER + 1,
            Self::Grouped(grouping, places) => {
                let place = (0..).zip(Grouping::ALL).find(|(_, one)| *one == grouping).map_or(0, |(place, _)| place);
                EITHER + 2 + place * (u32::from(MAX_GROUPED_DECIMALS) + 2) + u32::from(places)
            }
        }
    }

    /// Returns the name of the form, in grids.
    pub(super) fn name(self) -> String {
        match self {
            Self::Whole => "integer".into(),
            Self::Point(0) => "decimal".into(),
            Self::Point(places) => format!("decimal {places}"),
            Self::Comma(0) => "comma".into(),
            Self::Comma(places) => format!("comma {places}"),
            Self::EitherPoint => "three decimals or groups by .".into(),
            Self::EitherComma => "three decimals or groups by ,".into(),
            Self::Grouped(grouping, places) => format!("groups by {}, {places}", grouping.name()),
        }
    }

    /// Returns the first of the forms that are counted together, because they say the same of the
    /// notation: those that differ in their number of decimals alone.
    pub(super) fn family(self) -> Self {
        match self {
            Self::Point(_) => Self::Point(0),
            Self::Comma(_) => Self::Comma(0),
            Self::Grouped(grouping, 1..) => Self::Grouped(grouping, 1),
            Self::Whole | Self::EitherPoint | Self::EitherComma | Self::Grouped(_, 0) => self,
        }
    }

    /// Returns the form of a number; `None` if the text is none. Digits with leading zeros, or too
    /// many of them, are no number.
    pub(super) fn of(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        if is_digits(unsigned) {
            return is_whole(unsigned).then_some(Self::Whole);
        }
        if let Some(form) = grouped(unsigned) {
            return Some(form);
        }
        for (mark, form) in [('.', Self::Point as fn(u8) -> Self), (',', Self::Comma)] {
            if let Some((whole, fraction)) = unsigned.split_once(mark)
                && (whole.is_empty() || is_digits(whole))
                && is_digits(fraction)
            {
                return Some(form(places(fraction, MAX_DECIMALS).unwrap_or(0)));
            }
        }
        let is_exponent = unsigned.contains(['e', 'E']) && text.parse::<f64>().is_ok_and(f64::is_finite);
        is_exponent.then_some(Self::Point(0))
    }

    /// Returns the form of a number with a currency or a percent, in parentheses, or with its sign
    /// behind it; `None` if nothing of that stands around it.
    pub(super) fn of_marked(text: &str) -> Option<Self> {
        let in_parentheses = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let text = in_parentheses.unwrap_or(text).trim_matches(SPACES);
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text).trim_start_matches(SPACES);
        let before = longest(|mark| unsigned.strip_prefix(mark));
        let text = before.unwrap_or(unsigned).trim_start_matches(SPACES);
        let signed_behind = text.strip_suffix('-');
        let text = signed_behind.unwrap_or(text).trim_end_matches(SPACES);
        let behind = longest(|mark| text.strip_suffix(mark));
        let text = behind.unwrap_or(text).trim_end_matches(SPACES);
        let is_marked = [in_parentheses, before, signed_behind, behind].iter().any(Option::is_some);
        if is_marked { Self::of(text) } else { None }
    }
}

/// Returns what is left of a text without the longest mark.
fn longest<'a>(strip: impl Fn(&'static str) -> Option<&'a str>) -> Option<&'a str> {
    MARKS.into_iter().filter_map(strip).min_by_key(|left| left.len())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_whole(digits: &str) -> bool {
    digits.len() <= MAX_DIGITS && (digits == "0" || !digits.starts_with('0'))
}

/// Returns the number of digits of a fraction, if it is at most `most`.
fn places(fraction: &str, most: u8) -> Option<u8> {
    u8::try_from(fraction.len()).ok().filter(|places| *places <= most)
}

/// Returns the form of a number with groups of digits, or with what may be groups.
fn grouped(text: &str) -> Option<Form> {
    let group = text.chars().find(|character| !character.is_ascii_digit())?;
    // Decides most numbers with decimals, of which a column may have one in every row.
    let (_, rest) = text.split_once(group)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !(2..=3).contains(&digits) || rest.len() == 2 {
        return None;
    }
    let mut groupings = Grouping::ALL.into_iter().filter(|grouping| grouping.group == group);
    let found = groupings.try_for_each(|grouping| {
        let mark = if grouping.has_decimal_comma { ',' } else { '.' };
        let (whole, fraction) = match text.split_once(mark) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text, None),
        };
        let groups: Vec<&str> = whole.split(group).collect();
        let are_digits = groups.iter().chain(&fraction).all(|digits| is_digits(digits));
        // India writes groups of two digits, but a last group of three.
        let least = if group == ',' { 2 } else { 3 };
        let are_groups = groups.len() > 1
            && (1..=3).contains(&groups[0].len())
            && groups[1..groups.len() - 1].iter().all(|digits| (least..=3).contains(&digits.len()))
            && groups[groups.len() - 1].len() == 3
            && is_whole(&groups.concat());
        if !are_digits || !are_groups {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(match (group, groups.len(), fraction) {
            ('.', 2, None) => Form::EitherPoint,
            (',', 2, None) => Form::EitherComma,
            (.., fraction) => {
                let places = fraction.map_or(Some(0), |fraction| places(fraction, MAX_GROUPED_DECIMALS));
                Form::Grouped(grouping, places.unwrap_or(MAX_GROUPED_DECIMALS + 1))
            }
        })
    });
    found.break_value()
}

/// How the numbers of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Notation {
    /// Whether the decimal mark is a comma.
    pub has_decimal_comma: bool,
    /// The character between groups of digits.
    pub group: Option<char>,
    /// Whether currencies, percents or parentheses stand around numbers.
    pub is_marked: bool,
}

impl Notation {
    /// Returns the notations of numbers without marks. Of two that explain all numbers, the first
    /// is more likely: `1,234` alone has groups, and `1.234` has decimals.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let of = |has_decimal_comma, group| Self { has_decimal_comma, group, is_marked: false };
        let spaced = Grouping::ALL.into_iter().skip(2).map(move |one| of(one.has_decimal_comma, Some(one.group)));
        [of(false, None), of(false, Some(',')), of(true, None), of(true, Some('.'))].into_iter().chain(spaced)
    }

    /// Returns the number of decimals of a form in this notation: `None` if the number is not
    /// written so, and `Some(None)` if there are too many to tell.
    #[expect(clippy::option_option, reason = "two questions with one answer")]
    pub(super) fn decimals(self, form: Form) -> Option<Option<u8>> {
        let group_of = |mark: char| (self.group == Some(mark)).then_some(Some(0));
        let known = |places: u8, most: u8| Some(Some(places).filter(|places| (1..=most).contains(places)));
        match form {
            Form::Grouped(grouping, _) if self.group != Some(grouping.group) => None,
            Form::Whole | Form::Grouped(_, 0) => Some(Some(0)),
            Form::Point(places) if !self.has_decimal_comma => known(places, MAX_DECIMALS),
            Form::Comma(places) if self.has_decimal_comma => known(places, MAX_DECIMALS),
            Form::Point(_) | Form::Comma(_) => None,
            Form::EitherPoint => {
                if self.has_decimal_comma {
                    group_of('.')
                } else {
                    Some(Some(3))
                }
            }
            Form::EitherComma => {
                if self.has_decimal_comma {
                    Some(Some(3))
                } else {
                    group_of(',')
                }
            }
            Form::Grouped(grouping, places) => {
                if grouping.has_decimal_comma == self.has_decimal_comma {
                    known(places, MAX_GROUPED_DECIMALS)
                } else {
                    None
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::values::number_text::NumberText;

    fn grouped(group: char, has_decimal_comma: bool, places: u8) -> Form {
        Form::Grouped(Grouping { group, has_decimal_comma }, places)
    }

    #[test]
    fn groups_and_decimals_differ_where_a_number_says_so() {
        for (text, form) in [
            ("1,234", Some(Form::EitherComma)),
            ("1.234", Some(Form::EitherPoint)),
            ("-12,345", Some(Form::EitherComma)),
            ("0,234", Some(Form::Comma(3))),
            ("0.234", Some(Form::Point(3))),
            ("1234,567", Some(Form::Comma(3))),
            ("1,234,567", Some(grouped(',', false, 0))),
            ("12,34,567", Some(grouped(',', false, 0))),
            ("1,234.5", Some(grouped(',', false, 1))),
            ("1.234,50", Some(grouped('.', true, 2))),
            ("1.234.567", Some(grouped('.', true, 0))),
            ("1.234,5678", Some(grouped('.', true, 3))),
            ("1 234,50", Some(grouped(' ', true, 2))),
            ("1\u{202f}234.5", Some(grouped('\u{202f}', false, 1))),
            ("1'234'567.25", Some(grouped('\'', false, 2))),
            ("1 234", Some(grouped(' ', false, 0))),
            ("030 123 456", None),
            ("12.34.567", None),
            ("1,2,3", None),
            ("1,234.567,8", None),
            ("192.168.0.1", None),
            ("007", None),
        ] {
            assert_eq!(Form::of(text), form, "{text}");
        }
    }

    #[test]
    fn marks_stand_before_or_behind_a_number() {
        for (text, form) in [
            ("$5", Some(Form::Whole)),
            ("-$1,234.50", Some(grouped(',', false, 2))),
            ("$ -5.25", Some(Form::Point(2))),
            ("1.234,50 €", Some(grouped('.', true, 2))),
            ("EUR 12,5", Some(Form::Comma(1))),
            ("95%", Some(Form::Whole)),
            ("12,5 %", Some(Form::Comma(1))),
            ("(3,456.00)", Some(grouped(',', false, 2))),
            ("5.00-", Some(Form::Point(2))),
            ("R$ 7", Some(Form::Whole)),
            ("5", None),
            ("5 kg", None),
            ("$", None),
            ("$x5", None),
        ] {
            assert_eq!(Form::of_marked(text), form, "{text}");
        }
    }

    proptest! {
        /// The classes of a column decide how it is declared, and then its numbers must be read.
        #[test]
        fn a_number_of_a_form_is_read_in_every_notation_that_has_the_form(
            text in "[-+]?[0-9]{1,4}([.,' ][0-9]{1,4}){0,3}([eE]-?[0-9])?", is_marked: bool,
        ) {
            let written = if is_marked { format!("$ {text}") } else { text };
            let form = if is_marked { Form::of_marked(&written) } else { Form::of(&written) };
            for notation in Notation::all().filter(|notation| form.is_some_and(|form| notation.decimals(form).is_some())) {
                let decimal = if notation.has_decimal_comma { ',' } else { '.' };
                let plain = NumberText::of(decimal, notation.group, !is_marked).plain(&written);
                let value = plain.as_deref().and_then(|plain| plain.parse::<f64>().ok());
                prop_assert!(value.is_some(), "{} in {:?}", written, notation);
            }
        }
    }

    #[test]
    fn every_form_has_a_code_and_a_name_of_its_own() {
        assert!((0..).zip(Form::all()).all(|(code, form)| form.code() == code));
        assert_eq!(Form::all().count(), Form::COUNT as usize);
        let names: std::collections::BTreeSet<String> = Form::all().map(Form::name).collect();
        assert_eq!(names.len(), Form::COUNT as usize);
    }
}
