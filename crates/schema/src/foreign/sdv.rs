//! The metadata of the Synthetic Data Vault (SDV). Version 1, which is written, has the meaning of
//! columns but no bounds. Version 2, which is read too, has ranges, which SDV takes from the data
//! unless a person wrote them.

use crate::error::SchemaError;
use crate::file::spec::{FieldSpec, SchemaSpec, Source, TableTerms};
use crate::schema::attribute::FieldType;
use crate::values::text::TimeFormat;

use super::column::{categories, complete_line, field, open_text, with_common_type};
use super::tree::Tree;
use super::{Report, column_losses, not_a, only_table, table_losses, take, unit_column};

const NAME: &str = "SDV metadata";
/// The name of the table if the schema has no title.
const TABLE: &str = "table";
const ISO_DATE: &str = "%Y-%m-%d";
const ISO_DATETIME: &str = "%Y-%m-%dT%H:%M:%S";
const ISO_TIME: &str = "%H:%M:%S";

pub(super) fn import(tree: Tree, report: &mut Report) -> Result<SchemaSpec, SchemaError> {
    let mut file = tree.into_map().ok_or_else(|| not_a("object"))?;
    take(&mut file, "METADATA_SPEC_VERSION");
    let mut title = None;
    let mut table = file;
    if let Some(tables) = take(&mut table, "tables") {
        drop_empty_list(&mut table, "relationships");
        report.left_over(None, table);
        let (name, only) = only_table(tables.into_map().ok_or_else(|| not_a("map of `tables`"))?)?;
        (title, table) = (Some(name).filter(|name| name != TABLE), only);
    }
    let columns = take(&mut table, "columns").and_then(Tree::into_map).ok_or_else(|| not_a("map of `columns`"))?;
    let unit = take(&mut table, "sequence_key").and_then(Tree::into_text);
    if let Some(unit) = &unit {
        let what = format!("all rows of one `{unit}` are one sequence, assumed to be one person's");
        report.assumed(None, "dp.privacyUnit", what);
        report.blank(
            None,
            "dp.maxContributions",
            format!("the maximum number of rows kept per `{unit}`; 1 by default"),
        );
    }
    drop_empty_list(&mut table, "column_relationships");
    report.left_over(None, table);
    let mut fields = Vec::new();
    for (name, column) in columns {
        if Some(&name) != unit.as_ref() {
            fields.extend(import_column(&name, column.into_map().ok_or_else(|| not_a("column"))?, report));
        }
    }
    let dp = TableTerms { privacy_unit: unit, ..TableTerms::default() };
    Ok(SchemaSpec { title, dp, fields, ..SchemaSpec::default() })
}

/// Removes an empty list that the format requires.
fn drop_empty_list(entries: &mut Vec<(String, Tree)>, key: &str) {
    entries.retain(|(name, value)| name != key || *value != Tree::List(vec![]));
}

fn import_column(name: &str, mut column: Vec<(String, Tree)>, report: &mut Report) -> Option<FieldSpec> {
    let kind = take(&mut column, "sdtype").and_then(Tree::into_text).unwrap_or_default();
    let is_required = take(&mut column, "range_is_nullable").and_then(Tree::into_boolean) == Some(false);
    let mut field = match kind.as_str() {
        "numerical" => numerical(name, &mut column, report),
        "categorical" | "ordinal" => categorical(name, &mut column, report),
        "boolean" => field(name, FieldType::Boolean),
        "datetime" => datetime(name, &mut column, report),
        _ => {
            report.lost(Some(name), "sdtype", format!("`{kind}` is not supported: the column is dropped"));
            return None;
        }
    };
    field.constraints.required = is_required;
    report.left_over(Some(name), column);
    Some(field)
}

/// Imports the range of version 2, if any.
fn take_bounds(field: &mut FieldSpec, column: &mut Vec<(String, Tree)>, report: &mut Report) {
    let mut bound = |key: &str| take(column, key).and_then(Tree::into_scalar);
    (field.constraints.minimum, field.constraints.maximum) = (bound("range_min"), bound("range_max"));
    if field.constraints.minimum.is_some() || field.constraints.maximum.is_some() {
        report.assumed(Some(&field.name), "constraints", "SDV takes ranges from the data unless a person wrote them");
    }
}

fn numerical(name: &str, column: &mut Vec<(String, Tree)>, report: &mut Report) -> FieldSpec {
    let stored = take(column, "computer_representation").and_then(Tree::into_text);
    let digits = take(column, "decimal_places").and_then(Tree::into_whole);
    let is_whole = stored.as_ref().is_some_and(|stored| stored.contains("Int")) || digits == Some(0);
    let mut field = field(name, if is_whole { FieldType::Integer } else { FieldType::Number });
    match stored.as_deref() {
        None if digits.is_some() => {}
        None => report.assumed(Some(name), "type", "`number`: the file lacks `computer_representation`"),
        Some("Float" | "Int64") => {}
        Some(stored) => {
            report.lost(Some(name), "computer_representation", format!("`{stored}`: only integer or number is kept"));
        }
    }
    take_bounds(&mut field, column, report);
    complete_line(&mut field, report);
    field
}

fn categorical(name: &str, column: &mut Vec<(String, Tree)>, report: &mut Report) -> FieldSpec {
    let listed = take(column, "order").or_else(|| take(column, "range_values"));
    let order = listed.and_then(Tree::into_scalars).and_then(with_common_type);
    let mut field = field(name, FieldType::String);
    match order {
        Some((FieldType::Boolean, _)) => field.field_type = FieldType::Boolean.name().into(),
        Some((field_type, categories)) => {
            field.field_type = field_type.name().into();
            field.constraints.categories = Some(categories);
            report.assumed(Some(name), "constraints.enum", "the listed values are assumed to be all");
        }
        None => {
            report.assumed(Some(name), "type", "`string`: the file lists no categories");
            open_text(&mut field, vec![], report);
        }
    }
    field
}

fn datetime(name: &str, column: &mut Vec<(String, Tree)>, report: &mut Report) -> FieldSpec {
    let pattern = take(column, "datetime_format").and_then(Tree::into_text);
    let is_time = |pattern: &str| TimeFormat::new(Some(pattern)).is_some_and(|format| format.is_of_clock());
    let (field_type, iso) = match pattern.as_deref() {
        Some(pattern) if !has_time_of_day(pattern) => (FieldType::Date, ISO_DATE),
        Some(pattern) if is_time(pattern) => (FieldType::Time, ISO_TIME),
        _ => (FieldType::Datetime, ISO_DATETIME),
    };
    let mut field = field(name, field_type);
    match pattern {
        None => report.assumed(Some(name), "format", "ISO 8601: the file has no `datetime_format`"),
        Some(pattern) if pattern == iso => {}
        Some(pattern) if TimeFormat::new(Some(&pattern)).is_none() => {
            report.lost(Some(name), "datetime_format", format!("`{pattern}` is not supported"));
        }
        Some(pattern) => field.format = Some(pattern),
    }
    take_bounds(&mut field, column, report);
    complete_line(&mut field, report);
    field
}

/// Whether a date pattern includes a time of day.
fn has_time_of_day(pattern: &str) -> bool {
    let mut directives =
        pattern.split('%').skip(1).filter_map(|rest| rest.trim_start_matches(['-', '#']).chars().next());
    directives.any(|directive| "HIMSfpzZcXTRrsk".contains(directive))
}

pub(super) fn export(spec: &SchemaSpec, report: &mut Report) -> Tree {
    let unit = unit_column(spec);
    table_losses(spec, &["title", "dp.privacyUnit"], NAME, report);
    let mut columns = Vec::new();
    for field in &spec.fields {
        if Some(field.name.as_str()) == unit {
            report.lost(Some(&field.name), "type", "the privacy unit is written as an identifier");
        } else {
            columns.push((field.name.clone(), export_column(field, report)));
        }
    }
    if let Some(unit) = unit {
        columns.push((unit.into(), Tree::Map(vec![("sdtype".into(), Tree::text("id"))])));
    }
    let mut table = vec![("columns".to_owned(), Tree::Map(columns))];
    table.extend(unit.map(|unit| ("sequence_key".to_owned(), Tree::text(unit))));
    let name = spec.title.clone().unwrap_or_else(|| TABLE.into());
    Tree::Map(vec![
        ("METADATA_SPEC_VERSION".into(), Tree::text("V1")),
        ("tables".into(), Tree::Map(vec![(name, Tree::Map(table))])),
        ("relationships".into(), Tree::List(vec![])),
    ])
}

fn export_column(field: &FieldSpec, report: &mut Report) -> Tree {
    let mut column = vec![];
    let mut put = |key: &str, value: Tree| column.push((key.to_owned(), value));
    let mut carried = vec!["constraints.enum", "dp.source"];
    match (field.field_type.as_str(), categories(field)) {
        ("boolean", _) => put("sdtype", Tree::text("boolean")),
        ("integer" | "number" | "string" | "year", Some(categories)) => {
            put("sdtype", Tree::text("categorical"));
            put("order", Tree::scalars(&categories));
        }
        ("string", None) => {
            put("sdtype", Tree::text("categorical"));
            carried.push("dp.open");
        }
        (field_type @ ("integer" | "number" | "year"), None) => {
            put("sdtype", Tree::text("numerical"));
            put("computer_representation", Tree::text(if field_type == "number" { "Float" } else { "Int64" }));
        }
        (field_type @ ("date" | "datetime" | "time"), _) => {
            let iso = match field_type {
                "date" => ISO_DATE,
                "time" => ISO_TIME,
                _ => ISO_DATETIME,
            };
            put("sdtype", Tree::text("datetime"));
            put("datetime_format", Tree::text(field.format.as_deref().unwrap_or(iso)));
            carried = vec!["format", "dp.source"];
        }
        (other, _) => {
            put("sdtype", Tree::text("unknown"));
            report.lost(Some(&field.name), "type", format!("`{other}` has no equivalent in {NAME}"));
        }
    }
    if field.field_type == "year" {
        report.lost(Some(&field.name), "type", "`year` is written as a whole number");
    }
    if field.dp.source != Source::Assumed {
        report.lost(
            Some(&field.name),
            "dp.source",
            "SDV does not record what is public: imported again, it is `assumed`",
        );
    }
    column_losses(field, &carried, NAME, report);
    Tree::Map(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_with_a_time_of_day_are_recognised() {
        for pattern in ["%Y-%m-%d %H:%M", "%d %b %Y %I%p", "%c", "%Y%m%dT%-H"] {
            assert!(has_time_of_day(pattern), "{pattern}");
        }
        for pattern in ["%Y-%m-%d", "%d %b %Y", "%m/%d/%y", "Hour %j"] {
            assert!(!has_time_of_day(pattern), "{pattern}");
        }
    }
}
