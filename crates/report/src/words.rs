//! Formats of numbers and text.

/// Formats a whole number with thousands separators: `1,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Converts a number of rows for shares and error bars.
pub(crate) fn real(number: u64) -> f64 {
    number as f64
}

/// Formats a real number with about four digits, for the edges of bins.
pub(crate) fn short(number: f64) -> String {
    let size = number.abs();
    if size >= 1e7 || (size > 0.0 && size < 1e-3) {
        return format!("{number:e}");
    }
    let text = match size {
        _ if size >= 1_000.0 => format!("{number:.0}"),
        _ if size >= 10.0 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    };
    if text.contains('.') { trimmed(text) } else { text }
}

/// Removes trailing zeros after the decimal point.
pub(crate) fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Formats a number of releases: `1 release`, `3 releases`.
pub fn releases(number: usize) -> String {
    if number == 1 { "1 release".into() } else { format!("{number} releases") }
}

/// Formats prior odds: `1 in 1,000`.
pub(crate) fn one_in(many: u32) -> String {
    format!("1 in {}", grouped(u64::from(many)))
}

/// Formats a share as a number of `many` cases, rounded up to a tenth of a case.
pub(crate) fn cases(share: f64, many: u32) -> String {
    let all = f64::from(many);
    // A rounding error above a tenth must not round up to the next one.
    let number = (share * all * 10.0 - 1e-9).ceil() / 10.0;
    if number >= all {
        format!("nearly {}", grouped(many.into()))
    } else if number.fract() == 0.0 {
        format!("{number:.0}")
    } else {
        format!("{number:.1}")
    }
}

/// Formats a share with its denominator, such as `7.2 in 100`, rounded up.
pub(crate) fn cases_in(share: f64, many: u32) -> String {
    format!("{} in {}", cases(share, many), grouped(many.into()))
}

/// Returns the denominator with which a suspicion of 1 in `one_in` is shown after the release.
pub(crate) fn denominator(one_in: u32) -> u32 {
    one_in.max(100)
}

/// Formats the number of cases in which something rare happens once, rounded down: `100,000`.
pub(crate) fn once_in(share: f64) -> String {
    // In floating point, 1/1e-5 is slightly below 100,000.
    let many = 1.0 / share * (1.0 + 1e-12);
    let power = many.log10().floor();
    if power > 15.0 {
        return format!("10^{power:.0}");
    }
    // Two digits, rounded down.
    let step = 10_f64.powf((power - 1.0).max(0.0));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and below 10^16")]
    let many = ((many / step).floor() * step).round() as u64;
    grouped(many.max(1))
}

/// Formats a factor with two decimals, rounded up.
pub(crate) fn times(factor: f64) -> String {
    if factor < 1e6 { format!("{:.2}", (factor * 100.0 - 1e-9).ceil() / 100.0) } else { "more than a million".into() }
}

/// Formats a count with its noun: `one table`, `3 tables`.
pub(crate) fn counted(number: usize, singular: &str, plural: &str) -> String {
    if number == 1 { format!("one {singular}") } else { format!("{} {plural}", grouped(number as u64)) }
}

/// Joins a list: `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Wraps text into lines of at most `width` characters; those after the first begin with `indent`
/// spaces. A longer word has a line of its own.
pub(crate) fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let mut lines = String::new();
    let mut used = 0;
    for (place, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else if place > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let numbers = [0, 7, 999, 1_000, 45_222, 1_000_000];
        assert_eq!(numbers.map(grouped), ["0", "7", "999", "1,000", "45,222", "1,000,000"]);
        assert_eq!([2, 1_000].map(one_in), ["1 in 2", "1 in 1,000"]);
    }

    #[test]
    fn shares_that_are_bounds_are_rounded_up() {
        assert_eq!(cases_in(0.7311, 100), "73.2 in 100");
        assert_eq!(cases_in(0.69, 100), "69 in 100");
        assert_eq!(cases_in(0.07, 100), "7 in 100");
        assert_eq!(cases_in(0.002_714, 1_000), "2.8 in 1,000");
        assert_eq!(cases_in(0.1, 1_000), "100 in 1,000");
        assert_eq!(cases_in(0.999_99, 100), "nearly 100 in 100");
        assert_eq!([2, 1_000].map(denominator), [100, 1_000]);
        assert_eq!([times(std::f64::consts::E), times(2.0), times(1e300)], ["2.72", "2.00", "more than a million"]);
    }

    #[test]
    fn rare_events_are_rounded_to_the_more_frequent_side() {
        assert_eq!(once_in(1e-5), "100,000");
        assert_eq!(once_in(1e-9), "1,000,000,000");
        assert_eq!(once_in(3e-7), "3,300,000");
        assert_eq!(once_in(0.3), "3");
        assert_eq!(once_in(0.9), "1");
        assert_eq!(once_in(1e-300), "10^300");
    }

    #[test]
    fn edges_of_bins_are_short() {
        assert_eq!(
            [0.0, 0.25, 33.333_333_3, 1_500.0, 2.5e9, 1e-5].map(short),
            ["0", "0.25", "33.33", "1500", "2.5e9", "1e-5"]
        );
    }

    #[test]
    fn things_are_counted_and_listed() {
        assert_eq!([1, 2_000].map(|number| counted(number, "table", "tables")), ["one table", "2,000 tables"]);
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([listed(&names[..1]), listed(&names[..2]), listed(&names)], ["a", "a and b", "a, b and c"]);
    }

    #[test]
    fn lines_are_at_most_the_width() {
        assert_eq!(wrapped("one two three", 8, 2), "one two\n  three");
        assert_eq!(wrapped("one two three", 7, 2), "one two\n  three");
        assert_eq!(wrapped("one two three", 6, 0), "one\ntwo\nthree");
        assert_eq!(wrapped("  one two", 7, 2), "  one\n  two");
        assert_eq!(wrapped("immeasurable", 3, 1), "immeasurable");
        assert_eq!(wrapped("an immeasurable a", 4, 1), "an\n immeasurable\n a");
    }
}
