//! Real releases of a [`Vault`], and the law that the event in its certificate states for each.
//!
//! Shared by the tests and by the example that prints the smallest error of scale that they detect.
#![allow(dead_code, reason = "each user of this file needs a part of it")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub,
    reason = "statistics of about 10^6 draws, for tests"
)]

use std::num::{NonZeroU32, NonZeroUsize};

use scumble_schema::{AttributeId, Clique, Domain};
use scumble_vault::account::{Mechanism, RowDrawing, Selecting};
use scumble_vault::score::L1Error;
use scumble_vault::{
    Accounting, AccountingKind, Adjacency, Budget, CountTable, Event, MarginalSource, Private, ReplaceOne, SourceError,
    Vault,
};

use crate::rows::goal;
use crate::support::{Bins, LEAST_P, Law, p_value};

/// Number of draws of noise per law: enough to detect an error of 2 percent in the scale.
pub const DRAWS: usize = 1 << 20;
/// Scores per release.
const SCORES: usize = 1 << 14;
/// Selections per law.
const SELECTIONS: usize = 80_000;
/// Candidates of a selection besides the best one.
const OTHERS: usize = 64;
/// Number of rows that are drawn from a smoothed histogram.
const ROWS: u64 = 1 << 19;
/// Number of cells of the histogram.
const CELLS: u32 = 8;
/// Number of rows of the histogram, which is public.
const PUBLIC_ROWS: u64 = 10_000_000;
/// Number of standard deviations beyond which lies one normal draw in 10^9.
pub const FAR: f64 = 6.11;

/// A source whose counts are known to the test: cell `i` of any table holds `i % 7` rows.
struct Pattern(Domain);

impl Pattern {
    fn count_of(cell: usize) -> i64 {
        (cell % 7) as i64
    }
}

impl MarginalSource for Pattern {
    fn domain(&self) -> &Domain {
        &self.0
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let table = |clique: &Clique| {
            let cells = self.0.table_len(clique).expect("tables of the test are within limits");
            CountTable::new(clique.clone(), (0..cells).map(|cell| Self::count_of(cell) as u64).collect())
        };
        Ok(Private::new(cliques.iter().map(table).collect()))
    }
}

/// A source with all rows in the first cell.
struct Concentrated(Domain);

impl MarginalSource for Concentrated {
    fn domain(&self) -> &Domain {
        &self.0
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let table = |clique: &Clique| {
            let mut counts = vec![0; self.0.table_len(clique).expect("tables of the test are within limits")];
            counts[0] = PUBLIC_ROWS;
            CountTable::new(clique.clone(), counts)
        };
        Ok(Private::new(cliques.iter().map(table).collect()))
    }
}

fn delta(accounting: AccountingKind) -> f64 {
    if accounting == AccountingKind::Pure { 0.0 } else { 1e-9 }
}

/// Opens a vault over the pattern: column 0 has two codes, column 1 has [`DRAWS`].
pub fn open<A: Adjacency, M: Accounting>(epsilon: f64, m: u32) -> (Vault<A, M>, Budget<A, M>) {
    let domain = Domain::new(vec![2, DRAWS as u32]).expect("two columns");
    let unit = NonZeroU32::new(m).expect("a unit has a row");
    Vault::open(Box::new(Pattern(domain)), goal(epsilon, delta(M::KIND)), unit).expect("a goal that allows releases")
}

pub fn column(index: usize) -> Clique {
    Clique::single(AttributeId::new(index))
}

fn parts<A: Adjacency, M: Accounting>(budget: Budget<A, M>, count: usize) -> Vec<Budget<A, M>> {
    budget.split_evenly(NonZeroUsize::new(count).expect("at least one"))
}

/// Returns the noise of one table with [`DRAWS`] cells.
pub fn table_noise<A: Adjacency, M: Accounting>(vault: &mut Vault<A, M>, budget: Budget<A, M>) -> Vec<i64> {
    let released = vault.measure(&[column(1)], budget).expect("a table");
    let cells = released[0].values().iter().enumerate();
    cells.map(|(cell, value)| value - Pattern::count_of(cell)).collect()
}

/// Returns candidates of known exact scores: column 0 counts `[0, 1]`, so against `[e, 1]` the L1
/// error is `e`.
pub fn candidates(errors: impl Iterator<Item = u64>) -> Vec<L1Error> {
    errors.map(|error| L1Error::against(column(0), &[error as f64, 1.0]).expect("a comparable number")).collect()
}

/// Returns the noise of one release of scores, in units of their lattice.
pub fn score_noise<A: Adjacency, M: Accounting>(vault: &mut Vault<A, M>, budget: Budget<A, M>) -> Vec<i64>
where
    L1Error: scumble_vault::score::Score<A>,
{
    let errors = || (0..SCORES as u64).map(|index| index % 1000);
    let released = vault.measure_scores(&candidates(errors()), budget).expect("scores");
    let noise = |(value, error): (&f64, u64)| ((value - error as f64) * 1024.0).round() as i64;
    released.values().iter().zip(errors()).map(noise).collect()
}

/// Drawn noise, in bins of the law that its event states.
pub struct Drawn {
    scale: f64,
    bins: Bins,
    counts: Vec<u64>,
}

impl Drawn {
    /// Counts noise in bins of the law of its event.
    pub fn noise(event: &Event, noise: impl ExactSizeIterator<Item = i64>) -> Self {
        let (law, scale) = match event.mechanism() {
            Mechanism::RoundedGaussian { sigma, .. } => (Law::RoundedGaussian, sigma.to_f64()),
            Mechanism::DiscreteLaplace { scale, .. } => (Law::DiscreteLaplace, scale.to_f64()),
            mechanism => panic!("noise was asked for: {mechanism:?}"),
        };
        let bins = Bins::new(law, scale, noise.len() as u64);
        let mut counts = vec![0; bins.len()];
        for number in noise {
            counts[bins.index(number)] += 1;
        }
        Self { scale, bins, counts }
    }
}

/// Releases that can be tested against a law.
pub trait Lawful {
    /// Returns whether the releases agree with the law of the event with its scale times `factor`,
    /// at a level of 10^-9.
    fn agrees(&self, factor: f64) -> bool;
}

impl Lawful for Drawn {
    fn agrees(&self, factor: f64) -> bool {
        p_value(&self.counts, &self.bins.probabilities(self.scale * factor)) > LEAST_P
    }
}

/// Outcomes of which the first is favoured by a scale, and the others are equally likely.
pub struct Favoured {
    /// Number of releases of each outcome.
    pub counts: Vec<u64>,
    /// For each release, in order: whether it was the first outcome.
    pub firsts: Vec<bool>,
    /// Probability of the first outcome, as a function of the factor on the stated scale.
    pub first: Box<dyn Fn(f64) -> f64>,
}

impl Favoured {
    fn new(outcomes: impl Iterator<Item = usize>, kinds: usize, first: impl Fn(f64) -> f64 + 'static) -> Self {
        let mut counts = vec![0; kinds];
        let mut firsts = Vec::new();
        for outcome in outcomes {
            counts[outcome] += 1;
            firsts.push(outcome == 0);
        }
        Self { counts, firsts, first: Box::new(first) }
    }

    /// Returns the excess of agreement of successive outcomes over independent ones, in standard
    /// deviations.
    pub fn dependence(&self) -> f64 {
        let (pairs, p) = (self.firsts.len() as f64 / 2.0, (self.first)(1.0));
        let equal = self.firsts.chunks_exact(2).filter(|pair| pair[0] == pair[1]).count() as f64;
        let expected = p * p + (1.0 - p) * (1.0 - p);
        (equal - pairs * expected) / (pairs * expected * (1.0 - expected)).sqrt()
    }
}

impl Lawful for Favoured {
    fn agrees(&self, factor: f64) -> bool {
        let (all, p) = (self.firsts.len() as f64, (self.first)(factor));
        let far = (self.counts[0] as f64 - all * p) / (all * p * (1.0 - p)).sqrt();
        let others = vec![1.0 / (self.counts.len() - 1) as f64; self.counts.len() - 1];
        far.abs() < FAR && p_value(&self.counts[1..], &others) > LEAST_P
    }
}

/// Releases a table of a million cells.
pub fn tables<A: Adjacency, M: Accounting>(m: u32) -> Drawn {
    let (mut vault, budget) = open::<A, M>(1.0, m);
    let noise = table_noise(&mut vault, budget);
    let certificate = vault.close();
    certificate.verify().expect("a certificate that holds");
    Drawn::noise(&certificate.events()[0], noise.into_iter())
}

/// Releases a million scores in several releases of one scale.
pub fn scores<A: Adjacency, M: Accounting>(m: u32) -> Drawn
where
    L1Error: scumble_vault::score::Score<A>,
{
    let (mut vault, budget) = open::<A, M>(100.0, m);
    let noise: Vec<i64> =
        parts(budget, DRAWS / SCORES).into_iter().flat_map(|part| score_noise(&mut vault, part)).collect();
    let certificate = vault.close();
    certificate.verify().expect("a certificate that holds");
    let [first, .., last] = certificate.events() else { panic!("several releases") };
    assert_eq!(first.mechanism(), last.mechanism(), "all have the same scale");
    Drawn::noise(first, noise.into_iter())
}

/// Releases many selections of one epsilon, with one candidate ahead by enough to be selected half
/// of the time.
pub fn selections<A: Adjacency, M: Selecting>(m: u32) -> Favoured
where
    L1Error: scumble_vault::score::Score<A>,
{
    let (mut vault, budget) = open::<A, M>(1.0, m);
    let parts = parts(budget, SELECTIONS);
    let epsilon = vault.planned_epsilon(parts[0].amount()).expect("a usable epsilon").to_f64();
    // One row moves an L1 error by one, and by two where it is replaced.
    let moved = f64::from(m) * if A::KIND == scumble_schema::AdjacencyKind::AddRemove { 1.0 } else { 2.0 };
    let ahead = ((OTHERS as f64).ln() * 2.0 * moved / epsilon).round() as u64;
    let candidates = candidates(std::iter::once(ahead).chain(std::iter::repeat_n(0, OTHERS)));
    let outcomes: Vec<usize> =
        parts.into_iter().map(|part| *vault.select(&candidates, part).expect("a selection")).collect();
    let certificate = vault.close();
    certificate.verify().expect("a certificate that holds");
    let Mechanism::Exponential { sensitivity, epsilon } = certificate.events()[0].mechanism() else {
        panic!("a selection is an exponential mechanism");
    };
    let exponent = epsilon.to_f64() * (ahead * 1024) as f64 / (2.0 * sensitivity as f64);
    let first = move |factor: f64| 1.0 / (1.0 + OTHERS as f64 * (-exponent * factor).exp());
    Favoured::new(outcomes.into_iter(), OTHERS + 1, first)
}

/// Draws rows from a histogram with all rows in one cell, smoothed by about one half.
pub fn rows<M: RowDrawing>(m: u32) -> Favoured {
    let unit = NonZeroU32::new(m).expect("a unit has a row");
    let ln_r = (f64::from(CELLS) * f64::from(m) / PUBLIC_ROWS as f64).ln_1p();
    let epsilon = match M::KIND {
        AccountingKind::Pure => ROWS as f64 * ln_r,
        accounting => {
            let rho = ROWS as f64 * ln_r * ln_r / 2.0;
            let goal = goal(1.0, delta(accounting));
            accounting.epsilon((rho * 2_f64.powi(96)) as u128, goal.delta).expect("a small epsilon").get()
        }
    };
    let domain = Domain::new(vec![CELLS]).expect("a column");
    let source = Box::new(Concentrated(domain));
    let (mut vault, budget) =
        Vault::<ReplaceOne, M>::open(source, goal(epsilon, delta(M::KIND)), unit).expect("a vault");
    let drawn = vault.draw_rows(&column(0), ROWS, budget).expect("rows");
    let certificate = vault.close();
    certificate.verify().expect("a certificate that holds");
    let Mechanism::SmoothedHistogram(smoothing) = certificate.events()[0].mechanism() else {
        panic!("rows are drawn from a smoothed histogram");
    };
    let s = f64::from(smoothing.smoothing.get()) / 2_f64.powi(32);
    assert!((0.3..0.7).contains(&s), "the test is made for a smoothing of about one half, not {s}");
    let first = move |factor: f64| 1.0 - s * factor * (1.0 - 1.0 / f64::from(CELLS));
    Favoured::new(drawn.iter().map(|&cell| cell as usize), CELLS as usize, first)
}

/// Returns the correlation of two sequences of noise, in standard deviations.
pub fn correlation(left: &[i64], right: &[i64]) -> f64 {
    let pairs = || left.iter().zip(right).map(|(&left, &right)| (left as f64, right as f64));
    let (mut product, mut squares) = (0.0, (0.0, 0.0));
    for (left, right) in pairs() {
        product += left * right;
        squares = (squares.0 + left * left, squares.1 + right * right);
    }
    product / (squares.0 * squares.1).sqrt() * (pairs().count() as f64).sqrt()
}
