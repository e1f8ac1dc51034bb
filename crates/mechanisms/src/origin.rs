//! Where the numbers of a model come from, and with them what may be claimed.

use scumble_schema::{AdjacencyKind, Clique};
use scumble_vault::{Certificate, Event};

use crate::marginals::{Marginal, Marginals};
use crate::method::Method;

/// Where the numbers of a model come from.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A method asked a vault of ours, which certifies what was released.
    Measured {
        /// The method, with its options.
        method: Method,
        /// The released numbers of every event of the certificate, in their order.
        released: Vec<Vec<i64>>,
        /// What was spent, and what may be claimed for it.
        certificate: Certificate,
    },
    /// Tables were made elsewhere. What they cost is their maker's word.
    External(Marginals),
}

/// What is known of a noisy table, its counts aside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableFacts<'a> {
    /// Its columns.
    pub clique: &'a Clique,
    /// How many counts it has.
    pub cells: u64,
    /// The standard deviation of the noise on each, in rows.
    pub noise: Option<f64>,
}

impl Origin {
    /// The noisy tables, in the order in which they were released or stand in their file.
    pub fn tables(&self) -> Vec<TableFacts<'_>> {
        match self {
            Self::Measured { certificate, .. } => certificate.events().iter().filter_map(released_table).collect(),
            Self::External(marginals) => marginals.tables().iter().map(external_table).collect(),
        }
    }

    /// Whether the number of rows is public, and not an estimate from noisy tables.
    pub fn tells_rows(&self) -> bool {
        match self {
            Self::Measured { certificate, .. } => certificate.adjacency() == AdjacencyKind::ReplaceOne,
            Self::External(marginals) => marginals.rows().is_some(),
        }
    }
}

fn released_table(event: &Event) -> Option<TableFacts<'_>> {
    let noise = event.mechanism().standard_deviation();
    event.table().map(|clique| TableFacts { clique, cells: event.length(), noise })
}

fn external_table(table: &Marginal) -> TableFacts<'_> {
    let table = table.measurement();
    TableFacts { clique: table.clique(), cells: table.values().len() as u64, noise: Some(table.standard_deviation()) }
}
