//! Tables that rows are moved towards.

use scumble_schema::{Clique, Domain};

use super::joint_tables::JointTables;
use crate::error::ModelError;
use crate::measurement::Measurement;
use crate::table::factor::Factor;

/// Passes that scale a target to its margins. More change little.
const SCALINGS: usize = 20;
/// Newton steps for the potential of a cell.
const NEWTON_STEPS: usize = 30;
/// Smallest count expected of a cell, in standard deviations of its noise.
const MIN_COUNT_DEVIATIONS: f64 = 1e-3;

/// A table of two or three columns that rows are moved towards.
///
/// A tree model holds the tables of its cliques. Tables across cliques follow from these, and may
/// be wrong. Where such a table was measured too, rows drawn from the tree can be made to meet it:
/// two rows that agree on a separator of the tree swap the columns on one side of it, which changes
/// no table within a clique. [`Sampler::towards`](crate::Sampler::towards) does this.
#[derive(Debug, Clone, PartialEq)]
pub struct RowTarget {
    /// The share of rows in each cell.
    shares: Factor,
}

impl RowTarget {
    /// Makes a target from the share of rows in each cell, for example after reading it from a
    /// file.
    ///
    /// # Errors
    /// If the clique has fewer than two or more than three columns, or the shares are no
    /// distribution.
    pub fn new(domain: &Domain, clique: Clique, shares: Vec<f64>) -> Result<Self, ModelError> {
        let shares = Factor::new(domain, clique, shares)?;
        let is_distribution = shares.values().iter().all(|share| *share >= 0.0) && (shares.sum() - 1.0).abs() < 1e-6;
        if !(2..=3).contains(&shares.clique().len()) || !is_distribution {
            return Err(ModelError::NotADistribution { column: 0 });
        }
        Ok(Self { shares })
    }

    /// Estimates a target from a measured table and from what the rows have without it.
    ///
    /// Every cell has `expected` rows times the exponential of a potential, which has a Gaussian
    /// prior with standard deviation `spread`; the potential is the most likely one. Then the table
    /// is scaled to the margins of `expected`, which rows meet already.
    ///
    /// # Errors
    /// If `expected` has no rows, or another length than the measured table.
    pub fn estimate(measured: &Measurement, expected: &[f64], spread: f64) -> Result<Self, ModelError> {
        let mut table = measured.counts().clone();
        let found = expected.len();
        if found != table.values().len() {
            let attributes = table.clique().len();
            return Err(ModelError::WrongLength { attributes, expected: table.values().len() as u128, found });
        }
        let deviation = measured.standard_deviation();
        for (value, &expected) in table.values_mut().iter_mut().zip(expected) {
            *value = shrunk(*value, expected, deviation, spread);
        }
        let margins: Vec<Factor> = {
            let mut margins = table.clone();
            margins.values_mut().copy_from_slice(expected);
            table.clique().attributes().iter().map(|&of| margins.project(&Clique::single(of))).collect()
        };
        for _ in 0..SCALINGS {
            for margin in &margins {
                let mut ratio = table.project(margin.clique());
                for (sum, due) in ratio.values_mut().iter_mut().zip(margin.values()) {
                    *sum = if *sum > 0.0 { due / *sum } else { 0.0 };
                }
                table.multiply(&ratio);
            }
        }
        let sum = table.sum();
        if !(sum.is_finite() && sum > 0.0) {
            return Err(ModelError::NotFinite { what: "the expected rows of a target", positive: true });
        }
        table.values_mut().iter_mut().for_each(|count| *count /= sum);
        Ok(Self { shares: table })
    }

    /// Refuses targets that are too large to move rows towards.
    ///
    /// # Errors
    /// If there are too many of them, or they have too many cells together.
    pub fn check_size(domain: &Domain, targets: &[Self]) -> Result<(), ModelError> {
        let cells = || targets.iter().map(|target| target.shares.values().len() as u128).sum();
        let fit = targets.is_empty() || JointTables::of_cliques(domain, targets.iter().map(Self::clique)).is_some();
        if fit { Ok(()) } else { Err(ModelError::too_large(cells())) }
    }

    /// Returns the columns of the table.
    pub fn clique(&self) -> &Clique {
        self.shares.clique()
    }

    /// Returns the share of rows in each cell.
    pub fn shares(&self) -> &Factor {
        &self.shares
    }
}

/// Returns the most likely count of a cell: `expected` times the exponential of a potential with a
/// Gaussian prior, measured with Gaussian noise.
fn shrunk(measured: f64, expected: f64, deviation: f64, spread: f64) -> f64 {
    // A cell that no row is in may have rows all the same, if it was measured above its noise.
    let expected = expected.max(measured - deviation).max(MIN_COUNT_DEVIATIONS * deviation);
    let (precision, prior) = (1.0 / (deviation * deviation), 1.0 / (spread * spread));
    let mut potential = 0.0_f64;
    for _ in 0..NEWTON_STEPS {
        let count = expected * potential.exp();
        let gradient = precision * (count - measured) * count + prior * potential;
        // The Gauss-Newton curvature, which is never negative.
        let step = gradient / (precision * count * count + prior);
        potential -= step.clamp(-1.0, 1.0);
        if step.abs() < 1e-9 {
            break;
        }
    }
    expected * potential.exp()
}
