//! The metadata of SmartNoise SQL: types, bounds and identifiers of columns, nested in a database,
//! a schema and a table.

use crate::error::SchemaError;
use crate::file::spec::{FieldSpec, SchemaSpec, Source, TableTerms};
use crate::schema::attribute::FieldType;

use super::column::{bounds, check_fold, complete_line, field, open_text};
use super::tree::{Tree, whole};
use super::{Report, column_losses, not_a, only_table, source_loss, table_losses, take, unit_column};

const NAME: &str = "SmartNoise metadata";
/// The default names of the schema and the table.
const SCHEMA: &str = "public";
const TABLE: &str = "table";
/// Options of a table, which are listed among its columns.
const OPTIONS: [&str; 8] =
    ["rows", "row_privacy", "max_ids", "sample_max_ids", "censor_dims", "clamp_counts", "clamp_columns", "use_dpsu"];

pub(super) fn import(tree: Tree, report: &mut Report) -> Result<SchemaSpec, SchemaError> {
    let databases = tables(tree.into_map().ok_or_else(|| not_a("database"))?, report);
    let (database, schemas) = only_table(databases)?;
    if !database.is_empty() {
        report.lost(None, "database", format!("`{database}`: a schema has no database"));
    }
    let (schema, found) = only_table(tables(schemas, report))?;
    let (table, mut entries) = only_table(tables(found, report))?;
    let name = if schema == SCHEMA { table } else { format!("{schema}.{table}") };
    let title = Some(name).filter(|name| name != TABLE);

    let row_privacy = take(&mut entries, "row_privacy").and_then(Tree::into_boolean).unwrap_or(false);
    let max_ids = take(&mut entries, "max_ids").and_then(Tree::into_whole);
    let (columns, options) = entries.into_iter().partition::<Vec<_>, _>(|(_, value)| matches!(value, Tree::Map(_)));
    report.left_over(None, options);
    let mut units = Vec::new();
    let mut fields = Vec::new();
    for (name, column) in columns {
        let mut column = column.into_map().ok_or_else(|| not_a("column"))?;
        if take(&mut column, "private_id").and_then(Tree::into_boolean).unwrap_or(false) {
            units.push(name);
        } else {
            fields.extend(import_column(&name, column, report));
        }
    }
    if units.len() > 1 {
        return Err(SchemaError::table(
            format!("{} columns are the `private_id`, a schema has one privacy unit", units.len()),
            "keep `private_id` on one column, or combine them into one",
        ));
    }
    let unit = units.pop().filter(|unit| {
        if row_privacy {
            report.lost(Some(unit), "private_id", "`row_privacy` is on, so each row counts as one person");
        }
        !row_privacy
    });
    if unit.is_none() && !row_privacy {
        report.assumed(None, "dp.privacyUnit", "`row`: no column is the `private_id`, and `row_privacy` is off");
    }
    let max_contributions = max_ids.and_then(|rows| u32::try_from(rows).ok()).filter(|_| unit.is_some());
    let dp = TableTerms { privacy_unit: unit, max_contributions, ..TableTerms::default() };
    Ok(SchemaSpec { title, dp, fields, ..SchemaSpec::default() })
}

/// The entries that are maps. All others are options such as `engine`, which are reported as lost.
fn tables(entries: Vec<(String, Tree)>, report: &mut Report) -> Vec<(String, Tree)> {
    let (maps, options) = entries.into_iter().partition::<Vec<_>, _>(|(_, value)| matches!(value, Tree::Map(_)));
    report.left_over(None, options);
    maps
}

fn import_column(name: &str, mut column: Vec<(String, Tree)>, report: &mut Report) -> Option<FieldSpec> {
    let kind = take(&mut column, "type").and_then(Tree::into_text).unwrap_or_default();
    let field_type = match kind.as_str() {
        "int" => FieldType::Integer,
        "float" => FieldType::Number,
        "string" => FieldType::String,
        "boolean" => FieldType::Boolean,
        "datetime" => FieldType::Datetime,
        _ => {
            report.lost(Some(name), "type", format!("`{kind}` is not supported: the column is dropped"));
            return None;
        }
    };
    let mut field = field(name, field_type);
    take(&mut column, "name").filter(|again| *again != Tree::text(name)).inspect(|other| {
        report.lost(Some(name), "name", format!("`{other}`: the column is named by its key"));
    });
    field.constraints.required = !take(&mut column, "nullable").and_then(Tree::into_boolean).unwrap_or(true);
    let fold_into = take(&mut column, "missing_value").and_then(Tree::into_scalar);
    match field_type {
        FieldType::Integer | FieldType::Number => {
            let number = |value| if field_type == FieldType::Integer { whole(value) } else { value };
            let mut bound = |key: &str| take(&mut column, key).and_then(Tree::into_scalar).map(number);
            (field.constraints.minimum, field.constraints.maximum) = (bound("lower"), bound("upper"));
            let is_declared = field.constraints.minimum.is_some() || field.constraints.maximum.is_some();
            field.dp.source = if is_declared { Source::Public } else { Source::Assumed };
        }
        FieldType::Boolean => field.dp.source = Source::Public,
        _ => {}
    }
    if field_type == FieldType::String {
        open_text(&mut field, vec![], report);
    } else {
        complete_line(&mut field, report);
    }
    if let Some(value) = fold_into {
        // SmartNoise replaces missing values with this one, so none is missing.
        field.constraints.required = true;
        field.dp.fold_into = Some(if field_type == FieldType::Integer { whole(value) } else { value });
        check_fold(&mut field, "missing_value", report);
    }
    report.left_over(Some(name), column);
    Some(field)
}

pub(super) fn export(spec: &SchemaSpec, report: &mut Report) -> Tree {
    let unit = unit_column(spec);
    let mut carried = vec!["title", "dp.privacyUnit"];
    let mut table = vec![];
    match (unit, spec.dp.max_contributions) {
        (None, None | Some(1)) => {
            table.push(("row_privacy".to_owned(), Tree::boolean(true)));
            carried.push("dp.maxContributions");
        }
        // `table_losses` reports `maxContributions`: SmartNoise then protects only one row of a
        // person.
        (None, Some(_)) => table.push(("row_privacy".to_owned(), Tree::boolean(true))),
        (Some(_), rows) => {
            table.extend(rows.map(|rows| ("max_ids".to_owned(), Tree::whole(rows))));
            carried.push("dp.maxContributions");
        }
    }
    table_losses(spec, &carried, NAME, report);
    if let Some(unit) = unit {
        let column = [("type", Tree::text("string")), ("private_id", Tree::boolean(true))];
        table.push((unit.into(), Tree::Map(column.map(|(key, value)| (key.into(), value)).into())));
    }
    for field in &spec.fields {
        if Some(field.name.as_str()) == unit {
            report.lost(Some(&field.name), "type", "the privacy unit is written as an identifier");
        } else if OPTIONS.contains(&field.name.as_str()) {
            report.lost(Some(&field.name), "name", "SmartNoise has a table option of that name: the column is dropped");
        } else if let Some(column) = export_column(field, report) {
            table.push((field.name.clone(), Tree::Map(column)));
        }
    }
    let title = spec.title.as_deref().unwrap_or(TABLE);
    let (schema, name) = title.split_once('.').unwrap_or((SCHEMA, title));
    let nest = |key: &str, value: Tree| Tree::Map(vec![(key.to_owned(), value)]);
    nest("", nest(schema, nest(name, Tree::Map(table))))
}

fn export_column(field: &FieldSpec, report: &mut Report) -> Option<Vec<(String, Tree)>> {
    let name = Some(field.name.as_str());
    let kind = match field.field_type.as_str() {
        "integer" | "year" => "int",
        "number" => "float",
        "string" => "string",
        "boolean" => "boolean",
        "date" | "datetime" => "datetime",
        other => {
            report.lost(name, "type", format!("`{other}` has no equivalent in {NAME}: the column is dropped"));
            return None;
        }
    };
    let mut column = vec![("type".to_owned(), Tree::text(kind))];
    let mut carried = vec!["constraints.required", "dp.source"];
    if ["int", "float"].contains(&kind) {
        let (low, high) = bounds(field);
        if low.is_some() || high.is_some() {
            source_loss(field, NAME, report);
        }
        column.extend(low.map(|low| ("lower".into(), Tree::Scalar(low))));
        column.extend(high.map(|high| ("upper".into(), Tree::Scalar(high))));
        carried.extend(["constraints.minimum", "constraints.maximum"]);
    } else if field.dp.source != Source::Assumed && kind != "boolean" {
        report.lost(name, "dp.source", "SmartNoise has no values of this column that could be public");
    }
    if kind == "string" && field.constraints.categories.as_ref().is_none_or(Vec::is_empty) {
        carried.extend(["dp.open", "constraints.enum"]);
    }
    if field.constraints.required {
        column.push(("nullable".into(), Tree::boolean(false)));
    }
    // The values of text, dates and datetimes are not exported, so none of them can be a fold
    // target.
    let fold = field.dp.fold_into.as_ref().filter(|_| ["int", "float", "boolean"].contains(&kind));
    if let Some(fold) = fold {
        column.push(("missing_value".into(), Tree::Scalar(fold.clone())));
        carried.push("dp.foldInto");
    }
    if ["year", "date"].contains(&field.field_type.as_str()) {
        report.lost(name, "type", format!("`{}` is written as `{kind}`", field.field_type));
    }
    column_losses(field, &carried, NAME, report);
    Some(column)
}

#[cfg(test)]
mod tests {
    use super::super::Foreign;
    use crate::file::spec::Scalar;

    #[test]
    fn a_fold_target_must_be_a_declared_value() {
        let fold = |value: &str| {
            let file = format!(
                "'': {{s: {{t: {{row_privacy: True, x: {{type: int, lower: 0, upper: 9, missing_value: {value}}}}}}}}}"
            );
            Foreign::Smartnoise.import(&file).unwrap().spec.fields[0].dp.fold_into.clone()
        };
        assert_eq!(fold("3"), Some(Scalar::Integer(3)));
        assert_eq!(fold("-1"), None);
    }
}
