//! Distributions of binary columns, estimated from the parities of sets of columns.
//!
//! The parity of a set is the number of rows with an even number of ones in its columns, less the
//! number of rows with an odd number. The logarithm of a distribution over binary columns is a sum
//! of one potential per set, with the sign of the set's parity. The estimate is the most likely
//! distribution with a potential for every measured set:
//!
//! ```text
//! minimise over potentials   1/2 Σ_sets (n m - y)² / σ²  +  1/2 Σ_sets potential² / spread²
//! ```
//!
//! where `m` is the expected parity of a row, `y` the measured parity of all rows and `σ` its
//! noise. All cells of the joint table are held in memory; a Walsh-Hadamard transform turns
//! potentials into probabilities, and probabilities into the parities of all sets. The
//! derivative of one parity by the potential of another set is their covariance, which is the
//! parity of the columns that are in one of both sets only, less a product. So Newton's method
//! costs two transforms and the solution of dense equations per step.
//!
//! 1. **Start.** Maximum entropy with a penalty, which is convex: `m` less the measured parity is a
//!    multiple of the potential times the variance of the noise.
//! 2. **Search.** Gauss-Newton steps with the damping of Levenberg and Marquardt.

use ndarray::{Array1, Array2};
use scumble_cancel::checkpoint;
use scumble_schema::{AttributeId, Clique, Domain, limits};

use super::dense;
use crate::error::ModelError;
use crate::tree::parity_potentials::{ParityPotentials, bits, logarithms, normalise};
use crate::tree::tree_model::{Node, TreeModel};
use crate::tree::walsh;

/// Weight of the penalty of the start, relative to the precision of the measured parities.
const START_PENALTY: f64 = 300.0;
/// Maximum number of steps of the start and of the search.
const START_STEPS: usize = 15;
const STEPS: usize = 30;
/// The start ends when a step promises less than this.
const START_SETTLED: f64 = 1e-3;
/// The search ends when the loss falls by less than this in a step. One standard deviation of a
/// parity is a loss of 1/2.
const SETTLED: f64 = 0.1;
/// Maximum change of a potential in one step.
const MAX_CHANGE: f64 = 2.0;
/// Maximum number of trials per step.
const TRIALS: usize = 12;

/// The measured parity of a set of binary columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// The columns.
    pub columns: Clique,
    /// Number of rows with an even number of ones, less the number with an odd number, with noise.
    pub parity: f64,
    /// Standard deviation of the noise.
    pub deviation: f64,
    /// Prior standard deviation of the potential of the set.
    pub spread: f64,
}

/// Returns the most likely distribution of binary columns and `total` rows with these parities.
/// Columns of one value are allowed, but not in a set.
///
/// ```
/// use scumble_pgm::{Interaction, estimate_interactions};
/// use scumble_schema::{Clique, Domain};
///
/// let domain = Domain::new(vec![2, 2])?;
/// let pair = Clique::new(domain.attributes());
/// let interaction = Interaction { columns: pair.clone(), parity: 600.0, deviation: 1.0, spread: 1.0 };
/// let model = estimate_interactions(&domain, &[interaction], 1_000.0)?;
/// // Of 1,000 rows, 800 have an even number of ones.
/// let table = model.marginal(&pair)?;
/// assert!((table.values()[0] - 0.4).abs() < 0.002 && (table.values()[1] - 0.1).abs() < 0.002);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a set is empty or has a column of another size, a number is not finite, or the joint table is
/// too large.
pub fn estimate_interactions(
    domain: &Domain,
    interactions: &[Interaction],
    total: f64,
) -> Result<TreeModel, ModelError> {
    let problem = Problem::new(domain, interactions, total)?;
    let mut state = problem.start();
    problem.search(&mut state);
    let sets = interactions.iter().map(|interaction| interaction.columns.clone()).collect();
    let columns = Clique::new(problem.columns);
    let potentials = ParityPotentials::new(domain, columns, sets, state.potentials.to_vec())?;
    let constant = domain.attributes().filter(|&column| domain.size(column) == 1);
    let mut nodes = vec![Node::of_potentials(potentials)];
    nodes.extend(constant.map(|column| Node::new(None, Clique::empty(), Clique::single(column), vec![1.0])));
    TreeModel::new(domain.clone(), total, nodes)
}

/// The measured parities of rows, and what is known of potentials.
struct Problem {
    /// The binary columns.
    columns: Vec<AttributeId>,
    /// Every set as the bits of its columns in the number of a cell.
    sets: Vec<usize>,
    /// Mean parity of a row, as measured.
    measured: Array1<f64>,
    /// Precision of it.
    weights: Array1<f64>,
    /// Prior precision of the potentials.
    priors: Array1<f64>,
}

/// Potentials and the parities that follow from them.
struct State {
    potentials: Array1<f64>,
    /// Mean parity of every set of columns, by its bits.
    parities: Vec<f64>,
    /// Logarithm of the sum of all cells before they were scaled to probabilities.
    log_sum: f64,
}

impl Problem {
    fn new(domain: &Domain, interactions: &[Interaction], total: f64) -> Result<Self, ModelError> {
        let not_finite = |what| ModelError::NotFinite { what, positive: true };
        if !(total.is_finite() && total > 0.0) {
            return Err(not_finite("a total"));
        }
        let columns: Vec<AttributeId> = domain.attributes().filter(|&column| domain.size(column) > 1).collect();
        let whole = Clique::new(columns.iter().copied());
        if let Some(column) = columns.iter().position(|&column| domain.size(column) > 2) {
            return Err(ModelError::NotADistribution { column });
        }
        let cells = domain.cells(&whole);
        if cells > limits::CELLS_PER_MODEL {
            return Err(ModelError::too_large(cells));
        }
        let mut sets = Vec::with_capacity(interactions.len());
        for Interaction { columns: set, parity, deviation, spread } in interactions {
            if set.is_empty() {
                return Err(ModelError::WrongLength { attributes: 0, expected: 1, found: 0 });
            }
            if let Some(column) = set.attributes().iter().find(|&&column| domain.size(column) != 2) {
                return Err(ModelError::NotADistribution { column: column.index() });
            }
            if !parity.is_finite() {
                return Err(ModelError::NotFinite { what: "a parity", positive: false });
            }
            if [deviation, spread].into_iter().any(|&number| !(number.is_finite() && number > 0.0)) {
                return Err(not_finite("the noise of a parity and the spread of its potential"));
            }
            sets.push(bits(&columns, set));
        }
        let of = |number: &dyn Fn(&Interaction) -> f64| interactions.iter().map(number).collect::<Array1<f64>>();
        Ok(Self {
            sets,
            measured: of(&|interaction| interaction.parity / total),
            weights: of(&|interaction| (total / interaction.deviation).powi(2)),
            priors: of(&|interaction| interaction.spread.powi(-2)),
            columns,
        })
    }

    fn state(&self, potentials: Array1<f64>) -> State {
        checkpoint();
        let mut parities = logarithms(self.columns.len(), &self.sets, potentials.iter().copied());
        let log_sum = normalise(&mut parities);
        walsh::transform(&mut parities);
        State { potentials, parities, log_sum }
    }

    /// The mean parities of the measured sets.
    fn expected(&self, state: &State) -> Array1<f64> {
        self.sets.iter().map(|&set| state.parities[set]).collect()
    }

    /// Covariances of the parities of the measured sets.
    fn covariances(&self, state: &State) -> Array2<f64> {
        let expected = self.expected(state);
        Array2::from_shape_fn((self.sets.len(), self.sets.len()), |(one, other)| {
            state.parities[self.sets[one] ^ self.sets[other]] - expected[one] * expected[other]
        })
    }

    /// Finds the distribution of maximum entropy, with a penalty.
    fn start(&self) -> State {
        let measured = self.measured.mapv(|parity| parity.clamp(-1.0, 1.0));
        let penalties = self.weights.mapv(|weight| START_PENALTY / weight);
        let loss = |state: &State| {
            let potentials = &state.potentials;
            state.log_sum - potentials.dot(&measured) + 0.5 * (potentials * potentials).dot(&penalties)
        };
        let mut state = self.state(Array1::zeros(self.sets.len()));
        let mut lowest = loss(&state);
        for _ in 0..START_STEPS {
            let gradient = self.expected(&state) - &measured + &penalties * &state.potentials;
            let mut matrix = self.covariances(&state);
            add_to_diagonal(&mut matrix, &penalties);
            let Some(step) = dense::solve(matrix, &gradient.mapv(|slope| -slope)) else { break };
            let promised = -gradient.dot(&step);
            let mut length = 1.0;
            let found = (0..TRIALS).find_map(|_| {
                let trial = self.state(&state.potentials + &(length * &step));
                let loss = loss(&trial);
                let is_lower = loss <= lowest - 1e-4 * length * promised;
                length /= 2.0;
                is_lower.then_some((trial, loss))
            });
            let Some((trial, loss)) = found else { break };
            (state, lowest) = (trial, loss);
            if promised < START_SETTLED {
                break;
            }
        }
        state
    }

    /// Loss of a state: half its squared errors, and the penalty on its potentials.
    fn loss(&self, state: &State) -> f64 {
        let error = self.expected(state) - &self.measured;
        0.5 * (&error * &error).dot(&self.weights) + 0.5 * (&state.potentials * &state.potentials).dot(&self.priors)
    }

    /// Moves a state to the least loss.
    fn search(&self, state: &mut State) {
        let (mut lowest, mut damping) = (self.loss(state), 1e-4);
        let roots = self.weights.mapv(f64::sqrt);
        for _ in 0..STEPS {
            let mut covariances = self.covariances(state);
            let error = self.expected(state) - &self.measured;
            let gradient = covariances.dot(&(&error * &self.weights)) + &self.priors * &state.potentials;
            covariances *= &roots;
            let mut curvature = dense::times_transposed(&covariances);
            drop(covariances);
            add_to_diagonal(&mut curvature, &self.priors);
            let diagonal = curvature.diag().to_owned();
            let descent = gradient.mapv(|slope| -slope);
            let mut growth = 2.0;
            let found = (0..TRIALS).find_map(|_| {
                let ridge = damping * &diagonal;
                let mut damped = curvature.clone();
                add_to_diagonal(&mut damped, &ridge);
                let step = dense::solve(damped, &descent);
                let step = step.filter(|step| step.iter().all(|change| change.abs() <= MAX_CHANGE));
                let trial = step.map(|step| {
                    let promised = 0.5 * step.dot(&(&descent + &(ridge * &step)));
                    let trial = self.state(&state.potentials + &step);
                    let fell = lowest - self.loss(&trial);
                    (fell, fell / promised, trial)
                });
                let trial = trial.filter(|(fell, ..)| *fell > 0.0);
                // Nielsen's rule: less damping after a step that fell as far as promised.
                if let Some((_, kept, _)) = &trial {
                    damping *= (1.0 - (2.0 * kept - 1.0).powi(3)).clamp(0.2, 2.0);
                } else {
                    damping *= growth;
                    growth *= 2.0;
                }
                trial
            });
            let Some((fell, _, trial)) = found else { break };
            (*state, lowest, damping) = (trial, lowest - fell, f64::max(damping, 1e-9));
            if fell < SETTLED {
                break;
            }
        }
    }
}

fn add_to_diagonal(matrix: &mut Array2<f64>, numbers: &Array1<f64>) {
    for (value, number) in matrix.diag_mut().iter_mut().zip(numbers) {
        *value += number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(columns: usize, most: u32) -> Vec<Clique> {
        let bits = (1_usize..1 << columns).filter(|set| set.count_ones() <= most);
        let of = |set: usize| Clique::new((0..columns).filter(|column| set >> column & 1 == 1).map(AttributeId::new));
        bits.map(of).collect()
    }

    /// The parity of a set in a joint table.
    fn parity(domain: &Domain, table: &[f64], set: &Clique) -> f64 {
        let last = domain.len() - 1;
        let mask: usize = set.attributes().iter().map(|column| 1 << (last - column.index())).sum();
        let sign = |cell: usize| if (cell & mask).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
        table.iter().enumerate().map(|(cell, count)| sign(cell) * count).sum()
    }

    fn measured(domain: &Domain, table: &[f64], most: u32, spread: f64) -> Vec<Interaction> {
        let of =
            |columns: Clique| Interaction { parity: parity(domain, table, &columns), columns, deviation: 1.0, spread };
        sets(domain.len(), most).into_iter().map(of).collect()
    }

    /// Expected counts of a table of a model.
    fn counts(model: &TreeModel, clique: &Clique) -> Vec<f64> {
        model.marginal(clique).unwrap().values().iter().map(|share| share * model.total()).collect()
    }

    fn uneven(cells: usize) -> Vec<f64> {
        (0..cells).map(|cell| (20 + cell * 37 % 97 + cell.count_ones() as usize * 60) as f64).collect()
    }

    #[test]
    fn all_parities_without_much_noise_give_the_table_again() {
        let domain = Domain::new(vec![2; 4]).unwrap();
        let table = uneven(16);
        let total = table.iter().sum();
        let model = estimate_interactions(&domain, &measured(&domain, &table, 4, 10.0), total).unwrap();
        let found = counts(&model, &Clique::new(domain.attributes()));
        for (found, expected) in found.iter().zip(&table) {
            assert!((found - expected).abs() < 0.5, "{found} {expected}");
        }
    }

    #[test]
    fn parities_of_small_sets_are_met_and_others_are_those_of_maximum_entropy() {
        let domain = Domain::new(vec![2; 5]).unwrap();
        let table = uneven(32);
        let total: f64 = table.iter().sum();
        let interactions = measured(&domain, &table, 2, 10.0);
        let model = estimate_interactions(&domain, &interactions, total).unwrap();
        let found = counts(&model, &Clique::new(domain.attributes()));
        for Interaction { columns, parity: expected, .. } in &interactions {
            assert!((parity(&domain, &found, columns) - expected).abs() < 1.0, "{columns:?}");
        }
        // No potential is of more than two columns.
        let logarithms: Vec<f64> = found.iter().map(|count| count.ln()).collect();
        for set in sets(5, 5).iter().filter(|set| set.len() > 2) {
            assert!(parity(&domain, &logarithms, set).abs() / 32.0 < 1e-9, "{set:?}");
        }
    }

    #[test]
    fn what_noise_hides_is_shrunk() {
        let domain = Domain::new(vec![2, 2]).unwrap();
        let of = |deviation: f64| {
            let columns = Clique::new(domain.attributes());
            let interaction = Interaction { columns: columns.clone(), parity: 300.0, deviation, spread: 0.1 };
            let model = estimate_interactions(&domain, &[interaction], 1_000.0).unwrap();
            parity(&domain, &counts(&model, &columns), &columns)
        };
        let parities = [1.0, 100.0, 10_000.0].map(of);
        assert!((parities[0] - 300.0).abs() < 5.0, "{parities:?}");
        assert!(parities[1] > 100.0 && parities[1] < 250.0 && parities[2].abs() < 1.0, "{parities:?}");
    }

    #[test]
    fn constant_columns_stay_constant() {
        let domain = Domain::new(vec![1, 2, 1, 2]).unwrap();
        let pair = Clique::new([1, 3].map(AttributeId::new));
        let interaction = Interaction { columns: pair.clone(), parity: -80.0, deviation: 1.0, spread: 3.0 };
        let model = estimate_interactions(&domain, &[interaction], 100.0).unwrap();
        let table = counts(&model, &pair);
        assert!((table[1] - 45.0).abs() < 1.0, "{table:?}");
        assert!((counts(&model, &Clique::single(AttributeId::new(2)))[0] - 100.0).abs() < 1e-9);
    }

    #[test]
    fn parities_beyond_the_number_of_rows_are_possible_measurements() {
        let domain = Domain::new(vec![2; 3]).unwrap();
        let of = |columns: Clique| Interaction { columns, parity: 5_000.0, deviation: 1.0, spread: 3.0 };
        let interactions: Vec<Interaction> = sets(3, 3).into_iter().map(of).collect();
        let model = estimate_interactions(&domain, &interactions, 10.0).unwrap();
        let found = counts(&model, &Clique::new(domain.attributes()));
        assert!(found[0] > 9.0, "{found:?}");
    }

    #[test]
    fn what_is_no_parity_of_binary_columns_is_refused() {
        let domain = Domain::new(vec![2, 3, 1]).unwrap();
        let good =
            Interaction { columns: Clique::single(AttributeId::new(0)), parity: 1.0, deviation: 1.0, spread: 1.0 };
        let refused = |interaction: Interaction, total: f64| {
            estimate_interactions(&Domain::new(vec![2, 2, 1]).unwrap(), &[interaction], total).unwrap_err()
        };
        refused(Interaction { columns: Clique::empty(), ..good.clone() }, 10.0);
        refused(Interaction { columns: Clique::single(AttributeId::new(2)), ..good.clone() }, 10.0);
        refused(Interaction { parity: f64::NAN, ..good.clone() }, 10.0);
        refused(Interaction { deviation: 0.0, ..good.clone() }, 10.0);
        refused(Interaction { spread: f64::INFINITY, ..good.clone() }, 10.0);
        refused(good.clone(), 0.0);
        estimate_interactions(&domain, &[good], 10.0).unwrap_err();
    }
}
