//! Helpers for columns of all formats.

use crate::file::spec::{BinsSpec, FieldSpec, Scalar, SchemaSpec, Source, UNKNOWN_LABEL};
use crate::schema::Schema;
use crate::schema::attribute::{Attribute, FieldType};
use crate::schema::check::check_field;

use super::Report;

/// Number of assumed bins for a range without bins.
const ASSUMED_BINS: u32 = 32;
/// Maximum number of whole numbers that get one code each in a range without bins.
const MAX_UNBINNED_VALUES: u64 = 256;

/// Creates a column of this type.
pub(super) fn field(name: &str, field_type: FieldType) -> FieldSpec {
    FieldSpec { name: name.into(), field_type: field_type.name().into(), ..FieldSpec::default() }
}

/// Reports missing bounds of a number, date or datetime column, and assumes bins if it has none.
pub(super) fn complete_line(field: &mut FieldSpec, report: &mut Report) {
    let name = Some(field.name.as_str());
    // A boolean has two values, and a time of day has the hours of the day.
    if [FieldType::Boolean.name(), FieldType::Time.name()].contains(&field.field_type.as_str())
        || field.constraints.categories.is_some()
        || field.dp.bins.is_some()
    {
        return;
    }
    for (property, bound) in
        [("constraints.minimum", &field.constraints.minimum), ("constraints.maximum", &field.constraints.maximum)]
    {
        if bound.is_none() {
            report.blank(name, property, "from public knowledge, never by looking at the data");
        }
    }
    let (bins, what) = match field.field_type.as_str() {
        "number" => (BinsSpec::of_count(ASSUMED_BINS), format!("{ASSUMED_BINS} bins of equal width")),
        "integer" | "year" if !is_short(field) => {
            (BinsSpec::of_count(ASSUMED_BINS), format!("{ASSUMED_BINS} bins of equal width"))
        }
        "date" => (BinsSpec::of_width(30.0), "bins of 30 days".into()),
        "datetime" => (BinsSpec::of_width(86_400.0), "bins of one day".into()),
        _ => return,
    };
    // The bounds may be public, but these bins are a guess.
    let source = (field.dp.source != Source::Assumed).then_some(Source::Assumed);
    report.assumed(name, "dp.bins", what);
    field.dp.bins = Some(BinsSpec { source, ..bins });
}

/// Whether a range of whole numbers is short enough to need no bins, or unknown.
fn is_short(field: &FieldSpec) -> bool {
    match (&field.constraints.minimum, &field.constraints.maximum) {
        (Some(Scalar::Integer(low)), Some(Scalar::Integer(high))) => high.abs_diff(*low) < MAX_UNBINNED_VALUES,
        _ => true,
    }
}

/// Makes the column an open text column with these categories, which may be empty.
pub(super) fn open_text(field: &mut FieldSpec, categories: Vec<Scalar>, report: &mut Report) {
    if categories.is_empty() {
        report.blank(Some(&field.name), "constraints.enum", "all categories, from a code book and not from the data");
    }
    let mut label = UNKNOWN_LABEL.to_owned();
    while categories.contains(&Scalar::Text(label.clone())) {
        label.push('?');
    }
    field.dp.unknown_label = (label != UNKNOWN_LABEL).then_some(label);
    field.dp.open = true;
    field.constraints.categories = Some(categories);
}

/// The common type of the values, with the values; `None` if the list is empty or has several
/// types.
pub(super) fn with_common_type(values: Vec<Scalar>) -> Option<(FieldType, Vec<Scalar>)> {
    let all = |is: fn(&Scalar) -> bool| !values.is_empty() && values.iter().all(is);
    if all(|value| matches!(value, Scalar::Text(_))) {
        Some((FieldType::String, values))
    } else if all(|value| matches!(value, Scalar::Boolean(_))) {
        Some((FieldType::Boolean, values))
    } else if all(|value| matches!(value, Scalar::Integer(_))) {
        Some((FieldType::Integer, values))
    } else if all(|value| matches!(value, Scalar::Integer(_) | Scalar::Number(_))) {
        Some((FieldType::Number, values))
    } else {
        None
    }
}

/// The categories of a column, if any. Those of a number column are all written as real numbers, so
/// that their type is unambiguous.
pub(super) fn categories(field: &FieldSpec) -> Option<Vec<Scalar>> {
    let categories = field.constraints.categories.as_ref().filter(|categories| !categories.is_empty())?;
    let is_real = field.field_type == FieldType::Number.name();
    let real = |value: &Scalar| match value {
        Scalar::Integer(value) if is_real => Scalar::Number(*value as f64),
        value => value.clone(),
    };
    Some(categories.iter().map(real).collect())
}

/// Whether a column has bins that are not assumed.
pub(super) fn has_declared_bins(field: &FieldSpec) -> bool {
    let bins = field.dp.bins.as_ref();
    bins.is_some_and(|bins| bins.source.unwrap_or(field.dp.source) != Source::Assumed)
}

/// The bin edges of a valid column; `None` if its last bin is a single whole number, which edges
/// cannot express.
pub(super) fn edges(field: &FieldSpec) -> Option<Vec<Scalar>> {
    if let Some(edges) = field.dp.bins.as_ref()?.edges.as_ref() {
        return Some(edges.clone());
    }
    let attribute = check_field(field.clone(), &[]).ok()?;
    let bins = (0..attribute.size()).map_while(|code| attribute.bin(code));
    let bins: Vec<(Scalar, Scalar)> = bins.collect();
    let (first, last) = bins.last()?.clone();
    // `Attribute::bin` ends a bin of instants or times at the start of the next, which the last bin
    // lacks.
    let last = match field.field_type.as_str() {
        "datetime" => field.constraints.maximum.clone()?,
        "time" => field.constraints.maximum.clone().unwrap_or(last),
        _ => last,
    };
    (first != last).then(|| bins.into_iter().map(|(lower, _)| lower).chain([last]).collect())
}

/// The least and the greatest declared value, from bounds, edges or categories.
pub(super) fn bounds(field: &FieldSpec) -> (Option<Scalar>, Option<Scalar>) {
    let constraints = &field.constraints;
    if let Some(categories) = &constraints.categories {
        let numbers = || categories.iter().filter_map(|value| Some((value.as_f64()?, value)));
        let least = numbers().min_by(|left, right| left.0.total_cmp(&right.0));
        let greatest = numbers().max_by(|left, right| left.0.total_cmp(&right.0));
        return (least.map(|(_, value)| value.clone()), greatest.map(|(_, value)| value.clone()));
    }
    match field.dp.bins.as_ref().and_then(|bins| bins.edges.as_deref()) {
        Some([first, .., last]) => (Some(first.clone()), Some(last.clone())),
        _ => (constraints.minimum.clone(), constraints.maximum.clone()),
    }
}

/// A valid date, datetime or time column with its values in ISO 8601; any other column unchanged.
pub(super) fn in_iso(field: &FieldSpec) -> FieldSpec {
    if !["date", "datetime", "time"].contains(&field.field_type.as_str()) {
        return field.clone();
    }
    let schema = Schema::new(SchemaSpec { fields: vec![field.clone()], ..SchemaSpec::default() });
    schema.map_or_else(
        |_| field.clone(),
        |schema| schema.attributes().first().map_or_else(|| field.clone(), Attribute::in_iso),
    )
}

/// Drops a `foldInto` that is not a value of the column.
pub(super) fn check_fold(field: &mut FieldSpec, property: &str, report: &mut Report) {
    let Some(value) = field.dp.fold_into.take() else { return };
    // A column that is invalid for another reason would fail with any value: check without it.
    if check_field(field.clone(), &[]).is_err() {
        report.lost(Some(&field.name), property, format!("`{value}`: add `foldInto` once the column is complete"));
        return;
    }
    field.dp.fold_into = Some(value.clone());
    if check_field(field.clone(), &[]).is_err() {
        field.dp.fold_into = None;
        report.lost(Some(&field.name), property, format!("`{value}` is not one of its values"));
    }
}
