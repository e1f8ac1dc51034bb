//! Counting the cells of one marginal.
//!
//! | cells | method |
//! |---|---|
//! | up to 2^20, and at most 16 per row | a dense table, which fits a cache |
//! | more, and at most 16 per row | [buckets](super::buckets) of rows |
//! | more | sorting the rows |

use std::cmp::Ordering;

use scumble_schema::Clique;

use super::buckets::Buckets;
use super::distance::TotalVariation;
use super::split::Split;
use crate::error::EvaluateError;
use crate::table::Columns;

/// Maximum number of cells of one dense table: 4 MiB.
const MAX_DENSE_CELLS: u64 = 1 << 20;
/// Maximum number of cells per row. Beyond it, empty cells take more time than rows.
const MAX_CELLS_PER_ROW: u64 = 16;
/// Maximum number of cells that are counted densely whatever the number of rows.
const MAX_FEW_CELLS: u64 = 1 << 12;
/// Maximum number of buckets: the write positions of all of them fit the second-level cache.
const MAX_BUCKETS: usize = 1 << 13;

/// Buffers for counting, reused from one marginal to the next so that they are allocated once.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Numbers of rows of the real and of the synthetic table in each cell.
    counts: [Vec<u32>; 2],
    buckets: [Buckets; 2],
    /// Cells of all rows of each table.
    cells: [Vec<u64>; 2],
}

impl Workspace {
    /// Returns the total variation distance of the marginals over `clique` of two tables over one
    /// domain.
    pub(crate) fn distance(
        &mut self,
        real: &Columns,
        synthetic: &Columns,
        clique: &Clique,
    ) -> Result<f64, EvaluateError> {
        let mut distance = TotalVariation::new([real, synthetic].map(|table| u64::from(table.rows())));
        self.for_each_cell(real, synthetic, clique, |counts| distance.add(counts))?;
        Ok(distance.finish())
    }

    /// Calls `take` with the number of rows of each table in a cell, in any order. Cells without
    /// rows may be skipped.
    pub(crate) fn for_each_cell(
        &mut self,
        real: &Columns,
        synthetic: &Columns,
        clique: &Clique,
        mut take: impl FnMut([u64; 2]),
    ) -> Result<(), EvaluateError> {
        let cells = real.check(clique)?;
        let tables = [real, synthetic];
        let rows: u64 = tables.iter().map(|table| u64::from(table.rows())).sum();
        let is_dense = cells <= MAX_FEW_CELLS.max(rows.saturating_mul(MAX_CELLS_PER_ROW));
        match Split::of(real.domain(), clique).filter(|_| is_dense) {
            Some(split) if cells <= MAX_DENSE_CELLS => {
                self.count_dense(tables, &split);
                let [left, right] = &self.counts;
                left.iter().zip(right).for_each(|(&left, &right)| take([left.into(), right.into()]));
            }
            Some(split) if split.high_cells() <= MAX_BUCKETS => self.count_buckets(tables, &split, take),
            _ => {
                self.sort(tables, clique);
                merged(&self.cells[0], &self.cells[1]).for_each(|(left, right)| take([left, right]));
            }
        }
        Ok(())
    }

    fn count_dense(&mut self, tables: [&Columns; 2], split: &Split) {
        for (counts, table) in self.counts.iter_mut().zip(tables) {
            counts.clear();
            counts.resize(split.high_cells() * split.low_cells(), 0);
            split.for_each_block(table, |high, low| {
                for (&high, &low) in high.iter().zip(low) {
                    // A table has fewer than 2^32 rows.
                    let count = &mut counts[usize::from(high) * split.low_cells() + usize::from(low)];
                    *count = count.wrapping_add(1);
                }
            });
        }
    }

    fn count_buckets(&mut self, tables: [&Columns; 2], split: &Split, mut take: impl FnMut([u64; 2])) {
        for ((buckets, counts), table) in self.buckets.iter_mut().zip(&mut self.counts).zip(tables) {
            buckets.fill(split, table);
            counts.clear();
            counts.resize(split.low_cells(), 0);
        }
        let [left, right] = &mut self.counts;
        for bucket in 0..split.high_cells() {
            let numbers = self.buckets.each_ref().map(|buckets| buckets.get(bucket));
            if numbers.iter().all(|numbers| numbers.is_empty()) {
                continue;
            }
            for (counts, numbers) in [&mut *left, &mut *right].into_iter().zip(numbers) {
                for &number in numbers {
                    counts[usize::from(number)] += 1;
                }
            }
            for (left, right) in left.iter_mut().zip(&mut *right) {
                take([std::mem::take(left).into(), std::mem::take(right).into()]);
            }
        }
    }

    fn sort(&mut self, tables: [&Columns; 2], clique: &Clique) {
        for (cells, table) in self.cells.iter_mut().zip(tables) {
            cells.clear();
            table.for_each_cell(clique, |cell| cells.push(cell));
            cells.sort_unstable();
        }
    }
}

/// Merges two ascending lists of cells: yields the numbers of occurrences of each cell in both.
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
        // The lower of two codes: not uniform, so that both tables have rows in the same cells.
        let mut code = |size: u32| rng.random_range(0..size).min(rng.random_range(0..size));
        let column = |&size: &u32| (0..rows).map(|_| code(size)).collect();
        Columns::new(domain.clone(), domain.sizes().iter().map(column).collect()).unwrap()
    }

    #[test]
    fn all_methods_of_counting_give_the_same_distance() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let domain = Domain::new(vec![300, 7, 40]).unwrap();
        let clique = Clique::new(domain.attributes());
        let split = Split::of(&domain, &clique).unwrap();
        assert!(split.high_cells() > 1);
        for rows in [[0, 0], [0, 5], [1, 1], [40, 30], [2000, 1500]] {
            let tables = rows.map(|rows| random(&domain, rows, &mut rng));
            let tables = [&tables[0], &tables[1]];
            let empty = TotalVariation::new(rows.map(u64::from));
            let mut workspace = Workspace::default();
            let chosen = workspace.distance(tables[0], tables[1], &clique).unwrap();

            let mut dense = empty;
            workspace.count_dense(tables, &split);
            workspace.counts[0].iter().zip(&workspace.counts[1]).for_each(|(&a, &b)| dense.add([a.into(), b.into()]));
            let mut in_buckets = empty;
            workspace.count_buckets(tables, &split, |counts| in_buckets.add(counts));
            let mut sorted = empty;
            workspace.sort(tables, &clique);
            merged(&workspace.cells[0], &workspace.cells[1]).for_each(|(a, b)| sorted.add([a, b]));
            for distance in [dense, in_buckets, sorted] {
                assert_eq!(distance.finish().to_bits(), chosen.to_bits());
            }
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
    fn a_reused_workspace_gives_the_same_distances() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let domain = Domain::new(vec![4, 4]).unwrap();
        let tables = [random(&domain, 30, &mut rng), random(&domain, 30, &mut rng)];
        let mut used = Workspace::default();
        for clique in [Clique::new(domain.attributes()), domain.one_way().remove(0), domain.one_way().remove(1)] {
            let fresh = Workspace::default().distance(&tables[0], &tables[1], &clique).unwrap();
            assert_eq!(used.distance(&tables[0], &tables[1], &clique).unwrap().to_bits(), fresh.to_bits());
        }
    }
}
