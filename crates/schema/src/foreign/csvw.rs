//! CSV on the Web with the terms of CSVW-EO: a table schema with privacy units, public keys and
//! public partitions.

use crate::error::SchemaError;
use crate::file::column_names::ColumnNames;
use crate::file::dialect::{Dialect, HeaderRow};
use crate::file::spec::{BinsSpec, FieldSpec, Scalar, SchemaSpec, Source, TableTerms};
use crate::schema::attribute::FieldType;
use crate::values::missing::MissingValue;

use super::column::{bounds, categories, complete_line, edges, field, has_declared_bins, in_iso, open_text};
use super::tree::{Tree, whole};
use super::{Report, column_losses, not_a, only_table, source_loss, table_losses, take, unit_column};

const NAME: &str = "CSVW-EO metadata";
/// The second is the context file of CSVW-EO, as its own examples refer to it.
const CONTEXTS: [&str; 2] = ["http://www.w3.org/ns/csvw", "csvw-eo-context.jsonld"];

pub(super) fn import(tree: Tree, report: &mut Report) -> Result<SchemaSpec, SchemaError> {
    let mut table = unprefixed(tree).into_map().ok_or_else(|| not_a("object"))?;
    if let Some(tables) = take(&mut table, "tables").and_then(Tree::into_list) {
        table = only_table(tables.into_iter().map(|table| (String::new(), table)).collect())?.1;
    }
    let mut text = |key: &str| take(&mut table, key).and_then(Tree::into_text);
    let (title, description, mut unit) = (text("title"), text("description"), text("privacyUnit"));
    let max_contributions = take(&mut table, "maxContributions").and_then(Tree::into_whole);
    let missing_values = take(&mut table, "null").and_then(|null| match null {
        Tree::List(_) => null.into_scalars().map(|texts| texts.iter().map(ToString::to_string).collect()),
        null => null.into_scalar().map(|text| vec![text.to_string()]),
    });
    let dialect = take(&mut table, "dialect").and_then(Tree::into_map).unwrap_or_default();
    let is_false = |value: &Tree| value.clone().into_boolean() == Some(false);
    let has_header = !dialect.iter().any(|(key, value)| key == "header" && is_false(value));
    let mut dialect = import_dialect(dialect, report);
    for ignored in ["@context", "@type"] {
        take(&mut table, ignored);
    }
    for key in ["publicLength", "length"] {
        if take(&mut table, key).is_some() {
            let hint = "the number of rows is private by default; declare `adjacency: replace-one` if it is public";
            report.lost(None, key, hint);
        }
    }
    let schema = take(&mut table, "tableSchema").and_then(Tree::into_map);
    let mut schema = schema.ok_or_else(|| not_a("`tableSchema`"))?;
    let columns = take(&mut schema, "columns").and_then(Tree::into_list).ok_or_else(|| not_a("list of `columns`"))?;
    take(&mut schema, "@type");
    report.left_over(None, table);
    report.left_over(None, schema);
    let (mut fields, mut names) = (Vec::new(), Vec::new());
    for column in columns {
        let mut column = column.into_map().ok_or_else(|| not_a("column"))?;
        let name = take(&mut column, "name").and_then(Tree::into_text).ok_or_else(|| not_a("`name` of a column"))?;
        names.push(name.clone());
        if take(&mut column, "privacyId").and_then(Tree::into_boolean).unwrap_or(false) {
            unit.get_or_insert(name.clone());
        }
        if unit.as_ref() != Some(&name) {
            fields.extend(import_column(&name, column, report));
        }
    }
    if !has_header {
        match ColumnNames::try_from(names) {
            Ok(names) => dialect.column_names = Some(names),
            Err(problem) => report.lost(None, "dialect.header", problem),
        }
        if dialect.check().is_err() {
            report.lost(None, "dialect.skipRows", "lines before the rows of a file without a header cannot be skipped");
            dialect.header_row = HeaderRow::FIRST;
        }
    }
    let max_contributions = max_contributions.and_then(|rows| u32::try_from(rows).ok());
    if unit.is_none() {
        report.assumed(None, "dp.privacyUnit", "`row`: no column is declared as the privacy unit");
    }
    let dp = TableTerms { privacy_unit: unit, max_contributions, ..TableTerms::default() };
    let missing_values: Option<Vec<String>> = missing_values;
    let missing_values = missing_values.map(|texts| texts.into_iter().map(MissingValue::plain).collect());
    Ok(SchemaSpec { title, description, missing_values, dialect, dp, fields })
}

/// Imports the dialect, and reports what is not supported.
fn import_dialect(mut written: Vec<(String, Tree)>, report: &mut Report) -> Dialect {
    // The only supported values.
    let supported = [
        ("header", true),
        ("header", false),
        ("doubleQuote", true),
        ("skipInitialSpace", false),
        ("skipBlankRows", true),
    ];
    for (key, default) in supported {
        written.retain(|(name, value)| name != key || value.clone().into_boolean() != Some(default));
    }
    for ignored in ["@type", "@id", "lineTerminators"] {
        take(&mut written, ignored);
    }
    let skipped = take(&mut written, "skipRows").and_then(Tree::into_whole);
    let mut text = |key: &str| take(&mut written, key).and_then(Tree::into_text);
    let texts = ["delimiter", "quoteChar", "commentPrefix", "encoding"].map(|key| (key, text(key)));
    let mut lost =
        |key: &str, text: &str| report.lost(None, &format!("dialect.{key}"), format!("`{text}` is not supported"));
    let mut symbol = |(key, text): &(&str, Option<String>)| {
        let text = text.as_deref()?;
        text.parse().map_err(|_: String| lost(key, text)).ok()
    };
    let mut dialect = Dialect {
        delimiter: symbol(&texts[0]),
        quote_char: symbol(&texts[1]),
        comment_char: symbol(&texts[2]),
        ..Dialect::default()
    };
    if let Some(encoding) = texts[3].1.as_deref() {
        match encoding.parse() {
            Ok(encoding) => dialect.encoding = encoding,
            Err(_) => lost("encoding", encoding),
        }
    }
    if let Some(lines) = skipped {
        match u16::try_from(lines).ok().and_then(HeaderRow::after) {
            Some(row) => dialect.header_row = row,
            None => lost("skipRows", &lines.to_string()),
        }
    }
    if let Err(problem) = dialect.check() {
        report.lost(None, "dialect", problem.to_string());
        dialect = Dialect::default();
    }
    report.left_over(None, written);
    dialect
}

/// Strips vocabulary prefixes: `csvw:name`, `dc:description` and `csvw-safe:bounds.maxLength`
/// become their last word.
fn unprefixed(tree: Tree) -> Tree {
    match tree {
        Tree::Map(entries) => {
            let last = |key: String| {
                let term = key.rsplit(':').next().unwrap_or_default();
                term.rsplit('.').next().unwrap_or_default().to_owned()
            };
            // The keys of a value map are values of the data, not terms.
            let inner = |key: &str, value| if key == "valueMap" { value } else { unprefixed(value) };
            let terms = entries.into_iter().map(|(key, value)| (last(key), value));
            Tree::Map(terms.map(|(key, value)| (key.clone(), inner(&key, value))).collect())
        }
        Tree::List(items) => Tree::List(items.into_iter().map(unprefixed).collect()),
        scalar => scalar,
    }
}

fn import_column(name: &str, mut column: Vec<(String, Tree)>, report: &mut Report) -> Option<FieldSpec> {
    let datatype = match take(&mut column, "datatype") {
        // CSVW allows bounds and formats within the datatype.
        Some(Tree::Map(mut datatype)) => {
            let base = take(&mut datatype, "base").and_then(Tree::into_text);
            column.append(&mut datatype);
            base
        }
        datatype => datatype.and_then(Tree::into_text),
    };
    let datatype = datatype.unwrap_or_else(|| "string".into());
    let Some(field_type) = field_type(&datatype) else {
        report.lost(Some(name), "datatype", format!("`{datatype}` is not supported: the column is dropped"));
        return None;
    };
    if datatype_of(field_type) != datatype {
        report.lost(Some(name), "datatype", format!("`{datatype}`: only `{field_type}` is kept"));
    }
    let mut field = field(name, field_type);
    if matches!(field_type, FieldType::Integer | FieldType::Number) {
        import_number_format(&mut field, &mut column);
    }
    take(&mut column, "@type");
    field.title = take(&mut column, "titles").and_then(Tree::into_text);
    field.description = take(&mut column, "description").and_then(Tree::into_text);
    field.constraints.required = take(&mut column, "required").and_then(Tree::into_boolean).unwrap_or(false);
    if take(&mut column, "nullableProportion").is_some() {
        report.lost(Some(name), "nullableProportion", "a share of the rows is not public");
    }
    let value = |value: Scalar| match field_type {
        FieldType::Integer | FieldType::Year => whole(value),
        FieldType::String => Scalar::Text(value.to_string()),
        _ => value,
    };
    let keys = take(&mut column, "keyValues").and_then(Tree::into_scalars);
    let is_exhaustive = take(&mut column, "exhaustiveKeys").and_then(Tree::into_boolean).unwrap_or(false);
    let (listed, cut) = partitions(name, &mut column, report);
    let keys: Option<Vec<Scalar>> =
        keys.or(listed).map(|keys| keys.into_iter().map(value).collect()).filter(|keys: &Vec<_>| !keys.is_empty());
    let mut bound = |key: &str| take(&mut column, key).and_then(Tree::into_scalar).map(value);
    let (low, high) = (bound("minimum"), bound("maximum"));
    let is_declared = keys.is_some() || cut.is_some() || low.is_some() || high.is_some();
    field.dp.source = if is_declared || field_type == FieldType::Boolean { Source::Public } else { Source::Assumed };
    match (field_type, keys, cut) {
        // Both values of a boolean are known without a list.
        (FieldType::Boolean, ..) => {}
        (FieldType::String, keys, _) if !is_exhaustive => open_text(&mut field, keys.unwrap_or_default(), report),
        (FieldType::String, None, _) => open_text(&mut field, vec![], report),
        (_, Some(keys), _) => {
            if !is_exhaustive {
                report.assumed(Some(name), "constraints.enum", "the listed values are assumed to be all");
            }
            field.constraints.categories = Some(keys);
        }
        (_, None, Some(edges)) => {
            let edges: Vec<Scalar> = edges.into_iter().map(value).collect();
            for (key, bound, edge) in [("minimum", low, edges.first()), ("maximum", high, edges.last())] {
                if let Some(bound) = bound.filter(|bound| Some(bound) != edge) {
                    report.lost(Some(name), key, format!("`{bound}`: the outermost edges are the bounds"));
                }
            }
            field.dp.bins = Some(BinsSpec { edges: Some(edges), ..BinsSpec::default() });
        }
        (_, None, None) => (field.constraints.minimum, field.constraints.maximum) = (low, high),
    }
    complete_line(&mut field, report);
    report.left_over(Some(name), column);
    Some(in_iso(&field))
}

/// Imports `decimalChar` and `groupChar` from a number format that is not a pattern.
fn import_number_format(field: &mut FieldSpec, column: &mut Vec<(String, Tree)>) {
    let Some((_, Tree::Map(format))) = column.iter_mut().find(|(key, _)| key == "format") else { return };
    field.decimal_char = take(format, "decimalChar").and_then(Tree::into_text);
    field.group_char = take(format, "groupChar").and_then(Tree::into_text);
    if format.is_empty() {
        take(column, "format");
    }
}

/// Imports partitions as a list of values or of bin edges.
fn partitions(
    name: &str,
    column: &mut Vec<(String, Tree)>,
    report: &mut Report,
) -> (Option<Vec<Scalar>>, Option<Vec<Scalar>>) {
    for counted in ["exhaustivePartitions", "maxNumPartitions", "invariantPublicKeys"] {
        // They follow from the list.
        take(column, counted);
    }
    let Some(partitions) = take(column, "partitions").and_then(Tree::into_list) else { return (None, None) };
    let (mut values, mut intervals, mut bounded) = (Vec::new(), Vec::new(), false);
    let count = partitions.len();
    for partition in partitions {
        let mut partition = partition.into_map().unwrap_or_default();
        let mut predicate = take(&mut partition, "predicate").and_then(Tree::into_map).unwrap_or_default();
        bounded |= partition.iter().any(|(key, _)| key != "@type");
        let mut scalar = |key: &str| take(&mut predicate, key).and_then(Tree::into_scalar);
        match (scalar("partitionValue"), scalar("lowerBound"), scalar("upperBound")) {
            (Some(value), ..) => values.push(value),
            (None, Some(low), Some(high)) => intervals.push((low, high)),
            _ => {}
        }
    }
    if bounded {
        report.lost(Some(name), "partitions", "a schema cannot bound the rows of single partitions");
    }
    if values.len() == count && count > 0 {
        return (Some(values), None);
    }
    let touch = intervals.windows(2).all(|pair| pair[0].1 == pair[1].0);
    if intervals.len() == count && count > 0 && touch {
        let last = intervals[count - 1].1.clone();
        return (None, Some(intervals.into_iter().map(|(low, _)| low).chain([last]).collect()));
    }
    report.lost(Some(name), "partitions", "they have gaps or overlaps, which bins cannot have");
    (None, None)
}

fn field_type(datatype: &str) -> Option<FieldType> {
    Some(match datatype {
        "string" | "any" | "token" | "normalizedString" => FieldType::String,
        "boolean" => FieldType::Boolean,
        "integer" | "long" | "int" | "short" | "byte" | "positiveInteger" | "nonNegativeInteger"
        | "negativeInteger" | "nonPositiveInteger" | "unsignedLong" | "unsignedInt" | "unsignedShort"
        | "unsignedByte" => FieldType::Integer,
        "decimal" | "double" | "float" | "number" => FieldType::Number,
        "date" => FieldType::Date,
        "dateTime" | "datetime" | "dateTimeStamp" => FieldType::Datetime,
        "time" => FieldType::Time,
        "gYear" => FieldType::Year,
        _ => return None,
    })
}

fn datatype_of(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::String => "string",
        FieldType::Boolean => "boolean",
        FieldType::Integer | FieldType::Year => "integer",
        FieldType::Number => "double",
        FieldType::Date => "date",
        FieldType::Datetime => "dateTime",
        FieldType::Time => "time",
    }
}

pub(super) fn export(spec: &SchemaSpec, report: &mut Report) -> Tree {
    let unit = unit_column(spec);
    table_losses(
        spec,
        &["title", "description", "missingValues", "dp.privacyUnit", "dp.maxContributions"],
        NAME,
        report,
    );
    let mut columns = Vec::new();
    for field in &spec.fields {
        if Some(field.name.as_str()) == unit {
            report.lost(Some(&field.name), "type", "the privacy unit is written as an identifier");
        } else if let Some(column) = export_column(&in_iso(field), report) {
            columns.push(Tree::Map(column));
        }
        if field.format.is_some() {
            report.lost(Some(&field.name), "format", "dates and times are written in ISO 8601");
        }
    }
    if let Some(unit) = unit {
        let texts = [("@type", "Column"), ("name", unit), ("datatype", "string")];
        let mut column: Vec<(String, Tree)> = texts.map(|(key, text)| (key.into(), Tree::text(text))).into();
        column.push(("privacyId".into(), Tree::boolean(true)));
        columns.push(Tree::Map(column));
    }
    let mut table = vec![
        ("@context".to_owned(), Tree::List(CONTEXTS.map(Tree::text).into())),
        ("@type".into(), Tree::text("Table")),
    ];
    table.extend(spec.title.clone().map(|title| ("dc:title".into(), Tree::text(title))));
    table.extend(spec.description.clone().map(|text| ("dc:description".into(), Tree::text(text))));
    for missing in spec.missing_values.iter().flatten().filter(|missing| missing.label.is_some()) {
        let what = format!("`{}` is written as an ordinary missing value", missing.value);
        report.lost(None, "missingValues.label", what);
    }
    table.extend(spec.missing_values.as_ref().map(|texts| {
        ("null".into(), Tree::List(texts.iter().map(|missing| Tree::text(missing.value.clone())).collect()))
    }));
    table.extend(unit.map(|unit| ("privacyUnit".into(), Tree::text(unit))));
    table.extend(spec.dp.max_contributions.map(|rows| ("maxContributions".into(), Tree::whole(rows))));
    table.push(("tableSchema".into(), Tree::Map(vec![("columns".into(), Tree::List(columns))])));
    Tree::Map(table)
}

fn export_column(field: &FieldSpec, report: &mut Report) -> Option<Vec<(String, Tree)>> {
    let name = Some(field.name.as_str());
    let Some(kind) = FieldType::from_name(&field.field_type) else {
        report.lost(name, "type", format!("`{}` has no equivalent in {NAME}: the column is dropped", field.field_type));
        return None;
    };
    let mut column = vec![
        ("@type".to_owned(), Tree::text("Column")),
        ("name".into(), Tree::text(&*field.name)),
        ("datatype".into(), Tree::text(datatype_of(kind))),
    ];
    if kind == FieldType::Year {
        report.lost(name, "type", "`year` is written as a whole number");
    }
    let mut put = |key: &str, value: Tree| column.push((key.to_owned(), value));
    let mut carried = vec![
        "title",
        "description",
        "constraints.required",
        "constraints.minimum",
        "constraints.maximum",
        "constraints.enum",
        "dp.source",
    ];
    if let Some(title) = &field.title {
        put("titles", Tree::text(&**title));
    }
    if let Some(description) = &field.description {
        put("dc:description", Tree::text(&**description));
    }
    if field.constraints.required {
        put("required", Tree::boolean(true));
    }
    let keys = categories(field).filter(|_| kind != FieldType::Boolean);
    let is_line = !matches!(kind, FieldType::String | FieldType::Boolean);
    if is_line {
        let (low, high) = bounds(field);
        for (key, bound) in [("minimum", low), ("maximum", high)] {
            if let Some(bound) = bound {
                put(key, Tree::Scalar(bound));
            }
        }
    }
    let is_listed = keys.is_some();
    if let Some(keys) = keys {
        put("keyValues", Tree::scalars(&keys));
        put("exhaustiveKeys", Tree::boolean(kind != FieldType::String || !field.dp.open));
    }
    if kind == FieldType::String {
        carried.push("dp.open");
    }
    if let Some(edges) = edges(field).filter(|_| is_line && !is_listed && has_declared_bins(field)) {
        carried.extend(["dp.bins.count", "dp.bins.width", "dp.bins.edges", "dp.bins.source"]);
        let partition = |pair: &[Scalar]| {
            let predicate = [("lowerBound", &pair[0]), ("upperBound", &pair[1])];
            let predicate = predicate.map(|(key, edge)| (key.to_owned(), Tree::Scalar(edge.clone())));
            Tree::Map(vec![
                ("@type".into(), Tree::text("Partition")),
                ("predicate".into(), Tree::Map(predicate.into())),
            ])
        };
        put("partitions", Tree::List(edges.windows(2).map(partition).collect()));
        put("exhaustivePartitions", Tree::boolean(true));
        // Programs that read this format expect these bounds, which a schema does not have.
        report.blank(
            name,
            "partitions",
            "`maxLength`, `maxGroupsPerUnit` and `maxContributions` of each partition, if they are public",
        );
    } else {
        carried.push("dp.bins.source");
    }
    if is_listed || bounds(field) != (None, None) {
        source_loss(field, NAME, report);
    }
    column_losses(field, &carried, NAME, report);
    Some(column)
}

#[cfg(test)]
mod tests {
    use crate::{Foreign, Schema};

    #[test]
    fn files_without_a_header_have_the_columns_in_order() {
        let imported = Foreign::CsvwEo.import(
            r#"{"@context": "http://www.w3.org/ns/csvw", "dialect": {"header": false, "delimiter": ","},
                "tableSchema": {"columns": [{"name": "id", "privacyId": true, "datatype": "string"},
                    {"name": "age", "datatype": "integer", "minimum": 0, "maximum": 99}]}}"#,
        );
        let imported = imported.unwrap();
        assert_eq!(imported.spec.dialect.column_names, "id,age".parse().ok());
        assert!(!imported.losses.iter().any(|loss| loss.property.starts_with("dialect")));
    }

    #[test]
    fn the_dialect_and_number_format_are_imported() {
        let imported = Foreign::CsvwEo.import(
            r##"{"@context": "http://www.w3.org/ns/csvw",
                "dialect": {"delimiter": ";", "quoteChar": "'", "commentPrefix": "#", "encoding": "iso-8859-1", "header": true, "skipRows": 2, "skipColumns": 1},
                "tableSchema": {"columns": [{"name": "pay", "minimum": 0, "maximum": 9000,
                    "datatype": {"base": "double", "format": {"decimalChar": ",", "groupChar": "."}}}]}}"##,
        );
        let imported = imported.unwrap();
        let dialect = &imported.spec.dialect;
        assert_eq!((dialect.delimiter, dialect.quote()), (";".parse().ok(), b'\''));
        assert_eq!((dialect.comment_char, dialect.encoding.name()), ("#".parse().ok(), "windows-1252"));
        let lost: Vec<&str> = imported.losses.iter().map(|loss| loss.property.as_str()).collect();
        assert_eq!(dialect.header_row.lines_before(), 2);
        assert!(lost.contains(&"skipColumns") && !lost.contains(&"header") && !lost.contains(&"format"), "{lost:?}");
        let schema = Schema::new(imported.spec).unwrap();
        let encoder = schema.attributes()[0].encoder();
        assert_eq!(encoder.text(b"1.234,5"), encoder.float(1234.5));
    }
}
