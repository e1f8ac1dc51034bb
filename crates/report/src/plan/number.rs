//! Formats of numbers.

use scumble_mechanisms::forecast::Extent;

use crate::words::grouped;

/// Formats a number with two significant digits.
pub(super) fn two_digits(number: f64) -> String {
    if number <= 0.0 || !number.is_finite() {
        return "0".into();
    }
    let power = number.log10().floor();
    #[expect(clippy::cast_possible_truncation, reason = "between -308 and 308")]
    let decimals = 1 - power as i32;
    match usize::try_from(decimals) {
        // Numbers below a billionth print as zero.
        Ok(decimals) if decimals > 9 => "0".into(),
        Ok(decimals) => format!("{number:.decimals$}"),
        Err(_) => {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of rows or seconds")]
            let whole = number.round() as u64;
            grouped(whole)
        }
    }
}

/// Formats a number as a user writes it: 0.5, 1e-9.
pub(super) fn shortest(number: f64) -> String {
    if number != 0.0 && number < 1e-4 { format!("{number:e}") } else { number.to_string() }
}

/// Formats a range, or one value if both ends are equal.
pub(super) fn extent<T: PartialEq>(extent: &Extent<T>, text: impl Fn(&T) -> String) -> String {
    let (least, most) = (text(&extent.least), text(&extent.most));
    if least == most { least } else { format!("{least} to {most}") }
}

/// Formats a number of bytes.
pub(super) fn bytes(bytes: f64) -> String {
    match bytes {
        _ if bytes >= 9.95e8 => format!("{:.1} GB", bytes / 1e9),
        _ => format!("{:.0} MB", bytes / 1e6),
    }
}

/// Formats a duration.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        _ if seconds >= 7_200.0 => format!("{:.0} h", seconds / 3_600.0),
        _ if seconds >= 120.0 => format!("{:.0} min", seconds / 60.0),
        _ if seconds >= 9.95 => format!("{seconds:.0} s"),
        _ => format!("{} s", two_digits(seconds)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_few_digits() {
        assert_eq!(
            [0.0, 0.000_123, 0.0456, 0.5, 7.25, 12.3, 4_567.0].map(two_digits),
            ["0", "0.00012", "0.046", "0.50", "7.2", "12", "4,567"]
        );
        assert_eq!([1e-9, 0.5, 1.0, 0.0].map(shortest), ["1e-9", "0.5", "1", "0"]);
        assert_eq!([45e6, 1.5e9].map(bytes), ["45 MB", "1.5 GB"]);
        assert_eq!([0.031, 8.42, 42.0, 600.0, 9_000.0].map(seconds), ["0.031 s", "8.4 s", "42 s", "10 min", "2 h"]);
    }
}
