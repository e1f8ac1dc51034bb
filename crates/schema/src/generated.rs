//! Columns that are made up on output: identifiers, constants and row numbers.
//!
//! Such a column is never read and never modelled, so nothing about rows is in it. Its values follow from the schema, the
//! seed of the sample and the number of the row, and from nothing else: whoever draws the same rows again gets the same ones.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray, StringArray};

use crate::attribute::{Attribute, FieldType};
use crate::error::SchemaError;
use crate::spec::{FieldSpec, GenerateSpec, Scalar};
use crate::text::{self, TimeFormat};

/// Longest pattern of an identifier.
const PATTERN_LENGTH: usize = 256;
/// A pattern of so many digits always fits 64 bits.
const INTEGER_DIGITS: usize = 18;
/// As many values as a place of a pattern that is shuffled may have together. More rows are never drawn.
const MOST_SHUFFLED: u64 = 1 << 62;

/// A checked column that is made up on output.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    spec: FieldSpec,
    field_type: FieldType,
    /// Its place among all fields of the schema.
    place: usize,
    generator: Generator,
}

#[derive(Debug, Clone, PartialEq)]
enum Generator {
    Pattern { pattern: Pattern, unique: bool },
    Constant(Constant),
    Sequence { from: i64 },
}

#[derive(Debug, Clone, PartialEq)]
enum Constant {
    Text(String),
    Boolean(bool),
    Whole(i64),
    Real(f64),
}

/// A column of the output: one of the model's, or one that is made up.
#[derive(Debug, Clone, Copy)]
pub enum OutputColumn<'a> {
    /// A column that is read, modelled and drawn.
    Modelled(&'a Attribute),
    /// A column that is made up.
    Generated(&'a Generated),
}

impl<'a> OutputColumn<'a> {
    /// The column as the schema file has it.
    pub fn spec(self) -> &'a FieldSpec {
        match self {
            Self::Modelled(attribute) => attribute.spec(),
            Self::Generated(generated) => generated.spec(),
        }
    }

    /// The column's name.
    pub fn name(self) -> &'a str {
        &self.spec().name
    }

    /// The column's type.
    pub fn field_type(self) -> FieldType {
        match self {
            Self::Modelled(attribute) => attribute.field_type(),
            Self::Generated(generated) => generated.field_type(),
        }
    }

    /// The Arrow type that the column comes back as.
    pub fn arrow_type(self) -> arrow_schema::DataType {
        match self {
            Self::Modelled(attribute) => attribute.arrow_type(),
            Self::Generated(generated) => generated.field_type().arrow_type(),
        }
    }

    /// Whether it may be blank.
    pub fn is_nullable(self) -> bool {
        matches!(self, Self::Modelled(attribute) if !attribute.spec().constraints.required)
    }
}

impl Generated {
    /// Checks a column that is made up; `place` is that among all fields.
    pub(crate) fn new(spec: FieldSpec, place: usize) -> Result<Self, SchemaError> {
        let fails = |problem: &str, hint: &str| Err(SchemaError::column(&spec.name, problem, hint));
        let Some(field_type) = FieldType::ALL.into_iter().find(|known| known.name() == spec.field_type) else {
            return fails(
                &format!("has type `{}`, which Scumble does not write", spec.field_type),
                &format!("use one of {}", FieldType::ALL.map(FieldType::name).join(", ")),
            );
        };
        let (terms, constraints) = (&spec.dp, &spec.constraints);
        let is_modelled = terms.bins.is_some()
            || terms.open
            || terms.fold_into.is_some()
            || terms.unknown_label.is_some()
            || terms.hierarchy.is_some()
            || terms.keep.is_some()
            || terms.time_zone.is_some()
            || terms.step.is_some()
            || terms.decimals.is_some()
            || constraints.minimum.is_some()
            || constraints.maximum.is_some()
            || constraints.categories.is_some();
        if is_modelled {
            return fails(
                "is generated, but says how its values become codes",
                "drop `generate`, or drop bounds, categories, bins and what belongs to them",
            );
        }
        let generator = match terms.generate.as_ref().expect("only a column with `generate` is checked here") {
            GenerateSpec { pattern: Some(text), unique, constant: None, sequence: None } => {
                let pattern = Pattern::new(text);
                match field_type {
                    _ if pattern.0.len() > PATTERN_LENGTH => {
                        return fails("has a pattern of more than 256 characters", "shorten it");
                    }
                    FieldType::String => Generator::Pattern { pattern, unique: *unique },
                    FieldType::Integer if pattern.is_integer() => Generator::Pattern { pattern, unique: *unique },
                    FieldType::Integer => {
                        return fails(
                            "is an integer, but its pattern is not one of at most 18 digits",
                            "use only `#` and digits, or make it `type: string`",
                        );
                    }
                    _ => return fails("has a pattern, which makes text or integers", "make it `type: string`"),
                }
            }
            GenerateSpec { pattern: None, unique: false, constant: Some(value), sequence: None } => {
                match Constant::new(value, field_type, spec.format.as_deref()) {
                    Some(constant) => Generator::Constant(constant),
                    None => {
                        return fails(
                            &format!("has the constant `{value}`, which is no {field_type}"),
                            "write it as its type is written, text in quotes, or change the type",
                        );
                    }
                }
            }
            GenerateSpec { pattern: None, unique: false, constant: None, sequence: Some(sequence) } => {
                if !matches!(field_type, FieldType::Integer | FieldType::String) {
                    return fails("has a sequence, which makes integers or text", "make it `type: integer`");
                }
                Generator::Sequence { from: sequence.from }
            }
            _ => {
                return fails(
                    "has no `generate` that makes one kind of values",
                    "write one of `{pattern: \"P-#####\"}`, with `unique: true` if you like, `{constant: X}` and \
                     `{sequence: {from: 1}}`",
                );
            }
        };
        Ok(Self { spec, field_type, place, generator })
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The column's type.
    pub fn field_type(&self) -> FieldType {
        self.field_type
    }

    /// The column as the schema file has it.
    pub fn spec(&self) -> &FieldSpec {
        &self.spec
    }

    /// Its place among all fields of the schema.
    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// The column as it comes back: a constant day or instant in ISO 8601, whatever the real files have.
    pub(crate) fn written(&self) -> FieldSpec {
        let mut spec = self.spec.clone();
        spec.constraints.required = true;
        spec.format = None;
        let iso = match (&self.generator, self.field_type) {
            (Generator::Constant(Constant::Whole(day)), FieldType::Date) => text::day_to_text(*day),
            (Generator::Constant(Constant::Whole(micros)), FieldType::Datetime) => text::micros_to_text(*micros),
            _ => None,
        };
        if let (Some(iso), Some(generate)) = (iso, &mut spec.dp.generate) {
            generate.constant = Some(Scalar::Text(iso));
        }
        spec
    }

    /// How its values are made, in words.
    pub fn in_words(&self) -> String {
        match &self.generator {
            Generator::Pattern { pattern, unique } => {
                format!("by the pattern {}{}", pattern.text(), if *unique { ", all different" } else { "" })
            }
            Generator::Constant(_) => {
                let constant = self.spec.dp.generate.as_ref().and_then(|generate| generate.constant.as_ref());
                match constant.map(ToString::to_string).filter(|constant| !constant.is_empty()) {
                    Some(constant) => format!("always {constant}"),
                    None => "always blank".into(),
                }
            }
            Generator::Sequence { from } => format!("row numbers from {from}"),
        }
    }

    /// Refuses more rows than there are values that have to be different.
    pub(crate) fn check_rows(&self, rows: u64) -> Result<(), SchemaError> {
        match &self.generator {
            Generator::Pattern { pattern, unique: true } => match pattern.values() {
                Some(values) if values < rows => Err(SchemaError::column(
                    self.name(),
                    format!("has {values} different values by its pattern, and {rows} rows are to be drawn"),
                    "add a `#` or `@` to the pattern and fit the model again, or draw fewer rows",
                )),
                _ => Ok(()),
            },
            Generator::Sequence { from } if i128::from(*from) + i128::from(rows) > i128::from(i64::MAX) => {
                Err(SchemaError::column(
                    self.name(),
                    format!("is a sequence from {from}, which ends before row {rows}"),
                    "begin the sequence at a smaller number and fit the model again, or draw fewer rows",
                ))
            }
            _ => Ok(()),
        }
    }

    /// The values of `rows` rows from row `first` on, which is 0 for the first row of a table.
    pub(crate) fn values(&self, first: u64, rows: usize, seed: u64) -> ArrayRef {
        let numbers = first..first + rows as u64;
        let key = mixed(mixed(seed) ^ self.place as u64);
        match (&self.generator, self.field_type) {
            (Generator::Pattern { pattern, unique }, FieldType::Integer) => {
                let value = |row| pattern.value(row, key, *unique).parse::<i64>().expect("at most 18 digits");
                Arc::new(numbers.map(|row| Some(value(row))).collect::<PrimitiveArray<Int64Type>>())
            }
            (Generator::Pattern { pattern, unique }, _) => {
                let mut texts = StringBuilder::new();
                numbers.for_each(|row| texts.append_value(pattern.value(row, key, *unique)));
                Arc::new(texts.finish())
            }
            (Generator::Sequence { from }, field_type) => {
                // Wraps only beyond the number of rows that `check_rows` lets pass.
                let numbers = numbers.map(|row| from.wrapping_add_unsigned(row));
                match field_type {
                    FieldType::Integer => Arc::new(numbers.map(Some).collect::<PrimitiveArray<Int64Type>>()),
                    _ => Arc::new(numbers.map(|number| Some(number.to_string())).collect::<StringArray>()),
                }
            }
            (Generator::Constant(constant), field_type) => constant.repeated(field_type, rows),
        }
    }
}

impl Constant {
    fn new(value: &Scalar, field_type: FieldType, format: Option<&str>) -> Option<Self> {
        let format = TimeFormat::new(format)?;
        Some(match (field_type, value) {
            (FieldType::String, Scalar::Text(text)) => Self::Text(text.clone()),
            (FieldType::Boolean, Scalar::Boolean(value)) => Self::Boolean(*value),
            (FieldType::Integer, Scalar::Integer(value)) => Self::Whole(*value),
            (FieldType::Year, Scalar::Integer(value)) => Self::Whole(i32::try_from(*value).ok()?.into()),
            #[expect(clippy::cast_precision_loss, reason = "a whole number beyond 2^53 is the nearest real number")]
            (FieldType::Number, Scalar::Integer(value)) => Self::Real(*value as f64),
            (FieldType::Number, Scalar::Number(value)) if value.is_finite() => Self::Real(*value),
            // As a bound is written: as the column is, or in ISO 8601. Days come back as 32-bit numbers.
            (FieldType::Date, Scalar::Text(text)) => {
                let days = format.days(text).or_else(|| TimeFormat::Iso.days(text))?;
                Self::Whole(i32::try_from(days).ok()?.into())
            }
            (FieldType::Datetime, Scalar::Text(text)) => {
                Self::Whole(format.micros_in(text, None).or_else(|| TimeFormat::Iso.micros_in(text, None))?)
            }
            _ => return None,
        })
    }

    fn repeated(&self, field_type: FieldType, rows: usize) -> ArrayRef {
        const FITS: &str = "checked to fit 32 bits";
        match self {
            Self::Text(text) => Arc::new(StringArray::from_iter_values(std::iter::repeat_n(text, rows))),
            Self::Boolean(value) => Arc::new(BooleanArray::from(vec![*value; rows])),
            Self::Real(value) => Arc::new(PrimitiveArray::<Float64Type>::from_value(*value, rows)),
            Self::Whole(value) => match field_type {
                FieldType::Date => {
                    Arc::new(PrimitiveArray::<Date32Type>::from_value(i32::try_from(*value).expect(FITS), rows))
                }
                FieldType::Year => {
                    Arc::new(PrimitiveArray::<Int32Type>::from_value(i32::try_from(*value).expect(FITS), rows))
                }
                FieldType::Datetime => Arc::new(PrimitiveArray::<TimestampMicrosecondType>::from_value(*value, rows)),
                _ => Arc::new(PrimitiveArray::<Int64Type>::from_value(*value, rows)),
            },
        }
    }
}

/// What identifiers look like, character by character.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern(Vec<Place>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Digit,
    Letter,
    As(char),
}

impl Place {
    /// How many characters can stand here.
    fn size(self) -> u64 {
        match self {
            Self::Digit => 10,
            Self::Letter => 26,
            Self::As(_) => 1,
        }
    }

    /// One of them; `number` is below their number.
    fn character(self, number: u64) -> char {
        let number = u8::try_from(number).expect("below the size of the place");
        match self {
            Self::Digit => (b'0' + number).into(),
            Self::Letter => (b'A' + number).into(),
            Self::As(character) => character,
        }
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        let place = |character| match character {
            '#' => Place::Digit,
            '@' => Place::Letter,
            other => Place::As(other),
        };
        Self(text.chars().map(place).collect())
    }

    fn text(&self) -> String {
        let character = |place: &Place| match place {
            Place::Digit => '#',
            Place::Letter => '@',
            Place::As(other) => *other,
        };
        self.0.iter().map(character).collect()
    }

    fn is_integer(&self) -> bool {
        let is_digit = |place: &Place| match place {
            Place::Digit => true,
            Place::Letter => false,
            Place::As(character) => character.is_ascii_digit(),
        };
        (1..=INTEGER_DIGITS).contains(&self.0.len()) && self.0.iter().all(is_digit)
    }

    /// How many different values there are, `None` if more than any number of rows.
    fn values(&self) -> Option<u64> {
        self.0.iter().try_fold(1_u64, |values, place| values.checked_mul(place.size()))
    }

    /// The value in a row.
    fn value(&self, row: u64, key: u64, unique: bool) -> String {
        // The last places, as many as a number holds, are a shuffled count of rows where values are to be different. All
        // others are drawn.
        let (mut shuffled, mut first_shuffled) = (1_u64, self.0.len());
        while unique && first_shuffled > 0 {
            match shuffled.checked_mul(self.0[first_shuffled - 1].size()) {
                Some(more) if more <= MOST_SHUFFLED => (shuffled, first_shuffled) = (more, first_shuffled - 1),
                _ => break,
            }
        }
        let mut count = permuted(row % shuffled, shuffled, key);
        let mut characters = vec![' '; self.0.len()];
        for (place, character) in self.0.iter().zip(&mut characters).skip(first_shuffled).rev() {
            *character = place.character(count % place.size());
            count /= place.size();
        }
        let mut state = mixed(key ^ mixed(row));
        for (place, character) in self.0.iter().zip(&mut characters).take(first_shuffled) {
            state = mixed(state);
            let scaled = (u128::from(state) * u128::from(place.size())) >> 64;
            *character = place.character(u64::try_from(scaled).expect("below the size of the place"));
        }
        characters.into_iter().collect()
    }
}

/// A permutation of the numbers below `size`, another for every key.
///
/// Four rounds of a Feistel network over the two halves of a number's bits permute a power of four. A number that leads out
/// of `0..size` is led on until it is back inside, which takes four steps on average at most.
fn permuted(number: u64, size: u64, key: u64) -> u64 {
    if size <= 1 {
        return 0;
    }
    let bits = u64::BITS - (size - 1).leading_zeros();
    let half = bits.div_ceil(2);
    let mask = (1_u64 << half) - 1;
    let mut number = number;
    loop {
        let (mut left, mut right) = (number >> half, number & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (mixed(mixed(key.wrapping_add(round)) ^ right) & mask));
        }
        number = left << half | right;
        if number < size {
            return number;
        }
    }
}

/// A number that looks as if it had nothing to do with the one it is made from: the finaliser of `SplitMix64`. Identifiers
/// need to look random; nothing depends on nobody being able to tell the seed.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_number_below_a_size_is_met_once_and_in_another_order_for_another_key() {
        for size in [1, 2, 3, 10, 26, 100, 257, 1_000] {
            let order = |key| (0..size).map(|number| permuted(number, size, key)).collect::<Vec<_>>();
            assert_eq!(order(7).into_iter().collect::<BTreeSet<_>>(), (0..size).collect());
            assert!(size < 100 || order(7) != order(8), "{size}");
        }
    }

    #[test]
    fn unique_values_are_all_different_and_fill_the_pattern() {
        let pattern = Pattern::new("a-@#");
        let values: BTreeSet<String> = (0..260).map(|row| pattern.value(row, 5, true)).collect();
        assert_eq!((values.len(), pattern.values()), (260, Some(260)));
        assert_eq!(values.first().unwrap(), "a-A0");
        // Drawn ones repeat: 260 draws of 260 values that are all different would be a miracle.
        let drawn: BTreeSet<String> = (0..260).map(|row| pattern.value(row, 5, false)).collect();
        assert!((100..250).contains(&drawn.len()), "{}", drawn.len());
    }

    #[test]
    fn a_pattern_may_have_more_values_than_a_number_holds() {
        let pattern = Pattern::new(&"#".repeat(40));
        assert_eq!(pattern.values(), None);
        let values: BTreeSet<String> = (0..1_000).map(|row| pattern.value(row, 5, true)).collect();
        assert_eq!(values.len(), 1_000);
        // The places that are not counted are drawn and not all zero.
        assert!(
            values.iter().all(|value| value.len() == 40) && !values.iter().any(|value| value.starts_with("0000000"))
        );
    }

    #[test]
    fn every_character_of_a_place_is_drawn_about_equally_often() {
        let pattern = Pattern::new("#");
        let mut counts = [0_u32; 10];
        for row in 0..100_000 {
            counts[pattern.value(row, 3, false).parse::<usize>().unwrap()] += 1;
        }
        // Ten standard deviations are 950.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 950), "{counts:?}");
    }
}
