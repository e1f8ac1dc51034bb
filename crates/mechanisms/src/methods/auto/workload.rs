//! Tables of a workload: rounds of their own for the model, and targets of the rows where the model
//! cannot hold them.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};

use scumble_pgm::{Measurement, RowTarget, TreeModel};
use scumble_schema::{Clique, Domain};
use scumble_vault::account::Spendable;
use scumble_vault::{Accounting, Budget, NoisyTable, Selecting, Share, Vault};

use super::learner::{Learner, measure_in_parts, noise_of, planned_deviation};
use super::options::Options;
use super::schedule::{Schedule, parts_of_pairs};
use crate::error::MechanismError;
use crate::learning::expected::expected_counts;
use crate::learning::noisy::counts;
use crate::mechanism::terms::MethodAdjacency;
use crate::mechanism::workload::subsets;

/// Share of the budget of all rounds for those of the workload.
const ROUND_SHARE: f64 = 0.7;
/// Share of the model's budget for a last measurement of the workload: for the rows where the model
/// cannot hold a table.
const FOR_LAST: Share = Share::of(1, 8).expect("a proper fraction");
/// Rounds per table of the workload, and maximum number of rounds.
const ROUNDS_PER_TABLE: f64 = 1.5;
const MAX_ROUNDS: usize = 60;
/// Weight of the heaviest candidate.
const HEAVIEST: f64 = 100.0;
/// Minimum standard deviation of the potentials of a table that rows are moved towards.
const MIN_SPREAD: f64 = 0.01;
/// Maximum number of columns of a table that rows are moved towards.
const MAX_TARGET_COLUMNS: usize = 3;

/// The tables of a workload over two or more columns, with weights.
#[derive(Debug)]
pub(super) struct Workload(Vec<(Clique, f64)>);

impl Workload {
    /// Tables of single columns are left out: every column is measured anyway.
    pub(super) fn new(tables: impl IntoIterator<Item = (Clique, f64)>) -> Self {
        Self(tables.into_iter().filter(|(table, _)| table.len() > 1).collect())
    }

    /// Number of tables, at least one.
    fn len(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.0.len()).unwrap_or(NonZeroUsize::MIN)
    }

    /// The tables.
    pub(super) fn tables(&self) -> &[(Clique, f64)] {
        &self.0
    }

    /// Splits off the budget of the last measurement; `None` without a workload.
    pub(super) fn split<M: Accounting, B: Spendable<M>>(&self, budget: B) -> (Option<B>, B) {
        if self.0.is_empty() {
            return (None, budget);
        }
        let (last, rest) = budget.split(FOR_LAST);
        (Some(last), rest)
    }

    /// Adds rounds for the workload to a schedule.
    pub(super) fn in_rounds(&self, schedule: Schedule) -> Schedule {
        if self.0.is_empty() {
            return schedule;
        }
        schedule.with_workload(self.rounds(), ROUND_SHARE)
    }

    /// Number of rounds.
    fn rounds(&self) -> usize {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ten thousand tables at most")]
        let rounds = (ROUNDS_PER_TABLE * self.0.len() as f64).round() as usize;
        rounds.clamp(1, MAX_ROUNDS)
    }

    /// Returns the tables and their subsets of two or more columns, with weights: the sum over the
    /// tables that hold a set, relative to the largest.
    pub(super) fn candidates(&self) -> BTreeMap<Clique, NonZeroU32> {
        let mut sums: BTreeMap<Clique, f64> = BTreeMap::new();
        for (table, weight) in &self.0 {
            for set in (2..=table.len()).flat_map(|size| subsets(table.attributes(), size)) {
                *sums.entry(set).or_default() += weight;
            }
        }
        let heaviest = sums.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 100")]
        let whole = |sum: f64| NonZeroU32::new((HEAVIEST * sum / heaviest).ceil() as u32).unwrap_or(NonZeroU32::MIN);
        sums.into_iter().map(|(set, sum)| (set, whole(sum))).collect()
    }

    /// Returns sets that rows can be moved towards, with weights: tables of the workload that the
    /// model does not hold, or pairs of their columns where a table is too large.
    fn across(&self, domain: &Domain, max_cells: u128, is_held: impl Fn(&Clique) -> bool) -> Vec<(Clique, f64)> {
        let mut sums: BTreeMap<Clique, f64> = BTreeMap::new();
        for (table, weight) in self.0.iter().filter(|(table, _)| !is_held(table)) {
            let is_small = |set: &Clique| domain.cells(set) <= max_cells;
            let sets = if table.len() <= MAX_TARGET_COLUMNS && is_small(table) {
                vec![table.clone()]
            } else {
                subsets(table.attributes(), 2).into_iter().filter(is_small).filter(|pair| !is_held(pair)).collect()
            };
            for set in sets {
                *sums.entry(set).or_default() += weight;
            }
        }
        sums.into_iter().collect()
    }
}

/// A budget, and the tables with weights that it measures for the rows.
pub(super) type ForTargets<A, M> = (Budget<A, M>, Vec<(Clique, f64)>);

/// Measures the tables of a workload once more that the model holds, unless there are others that
/// rows can be moved towards. Then returns the budget, and these.
///
/// # Privacy
/// One table each. Which ones follows from the workload and from released tables.
pub(super) fn measure_held<A: MethodAdjacency, M: Selecting>(
    workload: &Workload,
    learner: &mut Learner,
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    max_cells: u128,
) -> Result<Option<ForTargets<A, M>>, MechanismError> {
    let deviation = planned_deviation(vault, workload.len(), &budget);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of rows")]
    let reliable_cells = (learner.rows() / deviation) as u128;
    let is_held = learner.holding();
    let across = workload.across(learner.versions().domain(), max_cells.min(reliable_cells), &is_held);
    if !across.is_empty() {
        return Ok(Some((budget, across)));
    }
    let held = workload.0.iter().filter(|(table, _)| is_held(table));
    let (held, weights): (Vec<Clique>, Vec<f64>) = held.cloned().unzip();
    if held.is_empty() {
        return learner.measure_columns_again(vault, budget).map(|()| None);
    }
    let expected = learner.expected(held)?;
    let noise =
        |((_, expected), weight): (&(Clique, Vec<f64>), f64)| weight * noise_of(expected.iter().copied(), deviation);
    let parts = parts_of_pairs(&expected.iter().zip(weights).map(noise).collect::<Vec<_>>());
    let tables: Vec<Clique> = expected.into_iter().map(|(table, _)| table).collect();
    learner.measure_in_parts(vault, &tables, &parts, budget)?;
    Ok(None)
}

/// Measures tables that a model does not hold, and returns what rows are moved towards.
///
/// # Privacy
/// One table each. Their shares of the budget follow from released values.
pub(super) fn targets<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    model: &TreeModel,
    tables: Vec<(Clique, f64)>,
    options: &Options,
) -> Result<Vec<RowTarget>, MechanismError> {
    let (tables, weights): (Vec<Clique>, Vec<f64>) = tables.into_iter().unzip();
    let expected = expected_counts(model, &tables)?;
    let deviation = planned_deviation(vault, NonZeroUsize::new(tables.len()).unwrap_or(NonZeroUsize::MIN), &budget);
    let noise =
        expected.iter().zip(&weights).map(|(expected, weight)| weight * noise_of(expected.iter().copied(), deviation));
    let parts = parts_of_pairs(&noise.collect::<Vec<_>>());
    let measured = measure_in_parts(vault, &tables, &parts, budget)?;
    let target = |((table, clique), expected): ((&NoisyTable, Clique), Vec<f64>)| {
        let measured = Measurement::new(model.domain(), clique, counts(table), table.standard_deviation())?;
        let spread = likely_spread(measured.counts().values(), &expected, table.standard_deviation());
        RowTarget::estimate(&measured, &expected, spread.min(options.spread.unwrap_or(f64::INFINITY)))
    };
    Ok(measured.iter().zip(tables).zip(expected).map(target).collect::<Result<_, _>>()?)
}

/// Standard deviation of the potentials that a measured table has beyond expected counts, as far as
/// noise does not explain its distance from them.
///
/// The tables were not selected for their errors. Many of them differ by noise alone.
fn likely_spread(measured: &[f64], expected: &[f64], deviation: f64) -> f64 {
    let beyond_noise: f64 =
        measured.iter().zip(expected).map(|(count, expected)| (count - expected).powi(2) - deviation.powi(2)).sum();
    let squares: f64 = expected.iter().map(|count| count.powi(2)).sum();
    (beyond_noise / squares.max(1.0)).max(0.0).sqrt().max(MIN_SPREAD)
}
