//! A table of 110 columns: its maximum spanning tree, estimated and sampled; and what is too large,
//! refused at once.

use std::time::Instant;

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_pgm::{Estimator, JunctionTree, Measurement, ModelError, Sampler, Sampling, Stop};
use scumble_schema::{AttributeId, Clique, Domain, limits};
use serde_json::{Value, json};

use super::child;
use super::context::Context;
use scumble_benchmarks::clock::{cpu_seconds, peak_mib};
use scumble_benchmarks::codes::Table;
use scumble_benchmarks::figure::{Bar, Figure};

const TABLE: &str = "stroke";
const SEED: u64 = 5;
/// The noise on every cell of every measured table, in rows.
const STANDARD_DEVIATION: f64 = 20.0;
const SAMPLED_ROWS: u64 = 1_000_000;
/// A refusal takes less than this.
const REFUSAL_SECONDS: f64 = 1.0;
/// The bar on the cells of models that are refused.
const TOO_MANY_CELLS: f64 = 1e12;

pub(crate) fn figures(context: &Context) -> Vec<Figure> {
    let Some(table) = context.table(TABLE) else { return Vec::new() };
    let mut figures = refusals(&table.domain);
    let found = child::run(&["wide"]);
    let number = |what| child::number(&found, what);
    let shown = |what: &str, value, unit| Figure::new(format!("{TABLE}, 110 columns: {what}"), value, unit, Bar::None);
    figures.extend([
        shown("cells of the model", number("cells"), "cells"),
        shown("estimation", number("estimation_cpu"), "CPU s"),
        shown("passes", number("passes"), ""),
        // The truth is a distribution over the same tree, so the best one is no further from the
        // noisy tables than it.
        Figure::new(
            format!("{TABLE}, 110 columns: loss over that of noise alone"),
            number("loss_over_noise"),
            "times",
            Bar::AtMost(1.0),
        ),
        shown("sampling of 1,000,000 rows, one thread", number("sampling_seconds"), "s"),
        shown("distance of their pairs from the model's", number("from_model"), "TVD"),
        shown("distance of their pairs from the table's", number("from_table"), "TVD"),
        shown("peak memory", number("peak_mib"), "MiB"),
    ]);
    figures
}

/// The whole way from exact counts to rows, in this process.
pub(crate) fn child(context: &Context) -> Value {
    let table = context.table(TABLE).expect("the parent has seen the table");
    let tree = maximum_spanning_tree(&table);
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let measurements: Vec<Measurement> = tree
        .iter()
        .map(|pair| {
            let values = table.noisy(pair, STANDARD_DEVIATION, &mut rng);
            Measurement::new(&table.domain, pair.clone(), values, STANDARD_DEVIATION).expect("a noisy table")
        })
        .collect();
    let start = cpu_seconds();
    let estimate = Estimator::new(table.domain.clone()).stop(Stop::default()).estimate(&measurements);
    let estimate = estimate.expect("a tree is small enough");
    let estimation_cpu = cpu_seconds() - start;

    let start = Instant::now();
    let sampler = Sampler::new(&estimate.model);
    let mut columns: Vec<Vec<u16>> = vec![Vec::new(); table.domain.len()];
    for chunk in sampler.sample(SAMPLED_ROWS, SEED, Sampling::LowVariance) {
        for (column, codes) in columns.iter_mut().zip(&chunk) {
            column.extend(codes.iter().map(|code| u16::try_from(code).expect("at most 516 codes")));
        }
    }
    let sampling_seconds = start.elapsed().as_secs_f64();
    let rows = Table { names: table.names.clone(), domain: table.domain.clone(), columns };
    let fitted = estimate.model.marginals(&tree).expect("the model's own pairs");
    let mean = |distances: &mut dyn Iterator<Item = f64>| distances.sum::<f64>() / tree.len() as f64;
    let from_model =
        tree.iter().zip(&fitted).map(|(pair, fitted)| distance(&shares(&rows.count(pair)), fitted.values()));
    let exact = |pair: &Clique| distance(&shares(&rows.count(pair)), &shares(&table.count(pair)));
    let (from_model, from_table) = (mean(&mut { from_model }), mean(&mut tree.iter().map(exact)));
    json!({
        "cells": JunctionTree::predicted_cells(&table.domain, &tree) as f64,
        "estimation_cpu": estimation_cpu,
        "passes": estimate.passes,
        "loss_over_noise": estimate.loss / estimate.noise_level,
        "sampling_seconds": sampling_seconds,
        "from_model": from_model,
        "from_table": from_table,
        "peak_mib": peak_mib(),
    })
}

fn shares(counts: &[u64]) -> Vec<f64> {
    let rows: u64 = counts.iter().sum();
    counts.iter().map(|&count| count as f64 / rows as f64).collect()
}

/// The total variation distance.
fn distance(left: &[f64], right: &[f64]) -> f64 {
    0.5 * left.iter().zip(right).map(|(left, right)| (left - right).abs()).sum::<f64>()
}

/// The pairs of a tree over all columns whose mutual informations have the largest sum.
pub(crate) fn maximum_spanning_tree(table: &Table) -> Vec<Clique> {
    let pair = |left: usize, right: usize| Clique::new([left, right].map(AttributeId::new));
    let information = |left: usize, right: usize| {
        mutual_information(&table.count(&pair(left, right)), table.domain.sizes()[right] as usize)
    };
    // Prim's way: the best edge into the tree so far, for every column outside of it.
    let mut best: Vec<(f64, usize)> = (0..table.domain.len()).map(|_| (f64::NEG_INFINITY, 0)).collect();
    let mut outside: Vec<usize> = (1..table.domain.len()).collect();
    let (mut joined, mut tree) = (0, Vec::new());
    while !outside.is_empty() {
        for &column in &outside {
            let gained = information(joined.min(column), joined.max(column));
            if gained > best[column].0 {
                best[column] = (gained, joined);
            }
        }
        let next = (0..outside.len()).max_by(|&a, &b| best[outside[a]].0.total_cmp(&best[outside[b]].0));
        joined = outside.swap_remove(next.expect("a column is outside"));
        tree.push(pair(best[joined].1, joined));
    }
    tree
}

/// In nats, of a pair whose second attribute has `columns` codes.
fn mutual_information(counts: &[u64], columns: usize) -> f64 {
    let rows: Vec<f64> = counts.chunks(columns).map(|row| row.iter().sum::<u64>() as f64).collect();
    let mut sums = vec![0.0; columns];
    for row in counts.chunks(columns) {
        row.iter().zip(&mut sums).for_each(|(&count, sum)| *sum += count as f64);
    }
    let total: f64 = rows.iter().sum();
    let cells = counts.chunks(columns).zip(&rows).flat_map(|(row, &in_row)| {
        row.iter().zip(&sums).filter(|(count, _)| **count > 0).map(move |(&count, &in_column)| {
            let count = count as f64;
            count / total * (count * total / (in_row * in_column)).ln()
        })
    });
    cells.sum()
}

/// How long it takes to refuse what needs 10^12 cells, and what needs far more.
fn refusals(domain: &Domain) -> Vec<Figure> {
    let large: Vec<AttributeId> = domain.attributes().filter(|&attribute| domain.size(attribute) == 100).collect();
    let all: Vec<AttributeId> = domain.attributes().collect();
    // Sparse, so that only elimination shows how large it is.
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut other = |first: AttributeId| loop {
        let second = AttributeId::new(rng.random_range(0..domain.len()));
        if second != first {
            break Clique::new([first, second]);
        }
    };
    let sparse = domain.attributes().flat_map(|first| [other(first), other(first)]).collect();
    let sets = [
        ("all pairs of six columns of 100 codes", pairs(&large[..6])),
        ("two random pairs per column", sparse),
        ("all 5,995 pairs", pairs(&all)),
    ];
    sets.into_iter()
        .map(|(what, cliques)| {
            let start = Instant::now();
            let refused = JunctionTree::new(domain, &cliques, limits::CELLS_PER_MODEL);
            let seconds = start.elapsed().as_secs_f64();
            let right = matches!(refused, Err(ModelError::TooLarge { cells, .. }) if cells as f64 >= TOO_MANY_CELLS);
            let seconds = if right { seconds } else { f64::NAN };
            Figure::new(format!("{TABLE}: {what} refused"), seconds, "s", Bar::AtMost(REFUSAL_SECONDS))
        })
        .collect()
}

fn pairs(attributes: &[AttributeId]) -> Vec<Clique> {
    let seconds = |first: usize| attributes[first + 1..].iter().map(move |&second| (attributes[first], second));
    let pairs = (0..attributes.len()).flat_map(seconds);
    pairs.map(|(first, second)| Clique::new([first, second])).collect()
}
