//! `scumble audit`

use std::env;
use std::path::{Path, PathBuf};

use scumble::engine::TableScan;
use scumble::{Error, Fault, Input, Method, Model, ReadOptions, Schema};
use scumble_audit::release::{self, Claim, CodedTable};
use scumble_audit::white_box::{self, Pair, shared};
use scumble_audit::{AuditError, black_box, method_page, program_page, release_page};
use scumble_evaluate::Columns;
use serde::Serialize;

use crate::arguments::{AuditMethod, AuditProgram, AuditRelease, AuditTerms, AuditVerb};
use crate::command::evaluate;
use crate::failure::Failure;
use crate::terminal::{Terminal, Unit, show_spinner};
use crate::{interrupt, output};

pub(crate) fn run(verb: &AuditVerb, terminal: &Terminal) -> Result<(), Failure> {
    match verb {
        AuditVerb::Method(arguments) => method(arguments, terminal),
        AuditVerb::Program(arguments) => program(arguments, terminal),
        AuditVerb::Release(arguments) => release(arguments, terminal),
    }
}

fn method(arguments: &AuditMethod, terminal: &Terminal) -> Result<(), Failure> {
    let reads = arguments.data.iter().chain(&arguments.schema).chain(&arguments.plant);
    let reads = reads.chain(&arguments.method_options.workload).chain(&arguments.terms.journal);
    output::check(reads, &arguments.terms.output, arguments.terms.overwriting.force)?;
    let method = arguments.method()?;
    let pairs = pairs(arguments, &method)?;
    let (goal, runs) = (arguments.terms.goal(), arguments.runs.get());
    terminal.note(&black_box::Prospect::new(goal, runs).to_string());
    let settings = white_box::Settings { method, goal, runs, journal: arguments.terms.journal.clone() };
    let audit = with_progress(&arguments.terms, terminal, |progress| white_box::audit(&settings, &pairs, progress))?;
    finish(arguments.terms.output.as_deref(), terminal, &audit, || method_page(&audit))?;
    judge(audit.holds(), MORE_RUNS)
}

/// Returns the pairs of tables: made up, or the steward's own table with planted rows.
fn pairs(arguments: &AuditMethod, method: &Method) -> Result<Vec<Pair>, Failure> {
    let Some(schema) = &arguments.schema else {
        return white_box::made_up_pairs(method, arguments.terms.goal()).map_err(refused);
    };
    let schema = arguments.text_files.schema(schema)?;
    let Some(planted) = &arguments.plant else {
        return Ok(vec![Pair::of_schema(schema).map_err(refused)?]);
    };
    let options = ReadOptions { format: arguments.format.map(Into::into), ..ReadOptions::default() };
    let planted = arguments.text_files.inputs(std::slice::from_ref(planted), None)?;
    let planted = Columns::read(&planted, &schema, &options).map_err(evaluate::refused)?;
    let row = |row: usize| schema.domain().attributes().map(|column| planted.codes(column).get(row)).collect();
    let planted = (0..planted.rows() as usize).map(row).collect();
    let inputs = arguments.text_files.inputs(&arguments.data, None)?;
    let table = TableScan::open(&inputs, &schema, &options)?.code()?;
    Ok(vec![Pair::with_planted(schema, shared(table), planted).map_err(refused)?])
}

fn program(arguments: &AuditProgram, terminal: &Terminal) -> Result<(), Failure> {
    let reads = arguments.program.iter().chain(&arguments.terms.journal);
    output::check(reads, &arguments.terms.output, arguments.terms.overwriting.force)?;
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => env::current_exe().map_err(|_| {
            let hint = "name the program with `--program`";
            Failure::new(Fault::Engine, "cannot find the running program", Some(hint.into()))
        })?,
    };
    let (goal, runs) = (arguments.terms.goal(), arguments.runs.get());
    terminal.note(&black_box::Prospect::new(goal, runs).to_string());
    let settings = black_box::Settings {
        program: vec![program.into()],
        method: arguments.method(),
        options: arguments.options.clone(),
        goal,
        runs,
        journal: arguments.terms.journal.clone(),
    };
    let audit = with_progress(&arguments.terms, terminal, |progress| black_box::audit(&settings, progress))?;
    finish(arguments.terms.output.as_deref(), terminal, &audit, || program_page(&audit))?;
    judge(audit.holds, MORE_RUNS)
}

fn release(arguments: &AuditRelease, terminal: &Terminal) -> Result<(), Failure> {
    let reads = arguments.synth.iter().chain(&arguments.members).chain(&arguments.control);
    let reads = reads.chain([&arguments.schema]).chain(&arguments.model);
    output::check(reads, &arguments.output, arguments.overwriting.force)?;
    let schema = arguments.text_files.schema(&arguments.schema)?;
    let model = arguments.model.as_deref().map(Model::read).transpose()?;
    if model.as_ref().is_some_and(|model| model.schema() != &schema) {
        let hint = "give the schema that the model was fitted with";
        return Err(Failure::new(Fault::Usage, "the model has another schema", Some(hint.into())));
    }
    let secrets = arguments.secret.iter().map(|name| evaluate::column(&schema, name)).collect::<Result<_, _>>()?;
    let options = ReadOptions { format: arguments.format.map(Into::into), ..ReadOptions::default() };
    let bar = terminal.progress("reading", 0, Unit::Bytes);
    show_spinner(&bar, "reading");
    let real = |files: &[PathBuf]| coded(&arguments.text_files.inputs(files, None)?, &schema, &options);
    let (members, control) = (real(&arguments.members)?, real(&arguments.control)?);
    let synth = arguments.text_files.inputs(&arguments.synth, None)?;
    let synthetic = coded(&synth, &schema.of_synthetic_rows(), &options)?;
    bar.finish_and_clear();
    // Which rows are members was decided for all rows together, so a member that takes the place of
    // a held-out row is two changes.
    let certificate = model.as_ref().and_then(Model::certificate);
    let claim = certificate.map(|certificate| Claim::of_certificate(certificate).of_a_swap()).transpose();
    let claim = claim.map_err(|error| refused(error.into()))?;
    let names: Vec<String> = schema.attributes().iter().map(|column| column.name().to_owned()).collect();
    let inputs = release::Inputs {
        members: &members,
        control: &control,
        synthetic: &synthetic,
        model: model.as_ref(),
        names: &names,
    };
    let settings = release::Settings { targets: arguments.targets, secrets, claim, seed: arguments.seed };
    let bar = terminal.progress("attacking", 0, Unit::Steps);
    let audit = release::audit(&inputs, &settings, &|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let audit = audit.map_err(|error| refused(error.into()))?;
    finish(arguments.output.as_deref(), terminal, &audit, || release_page(&audit))?;
    judge(!audit.exceeds_claim(), SAME_POPULATION)
}

/// Reads the codes of a table.
fn coded(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<CodedTable, Failure> {
    let columns = Columns::read(inputs, schema, options).map_err(evaluate::refused)?;
    let codes = schema.domain().attributes().map(|column| columns.codes(column).iter().collect()).collect();
    CodedTable::new(schema.domain().clone(), codes).map_err(|error| refused(error.into()))
}

/// Runs an audit under a progress bar.
fn with_progress<T>(
    terms: &AuditTerms,
    terminal: &Terminal,
    audit: impl FnOnce(&dyn Fn(u64, u64)) -> Result<T, AuditError>,
) -> Result<T, Failure> {
    let bar = terminal.progress("auditing", 0, Unit::Runs);
    let progress = |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    };
    if let Some(journal) = &terms.journal {
        interrupt::audit_began(journal, terminal.command());
    }
    let audited = audit(&progress);
    bar.finish_and_clear();
    audited.map_err(refused)
}

/// Writes the page, and prints the result.
fn finish<A: Serialize + ToString>(
    path: Option<&Path>,
    terminal: &Terminal,
    audit: &A,
    page: impl FnOnce() -> String,
) -> Result<(), Failure> {
    if let Some(path) = path {
        output::write(path, page().as_bytes(), terminal)?;
    }
    terminal.result(
        || audit,
        || match path {
            Some(path) => format!("{}\n\nwrote the page to {}", audit.to_string(), output::shown(path)),
            None => audit.to_string(),
        },
    );
    Ok(())
}

/// What to do if an attack on made-up or planted rows proves more than is claimed.
const MORE_RUNS: &str = "run the audit again with more runs; if it fails again, do not publish, and report it";
/// What to do if an attack on a release does.
const SAME_POPULATION: &str = "check that members and held-out rows were divided at random before the fit; if they were, do not publish, and report it";

/// Fails if an attack has proved more than is claimed.
fn judge(holds: bool, hint: &str) -> Result<(), Failure> {
    if holds {
        return Ok(());
    }
    Err(Failure::new(Fault::Data, "an attack proves more than is claimed", Some(hint.into())))
}

fn refused(error: AuditError) -> Failure {
    let fault = match error {
        AuditError::Mechanism(error) => return Failure::from(Error::from(error)),
        AuditError::Vault(error) => return Failure::from(Error::from(error)),
        AuditError::NotAddRemove => Fault::Usage,
        AuditError::File { .. } | AuditError::Program { .. } => Fault::Engine,
        _ => Fault::Data,
    };
    Failure::new(fault, error.to_string(), Some(error.hint().into()))
}
