//! Counting the cells of marginals: in a dense table while that is small, by sorting the rows beyond.

use std::cmp::Ordering;

use scumble_schema::Clique;

use crate::columns::{Columns, index};
use crate::distance::total_variation;
use crate::error::EvaluateError;

/// Most cells of a dense table: 32 MiB for two counts each. Beyond, sorting the rows of a usual table is faster.
const DENSE_CELLS: u64 = 1 << 22;

/// What counting needs besides the tables, kept from one marginal to the next so that it is allocated once.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Rows of the real and of the synthetic table in each cell.
    counts: Vec<[u32; 2]>,
    /// The cells of all rows of each.
    cells: [Vec<u64>; 2],
}

impl Workspace {
    /// The total variation distance of the marginals over `clique` of two tables over one domain.
    pub(crate) fn distance(
        &mut self,
        real: &Columns,
        synthetic: &Columns,
        clique: &Clique,
    ) -> Result<f64, EvaluateError> {
        let cells = real.check(clique)?;
        let tables = [real, synthetic];
        let rows = tables.map(|table| u64::from(table.rows()));
        if cells <= DENSE_CELLS {
            self.count_dense(tables, clique, index(cells));
            let counts = self.counts.iter().map(|counts| counts.map(u64::from).into());
            Ok(total_variation(counts, rows[0], rows[1]))
        } else {
            self.sort(tables, clique);
            Ok(total_variation(merged(&self.cells[0], &self.cells[1]), rows[0], rows[1]))
        }
    }

    /// Calls `take` with every cell that rows of `table` are in, ascending, and how many rows it has.
    pub(crate) fn for_each_occupied(
        &mut self,
        table: &Columns,
        clique: &Clique,
        mut take: impl FnMut(u64, u64),
    ) -> Result<(), EvaluateError> {
        let cells = table.check(clique)?;
        if cells <= DENSE_CELLS {
            self.count_dense([table], clique, index(cells));
            let occupied = (0..).zip(&self.counts).filter(|(_, counts)| counts[0] > 0);
            occupied.for_each(|(cell, counts)| take(cell, counts[0].into()));
        } else {
            self.sort([table], clique);
            let runs = self.cells[0].chunk_by(|left, right| left == right);
            runs.for_each(|run| take(run[0], run.len() as u64));
        }
        Ok(())
    }

    fn count_dense<const TABLES: usize>(&mut self, tables: [&Columns; TABLES], clique: &Clique, cells: usize) {
        self.counts.clear();
        self.counts.resize(cells, [0; 2]);
        for (side, table) in tables.into_iter().enumerate() {
            // A table has fewer than 2^32 rows.
            table.for_each_cell(clique, |cell| self.counts[index(cell)][side] += 1);
        }
    }

    fn sort<const TABLES: usize>(&mut self, tables: [&Columns; TABLES], clique: &Clique) {
        for (cells, table) in self.cells.iter_mut().zip(tables) {
            cells.clear();
            table.for_each_cell(clique, |cell| cells.push(cell));
            cells.sort_unstable();
        }
    }
}

/// How often each cell stands in either list, for all cells that stand in one. Both lists ascend.
fn merged<'a>(left: &'a [u64], right: &'a [u64]) -> impl Iterator<Item = (u64, u64)> + use<'a> {
    let runs = |cells: &'a [u64]| cells.chunk_by(|left, right| left == right).peekable();
    let (mut left, mut right) = (runs(left), runs(right));
    std::iter::from_fn(move || {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(left), Some(right)) => left[0].cmp(&right[0]),
        };
        let count = |run: Option<&[u64]>| run.map_or(0, |run| run.len() as u64);
        let from_left = if order.is_le() { count(left.next()) } else { 0 };
        let from_right = if order.is_ge() { count(right.next()) } else { 0 };
        Some((from_left, from_right))
    })
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use scumble_schema::Domain;

    use super::*;

    fn random(domain: &Domain, rows: u32, rng: &mut ChaCha8Rng) -> Columns {
        // The lower of two codes: far from uniform, so that cells are shared.
        let mut code = |size: u32| rng.random_range(0..size).min(rng.random_range(0..size));
        let column = |&size: &u32| (0..rows).map(|_| code(size)).collect();
        Columns::new(domain.clone(), domain.sizes().iter().map(column).collect()).unwrap()
    }

    #[test]
    fn a_sorted_list_gives_the_distance_of_the_dense_table() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let domain = Domain::new(vec![3, 7, 2]).unwrap();
        let clique = Clique::new(domain.attributes());
        for (rows_left, rows_right) in [(0, 0), (0, 5), (1, 1), (40, 30), (2000, 1500)] {
            let tables = [random(&domain, rows_left, &mut rng), random(&domain, rows_right, &mut rng)];
            let mut workspace = Workspace::default();
            let dense = workspace.distance(&tables[0], &tables[1], &clique).unwrap();
            workspace.sort([&tables[0], &tables[1]], &clique);
            let cells = merged(&workspace.cells[0], &workspace.cells[1]);
            let sorted = total_variation(cells, rows_left.into(), rows_right.into());
            assert_eq!(dense.to_bits(), sorted.to_bits());
        }
    }

    #[test]
    fn marginals_too_large_for_a_dense_table_are_compared_too() {
        let domain = Domain::new(vec![1 << 20, 1 << 20]).unwrap();
        let clique = Clique::new(domain.attributes());
        let table = |codes: &[u32]| Columns::new(domain.clone(), vec![codes.to_vec(), codes.to_vec()]).unwrap();
        let (left, right) = (table(&[7, 7, 500_000, 1_000_000]), table(&[500_000, 7]));
        let distance = Workspace::default().distance(&left, &right, &clique).unwrap();
        assert!((distance - 0.25).abs() < 1e-15);
    }

    #[test]
    fn a_workspace_forgets_the_marginal_before() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let domain = Domain::new(vec![4, 4]).unwrap();
        let tables = [random(&domain, 30, &mut rng), random(&domain, 30, &mut rng)];
        let mut used = Workspace::default();
        for clique in [Clique::new(domain.attributes()), domain.one_way().remove(0), domain.one_way().remove(1)] {
            let fresh = Workspace::default().distance(&tables[0], &tables[1], &clique).unwrap();
            assert_eq!(used.distance(&tables[0], &tables[1], &clique).unwrap().to_bits(), fresh.to_bits());
        }
    }

    #[test]
    fn occupied_cells_ascend_and_hold_every_row() {
        // The same rows in tables of few cells and of very many.
        for size in [3, 1 << 20] {
            let domain = Domain::new(vec![3, size]).unwrap();
            let table = Columns::new(domain.clone(), vec![vec![2, 0, 2, 0], vec![1, 0, 1, 2]]).unwrap();
            let mut occupied = Vec::new();
            let take = |cell, count| occupied.push((cell, count));
            Workspace::default().for_each_occupied(&table, &Clique::new(domain.attributes()), take).unwrap();
            assert_eq!(occupied, [(0, 1), (2, 1), (2 * u64::from(size) + 1, 2)]);
        }
    }
}
