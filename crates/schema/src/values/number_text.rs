//! Decimal and group characters of numbers, as in `1.234,56`.

use std::borrow::Cow;

/// The decimal and group characters of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NumberText {
    decimal: char,
    group: Option<char>,
}

impl Default for NumberText {
    fn default() -> Self {
        Self { decimal: '.', group: None }
    }
}

impl NumberText {
    /// Creates the format from `decimalChar` and `groupChar`. `Err` describes what is wrong with
    /// them.
    pub(crate) fn new(decimal: Option<&str>, group: Option<&str>) -> Result<Self, &'static str> {
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
        Ok(Self { decimal, group })
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
        NumberText::new(Some(","), Some(".")).unwrap().plain(text).map(Cow::into_owned)
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
        let swiss = NumberText::new(None, Some("'")).unwrap();
        assert_eq!(swiss.plain("1'234.5").as_deref(), Some("1234.5"));
        let narrow = NumberText::new(Some(","), Some("\u{202f}")).unwrap();
        assert_eq!(narrow.plain("12\u{202f}345,6").as_deref(), Some("12345.6"));
        let indian = NumberText::new(None, Some(",")).unwrap();
        assert_eq!(indian.plain("12,34,567").as_deref(), Some("1234567"));
    }

    #[test]
    fn a_number_in_another_format_is_refused() {
        for text in ["1.5", "1.23,4", "1,234,5", "1.2345", ".123", "1..234", "1,2.345", "12.34"] {
            assert_eq!(german(text), None, "{text}");
        }
        let ungrouped = NumberText::new(Some(","), None).unwrap();
        assert_eq!(ungrouped.plain("1.5"), None);
    }

    #[test]
    fn letters_digits_and_signs_are_refused_as_separators() {
        for (decimal, group) in
            [(Some(",,"), None), (Some(""), None), (Some("1"), None), (None, Some("e")), (None, Some("-"))]
        {
            assert!(NumberText::new(decimal, group).is_err(), "{decimal:?} {group:?}");
        }
        assert!(NumberText::new(Some(","), Some(",")).is_err());
        assert!(NumberText::new(None, Some(".")).is_err(), "the point is the decimal character");
    }
}
