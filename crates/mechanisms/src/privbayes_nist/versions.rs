//! Columns and their coarser versions.

use scumble_schema::{AttributeId, Domain, Recoding, limits};

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
        // A column drawn given a coarser version of itself is laid out over both, so that has to be small enough.
        for versions in &mut by_column {
            let finest = u128::from(domain.size(versions[0]));
            let most = limits::CELLS_PER_TABLE.min(limits::CELLS_PER_MODEL / (2 * of.len() as u128));
            let small = |version: &AttributeId| finest * u128::from(domain.size(*version)) <= most;
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

    /// The number of cells that a column adds to a table as a factor.
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

    /// The versions of a column that may be drawn, finest first: all but those with too many codes for the finest to be drawn
    /// given them.
    pub(super) fn drawable(&self, column: AttributeId) -> &[AttributeId] {
        &self.by_column[self.of(column)]
    }

    /// All pairs of columns that may stand in one table and say something about each other: versions of one column may
    /// not, and a column of one code tells nothing.
    pub(super) fn pairs(&self) -> Vec<[AttributeId; 2]> {
        let telling: Vec<AttributeId> = self.domain.attributes().filter(|&column| self.cells(column) > 1).collect();
        let pairs = telling.iter().enumerate().flat_map(|(index, &left)| {
            let others = telling[index + 1..].iter().filter(move |&&right| self.of(left) != self.of(right));
            others.map(move |&right| [left, right])
        });
        pairs.collect()
    }

    /// How many tables a network can need: one per column, and one more for each that may be drawn in two steps.
    pub(super) fn most_tables(&self) -> usize {
        self.by_column.iter().map(|versions| versions.len().min(2)).sum::<usize>().max(1)
    }
}
