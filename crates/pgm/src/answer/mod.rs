//! Marginals with error bars.
//!
//! # Method
//! A parametric bootstrap. Tables that stand in for the truth get fresh Gaussian noise with each
//! measurement's own standard deviation, and the model is fitted again, about 40 times. The errors
//! of these fits against the stand-in estimate the error of the original fit against the truth.
//!
//! - **The stand-in** is the fitted model, less the bias of fitting. Counts are not negative, so a
//!   fit to a sparse table moves rows from full cells to empty ones, and a fit to that fit moves
//!   fewer. Bars from the fit itself would be too narrow for sums over many cells. So the stand-in
//!   moves twice by the difference between the original fit and the mean of 20 refits.
//! - **A bar** is an order statistic. If the true error and those of `n` replicates were draws from
//!   one distribution, the true one would be at most the `k`-th smallest of the others with
//!   probability `k / (n + 1)`, whatever that distribution is; `k` is the least for which this
//!   reaches the level.
//! - **Near zero**, replicates of a cell cannot show how many rows may be missing from it, because
//!   they start with none. So a cell whose estimate is near zero gets at least the bar that the
//!   noise on the measured tables has without any model.
//!
//! # Limits
//! - The bars are about noise, not about how well the model's tree describes the data. So only
//!   measured cliques have bars: a clique inside a measured one is fitted directly, however wrong
//!   the model is elsewhere.
//! - Coverage is measured (`figures pgm coverage` of `benchmarks/`), not proved, because the
//!   stand-in is not the truth.
//! - A bar is for one cell, or for the distance of one table. A statement about many cells at once
//!   needs a higher level.
//! - The set of measured tables is taken as given. If the same noisy values selected it, bars are
//!   too narrow.

mod bounds;
mod replicates;
#[cfg(test)]
mod tests;

use scumble_schema::Clique;

use crate::error::ModelError;
use crate::estimation::{Estimate, Estimator};
use crate::measurement::Measurement;
use crate::table::factor::Factor;
use crate::tree::tree_model::TreeModel;
use replicates::{Replicates, counts};

/// Options of [`ErrorBars`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// Probability with which a bar should hold, between zero and one.
    pub level: f64,
    /// Number of fits that the bars are computed from, at least `level / (1 - level)`.
    pub replicates: usize,
    /// Seed of the replicates' noise. Equal seeds give equal bars.
    pub seed: u64,
}

/// Error bars for the marginals of an estimate, from fits to fresh noise.
///
/// ```
/// use scumble_pgm::{Answer, Bootstrap, ErrorBars, Estimator, Measurement};
/// use scumble_schema::{AttributeId, Clique, Domain};
///
/// let domain = Domain::new(vec![2, 2])?;
/// let both = Clique::new(domain.attributes());
/// let measured = [Measurement::new(&domain, both, vec![410.0, 95.0, 107.0, 388.0], 10.0)?];
/// let estimator = Estimator::new(domain);
/// let estimate = estimator.estimate(&measured)?;
///
/// let bars = ErrorBars::new(&estimator, &measured, &estimate, Bootstrap::default())?;
/// let Answer::Measured(first) = bars.answer(&Clique::single(AttributeId::new(0)))? else { panic!("measured") };
/// let (low, high) = first.interval(0);
/// assert!(low < 505.0 && 505.0 < high);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ErrorBars<'a> {
    model: &'a TreeModel,
    bootstrap: Bootstrap,
    /// Every measured clique, with the standard deviation of the noise on its cells.
    tables: Vec<(Clique, f64)>,
    /// The maximal measured cliques, smallest first, in the order of the replicates' tables.
    largest: Vec<Clique>,
    replicates: Replicates,
}

/// The estimate of a clique's table, with bars if it was measured.
///
/// Only [`Answer::Measured`] has bars, so a caller cannot read bars of a table that was never
/// measured.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The clique is inside a measured one.
    Measured(Measured),
    /// The clique is inside no measured one: the model derives the estimate from other tables.
    NotMeasured(NotMeasured),
}

/// An estimate with error bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    estimate: Factor,
    bars: Vec<f64>,
    distance: f64,
}

/// An estimate without error bars, and the bounds that follow from measured tables.
#[derive(Debug, Clone, PartialEq)]
pub struct NotMeasured {
    estimate: Factor,
    bounds: Vec<(f64, f64)>,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { level: 0.95, replicates: 40, seed: 0 }
    }
}

impl Bootstrap {
    /// Returns the rank of the replicates' error that is the bar: the least that bounds one more
    /// error with probability `level`.
    fn rank(self) -> Option<usize> {
        let reaches = |rank: &usize| *rank as f64 >= self.level * (self.replicates as f64 + 1.0);
        (1..=self.replicates).find(reaches).filter(|_| self.level > 0.0)
    }
}

impl Answer {
    /// Returns the model's estimate, in counts.
    pub fn estimate(&self) -> &Factor {
        match self {
            Self::Measured(Measured { estimate, .. }) | Self::NotMeasured(NotMeasured { estimate, .. }) => estimate,
        }
    }
}

impl Measured {
    /// Returns the model's estimate, in counts.
    pub fn estimate(&self) -> &Factor {
        &self.estimate
    }

    /// Returns the bar of each cell: the largest error of its count, in either direction, at the
    /// level.
    pub fn bars(&self) -> &[f64] {
        &self.bars
    }

    /// Returns the interval that holds the true count of a cell, at the level.
    pub fn interval(&self, cell: usize) -> (f64, f64) {
        let (estimate, bar) = (self.estimate.values()[cell], self.bars[cell]);
        ((estimate - bar).max(0.0), estimate + bar)
    }

    /// Returns the largest total variation distance from the true table, at the level: half the
    /// sum over all cells of the difference in shares.
    pub fn total_variation(&self) -> f64 {
        self.distance
    }
}

impl NotMeasured {
    /// Returns the model's estimate, in counts. Only the [bounds](Self::bounds) limit its error.
    pub fn estimate(&self) -> &Factor {
        &self.estimate
    }

    /// Returns the Fréchet bounds of each cell's true count: they hold if the intervals of the
    /// measured tables do.
    ///
    /// A cell has at most the rows of any measured cell that contains it. If two measured cells lie
    /// in a third, their intersection has at least as many rows as the two have together beyond
    /// those of the third.
    pub fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }
}

impl<'a> ErrorBars<'a> {
    /// Fits the replicates, on all processors. `estimate` must be the estimator's fit to these
    /// measurements.
    ///
    /// # Errors
    /// [`ModelError::TooFewReplicates`] if the replicates are too few for the level, or the level
    /// is not between zero and one; and the errors of [`Estimator::estimate`].
    pub fn new(
        estimator: &Estimator,
        measurements: &[Measurement],
        estimate: &'a Estimate,
        bootstrap: Bootstrap,
    ) -> Result<Self, ModelError> {
        if bootstrap.rank().is_none() {
            return Err(ModelError::TooFewReplicates { replicates: bootstrap.replicates });
        }
        let model = &estimate.model;
        let clique = |place: usize| measurements[place].clique();
        let mut places: Vec<usize> = (0..measurements.len()).collect();
        places.sort_by_key(|&place| (clique(place).len(), model.domain().cells(clique(place)), clique(place)));
        let is_largest = |position: &usize| {
            !places[position + 1..].iter().any(|&later| clique(later).holds(clique(places[*position])))
        };
        let places: Vec<usize> = (0..places.len()).filter(is_largest).map(|position| places[position]).collect();
        let replicates = Replicates::new(estimator, measurements, estimate, &places, bootstrap)?;
        let largest = places.into_iter().map(|place| clique(place).clone()).collect();
        let tables = measurements.iter().map(|table| (table.clique().clone(), table.standard_deviation())).collect();
        Ok(Self { model, bootstrap, tables, largest, replicates })
    }

    /// Returns the estimate of a clique's table, with bars if a measured clique holds it.
    pub fn answer(&self, clique: &Clique) -> Result<Answer, ModelError> {
        let estimate = self.estimate(clique)?;
        match self.largest.iter().position(|measured| measured.holds(clique)) {
            Some(place) => Ok(Answer::Measured(self.measured(estimate, place))),
            None => self.not_measured(estimate).map(Answer::NotMeasured),
        }
    }

    /// Returns the model's table of a clique, in counts.
    fn estimate(&self, clique: &Clique) -> Result<Factor, ModelError> {
        Ok(counts(self.model, std::slice::from_ref(clique))?.pop().expect("one clique, one table"))
    }

    /// Returns the answer for a subset of the maximal measured clique at `place`.
    fn measured(&self, estimate: Factor, place: usize) -> Measured {
        let rank = self.bootstrap.rank().expect("checked before the replicates are fitted");
        let truth = self.replicates.truth[place].project(estimate.clique());
        let fits: Vec<Factor> =
            self.replicates.fits.iter().map(|tables| tables[place].project(estimate.clique())).collect();
        let mut errors = vec![0.0; fits.len()];
        let mut at_rank = |error: &dyn Fn(&Factor) -> f64| {
            for (found, fit) in errors.iter_mut().zip(&fits) {
                *found = error(fit);
            }
            *errors.select_nth_unstable_by(rank - 1, f64::total_cmp).1
        };
        let reach = self.reach(estimate.clique());
        let bar = |(cell, &count): (usize, &f64)| {
            let bar = at_rank(&|fit| (fit.values()[cell] - truth.values()[cell]).abs());
            if count < reach { bar.max(reach) } else { bar }
        };
        let bars = estimate.values().iter().enumerate().map(bar).collect();
        let distance = at_rank(&|fit| total_variation(fit, &truth));
        Measured { estimate, bars, distance }
    }

    /// Returns how far noise alone moves a cell of a clique, at the level, in the weighted mean of
    /// all tables that hold the clique.
    fn reach(&self, clique: &Clique) -> f64 {
        let domain = self.model.domain();
        // A cell of the clique is a sum of cells of a larger table, and the variances add up too.
        let precision = |(measured, deviation): &(Clique, f64)| {
            let summed = (domain.cells(measured) / domain.cells(clique)) as f64;
            1.0 / (deviation * deviation * summed)
        };
        let tables = self.tables.iter().filter(|(measured, _)| measured.holds(clique));
        gaussian_reach(self.bootstrap.level) / tables.map(precision).sum::<f64>().sqrt()
    }
}

/// Returns the number of standard deviations around its mean that hold a Gaussian number with
/// probability `level`, by numerical integration of the density.
fn gaussian_reach(level: f64) -> f64 {
    const STEP: f64 = 1e-4;
    /// Beyond this the probability rounds to one.
    const MAX_REACH: f64 = 9.0;
    let (mut reach, mut probability) = (0.0, 0.0);
    while probability < level && reach < MAX_REACH {
        let middle: f64 = reach + STEP / 2.0;
        probability += 2.0 * STEP * (-middle * middle / 2.0).exp() / std::f64::consts::TAU.sqrt();
        reach += STEP;
    }
    reach
}

fn total_variation(left: &Factor, right: &Factor) -> f64 {
    let (left_rows, right_rows) = (left.sum(), right.sum());
    let pairs = left.values().iter().zip(right.values());
    0.5 * pairs.map(|(left, right)| (left / left_rows - right / right_rows).abs()).sum::<f64>()
}
