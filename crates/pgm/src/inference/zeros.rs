//! Impossible combinations of values.

use scumble_schema::{Clique, Domain};

use crate::error::ModelError;
use crate::table::factor::Factor;

/// A rule that makes some combinations of attributes' values impossible.
///
/// A model fitted or inferred with it gives them probability zero, exactly.
///
/// ```
/// use scumble_pgm::{Estimator, Measurement, StructuralZeros};
/// use scumble_schema::{Clique, Domain};
///
/// // Nobody under fifteen is married.
/// let domain = Domain::new(vec![2, 2])?;
/// let both = Clique::new(domain.attributes());
/// let rule = StructuralZeros::new(&domain, both.clone(), &[true, false, true, true])?;
/// let noisy = Measurement::new(&domain, both.clone(), vec![40.0, 7.0, 21.0, 39.0], 5.0)?;
/// let estimate = Estimator::new(domain).zeros(vec![rule]).estimate(&[noisy])?;
/// assert!(estimate.model.marginal(&both)?.values()[1] == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StructuralZeros {
    /// Zero for possible combinations, minus infinity for impossible ones.
    logarithms: Factor,
}

impl StructuralZeros {
    /// Makes a rule from whether each cell of the clique is possible.
    pub fn new(domain: &Domain, clique: Clique, possible: &[bool]) -> Result<Self, ModelError> {
        let logarithms = possible.iter().map(|&possible| if possible { 0.0 } else { f64::NEG_INFINITY }).collect();
        Ok(Self { logarithms: Factor::new(domain, clique, logarithms)? })
    }

    /// Returns the attributes of the rule.
    pub fn clique(&self) -> &Clique {
        self.logarithms.clique()
    }

    /// Returns whether each cell of the clique is possible.
    pub fn possible(&self) -> impl Iterator<Item = bool> + '_ {
        self.logarithms().iter().map(|logarithm| logarithm.is_finite())
    }

    pub(crate) fn logarithms(&self) -> &[f64] {
        self.logarithms.values()
    }
}
