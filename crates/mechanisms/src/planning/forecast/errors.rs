//! Expected errors of a model's tables, from the noise of the planned tables.
//!
//! A table over some columns is a sum of effects: of each column, of each pair beyond that, of each
//! triple, and so on. The effect of `A` has `df = product of (codes - 1)` degrees of freedom. A
//! measured table over `T` that contains `A`, of `c` cells with noise of variance `v`, determines
//! each of them, in the scale of the table over `S`, with variance `v c / cells(S)`; the precisions
//! of several such tables add up. So noise gives the table over `S` an error of
//!
//! ```text
//! TVD(S) = ½ √(2/π) √(Σ over A within S of df(A) / p(A)) / rows
//! p(A) = Σ over tables T that contain A of 1 / (v c)
//! ```
//!
//! for all `A` that some table contains. Effects that no table contains follow from the others in
//! the model and add little noise; what they are in the rows is left out, and no plan can know
//! that. Which tables a method selects is not known either, so `p` is an expectation: a table of
//! `k` out of `d` columns contains a given set of `j` with probability `C(k, j) / C(d, j)`.

use std::f64::consts::FRAC_2_PI;
use std::num::NonZeroU64;

use chacha20::ChaCha8Rng;
use rand::seq::index;
use scumble_schema::{AttributeId, Domain};
use serde::Serialize;

use crate::learning::merging::non_constant_columns;
use crate::mechanism::method::Method;
use crate::planning::outline::{Extent, PlannedDraws, PlannedTable, plan_rng, real};
use crate::planning::theory::Generator;

/// Maximum number of columns of tables whose errors are forecast.
const MAX_TABLE_COLUMNS: usize = 5;
/// Number of random tables that a mean is taken over.
const SAMPLED_TABLES: usize = 200;

/// Mean error of tables over a number of columns, in total variation: the share of rows in wrong
/// cells.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OrderError {
    /// Number of columns.
    pub columns: u64,
    /// Error due to the noise of the planned tables.
    pub noise: f64,
    /// Error including relations that the method leaves out, from the best to the worst of the
    /// benchmark tables.
    pub expected: Extent<f64>,
    /// Lower bound: there is a table on which no private generator has a smaller mean error.
    pub lower_bound: f64,
}

/// Facts that errors follow from, besides the planned tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct ErrorForecast<'a> {
    pub(super) domain: &'a Domain,
    pub(super) rows: NonZeroU64,
    pub(super) generator: &'a Generator,
    pub(super) method: &'a Method,
}

/// Expected precision of effects over a number of columns.
#[derive(Debug, Clone, Copy)]
struct EffectPrecision {
    /// Probability that some table contains an effect.
    held: f64,
    /// Precision of the effect in that case.
    precision: f64,
}

impl ErrorForecast<'_> {
    /// Returns the error of tables over a number of columns, given their noise.
    fn expected(&self, columns: usize, noise: f64) -> Extent<f64> {
        let ranges = self.method.measured_errors();
        ranges[columns.clamp(1, ranges.len()) - 1].error(noise)
    }

    /// Forecasts the errors of a model of noisy tables.
    pub(super) fn of_tables(&self, tables: &[PlannedTable]) -> Vec<OrderError> {
        let columns = non_constant_columns(self.domain).len();
        let precisions: Vec<EffectPrecision> =
            (1..=MAX_TABLE_COLUMNS.min(columns)).map(|size| effect_precision(columns, size, tables)).collect();
        self.by_order(|set| noise_of(self.domain, set, &precisions, self.rows))
    }

    /// Forecasts the errors of rows drawn from the smoothed table of all columns: due to smoothing,
    /// and to the randomness of draws.
    pub(super) fn of_draws(&self, drawn: PlannedDraws) -> Vec<OrderError> {
        self.by_order(|set| {
            let cells = real(cells(self.domain, set).into());
            let by_chance = 0.5 * (FRAC_2_PI * (cells - 1.0) / real(drawn.rows.into())).sqrt();
            (drawn.smoothing * (1.0 - 1.0 / cells) + by_chance).min(1.0)
        })
    }

    fn by_order(&self, noise: impl Fn(&[AttributeId]) -> f64) -> Vec<OrderError> {
        let columns = non_constant_columns(self.domain);
        let mut rng = plan_rng();
        let of_order = |size: usize| {
            let sets = sets(&columns, size, &mut rng);
            let mean = |sum: f64| sum / real(sets.len() as u128);
            let noise = mean(sets.iter().map(|set| noise(set)).sum());
            let lower_bound = mean(sets.iter().map(|set| self.generator.table(cells(self.domain, set))).sum());
            let expected = self.expected(size, noise);
            OrderError { columns: size as u64, noise, expected, lower_bound }
        };
        let mut orders: Vec<OrderError> = (1..=MAX_TABLE_COLUMNS.min(columns.len())).map(of_order).collect();
        // A table has at least the error of any of its marginals.
        let mut least = 0.0_f64;
        for order in &mut orders {
            least = least.max(order.lower_bound);
            order.lower_bound = least;
        }
        orders
    }
}

fn effect_precision(columns: usize, size: usize, tables: &[PlannedTable]) -> EffectPrecision {
    let (mut times, mut precision) = (0.0, 0.0);
    for table in tables.iter().filter(|table| !table.is_parity || table.clique.len() == size) {
        let holds = ratio_of_ways(table.clique.len(), columns, size);
        times += holds;
        precision += holds / (table.noise.standard_deviation().powi(2) * real(table.cells.get().into()));
    }
    // A single column has a planned table; larger sets are in a table by chance, but parities are
    // planned.
    let is_planned = size == 1 || tables.iter().any(|table| table.is_parity);
    let held = if is_planned { times.min(1.0) } else { 1.0 - (-times).exp() };
    EffectPrecision { held, precision: if held > 0.0 { precision / held } else { 0.0 } }
}

/// Probability that `some` random columns out of `all` contain a given set of `size`.
fn ratio_of_ways(some: usize, all: usize, size: usize) -> f64 {
    (0..size).map(|place| real(some.saturating_sub(place) as u128) / real((all - place) as u128)).product()
}

fn noise_of(domain: &Domain, set: &[AttributeId], precisions: &[EffectPrecision], rows: NonZeroU64) -> f64 {
    // Degrees of freedom of all effects of one column, two, and so on.
    let mut free = vec![0.0; set.len() + 1];
    free[0] = 1.0;
    for &column in set {
        let codes = f64::from(domain.size(column)) - 1.0;
        for size in (1..=set.len()).rev() {
            free[size] += free[size - 1] * codes;
        }
    }
    let effects = free[1..].iter().zip(precisions).filter(|(_, effect)| effect.precision > 0.0);
    let variance: f64 = effects.map(|(free, effect)| effect.held * free / effect.precision).sum();
    (0.5 * FRAC_2_PI.sqrt() * variance.sqrt() / real(rows.get().into())).min(1.0)
}

/// Returns all single columns, or random sets of more columns.
fn sets(columns: &[AttributeId], size: usize, rng: &mut ChaCha8Rng) -> Vec<Vec<AttributeId>> {
    if size == 1 {
        return columns.iter().map(|&column| vec![column]).collect();
    }
    let draw = |_| index::sample(rng, columns.len(), size).into_iter().map(|place| columns[place]).collect();
    (0..SAMPLED_TABLES).map(draw).collect()
}

fn cells(domain: &Domain, set: &[AttributeId]) -> u64 {
    set.iter().fold(1, |cells: u64, &column| cells.saturating_mul(domain.size(column).into()))
}
