//! The error of tables of three columns against epsilon: ours beside the authors' PrivMRF, MST and
//! independent columns.

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use super::lines;
use scumble_benchmarks::Result;
use scumble_benchmarks::reference::{DELTA, EPSILONS, TABLES, authors_code};

pub(crate) fn picture() -> Result<String> {
    let ours = lines("auto-utility.csv")?;
    let independent = lines("privbayes-utility.csv")?;
    let number = |text: &str| text.parse::<f64>();
    let mut panels = Vec::new();
    for table in TABLES {
        let mut drawn = Vec::new();
        for (method, name) in [("auto", "Scumble, auto"), ("mst", "MST")] {
            let mut points = Vec::new();
            for epsilon in EPSILONS {
                let mut errors = Vec::new();
                for line in ours.iter().filter(|line| line["table"] == table && line["method"] == method) {
                    if same(number(&line["epsilon"])?, epsilon) {
                        errors.push(number(&line["tvd3"])?);
                    }
                }
                if !errors.is_empty() {
                    points.push((epsilon, errors.iter().sum::<f64>() / errors.len() as f64));
                }
            }
            drawn.push(Line { name: name.into(), points });
        }
        let theirs = EPSILONS.iter().filter_map(|&epsilon| Some((epsilon, authors_code(table, epsilon)?.distances[0])));
        drawn.insert(1, Line { name: "PrivMRF, its authors' code".into(), points: theirs.collect() });
        let mut points = Vec::new();
        for line in independent.iter().filter(|line| line["table"] == table && line["method"] == "independent") {
            if same(number(&line["delta"])?, DELTA) && line["order"] == "3" {
                points.push((number(&line["epsilon"])?, number(&line["mean_tvd"])?));
            }
        }
        drawn.push(Line { name: "independent columns".into(), points });
        panels.push(Panel {
            title: table.into(),
            x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
            y: Axis { label: "mean distance of 3-way tables".into(), scale: Scale::Logarithmic },
            lines: drawn,
        });
    }
    let chart = Chart {
        title: "Error against epsilon (delta 0.00001): lower is better".into(),
        description: "Four panels, one for each of nltcs, acs, adult and br2000: the mean total variation distance of tables of \
                      three columns against epsilon from 0.1 to 3.2, on a logarithmic scale. The line of Scumble's auto is the lowest in each."
            .into(),
        panels,
        columns: 2,
    };
    Ok(chart.to_svg())
}

/// Whether two numbers that were written down are the same.
fn same(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}
