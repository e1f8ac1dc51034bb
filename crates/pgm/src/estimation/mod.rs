//! Estimation: the distribution that fits noisy tables best.

mod dense;
mod forest;
mod interactions;
mod lbfgs;
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
pub use forest::estimate_forest;
pub use interactions::{Interaction, estimate_interactions};
use objective::Objective;
use oracle::Oracle;
use problem::{Problem, Start};

/// Whether the number of rows of the fitted model is known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Total {
    /// Unknown: it is fitted with the distribution.
    #[default]
    Free,
    /// Known: a public or released number of rows.
    Fixed(f64),
}

/// The search method.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Search {
    /// Sweeps of iterative scaling, then proximal stages solved by a quasi-Newton method on the
    /// dual.
    #[default]
    Proximal,
    /// Mirror descent with a line search.
    MirrorDescent,
    /// Minimises the loss plus a penalty on potentials, so that they stay small where noise hides
    /// them. Much nearer to the truth if the noise is as large as the counts.
    Shrunk {
        /// Standard deviation of the prior of potentials, positive. One is a factor of 2.7 up or
        /// down.
        spread: f64,
    },
}

/// Stopping rules of a search. It ends as soon as one of them holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Stop when the loss is below this share of the noise level (half a unit per measured cell).
    pub at_noise: Option<f64>,
    /// Stop when the loss falls by no more than this share of the noise level in fifty steps of
    /// mirror descent, or in a proximal stage solved to that accuracy. A shrunk search stops when
    /// it is solved to that accuracy.
    pub settled: f64,
    /// Stop after this number of passes over the tree.
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
    /// The loss reached the share of the noise level in [`Stop::at_noise`].
    AtNoise,
    /// The loss no longer falls.
    Settled,
    /// The passes are used up.
    OutOfPasses,
}

/// Fits distributions to noisy tables: minimises the squared distance to all measured tables, each
/// weighted by its precision.
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
    /// The potentials of the distribution, from which a later fit may start.
    pub potentials: CliqueVector,
    /// The values that the potentials were fitted to; measurements of one clique are merged.
    measured: CliqueVector,
    /// The centre of the last stage: a later fit continues its move away from there.
    centre: CliqueVector,
    /// Half the sum of squared distances to the measured values, each over its variance.
    pub loss: f64,
    /// The mean loss of noise alone.
    pub noise_level: f64,
    /// Number of passes over the tree.
    pub passes: usize,
    /// Why the search ended.
    pub stopped: Stopped,
}

impl Estimator {
    /// Makes an estimator with the defaults: free total, no structural zeros, stop at convergence.
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

    /// Sets whether the number of rows is known. The default is [`Total::Free`].
    #[must_use]
    pub fn total(mut self, total: Total) -> Self {
        self.total = total;
        self
    }

    /// Sets the search method. The default is [`Search::Proximal`].
    #[must_use]
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Sets the stopping rules.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Sets the combinations of codes that have probability zero.
    #[must_use]
    pub fn zeros(mut self, zeros: Vec<StructuralZeros>) -> Self {
        self.zeros = zeros;
        self
    }

    /// Sets the most cells of the model's tables. A larger model is refused before it is allocated.
    #[must_use]
    pub fn cell_limit(mut self, cells: u128) -> Self {
        self.cell_limit = cells;
        self
    }

    /// Returns the distribution nearest to these tables.
    ///
    /// # Errors
    /// If the model would be too large, if a table is not over the domain, or if the structural
    /// zeros leave no row.
    pub fn estimate(&self, measurements: &[Measurement]) -> Result<Estimate, ModelError> {
        self.search_from(measurements, None)
    }

    /// Returns the distribution nearest to these tables, starting from an earlier estimate.
    ///
    /// Needs fewer passes than [`Self::estimate`] if few tables were added, or values changed
    /// little.
    ///
    /// # Errors
    /// Those of [`Self::estimate`], and [`ModelError::AnotherDomain`].
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
            // The end of an earlier search is a good start for the same cliques, even if their
            // values changed. Its direction is only good for those with the same values.
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
            // Noise may leave less than one row, and a distribution of no rows cannot be fitted.
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
