//! Errors of all marginals against epsilon, in the layout of the 2014 paper's figure 4.

use std::fmt::Write as _;

use scumble::Sampling;
use scumble::mechanisms::Method;
use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};
use scumble::schema::AdjacencyKind;

use super::RUNS;
use scumble_benchmarks::benchmark::{Benchmark, Run};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::grid::{all, mean_and_spread};
use scumble_benchmarks::request::Request;
use scumble_benchmarks::{Failure, Result};

const TABLES: [&str; 4] = ["nltcs", "acs", "adult", "br2000"];
const EPSILONS: [f64; 6] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2];
const DELTA: f64 = 1e-5;
/// From here on a method must beat independent columns.
const ENOUGH: f64 = 0.4;
const ORDERS: [usize; 4] = [2, 3, 4, 5];
/// The position of order 3 among them.
const THREE: usize = 1;
/// dpmm's PrivBayes with graphical-model fitting on adult at epsilon 0.8 and delta 1e-5, measured
/// by the same judge.
const PEER_ON_ADULT: f64 = 0.100;
const PEER_EPSILON: f64 = 0.8;
/// Our distances and the judge's are the same numbers.
const SAME: f64 = 1e-12;

/// A method as a line of the chart.
struct Contender {
    label: &'static str,
    method: &'static str,
    delta: f64,
}

const CONTENDERS: [Contender; 6] = [
    Contender { label: "independent, pure", method: "independent", delta: 0.0 },
    Contender { label: "privbayes, pure", method: "privbayes", delta: 0.0 },
    Contender { label: "pb-pgm, pure", method: "pb-pgm", delta: 0.0 },
    Contender { label: "independent", method: "independent", delta: DELTA },
    Contender { label: "privbayes-nist", method: "privbayes-nist", delta: DELTA },
    Contender { label: "pb-pgm", method: "pb-pgm", delta: DELTA },
];
const INDEPENDENT_PURE: usize = 0;
const PRIVBAYES: usize = 1;
const PB_PGM_PURE: usize = 2;
const INDEPENDENT: usize = 3;
const NIST: usize = 4;
const PB_PGM: usize = 5;

/// Mean and standard deviation for every contender, epsilon and order.
type Errors = Vec<Vec<Vec<(f64, f64)>>>;

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let mut csv = String::from("table,method,epsilon,delta,order,mean_tvd,standard_deviation,runs\n");
    let (mut panels, mut counts, mut furthest) = (Vec::new(), Counts::default(), 0.0_f64);
    let (epsilons, runs) = (request.epsilons(&EPSILONS), request.runs(RUNS));
    for name in request.tables(&TABLES) {
        let benchmark = Benchmark::read(&request.data, name, AdjacencyKind::AddRemove)?;
        let (errors, difference) = errors(&benchmark, &epsilons, runs, request.jobs)?;
        furthest = furthest.max(difference);
        for (contender, errors) in CONTENDERS.iter().zip(&errors) {
            for (epsilon, errors) in epsilons.iter().zip(errors) {
                for (order, (mean, spread)) in ORDERS.iter().zip(errors) {
                    let Contender { method, delta, .. } = contender;
                    writeln!(csv, "{name},{method},{epsilon},{delta},{order},{mean:.6},{spread:.6},{runs}")?;
                }
            }
        }
        counts.add(name, &epsilons, &errors);
        panels.extend(ORDERS.iter().enumerate().map(|(place, order)| panel(name, *order, place, &epsilons, &errors)));
    }
    std::fs::write(request.output.join("privbayes-utility.csv"), csv)?;
    let chart = Chart {
        title: "Error of marginals against epsilon".into(),
        description: format!(
            "Mean total variation distance of 2- to 5-way marginals of four public tables, for {runs} runs per point: it falls \
             as epsilon grows, least for independent columns."
        ),
        panels,
        columns: ORDERS.len(),
    };
    std::fs::write(request.output.join("privbayes-utility.svg"), chart.to_svg())?;
    counts.report(figures);
    figures.at_most("largest difference between our distances and the judge's", furthest, "TVD", SAME);
    Ok(())
}

/// The errors on one table, and how far our distances are from the judge's at most.
fn errors(benchmark: &Benchmark, epsilons: &[f64], runs: usize, jobs: usize) -> Result<(Errors, f64), Failure> {
    let sets = benchmark.sets(&ORDERS)?;
    let points = CONTENDERS.len() * epsilons.len();
    let results = all(points * runs, jobs, |task| {
        let (point, run) = (task / runs, task % runs);
        let contender = &CONTENDERS[point / epsilons.len()];
        let method = Method::named(contender.method)?;
        let (epsilon, delta, sampling) = (epsilons[point % epsilons.len()], contender.delta, Sampling::LowVariance);
        let model = benchmark.fit(&Run { method, epsilon, delta })?;
        let synthetic = benchmark.synthesise(&model, run as u64, sampling)?;
        let distances = benchmark.distances(&synthetic, &sets)?;
        let mut difference = 0.0_f64;
        if run == 0 {
            for (ours, judges) in distances.iter().zip(benchmark.judged(&synthetic, &ORDERS)?) {
                difference = difference.max((ours - judges).abs());
            }
            println!("{} {} epsilon {epsilon}: {distances:.4?}", benchmark.name, contender.label);
        }
        Ok((distances, difference))
    })?;
    let difference = results.iter().map(|(_, difference)| *difference).fold(0.0, f64::max);
    let point = |point: usize| {
        let runs = &results[point * runs..][..runs];
        let order = |order| mean_and_spread(&runs.iter().map(|(distances, _)| distances[order]).collect::<Vec<_>>());
        (0..ORDERS.len()).map(order).collect()
    };
    let contender = |contender: usize| (0..epsilons.len()).map(|e| point(contender * epsilons.len() + e)).collect();
    Ok(((0..CONTENDERS.len()).map(contender).collect(), difference))
}

fn panel(name: &str, order: usize, place: usize, epsilons: &[f64], errors: &Errors) -> Panel {
    let lines = CONTENDERS.iter().zip(errors).map(|(contender, errors)| Line {
        name: contender.label.into(),
        points: epsilons.iter().zip(errors).map(|(&epsilon, errors)| (epsilon, errors[place].0)).collect(),
    });
    Panel {
        title: format!("{name}, {order}-way"),
        x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
        y: Axis { label: "mean TVD".into(), scale: Scale::Linear },
        lines: lines.collect(),
    }
}

/// How many points are not as they should be, and of how many.
#[derive(Default)]
struct Counts {
    lost: [u32; 2],
    compared: u32,
    worse_than_privbayes: u32,
    three_way: u32,
    rising: Vec<String>,
    steps: u32,
    on_adult: Option<f64>,
}

impl Counts {
    fn add(&mut self, name: &str, epsilons: &[f64], errors: &Errors) {
        for (e, &epsilon) in epsilons.iter().enumerate() {
            for order in 0..ORDERS.len() {
                let mean = |contender: usize| errors[contender][e][order].0;
                if epsilon >= ENOUGH {
                    self.compared += 1;
                    self.lost[0] += u32::from(mean(PRIVBAYES) >= mean(INDEPENDENT_PURE));
                    self.lost[1] += u32::from(mean(NIST) >= mean(INDEPENDENT));
                }
                if order == THREE {
                    self.three_way += 1;
                    self.worse_than_privbayes += u32::from(mean(PB_PGM_PURE) > mean(PRIVBAYES));
                }
                for contender in [PRIVBAYES, PB_PGM_PURE, NIST, PB_PGM] {
                    self.steps += u32::from(e > 0);
                    if e > 0 && mean(contender) > errors[contender][e - 1][order].0 {
                        let label = CONTENDERS[contender].label;
                        self.rising.push(format!("{name} {label} {}-way at {epsilon}", ORDERS[order]));
                    }
                }
            }
            if name == "adult" && (epsilon - PEER_EPSILON).abs() < 1e-9 {
                self.on_adult = Some(errors[PB_PGM][e][THREE].0);
            }
        }
    }

    fn report(&self, figures: &mut Figures) {
        let points = format!("of {} points", self.compared);
        figures.exactly("privbayes does not beat independent", self.lost[0].into(), &points, 0.0);
        figures.exactly("privbayes-nist does not beat independent", self.lost[1].into(), &points, 0.0);
        let points = format!("of {} points", self.three_way);
        figures.exactly("pb-pgm worse than privbayes, 3-way", self.worse_than_privbayes.into(), &points, 0.0);
        for rising in &self.rising {
            println!("rises: {rising}");
        }
        let steps = format!("of {} steps", self.steps);
        figures.exactly("error rises with epsilon", self.rising.len() as f64, &steps, 0.0);
        if let Some(error) = self.on_adult {
            figures.at_most("adult, epsilon 0.8, 3-way, pb-pgm, against dpmm", error, "TVD", PEER_ON_ADULT);
        }
    }
}
