//! The cliques of a question, each once.

use scumble_schema::Clique;

/// Distinct cliques, and where each was asked for.
pub(super) struct Distinct {
    cliques: Vec<Clique>,
    /// The positions of all cliques in the question, those of equal ones side by side.
    positions: Vec<usize>,
    /// Where those of each distinct clique end.
    ends: Vec<usize>,
}

impl Distinct {
    /// In lexicographic order.
    pub(super) fn of(question: &[Clique]) -> Self {
        let mut positions: Vec<usize> = (0..question.len()).collect();
        positions.sort_by_key(|&position| &question[position]);
        let (mut cliques, mut ends) = (vec![], vec![]);
        for equal in positions.chunk_by(|&a, &b| question[a] == question[b]) {
            cliques.push(question[equal[0]].clone());
            ends.push(ends.last().unwrap_or(&0) + equal.len());
        }
        Self { cliques, positions, ends }
    }

    pub(super) fn cliques(&self) -> &[Clique] {
        &self.cliques
    }

    /// The positions in the question at which the distinct clique at `index` was asked for.
    pub(super) fn asked(&self, index: usize) -> &[usize] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.positions[start..self.ends[index]]
    }
}
