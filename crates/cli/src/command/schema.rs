//! `scumble schema`

use std::fmt::Write as _;
use std::path::Path;

use scumble::engine::column_types;
use scumble::schema::{self, Attribute, JSON_SCHEMA, Problems, Unit, WholeFile};
use scumble::{Format, Input, Schema, SchemaSpec};
use serde_json::json;

use crate::arguments::{Check, Description, Draft, Import, SchemaCommand, SchemaVerb};
use crate::failure::{Failure, cannot_write};
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &SchemaCommand, terminal: &Terminal) -> Result<(), Failure> {
    match &arguments.verb {
        SchemaVerb::Draft(arguments) => draft(arguments, terminal),
        SchemaVerb::Import(arguments) => import(arguments, terminal),
        SchemaVerb::Check(arguments) => check(arguments, terminal),
        SchemaVerb::JsonSchema(_) => {
            terminal.result(
                || serde_json::from_str::<serde_json::Value>(JSON_SCHEMA).expect("tested"),
                || JSON_SCHEMA.trim_end().into(),
            );
            Ok(())
        }
    }
}

fn draft(arguments: &Draft, terminal: &Terminal) -> Result<(), Failure> {
    let yaml = drafted(&arguments.data, arguments.format.map(Into::into))?;
    write_schema(&yaml, arguments.output.as_deref(), terminal)?;
    terminal.note("a person completes the draft from public knowledge; then run `scumble schema check`");
    Ok(())
}

fn drafted(data: &Path, format: Option<Format>) -> Result<String, Failure> {
    let columns = column_types(&Input::new(data), format)?;
    Ok(schema::draft(&columns).map_err(Problems::from)?)
}

fn import(arguments: &Import, terminal: &Terminal) -> Result<(), Failure> {
    let yaml = match arguments.from {
        Description::Mbi => {
            let checked = Schema::new(SchemaSpec::read_mbi(&arguments.file)?)?;
            terminal.note("the sizes are taken as public facts: make sure that they were not read off the data");
            checked.to_yaml()
        }
        Description::Arrow => drafted(&arguments.file, Some(Format::Arrow))?,
        Description::Parquet => drafted(&arguments.file, Some(Format::Parquet))?,
    };
    write_schema(&yaml, arguments.output.as_deref(), terminal)
}

fn write_schema(yaml: &str, output: Option<&Path>, terminal: &Terminal) -> Result<(), Failure> {
    let Some(path) = output else {
        terminal.result(|| json!({ "schema": yaml }), || yaml.trim_end().into());
        return Ok(());
    };
    WholeFile::write_all_to(path, yaml.as_bytes()).map_err(|error| cannot_write(path, &error))?;
    terminal.result(|| json!({ "output": path }), || format!("wrote the schema to {}", path.display()));
    Ok(())
}

fn check(arguments: &Check, terminal: &Terminal) -> Result<(), Failure> {
    let schema = Schema::read(&arguments.schema)?;
    let columns: Vec<_> = schema
        .attributes()
        .iter()
        .map(|attribute| {
            json!({
                "name": attribute.name(),
                "type": attribute.field_type().name(),
                "codes": attribute.size(),
                "missing": attribute.label(attribute.encoder().null()),
                "unknown": attribute.label(attribute.encoder().unknown()),
                "assumed": attribute.is_assumed(),
            })
        })
        .collect();
    let privacy = schema.privacy();
    let terms = json!({
        "privacyUnit": privacy.unit.to_string(),
        "adjacency": privacy.adjacency,
        "maxContributions": privacy.max_contributions,
    });
    terminal.result(|| json!({ "ok": true, "columns": columns, "dp": terms }), || check_text(&schema));
    Ok(())
}

fn check_text(schema: &Schema) -> String {
    let width = schema.attributes().iter().map(|attribute| attribute.name().chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!("{:width$}  {:8}  {:>7}  missing and unknown values become\n", "column", "type", "codes");
    for attribute in schema.attributes() {
        let _ = writeln!(
            text,
            "{:width$}  {:8}  {:>7}  {}{}",
            attribute.name(),
            attribute.field_type().name(),
            attribute.size(),
            destinations(attribute),
            if attribute.is_assumed() { "   (assumed: confirm its bounds or categories)" } else { "" },
        );
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
    text
}

/// Where missing and unknown values of a column go.
fn destinations(attribute: &Attribute) -> String {
    let (missing, unknown) = (attribute.encoder().null(), attribute.encoder().unknown());
    if missing == unknown {
        attribute.label(missing)
    } else {
        format!("{} and {}", attribute.label(missing), attribute.label(unknown))
    }
}
