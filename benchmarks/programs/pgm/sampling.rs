//! Rows from tree models: how fast, how near to the model's own marginals, and whether siblings
//! stay independent.

use std::collections::BTreeSet;
use std::time::Instant;

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_pgm::{CliqueVector, Estimator, Factor, Measurement, Sampler, Sampling, TreeModel, infer, parallel};
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain, cells};

use super::context::Context;
use super::peer::Peer;
use scumble_benchmarks::clock::cpu_seconds;
use scumble_benchmarks::codes::Table;
use scumble_benchmarks::figure::{Bar, Figure};
use scumble_benchmarks::measured::Measured;

/// The noise of the tables that models are fitted to; not to make models private, but for counts
/// that are no whole numbers.
const STANDARD_DEVIATION: f64 = 10.0;
/// Most cells of a clique that is measured.
const CLIQUE_CELLS: u128 = 30_000;

/// Rows of a sample, and those that the peer is asked for: a second of its time, and it is no
/// faster with more.
const ROWS: u64 = 10_000_000;
const PEER_ROWS: u32 = 200_000;
/// How much faster than the peer rows must come, by processor time.
const TIMES_PEER: f64 = 20.0;

/// A star that is known exactly, models of what MST and AIM measured of adult, and one with larger
/// cliques.
pub(crate) fn figures(context: &Context) -> Vec<Figure> {
    let mut figures = vec![siblings()];
    for file in ["adult-mst", "adult-aim"] {
        let measured = Measured::read(&Measured::path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let measurements = measured.measurements();
        let model = fitted(&measured.domain(), &measurements);
        let fast = speed(&model, Sampling::LowVariance);
        figures.extend(fast.figures(&format!("{file}, low-variance"), Bar::AtLeast(5.0)));
        figures.push(against_peer(context.peer(), file, &fast));
        figures.extend(speed(&model, Sampling::Independent).figures(&format!("{file}, independent"), Bar::None));
        let cliques: Vec<Clique> = measurements.iter().map(|measurement| measurement.clique().clone()).collect();
        figures.extend(error(file, &model, &cliques));
    }
    if let Some(adult) = context.table("adult") {
        let name = "adult, cliques of four";
        let cliques = dependent_cliques(&adult, 3);
        let model = fitted(&adult.domain, &measure(&adult, &cliques));
        let fast = speed(&model, Sampling::LowVariance);
        figures.extend(fast.figures(&format!("{name}, low-variance"), Bar::AtLeast(5.0)));
        figures.extend(error(name, &model, &cliques));
    }
    figures
}

/// What it takes to make [`ROWS`] rows on two threads, with nothing done to them.
struct Speed {
    wall_seconds: f64,
    cpu_seconds: f64,
    columns: usize,
}

fn speed(model: &TreeModel, sampling: Sampling) -> Speed {
    let (start, cpu_start) = (Instant::now(), cpu_seconds());
    let sampler = Sampler::new(model);
    let chunks = sampler.sample(ROWS, 1, sampling);
    let rows = |chunk| chunks.clone().nth(chunk).and_then(|chunk| Some(chunk.first()?.len())).unwrap_or_default();
    let drawn: usize = parallel::map_on(2, 0..chunks.size_hint().0, rows).into_iter().sum();
    assert_eq!(drawn as u64, ROWS, "all rows came");
    let (wall_seconds, cpu_seconds) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu_start);
    Speed { wall_seconds, cpu_seconds, columns: model.domain().len() }
}

impl Speed {
    fn figures(&self, name: &str, bar: Bar) -> Vec<Figure> {
        let per_second = ROWS as f64 / self.wall_seconds / 1e6;
        let per_code = self.cpu_seconds * 1e9 / (ROWS as f64 * self.columns as f64);
        vec![
            Figure::new(format!("sampling on two threads, {name}"), per_second, "million rows/s", bar),
            Figure::new(format!("sampling: cpu per code, {name}"), per_code, "ns", Bar::None),
        ]
    }
}

/// Rows per processor second over the peer's.
fn against_peer(peer: Option<&Peer>, file: &str, ours: &Speed) -> Figure {
    let (name, bar) = (format!("sampling speed, {file}"), Bar::AtLeast(TIMES_PEER));
    let Some(peer) = peer else {
        return Figure::missing(name, "times mbi's", bar);
    };
    let theirs = peer.rows_per_cpu_second(&Measured::path(file), PEER_ROWS);
    eprintln!("{file}: mbi samples {theirs:.0} rows per CPU second");
    Figure::new(name, ROWS as f64 / ours.cpu_seconds / theirs, "times mbi's", bar)
}

/// How far rows are from the model on the measured cliques and all their parts, low-variance
/// against independent.
fn error(name: &str, model: &TreeModel, measured: &[Clique]) -> Vec<Figure> {
    const ERROR_ROWS: u64 = 45_222;
    const SAMPLES: u32 = 10;
    let parts: BTreeSet<Clique> = measured.iter().flat_map(|clique| parts(clique, 1)).collect();
    let parts: Vec<Clique> = parts.into_iter().collect();
    let marginals = model.marginals(&parts).expect("a part of a clique of the model is small enough");
    let sampler = Sampler::new(model);
    let mean = |sampling| {
        let distances = (0..SAMPLES).flat_map(|seed| {
            let chunks: Vec<_> = sampler.sample(ERROR_ROWS, seed.into(), sampling).collect();
            marginals.iter().map(move |marginal| distance(model.domain(), marginal, &chunks)).collect::<Vec<_>>()
        });
        let distances: Vec<f64> = distances.collect();
        distances.iter().sum::<f64>() / f64::from(SAMPLES) / f64::from(u32::try_from(marginals.len()).expect("few"))
    };
    let (low_variance, independent) = (mean(Sampling::LowVariance), mean(Sampling::Independent));
    let what = format!("{name}, {} marginals, {ERROR_ROWS} rows", marginals.len());
    vec![
        Figure::new(format!("sampling error: low-variance, {what}"), low_variance, "TVD", Bar::None),
        Figure::new(format!("sampling error: independent, {what}"), independent, "TVD", Bar::None),
        Figure::new(
            format!("sampling error: least possible, {what}"),
            least_error(&marginals, ERROR_ROWS),
            "TVD",
            Bar::None,
        ),
        Figure::new(
            format!("sampling error: low-variance over independent, {name}"),
            low_variance / independent,
            "ratio",
            Bar::AtMost(0.5),
        ),
    ]
}

/// The worst pair of leaves of a star that is known exactly.
fn siblings() -> Figure {
    const STAR_ROWS: u64 = 1_000_000;
    const LEAVES: usize = 12;
    let sizes: Vec<u32> = [4].into_iter().chain((2..=4).cycle().take(LEAVES)).collect();
    let domain = Domain::new(sizes).expect("a small domain");
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let edges: Vec<Clique> = (1..=LEAVES).map(|leaf| Clique::new([0, leaf].map(AttributeId::new))).collect();
    let potentials: Vec<Factor> = edges
        .iter()
        .map(|edge| {
            let logs = (0..domain.cells(edge)).map(|_| rng.random_range(-1.0..1.0)).collect();
            Factor::new(&domain, edge.clone(), logs).expect("a value for every cell")
        })
        .collect();
    let star = CliqueVector::new(&domain, potentials.clone()).expect("cliques of the domain");
    let model = infer(&star, &[], 1.0).expect("every row is possible");
    let chunks: Vec<_> = Sampler::new(&model).sample(STAR_ROWS, 1, Sampling::LowVariance).collect();

    // By hand: rows of weights of each leaf given the centre; the centre weighs what they sum to,
    // over all leaves.
    let weights: Vec<Vec<Vec<f64>>> = potentials
        .iter()
        .map(|edge| {
            edge.values()
                .chunks(edge.sizes()[1] as usize)
                .map(|row| row.iter().map(|log| log.exp()).collect())
                .collect()
        })
        .collect();
    let sum = |leaf: usize, centre: usize| weights[leaf][centre].iter().sum::<f64>();
    let centre: Vec<f64> = (0..4).map(|centre| (0..LEAVES).map(|leaf| sum(leaf, centre)).product()).collect();
    let whole: f64 = centre.iter().sum();
    let mut worst: f64 = 0.0;
    for (left, right) in (0..LEAVES).flat_map(|left| (left + 1..LEAVES).map(move |right| (left, right))) {
        let mut exact = Vec::new();
        for a in 0..weights[left][0].len() {
            for b in 0..weights[right][0].len() {
                let given = |c: usize| weights[left][c][a] / sum(left, c) * weights[right][c][b] / sum(right, c);
                exact.push((0..4).map(|c| centre[c] / whole * given(c)).sum());
            }
        }
        let pair = Clique::new([left + 1, right + 1].map(AttributeId::new));
        let exact = Factor::new(&domain, pair, exact).expect("a value for every cell");
        worst = worst.max(distance(&domain, &exact, &chunks));
    }
    Figure::new(
        format!("siblings: worst pair of {LEAVES} leaves of a star, {STAR_ROWS} rows"),
        worst,
        "TVD",
        Bar::AtMost(0.005),
    )
}

/// Total variation distance of rows from a table of probabilities.
fn distance(domain: &Domain, marginal: &Factor, chunks: &[Vec<CodeColumn>]) -> f64 {
    let strides = cells::strides(domain, marginal.clique());
    let mut counts = vec![0_u32; marginal.values().len()];
    let mut rows = 0;
    for chunk in chunks {
        let mut cell_of = vec![0; chunk[0].len()];
        for (attribute, stride) in marginal.clique().attributes().iter().zip(&strides) {
            let codes = chunk[attribute.index()].iter();
            cell_of.iter_mut().zip(codes).for_each(|(cell, code)| *cell += code as usize * stride);
        }
        rows += cell_of.len();
        for cell in cell_of {
            counts[cell] += 1;
        }
    }
    let off = |(&count, probability): (&u32, &f64)| (f64::from(count) / rows as f64 - probability).abs();
    counts.iter().zip(marginal.values()).map(off).sum::<f64>() / 2.0
}

/// The mean over tables of the least distance that whole counts with the right means have on
/// average: a cell that expects x rows is off by 2 f (1 - f), f being the fraction of x.
fn least_error(marginals: &[Factor], rows: u64) -> f64 {
    let least = |probability: &f64| {
        let fraction = (probability * rows as f64).fract();
        fraction * (1.0 - fraction) / rows as f64
    };
    let sum: f64 = marginals.iter().flat_map(|marginal| marginal.values().iter().map(least)).sum();
    sum / marginals.len() as f64
}

/// Returns the subsets of a clique with at least this number of attributes.
fn parts(clique: &Clique, least: u32) -> Vec<Clique> {
    let part = |chosen: u32| {
        let bits = (0..).zip(clique.attributes()).filter(move |(bit, _)| chosen >> bit & 1 == 1);
        Clique::new(bits.map(|(_, &attribute)| attribute))
    };
    (1_u32..1 << clique.len()).filter(|chosen| chosen.count_ones() >= least).map(part).collect()
}

/// Tables of these cliques, with some noise.
fn measure(table: &Table, cliques: &[Clique]) -> Vec<Measurement> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let measure = |clique: &Clique| {
        let values = table.noisy(clique, STANDARD_DEVIATION, &mut rng);
        Measurement::new(&table.domain, clique.clone(), values, STANDARD_DEVIATION).expect("a sound table")
    };
    cliques.iter().map(measure).collect()
}

fn fitted(domain: &Domain, measurements: &[Measurement]) -> TreeModel {
    Estimator::new(domain.clone()).estimate(measurements).expect("a model within the limits").model
}

/// Cliques that make a tree: one attribute after the other joins the `separator` attributes of an
/// earlier clique that tell most about it. For one attribute this is a maximum spanning tree.
fn dependent_cliques(table: &Table, separator: usize) -> Vec<Clique> {
    let with = |part: &Clique, attribute| Clique::new(part.attributes().iter().copied().chain([attribute]));
    let mut left: Vec<AttributeId> = table.domain.attributes().collect();
    let mut cliques = vec![Clique::single(left.remove(0))];
    while !left.is_empty() {
        let widest = cliques.iter().map(Clique::len).max().unwrap_or(0).min(separator);
        let least = u32::try_from(widest).expect("few attributes");
        let separators: BTreeSet<Clique> =
            cliques.iter().flat_map(|clique| parts(clique, least)).filter(|part| part.len() == widest).collect();
        let candidates = separators.iter().flat_map(|part| left.iter().map(move |&attribute| (part, attribute)));
        let information = |(part, attribute): &(&Clique, AttributeId)| {
            entropy(table, part) + entropy(table, &Clique::single(*attribute)) - entropy(table, &with(part, *attribute))
        };
        let (part, attribute) = candidates
            .filter(|(part, attribute)| table.domain.cells(&with(part, *attribute)) <= CLIQUE_CELLS)
            .max_by(|left, right| information(left).total_cmp(&information(right)))
            .expect("some attribute has few codes");
        let joined = with(part, attribute);
        cliques.push(joined);
        left.retain(|&other| other != attribute);
    }
    // The first ones are parts of later ones.
    let kept = |clique: &&Clique| clique.len() == separator + 1;
    cliques.iter().filter(kept).cloned().collect()
}

fn entropy(table: &Table, clique: &Clique) -> f64 {
    let share = |count: u64| count as f64 / table.rows() as f64;
    table.count(clique).into_iter().filter(|&count| count > 0).map(|count| -share(count) * share(count).ln()).sum()
}
