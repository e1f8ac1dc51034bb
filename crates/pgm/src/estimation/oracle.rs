//! Marginals of potentials, with a count of the passes.

use scumble_schema::Domain;

use crate::error::ModelError;
use crate::inference::propagation::Propagation;
use crate::inference::zeros::StructuralZeros;
use crate::table::clique_vector::CliqueVector;
use crate::tree::tree_model::Node;

/// The marginal oracle of all searches: takes potentials, returns expected counts.
#[derive(Debug)]
pub(crate) struct Oracle {
    propagation: Propagation,
    passes: usize,
}

impl Oracle {
    /// Makes an oracle for potentials over the cliques of `shape`.
    pub(crate) fn new(
        domain: &Domain,
        shape: &CliqueVector,
        zeros: &[StructuralZeros],
        cell_limit: u128,
    ) -> Result<Self, ModelError> {
        let mut propagation = Propagation::new(domain, shape.cliques(), zeros, cell_limit)?;
        if propagation.condition(&shape.zeros_like()) == f64::NEG_INFINITY {
            return Err(ModelError::Impossible);
        }
        Ok(Self { propagation, passes: 0 })
    }

    /// Writes the expected counts of `total` rows to `counts`, and returns the logarithm of the
    /// partition function.
    pub(crate) fn counts(&mut self, potentials: &CliqueVector, total: f64, counts: &mut CliqueVector) -> f64 {
        self.passes += 1;
        let log_partition = self.propagation.condition(potentials);
        self.propagation.distribute(total, counts);
        log_partition
    }

    /// Visits every table once, with counts that include all earlier updates; see
    /// [`Propagation::sweep`].
    pub(crate) fn sweep(&mut self, mut update: impl FnMut(usize, &mut [f64])) {
        self.passes += 1;
        self.propagation.sweep(&mut update);
    }

    /// Returns the number of passes over the tree.
    pub(crate) fn passes(&self) -> usize {
        self.passes
    }

    /// Returns the distribution of these potentials.
    pub(crate) fn into_nodes(mut self, potentials: &CliqueVector) -> Vec<Node> {
        self.propagation.condition(potentials);
        self.propagation.into_nodes()
    }
}
