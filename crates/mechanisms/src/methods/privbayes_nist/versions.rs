//! Columns and their coarser versions in a network.

use scumble_schema::{AttributeId, Domain, Recoding, limits};

use crate::learning::merging::non_constant_columns;
use crate::learning::pair_scores::pairs;

/// The columns that a network is learned over: every base column, and its coarser versions.
#[derive(Debug)]
pub(super) struct Versions {
    domain: Domain,
    /// The base column that each is a version of.
    of: Vec<usize>,
    /// The versions of each base column, finest first.
    by_column: Vec<Vec<AttributeId>>,
}

impl Versions {
    pub(super) fn of_recoding(recoding: &Recoding) -> Self {
        let domain = recoding.domain().clone();
        let of: Vec<usize> = domain.attributes().map(|column| recoding.of(column).index()).collect();
        let mut by_column = vec![Vec::new(); recoding.base().len()];
        // A recoding has the base columns first, and coarser versions after finer ones.
        for (column, &of) in domain.attributes().zip(&of) {
            by_column[of].push(column);
        }
        // A column drawn given a coarser version of itself has a table over both, which must be
        // small.
        for versions in &mut by_column {
            let finest = u128::from(domain.size(versions[0]));
            let max = limits::CELLS_PER_TABLE.min(limits::CELLS_PER_MODEL / (2 * of.len() as u128));
            let small = |version: &AttributeId| finest * u128::from(domain.size(*version)) <= max;
            let drawable: Vec<AttributeId> = versions[1..].iter().copied().filter(small).collect();
            versions.truncate(1);
            versions.extend(drawable);
        }
        Self { domain, of, by_column }
    }

    /// All columns, with their coarser versions.
    pub(super) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Number of codes of a column, the factor that it adds to the cells of a table.
    pub(super) fn cells(&self, column: AttributeId) -> u128 {
        self.domain.size(column).into()
    }

    pub(super) fn base_columns(&self) -> usize {
        self.by_column.len()
    }

    /// The base column that a column is a version of.
    pub(super) fn of(&self, column: AttributeId) -> usize {
        self.of[column.index()]
    }

    /// The finest version of every base column.
    pub(super) fn finest(&self) -> impl Iterator<Item = AttributeId> + '_ {
        self.by_column.iter().map(|versions| versions[0])
    }

    pub(super) fn finest_of(&self, column: AttributeId) -> AttributeId {
        self.by_column[self.of(column)][0]
    }

    /// The versions of a column that may be drawn, finest first: all but those with too many codes
    /// for the finest to be drawn given them.
    pub(super) fn drawable(&self, column: AttributeId) -> &[AttributeId] {
        &self.by_column[self.of(column)]
    }

    /// Returns all pairs of columns that may be related: not versions of one column, and not
    /// columns of one code.
    pub(super) fn pairs(&self) -> Vec<[AttributeId; 2]> {
        let mut pairs = pairs(&non_constant_columns(&self.domain));
        pairs.retain(|&[left, right]| self.of(left) != self.of(right));
        pairs
    }

    /// Maximum number of tables of a network: one per column, and one more for each that may be
    /// drawn in two steps.
    pub(super) fn max_tables(&self) -> usize {
        self.by_column.iter().map(|versions| versions.len().min(2)).sum::<usize>().max(1)
    }
}
