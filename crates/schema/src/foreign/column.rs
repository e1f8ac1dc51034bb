//! What the columns of all formats have in common.

use crate::attribute::{Attribute, FieldType, UNKNOWN_LABEL};
use crate::check::check_field;
use crate::schema::Schema;
use crate::spec::{BinsSpec, FieldSpec, Scalar, SchemaSpec, Source};

use super::Report;

/// How many bins a range is cut into that nobody has cut.
const ASSUMED_BINS: u32 = 32;
/// The most whole numbers that have a code each where nobody has cut their range.
const MOST_VALUES: u64 = 256;

/// A column of this type.
pub(super) fn field(name: &str, field_type: FieldType) -> FieldSpec {
    FieldSpec { name: name.into(), field_type: field_type.name().into(), ..FieldSpec::default() }
}

/// Completes a number line: notes what bounds it lacks, and assumes bins where nobody has cut it.
pub(super) fn complete_line(field: &mut FieldSpec, report: &mut Report) {
    let name = Some(field.name.as_str());
    if field.field_type == FieldType::Boolean.name()
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
        "number" => (count(ASSUMED_BINS), format!("cut into {ASSUMED_BINS} bins of equal width")),
        "integer" | "year" if !is_short(field) => {
            (count(ASSUMED_BINS), format!("cut into {ASSUMED_BINS} bins of equal width"))
        }
        "date" => (width(30.0), "cut into bins of 30 days".into()),
        "datetime" => (width(86_400.0), "cut into bins of a day".into()),
        _ => return,
    };
    // Bounds may be public, and this is a guess.
    let source = (field.dp.source != Source::Assumed).then_some(Source::Assumed);
    report.assumed(name, "dp.bins", what);
    field.dp.bins = Some(BinsSpec { source, ..bins });
}

fn count(count: u32) -> BinsSpec {
    BinsSpec { count: Some(count), ..BinsSpec::default() }
}

fn width(width: f64) -> BinsSpec {
    BinsSpec { width: Some(width), ..BinsSpec::default() }
}

/// Whether a range of whole numbers needs no bins, as far as it is known.
fn is_short(field: &FieldSpec) -> bool {
    match (&field.constraints.minimum, &field.constraints.maximum) {
        (Some(Scalar::Integer(low)), Some(Scalar::Integer(high))) => high.abs_diff(*low) < MOST_VALUES,
        _ => true,
    }
}

/// Makes an open text column of a list that may be empty.
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

/// The type of a list of values, and the values in it; `None` if they are of several types or if there is none.
pub(super) fn typed(values: Vec<Scalar>) -> Option<(FieldType, Vec<Scalar>)> {
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

/// The categories of a column, if it lists any: as real numbers where it holds such, so that its type can be told by them.
pub(super) fn categories(field: &FieldSpec) -> Option<Vec<Scalar>> {
    let categories = field.constraints.categories.as_ref().filter(|categories| !categories.is_empty())?;
    let is_real = field.field_type == FieldType::Number.name();
    let real = |value: &Scalar| match value {
        #[expect(clippy::cast_precision_loss, reason = "the value that a column of reals has")]
        Scalar::Integer(value) if is_real => Scalar::Number(*value as f64),
        value => value.clone(),
    };
    Some(categories.iter().map(real).collect())
}

/// Whether the bins of a column are more than a guess.
pub(super) fn has_declared_bins(field: &FieldSpec) -> bool {
    let bins = field.dp.bins.as_ref();
    bins.is_some_and(|bins| bins.source.unwrap_or(field.dp.source) != Source::Assumed)
}

/// The edges of the bins of a sound column, if edges can tell them: a last bin of one whole number has none.
pub(super) fn edges(field: &FieldSpec) -> Option<Vec<Scalar>> {
    if let Some(edges) = field.dp.bins.as_ref()?.edges.as_ref() {
        return Some(edges.clone());
    }
    let attribute = check_field(field.clone(), &[]).ok()?;
    let bins = (0..attribute.size()).map_while(|code| attribute.bin(code));
    let bins: Vec<(Scalar, Scalar)> = bins.collect();
    let (first, last) = bins.last()?.clone();
    // An instant's bin is told by the one at which the next opens, and there is none behind the last.
    let last = if field.field_type == "datetime" { field.constraints.maximum.clone()? } else { last };
    (first != last).then(|| bins.into_iter().map(|(lower, _)| lower).chain([last]).collect())
}

/// The least and the greatest value that a column declares, by its bounds, its edges or its categories.
pub(super) fn bounds(field: &FieldSpec) -> (Option<Scalar>, Option<Scalar>) {
    let constraints = &field.constraints;
    if let Some(categories) = &constraints.categories {
        let number = |value: &Scalar| match value {
            #[expect(clippy::cast_precision_loss, reason = "only their order is asked")]
            Scalar::Integer(value) => Some(*value as f64),
            Scalar::Number(value) => Some(*value),
            _ => None,
        };
        let numbers = || categories.iter().filter_map(|value| Some((number(value)?, value)));
        let least = numbers().min_by(|left, right| left.0.total_cmp(&right.0));
        let greatest = numbers().max_by(|left, right| left.0.total_cmp(&right.0));
        return (least.map(|(_, value)| value.clone()), greatest.map(|(_, value)| value.clone()));
    }
    match field.dp.bins.as_ref().and_then(|bins| bins.edges.as_deref()) {
        Some([first, .., last]) => (Some(first.clone()), Some(last.clone())),
        _ => (constraints.minimum.clone(), constraints.maximum.clone()),
    }
}

/// A column of dates with its values in ISO 8601, if it is sound; any other as it is.
pub(super) fn in_iso(field: &FieldSpec) -> FieldSpec {
    if !["date", "datetime"].contains(&field.field_type.as_str()) {
        return field.clone();
    }
    let schema = Schema::new(SchemaSpec { fields: vec![field.clone()], ..SchemaSpec::default() });
    schema.map_or_else(
        |_| field.clone(),
        |schema| schema.attributes().first().map_or_else(|| field.clone(), Attribute::in_iso),
    )
}

/// Drops a `foldInto` that the column does not have among its values.
pub(super) fn check_fold(field: &mut FieldSpec, property: &str, report: &mut Report) {
    let Some(value) = field.dp.fold_into.take() else { return };
    // A column that lacks something else is not sound with any value, so it is asked without.
    if check_field(field.clone(), &[]).is_err() {
        report.lost(Some(&field.name), property, format!("`{value}`: fold into it once the column is complete"));
        return;
    }
    field.dp.fold_into = Some(value.clone());
    if check_field(field.clone(), &[]).is_err() {
        field.dp.fold_into = None;
        report.lost(Some(&field.name), property, format!("`{value}` is not one of its values"));
    }
}
