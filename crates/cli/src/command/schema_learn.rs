//! `scumble schema learn`

use std::path::{Path, PathBuf};

use scumble::mechanisms::columns::LearnShare;
use scumble::report::{LearnedColumns, certified};
use scumble::{ApproxDp, Fit, LearnedSchema, Ledger, Method, ReadOptions};
use serde_json::json;

use crate::arguments::Learn;
use crate::command::columns::{TO_KNOW, partial};
use crate::command::fit::{commit, with_commands};
use crate::failure::Failure;
use crate::terminal::{Terminal, Unit, show_spinner};
use crate::{interrupt, output};

/// First lines of a learned schema.
const HEADER: &str = "# Learned from rows by `scumble schema learn`, and only as private as its certificate says: keep both together.\n\
                      # Categories are texts of the data that many rows share. Edit it from public knowledge only.\n";

pub(crate) fn run(arguments: &Learn, terminal: &Terminal) -> Result<(), Failure> {
    let path = &arguments.output;
    output::refuse_stdout(path, "a learned schema")?;
    let certificate_path = certificate_path(path);
    let reads = arguments.data.iter().chain(&arguments.schema).chain(&arguments.ledger);
    output::check(reads, [path, &certificate_path], arguments.overwriting.force)?;
    let terms = arguments.terms.table_terms();
    let partial = partial(arguments.schema.as_deref(), &arguments.data, &arguments.text_files, terms, terminal)?;
    let goal = ApproxDp { epsilon: arguments.epsilon, delta: arguments.delta };
    let inputs = arguments.text_files.inputs(&arguments.data, arguments.spill_dir.as_deref())?;
    let ledger = arguments.ledger.as_deref().map(Ledger::open).transpose()?;
    let bar = terminal.progress("reading", 0, Unit::Bytes);
    show_spinner(&bar, "reading");
    let options = ReadOptions {
        format: arguments.format.map(Into::into),
        memory_limit: arguments.memory_limit,
        spill_directory: arguments.spill_dir.clone(),
        remote: arguments.engine.remote()?,
        ..ReadOptions::default()
    };
    let reserved = Fit::undeclared(&partial, LearnShare::default(), goal)
        .method(Method::recommended(goal))
        .start(arguments.start())
        .command(terminal.command())
        .accept_weak_privacy(arguments.weak.accept_weak_privacy)
        .ledger(ledger.as_ref())
        .read_options(options)
        .reserve_learning(&inputs)
        .map_err(|error| with_commands(error, terminal))?;
    if let (Some(job), Some(path)) = (reserved.job(), &arguments.ledger) {
        interrupt::fit_began(job, path, format!("{} --resume", terminal.command()));
    }
    let learned = reserved.run();
    bar.finish_and_clear();
    let (LearnedSchema { schema, certificate }, job) = learned?;
    let yaml = format!("{HEADER}{}", schema.to_yaml());
    output::write(path, yaml.as_bytes(), terminal)?;
    let json = serde_json::to_string_pretty(&certificate).expect("certificates have text keys and finite numbers");
    output::write(&certificate_path, (json + "\n").as_bytes(), terminal)?;
    commit(job)?;
    let columns = LearnedColumns::new(&schema, &certificate);
    terminal.result(
        || json!({ "schema": path, "certificate": certificate_path, "columns": columns }),
        || {
            let columns = columns.as_ref().map(ToString::to_string).unwrap_or_default();
            let guarantee = certified(&schema.privacy().unit, &certificate);
            format!(
                "{columns}\n\nwrote the schema to {} and its certificate to {}\n{guarantee}",
                path.display(),
                certificate_path.display()
            )
        },
    );
    terminal.note(TO_KNOW);
    Ok(())
}

/// Returns the path of the certificate beside a schema.
fn certificate_path(schema: &Path) -> PathBuf {
    let name = schema.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = [".schema.yaml", ".schema.yml", ".yaml", ".yml"].iter().find_map(|end| name.strip_suffix(end));
    schema.with_file_name(format!("{}.certificate.json", stem.unwrap_or(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_certificate_is_beside_the_schema() {
        for (schema, certificate) in [
            ("a/people.schema.yaml", "a/people.certificate.json"),
            ("people.yaml", "people.certificate.json"),
            ("people", "people.certificate.json"),
        ] {
            assert_eq!(certificate_path(Path::new(schema)), Path::new(certificate));
        }
    }
}
