//! The tables of a network: those that are measured, and those that follow from them.

use scumble_pgm::Factor;
use scumble_schema::Clique;
use scumble_vault::{Accounting, Adjacency, Budget, NoisyTable, Vault};

use super::candidates::Candidate;
use super::columns::Columns;
use crate::error::MechanismError;
use crate::learning::noisy::counts;

/// The measured tables of a network.
#[derive(Debug)]
pub(crate) struct NoisyTables(Vec<NoisyTable>);

impl NoisyTables {
    /// Measures the tables of these pairs that do not follow from others, with equal shares of the
    /// budget.
    ///
    /// For d binary columns and degree k these are d - k: the first k follow from the one after
    /// them, as in the paper. A column of one code is not measured.
    ///
    /// # Privacy
    /// One release of a count table each.
    ///
    /// # Reference
    /// 2014, Algorithm 1, lines 2 to 4.
    pub(crate) fn measure<A: Adjacency, M: Accounting>(
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        columns: &Columns,
        pairs: &[Candidate],
    ) -> Result<Self, MechanismError> {
        let cliques = measured(columns, pairs);
        if cliques.is_empty() {
            return Ok(Self(Vec::new()));
        }
        Ok(Self(vault.measure(&cliques, budget)?.iter().cloned().collect()))
    }

    /// The released tables.
    pub(crate) fn released(&self) -> &[NoisyTable] {
        &self.0
    }

    /// Returns the noisy counts over `clique`: measured, or summed from the smallest table that
    /// they follow from.
    pub(crate) fn counts(&self, columns: &Columns, clique: &Clique) -> Result<Factor, MechanismError> {
        let holders = self.0.iter().filter(|table| columns.follows(clique, table.clique()));
        let values = match holders.min_by_key(|table| table.values().len()) {
            Some(table) => {
                let values = counts(table);
                if table.clique() == clique { values } else { columns.fold(&values, table.clique(), clique) }
            }
            // Columns of one code have one cell, which holds all rows.
            None => vec![1.0],
        };
        Ok(Factor::new(columns.domain(), clique.clone(), values)?)
    }
}

/// Returns the sets of columns that are measured for these pairs.
pub(crate) fn measured(columns: &Columns, pairs: &[Candidate]) -> Vec<Clique> {
    let cliques = pairs.iter().map(|(child, parents)| parents.union(&Clique::single(*child)));
    not_following(columns, cliques.filter(|clique| columns.domain().cells(clique) > 1))
}

/// Returns the sets whose tables do not follow from that of another, each once and in the order of
/// their first appearance.
fn not_following(columns: &Columns, cliques: impl Iterator<Item = Clique>) -> Vec<Clique> {
    let mut kept: Vec<Clique> = Vec::new();
    for clique in cliques {
        if !kept.iter().any(|other| columns.follows(&clique, other)) {
            kept.retain(|other| !columns.follows(other, &clique));
            kept.push(clique);
        }
    }
    kept
}
