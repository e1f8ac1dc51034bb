//! Exact inference: from potentials to a distribution, and from that to any marginal or condition.

mod elimination;
pub(crate) mod given;
pub(crate) mod propagation;
pub(crate) mod zeros;

use crate::error::ModelError;
use crate::inference::zeros::StructuralZeros;
use crate::table::clique_vector::CliqueVector;
use crate::tree::tree_model::TreeModel;
use propagation::Propagation;

/// Returns the distribution proportional to the exponential of the sum of all potentials, exactly.
///
/// Attributes that no potential names are uniform and independent.
///
/// ```
/// use scumble_pgm::{CliqueVector, Factor, infer};
/// use scumble_schema::{Clique, Domain};
///
/// let domain = Domain::new(vec![2, 2])?;
/// let both = Clique::new(domain.attributes());
/// let potentials = CliqueVector::new(&domain, vec![Factor::new(&domain, both.clone(), vec![700.0, 0.0, 0.0, 700.0])?])?;
/// let model = infer(&potentials, &[], 100.0)?;
/// let odds = model.marginal(&both)?;
/// assert!((odds.values()[0] - 0.5).abs() < 1e-12 && odds.values()[1] < 1e-300);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn infer(potentials: &CliqueVector, zeros: &[StructuralZeros], total: f64) -> Result<TreeModel, ModelError> {
    let domain = potentials.domain();
    let mut propagation = Propagation::new(domain, potentials.cliques(), zeros, u128::MAX)?;
    if propagation.condition(potentials) == f64::NEG_INFINITY {
        return Err(ModelError::Impossible);
    }
    Ok(TreeModel { domain: domain.clone(), total, nodes: propagation.into_nodes() })
}
