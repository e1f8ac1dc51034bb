//! The loss: the distance of a model from the measured tables.

use scumble_schema::{Clique, Domain};

use crate::error::ModelError;
use crate::measurement::Measurement;
use crate::table::clique_vector::CliqueVector;
use crate::table::factor;

/// Half the sum over all cells of squared distances to the measured values, each over its variance.
///
/// Measurements of one clique are merged into their mean, weighted by precision: the distance to
/// all of them is the distance to the mean, plus a constant.
#[derive(Debug, Clone)]
pub(crate) struct Objective {
    measured: CliqueVector,
    /// One over the variance, clique by clique.
    precisions: Vec<f64>,
    constant: f64,
    cells: usize,
}

impl Objective {
    pub(crate) fn new(domain: &Domain, measurements: &[Measurement]) -> Result<Self, ModelError> {
        let mut sorted: Vec<&Measurement> = measurements.iter().collect();
        sorted.sort_by(|left, right| left.clique().cmp(right.clique()));
        let groups: Vec<&[&Measurement]> = sorted.chunk_by(|left, right| left.clique() == right.clique()).collect();
        let cliques: Vec<Clique> = groups.iter().map(|group| group[0].clique().clone()).collect();
        let mut measured = CliqueVector::zeros(domain, cliques)?;
        let mut precisions = Vec::with_capacity(groups.len());
        let (mut constant, mut cells) = (0.0, 0);
        for (place, group) in groups.iter().enumerate() {
            let mean = measured.table_mut(place);
            let mut precision = 0.0;
            for measurement in *group {
                factor::check_length(domain, measurement.clique(), measurement.values().len())?;
                let added = 1.0 / measurement.variance();
                let together = precision + added;
                for (mean, value) in mean.iter_mut().zip(measurement.values()) {
                    let distance = value - *mean;
                    constant += 0.5 * precision * added / together * distance * distance;
                    *mean += added / together * distance;
                }
                precision = together;
                cells += mean.len();
            }
            precisions.push(precision);
        }
        Ok(Self { measured, precisions, constant, cells })
    }

    /// Returns the merged values, clique by clique in ascending order.
    pub(crate) fn measured(&self) -> &CliqueVector {
        &self.measured
    }

    /// Returns the merged values, by value.
    pub(crate) fn into_measured(self) -> CliqueVector {
        self.measured
    }

    /// Returns one over the variance of the merged values, clique by clique.
    pub(crate) fn precisions(&self) -> &[f64] {
        &self.precisions
    }

    /// Returns the merged values as one measurement per clique.
    pub(crate) fn merged(&self) -> Vec<Measurement> {
        let merged = |(place, precision): (usize, &f64)| {
            let standard_deviation = precision.sqrt().recip();
            Measurement::of(self.measured.factor(place), standard_deviation).expect("a mean of sound measurements")
        };
        self.precisions.iter().enumerate().map(merged).collect()
    }

    /// Returns the mean loss of noise alone: half a unit per measured cell.
    pub(crate) fn noise_level(&self) -> f64 {
        0.5 * self.cells as f64
    }

    /// Returns the loss of these counts, and writes its gradient.
    pub(crate) fn evaluate(&self, counts: &CliqueVector, gradient: &mut CliqueVector) -> f64 {
        let mut loss = self.constant;
        for (place, precision) in self.precisions.iter().enumerate() {
            let mut squares = 0.0;
            let cells = counts.table(place).iter().zip(self.measured.table(place));
            for (slope, (count, measured)) in gradient.table_mut(place).iter_mut().zip(cells) {
                let distance = count - measured;
                squares += distance * distance;
                *slope = precision * distance;
            }
            loss += 0.5 * precision * squares;
        }
        loss
    }

    /// Returns the factor by which these counts are nearest to the measured values, or `None` if
    /// all counts are zero.
    pub(crate) fn best_scale(&self, counts: &CliqueVector) -> Option<f64> {
        let (mut along, mut square) = (0.0, 0.0);
        for (place, precision) in self.precisions.iter().enumerate() {
            let cells = counts.table(place).iter().zip(self.measured.table(place));
            let (products, squares) = cells.fold((0.0, 0.0), |(products, squares), (count, measured)| {
                (products + count * measured, squares + count * count)
            });
            along += precision * products;
            square += precision * squares;
        }
        (square > 0.0).then(|| along / square)
    }
}
