//! Error against the method's three parameters, one changed at a time: the paper's figures 1 to 3.

use std::fmt::Write as _;

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use super::RUNS;
use super::profile::Profile;
use super::svm::{MISCLASSIFIED, RATE, mean_of_columns};
use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::Run;
use scumble_benchmarks::classifiers::{self, FOLDS, RateFile, Rates, Training};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::journal::{self, Row};
use scumble_benchmarks::marginal_errors::ratios::rounded;
use scumble_benchmarks::marginal_errors::{self, ErrorFile};
use scumble_benchmarks::reference::DELTA;
use scumble_benchmarks::request::Request;

/// A parameter of the paper.
struct Parameter {
    /// The option that has it.
    option: &'static str,
    in_the_paper: &'static str,
    /// From the least to the largest.
    values: [&'static str; 5],
    scale: Scale,
}

/// The values that the paper names, and others around them.
const PARAMETERS: [Parameter; 3] = [
    Parameter { option: "theta", in_the_paper: "theta", values: ["1.5", "3", "6", "12", "24"], scale: Scale::Doubling },
    Parameter {
        option: "refinement",
        in_the_paper: "t/d",
        values: ["0.4", "0.6", "0.8", "1", "1.2"],
        scale: Scale::Linear,
    },
    Parameter {
        option: "candidates",
        in_the_paper: "k",
        values: ["100", "200", "400", "800", "1600"],
        scale: Scale::Doubling,
    },
];
/// What the paper settles on, which is our default.
const SETTLED: Setting = ["6", "0.8", "400"];
/// The only table that the paper tunes on.
const TABLE: &str = "nltcs";
const EPSILONS: [f64; 3] = [0.1, 0.8, 3.2];
const ORDERS: [usize; 1] = [5];
/// What the paper settles on is balanced if no other value has an error that is much less at any
/// epsilon.
const BALANCED: f64 = 1.5;

/// Values of all three parameters.
type Setting = [&'static str; 3];

/// All settings: that of the paper, and those that differ from it in one parameter.
fn settings() -> Vec<Setting> {
    let others = (0..PARAMETERS.len()).flat_map(|parameter| of(parameter).filter(|setting| *setting != SETTLED));
    std::iter::once(SETTLED).chain(others).collect()
}

/// The settings that differ in a parameter at most, in the order of its values.
fn of(parameter: usize) -> impl Iterator<Item = Setting> {
    PARAMETERS[parameter].values.iter().map(move |value| {
        let mut setting = SETTLED;
        setting[parameter] = value;
        setting
    })
}

/// The method with these values.
fn run_of(setting: Setting, epsilon: f64) -> Result<Run> {
    let options: Vec<String> =
        PARAMETERS.iter().zip(setting).map(|(parameter, value)| format!("{}={value}", parameter.option)).collect();
    let method = Profile::Paper.method(&options.iter().map(String::as_str).collect::<Vec<_>>())?;
    Ok(Run { method, epsilon, delta: DELTA })
}

fn point(setting: Setting, epsilon: f64) -> Row {
    setting.map(Into::into).into_iter().chain([epsilon.to_string(), DELTA.to_string()]).collect()
}

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let names = PARAMETERS.map(|parameter| parameter.option);
    let errors = ErrorFile::open(request.output.join("privmrf-parameters.csv"), &names, &ORDERS, false)?;
    let before_fold = [&names[..], &["epsilon", "delta"]].concat();
    let path = request.output.join("privmrf-parameters-svm.csv");
    let rates = RateFile::open(path, &before_fold, names.len() + 1, &[MISCLASSIFIED])?;
    let (epsilons, runs) = (request.epsilons(&EPSILONS), request.runs(RUNS));
    let (mut fits, mut lessons) = (Vec::new(), Vec::new());
    // Run by run, so that what is cut off has every point.
    for run in 0..runs {
        for setting in settings() {
            for &epsilon in &epsilons {
                let fit = run_of(setting, epsilon)?;
                fits.push(marginal_errors::Task::new(&setting, fit.method.clone(), epsilon, run));
                if run < FOLDS {
                    let (point, training) = (point(setting, epsilon), Training::Synthetic(fit));
                    lessons.push(classifiers::Task { point, training, fold: run });
                }
            }
        }
    }
    for table in request.tables(&[TABLE]) {
        errors.measure(table, &fits, request)?;
        rates.measure(table, &lessons, request, mean_of_columns)?;
    }
    let measured = Measured { errors: errors.rows()?, rates: rates.rates()? };
    print!("{}", measured.markdown(&epsilons)?);
    measured.report(&epsilons, figures)?;
    Ok(std::fs::write(request.output.join("privmrf-parameters.svg"), measured.chart(&epsilons)?.to_svg())?)
}

/// What is in both files.
struct Measured {
    errors: Vec<Row>,
    rates: Rates,
}

/// What is measured of a setting.
#[derive(Clone, Copy)]
enum Measure {
    Distance,
    Misclassified,
}

const MEASURES: [(Measure, &str); 2] = [(Measure::Distance, "5-way TVD"), (Measure::Misclassified, "misclassified")];

impl Measured {
    /// Mean and spread at a point, if there were runs.
    fn mean(&self, measure: Measure, setting: Setting, epsilon: f64) -> Result<Option<(f64, f64)>> {
        let point = point(setting, epsilon);
        match measure {
            Measure::Misclassified => self.rates.mean(&point, RATE),
            // The run comes before the error.
            Measure::Distance => journal::mean(&self.errors, &point, point.len() + 1),
        }
    }

    /// What the documentation shows.
    fn markdown(&self, epsilons: &[f64]) -> Result<String> {
        let names: Vec<String> = MEASURES
            .iter()
            .flat_map(|(_, name)| epsilons.iter().map(move |epsilon| format!("{name}, epsilon {epsilon}")))
            .collect();
        let mut text = format!("\n| {TABLE} | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
        for (place, Parameter { option, in_the_paper, values, .. }) in PARAMETERS.iter().enumerate() {
            for (setting, value) in of(place).zip(values) {
                write!(text, "| {in_the_paper} = {value} (`{option}={value}`) |")?;
                for (measure, _) in MEASURES {
                    for &epsilon in epsilons {
                        match self.mean(measure, setting, epsilon)? {
                            Some((mean, spread)) => write!(text, " {mean:.4} ± {spread:.4} |")?,
                            None => write!(text, " – |")?,
                        }
                    }
                }
                writeln!(text)?;
            }
        }
        Ok(text)
    }

    /// How far what the paper settles on is from the best value, at the epsilon where that is
    /// worst.
    fn report(&self, epsilons: &[f64], figures: &mut Figures) -> Result<()> {
        for (place, Parameter { in_the_paper, .. }) in PARAMETERS.iter().enumerate() {
            for (measure, name) in MEASURES {
                let mut worst: Option<(f64, f64)> = None;
                for &epsilon in epsilons {
                    let Some((settled, _)) = self.mean(measure, SETTLED, epsilon)? else { continue };
                    let mut least = settled;
                    for setting in of(place) {
                        least = self.mean(measure, setting, epsilon)?.map_or(least, |(mean, _)| least.min(mean));
                    }
                    if worst.is_none_or(|(ratio, _)| settled / least > ratio) {
                        worst = Some((settled / least, epsilon));
                    }
                }
                let Some((ratio, epsilon)) = worst else { continue };
                let what =
                    format!("{in_the_paper} as in the paper against the best, {name}, worst at epsilon {epsilon}");
                figures.at_most(&what, rounded(ratio), "ratio", BALANCED);
            }
        }
        Ok(())
    }

    /// A row of panels for every parameter, a column for every measure.
    fn chart(&self, epsilons: &[f64]) -> Result<Chart> {
        let mut panels = Vec::new();
        for (place, Parameter { in_the_paper, values, scale, .. }) in PARAMETERS.iter().enumerate() {
            for (measure, name) in MEASURES {
                let mut lines = Vec::new();
                for &epsilon in epsilons {
                    let mut points = Vec::new();
                    for (setting, value) in of(place).zip(values) {
                        if let Some((mean, _)) = self.mean(measure, setting, epsilon)? {
                            points.push((value.parse()?, mean));
                        }
                    }
                    lines.push(Line { name: format!("epsilon {epsilon}"), points });
                }
                panels.push(Panel {
                    title: format!("{TABLE}, {name}"),
                    x: Axis { label: (*in_the_paper).into(), scale: *scale },
                    y: Axis { label: name.into(), scale: Scale::Logarithmic },
                    lines,
                });
            }
        }
        Ok(Chart {
            title: "Error against the parameters of PrivMRF".into(),
            description: "Mean total variation distance of 5-way marginals of nltcs, and misclassification rate of support \
                          vector machines, against theta, the number of tables that are added per column, and the number of \
                          candidates, for the profile paper of privmrf."
                .into(),
            panels,
            columns: MEASURES.len(),
        })
    }
}
