//! `scumble evaluate`

use std::path::Path;
use std::thread;

use scumble::schema::AttributeId;
use scumble::{Error, Fault, Input, ReadOptions, Schema};
use scumble_evaluate::evaluation::Depth;
use scumble_evaluate::nist::Earnings;
use scumble_evaluate::{Columns, EvaluateError, Evaluation, Settings, steward_page};
use serde::Serialize;

use crate::arguments::Evaluate;
use crate::command::private_evaluation;
use crate::failure::Failure;
use crate::output;
use crate::terminal::{Terminal, Unit, show_spinner};

/// The evaluation, and the path of its page.
#[derive(Serialize)]
struct Outcome<'a> {
    #[serde(flatten)]
    evaluation: &'a Evaluation,
    output: Option<&'a Path>,
}

pub(crate) fn run(arguments: &Evaluate, terminal: &Terminal) -> Result<(), Failure> {
    let reads = arguments.real.iter().chain(&arguments.synth).chain([&arguments.schema]);
    let private = &arguments.private_evaluation;
    let reads = reads.chain(&private.accept).chain(&private.workload).chain(&private.ledger);
    output::check(reads, &arguments.output, arguments.overwriting.force)?;
    if private.private {
        return private_evaluation::run(arguments, terminal);
    }
    let schema = arguments.text_files.schema(&arguments.schema)?;
    let settings = settings(arguments, &schema)?;
    let bar = terminal.progress("reading", 0, Unit::Bytes);
    show_spinner(&bar, "evaluating");
    let inputs = Inputs {
        real: arguments.text_files.inputs(&arguments.real, None)?,
        synthetic: arguments.text_files.inputs(&arguments.synth, None)?,
    };
    let evaluation = evaluate(&inputs, arguments, &schema, &settings);
    bar.finish_and_clear();
    let mut evaluation = evaluation.map_err(refused)?;
    if let Some(title) = &arguments.title {
        evaluation.title = Some(title.clone());
    }
    let output = arguments.output.as_deref();
    if let Some(path) = output {
        let page = steward_page(&evaluation);
        output::write(path, page.as_bytes(), terminal)?;
    }
    terminal.result(
        || Outcome { evaluation: &evaluation, output },
        || match output {
            Some(path) => format!("{evaluation}\n\nwrote the page to {}", output::shown(path)),
            None => evaluation.to_string(),
        },
    );
    Ok(())
}

/// Input files of the two tables.
struct Inputs {
    real: Vec<Input>,
    synthetic: Vec<Input>,
}

/// Reads both tables concurrently, each in the order of its files, and compares them.
fn evaluate(
    inputs: &Inputs,
    arguments: &Evaluate,
    schema: &Schema,
    settings: &Settings,
) -> Result<Evaluation, EvaluateError> {
    let options = ReadOptions { format: arguments.format.map(Into::into), ..ReadOptions::default() };
    let (real, synthetic) = thread::scope(|scope| {
        let real = scope.spawn(|| Columns::read(&inputs.real, schema, &options));
        let synthetic = Columns::read(&inputs.synthetic, &schema.of_synthetic_rows(), &options);
        (real.join().expect("the thread propagates its panic"), synthetic)
    });
    Evaluation::new(&real?, &synthetic?, schema, settings)
}

fn settings(arguments: &Evaluate, schema: &Schema) -> Result<Settings, Failure> {
    let columns = |names: &[String]| names.iter().map(|name| column(schema, name)).collect::<Result<Vec<_>, _>>();
    let usual = Settings::new(schema);
    Ok(Settings {
        orders: arguments.orders.clone(),
        count: arguments.count.get(),
        subgroups: if arguments.subgroup.is_empty() { usual.subgroups } else { columns(&arguments.subgroup)? },
        targets: if arguments.target.is_empty() { usual.targets } else { columns(&arguments.target)? },
        depth: if arguments.quick { Depth::Quick } else { Depth::Full },
        earnings: earnings(&columns(&arguments.earnings)?, schema)?,
        seed: arguments.seed,
        ..usual
    })
}

pub(super) fn column(schema: &Schema, name: &str) -> Result<AttributeId, Failure> {
    let unknown = || {
        let hint = "give a column of the schema; `scumble schema check` lists them";
        Failure::new(Fault::Usage, format!("there is no column `{name}` in the schema"), Some(hint.into()))
    };
    schema.find(name).ok_or_else(unknown)
}

/// Returns the settings of the earnings metric, if its three columns were given.
fn earnings(columns: &[AttributeId], schema: &Schema) -> Result<Option<Earnings>, Failure> {
    let &[income, sex, place] = columns else { return Ok(None) };
    let attribute = schema.attribute(income);
    // Shares of total income need amounts that are not negative.
    let incomes: Vec<Option<f64>> =
        (0..attribute.size()).map(|code| attribute.number(code).map(|number| number.max(0.0))).collect();
    if incomes.iter().flatten().all(|&income| income <= 0.0) {
        let problem = format!("`{}` has no amounts above zero, so it cannot be the income column", attribute.name());
        let hint = "give the column of amounts first: `--earnings INCOME SEX PLACE`";
        return Err(Failure::new(Fault::Usage, problem, Some(hint.into())));
    }
    Ok(Some(Earnings { income, incomes, sex, sexes: [0, 1], place }))
}

/// Converts an evaluation error into a failure.
pub(crate) fn refused(error: EvaluateError) -> Failure {
    let fault = match error {
        EvaluateError::Engine(error) => return Failure::from(Error::from(error)),
        EvaluateError::Config { .. } => Fault::Usage,
        EvaluateError::TooManyCells { .. } => Fault::TooLarge,
        _ => Fault::Data,
    };
    Failure::new(fault, error.to_string(), Some(error.hint()))
}
