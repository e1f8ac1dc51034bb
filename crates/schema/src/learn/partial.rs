//! A schema of which parts are to be learned.

use super::Notation;
use super::class_grid;
use super::classes::{DateStyle, TimeStyle};
use super::kind::{Kind, LearnedKind};
use crate::derived::Input;
use crate::error::SchemaError;
use crate::file::spec::{FieldSpec, FieldTerms, GenerateSpec, Scalar, SchemaSpec, Source, TableTerms};
use crate::schema::attribute::FieldType;
use crate::schema::generated::Generated;
use crate::schema::{Problems, Schema};

/// A schema of which parts are to be learned: columns with `source: dp` that lack a type, bounds or
/// categories.
#[derive(Debug, Clone)]
pub struct PartialSchema {
    spec: SchemaSpec,
}

/// What has to be learned of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Missing {
    /// The type, and all that follows from it.
    Type,
    /// Bounds and bins, or categories, of a known kind.
    Values(LearnedKind),
}

impl Missing {
    /// Returns the kind of the column, if it is known.
    pub fn kind(&self) -> Option<&LearnedKind> {
        match self {
            Self::Type => None,
            Self::Values(kind) => Some(kind),
        }
    }
}

impl PartialSchema {
    /// Checks the columns that are declared completely.
    ///
    /// # Errors
    /// If a complete column is invalid, or nothing is to be learned and the schema is.
    pub fn new(spec: SchemaSpec) -> Result<Self, Problems> {
        let partial = Self { spec };
        if partial.missing().is_empty() {
            Schema::new(partial.spec.clone())?;
            return Ok(partial);
        }
        let is_declared = |field: &&FieldSpec| missing_of(field).is_none() && field.dp.derive.is_none();
        let complete = SchemaSpec {
            fields: partial.spec.fields.iter().filter(is_declared).cloned().collect(),
            ..partial.spec.clone()
        };
        if complete.fields.iter().any(|field| !field.dp.is_made_on_output()) && complete.dp.rules.is_empty() {
            Schema::new(complete)?;
        }
        partial.check_derived()?;
        Ok(partial)
    }

    /// Checks expressions by the types of columns, before anything is learned.
    fn check_derived(&self) -> Result<(), SchemaError> {
        let fields = &self.spec.fields;
        let inputs = inputs(fields);
        let has_untyped = self.missing().iter().any(|(_, missing)| *missing == Missing::Type);
        for (place, field) in fields.iter().enumerate().filter(|(_, field)| field.dp.derive.is_some()) {
            let checked = Generated::derived(field.clone(), place, &inputs);
            checked.map_err(|mut error| {
                if let (SchemaError::Column { hint, .. }, true) = (&mut error, has_untyped) {
                    *hint = TYPES_FIRST.into();
                }
                error
            })?;
        }
        Ok(())
    }

    /// Returns what has to be learned, with the positions of the columns.
    pub fn missing(&self) -> Vec<(usize, Missing)> {
        let fields = self.spec.fields.iter().enumerate();
        fields.filter_map(|(place, field)| Some((place, missing_of(field)?))).collect()
    }

    /// Returns the columns, as far as they are declared.
    pub fn fields(&self) -> &[FieldSpec] {
        &self.spec.fields
    }

    /// Returns the schema as written.
    pub fn spec(&self) -> &SchemaSpec {
        &self.spec
    }

    /// Returns the schema as written, by value.
    pub fn into_spec(self) -> SchemaSpec {
        self.spec
    }

    /// Returns a schema of grids over columns of the table, with its privacy terms and dialect.
    ///
    /// # Errors
    /// If the terms are invalid, or there is no grid.
    pub fn of_grids(&self, grids: Vec<FieldSpec>) -> Result<Schema, Problems> {
        let mut spec = SchemaSpec { fields: grids, ..self.spec.clone() };
        spec.dp.rules.clear();
        Schema::new(spec)
    }

    /// Returns a schema that reads columns as texts, to count their values.
    ///
    /// # Errors
    /// Those of [`PartialSchema::of_grids`].
    pub fn of_texts<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Schema, Problems> {
        self.of_grids(names.into_iter().map(class_grid).collect())
    }

    /// Returns the privacy terms of the table, as [`terms_alone`].
    ///
    /// # Errors
    /// If the terms are invalid.
    pub fn terms_alone(&self) -> Result<Schema, Problems> {
        terms_alone(self.spec.dp.clone())
    }

    /// Completes the schema with learned columns.
    ///
    /// # Errors
    /// If what was declared contradicts what was learned.
    pub fn complete(self, learned: Vec<(usize, FieldSpec)>) -> Result<Schema, Problems> {
        let mut spec = self.spec;
        for (place, learned) in learned {
            let declared = &mut spec.fields[place];
            *declared = merged(std::mem::take(declared), learned);
        }
        blank_without_inputs(&mut spec.fields);
        if spec.fields.iter().all(|field| field.dp.is_made_on_output()) {
            let problem = "no value of any column is shared by enough rows, and no number is";
            return Err(SchemaError::table(problem, "raise `--epsilon`, or declare the columns").into());
        }
        Schema::new(spec)
    }
}

/// Returns a schema with the privacy terms of a table, and one column that is never read.
///
/// # Errors
/// If the terms are invalid.
pub fn terms_alone(terms: TableTerms) -> Result<Schema, Problems> {
    let dp = TableTerms { rules: Vec::new(), ..terms };
    Schema::new(SchemaSpec { dp, fields: vec![class_grid("_")], ..SchemaSpec::default() })
}

/// Hint for an expression over columns of which not all types are declared.
const TYPES_FIRST: &str =
    "declare the `type` of every column that it names: then it is checked before anything is spent";

/// Returns the columns that expressions may name: those with a type that are read and modelled.
fn inputs(fields: &[FieldSpec]) -> Vec<Input<'_>> {
    let input = |field: &'_ FieldSpec| FieldType::from_name(&field.field_type);
    let modelled = fields.iter().filter(|field| !field.dp.is_made_on_output());
    modelled.filter_map(|field| Some(Input { name: &field.name, field_type: input(field)?, zone: None })).collect()
}

/// Leaves derived columns blank that name a column in which no value was found.
fn blank_without_inputs(fields: &mut [FieldSpec]) {
    let all = fields.to_vec();
    let inputs = inputs(&all);
    for (place, field) in fields.iter_mut().enumerate().filter(|(_, field)| field.dp.derive.is_some()) {
        if Generated::derived(field.clone(), place, &inputs).is_err() {
            let generate = GenerateSpec { constant: Some(Scalar::Text(String::new())), ..GenerateSpec::default() };
            let dp = FieldTerms { source: Source::Dp, generate: Some(generate), ..FieldTerms::default() };
            let name = std::mem::take(&mut field.name);
            *field = FieldSpec { name, field_type: FieldType::String.name().into(), dp, ..FieldSpec::default() };
        }
    }
}

/// Returns what has to be learned of a column; `None` if it is declared completely.
fn missing_of(field: &FieldSpec) -> Option<Missing> {
    let terms = &field.dp;
    if terms.source != Source::Dp || terms.preset.is_some() || terms.is_made_on_output() || terms.grid.is_some() {
        return None;
    }
    let constraints = &field.constraints;
    let has_bounds = constraints.minimum.is_some() && constraints.maximum.is_some()
        || terms.bins.as_ref().is_some_and(|bins| bins.edges.is_some());
    if constraints.categories.is_some() || has_bounds {
        return None;
    }
    let decimals = terms.decimals;
    let notation = Notation {
        has_decimal_comma: field.decimal_char.as_deref() == Some(","),
        group: field.group_char.as_ref().and_then(|group| group.chars().next()),
        is_marked: field.bare_number == Some(false),
    };
    let kind = match FieldType::from_name(&field.field_type) {
        None => return field.field_type.is_empty().then_some(Missing::Type),
        Some(FieldType::Boolean | FieldType::Time) => return None,
        Some(FieldType::Integer | FieldType::Year) => Kind::Integer,
        Some(FieldType::Number) => Kind::Number { decimals },
        Some(FieldType::Date) => Kind::Date(DateStyle::of_pattern(field.format.as_deref())),
        Some(FieldType::Datetime) => Kind::Datetime(TimeStyle::Iso),
        Some(FieldType::String) => Kind::Text { codes: false },
    };
    Some(Missing::Values(LearnedKind { notation, is_required: constraints.required, ..LearnedKind::stated(kind) }))
}

/// Returns the learned column with what was declared of it, which wins.
fn merged(declared: FieldSpec, learned: FieldSpec) -> FieldSpec {
    let constraints = crate::Constraints {
        required: declared.constraints.required || learned.constraints.required,
        ..learned.constraints
    };
    let dp = crate::FieldTerms {
        decimals: declared.dp.decimals.or(learned.dp.decimals),
        step: declared.dp.step.or(learned.dp.step),
        keep: declared.dp.keep.or(learned.dp.keep),
        time_zone: declared.dp.time_zone.or(learned.dp.time_zone),
        unknown_label: declared.dp.unknown_label.or(learned.dp.unknown_label),
        ..learned.dp
    };
    FieldSpec {
        name: declared.name,
        field_type: if declared.field_type.is_empty() { learned.field_type } else { declared.field_type },
        title: declared.title,
        description: declared.description,
        format: declared.format.or(learned.format),
        decimal_char: declared.decimal_char.or(learned.decimal_char),
        group_char: declared.group_char.or(learned.group_char),
        bare_number: declared.bare_number.or(learned.bare_number),
        missing_values: declared.missing_values.or(learned.missing_values),
        constraints,
        dp,
        ..learned
    }
}
