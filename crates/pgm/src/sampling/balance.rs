//! Dependent rounding: expected counts of many groups rounded together, so that errors cancel
//! between groups.
//!
//! The expected counts form a table with one row per group and one column per code. Each is rounded
//! up or down with its mean kept. Every row keeps its sum, which is a whole number, and every
//! column its sum rounded up or down. Rounded group by group, a column would be off by the square
//! root of the number of groups.
//!
//! Consider a graph with a vertex for every row and every column, and an edge for every fraction
//! still to be rounded. Along a cycle, raising every second edge and lowering the others by the
//! same amount keeps all sums. The amount is the one at which an edge reaches zero or one and
//! leaves the graph; the direction is random, so that means are kept. Edges are inserted one by
//! one, group by group, and a cycle is resolved as soon as it closes. So the pending edges are a
//! forest with fewer edges than twice the number of columns, and sums over any run of neighbouring
//! groups are off by little too.
//!
//! # Reference
//! Gandhi, Khuller, Parthasarathy, Srinivasan 2006, Dependent rounding and its applications,
//! section 2. Inserting the edges one by one is our addition.

use rand::{Rng, RngExt};

const NONE: u32 = u32::MAX;

/// Rounds expected counts, a table of `columns` columns whose rows sum to whole numbers.
pub(super) fn round(expected: &[f64], columns: usize, rng: &mut impl Rng) -> Vec<u32> {
    let rows = expected.len() / columns;
    let mut forest = Forest::new(columns, rows);
    let mut sums = vec![0.0; columns];
    for (row, cells) in expected.chunks_exact(columns).enumerate() {
        for (column, &cell) in cells.iter().enumerate() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most CHUNK_ROWS")]
            let whole = cell as u32;
            forest.counts[row * columns + column] = whole;
            let fraction = cell - f64::from(whole);
            if fraction > 0.0 {
                sums[column] += fraction;
                forest.insert(row, column, fraction, rng);
            }
        }
    }
    // One more row completes the columns to whole numbers, so that every remaining path becomes a
    // cycle.
    for (column, sum) in sums.into_iter().enumerate() {
        let missing = sum.ceil() - sum;
        if missing > 0.0 {
            forest.insert(rows, column, missing, rng);
        }
    }
    forest.finish()
}

/// A forest of the fractions still to be rounded. Columns are the first vertices, then the rows.
struct Forest {
    columns: usize,
    /// The parent of each vertex, [`NONE`] for a root.
    parent: Vec<u32>,
    /// The fraction on the edge to the parent.
    fraction: Vec<f64>,
    /// The vertices from a column up to the row at the root of its tree.
    path: Vec<u32>,
    /// Whole rows so far, cell by cell; the table has one row more than there are groups.
    counts: Vec<u32>,
}

impl Forest {
    fn new(columns: usize, rows: usize) -> Self {
        let vertices = columns + rows + 1;
        Self {
            columns,
            parent: vec![NONE; vertices],
            fraction: vec![0.0; vertices],
            path: Vec::new(),
            counts: vec![0; (rows + 1) * columns],
        }
    }

    /// Inserts the fraction of one cell, and resolves the cycle if it closes one.
    ///
    /// The cells of a row come one after the other, so the current row is the root of its tree, and
    /// a cycle is the path from the column up to the root.
    fn insert(&mut self, row: usize, column: usize, mut fraction: f64, rng: &mut impl Rng) {
        #[expect(clippy::cast_possible_truncation, reason = "fewer vertices than cells of a model")]
        let (row, column) = ((self.columns + row) as u32, column as u32);
        self.path.clear();
        let mut vertex = column;
        while self.parent[vertex as usize] != NONE {
            self.path.push(vertex);
            vertex = self.parent[vertex as usize];
        }
        if vertex == row {
            match self.resolve(fraction, rng) {
                Moved::Pending(pending) => fraction = pending,
                Moved::Whole(count) => return self.settle(row, column, count),
            }
        }
        // The column becomes the root of its tree, or of what the cycle left of it, and then a
        // child of the row.
        let (mut vertex, mut above, mut edge) = (column, row, fraction);
        while vertex != NONE {
            let next = std::mem::replace(&mut self.parent[vertex as usize], above);
            let next_edge = std::mem::replace(&mut self.fraction[vertex as usize], edge);
            (above, vertex, edge) = (vertex, next, next_edge);
        }
    }

    /// Raises the new edge and alternately lowers and raises those on the path, or the reverse,
    /// until at least one is whole. Returns the state of the new edge.
    fn resolve(&mut self, new: f64, rng: &mut impl Rng) -> Moved {
        let (mut up, mut down) = (1.0 - new, new);
        for pair in self.path.chunks(2) {
            let lowered = self.fraction[pair[0] as usize];
            (up, down) = (up.min(lowered), down.min(1.0 - lowered));
            if let Some(&raised) = pair.get(1) {
                let raised = self.fraction[raised as usize];
                (up, down) = (up.min(1.0 - raised), down.min(raised));
            }
        }
        let raise = rng.random::<f64>() * (up + down) < down;
        let change = if raise { up } else { down };
        for step in 0..self.path.len() {
            let vertex = self.path[step];
            match moved(self.fraction[vertex as usize], (step % 2 == 1) == raise, change) {
                Moved::Pending(fraction) => self.fraction[vertex as usize] = fraction,
                Moved::Whole(count) => {
                    let parent = std::mem::replace(&mut self.parent[vertex as usize], NONE);
                    self.settle(vertex, parent, count);
                }
            }
        }
        moved(new, raise, change)
    }

    /// Adds the rounded fraction on the edge between a row and a column to the counts.
    fn settle(&mut self, vertex: u32, other: u32, count: u32) {
        let (row, column) = (vertex.max(other) as usize - self.columns, vertex.min(other) as usize);
        self.counts[row * self.columns + column] += count;
    }

    /// Returns the counts. Remaining fractions are whole, up to rounding errors of the sums.
    fn finish(mut self) -> Vec<u32> {
        for vertex in 0..self.parent.len() {
            let parent = self.parent[vertex];
            if parent != NONE && self.fraction[vertex] >= 0.5 {
                self.settle(u32::try_from(vertex).expect("inserted as u32"), parent, 1);
            }
        }
        self.counts.truncate(self.counts.len() - self.columns);
        self.counts
    }
}

/// The state of a fraction after a cycle is resolved.
enum Moved {
    Pending(f64),
    Whole(u32),
}

/// Raises or lowers a fraction. `change` is the smallest distance to zero or one on the cycle,
/// computed as here, so the edge that it comes from becomes exactly whole.
fn moved(fraction: f64, raised: bool, change: f64) -> Moved {
    match raised {
        true if 1.0 - fraction <= change => Moved::Whole(1),
        true => Moved::Pending(fraction + change),
        false if fraction <= change => Moved::Whole(0),
        false => Moved::Pending(fraction - change),
    }
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha8Rng;
    use proptest::prelude::*;
    use rand::SeedableRng;

    use super::*;

    /// Returns expected counts of groups of up to `max_rows` rows with random weights, a third of
    /// them zero.
    fn table(rows: usize, columns: usize, max_rows: u32, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let row = |rng: &mut ChaCha8Rng| {
            let mut weights: Vec<f64> = (0..columns).map(|_| (rng.random::<f64>() - 0.3).max(0.0)).collect();
            weights[0] += 0.1;
            let scale = f64::from(rng.random_range(1..=max_rows)) / weights.iter().sum::<f64>();
            weights.into_iter().map(move |weight| weight * scale)
        };
        (0..rows).flat_map(|_| row(rng)).collect()
    }

    fn column_sums<T: Copy + Into<f64>>(table: &[T], columns: usize) -> Vec<f64> {
        (0..columns).map(|column| table.iter().skip(column).step_by(columns).map(|&cell| cell.into()).sum()).collect()
    }

    fn is_rounded(count: f64, expected: f64) -> bool {
        (expected - 1e-6).floor() <= count && count <= (expected + 1e-6).ceil()
    }

    proptest! {
        #[test]
        fn cells_and_columns_are_rounded_up_or_down_and_rows_keep_their_sums(
            rows in 0_usize..40, columns in 1_usize..30, max_rows in 1_u32..50, seed: u64
        ) {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let expected = table(rows, columns, max_rows, &mut rng);
            let counts = round(&expected, columns, &mut rng);
            prop_assert_eq!(counts.len(), expected.len());
            for (&count, &expected) in counts.iter().zip(&expected) {
                prop_assert!(is_rounded(count.into(), expected), "{} {}", count, expected);
                prop_assert!(count == 0 || expected > 0.0);
            }
            for (counts, expected) in counts.chunks(columns).zip(expected.chunks(columns)) {
                prop_assert!((f64::from(counts.iter().sum::<u32>()) - expected.iter().sum::<f64>()).abs() < 1e-6);
            }
            for (count, expected) in column_sums(&counts, columns).into_iter().zip(column_sums(&expected, columns)) {
                prop_assert!(is_rounded(count, expected), "{} {}", count, expected);
            }
        }
    }

    #[test]
    fn every_cell_keeps_its_mean() {
        const SAMPLES: u32 = 20_000;
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        let expected = table(6, 5, 3, &mut rng);
        let mut sums = vec![0.0; expected.len()];
        for _ in 0..SAMPLES {
            let counts = round(&expected, 5, &mut rng);
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += f64::from(count));
        }
        // The largest of 30 standard scores: above 6 in 6e-8 of all runs.
        let largest_score = |shift: f64| {
            let score = |(sum, expected): (&f64, &f64)| {
                let fraction = expected.fract();
                let deviation = (f64::from(SAMPLES) * fraction * (1.0 - fraction)).sqrt();
                let off = sum - f64::from(SAMPLES) * (expected + shift);
                if deviation > 1e-3 { (off / deviation).abs() } else { 0.0 }
            };
            sums.iter().zip(&expected).map(score).fold(0.0, f64::max)
        };
        assert!(largest_score(0.0) < 6.0);
        assert!(largest_score(0.03) > 6.0);
    }

    #[test]
    fn errors_cancel_over_any_run_of_neighbouring_groups() {
        let (rows, columns) = (200, 16);
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let expected = table(rows, columns, 20, &mut rng);
        let counts = round(&expected, columns, &mut rng);
        let mut squares = 0.0;
        for end in 1..=rows {
            let cells = end * columns;
            let sums = column_sums(&counts[..cells], columns).into_iter().zip(column_sums(&expected[..cells], columns));
            squares += sums.map(|(count, expected)| (count - expected).powi(2)).sum::<f64>();
        }
        // Independently rounded cells, with a variance of about 1/6 each, would give 4.
        let root_mean_square = (squares / f64::from(200 * 16)).sqrt();
        assert!(root_mean_square < 1.0, "{root_mean_square}");
    }
}
