//! The distribution that fits noisy tables best.

mod memory;
mod mirror_descent;
mod objective;
mod oracle;
mod problem;
mod proximal;
mod scaling;
mod shrunk;

use scumble_schema::{Domain, limits};

use crate::error::ModelError;
use crate::inference::zeros::StructuralZeros;
use crate::measurement::Measurement;
use crate::table::clique_vector::CliqueVector;
use crate::total;
use crate::tree::tree_model::TreeModel;
use objective::Objective;
use oracle::Oracle;
use problem::{Problem, Start};

/// The number of rows of the fitted model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Total {
    /// Not known: it is fitted with the rest.
    #[default]
    Free,
    /// Known beforehand: a public number of rows, or one that was released.
    Fixed(f64),
}

/// How the best distribution is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Search {
    /// Sweeps of iterative scaling, then proximal stages solved by a quasi-Newton method on the dual.
    #[default]
    Proximal,
    /// Mirror descent with a line search.
    MirrorDescent,
    /// Not for the least loss, but for potentials that are small where noise hides what they should be: much nearer to the
    /// truth where noise is as large as counts.
    Shrunk {
        /// How large potentials are expected to be: above zero. One is a factor of 2.7 up or down.
        spread: f64,
    },
}

/// When a search for the best distribution may end: as soon as one of these holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Stop when the loss is below this share of what noise alone makes of it (half a unit per measured cell).
    pub at_noise: Option<f64>,
    /// Stop when the loss has ceased to fall: fifty steps of mirror descent, or a proximal stage that is solved to within as
    /// much, gain no more than this share of the noise level. A shrunk search stops when it is solved to within as much.
    pub settled: f64,
    /// Stop after so many passes over the tree.
    pub passes: usize,
}

impl Default for Stop {
    fn default() -> Self {
        Self { at_noise: None, settled: 1e-3, passes: 2_000 }
    }
}

/// Which rule of [`Stop`] ended a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The loss is down to the noise level asked for.
    AtNoise,
    /// The loss has ceased to fall.
    Settled,
    /// The passes are used up.
    OutOfPasses,
}

/// Fits distributions to noisy tables: finds the one whose tables are nearest to all measured ones together, each weighed by its noise.
///
/// ```
/// use scumble_pgm::{Estimator, Measurement, Total};
/// use scumble_schema::{AttributeId, Clique, Domain};
///
/// let domain = Domain::new(vec![2])?;
/// let column = Clique::single(AttributeId::new(0));
/// // Two measurements of one column; the second has a third of the noise, and nine times the weight.
/// let measured = [
///     Measurement::new(&domain, column.clone(), vec![70.0, 30.0], 3.0)?,
///     Measurement::new(&domain, column.clone(), vec![60.0, 40.0], 1.0)?,
/// ];
/// let estimate = Estimator::new(domain).total(Total::Fixed(100.0)).estimate(&measured)?;
/// let counts = estimate.model.marginal(&column)?;
/// assert!((100.0 * counts.values()[0] / counts.sum() - 61.0).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Estimator {
    domain: Domain,
    total: Total,
    search: Search,
    stop: Stop,
    zeros: Vec<StructuralZeros>,
    cell_limit: u128,
}

/// A fitted distribution, and how the fit went.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// The distribution.
    pub model: TreeModel,
    /// The potentials it was made of, from which a later fit may start.
    pub potentials: CliqueVector,
    /// The values that the potentials were fitted to; several measurements of a clique are merged.
    measured: CliqueVector,
    /// Where the last stage began: how it moved potentials from there tells a later fit how to go on.
    centre: CliqueVector,
    /// Half the sum of squared distances to the measured values, each over its variance.
    pub loss: f64,
    /// The loss that noise alone makes on average.
    pub noise_level: f64,
    /// How many passes over the tree it took.
    pub passes: usize,
    /// Why it ended.
    pub stopped: Stopped,
}

impl Estimator {
    /// An estimator with the defaults: total free, no structural zeros, stopping at convergence.
    pub fn new(domain: Domain) -> Self {
        Self {
            domain,
            total: Total::Free,
            search: Search::Proximal,
            stop: Stop::default(),
            zeros: Vec::new(),
            cell_limit: limits::CELLS_PER_MODEL,
        }
    }

    /// The number of rows of the model: fitted with the rest unless this says that it is known.
    #[must_use]
    pub fn total(mut self, total: Total) -> Self {
        self.total = total;
        self
    }

    /// Searches this way instead of by proximal stages.
    #[must_use]
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Ends the search by these rules instead of the default ones.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Gives no probability to combinations of codes that cannot be.
    #[must_use]
    pub fn zeros(mut self, zeros: Vec<StructuralZeros>) -> Self {
        self.zeros = zeros;
        self
    }

    /// With at most so many cells in the model's tables; larger ones are refused before they are made.
    #[must_use]
    pub fn cell_limit(mut self, cells: u128) -> Self {
        self.cell_limit = cells;
        self
    }

    /// The distribution nearest to these tables.
    ///
    /// # Errors
    /// If the tables tie so many columns together that the model would be too large, if they are not over the domain, or if the
    /// structural zeros leave no row.
    pub fn estimate(&self, measurements: &[Measurement]) -> Result<Estimate, ModelError> {
        self.search_from(measurements, None)
    }

    /// The same, starting from an earlier estimate: when few tables were added, or values changed a little, fewer passes are
    /// needed.
    pub fn estimate_from(&self, measurements: &[Measurement], earlier: &Estimate) -> Result<Estimate, ModelError> {
        self.search_from(measurements, Some(earlier))
    }

    fn search_from(&self, measurements: &[Measurement], earlier: Option<&Estimate>) -> Result<Estimate, ModelError> {
        if let Total::Fixed(total) = self.total
            && !(total.is_finite() && total > 0.0)
        {
            return Err(ModelError::NotFinite { what: "a total", positive: true });
        }
        if let Search::Shrunk { spread } = self.search
            && !(spread.is_finite() && spread > 0.0)
        {
            return Err(ModelError::NotFinite { what: "a spread", positive: true });
        }
        let objective = Objective::new(&self.domain, measurements)?;
        let mut potentials = objective.measured().zeros_like();
        let mut centre = potentials.clone();
        let mut is_new = vec![true; potentials.cliques().len()];
        if let Some(earlier) = earlier {
            if earlier.model.domain != self.domain {
                return Err(ModelError::AnotherDomain);
            }
            // Where an earlier search ended is a good place to begin for the same tables, whatever was measured of them since. How it
            // came there tells how to go on for those with the same values only.
            for (place, is_new) in is_new.iter_mut().enumerate() {
                let clique = &potentials.cliques()[place];
                if let Some(there) = earlier.measured.cliques().iter().position(|other| other == clique) {
                    *is_new = false;
                    potentials.table_mut(place).copy_from_slice(earlier.potentials.table(there));
                    let is_same = earlier.measured.table(there) == objective.measured().table(place);
                    let centres = if is_same { &earlier.centre } else { &earlier.potentials };
                    centre.table_mut(place).copy_from_slice(centres.table(there));
                }
            }
        }
        let oracle = Oracle::new(&self.domain, &potentials, &self.zeros, self.cell_limit)?;
        let total = match (self.total, earlier) {
            (Total::Fixed(total), _) => total,
            (Total::Free, Some(earlier)) => earlier.model.total,
            // Noise may leave no rows at all; a distribution of none has no shape to fit.
            (Total::Free, None) => {
                total::estimate(&measurements.iter().map(Measurement::evidence).collect::<Vec<_>>()).max(1.0)
            }
        };
        let (mut problem, start) =
            Problem::new(oracle, objective, self.total, self.stop, Start { total, potentials, centre, is_new });
        let stopped = match self.search {
            Search::Proximal => proximal::run(&mut problem, start),
            Search::MirrorDescent => mirror_descent::run(&mut problem, start),
            Search::Shrunk { spread } => shrunk::run(&mut problem, start, spread),
        };
        let (oracle, objective, best) = problem.finish();
        let passes = oracle.passes();
        let nodes = oracle.into_nodes(&best.potentials);
        let model = TreeModel { domain: self.domain.clone(), total: best.total, nodes };
        let noise_level = objective.noise_level();
        Ok(Estimate {
            model,
            potentials: best.potentials,
            centre: best.centre,
            measured: objective.into_measured(),
            loss: best.loss,
            noise_level,
            passes,
            stopped,
        })
    }
}
