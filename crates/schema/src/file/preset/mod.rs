//! Presets for common kinds of columns.
//!
//! `dp: {preset: age}` stands for a type, bounds, bins, categories or a generator. Properties of
//! the column take precedence, and contradictions are refused. Presets do not depend on any table,
//! so everything they fill in is public.

mod countries;

use serde::{Deserialize, Serialize};

use self::countries::COUNTRIES;
use crate::bins::calendar::CalendarUnit;
use crate::error::SchemaError;
use crate::file::spec::{BinsSpec, FieldSpec, GenerateSpec, Scalar, Scale, SchemaSpec, Source};
use crate::schema::attribute::FieldType;
use crate::values::text::TimeFormat;

/// Texts that mean yes in English, German, French, Spanish and Italian, with common abbreviations.
const YES: [&str; 22] = [
    "yes", "Yes", "YES", "y", "Y", "true", "True", "TRUE", "t", "T", "1", "ja", "Ja", "JA", "j", "J", "oui", "Oui",
    "si", "Si", "sì", "sí",
];
/// Texts that mean no in English, German, French, Spanish and Italian, with common abbreviations.
const NO: [&str; 16] =
    ["no", "No", "NO", "n", "N", "false", "False", "FALSE", "f", "F", "0", "nein", "Nein", "NEIN", "non", "Non"];
/// Counts over a longer range get logarithmic bins.
const MAX_SINGLE_COUNTS: i64 = 256;
/// Dates over a longer range get bins by year, others by month.
const MAX_DAYS_BY_MONTH: i64 = 20 * 366;
const AMOUNT_BINS: u32 = 32;

/// A kind of column that many tables have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// True or false, in one of many spellings.
    YesNo,
    /// `female`, `male` and `other`, or the column's own `enum`.
    Sex,
    /// Completed years, 0 to 120.
    Age,
    /// Money and other amounts that are mostly small: 0 to a million, logarithmic bins, two
    /// decimals.
    Amount,
    /// A count, 0 to 100.
    Count,
    /// The two-letter codes of ISO 3166-1.
    Country,
    /// A day from 1900 to 2099, in bins by year or month.
    Date,
    /// Text codes: the listed ones, or generated.
    Postcode,
    /// 0 to 100.
    Percentage,
    /// Not read and not modelled: new ones are generated.
    Identifier,
    /// Not read and not modelled: the output is empty.
    FreeText,
}

impl Preset {
    /// All presets, in display order.
    pub const ALL: [Self; 11] = [
        Self::YesNo,
        Self::Sex,
        Self::Age,
        Self::Amount,
        Self::Count,
        Self::Country,
        Self::Date,
        Self::Postcode,
        Self::Percentage,
        Self::Identifier,
        Self::FreeText,
    ];

    /// The name in a schema file.
    pub fn name(self) -> &'static str {
        match self {
            Self::YesNo => "yes-no",
            Self::Sex => "sex",
            Self::Age => "age",
            Self::Amount => "amount",
            Self::Count => "count",
            Self::Country => "country",
            Self::Date => "date",
            Self::Postcode => "postcode",
            Self::Percentage => "percentage",
            Self::Identifier => "identifier",
            Self::FreeText => "free-text",
        }
    }

    /// A one-line description.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::YesNo => "true or false, written as yes/no, ja/nein, y/n, 1/0 or similar",
            Self::Sex => "female, male or other; list your own codes as `enum`",
            Self::Age => "completed years, 0 to 120",
            Self::Amount => "money: 0 to 1,000,000 in logarithmic bins, zero separate, two decimals",
            Self::Count => "a count, 0 to 100",
            Self::Country => "two-letter codes of ISO 3166-1",
            Self::Date => "a day, 1900 to 2099, in bins by year; by month for ranges up to 20 years",
            Self::Postcode => "five generated digits; with an `enum` the listed codes, as text",
            Self::Percentage => "0 to 100, in bins of 5",
            Self::Identifier => "never read; new ones are generated",
            Self::FreeText => "never read; the output is empty",
        }
    }

    /// The possible types; the first is the default.
    pub fn types(self) -> &'static [FieldType] {
        match self {
            Self::YesNo => &[FieldType::Boolean],
            Self::Sex | Self::Identifier => &[FieldType::String, FieldType::Integer],
            Self::Age | Self::Count => &[FieldType::Integer],
            Self::Amount | Self::Percentage => &[FieldType::Number, FieldType::Integer],
            Self::Date => &[FieldType::Date, FieldType::Datetime],
            Self::Country | Self::Postcode | Self::FreeText => &[FieldType::String],
        }
    }
}

impl SchemaSpec {
    /// Replaces all presets by the properties they stand for.
    ///
    /// # Errors
    /// The first column whose preset contradicts its other properties.
    pub fn expanded(mut self) -> Result<Self, SchemaError> {
        self.fields = self.fields.into_iter().map(FieldSpec::expanded).collect::<Result<_, _>>()?;
        Ok(self)
    }
}

impl FieldSpec {
    /// Replaces the preset of the column, if any, by the properties it stands for.
    ///
    /// ```
    /// use scumble_schema::{Scalar, SchemaSpec};
    /// let spec = SchemaSpec::parse("fields: [{name: age, constraints: {minimum: 18}, dp: {preset: age}}]")?;
    /// let age = spec.fields[0].clone().expanded()?;
    /// assert_eq!(age.field_type, "integer");
    /// assert_eq!((age.constraints.minimum, age.constraints.maximum), (Some(Scalar::Integer(18)), Some(Scalar::Integer(120))));
    /// # Ok::<(), scumble_schema::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// If the preset contradicts other properties of the column.
    pub fn expanded(mut self) -> Result<Self, SchemaError> {
        let Some(preset) = self.dp.preset.take() else { return Ok(self) };
        Expansion { preset, declares: self.declares_values(), field: self }.expand()
    }

    /// Whether the column declares its own values.
    fn declares_values(&self) -> bool {
        let constraints = &self.constraints;
        constraints.minimum.is_some()
            || constraints.maximum.is_some()
            || constraints.categories.is_some()
            || self.dp.bins.is_some()
            || self.dp.hierarchy.is_some()
    }
}

/// A column whose preset is being expanded.
struct Expansion {
    preset: Preset,
    /// Whether the column declares its own values.
    declares: bool,
    field: FieldSpec,
}

impl Expansion {
    fn fails<T>(&self, problem: &str, hint: impl Into<String>) -> Result<T, SchemaError> {
        let problem = format!("has `preset: {}`{problem}", self.preset.name());
        Err(SchemaError::column(&self.field.name, problem, hint))
    }

    fn expand(mut self) -> Result<FieldSpec, SchemaError> {
        self.fill_type()?;
        if self.field.dp.generate.is_some() && !self.is_generated() {
            return self.fails(", which is modelled, and `generate`", "drop one of the two");
        }
        match self.preset {
            Preset::YesNo => self.fill_yes_no()?,
            Preset::Sex => self.fill_categories(&["female", "male", "other"], false)?,
            Preset::Country => self.fill_categories(&COUNTRIES, true)?,
            Preset::Age => self.fill_line(0, 120, |_, _| None)?,
            Preset::Count => self.fill_line(0, 100, |low, high| {
                let is_long = whole(high)?.checked_sub(whole(low)?)? > MAX_SINGLE_COUNTS;
                is_long.then(|| growing_bins(low))
            })?,
            Preset::Percentage => self.fill_line(0, 100, |low, high| {
                let (low, high) = (low.as_f64()?, high.as_f64()?);
                Some(if high - low > 10.0 { BinsSpec::of_width(5.0) } else { BinsSpec::of_count(20) })
                    .filter(|_| high > low)
            })?,
            Preset::Amount => self.fill_amount()?,
            Preset::Date => self.fill_dates()?,
            Preset::Postcode if self.declares => self.open_unless_folded(),
            Preset::Postcode => self.fill_generate(pattern("#####", false))?,
            Preset::Identifier => {
                let is_text = self.field.field_type == FieldType::String.name();
                self.fill_generate(pattern(if is_text { "ID-########" } else { "##########" }, true))?;
            }
            Preset::FreeText => {
                let empty = Some(Scalar::Text(String::new()));
                self.fill_generate(GenerateSpec { constant: empty, ..GenerateSpec::default() })?;
            }
        }
        // What the preset fills in is public. Own properties of the column keep its source.
        if !self.declares && self.field.dp.source == Source::Assumed {
            self.field.dp.source = Source::Public;
        }
        Ok(self.field)
    }

    fn is_generated(&self) -> bool {
        matches!(self.preset, Preset::Identifier | Preset::FreeText | Preset::Postcode)
    }

    fn fill_type(&mut self) -> Result<(), SchemaError> {
        let types = self.preset.types();
        if self.field.field_type.is_empty() {
            self.field.field_type = types[0].name().into();
            return Ok(());
        }
        if types.iter().any(|possible| possible.name() == self.field.field_type) {
            return Ok(());
        }
        let possible: Vec<&str> = types.iter().map(|possible| possible.name()).collect();
        self.fails(
            &format!(", which is of type {}, and `type: {}`", possible.join(" or "), self.field.field_type),
            "drop `type`, or drop the preset",
        )
    }

    fn fill_yes_no(&mut self) -> Result<(), SchemaError> {
        if self.declares {
            return self
                .fails(" and bounds, categories or bins", "write `trueValues` and `falseValues`, or drop the preset");
        }
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        // A single own list could overlap with the default of the other.
        match (&self.field.true_values, &self.field.false_values) {
            (None, None) => {
                self.field.true_values = Some(texts(&YES));
                self.field.false_values = Some(texts(&NO));
                Ok(())
            }
            (Some(_), Some(_)) => Ok(()),
            _ => self.fails(" and only one of `trueValues` and `falseValues`", "write both, or none"),
        }
    }

    fn fill_categories(&mut self, categories: &[&str], open: bool) -> Result<(), SchemaError> {
        if self.field.constraints.categories.is_some() || self.field.dp.hierarchy.is_some() {
            return Ok(());
        }
        if self.declares || self.field.field_type != FieldType::String.name() {
            return self.fails(
                ", which is a list of texts, and another type, bounds or bins",
                "list the codes as `constraints: {enum: [...]}`, or drop the preset",
            );
        }
        let texts = categories.iter().map(|text| Scalar::Text((*text).into()));
        self.field.constraints.categories = Some(texts.collect());
        if open {
            self.open_unless_folded();
        }
        Ok(())
    }

    fn open_unless_folded(&mut self) {
        self.field.dp.open |= self.field.dp.fold_into.is_none();
    }

    /// Fills in missing bounds, and the bins if there are none.
    fn fill_line(
        &mut self,
        low: i64,
        high: i64,
        bins: impl FnOnce(&Scalar, &Scalar) -> Option<BinsSpec>,
    ) -> Result<(), SchemaError> {
        self.fill_bounds(Scalar::Integer(low), Scalar::Integer(high))?;
        let constraints = &self.field.constraints;
        if let (Some(low), Some(high)) = (&constraints.minimum, &constraints.maximum)
            && let Some(bins) = bins(low, high)
        {
            self.fill_bins(bins);
        }
        Ok(())
    }

    fn fill_bounds(&mut self, low: Scalar, high: Scalar) -> Result<(), SchemaError> {
        let edges = self.field.dp.bins.as_ref().is_some_and(|bins| bins.edges.is_some());
        let constraints = &mut self.field.constraints;
        if edges || constraints.categories.is_some() {
            return Ok(());
        }
        let own = [constraints.minimum.clone(), constraints.maximum.clone()];
        let top = self.field.dp.bins.as_ref().is_some_and(|bins| bins.top_code.is_some());
        let low = constraints.minimum.get_or_insert(low).clone();
        let high = if top { return Ok(()) } else { constraints.maximum.get_or_insert(high).clone() };
        let is_empty = low.as_f64().zip(high.as_f64()).is_some_and(|(low, high)| low > high);
        match (is_empty, own) {
            (true, [Some(low), None]) => self.fails(
                &format!(", which ends at {high}, and `minimum: {low}`"),
                "write `maximum` too, or drop the preset",
            ),
            (true, [None, Some(high)]) => self.fails(
                &format!(", which begins at {low}, and `maximum: {high}`"),
                "write `minimum` too, or drop the preset",
            ),
            _ => Ok(()),
        }
    }

    fn fill_bins(&mut self, bins: BinsSpec) {
        let terms = &mut self.field.dp;
        if terms.bins.is_none() && self.field.constraints.categories.is_none() {
            // The column's own bounds may be a guess, but the preset's bins between them are not.
            let source = (self.declares && terms.source != Source::Public).then_some(Source::Public);
            terms.bins = Some(BinsSpec { source, ..bins });
        }
    }

    fn fill_amount(&mut self) -> Result<(), SchemaError> {
        let is_real = self.field.field_type == FieldType::Number.name();
        if self.field.constraints.minimum.as_ref().and_then(Scalar::as_f64).is_some_and(|low| low < 0.0)
            && self.field.dp.bins.is_none()
        {
            return self.fails(
                ", whose bins grow from 0, and a `minimum` below 0",
                "write the bins, such as `bins: {count: 32}`",
            );
        }
        self.fill_line(0, 1_000_000, |low, high| {
            let (first, last) = (low.as_f64()?, high.as_f64()?);
            Some(if last <= f64::from(AMOUNT_BINS) * 2.0 { BinsSpec::of_count(AMOUNT_BINS) } else { growing_bins(low) })
                .filter(|_| first < last && (is_real || last > f64::from(AMOUNT_BINS) * 2.0))
        })?;
        let terms = &mut self.field.dp;
        if is_real && terms.step.is_none() && terms.decimals.is_none() && self.field.constraints.categories.is_none() {
            terms.decimals = Some(2);
        }
        Ok(())
    }

    fn fill_dates(&mut self) -> Result<(), SchemaError> {
        self.fill_bounds(Scalar::Text("1900-01-01".into()), Scalar::Text("2099-12-31".into()))?;
        let constraints = &self.field.constraints;
        let format = TimeFormat::new(self.field.format.as_deref()).unwrap_or(TimeFormat::Iso);
        let day = |bound: &Option<Scalar>| match bound {
            Some(Scalar::Text(text)) => format.days_or_iso(text),
            _ => None,
        };
        let days = day(&constraints.minimum).zip(day(&constraints.maximum)).map(|(low, high)| high - low);
        let is_short = days.is_some_and(|days| days <= MAX_DAYS_BY_MONTH);
        let by = if is_short { CalendarUnit::Month } else { CalendarUnit::Year };
        self.fill_bins(BinsSpec { by: Some(by), ..BinsSpec::default() });
        Ok(())
    }

    fn fill_generate(&mut self, generate: GenerateSpec) -> Result<(), SchemaError> {
        if self.declares {
            return self
                .fails(", which is generated and never read, and bounds, categories or bins", "drop one of the two");
        }
        self.field.dp.generate.get_or_insert(generate);
        Ok(())
    }
}

fn pattern(text: &str, unique: bool) -> GenerateSpec {
    GenerateSpec { pattern: Some(text.into()), unique, ..GenerateSpec::default() }
}

/// Logarithmic bins from the minimum, or from 1 with zero as a point if the minimum is not
/// positive.
fn growing_bins(low: &Scalar) -> BinsSpec {
    let from_zero = low.as_f64().is_some_and(|low| low <= 0.0);
    BinsSpec {
        scale: Some(Scale::Log),
        from: from_zero.then_some(Scalar::Integer(1)),
        points: from_zero.then(|| vec![Scalar::Integer(0)]),
        ..BinsSpec::of_count(AMOUNT_BINS)
    }
}

fn whole(value: &Scalar) -> Option<i64> {
    match value {
        Scalar::Integer(value) => Some(*value),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
