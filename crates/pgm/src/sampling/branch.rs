//! The branches of a tree, whose columns rows may swap.

use rand::{Rng, RngExt};
use scumble_schema::{AttributeId, Clique, Domain, cells};

use crate::tree::tree_model::TreeModel;

/// A branch of the tree: the columns of a clique's residual and of its descendants. Two rows that
/// agree on its separator may swap these columns.
///
/// No clique has columns both of the branch and of the rest. So a swap changes no clique's table,
/// and makes no row that is impossible under the model.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    /// The columns of the branch.
    pub(super) columns: Vec<usize>,
    /// The columns of its separator, each with its stride in the number of a group.
    separator: Vec<(usize, u32)>,
}

/// Groups of rows that agree on a separator.
pub(super) struct Groups {
    rows: Vec<u32>,
    /// For every place in `rows`, the start and end of its group.
    bounds: Vec<(u32, u32)>,
}

impl Branch {
    /// Returns the branches of a model, except those without columns outside branch and separator.
    pub(super) fn all(model: &TreeModel) -> Vec<Self> {
        let (domain, nodes) = (model.domain(), model.nodes());
        let mut below: Vec<Vec<AttributeId>> = nodes.iter().map(|node| node.residual().attributes().to_vec()).collect();
        // Children come after their parents.
        for (position, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent() {
                let columns = below[position].clone();
                below[parent].extend(columns);
            }
        }
        let has_rest = |separator: &Clique, columns: &[AttributeId]| columns.len() + separator.len() < domain.len();
        nodes
            .iter()
            .zip(below)
            .filter(|(node, columns)| !columns.is_empty() && has_rest(node.separator(), columns))
            .map(|(node, columns)| Self::new(domain, node.separator(), &columns))
            .collect()
    }

    fn new(domain: &Domain, separator: &Clique, columns: &[AttributeId]) -> Self {
        let strides = cells::strides(domain, separator).into_iter();
        let stride = |stride| u32::try_from(stride).expect("limits::CELLS_PER_MODEL bounds the cells of a separator");
        let separator = separator.attributes().iter().map(|of| of.index()).zip(strides.map(stride)).collect();
        Self { columns: columns.iter().map(|of| of.index()).collect(), separator }
    }

    /// Whether a column is neither in the branch nor in its separator.
    pub(super) fn is_in_rest(&self, column: usize) -> bool {
        !self.columns.contains(&column) && self.separator.iter().all(|&(joint, _)| joint != column)
    }

    /// Groups rows by the separator. `codes` holds them row by row, `width` columns each.
    pub(super) fn groups(&self, codes: &[u32], width: usize) -> Groups {
        let group = |row: &[u32]| self.separator.iter().map(|&(column, stride)| row[column] * stride).sum();
        let mut by_group: Vec<(u32, u32)> = codes.chunks_exact(width).map(group).zip(0..).collect();
        by_group.sort_unstable();
        let mut bounds = Vec::with_capacity(by_group.len());
        for group in by_group.chunk_by(|left, right| left.0 == right.0) {
            let start = u32::try_from(bounds.len()).expect("a chunk has at most CHUNK_ROWS rows");
            let end = start + u32::try_from(group.len()).expect("a group has at most CHUNK_ROWS rows");
            bounds.extend(std::iter::repeat_n((start, end), group.len()));
        }
        Groups { rows: by_group.into_iter().map(|(_, row)| row).collect(), bounds }
    }
}

impl Groups {
    /// Draws a row and another of its group, or `None` if both are the same row.
    pub(super) fn two(&self, rng: &mut impl Rng) -> Option<(usize, usize)> {
        let place = rng.random_range(0..u32::try_from(self.rows.len()).ok()?);
        let (start, end) = self.bounds[place as usize];
        let other = rng.random_range(start..end);
        (place != other).then(|| (self.rows[place as usize] as usize, self.rows[other as usize] as usize))
    }
}
