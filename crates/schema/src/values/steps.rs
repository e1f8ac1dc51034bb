//! Where the codes of a column change, for databases that encode by comparisons.
//!
//! A list of steps holds ascending values, each with the code of all values from it up to the next.
//! Steps are found by encoding every value at which a code could change, so they cannot disagree
//! with the [`Encoder`]: it alone says what the codes are.

use crate::bins::cut::{RealCut, WholeCut};
use crate::values::encode::{Encoder, Values, WholeLine};
use crate::values::text::{self, MICROS_PER_DAY};

/// Maximum number of steps of a column.
const STEPS: usize = 20_000;
/// Beyond this, several whole numbers are the same float.
const EXACT: i64 = 1 << 53;

impl Encoder {
    /// The steps of whole numbers: the first is at the least `i64`. `None` if the codes of whole
    /// numbers are those of floats, do not change in steps, or change too often.
    ///
    /// ```
    /// # use scumble_schema::Schema;
    /// let schema = Schema::parse("fields: [{name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 50}}}]")?;
    /// let age = schema.attributes()[0].encoder();
    /// assert_eq!(age.integer_steps().unwrap(), [(i64::MIN, 0), (50, 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn integer_steps(&self) -> Option<Vec<(i64, u32)>> {
        let changes = match &self.values {
            Values::Whole { line: WholeLine::Integer | WholeLine::Year, cut } => cut.changes()?,
            Values::Text(_) | Values::Boolean { .. } => {
                let numbers = self.declared_texts().filter_map(|text| text.trim().parse::<i64>().ok());
                numbers.flat_map(around).collect()
            }
            Values::Real(_) | Values::Whole { .. } => return None,
        };
        let missing: Option<Vec<i64>> = self.missing_texts.reals().filter_map(text::whole_of_real).map(exact).collect();
        steps(changes.into_iter().chain(missing?.into_iter().flat_map(around)), |value| self.integer(value.into()))
    }

    /// The steps of floats: the first is at negative infinity. NaN has the code of a null. `None`
    /// if the codes of floats do not change in steps, or change too often.
    pub fn float_steps(&self) -> Option<Vec<(f64, u32)>> {
        let Values::Real(cut) = &self.values else { return None };
        let mut changes = cut.changes()?;
        changes.extend(self.missing_texts.reals().flat_map(around_real));
        // Zero has two signs, which are equal to every comparison.
        let mut changes: Vec<f64> = changes.into_iter().map(|value| value + 0.0).collect();
        changes.push(f64::NEG_INFINITY);
        changes.sort_unstable_by(f64::total_cmp);
        changes.dedup();
        let mut steps: Vec<(f64, u32)> = changes.into_iter().map(|value| (value, self.float(value))).collect();
        steps.dedup_by_key(|&mut (_, code)| code);
        (steps.len() <= STEPS).then_some(steps)
    }

    /// The steps of floats without a fraction, in a column of whole numbers; all other floats have
    /// the code of an unknown value, and NaN that of a null.
    pub fn whole_float_steps(&self) -> Option<Vec<(f64, u32)>> {
        let Values::Whole { line: WholeLine::Integer | WholeLine::Year, .. } = &self.values else { return None };
        if self.missing_texts.reals().any(|value| text::whole_of_real(value).is_none()) {
            return None;
        }
        let (first, rest) = self.integer_steps()?.split_first().map(|(first, rest)| (*first, rest.to_vec()))?;
        let exact = |(value, code): (i64, u32)| (value.abs() < EXACT).then_some((value as f64, code));
        let first = (f64::NEG_INFINITY, first.1);
        std::iter::once(Some(first)).chain(rest.into_iter().map(exact)).collect()
    }

    /// The steps of days, counted from 1970-01-01. `None` if codes of days do not change in steps,
    /// or change too often.
    pub fn day_steps(&self) -> Option<Vec<(i64, u32)>> {
        let changes = match &self.values {
            Values::Whole { line: WholeLine::Date(_), cut } => cut.changes()?,
            Values::Text(_) => {
                let days = self.declared_texts().filter_map(|text| Some(text::iso_date(text.trim())?.to_epoch_days()));
                days.flat_map(|day| around(day.into())).collect()
            }
            Values::Real(_) | Values::Boolean { .. } | Values::Whole { .. } => return None,
        };
        steps(changes, |day| self.date(day))
    }

    /// The steps of instants in microseconds from 1970-01-01 UTC, or of local times if they have no
    /// zone. `None` if codes of instants do not change in steps, or change too often.
    pub fn instant_steps(&self, is_local: bool) -> Option<Vec<(i64, u32)>> {
        let changes: Vec<i64> = match &self.values {
            Values::Whole { line: WholeLine::Datetime(_, zone), cut } if !is_local || zone.is_none() => {
                cut.changes()?
            }
            Values::Whole { line: WholeLine::Date(_), cut } => {
                let midnights = cut.changes()?.into_iter().map(|day| day.checked_mul(MICROS_PER_DAY));
                midnights.collect::<Option<_>>()?
            }
            _ => return None,
        };
        steps(changes, |micros| if is_local { self.local_timestamp(micros) } else { self.timestamp(micros) })
    }

    /// The declared texts, each with its code. A text that is not among them has the code of
    /// itself without the white space of ASCII around it, if that is among them, and else that of
    /// an unknown value; so has every text that is [too long](crate::limits::FIELD_BYTES). `None`
    /// if the codes of texts depend on more than that.
    pub fn text_codes(&self) -> Option<Vec<(String, u32)>> {
        if self.classifies || !matches!(self.values, Values::Text(_) | Values::Boolean { .. }) {
            return None;
        }
        let mut texts: Vec<String> = self.declared_texts().map(str::to_owned).collect();
        texts.sort_unstable();
        texts.dedup();
        let code = |text: String| {
            let code = self.text(text.as_bytes());
            (text, code)
        };
        (texts.len() <= STEPS).then(|| texts.into_iter().map(code).collect())
    }

    /// Whether numbers in texts are written with a point and without groups.
    pub fn has_plain_numbers(&self) -> bool {
        self.numbers == super::number_text::NumberText::default()
    }

    /// Texts of categories and of missing values.
    fn declared_texts(&self) -> impl Iterator<Item = &str> {
        let categories = match &self.values {
            Values::Text(categories) => vec![categories],
            Values::Boolean { false_texts, true_texts } => vec![false_texts, true_texts],
            Values::Whole { .. } | Values::Real(_) => vec![],
        };
        let categories = categories.into_iter().flat_map(|lookup| lookup.by_code());
        // A schema is UTF-8.
        let texts = categories.map(|text| &**text).chain(self.missing_texts.texts());
        texts.filter_map(|text| std::str::from_utf8(text).ok())
    }
}

/// A whole number that is a float, or else one that no check for steps accepts.
fn exact(value: i128) -> Option<i64> {
    i64::try_from(value).ok().filter(|value| value.abs() < EXACT)
}

/// The values at which codes change if one value has its own.
fn around(value: i64) -> impl Iterator<Item = i64> {
    [Some(value), value.checked_add(1)].into_iter().flatten()
}

/// The floats at which codes change if one float has its own.
fn around_real(value: f64) -> [f64; 2] {
    [value, value.next_up()]
}

/// The steps of `code`, which changes at most at `changes`.
fn steps(changes: impl IntoIterator<Item = i64>, code: impl Fn(i64) -> u32) -> Option<Vec<(i64, u32)>> {
    let mut changes: Vec<i64> = std::iter::once(i64::MIN).chain(changes).collect();
    changes.sort_unstable();
    changes.dedup();
    let mut steps: Vec<(i64, u32)> = changes.into_iter().map(|value| (value, code(value))).collect();
    steps.dedup_by_key(|&mut (_, code)| code);
    (steps.len() <= STEPS).then_some(steps)
}

impl WholeCut {
    /// Values at which codes change, and perhaps others; `None` if codes do not change in steps, or
    /// change too often.
    fn changes(&self) -> Option<Vec<i64>> {
        if self.count() > STEPS as u128 {
            return None;
        }
        let (bins, single) = match self {
            Self::Bins(bins) => (Some(bins), vec![]),
            Self::Amounts(amounts) => (Some(&amounts.bins), amounts.points().to_vec()),
            Self::Categories(categories) => (None, categories.by_code().into_iter().copied().collect()),
            // Weekdays and months come again.
            Self::Kept(..) => return None,
        };
        let mut changes: Vec<i64> = single.into_iter().flat_map(around).collect();
        if let Some(bins) = bins {
            let count = u32::try_from(bins.count()).ok()?;
            changes.extend((0..count).map(|bin| bins.members(bin).0));
        }
        if let Some((low, high)) = self.bounds() {
            changes.extend(around(low).chain(around(high)));
        }
        Some(changes)
    }
}

impl RealCut {
    /// Values at which codes change, and perhaps others; `None` if they change too often.
    fn changes(&self) -> Option<Vec<f64>> {
        if self.count() > STEPS as u128 {
            return None;
        }
        let (bins, single) = match self {
            Self::Bins(bins) => (Some(bins), vec![]),
            Self::Amounts(amounts) => (Some(&amounts.bins), amounts.points().collect()),
            Self::Categories(categories) => {
                (None, categories.by_code().into_iter().map(|key| f64::from_bits(*key)).collect())
            }
        };
        let mut changes: Vec<f64> = single.into_iter().flat_map(around_real).collect();
        if let Some(bins) = bins {
            changes.extend((0..bins.count()).map(|bin| bins.interval(bin).0));
        }
        if let Some((low, high)) = self.bounds() {
            changes.extend([low, high].into_iter().flat_map(around_real));
        }
        Some(changes)
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use crate::Schema;

    const COLUMNS: &str = r#"
missingValues: ["", "NA", {value: "-9", label: refused}, {value: "7", label: unasked}]
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}}
  - {name: binned, type: integer, constraints: {minimum: -50, maximum: 1000, required: true}, dp: {bins: {count: 7}}}
  - {name: open, type: integer, constraints: {minimum: 0, maximum: 90}, dp: {bins: {width: 12}, open: true}}
  - {name: listed, type: integer, constraints: {enum: [1, 2, 5, 100]}}
  - {name: born, type: year, constraints: {minimum: 1900, maximum: 2020}, dp: {bins: {width: 10}}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 1000}, dp: {bins: {count: 30}}}
  - {name: amount, type: number, constraints: {minimum: 0, maximum: 5000}, dp: {bins: {count: 9, scale: log, from: 10, points: [0, 100], topCode: 4000}}}
  - {name: whole_amount, type: integer, constraints: {minimum: 0, maximum: 5000}, dp: {bins: {count: 9, scale: log, from: 10, points: [0, 100], topCode: 4000}}}
  - {name: rate, type: number, constraints: {enum: [0.5, 1.5, 7]}}
  - {name: code, type: string, constraints: {enum: ["1", "02", " x", "x", "2020-01-31"]}}
  - {name: flag, type: boolean, trueValues: ["yes", "1"], falseValues: ["no", "0"]}
  - {name: day, type: date, constraints: {minimum: "1999-12-30", maximum: "2020-02-01"}, dp: {bins: {count: 13}}}
  - {name: time, type: datetime, constraints: {minimum: "1999-12-30T00:00:00", maximum: "2020-02-01T00:00:00"}, dp: {bins: {count: 13}}}
"#;

    fn at<T: PartialOrd + Copy>(steps: &[(T, u32)], value: T) -> u32 {
        steps[steps.partition_point(|&(from, _)| from <= value) - 1].1
    }

    #[test]
    fn steps_agree_with_the_encoder_on_every_value() {
        let schema = Schema::parse(COLUMNS).unwrap();
        let mut rng = SmallRng::seed_from_u64(1);
        let mut checked = [0; 5];
        for attribute in schema.attributes() {
            let (encoder, name) = (attribute.encoder(), attribute.name());
            let near: Vec<i64> = (-60..1_200).chain([4_999, 5_000, 5_001, i64::MIN, i64::MAX]).collect();
            if let Some(steps) = encoder.integer_steps() {
                let far = (0..200).map(|_| rng.random::<i64>() >> rng.random_range(0..60));
                for value in near.iter().copied().chain(far).chain(steps.iter().map(|step| step.0.saturating_sub(1))) {
                    assert_eq!(at(&steps, value), encoder.integer(value.into()), "{name}: {value}");
                }
                checked[0] += 1;
            }
            for (steps, only_whole) in [(encoder.float_steps(), false), (encoder.whole_float_steps(), true)] {
                let Some(steps) = steps else { continue };
                let edges = steps.iter().flat_map(|&(from, _)| [from, from.next_down(), from.next_up()]);
                let special = [f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, -9.0, 7.0, f64::MAX, f64::MIN_POSITIVE];
                let random = (0..500).map(|_| rng.random_range(-100.0..6_000.0_f64)).collect::<Vec<_>>();
                for value in edges.chain(special).chain(random).chain(near.iter().map(|&value| value as f64)) {
                    let has_fraction = only_whole && value.is_finite() && value.fract() != 0.0;
                    let code = if has_fraction { encoder.unknown() } else { at(&steps, value) };
                    assert_eq!(code, encoder.float(value), "{name}: {value}");
                }
                assert_eq!(encoder.float(f64::NAN), encoder.null());
                checked[1] += 1;
            }
            if let Some(steps) = encoder.day_steps() {
                for day in (-20_000..30_000).chain([i64::from(i32::MIN), i64::from(i32::MAX)]) {
                    assert_eq!(at(&steps, day), encoder.date(day), "{name}: {day}");
                }
                checked[2] += 1;
            }
            for is_local in [false, true] {
                let Some(steps) = encoder.instant_steps(is_local) else { continue };
                let edges = steps.iter().flat_map(|&(from, _)| [from, from.saturating_sub(1), from.saturating_add(1)]);
                let random = (0..500).map(|_| rng.random_range(0..2_000_000_000_000_000_i64)).collect::<Vec<_>>();
                for micros in edges.chain(random).chain([i64::MIN, i64::MAX]) {
                    let code = if is_local { encoder.local_timestamp(micros) } else { encoder.timestamp(micros) };
                    assert_eq!(at(&steps, micros), code, "{name}: {micros}");
                }
                checked[3] += 1;
            }
            if let Some(texts) = encoder.text_codes() {
                let code = |text: &str| texts.iter().find(|(declared, _)| declared == text).map(|&(_, code)| code);
                let others =
                    ["y", "", " ", "1", " 1", "\t1\n", "01", "02", " x", "x ", "  x", "NA", " NA", "-9", "-9.0", "YES"];
                for text in others.iter().copied().chain(texts.iter().map(|(text, _)| text.as_str())) {
                    let found = code(text).or_else(|| code(text.trim_matches([' ', '\t', '\n', '\r', '\x0C'])));
                    assert_eq!(found.unwrap_or(encoder.unknown()), encoder.text(text.as_bytes()), "{name}: `{text}`");
                }
                checked[4] += 1;
            }
        }
        assert!(checked.iter().all(|&columns| columns >= 2), "{checked:?}");
    }

    #[test]
    fn codes_that_do_not_change_in_steps_have_none() {
        let schema = Schema::parse(
            r#"
fields:
  - {name: wide, type: integer, constraints: {minimum: 0, maximum: 99999}}
  - {name: weekday, type: date, constraints: {minimum: "2020-01-01", maximum: "2020-12-31"}, dp: {bins: {by: month}, keep: weekday}}
  - {name: local, type: datetime, constraints: {minimum: "2020-01-01T00:00:00", maximum: "2020-12-31T00:00:00"}, dp: {bins: {count: 9}, timeZone: Europe/Berlin}}
"#,
        )
        .unwrap();
        let encoder = |column: usize| schema.attributes()[column].encoder();
        assert_eq!(encoder(0).integer_steps(), None);
        assert_eq!(encoder(1).day_steps(), None);
        assert_eq!(encoder(2).instant_steps(true), None);
        assert!(encoder(2).instant_steps(false).is_some_and(|steps| steps.len() == 9));
        assert!(schema.attributes().iter().all(|attribute| attribute.encoder().text_codes().is_none()));
    }
}
