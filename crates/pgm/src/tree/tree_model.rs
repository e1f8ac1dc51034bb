//! A distribution that factorises over a junction tree.

use scumble_schema::{Clique, Domain, limits};

use super::parity_potentials::ParityPotentials;
use crate::error::ModelError;

/// One clique of a tree: its own attributes, given those it shares with its parent.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub(crate) parent: Option<usize>,
    pub(crate) separator: Clique,
    pub(crate) residual: Clique,
    pub(crate) conditional: Vec<f64>,
    /// What the conditional was computed from, if it has a short form.
    pub(crate) potentials: Option<ParityPotentials>,
}

/// A distribution over all attributes of a domain, and its number of rows.
///
/// It is a tree of cliques. Each clique has the distribution of its own attributes (the residual)
/// given those it shares with its parent (the separator). The product over all cliques is the
/// distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeModel {
    pub(crate) domain: Domain,
    pub(crate) total: f64,
    pub(crate) nodes: Vec<Node>,
}

impl Node {
    /// Makes a clique with its conditional distribution, in the layout of [`Node::conditional`].
    pub fn new(parent: Option<usize>, separator: Clique, residual: Clique, conditional: Vec<f64>) -> Self {
        Self { parent, separator, residual, conditional, potentials: None }
    }

    /// Makes a clique of binary columns that is not joined to others, from their potentials.
    pub fn of_potentials(potentials: ParityPotentials) -> Self {
        let (residual, conditional) = (potentials.columns().clone(), potentials.probabilities());
        Self { potentials: Some(potentials), ..Self::new(None, Clique::empty(), residual, conditional) }
    }

    /// Returns the position of the parent, or `None` for a root.
    pub fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// Returns the attributes shared with the parent.
    pub fn separator(&self) -> &Clique {
        &self.separator
    }

    /// Returns the attributes that no ancestor holds.
    pub fn residual(&self) -> &Clique {
        &self.residual
    }

    /// Returns the potentials that the conditional was computed from, if it has a short form.
    pub fn potentials(&self) -> Option<&ParityPotentials> {
        self.potentials.as_ref()
    }

    /// Returns the probability of the residual given the separator: one row per cell of the
    /// separator, one column per cell of the residual. The row of an impossible cell is all zeros.
    pub fn conditional(&self) -> &[f64] {
        &self.conditional
    }
}

impl TreeModel {
    /// Makes a model from its [nodes](TreeModel::nodes), for example after reading them from a
    /// file.
    ///
    /// # Errors
    /// If the cliques are no tree with parents before children, an attribute is not in exactly one
    /// residual, or a row of a conditional is neither a distribution nor all zeros.
    pub fn new(domain: Domain, total: f64, nodes: Vec<Node>) -> Result<Self, ModelError> {
        if !(total.is_finite() && total > 0.0) {
            return Err(ModelError::NotFinite { what: "the number of rows of a model", positive: true });
        }
        let cells = nodes.iter().fold(0_u128, |sum, node| sum.saturating_add(node.conditional.len() as u128));
        if cells > limits::CELLS_PER_MODEL {
            return Err(ModelError::too_large(cells));
        }
        let mut held_by = vec![0_usize; domain.len()];
        for (position, node) in nodes.iter().enumerate() {
            let above = match node.parent {
                Some(parent) if parent < position => nodes[parent].separator.union(&nodes[parent].residual),
                Some(_) => return Err(ModelError::NotATree { clique: position }),
                None => Clique::empty(),
            };
            if !above.holds(&node.separator) || !node.separator.intersection(&node.residual).is_empty() {
                return Err(ModelError::NotATree { clique: position });
            }
            for attribute in node.residual.attributes() {
                match held_by.get_mut(attribute.index()) {
                    Some(held) => *held += 1,
                    None => return Err(ModelError::UnknownAttribute { attribute: *attribute }),
                }
            }
            node.check(&domain, position)?;
        }
        if held_by.iter().any(|&held| held != 1) {
            return Err(ModelError::NotATree { clique: nodes.len() });
        }
        Ok(Self { domain, total, nodes })
    }

    /// Returns the domain of the distribution.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns the number of rows of the model.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Returns the cliques, parents before children. Every attribute is in exactly one residual.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

impl Node {
    fn check(&self, domain: &Domain, position: usize) -> Result<(), ModelError> {
        let (rows, columns) = (domain.cells(&self.separator), domain.cells(&self.residual));
        let found = self.conditional.len();
        if rows.checked_mul(columns) != Some(found as u128) {
            let attributes = self.separator.len() + self.residual.len();
            return Err(ModelError::WrongLength { attributes, expected: rows.saturating_mul(columns), found });
        }
        // A table of that length is in memory, so its sides fit a usize.
        let columns = usize::try_from(columns).expect("not longer than the table");
        let is_distribution = |row: &[f64]| {
            let sum: f64 = row.iter().sum();
            row.iter().all(|probability| *probability >= 0.0) && (sum == 0.0 || (sum - 1.0).abs() < 1e-6)
        };
        if self.conditional.chunks(columns).all(is_distribution) {
            Ok(())
        } else {
            Err(ModelError::NotADistribution { column: position })
        }
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::AttributeId;

    use super::*;

    fn clique(indices: &[usize]) -> Clique {
        Clique::new(indices.iter().copied().map(AttributeId::new))
    }

    fn nodes() -> Vec<Node> {
        vec![
            Node::new(None, clique(&[]), clique(&[0]), vec![0.25, 0.75]),
            Node::new(Some(0), clique(&[0]), clique(&[1]), vec![1.0, 0.0, 0.0, 0.0, 0.5, 0.5]),
        ]
    }

    #[test]
    fn nodes_that_make_no_model_are_refused() {
        let domain = Domain::new(vec![2, 3]).unwrap();
        let of = |nodes: Vec<Node>| TreeModel::new(domain.clone(), 10.0, nodes);
        let changed = |change: fn(&mut Vec<Node>)| {
            let mut nodes = nodes();
            change(&mut nodes);
            of(nodes).unwrap_err()
        };
        assert_eq!(of(nodes()).unwrap().nodes(), nodes());
        assert_eq!(changed(|nodes| nodes.reverse()), ModelError::NotATree { clique: 0 });
        assert_eq!(changed(|nodes| nodes.truncate(1)), ModelError::NotATree { clique: 1 });
        assert_eq!(changed(|nodes| nodes[1].parent = None), ModelError::NotATree { clique: 1 });
        assert_eq!(changed(|nodes| nodes[0].conditional[0] = 0.5), ModelError::NotADistribution { column: 0 });
        assert_eq!(changed(|nodes| nodes[0].conditional[0] = f64::NAN), ModelError::NotADistribution { column: 0 });
        let longer = changed(|nodes| nodes[0].conditional.push(0.0));
        assert_eq!(longer, ModelError::WrongLength { attributes: 1, expected: 2, found: 3 });
        assert!(TreeModel::new(domain.clone(), 0.0, nodes()).is_err());
    }
}
