//! The distinct cliques of a query.

use scumble_schema::Clique;

/// Distinct cliques, and the positions of each in the query.
pub(super) struct Distinct {
    cliques: Vec<Clique>,
    /// Positions of all cliques in the query, grouped by clique.
    positions: Vec<usize>,
    /// End of each distinct clique's group in `positions`.
    ends: Vec<usize>,
}

impl Distinct {
    /// Collects the distinct cliques of `query`, in lexicographic order.
    pub(super) fn of(query: &[Clique]) -> Self {
        let mut positions: Vec<usize> = (0..query.len()).collect();
        positions.sort_by_key(|&position| &query[position]);
        let (mut cliques, mut ends) = (vec![], vec![]);
        for equal in positions.chunk_by(|&a, &b| query[a] == query[b]) {
            cliques.push(query[equal[0]].clone());
            ends.push(ends.last().unwrap_or(&0) + equal.len());
        }
        Self { cliques, positions, ends }
    }

    pub(super) fn cliques(&self) -> &[Clique] {
        &self.cliques
    }

    /// Positions in the query of the distinct clique at `index`.
    pub(super) fn positions_of(&self, index: usize) -> &[usize] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.positions[start..self.ends[index]]
    }
}
