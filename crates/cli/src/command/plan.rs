//! `scumble plan`

use std::fmt;

use scumble::mechanisms::columns::{LearnForecast, forecast};
use scumble::mechanisms::forecast::Machine;
use scumble::report::FitPlan;
use scumble::schema::learn::PartialSchema;
use scumble::{AccountingKind, ApproxDp, Delta, Fault, Method, Schema};
use serde::Serialize;
use serde_json::json;

use crate::arguments;
use crate::command::checks::{self, ChecksForecast};
use crate::command::columns::{self, partial};
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &arguments::Plan, terminal: &Terminal) -> Result<(), Failure> {
    let reads = arguments.schema.iter().chain(&arguments.data).chain(&arguments.method_options.workload);
    let reads = reads.chain(&arguments.checks.accept);
    output::check(reads, &arguments.svg, arguments.overwriting.force)?;
    let data: Vec<_> = arguments.data.iter().cloned().collect();
    let terms = arguments.terms.table_terms();
    let partial = partial(arguments.schema.as_deref(), &data, &arguments.text_files, terms, terminal)?;
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
    let checks = planned_checks(arguments, &methods, &schema)?;
    terminal.result(
        || Planned { plan: &plan, checks: &checks },
        || {
            let checks = checks.iter().map(|check| format!("{check}\n"));
            format!("{}{plan}", checks.collect::<String>())
        },
    );
    for check in &checks {
        check.forecast.undecidable.iter().for_each(|criterion| terminal.warn(&format!("{}: {criterion}", check.of())));
    }
    Ok(())
}

/// A plan, with the checks of its fits if there are some.
#[derive(Serialize)]
struct Planned<'a> {
    #[serde(flatten)]
    plan: &'a FitPlan,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    checks: &'a [PlannedCheck],
}

/// The check of a fit that is planned.
#[derive(Serialize)]
struct PlannedCheck {
    method: String,
    epsilon: f64,
    #[serde(flatten)]
    forecast: ChecksForecast,
}

impl PlannedCheck {
    fn of(&self) -> String {
        format!("{}, epsilon {}", self.method, self.epsilon)
    }
}

impl fmt::Display for PlannedCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.of(), self.forecast)
    }
}

/// Predicts how exact the checks of each fit will be.
fn planned_checks(
    arguments: &arguments::Plan,
    methods: &[Method],
    schema: &Schema,
) -> Result<Vec<PlannedCheck>, Failure> {
    let mut planned = Vec::new();
    for method in methods {
        for goal in arguments.goals() {
            // The table of the plan says why a method does not reach a goal.
            if goal.delta == Delta::ZERO && method.accounting(goal) != AccountingKind::Pure {
                continue;
            }
            let forecast = checks::forecast(&arguments.checks, schema, method, goal, Some(arguments.rows_hint.get()))?;
            let of = |forecast| PlannedCheck { method: method.to_string(), epsilon: goal.epsilon.get(), forecast };
            planned.extend(forecast.map(of));
        }
    }
    Ok(planned)
}

/// Plans a fit that learns columns first. What it measures then depends on them.
fn learning(arguments: &arguments::Plan, partial: &PartialSchema, terminal: &Terminal) -> Result<(), Failure> {
    if arguments.checks.is_asked() {
        let hint = "declare all columns, or learn them first with `scumble schema learn`";
        let problem = "checks cannot be planned before the columns are known";
        return Err(Failure::new(Fault::Usage, problem, Some(hint.into())));
    }
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
