//! The report's figures, panel by panel.

use super::chart::{Chart, Panel, STYLES};
use super::published::Scale;
use super::study::{Method, Point, Study};
use scumble_benchmarks::Result;

/// Exponents of ten of the epsilons in the figures over epsilon, in halves.
const EXPONENTS: std::ops::RangeInclusive<i32> = -4..=4;
/// The shares of the network in those, in percent, as the report's figures 4.7 to 4.9.
const BETAS: [u32; 3] = [20, 50, 80];
/// The epsilons in the figures over beta, as the report's figures 4.3 to 4.6.
pub(crate) const EPSILONS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];

/// The report's noise as section 4.1.2 has it.
pub(crate) const TEXT: Method = Method::PublishedPrivBayes(Scale::Text);
/// The report's noise as Appendix A.1 has it.
pub(crate) const LISTING: Method = Method::PublishedPrivBayes(Scale::Listing);

/// What a row of panels shows: a method, how it is called, and which rate.
type Row = (Method, &'static str, fn(&Point) -> Lines);
/// The rates of each pair and of independent attributes, if they are shown.
type Lines = [Option<f64>; STYLES.len()];

/// The rates that the report shows, with those of independent attributes.
fn as_reported(point: &Point) -> Lines {
    let [first, second, third, fourth] = point.power.map(Some);
    [first, second, third, fourth, Some(point.mean_size())]
}

/// The rates of a test whose size is five percent.
fn at_level(point: &Point) -> Lines {
    let [first, second, third, fourth] = point.power_at_level.map(Some);
    [first, second, third, fourth, None]
}

const PRIVBAYES: [Row; 4] = [
    (Method::PrivBayes, "private", as_reported),
    (Method::PrivBayes, "private, at a true level of 0.05", at_level),
    (TEXT, "NOT PRIVATE: as the text has it", as_reported),
    (LISTING, "NOT PRIVATE: as the listing has it", as_reported),
];

const SMOOTHED: [Row; 4] = [
    (Method::Smoothed, "private, rows by default", as_reported),
    (Method::Smoothed, "private, at a true level of 0.05", at_level),
    (Method::PublishedSmoothed, "NOT PRIVATE: as the text has it", as_reported),
    (Method::SmoothedAll, "private, 1000 rows", as_reported),
];

/// The report's figures 4.7 to 4.9, with the smoothed histogram beside them.
pub(crate) fn over_epsilon(study: &mut Study) -> Result<Chart> {
    let epsilons: Vec<f64> = EXPONENTS.map(|half| 10_f64.powf(f64::from(half) / 2.0)).collect();
    let mut panels = Vec::new();
    for (row, smoothed) in PRIVBAYES.into_iter().zip(SMOOTHED) {
        let betas = BETAS.map(|beta| (row, Some(beta), format!("PrivBayes, beta = {}", f64::from(beta) / 100.0)));
        for ((method, note, rates), beta, title) in
            betas.into_iter().chain([(smoothed, None, "smoothed histogram".into())])
        {
            let mut lines = [const { Vec::new() }; STYLES.len()];
            for &epsilon in &epsilons {
                add(&mut lines, epsilon.log10(), rates(&study.point(method, epsilon, beta)?));
            }
            let x_ticks = (-2..=2).map(|exponent| (f64::from(exponent), 10_f64.powi(exponent).to_string())).collect();
            let (is_private, x_label, x_range) = (method.is_private(), "epsilon", (-2.0, 2.0));
            panels.push(Panel { title, note, is_private, x_label, x_range, x_ticks, lines });
        }
    }
    Ok(Chart {
        title: "Pearson's chi-square test on synthetic rows, by epsilon",
        description: "Sixteen panels of the share of tests that reject independence against epsilon from 0.01 to 100. Columns: \
                      PrivBayes with beta 0.2, 0.5 and 0.8, and the smoothed histogram. Rows: private noise; the same with \
                      a test of the right level; the noise of the report's text; the noise of the report's listing. The \
                      numbers are in aalborg-power.csv.",
        columns: BETAS.len() + 1,
        panels,
    })
}

/// The report's figures 4.3 to 4.6.
pub(crate) fn over_beta(study: &mut Study) -> Result<Chart> {
    let mut panels = Vec::new();
    for (method, note, rates) in PRIVBAYES {
        for epsilon in EPSILONS {
            let mut lines = [const { Vec::new() }; STYLES.len()];
            for beta in all_betas() {
                add(&mut lines, f64::from(beta) / 100.0, rates(&study.point(method, epsilon, Some(beta))?));
            }
            let x_ticks = [0.1, 0.3, 0.5, 0.7, 0.9].map(|beta| (beta, beta.to_string())).to_vec();
            let (is_private, x_label, x_range) = (method.is_private(), "beta", (0.1, 0.9));
            panels.push(Panel {
                title: format!("epsilon = {epsilon}"),
                note,
                is_private,
                x_label,
                x_range,
                x_ticks,
                lines,
            });
        }
    }
    Ok(Chart {
        title: "Pearson's chi-square test on synthetic rows of PrivBayes, by beta",
        description: "Sixteen panels of the share of tests that reject independence against beta, the share of the budget that \
                      chooses the network, from 0.1 to 0.9. Columns: epsilon 0.1, 1, 10 and 100. Rows: private noise; the \
                      same with a test of the right level; the noise of the report's text; the noise of the report's \
                      listing. The numbers are in aalborg-power.csv.",
        columns: EPSILONS.len(),
        panels,
    })
}

/// The shares of the network in the figures over beta, in percent.
pub(crate) fn all_betas() -> impl Iterator<Item = u32> {
    (10..=90).step_by(10)
}

fn add(lines: &mut [Vec<(f64, f64)>; STYLES.len()], x: f64, rates: Lines) {
    for (line, rate) in lines.iter_mut().zip(rates) {
        line.extend(rate.map(|rate| (x, rate)));
    }
}
