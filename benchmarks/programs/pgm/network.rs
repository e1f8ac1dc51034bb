//! A Bayesian network over noisy tables of adult: what consistency takes away, and how fast tuples
//! come out.

use std::hint::black_box;

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_pgm::network::{
    EmptyParents, Hierarchies, Network, NetworkModel, Pair, ToProbabilities, TupleSampling,
    make_consistent_and_positive,
};
use scumble_pgm::{Factor, Measurement};
use scumble_schema::{AttributeId, Clique, CodeColumn};

use super::context::Context;
use scumble_benchmarks::clock::cpu_seconds_of;
use scumble_benchmarks::codes::Table;
use scumble_benchmarks::figure::{Bar, Figure};

const TABLE: &str = "adult";
const SEED: u64 = 6;
/// The noise on every cell of every table, in rows: about what epsilon 1 and delta 1e-5 leave each
/// of adult's tables.
const STANDARD_DEVIATION: f64 = 15.0;
/// Tuples of the streaming figure.
const MANY: u64 = 1_000_000;
/// Rounds towards tables that are consistent and positive.
const ROUNDS: u32 = 10;
const WAYS: [(TupleSampling, &str); 3] = [
    (TupleSampling::WithReplacement, "with replacement"),
    (TupleSampling::WithoutReplacement, "without replacement"),
    (TupleSampling::BackTracking, "back-tracking"),
];

pub(crate) fn figures(context: &Context) -> Vec<Figure> {
    let Some(table) = context.table(TABLE) else { return Vec::new() };
    [2, 3].into_iter().flat_map(|degree| of_degree(&table, degree)).collect()
}

fn of_degree(table: &Table, degree: usize) -> Vec<Figure> {
    let domain = &table.domain;
    let hierarchies = Hierarchies::none(domain);
    let network = network(table, degree);
    let exact: Vec<Vec<f64>> =
        network.cliques().map(|clique| table.count(&clique).into_iter().map(|count| count as f64).collect()).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let noisy: Vec<Measurement> = network
        .cliques()
        .map(|clique| {
            let counts = table.noisy(&clique, STANDARD_DEVIATION, &mut rng);
            let counts = Factor::new(domain, clique, counts).expect("a table of the domain");
            Measurement::of(counts, STANDARD_DEVIATION).expect("a standard deviation")
        })
        .collect();
    let total = table.rows() as f64;
    let (clip, project) = (ToProbabilities::ClipAndNormalise, ToProbabilities::Project { total });
    let mut figures = Vec::new();
    for (rounds, to, made) in [(0, clip, "consistent, then clipped"), (ROUNDS, project, "consistent and positive")] {
        let named = |what: &str| format!("{TABLE}, network of degree {degree}, {made}: {what}");
        let (cpu, tables) = cpu_seconds_of(|| {
            let mut tables = noisy.clone();
            make_consistent_and_positive(domain, &hierarchies, &mut tables, total, rounds)
                .expect("tables of the domain");
            tables
        });
        let ratio = squared_error(&tables, &exact) / squared_error(&noisy, &exact);
        figures.push(Figure::new(named("making the tables consistent"), cpu, "CPU s", Bar::None));
        figures.push(Figure::new(named("squared error after over before"), ratio, "times", Bar::AtMost(1.0)));
        let counts: Vec<Factor> = tables.into_iter().map(Measurement::into_counts).collect();
        let model = NetworkModel::new(network.clone(), &counts, to, EmptyParents::ChildMarginal).expect("its tables");
        for (sampling, name) in WAYS {
            let draw = || model.sample(table.rows() as u64, SEED, sampling).collect::<Vec<_>>();
            let (cpu, chunks) = cpu_seconds_of(draw);
            let distance = mean_distance(&rows(table, &chunks), &network, &exact);
            figures.push(Figure::new(named(&format!("as many tuples {name}")), cpu, "CPU s", Bar::AtMost(1.0)));
            figures.push(Figure::new(named(&format!("distance to the truth {name}")), distance, "TVD", Bar::None));
        }
        let many = || model.sample(MANY, SEED, TupleSampling::WithReplacement).for_each(|chunk| drop(black_box(chunk)));
        let (cpu, ()) = cpu_seconds_of(many);
        figures.push(Figure::new(named("a million tuples with replacement"), cpu, "CPU s", Bar::AtMost(1.0)));
    }
    figures
}

/// The sampled rows as a table like the one they stand for.
fn rows(table: &Table, chunks: &[Vec<CodeColumn>]) -> Table {
    let codes = |column: usize| chunks.iter().flat_map(move |chunk| chunk[column].iter());
    let narrow = |code| u16::try_from(code).expect("a benchmark has few codes");
    let columns = (0..table.columns.len()).map(|column| codes(column).map(narrow).collect()).collect();
    Table { names: table.names.clone(), domain: table.domain.clone(), columns }
}

/// Columns in their order, each with the earlier columns that share most information with it; a
/// head of two columns.
fn network(table: &Table, degree: usize) -> Network {
    const MAX_CLIQUE_CELLS: u128 = 20_000;
    let attributes: Vec<AttributeId> = table.domain.attributes().collect();
    let mut pairs = vec![Pair::head(attributes[..2].iter().copied())];
    for &child in &attributes[2..] {
        let mut candidates: Vec<(f64, AttributeId)> =
            attributes[..child.index()].iter().map(|&parent| (dependence(table, parent, child), parent)).collect();
        candidates.sort_by(|left, right| right.0.total_cmp(&left.0));
        let mut parents = Vec::new();
        for (_, parent) in candidates {
            let clique = Clique::new(parents.iter().copied().chain([parent, child]));
            if parents.len() < degree && table.domain.cells(&clique) <= MAX_CLIQUE_CELLS {
                parents.push(parent);
            }
        }
        pairs.push(Pair::new(child, parents));
    }
    Network::new(table.domain.clone(), pairs).expect("every column comes once, behind its parents")
}

/// The total variation distance between two columns' joint table and the product of their
/// marginals.
fn dependence(table: &Table, parent: AttributeId, child: AttributeId) -> f64 {
    let rows = table.rows() as f64;
    let [first, second, both] =
        [vec![parent], vec![child], vec![parent, child]].map(|set| table.count(&Clique::new(set)));
    let expected = first.iter().flat_map(|left| second.iter().map(move |right| *left as f64 * *right as f64 / rows));
    // The parent comes first in the schema, so the cells are in this order.
    both.iter().zip(expected).map(|(found, expected)| (*found as f64 - expected).abs()).sum::<f64>() / (2.0 * rows)
}

fn squared_error(tables: &[Measurement], exact: &[Vec<f64>]) -> f64 {
    let pairs = tables.iter().zip(exact).flat_map(|(table, exact)| table.values().iter().zip(exact));
    pairs.map(|(found, exact)| (found - exact).powi(2)).sum()
}

/// The mean over all tables of the total variation distance between what was sampled and what is
/// true.
fn mean_distance(found: &Table, network: &Network, exact: &[Vec<f64>]) -> f64 {
    let rows = found.rows() as f64;
    let of_table = |(clique, exact): (Clique, &Vec<f64>)| {
        let counts = found.count(&clique);
        counts.iter().zip(exact).map(|(found, exact)| (*found as f64 - exact).abs()).sum::<f64>() / (2.0 * rows)
    };
    network.cliques().zip(exact).map(of_table).sum::<f64>() / exact.len() as f64
}
