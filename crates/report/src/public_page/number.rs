//! Formats of numbers on the page.

use crate::words::{grouped, trimmed};

/// Formats a small number as a word.
pub(super) fn in_words(number: usize) -> String {
    let words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    words.get(number).map_or_else(|| number.to_string(), |word| (*word).into())
}

/// Formats a number of rows: whole, unless it is small.
pub(super) fn rows(number: f64) -> String {
    if number < 10.0 { trimmed(format!("{number:.1}")) } else { grouped(to_u64(number)) }
}

/// Formats a number of rows with the unit: `28 rows`, `one row`.
pub(crate) fn rows_in_words(number: f64) -> String {
    match rows(number).as_str() {
        "1" => "one row".into(),
        many => format!("{many} rows"),
    }
}

/// Formats the range of numbers of rows, or one number if both ends print the same.
pub(super) fn range(numbers: impl Iterator<Item = f64> + Clone) -> String {
    let least = rows(numbers.clone().fold(f64::INFINITY, f64::min));
    let most = rows(numbers.fold(0.0, f64::max));
    if least == most { most } else { format!("{least} to {most}") }
}

/// Formats a share in per cent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Formats a share in per cent with the range of the real one.
pub(super) fn percent_in_range(share: f64, range: Option<(f64, f64)>) -> String {
    match range {
        None => percent(share),
        Some((least, most)) => format!("{} ({:.1} to {:.1} %)", percent(share), least * 100.0, most * 100.0),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast holds at the ends of the range")]
fn to_u64(number: f64) -> u64 {
    number.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([2.0, 9.96, 12.4, 1_234.5].map(rows), ["2", "10", "12", "1,235"]);
        assert_eq!(range([12.1, 12.4].into_iter()), "12");
        assert_eq!(range([12.1, 1_400.0].into_iter()), "12 to 1,400");
        assert_eq!(percent_in_range(0.1234, Some((0.1, 0.1999))), "12.3 % (10.0 to 20.0 %)");
        assert_eq!(percent_in_range(0.1234, None), "12.3 %");
    }
}
