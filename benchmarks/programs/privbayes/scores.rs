//! Which score learns the better network: the 2014 paper's figure 2.
//!
//! All three scores are offered only where the number of rows is public, so neighbours differ by a
//! replaced row here. Columns are binary digits, as in the paper, so that F is defined for all of
//! them. A network is as good as the sum of the mutual information between every attribute and its
//! parents, measured on the real rows.

use std::fmt::Write as _;

use scumble::mechanisms::{Distribution, Method, Model};
use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};
use scumble::schema::{AdjacencyKind, AttributeId, Clique};
use scumble_evaluate::Columns;

use super::RUNS;
use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::{Benchmark, Run};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::grid::{all, mean_and_spread};
use scumble_benchmarks::request::Request;

const EPSILONS: [f64; 6] = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6];
const SCORES: [&str; 3] = ["f", "r", "i"];
/// The paper finds F better than I "in almost all cases": I may win one point in five.
const ALMOST_ALL: f64 = 0.8;
/// The degrees of the paper's figure for each of its two tables.
const TABLES: [(&str, [u32; 3]); 2] = [("adult", [1, 2, 3]), ("nltcs", [2, 4, 6])];

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let mut csv = String::from("table,score,degree,epsilon,information_bits,standard_deviation,runs\n");
    let (mut panels, mut beaten, mut points) = (Vec::new(), 0_u32, 0_u32);
    let (epsilons, runs) = (request.epsilons(&EPSILONS), request.runs(RUNS));
    for name in request.tables(&TABLES.map(|(name, _)| name)) {
        let (_, degrees) = TABLES.iter().find(|(table, _)| *table == name).ok_or("no such table")?;
        let benchmark = Benchmark::read(&request.data, name, AdjacencyKind::ReplaceOne)?;
        for degree in degrees {
            let results = all(SCORES.len() * epsilons.len() * runs, request.jobs, |task| {
                let point = task / runs;
                let (score, epsilon) = (SCORES[point / epsilons.len()], epsilons[point % epsilons.len()]);
                let options =
                    ["encoding=binary".into(), format!("score={score}"), format!("degree={degree}"), "beta=0.5".into()];
                let method = Method::named("privbayes")?.with_options(options.iter().map(String::as_str))?;
                let run = Run { method, epsilon, delta: 0.0 };
                information(&benchmark.fit(&run)?, &benchmark.real)
            })?;
            let means: Vec<(f64, f64)> = results.chunks(runs).map(mean_and_spread).collect();
            for ((mean, spread), point) in means.iter().zip(0_usize..) {
                let (score, epsilon) = (SCORES[point / epsilons.len()], epsilons[point % epsilons.len()]);
                writeln!(csv, "{name},{score},{degree},{epsilon},{mean:.5},{spread:.5},{runs}")?;
            }
            let of = |score: usize| &means[score * epsilons.len()..][..epsilons.len()];
            for (f, i) in of(0).iter().zip(of(2)) {
                points += 1;
                beaten += u32::from(f.0 < i.0);
            }
            let lines = SCORES.iter().enumerate().map(|(score, label)| Line {
                name: label.to_uppercase(),
                points: epsilons.iter().zip(of(score)).map(|(&epsilon, mean)| (epsilon, mean.0)).collect(),
            });
            panels.push(Panel {
                title: format!("{name}, degree {degree}"),
                x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
                y: Axis { label: "information, bits".into(), scale: Scale::Linear },
                lines: lines.collect(),
            });
            println!("{name} degree {degree}: {means:.3?}");
        }
    }
    std::fs::write(request.output.join("privbayes-scores.csv"), csv)?;
    let chart = Chart {
        title: "Information in the learned network".into(),
        description:
            "Sum of the mutual information between attributes and their parents, against epsilon, for networks \
                      learned with the scores F, R and I: I learns least at every epsilon but the largest."
                .into(),
        panels,
        columns: 3,
    };
    std::fs::write(request.output.join("privbayes-scores.svg"), chart.to_svg())?;
    let bar = (1.0 - ALMOST_ALL) * f64::from(points);
    figures.at_most("score I learns more than F", beaten.into(), &format!("of {points} points"), bar.floor());
    Ok(())
}

/// The sum over all pairs of the mutual information between an attribute and its parents; for
/// attributes drawn together it is what a chain of them would have.
fn information(model: &Model, real: &Columns) -> Result<f64> {
    let Distribution::Network(network) = model.distribution() else { return Ok(0.0) };
    let recoding = model.recoding();
    let digits = recoding.domain().attributes().map(|digit| {
        let codes = recoding.codes(digit);
        real.codes(recoding.of(digit)).iter().map(|code| codes[code as usize]).collect()
    });
    let columns = Columns::new(recoding.domain().clone(), digits.collect())?;
    let mut sum = 0.0;
    for pair in network.model().network().pairs() {
        sum += entropy(&columns, pair.parents())? - entropy(&columns, &pair.clique())?;
        for &child in pair.children().attributes() {
            sum += entropy(&columns, &Clique::single(child))?;
        }
    }
    Ok(sum)
}

fn entropy(columns: &Columns, clique: &Clique) -> Result<f64> {
    let attributes: &[AttributeId] = clique.attributes();
    if attributes.is_empty() {
        return Ok(0.0);
    }
    let counts = columns.counts(clique)?;
    let rows = f64::from(columns.rows());
    let terms = counts.iter().filter(|&&count| count > 0).map(|&count| count as f64 / rows);
    Ok(-terms.map(|share| share * share.log2()).sum::<f64>())
}
