//! `scumble schema`

use std::fmt::Write as _;

use scumble::engine::column_types;
use scumble::mechanisms::quality::CRITERIA_JSON_SCHEMA;
use scumble::schema::{self, Attribute, Dialect, JSON_SCHEMA, Problems, Unit};
use scumble::{Format, Input, ReadOptions, Schema};
use scumble_evaluate::Coverage;
use serde::Serialize;
use serde_json::{Value, json};

use crate::arguments::{Check, Draft, JsonSchemaOf, SchemaCommand, SchemaVerb};
use crate::command::evaluate::refused;
use crate::command::foreign::{export, import, write_description};
use crate::command::header::warn_of_names;
use crate::failure::Failure;
use crate::output;
use crate::terminal::{Terminal, Unit as BarUnit, show_spinner};

/// Number of impossible values to list.
const LISTED_VALUES: usize = 10;

pub(crate) fn run(arguments: &SchemaCommand, terminal: &Terminal) -> Result<(), Failure> {
    match &arguments.verb {
        SchemaVerb::New(arguments) => crate::command::schema_new::run(arguments, terminal),
        SchemaVerb::Draft(arguments) => draft(arguments, terminal),
        SchemaVerb::Learn(arguments) => crate::command::schema_learn::run(arguments, terminal),
        SchemaVerb::Import(arguments) => import(arguments, terminal),
        SchemaVerb::Export(arguments) => export(arguments, terminal),
        SchemaVerb::Check(arguments) => check(arguments, terminal),
        SchemaVerb::JsonSchema(arguments) => {
            let text = match arguments.of {
                JsonSchemaOf::Schema => JSON_SCHEMA,
                JsonSchemaOf::Criteria => CRITERIA_JSON_SCHEMA,
            };
            terminal
                .result(|| serde_json::from_str::<serde_json::Value>(text).expect("tested"), || text.trim_end().into());
            Ok(())
        }
    }
}

fn draft(arguments: &Draft, terminal: &Terminal) -> Result<(), Failure> {
    output::check([&arguments.data], &arguments.output, arguments.overwriting.force)?;
    let dialect = arguments.text_files.dialect()?;
    let input = arguments.text_files.input(&arguments.data, None)?;
    let yaml = drafted(&input, arguments.format.map(Into::into), &dialect, terminal)?;
    write_description(&yaml, &[], arguments.output.as_deref(), terminal)?;
    terminal.note("complete the draft by hand from public knowledge, then run `scumble schema check`");
    Ok(())
}

pub(crate) fn drafted(
    input: &Input,
    format: Option<Format>,
    dialect: &Dialect,
    terminal: &Terminal,
) -> Result<String, Failure> {
    let columns = column_types(input, format, dialect)?;
    warn_of_names(&columns, terminal);
    Ok(with_dialect(&schema::draft(&columns.types).map_err(Problems::from)?, dialect))
}

/// Adds the dialect of the command line to a new schema, so that later commands need no options to
/// read the same file.
pub(crate) fn with_dialect(yaml: &str, dialect: &Dialect) -> String {
    if *dialect == Dialect::default() {
        return yaml.to_owned();
    }
    let written = serde_json::to_string(dialect).expect("a dialect has nothing that JSON lacks");
    yaml.replacen("\nmissingValues:", &format!("\ndialect: {written}\nmissingValues:"), 1)
}

/// A checked schema, with its coverage of a table behind a stamp, if data was given.
#[derive(Serialize)]
struct Checked {
    /// The first field, so that nobody overlooks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stamp: Option<&'static str>,
    ok: bool,
    columns: Vec<Value>,
    dp: Value,
    rules: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

fn check(arguments: &Check, terminal: &Terminal) -> Result<(), Failure> {
    let schema = arguments.text_files.schema(&arguments.schema)?;
    let columns = schema.attributes().iter().map(|attribute| {
        json!({
            "name": attribute.name(),
            "type": attribute.field_type().name(),
            "codes": attribute.size(),
            "missing": attribute.label(attribute.encoder().null()),
            "unknown": attribute.label(attribute.encoder().unknown()),
            "assumed": attribute.is_assumed(),
        })
    });
    let made_up = schema.generated().iter().map(
        |column| json!({ "name": column.name(), "type": column.field_type().name(), "generated": column.in_words() }),
    );
    let columns = columns.chain(made_up);
    let privacy = schema.privacy();
    let dp = json!({
        "privacyUnit": privacy.unit.to_string(),
        "adjacency": privacy.adjacency,
        "maxContributions": privacy.max_contributions,
    });
    let columns = columns.collect();
    let rules = schema.rule_specs().iter().map(|rule| json!(rule.to_string())).collect();
    let coverage = coverage(arguments, &schema, terminal)?;
    let stamp = coverage.as_ref().map(|_| scumble_evaluate::NOT_PRIVATE);
    let text = match &coverage {
        None => check_text(&schema),
        Some(coverage) => format!("{coverage}\n\n{}", check_text(&schema)),
    };
    terminal.result(|| Checked { stamp, ok: true, columns, dp, rules, coverage }, || text);
    Ok(())
}

/// Reads the table, if one was given.
fn coverage(arguments: &Check, schema: &Schema, terminal: &Terminal) -> Result<Option<Coverage>, Failure> {
    if arguments.data.is_empty() {
        return Ok(None);
    }
    let inputs = arguments.text_files.inputs(&arguments.data, None)?;
    let options = ReadOptions { format: arguments.format.map(Into::into), ..ReadOptions::default() };
    let bar = terminal.progress("reading", 0, BarUnit::Bytes);
    show_spinner(&bar, "reading");
    let coverage = Coverage::read(&inputs, schema, &options);
    bar.finish_and_clear();
    coverage.map(Some).map_err(refused)
}

/// Returns a remark on the origin of bounds and categories.
fn origin(attribute: &Attribute) -> &'static str {
    if attribute.is_assumed() {
        "   (assumed: confirm its bounds or categories)"
    } else if attribute.is_read_off_data() {
        "   (read off the data: the guarantee does not cover its bounds or categories)"
    } else {
        ""
    }
}

fn check_text(schema: &Schema) -> String {
    let width =
        schema.output_columns().into_iter().map(|column| column.name().chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!("{:width$}  {:8}  {:>7}  missing and unknown values become\n", "column", "type", "codes");
    for attribute in schema.attributes() {
        let _ = writeln!(
            text,
            "{:width$}  {:8}  {:>7}  {}{}",
            attribute.name(),
            attribute.field_type().name(),
            attribute.size(),
            destinations(attribute),
            origin(attribute),
        );
    }
    for column in schema.generated() {
        let (name, field_type) = (column.name(), column.field_type().name());
        let how = if column.is_derived() { "" } else { "made up: " };
        let _ = writeln!(text, "{name:width$}  {field_type:8}  {:>7}  not read; {how}{}", "none", column.in_words());
    }
    let privacy = schema.privacy();
    let rows = if privacy.max_contributions.get() == 1 { "row" } else { "rows" };
    let (adjacency, most) = (privacy.adjacency, privacy.max_contributions);
    let _ = match &privacy.unit {
        Unit::Row => write!(text, "\nneighbours: {adjacency}, at most {most} {rows} per unit"),
        Unit::Column(column) => {
            write!(
                text,
                "\nneighbours: {adjacency}, all rows of one `{column}`; at most {most} {rows} of each will be kept"
            )
        }
    };
    for (rule, number) in schema.rule_specs().iter().zip(1..) {
        let _ = write!(text, "\nrule {number}: {rule}");
    }
    let never = schema.impossible_values();
    for &(column, code) in never.iter().take(LISTED_VALUES) {
        let attribute = schema.attribute(column);
        let _ = write!(text, "\nthe rules exclude {} in `{}`", attribute.label(code), attribute.name());
    }
    if never.len() > LISTED_VALUES {
        let _ = write!(text, "\nthe rules exclude {} more values", never.len() - LISTED_VALUES);
    }
    text
}

/// Describes the encoding of missing and unknown values of a column.
fn destinations(attribute: &Attribute) -> String {
    let unknown = attribute.encoder().unknown();
    let mut codes: Vec<u32> = attribute.missing_kinds().map(|(code, _)| code).collect();
    if codes.is_empty() {
        codes.push(attribute.encoder().null());
    }
    if !codes.contains(&unknown) {
        codes.push(unknown);
    }
    let labels: Vec<String> = codes.into_iter().map(|code| attribute.label(code)).collect();
    match labels.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
