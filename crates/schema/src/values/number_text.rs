//! Numbers in texts: decimal and group characters, as in `1.234,56`, and what stands around them,
//! as in `$5` and `95%`.

use std::borrow::Cow;

/// How the numbers of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NumberText {
    decimal: char,
    group: Option<char>,
    /// Whether nothing but the number is in the text.
    is_bare: bool,
}

impl Default for NumberText {
    fn default() -> Self {
        Self { decimal: '.', group: None, is_bare: true }
    }
}

impl NumberText {
    /// Creates a format whose characters are known to be different.
    pub(crate) fn of(decimal: char, group: Option<char>, is_bare: bool) -> Self {
        Self { decimal, group, is_bare }
    }

    /// Creates the format from `decimalChar`, `groupChar` and `bareNumber`. `Err` describes what is
    /// wrong with them.
    pub(crate) fn new(decimal: Option<&str>, group: Option<&str>, is_bare: bool) -> Result<Self, &'static str> {
        let decimal =
            decimal.map_or(Some('.'), only_character).ok_or("has a `decimalChar` that is not one character")?;
        let group = match group {
            None | Some("") => None,
            Some(text) => Some(only_character(text).ok_or("has a `groupChar` that is not one character")?),
        };
        if [Some(decimal), group].into_iter().flatten().any(|symbol| symbol.is_alphanumeric() || "+-".contains(symbol))
        {
            return Err("has a letter, a digit or a sign as its `decimalChar` or `groupChar`");
        }
        if group == Some(decimal) {
            return Err("has the same character for `decimalChar` and `groupChar`");
        }
        Ok(Self { decimal, group, is_bare })
    }

    /// The text with a decimal point and without group characters; `None` if it is not a number in
    /// this format.
    ///
    /// Groups must have the right length: if the point is the group character, `1.5` is not a
    /// number.
    pub(crate) fn plain(self, text: &str) -> Option<Cow<'_, str>> {
        if self == Self::default() {
            return Some(Cow::Borrowed(text));
        }
        if !self.is_bare {
            let bare = Self { is_bare: true, ..self };
            return bare.plain(&self.bare(text)?).map(|plain| Cow::Owned(plain.into_owned()));
        }
        let (mantissa, exponent) = text.split_at(text.find(['e', 'E']).unwrap_or(text.len()));
        let (whole, decimals) = match mantissa.split_once(self.decimal) {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (mantissa, None),
        };
        let mut plain = self.ungrouped(whole)?;
        if let Some(decimals) = decimals {
            plain.push('.');
            plain.push_str(decimals);
        }
        // A point is only allowed as decimal or group character.
        let is_plain = !whole.contains('.') || self.group == Some('.');
        let has_decimals = decimals.is_none_or(|decimals| decimals.bytes().all(|byte| byte.is_ascii_digit()));
        (is_plain && has_decimals).then(|| Cow::Owned(plain + exponent))
    }

    /// The number in a text, from its first to its last digit, with its sign: a minus before it, a
    /// minus at the very end, or parentheses. `None` if there is no digit.
    fn bare(self, text: &str) -> Option<String> {
        let is_digit = |character: char| character.is_ascii_digit();
        let first = text.find(is_digit)?;
        let end = text.rfind(is_digit)? + 1;
        // In `$.50` the point belongs to the number, in `Rs.50` it does not.
        let point = text[..first].strip_suffix(self.decimal).filter(|before| !before.ends_with(char::is_alphabetic));
        let start = point.map_or(first, str::len);
        let (before, after) = (text[..start].trim(), text[end..].trim());
        let is_minus = |character: char| matches!(character, '-' | '\u{2212}');
        let is_negative =
            before.contains(is_minus) || after.ends_with(is_minus) || before.starts_with('(') && after.ends_with(')');
        Some(format!("{}{}", if is_negative { "-" } else { "" }, &text[start..end]))
    }

    /// The whole part without group characters; `None` if the groups are malformed.
    fn ungrouped(self, whole: &str) -> Option<String> {
        let Some(group) = self.group.filter(|group| whole.contains(*group)) else { return Some(whole.to_owned()) };
        let digits = whole.strip_prefix(['+', '-']).unwrap_or(whole);
        let groups: Vec<&str> = digits.split(group).collect();
        let is_group = |(place, digits): (usize, &&str)| {
            let lengths = match place {
                0 => 1..=3,
                // India writes groups of two digits, but a last group of three.
                place if place + 1 < groups.len() => 2..=3,
                _ => 3..=3,
            };
            lengths.contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let sign = &whole[..whole.len() - digits.len()];
        groups.iter().enumerate().all(is_group).then(|| sign.to_owned() + &groups.concat())
    }
}

fn only_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn german(text: &str) -> Option<String> {
        NumberText::new(Some(","), Some("."), true).unwrap().plain(text).map(Cow::into_owned)
    }

    #[test]
    fn groups_and_decimals_are_parsed() {
        for (text, plain) in [
            ("1.234,56", "1234.56"),
            ("-1.234.567", "-1234567"),
            ("0,5", "0.5"),
            (",5", ".5"),
            ("12", "12"),
            ("1234,5", "1234.5"),
            ("1,5e3", "1.5e3"),
            ("nan", "nan"),
        ] {
            assert_eq!(german(text).as_deref(), Some(plain), "{text}");
        }
        let swiss = NumberText::new(None, Some("'"), true).unwrap();
        assert_eq!(swiss.plain("1'234.5").as_deref(), Some("1234.5"));
        let narrow = NumberText::new(Some(","), Some("\u{202f}"), true).unwrap();
        assert_eq!(narrow.plain("12\u{202f}345,6").as_deref(), Some("12345.6"));
        let indian = NumberText::new(None, Some(","), true).unwrap();
        assert_eq!(indian.plain("12,34,567").as_deref(), Some("1234567"));
    }

    #[test]
    fn what_stands_around_a_number_is_dropped_if_declared() {
        let amount = |text: &str| NumberText::new(None, Some(","), false).unwrap().plain(text).map(Cow::into_owned);
        for (text, plain) in [
            ("$1,234.50", Some("1234.50")),
            ("-$5", Some("-5")),
            ("$ -5.25", Some("-5.25")),
            ("\u{2212}5 €", Some("-5")),
            ("(1,234.00)", Some("-1234.00")),
            ("5.00-", Some("-5.00")),
            ("95 %", Some("95")),
            ("$.50", Some(".50")),
            ("Rs.500", Some("500")),
            ("1e3 m", Some("1e3")),
            ("12", Some("12")),
            ("5 to 7", Some("5 to 7")),
            ("free", None),
            ("$12,34", None),
        ] {
            assert_eq!(amount(text).as_deref(), plain, "{text}");
        }
        let german = NumberText::new(Some(","), Some("."), false).unwrap();
        assert_eq!(german.plain("1.234,50\u{a0}€").as_deref(), Some("1234.50"));
    }

    #[test]
    fn a_number_in_another_format_is_refused() {
        for text in ["1.5", "1.23,4", "1,234,5", "1.2345", ".123", "1..234", "1,2.345", "12.34"] {
            assert_eq!(german(text), None, "{text}");
        }
        let ungrouped = NumberText::new(Some(","), None, true).unwrap();
        assert_eq!(ungrouped.plain("1.5"), None);
    }

    #[test]
    fn letters_digits_and_signs_are_refused_as_separators() {
        for (decimal, group) in
            [(Some(",,"), None), (Some(""), None), (Some("1"), None), (None, Some("e")), (None, Some("-"))]
        {
            assert!(NumberText::new(decimal, group, true).is_err(), "{decimal:?} {group:?}");
        }
        assert!(NumberText::new(Some(","), Some(","), true).is_err());
        assert!(NumberText::new(None, Some("."), true).is_err(), "the point is the decimal character");
    }
}
