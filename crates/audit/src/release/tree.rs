//! A tree of pairs of columns, learned from the synthetic rows.

use scumble_cancel::checkpoint;
use scumble_schema::AttributeId;

use super::cells::Cells;
use super::draw::Draw;
use super::factor::Shape;
use super::study::Study;

/// Maximum number of synthetic rows that the tree is learned from.
const MAX_ROWS: usize = 20_000;

/// Returns the tree as factors: each column given its parent, if it has one.
///
/// # Reference
/// Chow, Liu, Approximating discrete probability distributions with dependence trees, IEEE
/// Transactions on Information Theory 14, 1968.
pub(super) fn shapes<'a>(study: &Study<'_>) -> Vec<Shape<'a>> {
    let columns: Vec<AttributeId> = study.recoding.domain().attributes().collect();
    let places = Draw::Tree.places(study.seed, study.synthetic.rows(), MAX_ROWS);
    let sample = study.synthetic.pick(&places);
    let surprise = |columns: &[AttributeId]| {
        checkpoint();
        let cells = Cells::new(&study.recoding, columns);
        entropy(cells.of_rows(&sample))
    };
    let single: Vec<f64> = columns.iter().map(|&column| surprise(&[column])).collect();
    let mut waiting: Vec<AttributeId> = columns;
    let mut shapes = Vec::with_capacity(waiting.len());
    // For every waiting column, the strongest relation to the tree, and the parent. A column
    // without any relation is a root.
    let mut strongest = vec![(0.0_f64, None); waiting.len()];
    while let Some(next) = (0..waiting.len()).max_by(|&one, &other| {
        // The first of equal ones, so that the tree does not depend on the order of removal.
        strongest[one].0.total_cmp(&strongest[other].0).then(waiting[other].cmp(&waiting[one]))
    }) {
        let (_, parent) = strongest.remove(next);
        let child = waiting.remove(next);
        shapes.push(Shape { parents: parent.into_iter().collect(), children: vec![child], conditional: None });
        for (&column, strongest) in waiting.iter().zip(&mut strongest) {
            let mutual = single[child.index()] + single[column.index()] - surprise(&[child, column]);
            if mutual > strongest.0 {
                *strongest = (mutual, Some(child));
            }
        }
    }
    shapes
}

/// Returns the entropy of a sample of cells in nats, with the correction of Miller and Madow:
/// without it, columns with many codes would seem related.
pub(super) fn entropy(mut cells: Vec<u64>) -> f64 {
    cells.sort_unstable();
    let rows = cells.len().max(1) as f64;
    let (mut entropy, mut occupied) = (0.0, 0.0);
    for cell in cells.chunk_by(|one, other| one == other) {
        let share = cell.len() as f64 / rows;
        entropy -= share * share.ln();
        occupied += 1.0;
    }
    entropy + (occupied - 1.0) / (2.0 * rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::fixture;

    #[test]
    fn related_columns_are_joined_and_parents_come_first() {
        let tables = fixture::tables(1, 40, 20, 4_000);
        let shapes = shapes(&fixture::study(&tables, None));
        let edges: Vec<(Vec<usize>, usize)> = shapes
            .iter()
            .map(|shape| (shape.parents.iter().map(|parent| parent.index()).collect(), shape.children[0].index()))
            .collect();
        assert_eq!(edges, fixture::EDGES.map(|(parent, child)| (parent.to_vec(), child)));
    }

    #[test]
    fn the_entropy_of_a_fair_coin_is_one_bit() {
        let cells: Vec<u64> = (0..1_000).map(|row| row % 2).collect();
        assert!((entropy(cells) - (2.0_f64.ln() + 1.0 / 2_000.0)).abs() < 1e-12);
        assert!(entropy(vec![7; 10]).abs() < 1e-12);
    }
}
