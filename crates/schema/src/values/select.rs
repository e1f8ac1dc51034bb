//! Selects codes of a column by text: a value, several values, or a range.

use crate::bins::cut::Held;
use crate::error::SchemaError;
use crate::file::spec::Scalar;
use crate::schema::attribute::{Attribute, FieldType};
use crate::values::encode::{Values, WholeLine};
use crate::values::text::TimeFormat;

/// A value of an ordered column. All values of a column have the same variant.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Point {
    Whole(i64),
    Real(f64),
}

impl Attribute {
    /// Returns the codes that a text selects, ascending. The text is a value as in
    /// [`Attribute::label`], empty for a missing value, a range `10..20` for the bins within it, or
    /// alternatives of these separated by `|`.
    ///
    /// ```
    /// use scumble_schema::Schema;
    ///
    /// let schema = Schema::parse("fields: [{name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 10}}}]")?;
    /// let age = &schema.attributes()[0];
    /// assert_eq!(age.select("10..39").unwrap(), [1, 2, 3]);
    /// assert_eq!(age.select("0..9|90..|").unwrap(), [0, 9, 10]);
    /// assert!(age.select("15").is_err(), "15 is in a bin with other numbers");
    /// # Ok::<(), scumble_schema::Problems>(())
    /// ```
    ///
    /// # Errors
    /// If it selects no code, or a value that shares its code with others.
    pub fn select(&self, text: &str) -> Result<Vec<u32>, SchemaError> {
        // A category may contain a bar.
        if let Some(code) = self.value_code(text) {
            return Ok(vec![code]);
        }
        let mut codes = Vec::new();
        for part in text.split('|') {
            codes.extend(self.select_one(part)?);
        }
        codes.sort_unstable();
        codes.dedup();
        Ok(codes)
    }

    fn select_one(&self, text: &str) -> Result<Vec<u32>, SchemaError> {
        if let Some(code) = self.value_code(text) {
            return Ok(vec![code]);
        }
        let fails = |problem: String, hint: String| Err(SchemaError::column(self.name(), problem, hint));
        if let Some((from, to)) = text.split_once("..").filter(|_| self.is_line()) {
            let end = |text: &str| if text.is_empty() { Some(None) } else { self.point(text).map(Some) };
            let (Some(from), Some(to)) = (end(from), end(to)) else {
                return fails(
                    format!("has no range `{text}`"),
                    format!("write both ends as values of type `{}`, or omit one", self.field_type()),
                );
            };
            let within = |code: &u32| {
                self.span(*code).is_some_and(|(first, last)| {
                    from.is_none_or(|from| from <= first) && to.is_none_or(|to| last <= to)
                })
            };
            let codes: Vec<u32> = (0..self.size()).filter(within).collect();
            if codes.is_empty() {
                return fails(
                    format!("has no value or bin within `{text}`"),
                    "widen the range; `scumble inspect` shows the bins".into(),
                );
            }
            return Ok(codes);
        }
        if let Some(point) = self.point(text) {
            let around = |code: &u32| self.span(*code).is_some_and(|(first, last)| first <= point && point <= last);
            if let Some(code) = (0..self.size()).find(around) {
                let (first, last) = self.bin(code).expect("a value with its own code was found before");
                return fails(
                    format!("has no code for `{text}`, only for its bin"),
                    format!("write the bin: `{}={first}..{last}`", self.name()),
                );
            }
        }
        let known: Vec<String> = (0..self.size().min(8)).map(|code| format!("`{}`", self.label(code))).collect();
        let rest = if self.size() > 8 { ", ..." } else { "" };
        fails(format!("has no value `{text}`"), format!("it has {}{rest}", known.join(", ")))
    }

    /// The code of exactly this value, if any.
    fn value_code(&self, text: &str) -> Option<u32> {
        if let Some(code) = (0..self.size()).find(|&code| self.label(code) == text) {
            return Some(code);
        }
        if text.is_empty() {
            return self.missing_code();
        }
        if let Values::Boolean { false_texts, true_texts } = &self.encoder().values {
            let has = |texts: &crate::values::encode::Lookup<Box<[u8]>>| texts.get(text.as_bytes()).is_some();
            return if has(false_texts) { Some(0) } else { has(true_texts).then_some(1) };
        }
        if self.field_type() == FieldType::String {
            let label = self.spec().dp.unknown_label();
            return self.unknown_code().filter(|_| label == text);
        }
        let point = self.point(text)?;
        (0..self.size()).find(|&code| self.span(code) == Some((point, point)))
    }

    fn is_line(&self) -> bool {
        !matches!(self.field_type(), FieldType::String | FieldType::Boolean)
    }

    /// The least and the greatest value of a code.
    fn span(&self, code: u32) -> Option<(Point, Point)> {
        if self.is_special(code) {
            return None;
        }
        let of = |scalar: &Scalar| match scalar {
            Scalar::Number(value) => Some(Point::Real(*value)),
            scalar => self.point(&scalar.to_string()),
        };
        if let Some((first, last)) = self.bin(code) {
            return Some((of(&first)?, of(&last)?));
        }
        let point = match &self.encoder().values {
            Values::Whole { cut, .. } => match cut.held(code) {
                Held::Value(value) | Held::AndAbove(value) => Point::Whole(value),
                Held::Bin(..) | Held::Kept(..) => return None,
            },
            Values::Real(cut) => match cut.held(code) {
                Held::Value(value) | Held::AndAbove(value) => Point::Real(value),
                Held::Bin(..) | Held::Kept(..) => return None,
            },
            Values::Text(_) | Values::Boolean { .. } => return None,
        };
        Some((point, point))
    }

    /// Parses a value of an ordered column.
    fn point(&self, text: &str) -> Option<Point> {
        let format = || TimeFormat::new(self.spec().format.as_deref()).unwrap_or(TimeFormat::Iso);
        match self.field_type() {
            FieldType::Integer | FieldType::Year => text.parse().ok().map(Point::Whole),
            FieldType::Number => text.parse().ok().filter(|value: &f64| value.is_finite()).map(Point::Real),
            FieldType::Date => TimeFormat::Iso.days(text).or_else(|| format().days(text)).map(Point::Whole),
            FieldType::Datetime => {
                // A text without a zone is local time of the column's zone.
                let zone = match &self.encoder().values {
                    Values::Whole { line: WholeLine::Datetime(_, zone), .. } => zone.as_ref(),
                    _ => None,
                };
                TimeFormat::Iso.micros_in(text, zone).or_else(|| format().micros_in(text, zone)).map(Point::Whole)
            }
            FieldType::Time => TimeFormat::Iso.clock(text).or_else(|| format().clock(text)).map(Point::Whole),
            FieldType::String | FieldType::Boolean => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::schema::Schema;

    const SCHEMA: &str = r"
fields:
  - {name: born, type: date, format: '%d.%m.%Y', constraints: {minimum: 01.01.2000, maximum: 31.12.2000, required: true}, dp: {bins: {width: 31}}}
  - {name: seen, type: datetime, constraints: {minimum: 2020-01-01T00:00:00, maximum: 2020-01-01T23:59:59, required: true}, dp: {bins: {width: 3600}}}
  - {name: smokes, type: boolean, trueValues: [ja], falseValues: [nein]}
  - {name: diet, type: string, constraints: {enum: [fish, 'a|b', meat]}, dp: {open: true, unknownLabel: else}}
  - {name: rooms, type: integer, constraints: {enum: [1, 2, 5]}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 10, required: true}, dp: {bins: {count: 4}}}
  - {name: wage, type: number, constraints: {minimum: 0}, dp: {bins: {width: 4, points: [0], topCode: 8}}, missingValues: ['', {value: '-9', label: refused}]}
  - {name: call, type: datetime, constraints: {minimum: 2024-07-01, maximum: 2024-07-02T23:59:59, required: true}, dp: {bins: {by: day}, timeZone: Europe/Berlin}}
  - {name: opens, type: time, format: '%H:%M', constraints: {required: true}, dp: {bins: {by: hour}}}
  - {name: paid, type: date, constraints: {minimum: 2024-01-01, maximum: 2024-02-29, required: true}, dp: {bins: {by: month}, keep: weekday}}
";

    fn select(column: &str, text: &str) -> Result<Vec<u32>, String> {
        let schema = Schema::parse(SCHEMA).unwrap();
        let column = schema.find(column).unwrap();
        schema.attribute(column).select(text).map_err(|error| format!("{error}; {}", error.hint()))
    }

    #[test]
    fn values_are_selected_by_label() {
        assert_eq!(select("smokes", "true"), Ok(vec![1]));
        assert_eq!(select("smokes", "nein|"), Ok(vec![0, 2]));
        assert_eq!(select("diet", "meat|fish"), Ok(vec![0, 2]));
        assert_eq!(select("diet", "a|b"), Ok(vec![1]), "a category with a bar in it");
        assert_eq!(select("diet", "else|(missing)"), Ok(vec![3, 4]));
        assert_eq!(select("rooms", "05"), Ok(vec![2]), "a number in another spelling");
        assert_eq!(
            select("diet", "fowl"),
            Err("column `diet` has no value `fowl`; it has `fish`, `a|b`, `meat`, `(missing)`, `(unknown)`".into())
        );
    }

    #[test]
    fn a_range_selects_the_bins_within_it() {
        assert_eq!(select("rooms", "2..9"), Ok(vec![1, 2]));
        assert_eq!(select("income", "2.5..7.5"), Ok(vec![1, 2]));
        assert_eq!(select("income", "2.4..7.4"), Ok(vec![1]), "a bin that only begins in it is not within it");
        assert_eq!(select("born", "..2000-02-10"), Ok(vec![0]));
        assert_eq!(select("born", "01.01.2000..02.03.2000"), Ok(vec![0, 1]));
        assert_eq!(select("seen", "2020-01-01T22:00..2020-01-02"), Ok(vec![22, 23]));
        assert_eq!(select("wage", "8.."), Ok(vec![3]), "a top code");
        assert_eq!(select("wage", "..4"), Ok(vec![0, 1]), "a point and its bin");
        assert_eq!(select("wage", "refused|0"), Ok(vec![0, 5]));
        assert_eq!(select("call", "2024-07-02.."), Ok(vec![1]), "a day of the column's own zone");
        assert_eq!(select("opens", "22:00..24:00"), Ok(vec![22, 23]));
        assert_eq!(select("opens", "06:00..07:00"), Ok(vec![6]));
        assert_eq!(select("paid", "2024-02-01.."), Ok((7..14).collect()), "all weekdays of a month");
        assert!(select("income", "3..4").unwrap_err().contains("no value or bin within"));
        assert!(select("income", "a..4").unwrap_err().contains("has no range"));
        assert!(select("diet", "a..4").unwrap_err().contains("has no value"));
    }

    #[test]
    fn a_value_inside_a_bin_is_refused_with_its_bin() {
        assert_eq!(
            select("income", "3"),
            Err("column `income` has no code for `3`, only for its bin; write the bin: `income=2.5..5`".into())
        );
        assert!(select("born", "2000-01-05").unwrap_err().contains("born=2000-01-01..2000-01-31"));
    }
}
