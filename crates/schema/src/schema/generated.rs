//! Generated columns: identifiers, constants, row numbers, and columns derived from others.
//!
//! A generated column is never read and never modelled, so it holds nothing about the rows beyond
//! the other columns. Its values depend only on the schema, the seed of the sample, the row number
//! and, if it is [derived](crate::derived), on the other values of the row. So they are
//! reproducible.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::types::{
    Date32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray, StringArray};

use crate::derived::{Expression, ExpressionError, Input, ResultType};
use crate::error::SchemaError;
use crate::file::spec::{FieldSpec, GenerateSpec, Scalar};
use crate::schema::attribute::{Attribute, FieldType};
use crate::values::text::{self, TimeFormat};
use crate::values::text_form::TextForm;

/// Maximum length of a pattern, in characters.
const MAX_PATTERN_LENGTH: usize = 256;
/// Maximum number of digits of an integer pattern, so that values fit 64 bits.
const MAX_INTEGER_DIGITS: usize = 18;
/// Maximum size of the permutation behind unique identifiers. More rows are never drawn.
const MAX_PERMUTATION_SIZE: u64 = 1 << 62;

/// A checked generated column.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    spec: FieldSpec,
    field_type: FieldType,
    /// Its index among all fields of the schema.
    place: usize,
    generator: Generator,
}

#[derive(Debug, Clone, PartialEq)]
enum Generator {
    Pattern { pattern: Pattern, unique: bool },
    Constant(Constant),
    Sequence { from: i64 },
    Derived { expression: Expression, result: ResultType, form: Option<TextForm> },
}

#[derive(Debug, Clone, PartialEq)]
enum Constant {
    Text(String),
    Boolean(bool),
    Whole(i64),
    Real(f64),
}

/// An output column: modelled or generated.
#[derive(Debug, Clone, Copy)]
pub enum OutputColumn<'a> {
    /// A column that is read, modelled and sampled.
    Modelled(&'a Attribute),
    /// A column that is generated on output.
    Generated(&'a Generated),
}

impl<'a> OutputColumn<'a> {
    /// The column as written in the schema file.
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

    /// The Arrow type of the output column.
    pub fn arrow_type(self) -> arrow_schema::DataType {
        match self {
            Self::Modelled(attribute) => attribute.arrow_type(),
            Self::Generated(generated) => generated.field_type().arrow_type(),
        }
    }

    /// Whether the column may be null.
    pub fn is_nullable(self) -> bool {
        match self {
            Self::Modelled(attribute) => !attribute.spec().constraints.required,
            Self::Generated(generated) => generated.is_derived(),
        }
    }
}

impl Generated {
    /// Checks a generated column at index `place` among all fields.
    pub(crate) fn new(spec: FieldSpec, place: usize) -> Result<Self, SchemaError> {
        let fails = |problem: &str, hint: &str| Err(SchemaError::column(&spec.name, problem, hint));
        let field_type = field_type_of(&spec)?;
        let terms = &spec.dp;
        if declares_values(&spec) || terms.decimals.is_some() {
            return fails(
                "is generated, but declares bounds, categories, bins or other properties of a modelled column",
                "drop `generate`, or drop the other properties",
            );
        }
        let generator = match terms.generate.as_ref().expect("only a column with `generate` is checked here") {
            GenerateSpec { pattern: Some(text), unique, constant: None, sequence: None } => {
                let pattern = Pattern::new(text);
                match field_type {
                    _ if pattern.0.len() > MAX_PATTERN_LENGTH => {
                        return fails("has a pattern of more than 256 characters", "shorten the pattern");
                    }
                    FieldType::String => Generator::Pattern { pattern, unique: *unique },
                    FieldType::Integer if pattern.is_integer() => Generator::Pattern { pattern, unique: *unique },
                    FieldType::Integer => {
                        return fails(
                            "is an integer, but its pattern is not 1 to 18 digits",
                            "use only `#` and digits, or write `type: string`",
                        );
                    }
                    _ => return fails("has a pattern, which generates text or integers", "write `type: string`"),
                }
            }
            GenerateSpec { pattern: None, unique: false, constant: Some(value), sequence: None } => {
                match Constant::new(value, field_type, spec.format.as_deref()) {
                    Some(constant) => Generator::Constant(constant),
                    None => {
                        return fails(
                            &format!("has the constant `{value}`, which is not of type `{field_type}`"),
                            "write a value of that type (text in quotes), or change the type",
                        );
                    }
                }
            }
            GenerateSpec { pattern: None, unique: false, constant: None, sequence: Some(sequence) } => {
                if !matches!(field_type, FieldType::Integer | FieldType::String) {
                    return fails("has a sequence, which generates integers or text", "write `type: integer`");
                }
                Generator::Sequence { from: sequence.from }
            }
            _ => {
                return fails(
                    "has a `generate` that is not exactly one of a pattern, a constant and a sequence",
                    "write one of `{pattern: \"P-#####\"}`, with `unique: true` for distinct values, `{constant: X}` and \
                     `{sequence: {from: 1}}`",
                );
            }
        };
        Ok(Self { spec, field_type, place, generator })
    }

    /// Checks a derived column at index `place` among all fields, computed from `columns`.
    pub(crate) fn derived(mut spec: FieldSpec, place: usize, columns: &[Input<'_>]) -> Result<Self, SchemaError> {
        let name = spec.name.clone();
        let fails = |problem: &str, hint: &str| Err(SchemaError::column(&name, problem, hint));
        if declares_values(&spec) || spec.dp.preset.is_some() || spec.dp.generate.is_some() {
            return fails(
                "is derived, but declares bounds, categories, bins or other properties of another column",
                "drop `derive`, or drop the other properties; `type`, `format` and `decimals` may stay",
            );
        }
        let text = spec.dp.derive.as_deref().expect("only a column with `derive` is checked here");
        let expression = Expression::parse(text, columns)
            .map_err(|ExpressionError { problem, hint }| SchemaError::column(&name, problem, hint))?;
        let kind = expression.kind();
        if spec.field_type.is_empty() {
            let Some(field_type) = kind.field_type() else {
                return fails(
                    &format!("has an expression whose value is {kind}"),
                    "write `EXTRACT(YEAR FROM AGE(...))` for the years of an age, or add a `type`",
                );
            };
            spec.field_type = field_type.name().into();
        }
        let field_type = field_type_of(&spec)?;
        let result = ResultType { field_type, decimals: spec.dp.decimals };
        if !result.takes(kind) {
            return fails(
                &format!("is of type `{field_type}`, but the value of its expression is {kind}"),
                "change the type, or wrap the expression: `ROUND(...)` for whole numbers, `CAST(... AS TEXT)` for texts",
            );
        }
        if spec.dp.decimals.is_some() && field_type != FieldType::Number {
            return fails("declares `decimals`, which only numbers have", "write `type: number`, or drop `decimals`");
        }
        let is_time = matches!(field_type, FieldType::Date | FieldType::Datetime | FieldType::Time);
        let pattern = match TimeFormat::new(spec.format.as_deref()) {
            Some(TimeFormat::Iso) => None,
            Some(TimeFormat::Pattern(pattern)) if is_time => Some(pattern),
            _ => {
                return fails(
                    "has an invalid `format`",
                    "write a pattern such as `%d.%m.%Y`, for dates, datetimes and times only",
                );
            }
        };
        let form = TextForm::of_derived(field_type, pattern, spec.dp.decimals);
        Ok(Self { spec, field_type, place, generator: Generator::Derived { expression, result, form } })
    }

    /// Whether it is computed from other columns.
    pub fn is_derived(&self) -> bool {
        matches!(self.generator, Generator::Derived { .. })
    }

    /// The text format of a derived column, if it is not the default.
    pub(crate) fn form(&self) -> Option<&TextForm> {
        match &self.generator {
            Generator::Derived { form, .. } => form.as_ref(),
            _ => None,
        }
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The column's type.
    pub fn field_type(&self) -> FieldType {
        self.field_type
    }

    /// The column as written in the schema file.
    pub fn spec(&self) -> &FieldSpec {
        &self.spec
    }

    /// Its index among all fields of the schema.
    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// The column as written to synthetic files: always present unless it is derived or blank, with
    /// constant dates in ISO 8601.
    pub(crate) fn output_spec(&self) -> FieldSpec {
        let mut spec = self.spec.clone();
        if self.is_derived() {
            spec.constraints.required = false;
            return spec;
        }
        spec.constraints.required =
            !matches!(&self.generator, Generator::Constant(Constant::Text(text)) if text.is_empty());
        spec.format = None;
        let iso = match (&self.generator, self.field_type) {
            (Generator::Constant(Constant::Whole(day)), FieldType::Date) => text::day_to_text(*day),
            (Generator::Constant(Constant::Whole(micros)), FieldType::Datetime) => text::micros_to_text(*micros),
            (Generator::Constant(Constant::Whole(micros)), FieldType::Time) => text::clock_to_text(*micros),
            _ => None,
        };
        if let (Some(iso), Some(generate)) = (iso, &mut spec.dp.generate) {
            generate.constant = Some(Scalar::Text(iso));
        }
        spec
    }

    /// Describes how its values are generated.
    pub fn in_words(&self) -> String {
        match &self.generator {
            Generator::Derived { .. } => {
                format!("computed: {}", self.spec.dp.derive.as_deref().unwrap_or_default())
            }
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

    /// Refuses more rows than a unique pattern or a sequence has values.
    pub(crate) fn check_rows(&self, rows: u64) -> Result<(), SchemaError> {
        match &self.generator {
            Generator::Pattern { pattern, unique: true } => match pattern.values() {
                Some(values) if values < rows => Err(SchemaError::column(
                    self.name(),
                    format!("has a unique pattern of {values} values, fewer than {rows} rows"),
                    "add a `#` or `@` to the pattern and fit the model again, or draw fewer rows",
                )),
                _ => Ok(()),
            },
            Generator::Sequence { from } if i128::from(*from) + i128::from(rows) > i128::from(i64::MAX) => {
                Err(SchemaError::column(
                    self.name(),
                    format!("has a sequence from {from}, which overflows before row {rows}"),
                    "start the sequence at a smaller number and fit the model again, or draw fewer rows",
                ))
            }
            _ => Ok(()),
        }
    }

    /// Generates the values of `rows` rows from row `first` on, counted from 0, beside these values
    /// of the modelled columns.
    pub(crate) fn values(&self, first: u64, rows: usize, seed: u64, modelled: &[ArrayRef]) -> ArrayRef {
        let numbers = first..first + rows as u64;
        let key = splitmix64(splitmix64(seed) ^ self.place as u64);
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
                // Wraps only beyond the number of rows that `check_rows` allows.
                let numbers = numbers.map(|row| from.wrapping_add_unsigned(row));
                match field_type {
                    FieldType::Integer => Arc::new(numbers.map(Some).collect::<PrimitiveArray<Int64Type>>()),
                    _ => Arc::new(numbers.map(|number| Some(number.to_string())).collect::<StringArray>()),
                }
            }
            (Generator::Constant(constant), field_type) => constant.repeated(field_type, rows),
            (Generator::Derived { expression, result, .. }, _) => expression.values(modelled, rows, result),
        }
    }
}

/// The type that a column declares.
fn field_type_of(spec: &FieldSpec) -> Result<FieldType, SchemaError> {
    FieldType::from_name(&spec.field_type).ok_or_else(|| {
        SchemaError::column(
            &spec.name,
            format!("has type `{}`, which Scumble does not support", spec.field_type),
            format!("use one of {}", FieldType::ALL.map(FieldType::name).join(", ")),
        )
    })
}

/// Whether a column declares values, or how they are encoded.
fn declares_values(FieldSpec { dp: terms, constraints, .. }: &FieldSpec) -> bool {
    terms.bins.is_some()
        || terms.open
        || terms.fold_into.is_some()
        || terms.unknown_label.is_some()
        || terms.hierarchy.is_some()
        || terms.keep.is_some()
        || terms.time_zone.is_some()
        || terms.step.is_some()
        || constraints.minimum.is_some()
        || constraints.maximum.is_some()
        || constraints.categories.is_some()
}

impl Constant {
    fn new(value: &Scalar, field_type: FieldType, format: Option<&str>) -> Option<Self> {
        let format = TimeFormat::new(format)?;
        Some(match (field_type, value) {
            (FieldType::String, Scalar::Text(text)) => Self::Text(text.clone()),
            (FieldType::Boolean, Scalar::Boolean(value)) => Self::Boolean(*value),
            (FieldType::Integer, Scalar::Integer(value)) => Self::Whole(*value),
            (FieldType::Year, Scalar::Integer(value)) => Self::Whole(i32::try_from(*value).ok()?.into()),
            (FieldType::Number, Scalar::Integer(value)) => Self::Real(*value as f64),
            (FieldType::Number, Scalar::Number(value)) if value.is_finite() => Self::Real(*value),
            // Like a bound: in the column's format, or in ISO 8601. Days are 32-bit numbers.
            (FieldType::Date, Scalar::Text(text)) => {
                let days = format.days_or_iso(text)?;
                Self::Whole(i32::try_from(days).ok()?.into())
            }
            (FieldType::Datetime, Scalar::Text(text)) => Self::Whole(format.micros_or_iso(text, None)?),
            (FieldType::Time, Scalar::Text(text)) => {
                Self::Whole(format.clock_or_iso(text).filter(|micros| *micros < text::MICROS_PER_DAY)?)
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
                FieldType::Time => Arc::new(PrimitiveArray::<Time64MicrosecondType>::from_value(*value, rows)),
                _ => Arc::new(PrimitiveArray::<Int64Type>::from_value(*value, rows)),
            },
        }
    }
}

/// The pattern of identifiers, one place per character.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern(Vec<Place>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Digit,
    Letter,
    Literal(char),
}

impl Place {
    /// Number of characters possible at this place.
    fn size(self) -> u64 {
        match self {
            Self::Digit => 10,
            Self::Letter => 26,
            Self::Literal(_) => 1,
        }
    }

    /// The `number`-th possible character; `number` is below `size`.
    fn character(self, number: u64) -> char {
        let number = u8::try_from(number).expect("below the size of the place");
        match self {
            Self::Digit => (b'0' + number).into(),
            Self::Letter => (b'A' + number).into(),
            Self::Literal(character) => character,
        }
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        let place = |character| match character {
            '#' => Place::Digit,
            '@' => Place::Letter,
            other => Place::Literal(other),
        };
        Self(text.chars().map(place).collect())
    }

    fn text(&self) -> String {
        let character = |place: &Place| match place {
            Place::Digit => '#',
            Place::Letter => '@',
            Place::Literal(other) => *other,
        };
        self.0.iter().map(character).collect()
    }

    fn is_integer(&self) -> bool {
        let is_digit = |place: &Place| match place {
            Place::Digit => true,
            Place::Letter => false,
            Place::Literal(character) => character.is_ascii_digit(),
        };
        (1..=MAX_INTEGER_DIGITS).contains(&self.0.len()) && self.0.iter().all(is_digit)
    }

    /// Number of different values; `None` if it exceeds `u64`.
    fn values(&self) -> Option<u64> {
        self.0.iter().try_fold(1_u64, |values, place| values.checked_mul(place.size()))
    }

    /// The identifier of a row.
    fn value(&self, row: u64, key: u64, unique: bool) -> String {
        // Unique identifiers encode a permuted row number in the last places, up to 2^62 values.
        // All other places are random.
        let (mut shuffled, mut first_shuffled) = (1_u64, self.0.len());
        while unique && first_shuffled > 0 {
            match shuffled.checked_mul(self.0[first_shuffled - 1].size()) {
                Some(more) if more <= MAX_PERMUTATION_SIZE => (shuffled, first_shuffled) = (more, first_shuffled - 1),
                _ => break,
            }
        }
        let mut count = permute(row % shuffled, shuffled, key);
        let mut characters = vec![' '; self.0.len()];
        for (place, character) in self.0.iter().zip(&mut characters).skip(first_shuffled).rev() {
            *character = place.character(count % place.size());
            count /= place.size();
        }
        let mut state = splitmix64(key ^ splitmix64(row));
        for (place, character) in self.0.iter().zip(&mut characters).take(first_shuffled) {
            state = splitmix64(state);
            let scaled = (u128::from(state) * u128::from(place.size())) >> 64;
            *character = place.character(u64::try_from(scaled).expect("below the size of the place"));
        }
        characters.into_iter().collect()
    }
}

/// Maps `number` by a keyed permutation of the numbers below `size`.
///
/// A Feistel network of four rounds permutes a power of four. It is applied until the result is
/// below `size` (cycle walking), at most four times on average.
fn permute(number: u64, size: u64, key: u64) -> u64 {
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
            (left, right) = (right, left ^ (splitmix64(splitmix64(key.wrapping_add(round)) ^ right) & mask));
        }
        number = left << half | right;
        if number < size {
            return number;
        }
    }
}

/// The finaliser of `SplitMix64`. Identifiers only have to look random: nothing depends on the seed
/// being secret.
fn splitmix64(number: u64) -> u64 {
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
    fn each_key_gives_a_different_permutation() {
        for size in [1, 2, 3, 10, 26, 100, 257, 1_000] {
            let order = |key| (0..size).map(|number| permute(number, size, key)).collect::<Vec<_>>();
            assert_eq!(order(7).into_iter().collect::<BTreeSet<_>>(), (0..size).collect());
            assert!(size < 100 || order(7) != order(8), "{size}");
        }
    }

    #[test]
    fn unique_values_are_distinct_and_exhaust_the_pattern() {
        let pattern = Pattern::new("a-@#");
        let values: BTreeSet<String> = (0..260).map(|row| pattern.value(row, 5, true)).collect();
        assert_eq!((values.len(), pattern.values()), (260, Some(260)));
        assert_eq!(values.first().unwrap(), "a-A0");
        // Random values repeat: 260 distinct draws from 260 values are practically impossible.
        let drawn: BTreeSet<String> = (0..260).map(|row| pattern.value(row, 5, false)).collect();
        assert!((100..250).contains(&drawn.len()), "{}", drawn.len());
    }

    #[test]
    fn a_pattern_may_have_more_than_u64_values() {
        let pattern = Pattern::new(&"#".repeat(40));
        assert_eq!(pattern.values(), None);
        let values: BTreeSet<String> = (0..1_000).map(|row| pattern.value(row, 5, true)).collect();
        assert_eq!(values.len(), 1_000);
        // The places outside the permutation are random, not zero.
        assert!(
            values.iter().all(|value| value.len() == 40) && !values.iter().any(|value| value.starts_with("0000000"))
        );
    }

    #[test]
    fn characters_of_a_place_are_uniform() {
        let pattern = Pattern::new("#");
        let mut counts = [0_u32; 10];
        for row in 0..100_000 {
            counts[pattern.value(row, 3, false).parse::<usize>().unwrap()] += 1;
        }
        // Ten standard deviations are 950.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 950), "{counts:?}");
    }
}
