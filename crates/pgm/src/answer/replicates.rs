//! Fits to fresh noise, and the tables that the noise is added to.

use chacha20::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};
use scumble_schema::Clique;

use super::Bootstrap;
use crate::error::ModelError;
use crate::estimation::{Estimate, Estimator};
use crate::measurement::Measurement;
use crate::parallel;
use crate::table::factor::Factor;
use crate::tree::tree_model::TreeModel;

/// Rounds of estimating and subtracting the bias of the fit. One leaves a third of the bias in
/// sparse tables; a third changes little.
const BIAS_ROUNDS: u64 = 2;
/// Fits whose mean estimates the bias in one round.
const BIAS_REPLICATES: u64 = 20;

/// Tables that stand in for the truth, and fits to them plus noise. All are counts.
#[derive(Debug)]
pub(super) struct Replicates {
    /// The stand-in of each requested measurement. Cells may be negative: these are not counts of
    /// rows, but tables whose refits have the original fit as their mean.
    pub(super) truth: Vec<Factor>,
    /// The requested tables of every fit.
    pub(super) fits: Vec<Vec<Factor>>,
}

impl Replicates {
    /// Fits replicates, and keeps the tables of the measurements at `places`.
    pub(super) fn new(
        estimator: &Estimator,
        measurements: &[Measurement],
        estimate: &Estimate,
        places: &[usize],
        bootstrap: Bootstrap,
    ) -> Result<Self, ModelError> {
        let cliques: Vec<Clique> = measurements.iter().map(|table| table.clique().clone()).collect();
        // Every fit has its own stream, so the numbers do not depend on the threads.
        let fit = |truth: &[Factor], stream: u64| {
            let mut rng = ChaCha8Rng::seed_from_u64(bootstrap.seed);
            rng.set_stream(stream);
            let noisy = measurements.iter().zip(truth).map(|(measurement, table)| {
                let deviation = measurement.standard_deviation();
                let values = table.values().iter().map(|count| count + deviation * standard_gaussian(&mut rng));
                Measurement::new(estimate.model.domain(), measurement.clique().clone(), values.collect(), deviation)
            });
            estimator.estimate(&noisy.collect::<Result<Vec<_>, _>>()?)
        };
        let fits = |truth: &[Factor], cliques: &[Clique], round: u64, count: u64| {
            let tables = |index| counts(&fit(truth, round << 32 | index)?.model, cliques);
            parallel::map((0..count).collect::<Vec<u64>>(), tables).into_iter().collect::<Result<Vec<_>, ModelError>>()
        };

        let fitted = counts(&estimate.model, &cliques)?;
        let mut truth = fitted.clone();
        for round in 1..=BIAS_ROUNDS {
            let tables = fits(&truth, &cliques, round, BIAS_REPLICATES)?;
            for (place, table) in truth.iter_mut().enumerate() {
                let mean = mean(tables.iter().map(|tables| &tables[place]), BIAS_REPLICATES);
                for (cell, (fitted, mean)) in table.values_mut().iter_mut().zip(fitted[place].values().iter().zip(mean))
                {
                    *cell += fitted - mean;
                }
            }
        }
        let asked: Vec<Clique> = places.iter().map(|&place| cliques[place].clone()).collect();
        let fits = fits(&truth, &asked, 0, bootstrap.replicates as u64)?;
        Ok(Self { truth: places.iter().map(|&place| truth[place].clone()).collect(), fits })
    }
}

/// Returns the model's tables of these cliques, in counts.
pub(super) fn counts(model: &TreeModel, cliques: &[Clique]) -> Result<Vec<Factor>, ModelError> {
    let mut tables = model.marginals(cliques)?;
    for cell in tables.iter_mut().flat_map(Factor::values_mut) {
        *cell *= model.total();
    }
    Ok(tables)
}

fn mean<'a>(tables: impl Iterator<Item = &'a Factor>, count: u64) -> Vec<f64> {
    let mut sum = Vec::new();
    for table in tables {
        sum.resize(table.values().len(), 0.0);
        sum.iter_mut().zip(table.values()).for_each(|(sum, value)| *sum += value);
    }
    let count = count as f64;
    sum.into_iter().map(|sum: f64| sum / count).collect()
}

/// Draws a standard Gaussian number (Box and Muller). It protects nobody: the tables are released.
fn standard_gaussian(rng: &mut impl Rng) -> f64 {
    // In (0, 1], so that the logarithm is finite.
    let radius = 1.0 - rng.random::<f64>();
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}
