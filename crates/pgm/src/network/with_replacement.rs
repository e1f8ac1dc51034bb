//! Sampling with replacement: every tuple is an independent draw from the network's distribution.

use chacha20::ChaCha8Rng;
use rand::RngExt;

use super::conditional::Conditional;

/// A conditional distribution prepared for drawing by inversion.
#[derive(Debug)]
pub(super) struct Cumulative {
    columns: usize,
    /// For every row, the cumulative probability of each cell; infinite from the last possible cell
    /// on, so that rounding errors can neither leave the row nor reach an impossible cell.
    edges: Vec<f64>,
}

impl Cumulative {
    pub(super) fn new(conditional: &Conditional) -> Self {
        let columns = conditional.columns();
        let mut edges = conditional.given_parents().to_vec();
        for row in edges.chunks_exact_mut(columns) {
            let last = row.iter().rposition(|&probability| probability > 0.0).expect("a row is a distribution");
            let mut sum = 0.0;
            for edge in &mut row[..last] {
                sum += *edge;
                *edge = sum;
            }
            row[last..].fill(f64::INFINITY);
        }
        Self { columns, edges }
    }

    /// Draws a cell of the children given the parents' cell.
    ///
    /// # Reference
    /// 2014, section 3, generation of synthetic data; 2018, section 2.3 and equation (2.3).
    pub(super) fn draw(&self, row: u32, rng: &mut ChaCha8Rng) -> u32 {
        let edges = &self.edges[row as usize * self.columns..][..self.columns];
        let point: f64 = rng.random();
        let cell = edges.partition_point(|&edge| edge <= point);
        u32::try_from(cell).expect("a table within the limits has u32 cells")
    }
}
