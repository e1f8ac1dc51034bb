//! Error against theta, which says how many times its noise a cell must hold: the 2014 paper's
//! figure 3.

use std::fmt::Write as _;

use scumble::Sampling;
use scumble::mechanisms::Method;
use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};
use scumble::schema::AdjacencyKind;

use super::AS_OF_2014;
use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::{Benchmark, Run};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::grid::all;
use scumble_benchmarks::journal::{self, Journal, Row};
use scumble_benchmarks::request::Request;

const HEADER: [&str; 7] = ["table", "variant", "order", "theta", "epsilon", "run", "mean_tvd"];
/// All but the run.
const POINT: usize = 5;
const ERROR: usize = 6;
/// The orders of marginals that the paper looks at on its two tables.
const TABLES: [(&str, usize); 2] = [("nltcs", 3), ("adult", 2)];
const VARIANTS: [(&str, &[&str]); 2] = [("as of 2014", &AS_OF_2014), ("by default", &[])];
const THETAS: [f64; 7] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
const EPSILONS: [f64; 4] = [0.05, 0.2, 0.8, 1.6];
const RUNS: usize = 5;
/// What the paper settles on, which is our default, and the range that it finds appropriate.
const SETTLED: f64 = 4.0;
const APPROPRIATE: std::ops::RangeInclusive<f64> = 2.0..=16.0;
/// How much larger than that of the best theta its error may be.
const NEAR_THE_BEST: f64 = 2.0;

/// A panel of the chart.
#[derive(Clone, Copy)]
struct Setting {
    table: &'static str,
    order: usize,
    variant: &'static str,
    options: &'static [&'static str],
}

impl Setting {
    /// All of the tables that were asked for.
    fn asked(request: &Request) -> Vec<Self> {
        let tables = request.tables(&TABLES.map(|(table, _)| table));
        let mut settings = Vec::new();
        for (table, order) in TABLES.into_iter().filter(|(table, _)| tables.contains(table)) {
            settings.extend(VARIANTS.map(|(variant, options)| Self { table, order, variant, options }));
        }
        settings
    }

    fn point(self, theta: f64, epsilon: f64) -> Row {
        let numbers = [self.order.to_string(), theta.to_string(), epsilon.to_string()];
        [self.table.into(), self.variant.into()].into_iter().chain(numbers).collect()
    }

    fn fit(self, theta: f64, epsilon: f64) -> Result<Run> {
        let theta = format!("theta={theta}");
        let options = self.options.iter().copied().chain([theta.as_str()]);
        Ok(Run { method: Method::named("privbayes")?.with_options(options)?, epsilon, delta: 0.0 })
    }
}

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let journal = Journal::open(request.output.join("privbayes-theta.csv"), &HEADER, POINT)?;
    let (settings, epsilons) = (Setting::asked(request), request.epsilons(&EPSILONS));
    for &setting in &settings {
        measure(&journal, setting, &epsilons, request)?;
    }
    let errors = Errors { rows: journal.rows()?, settings, epsilons };
    print!("{}", errors.markdown()?);
    errors.report(figures)?;
    Ok(std::fs::write(request.output.join("privbayes-theta.svg"), errors.chart()?.to_svg())?)
}

fn measure(journal: &Journal, setting: Setting, epsilons: &[f64], request: &Request) -> Result<()> {
    let mut tasks = Vec::new();
    for theta in THETAS {
        for &epsilon in epsilons {
            tasks.extend((0..request.runs(RUNS)).map(|run| (theta, epsilon, run)));
        }
    }
    let key = |&(theta, epsilon, run): &(f64, f64, usize)| -> Row {
        setting.point(theta, epsilon).into_iter().chain([run.to_string()]).collect()
    };
    let keys: Vec<Row> = tasks.iter().map(key).collect();
    let pending = journal.pending(&keys, request.mode)?;
    if pending.is_empty() {
        return Ok(());
    }
    let benchmark = Benchmark::read(&request.data, setting.table, AdjacencyKind::AddRemove)?;
    let sets = benchmark.sets(&[setting.order])?;
    all(pending.len(), request.jobs, |place| {
        let (theta, epsilon, run) = tasks[pending[place]];
        let model = benchmark.fit(&setting.fit(theta, epsilon)?)?;
        let synthetic = benchmark.synthesise(&model, run as u64, Sampling::LowVariance)?;
        let error = benchmark.distances(&synthetic, &sets)?[0];
        let mut row = keys[pending[place]].clone();
        row.push(format!("{error:.6}"));
        println!("{}", row.join(" "));
        journal.append(row)
    })?;
    Ok(())
}

/// The lines of the file, and those that were asked for.
struct Errors {
    rows: Vec<Row>,
    settings: Vec<Setting>,
    epsilons: Vec<f64>,
}

impl Errors {
    /// Mean and spread at a point, if there were runs.
    fn mean(&self, setting: Setting, theta: f64, epsilon: f64) -> Result<Option<(f64, f64)>> {
        journal::mean(&self.rows, &setting.point(theta, epsilon), ERROR)
    }

    /// What the documentation shows.
    fn markdown(&self) -> Result<String> {
        let header = THETAS.map(|theta| theta.to_string()).join(" | ");
        let mut text = format!("\n| theta | {header} |\n|---|{}\n", "---|".repeat(THETAS.len()));
        for &setting in &self.settings {
            let Setting { table, order, variant, .. } = setting;
            for &epsilon in &self.epsilons {
                write!(text, "| {table}, {order}-way, {variant}, epsilon {epsilon} |")?;
                for theta in THETAS {
                    match self.mean(setting, theta, epsilon)? {
                        Some((mean, _)) => write!(text, " {mean:.4} |")?,
                        None => write!(text, " – |")?,
                    }
                }
                writeln!(text)?;
            }
        }
        Ok(text)
    }

    /// Where the best theta is, and how far the paper's is from it.
    fn report(&self, figures: &mut Figures) -> Result<()> {
        let (mut lines, mut elsewhere, mut worst) = (0_u32, 0_u32, (0.0_f64, String::new()));
        for &setting in &self.settings {
            for &epsilon in &self.epsilons {
                let mut least: Option<(f64, f64)> = None;
                for theta in THETAS {
                    let mean = self.mean(setting, theta, epsilon)?;
                    least = mean.map(|(mean, _)| (mean, theta)).into_iter().chain(least).reduce(lesser);
                }
                let (Some((least, theta)), Some((settled, _))) = (least, self.mean(setting, SETTLED, epsilon)?) else {
                    continue;
                };
                lines += 1;
                elsewhere += u32::from(!APPROPRIATE.contains(&theta));
                if settled / least > worst.0 {
                    let Setting { table, variant, .. } = setting;
                    worst = (settled / least, format!("{table} {variant}, epsilon {epsilon}"));
                }
            }
        }
        figures.shown("theta: least error outside of 2 to 16", elsewhere.into(), &format!("of {lines} lines"));
        let name = format!("theta: error at {SETTLED} over the least, at its worst: {}", worst.1);
        figures.at_most(&name, (worst.0 * 1e4).round() / 1e4, "ratio", NEAR_THE_BEST);
        Ok(())
    }

    fn chart(&self) -> Result<Chart> {
        let mut panels = Vec::new();
        for &setting in &self.settings {
            let mut lines = Vec::new();
            for &epsilon in &self.epsilons {
                let mut points = Vec::new();
                for theta in THETAS {
                    points.extend(self.mean(setting, theta, epsilon)?.map(|(mean, _)| (theta, mean)));
                }
                lines.push(Line { name: format!("epsilon {epsilon}"), points });
            }
            panels.push(Panel {
                title: format!("{}, {}-way, {}", setting.table, setting.order, setting.variant),
                x: Axis { label: "theta".into(), scale: Scale::Doubling },
                y: Axis { label: "mean TVD".into(), scale: Scale::Logarithmic },
                lines,
            });
        }
        Ok(Chart {
            title: "Error of marginals against theta".into(),
            description:
                "Mean total variation distance of 3-way marginals of nltcs and of 2-way marginals of adult against \
                          theta, for several epsilons, with PrivBayes as of 2014 and by default."
                    .into(),
            panels,
            columns: VARIANTS.len(),
        })
    }
}

/// The one with the lesser error.
fn lesser(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    if one.0 < other.0 { one } else { other }
}
