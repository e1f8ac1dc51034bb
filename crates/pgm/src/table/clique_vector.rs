//! Tables for several cliques, in one vector.

use std::sync::Arc;

use scumble_schema::{Clique, Domain};

use crate::error::ModelError;
use crate::table::factor::{self, Factor};

/// A number for every cell of every clique, in the order of the cliques: potentials, marginals or
/// gradients.
///
/// The tables are contiguous, so arithmetic on all of them is arithmetic on one slice.
#[derive(Debug, Clone, PartialEq)]
pub struct CliqueVector {
    layout: Arc<Layout>,
    values: Vec<f64>,
}

/// The cliques, and where their tables start.
#[derive(Debug, PartialEq)]
struct Layout {
    domain: Domain,
    cliques: Vec<Clique>,
    /// The start of each clique's table, and the end of the last one.
    starts: Vec<usize>,
}

impl CliqueVector {
    /// Makes a vector with zero in every cell.
    pub fn zeros(domain: &Domain, cliques: Vec<Clique>) -> Result<Self, ModelError> {
        let mut starts = vec![0];
        let mut cells = 0;
        for clique in &cliques {
            cells += factor::checked_cells(domain, clique)?;
            starts.push(cells);
        }
        let layout = Layout { domain: domain.clone(), cliques, starts };
        Ok(Self { layout: Arc::new(layout), values: vec![0.0; cells] })
    }

    /// Makes a vector of these tables, in this order.
    pub fn new(domain: &Domain, factors: Vec<Factor>) -> Result<Self, ModelError> {
        let mut vector = Self::zeros(domain, factors.iter().map(|factor| factor.clique().clone()).collect())?;
        for (index, factor) in factors.into_iter().enumerate() {
            factor::check_length(domain, factor.clique(), factor.values().len())?;
            vector.table_mut(index).copy_from_slice(factor.values());
        }
        Ok(vector)
    }

    /// Makes a vector over the cliques of this one, with zero in every cell.
    pub(crate) fn zeros_like(&self) -> Self {
        Self { layout: Arc::clone(&self.layout), values: vec![0.0; self.values.len()] }
    }

    /// Returns the domain of the cliques.
    pub fn domain(&self) -> &Domain {
        &self.layout.domain
    }

    /// Returns the cliques, in order.
    pub fn cliques(&self) -> &[Clique] {
        &self.layout.cliques
    }

    /// Returns the values of all tables, one table after the other.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the values of all tables, mutably.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Returns the values of the table at `index`.
    pub fn table(&self, index: usize) -> &[f64] {
        &self.values[self.layout.starts[index]..self.layout.starts[index + 1]]
    }

    /// Returns the values of the table at `index`, mutably.
    pub fn table_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.values[self.layout.starts[index]..self.layout.starts[index + 1]]
    }

    /// Returns the values of several tables at once, mutably. The places must ascend.
    pub(crate) fn tables_mut(&mut self, places: impl Iterator<Item = usize>) -> Vec<&mut [f64]> {
        let mut rest = self.values.as_mut_slice();
        let mut behind = 0;
        places
            .map(|place| {
                let (start, end) = (self.layout.starts[place], self.layout.starts[place + 1]);
                let (_, from) = std::mem::take(&mut rest).split_at_mut(start - behind);
                let (table, after) = from.split_at_mut(end - start);
                rest = after;
                behind = end;
                table
            })
            .collect()
    }

    /// Returns the table at `index`, with its clique.
    pub fn factor(&self, index: usize) -> Factor {
        let clique = self.layout.cliques[index].clone();
        Factor::new(&self.layout.domain, clique, self.table(index).to_vec()).expect("a vector holds whole tables")
    }
}
