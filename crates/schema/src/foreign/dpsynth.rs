//! The domain file of google/dpsynth: attributes by name, each with its values or its range.

use crate::error::SchemaError;
use crate::file::spec::{BinsSpec, FieldSpec, Scalar, SchemaSpec, Source, UNKNOWN_LABEL};
use crate::schema::attribute::FieldType;

use super::column::{bounds, categories, complete_line, edges, field, has_declared_bins, open_text, with_common_type};
use super::tree::{Tree, whole};
use super::{Report, column_losses, not_a, source_loss, table_losses, take};

const NAME: &str = "a dpsynth domain";
/// The default label of unknown values in dpsynth.
const DEFAULT_VALUE: &str = "<OOD>";

pub(super) fn import(tree: Tree, report: &mut Report) -> Result<SchemaSpec, SchemaError> {
    let mut fields = Vec::new();
    for (name, attribute) in tree.into_map().ok_or_else(|| not_a("map of attributes"))? {
        let mut attribute = match attribute {
            Tree::Null => vec![],
            attribute => attribute.into_map().ok_or_else(|| not_a("attribute"))?,
        };
        let description = take(&mut attribute, "description").and_then(Tree::into_text);
        let field = import_attribute(&name, &mut attribute, report)?;
        report.left_over(Some(&name), attribute);
        fields.extend(field.map(|field| FieldSpec { description, ..field }));
    }
    Ok(SchemaSpec { fields, ..SchemaSpec::default() })
}

fn import_attribute(
    name: &str,
    attribute: &mut Vec<(String, Tree)>,
    report: &mut Report,
) -> Result<Option<FieldSpec>, SchemaError> {
    let class = take(attribute, "type").and_then(Tree::into_text);
    let has = |attribute: &[(String, Tree)], key: &str| attribute.iter().any(|(name, _)| name == key);
    // Files of older versions lack the class.
    Ok(match class.as_deref() {
        Some("CategoricalAttribute") => Some(categorical(name, attribute)?),
        Some("NumericalAttribute") => Some(numerical(name, attribute, report)),
        Some("OpenSetCategoricalAttribute") => Some(open_set(name, attribute, report)),
        None if has(attribute, "possible_values") => Some(categorical(name, attribute)?),
        None if has(attribute, "min_value") => Some(numerical(name, attribute, report)),
        None if has(attribute, "default_value") || attribute.is_empty() => Some(open_set(name, attribute, report)),
        class => {
            let class = class.unwrap_or("none");
            report.lost(Some(name), "type", format!("`{class}` is not supported: the column is dropped"));
            None
        }
    })
}

fn categorical(name: &str, attribute: &mut Vec<(String, Tree)>) -> Result<FieldSpec, SchemaError> {
    let values = take(attribute, "possible_values").and_then(Tree::into_scalars).and_then(with_common_type);
    let (field_type, values) = values.ok_or_else(|| {
        SchemaError::column(name, "has no `possible_values` of one type", "list them, all of one type")
    })?;
    let index = take(attribute, "out_of_domain_index").and_then(Tree::into_whole).unwrap_or(0);
    let fold_into = usize::try_from(index).ok().and_then(|index| values.get(index)).cloned();
    Ok(closed(name, field_type, values, fold_into))
}

/// A required column of these values. All other values become `fold_into`.
fn closed(name: &str, field_type: FieldType, values: Vec<Scalar>, fold_into: Option<Scalar>) -> FieldSpec {
    let mut field = field(name, field_type);
    let first = if field_type == FieldType::Boolean { Some(&Scalar::Boolean(false)) } else { values.first() };
    // The first value is the default.
    field.dp.fold_into = fold_into.filter(|value| Some(value) != first);
    field.dp.source = Source::Public;
    field.constraints.required = true;
    field.constraints.categories = (field_type != FieldType::Boolean).then_some(values);
    field
}

fn numerical(name: &str, attribute: &mut Vec<(String, Tree)>, report: &mut Report) -> FieldSpec {
    let is_whole = take(attribute, "dtype").and_then(Tree::into_text).as_deref() == Some("int");
    let mut field = field(name, if is_whole { FieldType::Integer } else { FieldType::Number });
    let number = |value: Scalar| if is_whole { whole(value) } else { value };
    let mut bound = |key: &str| take(attribute, key).and_then(Tree::into_scalar).map(number);
    let (low, high) = (bound("min_value"), bound("max_value"));
    let edges = take(attribute, "bin_edges").and_then(Tree::into_scalars);
    field.dp.source = Source::Public;
    if let Some(inner) = edges.filter(|edges| !edges.is_empty()) {
        // The ends of the range are edges, whether listed or not.
        let mut edges: Vec<Scalar> = inner.into_iter().map(number).collect();
        if low.as_ref().is_some_and(|low| is_below(low, &edges[0])) {
            edges.splice(0..0, low);
        }
        if high.as_ref().is_some_and(|high| is_below(&edges[edges.len() - 1], high)) {
            edges.extend(high);
        }
        field.dp.bins = Some(BinsSpec { edges: Some(edges), ..BinsSpec::default() });
    } else {
        (field.constraints.minimum, field.constraints.maximum) = (low, high);
    }
    if take(attribute, "clip_to_range").and_then(Tree::into_boolean).unwrap_or(true) {
        field.constraints.required = true;
    } else {
        field.dp.open = true;
        report.assumed(Some(name), "dp.open", "dpsynth does not distinguish missing values from those out of range");
    }
    if take(attribute, "interval_handling").is_some_and(|handling| handling != Tree::text("sample")) {
        report.lost(Some(name), "interval_handling", "values are drawn from the whole bin");
    }
    complete_line(&mut field, report);
    field
}

fn is_below(left: &Scalar, right: &Scalar) -> bool {
    left.as_f64().zip(right.as_f64()).is_some_and(|(left, right)| left < right)
}

fn open_set(name: &str, attribute: &mut Vec<(String, Tree)>, report: &mut Report) -> FieldSpec {
    let label = take(attribute, "default_value").and_then(Tree::into_text).unwrap_or_else(|| DEFAULT_VALUE.into());
    let known = take(attribute, "public_possible_values").and_then(Tree::into_scalars).unwrap_or_default();
    let known: Vec<Scalar> = known.into_iter().map(|value| Scalar::Text(value.to_string())).collect();
    if known.contains(&Scalar::Text(label.clone())) {
        return closed(name, FieldType::String, known, Some(Scalar::Text(label)));
    }
    let mut field = field(name, FieldType::String);
    report.lost(Some(name), "type", "dpsynth finds further values by a noisy selection; here they are `unknown`");
    field.dp.source = if known.is_empty() { Source::Assumed } else { Source::Public };
    field.constraints.required = true;
    open_text(&mut field, known, report);
    field.dp.unknown_label = (label != UNKNOWN_LABEL).then_some(label);
    field
}

pub(super) fn export(spec: &SchemaSpec, report: &mut Report) -> Tree {
    table_losses(spec, &[], NAME, report);
    let columns = spec.fields.iter().filter_map(|field| {
        let attribute = export_attribute(field, report);
        if attribute.is_none() {
            let what =
                format!("`{}` without categories has no equivalent in {NAME}: the column is dropped", field.field_type);
            report.lost(Some(&field.name), "type", what);
        }
        Some((field.name.clone(), Tree::Map(attribute?)))
    });
    Tree::Map(columns.collect())
}

fn export_attribute(field: &FieldSpec, report: &mut Report) -> Option<Vec<(String, Tree)>> {
    let name = Some(field.name.as_str());
    let field_type = field.field_type.as_str();
    let categories = categories(field);
    let mut carried = vec![
        "description",
        "constraints.enum",
        "constraints.minimum",
        "constraints.maximum",
        "dp.source",
        "dp.foldInto",
    ];
    let mut attribute = match (field_type, categories) {
        ("string", categories) if field.dp.open || categories.is_none() => {
            carried.extend(["dp.open", "dp.unknownLabel", "constraints.required"]);
            if !field.constraints.required {
                report.lost(
                    name,
                    "constraints.required",
                    "dpsynth does not distinguish missing values from unknown ones",
                );
            }
            let label = field.dp.unknown_label();
            vec![
                ("type".to_owned(), Tree::text("OpenSetCategoricalAttribute")),
                ("default_value".into(), Tree::text(label)),
                ("public_possible_values".into(), Tree::scalars(&categories.unwrap_or_default())),
            ]
        }
        ("boolean", _) => export_categories(field, &[Scalar::Boolean(false), Scalar::Boolean(true)], report),
        ("string" | "integer" | "number" | "year" | "date" | "datetime" | "time", Some(categories)) => {
            export_categories(field, &categories, report)
        }
        ("integer" | "number" | "year", None) => export_range(field, &mut carried, report)?,
        _ => return None,
    };
    if ["year", "date", "datetime", "time"].contains(&field_type) {
        report.lost(name, "type", format!("`{field_type}` is written as a list of values"));
    }
    // Reported above.
    carried.push("constraints.required");
    attribute.extend(field.description.clone().map(|text| ("description".into(), Tree::text(text))));
    if field_type != "boolean" && field.constraints.categories.as_ref().is_none_or(|values| !values.is_empty()) {
        source_loss(field, NAME, report);
    }
    column_losses(field, &carried, NAME, report);
    Some(attribute)
}

fn export_categories(field: &FieldSpec, categories: &[Scalar], report: &mut Report) -> Vec<(String, Tree)> {
    if !field.constraints.required {
        let what = "dpsynth has no code for missing values: they become the first value";
        report.lost(Some(&field.name), "constraints.required", what);
    }
    let fold = field.dp.fold_into.as_ref();
    let same = |value: &Scalar| fold.is_some_and(|fold| value == fold || whole(value.clone()) == whole(fold.clone()));
    let index = categories.iter().position(same).unwrap_or(0);
    vec![
        ("type".to_owned(), Tree::text("CategoricalAttribute")),
        ("possible_values".into(), Tree::scalars(categories)),
        ("out_of_domain_index".into(), Tree::whole(i64::try_from(index).unwrap_or(0))),
    ]
}

fn export_range(
    field: &FieldSpec,
    carried: &mut Vec<&'static str>,
    report: &mut Report,
) -> Option<Vec<(String, Tree)>> {
    let name = Some(field.name.as_str());
    let (Some(low), Some(high)) = bounds(field) else { return None };
    let dtype = if field.field_type == "number" { "float" } else { "int" };
    let mut attribute = vec![
        ("type".to_owned(), Tree::text("NumericalAttribute")),
        ("min_value".into(), Tree::Scalar(low)),
        ("max_value".into(), Tree::Scalar(high)),
        ("dtype".into(), Tree::text(dtype)),
        ("clip_to_range".into(), Tree::boolean(field.constraints.required)),
        ("interval_handling".into(), Tree::text("sample")),
    ];
    if !field.constraints.required {
        carried.push("dp.open");
        let what = if field.dp.open {
            "dpsynth does not distinguish missing values from unknown ones"
        } else {
            "values out of range become missing in dpsynth, and go to the nearest bin in Scumble"
        };
        report.lost(name, "dp.open", what);
    }
    if let Some(edges) = edges(field).filter(|_| has_declared_bins(field)) {
        carried.extend(["dp.bins.count", "dp.bins.width", "dp.bins.edges", "dp.bins.source"]);
        attribute.push(("bin_edges".into(), Tree::scalars(&edges)));
    } else {
        carried.push("dp.bins.source");
    }
    // Missing values of a range go to its low end, whatever `foldInto` says.
    carried.retain(|property| *property != "dp.foldInto");
    Some(attribute)
}

#[cfg(test)]
mod tests {
    use super::super::Foreign;

    #[test]
    fn edges_with_and_without_the_range_ends_are_equal() {
        let import = |edges: &str| {
            let file = format!(
                "age: {{type: NumericalAttribute, min_value: 0, max_value: 90, dtype: int, bin_edges: {edges}}}"
            );
            Foreign::Dpsynth.import(&file).unwrap().spec
        };
        assert_eq!(import("[18, 65]"), import("[0.0, 18, 65.0, 90]"));
    }
}
