//! Message passing on a junction tree.
//!
//! Each clique of the tree keeps its table with the separator's cells as rows and the residual's as
//! columns. On the way up, leaves first, a clique adds the logarithms of its potentials and of its
//! children's messages. Each row is then shifted by its maximum, exponentiated once and scaled to
//! sum to one: that is the distribution of the residual given the separator, and the logarithm of
//! the row's sum is the message to the parent. On the way down each row is multiplied by the
//! separator's probability. So a pass costs one exponential per cell, never divides by zero, and
//! neither overflows nor underflows however large the potentials are.
//!
//! Hugin's method (divide a separator's new marginal by its old one) needs a rule for 0/0; Shafer
//! and Shenoy's (combine all messages but one) needs a second exponential per cell.

use scumble_cancel::checkpoint;
use scumble_schema::{Clique, Domain};

use crate::error::ModelError;
use crate::inference::zeros::StructuralZeros;
use crate::parallel;
use crate::table::clique_vector::CliqueVector;
use crate::table::pieces::{map_pieces, piece_cells};
use crate::table::projection::{Axis, Projection};
use crate::table::vector::{largest, quotient, scale, sum};
use crate::tree::junction_tree::JunctionTree;
use crate::tree::tree_model::Node;

/// A junction tree with its potentials assigned to cliques, and the tables that passes work in.
#[derive(Debug)]
pub(crate) struct Propagation {
    nodes: Vec<NodeWork>,
    /// The places of potentials over no attribute. They are in no clique: a constant changes no
    /// distribution.
    constants: Vec<usize>,
    /// The sum of structural zeros over no attribute: zero or minus infinity.
    offset: f64,
}

/// A clique of the tree, with its table.
#[derive(Debug)]
struct NodeWork {
    parent: Option<usize>,
    children: Vec<usize>,
    separator: Clique,
    residual: Clique,
    /// Number of cells of the residual: the length of a row.
    width: usize,
    table: Vec<f64>,
    /// The map from the parent's cells to the separator's; `None` for a root.
    in_parent: Option<Projection>,
    /// One number per row: on the way up the message to the parent, on the way down the row's
    /// probability.
    rows: Vec<f64>,
    /// The potentials in this clique: their places in the vector, and the maps to their cells.
    potentials: Vec<(usize, Projection)>,
    /// The structural zeros in this clique, as logarithms, and the maps to their cells.
    zeros: Vec<(Vec<f64>, Projection)>,
}

impl Propagation {
    /// Makes the junction tree for potentials over `cliques` under these structural zeros.
    ///
    /// # Errors
    /// Those of [`JunctionTree::new`].
    pub(crate) fn new(
        domain: &Domain,
        cliques: &[Clique],
        zeros: &[StructuralZeros],
        cell_limit: u128,
    ) -> Result<Self, ModelError> {
        let held: Vec<Clique> = cliques.iter().chain(zeros.iter().map(StructuralZeros::clique)).cloned().collect();
        let tree = JunctionTree::new(domain, &held, cell_limit)?;
        let cells = |clique: &Clique| usize::try_from(domain.cells(clique)).expect("the tree is within its limit");
        let axes: Vec<Vec<Axis>> = tree
            .cliques()
            .iter()
            .map(|clique| {
                let (separator, residual) = (clique.separator().attributes(), clique.residual().attributes());
                Axis::list(domain, separator.iter().chain(residual))
            })
            .collect();
        let mut nodes: Vec<NodeWork> = tree
            .cliques()
            .iter()
            .map(|clique| {
                let (rows, width) = (cells(clique.separator()), cells(clique.residual()));
                NodeWork {
                    parent: clique.parent(),
                    children: Vec::new(),
                    separator: clique.separator().clone(),
                    residual: clique.residual().clone(),
                    width,
                    table: vec![0.0; rows * width],
                    in_parent: clique.parent().map(|parent| Projection::new(&axes[parent], clique.separator())),
                    rows: vec![0.0; rows],
                    potentials: Vec::new(),
                    zeros: Vec::new(),
                }
            })
            .collect();
        for child in 0..nodes.len() {
            if let Some(parent) = nodes[child].parent {
                nodes[parent].children.push(child);
            }
        }
        let home = |clique: &Clique| tree.home(clique).expect("the tree holds these cliques");
        let mut constants = Vec::new();
        for (place, clique) in cliques.iter().enumerate() {
            if clique.is_empty() {
                constants.push(place);
            } else {
                let node = home(clique);
                nodes[node].potentials.push((place, Projection::new(&axes[node], clique)));
            }
        }
        let mut offset = 0.0;
        for zeros in zeros {
            if zeros.clique().is_empty() {
                offset += zeros.logarithms()[0];
            } else {
                let node = home(zeros.clique());
                nodes[node].zeros.push((zeros.logarithms().to_vec(), Projection::new(&axes[node], zeros.clique())));
            }
        }
        Ok(Self { nodes, constants, offset })
    }

    /// Runs the upward pass: turns every table into the distribution of the residual given the
    /// separator. Returns the logarithm of the partition function, the sum over all cells of the
    /// exponential of all potentials; minus infinity if no cell is possible.
    pub(crate) fn condition(&mut self, potentials: &CliqueVector) -> f64 {
        let mut log_partition = self.offset;
        for index in (0..self.nodes.len()).rev() {
            checkpoint();
            // Children come after their parent, so they can be read while it is written.
            let (before, children) = self.nodes.split_at_mut(index + 1);
            let node = before.last_mut().expect("one node before the cut");
            node.fill(potentials, children, index + 1);
            normalise(&mut node.table, node.width, &mut node.rows);
            if node.parent.is_none() {
                log_partition += node.rows[0];
            }
        }
        log_partition
    }

    /// Runs the downward pass, after [`Self::condition`]: turns conditionals into probabilities
    /// times `total`, and sums them into `marginals`, which has the cliques of the potentials.
    pub(crate) fn distribute(&mut self, total: f64, marginals: &mut CliqueVector) {
        for index in 0..self.nodes.len() {
            let (parents, rest) = self.nodes.split_at_mut(index);
            let node = &mut rest[0];
            node.rows.fill(0.0);
            match (node.parent, &node.in_parent) {
                (Some(parent), Some(projection)) => projection.sum(&parents[parent].table, &mut node.rows),
                _ => node.rows[0] = total,
            }
            node.scale_rows();
            let tables = marginals.tables_mut(node.potentials.iter().map(|(place, _)| *place));
            let targets = node.potentials.iter().zip(tables);
            let fill = |((_, projection), table): (&(usize, Projection), &mut [f64])| {
                table.fill(0.0);
                projection.sum(&node.table, table);
            };
            if node.table.len() >= piece_cells(1) {
                parallel::map(targets, fill);
            } else {
                targets.for_each(fill);
            }
        }
        for place in &self.constants {
            marginals.table_mut(*place)[0] = total;
        }
    }

    /// Visits the potentials one after the other, after [`Self::distribute`]. Calls `update` with
    /// the counts of each after all updates so far; `update` replaces the counts by factors to
    /// multiply them with.
    ///
    /// A clique's table is updated by the ratio of its separator's new counts to the old ones, on
    /// the way down from the parent and on the way back up: no logarithms, no exponentials. Zeros
    /// stay zero.
    pub(crate) fn sweep(&mut self, update: &mut impl FnMut(usize, &mut [f64])) {
        let roots: Vec<usize> = (0..self.nodes.len()).filter(|&index| self.nodes[index].parent.is_none()).collect();
        // Each clique, then its children's subtrees one by one: a stack of remaining tasks.
        let mut tasks: Vec<Task> = roots.into_iter().rev().map(Task::Enter).collect();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter(index) => {
                    self.update_from_parent(index);
                    self.nodes[index].update_potentials(update);
                    tasks.push(Task::Leave(index));
                    tasks.extend(self.nodes[index].children.iter().rev().map(|&child| Task::Enter(child)));
                }
                Task::Leave(index) => self.update_parent(index),
            }
        }
    }

    fn update_from_parent(&mut self, index: usize) {
        let (parents, rest) = self.nodes.split_at_mut(index);
        let node = &mut rest[0];
        if let (Some(parent), Some(projection)) = (node.parent, &node.in_parent) {
            let mut counts = vec![0.0; node.rows.len()];
            projection.sum(&parents[parent].table, &mut counts);
            let rows = node.table.chunks_exact_mut(node.width).zip(node.rows.iter_mut().zip(counts));
            for (row, (old, new)) in rows {
                let factor = quotient(new, *old);
                scale(row, factor);
                *old = new;
            }
        }
    }

    fn update_parent(&mut self, index: usize) {
        let (parents, rest) = self.nodes.split_at_mut(index);
        let node = &mut rest[0];
        if let (Some(parent), Some(projection)) = (node.parent, &node.in_parent) {
            let rows = node.table.chunks_exact(node.width).zip(&mut node.rows);
            let factors: Vec<f64> = rows
                .map(|(row, old)| {
                    let new = sum(row);
                    quotient(new, std::mem::replace(old, new))
                })
                .collect();
            projection.multiply(&factors, &mut parents[parent].table);
        }
    }

    /// Returns the tables as nodes of a model, after [`Self::condition`].
    pub(crate) fn into_nodes(self) -> Vec<Node> {
        let node = |node: NodeWork| Node::new(node.parent, node.separator, node.residual, node.table);
        self.nodes.into_iter().map(node).collect()
    }
}

/// A step of a sweep.
enum Task {
    Enter(usize),
    Leave(usize),
}

impl NodeWork {
    /// Fills the table with the sum of potentials, zeros and messages in this clique, as
    /// logarithms. `behind[0]` is the node at `offset`.
    fn fill(&mut self, potentials: &CliqueVector, behind: &[Self], offset: usize) {
        let of_potentials = self.potentials.iter().map(|(place, projection)| (potentials.table(*place), projection));
        let of_zeros = self.zeros.iter().map(|(values, projection)| (values.as_slice(), projection));
        let of_children = self.children.iter().map(|child| {
            let child = &behind[child - offset];
            (child.rows.as_slice(), child.in_parent.as_ref().expect("a child has a parent"))
        });
        let terms: Vec<(&[f64], &Projection)> = of_potentials.chain(of_zeros).chain(of_children).collect();
        let block = terms.first().map_or(1, |(_, projection)| projection.block());
        map_pieces(&mut self.table, piece_cells(block), |first, cells| {
            cells.fill(0.0);
            for (small, projection) in &terms {
                projection.add_from(first, small, cells);
            }
        });
    }

    fn update_potentials(&mut self, update: &mut impl FnMut(usize, &mut [f64])) {
        for (place, projection) in &self.potentials {
            let mut counts = vec![0.0; projection.onto_cells()];
            projection.sum(&self.table, &mut counts);
            update(*place, &mut counts);
            projection.multiply(&counts, &mut self.table);
        }
    }

    fn scale_rows(&mut self) {
        let (width, rows) = (self.width, &self.rows);
        map_pieces(&mut self.table, piece_cells(width), |first, cells| {
            for (row, probability) in cells.chunks_exact_mut(width).zip(&rows[first / width..]) {
                scale(row, *probability);
            }
        });
    }
}

/// Turns every row of logarithms into a distribution, and writes the logarithms of the rows' sums
/// to `messages`.
fn normalise(table: &mut [f64], width: usize, messages: &mut [f64]) {
    let piece = piece_cells(1);
    if width <= piece {
        let rows = map_pieces(table, piece_cells(width), |_, cells| {
            cells.chunks_exact_mut(width).map(normalise_row).collect::<Vec<f64>>()
        });
        for (message, sum) in messages.iter_mut().zip(rows.into_iter().flatten()) {
            *message = sum;
        }
    } else {
        for (message, row) in messages.iter_mut().zip(table.chunks_exact_mut(width)) {
            *message = normalise_long_row(row, piece);
        }
    }
}

/// Turns a row of logarithms into a distribution and returns the logarithm of its sum. A row
/// without possible cells becomes zero.
fn normalise_row(row: &mut [f64]) -> f64 {
    let shift = largest(row);
    if shift == f64::NEG_INFINITY {
        row.fill(0.0);
        return shift;
    }
    let total = exponentiate(row, shift);
    scale(row, 1.0 / total);
    shift + total.ln()
}

/// Does what [`normalise_row`] does, in several threads.
fn normalise_long_row(row: &mut [f64], piece: usize) -> f64 {
    let shift = map_pieces(row, piece, |_, cells| largest(cells)).into_iter().fold(f64::NEG_INFINITY, f64::max);
    if shift == f64::NEG_INFINITY {
        row.fill(0.0);
        return shift;
    }
    let total: f64 = map_pieces(row, piece, |_, cells| exponentiate(cells, shift)).into_iter().sum();
    map_pieces(row, piece, |_, cells| scale(cells, 1.0 / total));
    shift + total.ln()
}

/// Replaces every cell by `exp(cell - shift)`, and returns their sum.
fn exponentiate(cells: &mut [f64], shift: f64) -> f64 {
    for cell in &mut *cells {
        *cell = (*cell - shift).exp();
    }
    sum(cells)
}

#[cfg(test)]
mod tests {
    use scumble_schema::AttributeId;

    use super::*;

    fn clique(attributes: &[usize]) -> Clique {
        Clique::new(attributes.iter().map(|&index| AttributeId::new(index)))
    }

    /// Returns potentials over a tree with a branch, and the tree.
    fn example() -> (CliqueVector, Propagation) {
        let domain = Domain::new(vec![2, 3, 4, 2, 3]).expect("small");
        let cliques =
            vec![clique(&[0, 1]), clique(&[1, 2]), clique(&[]), clique(&[1, 3]), clique(&[1, 4]), clique(&[2])];
        let mut potentials = CliqueVector::zeros(&domain, cliques.clone()).expect("small");
        for (index, potential) in (0_u32..).zip(potentials.values_mut()) {
            *potential = f64::from(index * 7 % 11) / 3.0 - 1.0;
        }
        let propagation = Propagation::new(&domain, &cliques, &[], u128::MAX).expect("small");
        (potentials, propagation)
    }

    #[test]
    fn counts_sum_to_the_total_and_agree_with_each_other() {
        let (potentials, mut propagation) = example();
        let mut counts = potentials.zeros_like();
        propagation.condition(&potentials);
        propagation.distribute(1000.0, &mut counts);
        for place in 0..counts.cliques().len() {
            assert!((sum(counts.table(place)) - 1000.0).abs() < 1e-9);
        }
        let shared = |place: usize| counts.factor(place).project(&clique(&[1])).into_values();
        for place in [1, 3, 4] {
            assert!(shared(0).iter().zip(shared(place)).all(|(left, right)| (left - right).abs() < 1e-9));
        }
    }

    #[test]
    fn a_sweep_passes_each_table_the_counts_after_all_earlier_updates() {
        let (mut potentials, mut propagation) = example();
        let (_, mut fresh) = example();
        let mut counts = potentials.zeros_like();
        propagation.condition(&potentials);
        propagation.distribute(1.0, &mut counts);
        let mut visited = Vec::new();
        propagation.sweep(&mut |place, seen| {
            let mut expected = potentials.zeros_like();
            let log_partition = fresh.condition(&potentials);
            fresh.distribute(1.0, &mut expected);
            // The sweep's counts are not normalised: they carry the factors of all updates.
            let grown = sum(seen);
            let apart = |(seen, expected): (&f64, &f64)| (seen / grown - expected).abs();
            assert!(seen.iter().zip(expected.table(place)).map(apart).all(|apart| apart < 1e-12), "{log_partition}");
            for (index, (seen, potential)) in (0_u32..).zip(seen.iter_mut().zip(potentials.table_mut(place))) {
                let moved = f64::from(index % 3) * 0.4 - 0.5;
                *seen = moved.exp();
                *potential += moved;
            }
            visited.push(place);
        });
        visited.sort_unstable();
        assert_eq!(visited, [0, 1, 3, 4, 5], "every table but the one over no attribute");
    }
}
