//! `scumble schema import` and `scumble schema export`

use std::path::Path;

use scumble::schema::{Dialect, Exported, Foreign, Loss, LossKind, Problems, SchemaSpec, export_mbi};
use scumble::{Format, Input, Schema};
use serde_json::json;

use crate::arguments::{Description, Export, ExportFormat, Import};
use crate::command::schema::drafted;
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

/// Note on formats that hold public facts only.
const PUBLIC: &str = "are taken as public facts: make sure that they were not read off the data";

/// Header of a schema from an mbi domain file. The file names no source for its columns, so they
/// are assumed.
const MBI_HEADER: &str = "\
# Sizes of an mbi domain file, which does not say where they come from: every column is `source: assumed`.
# Write `source: public` into the `dp` of each column whose size a code book, a form or a law gives.
";

pub(crate) fn import(arguments: &Import, terminal: &Terminal) -> Result<(), Failure> {
    output::check([&arguments.file], &arguments.output, arguments.overwriting.force)?;
    let output = arguments.output.as_deref();
    let format = match arguments.from {
        Description::Mbi => {
            let checked = Schema::new(SchemaSpec::read_mbi(&arguments.file)?)?;
            terminal.note("a domain file does not say where its sizes come from: every column is `assumed`");
            return write_description(&format!("{MBI_HEADER}{}", checked.to_yaml()), &[], output, terminal);
        }
        Description::Arrow | Description::Parquet => {
            let is_arrow = matches!(arguments.from, Description::Arrow);
            let format = if is_arrow { Format::Arrow } else { Format::Parquet };
            let yaml = drafted(&Input::new(&arguments.file), Some(format), &Dialect::default(), terminal)?;
            return write_description(&yaml, &[], output, terminal);
        }
        Description::Sdv => Foreign::Sdv,
        Description::Dpsynth => Foreign::Dpsynth,
        Description::Smartnoise => Foreign::Smartnoise,
        Description::CsvwEo => Foreign::CsvwEo,
    };
    let imported = format.read(&arguments.file)?;
    write_description(&imported.to_yaml(), &imported.losses, output, terminal)?;
    if format != Foreign::Sdv {
        terminal.note(&format!("bounds, categories and bins of the file {PUBLIC}"));
    }
    if imported.losses.iter().any(|loss| loss.kind == LossKind::Blank) {
        terminal.note("complete the schema by hand from public knowledge, then run `scumble schema check`");
    }
    Ok(())
}

pub(crate) fn export(arguments: &Export, terminal: &Terminal) -> Result<(), Failure> {
    output::check([&arguments.schema], &arguments.output, arguments.overwriting.force)?;
    let format = match arguments.to {
        ExportFormat::Mbi => {
            let exported = export_mbi(&Schema::read(&arguments.schema)?);
            return write_exported(&exported, arguments, terminal);
        }
        ExportFormat::Sdv => Foreign::Sdv,
        ExportFormat::Dpsynth => Foreign::Dpsynth,
        ExportFormat::Smartnoise => Foreign::Smartnoise,
        ExportFormat::CsvwEo => Foreign::CsvwEo,
    };
    let spec = SchemaSpec::read(&arguments.schema)?;
    let exported = format.export(&spec).map_err(Problems::from)?;
    write_exported(&exported, arguments, terminal)?;
    if Schema::new(spec).is_err() {
        terminal.note("the schema is not complete; `scumble schema check` lists what is missing");
    }
    Ok(())
}

fn write_exported(exported: &Exported, arguments: &Export, terminal: &Terminal) -> Result<(), Failure> {
    write_description(&exported.text, &exported.losses, arguments.output.as_deref(), terminal)
}

/// Writes a description of a table, and lists the properties that it cannot hold.
pub(crate) fn write_description(
    text: &str,
    losses: &[Loss],
    output: Option<&Path>,
    terminal: &Terminal,
) -> Result<(), Failure> {
    if let Some(path) = output.filter(|path| !output::is_stdout(path)) {
        output::write(path, text.as_bytes(), terminal)?;
        terminal.result(
            || json!({ "output": path, "losses": losses }),
            || format!("wrote the schema to {}", path.display()),
        );
    } else {
        terminal.result(|| json!({ "schema": text, "losses": losses }), || text.trim_end().into());
    }
    for loss in losses {
        terminal.note(&loss.to_string());
    }
    Ok(())
}
