//! Marginals of potentials, counted by passes.

use scumble_schema::Domain;

use crate::error::ModelError;
use crate::inference::propagation::Propagation;
use crate::inference::zeros::StructuralZeros;
use crate::table::clique_vector::CliqueVector;
use crate::tree::junction_tree::JunctionTree;
use crate::tree::tree_model::Node;

/// What all methods of estimation share: potentials in, expected counts out.
#[derive(Debug)]
pub(crate) struct Oracle {
    propagation: Propagation,
    passes: usize,
}

impl Oracle {
    pub(crate) fn new(
        domain: &Domain,
        shape: &CliqueVector,
        zeros: &[StructuralZeros],
        cell_limit: u128,
    ) -> Result<Self, ModelError> {
        let cliques: Vec<_> =
            shape.cliques().iter().chain(zeros.iter().map(StructuralZeros::clique)).cloned().collect();
        let tree = JunctionTree::new(domain, &cliques, cell_limit)?;
        let mut propagation = Propagation::new(domain, &tree, shape.cliques(), zeros);
        if propagation.condition(&shape.zeros_like()) == f64::NEG_INFINITY {
            return Err(ModelError::Impossible);
        }
        Ok(Self { propagation, passes: 0 })
    }

    /// Puts the expected counts of `total` rows into `counts`, and returns the logarithm of the partition function.
    pub(crate) fn counts(&mut self, potentials: &CliqueVector, total: f64, counts: &mut CliqueVector) -> f64 {
        self.passes += 1;
        let log_partition = self.propagation.condition(potentials);
        self.propagation.distribute(total, counts);
        log_partition
    }

    /// Visits every table once, with counts that hold all earlier updates; see [`Propagation::sweep`].
    pub(crate) fn sweep(&mut self, mut update: impl FnMut(usize, &mut [f64])) {
        self.passes += 1;
        self.propagation.sweep(&mut update);
    }

    /// How many passes over the tree were made.
    pub(crate) fn passes(&self) -> usize {
        self.passes
    }

    /// The distribution of these potentials.
    pub(crate) fn into_nodes(mut self, potentials: &CliqueVector) -> Vec<Node> {
        self.propagation.condition(potentials);
        self.propagation.into_nodes()
    }
}
