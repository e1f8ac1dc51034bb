//! How often error bars hold: random marginals of measured tables, over many draws of noise on
//! public counts.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_pgm::{Answer, Bootstrap, ErrorBars, Estimator, Measured, Measurement};
use scumble_schema::Clique;

use super::context::Context;
use super::wide::maximum_spanning_tree;
use scumble_benchmarks::codes::Table;
use scumble_benchmarks::figure::{Bar, Figure};

const TABLES: [&str; 2] = ["nltcs", "adult"];
const LEVEL: f64 = 0.95;
/// What coverage may be at that level.
const ASKED: Bar = Bar::Between(0.90, 0.99);
const DRAWS: u64 = 50;
const MARGINALS: usize = 200;
/// Measured beside the tree.
const TRIPLES: usize = 5;
/// The largest triple that is measured: one with thousands of cells holds nothing but noise.
const TRIPLE_CELLS: u128 = 2_000;
/// The noise on every cell, in rows: what rho = 0.03, shared by some twenty tables, gives each.
const STANDARD_DEVIATION: f64 = 18.0;
/// Not the one that the method of the bars was chosen with.
const SEED: u64 = 2026;

/// How often something was asked, and how often it held.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    asked: u64,
    held: u64,
}

impl Tally {
    fn add(&mut self, holds: bool) {
        self.asked += 1;
        self.held += u64::from(holds);
    }

    fn share(self) -> f64 {
        self.held as f64 / self.asked as f64
    }
}

/// What is counted over all draws and marginals.
#[derive(Debug, Default)]
struct Coverage {
    cells: Tally,
    /// Cells that some row is in.
    filled: Tally,
    /// The sum over marginals of the share of their cells covered.
    by_marginal: f64,
    distances: Tally,
    /// The sum of all bars, in rows.
    bars: f64,
}

pub(crate) fn figures(context: &Context) -> Vec<Figure> {
    let tables = TABLES.into_iter().filter_map(|name| Some((name, context.table(name)?)));
    tables.flat_map(|(name, table)| of_table(name, &table)).collect()
}

fn of_table(name: &str, table: &Table) -> Vec<Figure> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut measured = maximum_spanning_tree(table);
    let triples = random_triples(table, &measured, &mut rng);
    measured.extend(triples);
    let marginals: Vec<Clique> = (0..MARGINALS).map(|_| random_part(&measured, &mut rng)).collect();
    let truths: Vec<Vec<u64>> = marginals.iter().map(|marginal| table.count(marginal)).collect();
    let mut coverage = Coverage::default();
    for draw in 0..DRAWS {
        let mut noise = ChaCha8Rng::seed_from_u64(SEED);
        noise.set_stream(draw + 1);
        let measurements: Vec<Measurement> = measured
            .iter()
            .map(|clique| {
                let values = table.noisy(clique, STANDARD_DEVIATION, &mut noise);
                Measurement::new(&table.domain, clique.clone(), values, STANDARD_DEVIATION).expect("a noisy table")
            })
            .collect();
        let estimator = Estimator::new(table.domain.clone());
        let estimate = estimator.estimate(&measurements).expect("a tree and some triples are small enough");
        let bootstrap = Bootstrap { level: LEVEL, seed: SEED + 1 + draw, ..Bootstrap::default() };
        let bars =
            ErrorBars::new(&estimator, &measurements, &estimate, bootstrap).expect("replicates of a fit that was");
        for (marginal, truth) in marginals.iter().zip(&truths) {
            match bars.answer(marginal).expect("a part of what was measured") {
                Answer::Measured(answer) => coverage.add(&answer, truth),
                Answer::NotMeasured(_) => unreachable!("a part of a measured clique is measured"),
            }
        }
    }
    let figure = |what: &str, value, bar| Figure::new(format!("{name}: error bars at 95 %: {what}"), value, "", bar);
    let asked = (DRAWS as f64) * (MARGINALS as f64);
    vec![
        figure("cells covered", coverage.cells.share(), ASKED),
        figure("cells that are not empty covered", coverage.filled.share(), ASKED),
        figure("cells covered, every marginal with the same weight", coverage.by_marginal / asked, ASKED),
        figure("tables within their distance", coverage.distances.share(), Bar::None),
        figure(
            "mean bar in standard deviations of a cell",
            coverage.bars / coverage.cells.asked as f64 / STANDARD_DEVIATION,
            Bar::None,
        ),
    ]
}

impl Coverage {
    fn add(&mut self, answer: &Measured, truth: &[u64]) {
        let mut here = Tally::default();
        for (cell, &count) in truth.iter().enumerate() {
            let (low, high) = answer.interval(cell);
            let holds = (low..=high).contains(&(count as f64));
            here.add(holds);
            self.cells.add(holds);
            if count > 0 {
                self.filled.add(holds);
            }
        }
        self.by_marginal += here.share();
        self.bars += answer.bars().iter().sum::<f64>();
        let rows: u64 = truth.iter().sum();
        let estimated = answer.estimate().sum();
        let distance: f64 = answer
            .estimate()
            .values()
            .iter()
            .zip(truth)
            .map(|(estimate, &count)| (estimate / estimated - count as f64 / rows as f64).abs())
            .sum();
        self.distances.add(0.5 * distance <= answer.total_variation());
    }
}

/// Triples of two edges of the tree that meet, so that the model stays small.
fn random_triples(table: &Table, tree: &[Clique], rng: &mut ChaCha8Rng) -> Vec<Clique> {
    let mut triples = Vec::new();
    while triples.len() < TRIPLES {
        let mut edge = || tree[rng.random_range(0..tree.len())].attributes();
        let triple = Clique::new(edge().iter().chain(edge()).copied());
        if triple.len() == 3 && table.domain.cells(&triple) <= TRIPLE_CELLS && !triples.contains(&triple) {
            triples.push(triple);
        }
    }
    triples
}

/// Some attributes of one of the cliques, at least one.
fn random_part(cliques: &[Clique], rng: &mut ChaCha8Rng) -> Clique {
    loop {
        let clique = &cliques[rng.random_range(0..cliques.len())];
        let part = Clique::new(clique.attributes().iter().copied().filter(|_| rng.random()));
        if !part.is_empty() {
            return part;
        }
    }
}
