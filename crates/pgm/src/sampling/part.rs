//! Parts of rows that may change places.

use rand::{Rng, RngExt};
use scumble_schema::{AttributeId, Clique, Domain, cells};

use crate::tree::tree_model::TreeModel;

/// A part of every row: the columns of a subtree. Two rows that agree on what joins it to the rest may exchange it.
///
/// No clique has columns both of the part and of the rest. So an exchange leaves every clique's table as it is, and makes no
/// row that the model holds for impossible.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Its columns.
    pub(super) columns: Vec<usize>,
    /// The columns that join it to the rest, each with the distance between neighbouring codes in the number of a group.
    separator: Vec<(usize, u32)>,
}

/// Rows that agree on a separator, group after group.
pub(super) struct Groups {
    rows: Vec<u32>,
    /// For every place in `rows`, where its group starts and ends.
    bounds: Vec<(u32, u32)>,
}

impl Part {
    /// The parts of a model: every clique with all that hang below it, where there is a rest.
    pub(super) fn all(model: &TreeModel) -> Vec<Self> {
        let (domain, nodes) = (model.domain(), model.nodes());
        let mut below: Vec<Vec<AttributeId>> = nodes.iter().map(|node| node.residual().attributes().to_vec()).collect();
        // Children come after their parents.
        for (position, node) in nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent() {
                let part = below[position].clone();
                below[parent].extend(part);
            }
        }
        let has_rest = |separator: &Clique, part: &[AttributeId]| part.len() + separator.len() < domain.len();
        nodes
            .iter()
            .zip(below)
            .filter(|(node, part)| !part.is_empty() && has_rest(node.separator(), part))
            .map(|(node, part)| Self::new(domain, node.separator(), &part))
            .collect()
    }

    fn new(domain: &Domain, separator: &Clique, part: &[AttributeId]) -> Self {
        let strides = cells::strides(domain, separator).into_iter();
        let stride = |stride| u32::try_from(stride).expect("limits::CELLS_PER_MODEL bounds the cells of a separator");
        let separator = separator.attributes().iter().map(|of| of.index()).zip(strides.map(stride)).collect();
        Self { columns: part.iter().map(|of| of.index()).collect(), separator }
    }

    /// Whether a column is neither in the part nor joins it to the rest.
    pub(super) fn is_in_rest(&self, column: usize) -> bool {
        !self.columns.contains(&column) && self.separator.iter().all(|&(joint, _)| joint != column)
    }

    /// The groups of rows that are held row by row, `width` columns each.
    pub(super) fn groups(&self, codes: &[u32], width: usize) -> Groups {
        let group = |row: &[u32]| self.separator.iter().map(|&(column, stride)| row[column] * stride).sum();
        let mut by_group: Vec<(u32, u32)> = codes.chunks_exact(width).map(group).zip(0..).collect();
        by_group.sort_unstable();
        let mut bounds = Vec::with_capacity(by_group.len());
        for group in by_group.chunk_by(|left, right| left.0 == right.0) {
            let start = u32::try_from(bounds.len()).expect("a chunk has at most CHUNK_ROWS rows");
            let end = start + u32::try_from(group.len()).expect("nor has a group more");
            bounds.extend(std::iter::repeat_n((start, end), group.len()));
        }
        Groups { rows: by_group.into_iter().map(|(_, row)| row).collect(), bounds }
    }
}

impl Groups {
    /// Two rows of one group, the first of them any row: `None` if they are the same.
    pub(super) fn two(&self, rng: &mut impl Rng) -> Option<(usize, usize)> {
        let place = rng.random_range(0..u32::try_from(self.rows.len()).ok()?);
        let (start, end) = self.bounds[place as usize];
        let other = rng.random_range(start..end);
        (place != other).then(|| (self.rows[place as usize] as usize, self.rows[other as usize] as usize))
    }
}
