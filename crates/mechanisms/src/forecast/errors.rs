//! How far tables of a model will be off, from the noise of the tables that are planned.
//!
//! A table over some columns is a sum of parts: what each column says alone, what each pair says beyond that, each triple, and so on. A
//! part over `A` has `df = product of (codes - 1)` free numbers. A measured table over `T` that holds `A`, of `c` cells with noise of
//! variance `v`, tells each of them, in the scale of the table over `S`, with variance `v c / cells(S)`; several such tables add up
//! their precisions. So noise makes the table over `S` wrong by
//!
//! ```text
//! TVD(S) = ½ √(2/π) √(Σ over A within S of df(A) / p(A)) / rows,   p(A) = Σ over tables T that hold A of 1 / (v c)
//! ```
//!
//! for all `A` that some table holds. Parts that none holds follow from the others in the model and add little noise; what the rows have
//! in them is left out, and no plan can know that. Which tables a method will choose is not known either, so `p` is an expectation: a
//! table of `k` out of `d` columns holds a given set of `j` with probability `C(k, j) / C(d, j)`.

use std::f64::consts::FRAC_2_PI;
use std::num::NonZeroU64;

use chacha20::ChaCha8Rng;
use rand::seq::index;
use scumble_schema::{AttributeId, Domain};
use serde::Serialize;

use crate::merging::non_constant_columns;
use crate::method::Method;
use crate::outline::{Drawn, Extent, PlannedTable, dice, real};
use crate::theory::Generator;

/// The largest tables that errors are told for.
const MOST_COLUMNS: usize = 5;
/// Tables that the mean is taken over, where there are more.
const DRAWN: usize = 200;

/// How far tables over so many columns will be off, in total variation: the share of rows in wrong cells, on average over such tables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OrderError {
    /// How many columns.
    pub columns: u64,
    /// What the noise of the planned tables makes.
    pub noise: f64,
    /// From the best to the worst of the benchmark tables, relative to their noise and with what the method left out of their relations.
    pub expected: Extent<f64>,
    /// There is a table on which no private generator has a smaller mean error.
    pub lower_bound: f64,
}

/// What errors follow from, besides the tables that are measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expecting<'a> {
    pub(super) domain: &'a Domain,
    pub(super) rows: NonZeroU64,
    pub(super) generator: &'a Generator,
    pub(super) method: &'a Method,
}

/// What the planned tables say of parts over so many columns.
#[derive(Debug, Clone, Copy)]
struct Knowledge {
    /// How probable it is that a table holds a part.
    held: f64,
    /// The precision of what is known of it then.
    precision: f64,
}

impl Expecting<'_> {
    /// The error of tables over a number of columns, given their noise.
    fn expected(&self, columns: usize, noise: f64) -> Extent<f64> {
        let ranges = self.method.measured_errors();
        ranges[columns.clamp(1, ranges.len()) - 1].error(noise)
    }

    /// Of a model of noisy tables.
    pub(super) fn of_tables(&self, tables: &[PlannedTable]) -> Vec<OrderError> {
        let columns = non_constant_columns(self.domain).len();
        let known: Vec<Knowledge> =
            (1..=MOST_COLUMNS.min(columns)).map(|size| knowledge(columns, size, tables)).collect();
        self.by_order(|set| noise_of(self.domain, set, &known, self.rows))
    }

    /// Of rows that are drawn from the smoothed table of all columns: some from all cells alike, and all of them by chance.
    pub(super) fn of_draws(&self, drawn: Drawn) -> Vec<OrderError> {
        self.by_order(|set| {
            let cells = real(cells(self.domain, set).into());
            let by_chance = 0.5 * (FRAC_2_PI * (cells - 1.0) / real(drawn.rows.into())).sqrt();
            (drawn.smoothing * (1.0 - 1.0 / cells) + by_chance).min(1.0)
        })
    }

    fn by_order(&self, noise: impl Fn(&[AttributeId]) -> f64) -> Vec<OrderError> {
        let columns = non_constant_columns(self.domain);
        let mut dice = dice();
        let of_order = |size: usize| {
            let sets = sets(&columns, size, &mut dice);
            let mean = |sum: f64| sum / real(sets.len() as u128);
            let noise = mean(sets.iter().map(|set| noise(set)).sum());
            let lower_bound = mean(sets.iter().map(|set| self.generator.table(cells(self.domain, set))).sum());
            let expected = self.expected(size, noise);
            OrderError { columns: size as u64, noise, expected, lower_bound }
        };
        let mut orders: Vec<OrderError> = (1..=MOST_COLUMNS.min(columns.len())).map(of_order).collect();
        // A table is at least as far off as any that it adds up to.
        let mut least = 0.0_f64;
        for order in &mut orders {
            least = least.max(order.lower_bound);
            order.lower_bound = least;
        }
        orders
    }
}

fn knowledge(columns: usize, size: usize, tables: &[PlannedTable]) -> Knowledge {
    let (mut times, mut precision) = (0.0, 0.0);
    for table in tables {
        let holds = ratio_of_ways(table.clique.len(), columns, size);
        times += holds;
        precision += holds / (table.noise.standard_deviation().powi(2) * real(table.cells.get().into()));
    }
    // A single column has a table by plan; larger sets are held by chance.
    let held = if size == 1 { times.min(1.0) } else { 1.0 - (-times).exp() };
    Knowledge { held, precision: if held > 0.0 { precision / held } else { 0.0 } }
}

/// How probable it is that `some` columns out of `all` hold a given set of `size`.
fn ratio_of_ways(some: usize, all: usize, size: usize) -> f64 {
    (0..size).map(|place| real(some.saturating_sub(place) as u128) / real((all - place) as u128)).product()
}

fn noise_of(domain: &Domain, set: &[AttributeId], known: &[Knowledge], rows: NonZeroU64) -> f64 {
    // How many free numbers there are in all parts over one column, two, and so on.
    let mut free = vec![0.0; set.len() + 1];
    free[0] = 1.0;
    for &column in set {
        let codes = f64::from(domain.size(column)) - 1.0;
        for size in (1..=set.len()).rev() {
            free[size] += free[size - 1] * codes;
        }
    }
    let parts = free[1..].iter().zip(known).filter(|(_, known)| known.precision > 0.0);
    let variance: f64 = parts.map(|(free, known)| known.held * free / known.precision).sum();
    (0.5 * FRAC_2_PI.sqrt() * variance.sqrt() / real(rows.get().into())).min(1.0)
}

/// All sets of so many columns, or some that are drawn.
fn sets(columns: &[AttributeId], size: usize, dice: &mut ChaCha8Rng) -> Vec<Vec<AttributeId>> {
    if size == 1 {
        return columns.iter().map(|&column| vec![column]).collect();
    }
    let draw = |_| index::sample(dice, columns.len(), size).into_iter().map(|place| columns[place]).collect();
    (0..DRAWN).map(draw).collect()
}

fn cells(domain: &Domain, set: &[AttributeId]) -> u64 {
    set.iter().fold(1, |cells: u64, &column| cells.saturating_mul(domain.size(column).into()))
}
