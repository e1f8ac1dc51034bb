//! `scumble plan`

use scumble::mechanisms::columns::{LearnForecast, forecast};
use scumble::mechanisms::forecast::Machine;
use scumble::report::FitPlan;
use scumble::schema::learn::PartialSchema;
use scumble::{ApproxDp, Fault, Schema};
use serde_json::json;

use crate::arguments;
use crate::command::columns::{self, partial};
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &arguments::Plan, terminal: &Terminal) -> Result<(), Failure> {
    let reads = arguments.schema.iter().chain(&arguments.data).chain(&arguments.method_options.workload);
    output::check(reads, &arguments.svg, arguments.overwriting.force)?;
    let data: Vec<_> = arguments.data.iter().cloned().collect();
    let terms = arguments.terms.table_terms();
    let partial = partial(arguments.schema.as_deref(), &data, &arguments.text_files, terms)?;
    if !partial.missing().is_empty() {
        return learning(arguments, &partial, terminal);
    }
    let schema = Schema::new(partial.into_spec())?;
    let (methods, rows) = (arguments.methods()?, arguments.rows_hint);
    let plan = FitPlan::new(&schema, &methods, &arguments.goals(), rows)?.on(Machine::this());
    if let Some(path) = &arguments.svg {
        let picture = FitPlan::new(&schema, &methods, &arguments.drawn_goals(), rows)?.picture();
        output::write(path, picture.as_bytes(), terminal)?;
    }
    terminal.result(|| &plan, || plan.to_string());
    Ok(())
}

/// Plans a fit that learns columns first. What it measures then depends on them.
fn learning(arguments: &arguments::Plan, partial: &PartialSchema, terminal: &Terminal) -> Result<(), Failure> {
    if arguments.svg.is_some() {
        let hint = "declare all columns, or learn them first with `scumble schema learn`";
        let problem = "expected errors cannot be drawn before the columns are known";
        return Err(Failure::new(Fault::Usage, problem, Some(hint.into())));
    }
    let mut planned: Vec<(String, ApproxDp, LearnForecast)> = Vec::new();
    for method in arguments.methods()? {
        for goal in arguments.goals() {
            planned.push((method.to_string(), goal, forecast(partial, &method, Some(arguments.learn_share), goal)?));
        }
    }
    let rows = arguments.rows_hint;
    terminal.result(
        || {
            let planned = planned.iter().map(|(method, goal, learning)| {
                json!({ "method": method, "epsilon": goal.epsilon, "delta": goal.delta, "learning": learning })
            });
            json!({ "rows": rows, "learn_share": f64::from(arguments.learn_share.thousandths()) / 1_000.0, "plans": planned.collect::<Vec<_>>() })
        },
        || {
            let planned = planned.iter().map(|(method, goal, learning)| {
                let budget = format!("{method}, epsilon {}, delta {}", goal.epsilon, goal.delta);
                format!("{budget}:\n  {}", columns::forecast(*learning, Some(rows)))
            });
            planned.collect::<Vec<_>>().join("\n")
        },
    );
    Ok(())
}
