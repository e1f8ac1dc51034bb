//! Formats of cells. Dates and times in a workbook are numbers, and only the format of a cell marks
//! them.

/// Meaning of the number in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum CellFormat {
    #[default]
    Number,
    /// A date, or a date with a time.
    Date,
    /// A time without a date.
    Time,
}

/// The day with the number 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Epoch {
    #[default]
    Of1900,
    Of1904,
}

/// Days from 1899-12-30, which is number 0 for dates from March 1900 on, to 1970-01-01.
const DAYS_TO_1970: i64 = 25_569;
/// Days from 1899-12-30 to 1904-01-01.
const DAYS_TO_1904: i64 = 1_462;
/// The last number that a workbook accepts as a day: 9999-12-31.
const LAST_DAY: f64 = 2_958_465.0;
const MILLIS_PER_DAY: i64 = 86_400_000;

impl CellFormat {
    /// Returns the meaning of a format number that the workbook does not declare.
    pub(super) fn built_in(number: u32) -> Self {
        match number {
            14..=17 | 22 | 27..=36 | 50..=58 => Self::Date,
            18..=21 | 45 | 47 => Self::Time,
            _ => Self::Number,
        }
    }

    /// Returns the meaning of a format code, such as `dd.mm.yyyy` or `[$-407]d. mmmm yyyy;@`.
    pub(super) fn of_code(code: &str) -> Self {
        let letters = format_letters(code);
        let has = |any_of: &[char]| letters.iter().any(|letter| any_of.contains(letter));
        match (has(&['d', 'y']), has(&['h', 's']), has(&['m'])) {
            (true, ..) | (false, false, true) => Self::Date,
            (false, true, _) => Self::Time,
            (false, false, false) => Self::Number,
        }
    }

    /// Formats a number that is a date or time as ISO 8601; `None` for plain numbers and invalid
    /// dates.
    pub(super) fn text(self, number: &str, epoch: Epoch) -> Option<String> {
        let serial: f64 = number.trim().parse().ok()?;
        if self == Self::Number || !(0.0..=LAST_DAY + 1.0).contains(&serial) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "some millions of days")]
        let (mut day, mut millis) = {
            let day = serial.floor();
            (day as i64, ((serial - day) * 86_400_000.0).round() as i64)
        };
        if millis == MILLIS_PER_DAY {
            (day, millis) = (day + 1, 0);
        }
        if self == Self::Time && day == 0 {
            return Some(clock(millis));
        }
        let from_1900 = match epoch {
            Epoch::Of1904 => day + DAYS_TO_1904,
            // Excel counts a 29 February 1900, number 60, which did not exist.
            Epoch::Of1900 if day == 60 => return None,
            Epoch::Of1900 if day < 60 => day + 1,
            Epoch::Of1900 => day,
        };
        let date = iso_day(from_1900 - DAYS_TO_1970)?;
        Some(if millis == 0 { date } else { format!("{date}T{}", clock(millis)) })
    }
}

/// Returns the letters of the first section of a format, without texts and colours. Brackets are
/// skipped: an elapsed time such as `[h]:mm` is a number of hours, not a time of day.
fn format_letters(code: &str) -> Vec<char> {
    let mut letters = vec![];
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => drop(characters.by_ref().find(|&inside| inside == '"')),
            '\\' | '_' | '*' => drop(characters.next()),
            '[' => {
                let inside: String = characters.by_ref().take_while(|&inside| inside != ']').collect();
                if matches!(inside.to_ascii_lowercase().as_str(), "h" | "hh" | "m" | "mm" | "s" | "ss") {
                    return vec![];
                }
            }
            ';' => break,
            // `General` and numbers with an exponent have other letters.
            letter => letters.push(letter.to_ascii_lowercase()),
        }
    }
    letters
}

/// Formats a time of day in milliseconds.
fn clock(millis: i64) -> String {
    let (seconds, rest) = (millis / 1000, millis % 1000);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if rest == 0 { clock } else { format!("{clock}.{rest:03}") }
}

/// Formats a day, counted from 1970-01-01.
fn iso_day(days: i64) -> Option<String> {
    let day = datafusion::arrow::temporal_conversions::date32_to_datetime(i32::try_from(days).ok()?)?;
    Some(day.format("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_codes_give_the_meaning_of_a_number() {
        for (code, format) in [
            ("General", CellFormat::Number),
            ("0.00", CellFormat::Number),
            ("0.00E+00", CellFormat::Number),
            ("#,##0 \"days\"", CellFormat::Number),
            ("[Red]-0.0\\d", CellFormat::Number),
            ("[h]:mm:ss", CellFormat::Number),
            ("dd.mm.yyyy", CellFormat::Date),
            ("[$-407]d. mmmm yyyy;@", CellFormat::Date),
            ("mmm-yy", CellFormat::Date),
            ("yyyy-mm-dd hh:mm", CellFormat::Date),
            ("hh:mm", CellFormat::Time),
            ("h:mm AM/PM", CellFormat::Time),
        ] {
            assert_eq!(CellFormat::of_code(code), format, "{code}");
        }
    }

    #[test]
    fn numbers_become_the_days_that_a_spreadsheet_shows() {
        let day = |number: &str| CellFormat::Date.text(number, Epoch::Of1900);
        assert_eq!(day("45943").as_deref(), Some("2025-10-13"));
        assert_eq!(day("45943.5").as_deref(), Some("2025-10-13T12:00:00"));
        assert_eq!(day("45943.99999999").as_deref(), Some("2025-10-13T23:59:59.999"));
        assert_eq!(day("1").as_deref(), Some("1900-01-01"));
        assert_eq!(day("59").as_deref(), Some("1900-02-28"));
        assert_eq!(day("60"), None, "there was no such day");
        assert_eq!(day("61").as_deref(), Some("1900-03-01"));
        assert_eq!(CellFormat::Date.text("0", Epoch::Of1904).as_deref(), Some("1904-01-01"));
        assert_eq!(CellFormat::Time.text("0.75", Epoch::Of1900).as_deref(), Some("18:00:00"));
        for number in ["-1", "1e300", "nan", "inf", "", "x"] {
            assert_eq!(day(number), None, "{number}");
        }
        assert_eq!(CellFormat::Number.text("45943", Epoch::Of1900), None);
    }
}
