//! The origin of a model's numbers, which decides what privacy may be claimed.

use scumble_schema::{AdjacencyKind, Clique};
use scumble_vault::{Certificate, Event};

use crate::marginals::tables::{Marginal, Marginals};
use crate::mechanism::method::Method;
use crate::model::Model;
use crate::model::parity_tables::ParityTable;

/// The origin of a model's numbers.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A method measured them in a vault, which certifies the releases.
    Measured {
        /// The method, with its options.
        method: Method,
        /// The released numbers of every event of the certificate, in their order.
        released: Vec<Vec<i64>>,
        /// The certificate of what was spent.
        certificate: Certificate,
    },
    /// External tables. Their privacy is what the party that released them states.
    External(Marginals),
}

/// Facts of a noisy table, without its counts.
#[derive(Debug, Clone, PartialEq)]
pub struct TableFacts {
    /// Its columns.
    pub clique: Clique,
    /// Number of counts.
    pub cells: u64,
    /// Standard deviation of the noise on each count, in rows.
    pub noise: Option<f64>,
}

impl Model {
    /// Returns the noisy tables, in the order of their release or of their file, and those that
    /// follow from released parities.
    pub fn tables(&self) -> Vec<TableFacts> {
        let parities = self.parity_tables().into_iter().map(|ParityTable { clique, values, noise }| TableFacts {
            clique,
            cells: values.len() as u64,
            noise: Some(noise),
        });
        match &self.origin {
            Origin::Measured { certificate, .. } => {
                certificate.events().iter().filter_map(released_table).chain(parities).collect()
            }
            Origin::External(marginals) => marginals.tables().iter().map(external_table).collect(),
        }
    }
}

impl Origin {
    /// Returns the releases that compared rows with the real ones.
    pub(crate) fn comparisons(&self) -> impl Iterator<Item = &Event> {
        let events = match self {
            Self::Measured { certificate, .. } => certificate.events(),
            Self::External(_) => &[],
        };
        events.iter().filter(|event| event.question().is_comparison())
    }

    /// Returns whether the number of rows is public, and not an estimate from noisy tables.
    pub fn has_public_rows(&self) -> bool {
        match self {
            Self::Measured { certificate, .. } => certificate.adjacency() == AdjacencyKind::ReplaceOne,
            Self::External(marginals) => marginals.rows().is_some(),
        }
    }
}

fn released_table(event: &Event) -> Option<TableFacts> {
    let noise = event.mechanism().standard_deviation();
    event.table().map(|clique| TableFacts { clique: clique.clone(), cells: event.length(), noise })
}

fn external_table(table: &Marginal) -> TableFacts {
    let table = table.measurement();
    let (clique, cells) = (table.clique().clone(), table.values().len() as u64);
    TableFacts { clique, cells, noise: Some(table.standard_deviation()) }
}
