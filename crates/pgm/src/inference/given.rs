//! Tree models conditioned on events.

use scumble_schema::{AttributeId, Clique, Domain};

use crate::error::ModelError;
use crate::table::projection::{Axis, Projection};
use crate::tree::tree_model::{Node, TreeModel};

/// A model under a condition, and the probability of the condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditioned {
    /// The distribution of rows that meet the condition. Its total is the expected number of them.
    pub model: TreeModel,
    /// The logarithm of the condition's probability, finite even if the probability itself
    /// underflows.
    pub log_probability: f64,
}

impl Conditioned {
    /// Returns the probability of the condition.
    pub fn probability(&self) -> f64 {
        self.log_probability.exp()
    }
}

impl TreeModel {
    /// Returns the distribution of rows in which every named attribute has one of its allowed
    /// codes, exactly.
    ///
    /// An attribute that is named twice must meet both conditions.
    ///
    /// ```
    /// use scumble_pgm::{CliqueVector, ModelError, infer};
    /// use scumble_schema::{AttributeId, Clique, Domain};
    ///
    /// let uniform = infer(&CliqueVector::new(&Domain::new(vec![4, 2])?, vec![])?, &[], 80.0)?;
    /// let first = AttributeId::new(0);
    /// let small = uniform.given(&[(first, &[0, 1])])?;
    /// assert_eq!(small.model.marginal(&Clique::single(first))?.values(), [0.5, 0.5, 0.0, 0.0]);
    /// assert_eq!(small.model.total(), 40.0);
    ///
    /// assert_eq!(uniform.given(&[(first, &[])]), Err(ModelError::Impossible));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError::Impossible`] if no row meets the condition, [`ModelError::UnknownAttribute`]
    /// and [`ModelError::UnknownCode`] if it names an attribute or code that the domain lacks.
    pub fn given(&self, allowed: &[(AttributeId, &[u32])]) -> Result<Conditioned, ModelError> {
        let mut nodes = self.nodes.clone();
        let mut terms: Vec<Vec<Term>> = vec![Vec::new(); nodes.len()];
        for &(attribute, codes) in allowed {
            let term = condition(&self.domain, attribute, codes)?;
            let adds = |node: &Node| node.residual.has(attribute);
            terms[nodes.iter().position(adds).expect("every attribute is in a residual")].push(term);
        }
        // Children come after their parents: from the last clique to the first, each sends its
        // parent the probability of the condition below it for every cell that they share.
        let mut log_probability = 0.0;
        for (index, node) in nodes.iter_mut().enumerate().rev() {
            if terms[index].is_empty() {
                continue;
            }
            let logs = weigh(&self.domain, node, &terms[index]);
            match node.parent {
                Some(parent) => terms[parent].push(Term { clique: node.separator.clone(), logs }),
                None => log_probability += logs[0],
            }
        }
        if log_probability == f64::NEG_INFINITY {
            return Err(ModelError::Impossible);
        }
        let model = TreeModel { domain: self.domain.clone(), total: self.total * log_probability.exp(), nodes };
        Ok(Conditioned { model, log_probability })
    }
}

/// Logarithms of weights for the cells of a clique.
#[derive(Debug, Clone)]
struct Term {
    clique: Clique,
    logs: Vec<f64>,
}

/// Returns zero for the allowed codes and minus infinity for the others.
fn condition(domain: &Domain, attribute: AttributeId, codes: &[u32]) -> Result<Term, ModelError> {
    if attribute.index() >= domain.len() {
        return Err(ModelError::UnknownAttribute { attribute });
    }
    let size = domain.size(attribute);
    let mut logs = vec![f64::NEG_INFINITY; size as usize];
    for &code in codes {
        *logs.get_mut(code as usize).ok_or(ModelError::UnknownCode { attribute, code, size })? = 0.0;
    }
    Ok(Term { clique: Clique::single(attribute), logs })
}

/// Weights the cells of a clique and normalises every row again. Returns the logarithms of the
/// rows' sums.
///
/// The weights of a row are relative to its largest, so neither a row of small weights nor many
/// improbable conditions below it underflow.
fn weigh(domain: &Domain, node: &mut Node, terms: &[Term]) -> Vec<f64> {
    let attributes = node.separator.attributes().iter().chain(node.residual.attributes());
    let axes = Axis::list(domain, attributes);
    let mut logs = vec![0.0; node.conditional.len()];
    for term in terms {
        Projection::new(&axes, &term.clique).add(&term.logs, &mut logs);
    }
    let columns: usize = node.residual.attributes().iter().map(|&attribute| domain.size(attribute) as usize).product();
    let rows = node.conditional.chunks_exact_mut(columns).zip(logs.chunks_exact(columns));
    rows.map(|(row, logs)| weigh_row(row, logs)).collect()
}

fn weigh_row(row: &mut [f64], logs: &[f64]) -> f64 {
    let possible = row.iter().zip(logs).filter(|(probability, _)| **probability > 0.0);
    let largest = possible.map(|(_, &log)| log).fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        row.fill(0.0);
        return largest;
    }
    let mut sum = 0.0;
    for (probability, log) in row.iter_mut().zip(logs) {
        // An impossible cell may have any weight; a positive one could make it 0 * infinity.
        *probability *= (log - largest).min(0.0).exp();
        sum += *probability;
    }
    for probability in row {
        *probability /= sum;
    }
    largest + sum.ln()
}
