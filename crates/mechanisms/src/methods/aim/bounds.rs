//! Bounds on the errors of tables, from released values and public facts of each round.

use std::f64::consts::FRAC_2_PI;

use scumble_pgm::{Factor, ModelError};
use scumble_schema::{Clique, Domain};
use scumble_vault::NoisyTable;

use crate::learning::noisy::counts;
use crate::model::table_bound::{Basis, FAILURE, TableBound};

/// Scores are rounded down to 1/1024 row a cell.
const LATTICE: f64 = 1.0 / 1024.0;

/// Public facts of a round, and what it released.
#[derive(Debug)]
pub(super) struct Round {
    /// Standard deviation of the noise on its table.
    pub(super) deviation: f64,
    /// `2 Δ / epsilon` of its selection, in rows times weight.
    pub(super) blur: f64,
    /// Number of candidates.
    pub(super) candidates: f64,
    /// Weight of the selected table.
    pub(super) weight: f64,
    /// Number of cells of the selected table.
    pub(super) cells: f64,
    /// L1 distance of the released table from the expected counts of the model before it.
    pub(super) released_error: f64,
}

impl Round {
    /// Bounds the L1 distance of a candidate's table from the expected counts of the model before
    /// the round.
    ///
    /// The exponential mechanism selects a candidate whose score is at most `blur (ln n + ln 1/β)`
    /// below the best, except with probability β. The true error of the selected table is at most
    /// that of the released one plus `σ √(2 cells ln 1/β)`, except with probability β: noise does
    /// not decrease the expected L1 distance, and the distance is a function of the noise with
    /// Lipschitz constant `√cells`.
    ///
    /// # Reference
    /// McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, Section 5, the case of unsupported
    /// marginals.
    pub(super) fn bound(&self, weight: f64, cells: f64) -> f64 {
        let depth = (2.0 / FAILURE).ln();
        let noise = |cells: f64| FRAC_2_PI.sqrt() * self.deviation * cells;
        let rounding = self.cells / 2.0 + LATTICE * self.cells;
        let selected = self.released_error + self.deviation * (2.0 * self.cells * depth).sqrt() + rounding;
        let score = self.weight * (selected - noise(self.cells)) + self.blur * (self.candidates.ln() + depth);
        (score / weight + noise(cells) + LATTICE * cells).max(0.0)
    }
}

/// Bounds the error of a model's table by released tables that contain its columns; `None` if there
/// are none.
///
/// The mean of the released tables, weighted by precision, has Gaussian noise of one standard
/// deviation in every cell. The L1 norm of that noise is at most `σ (√(2/π) cells + √(2 cells ln
/// 1/β))`, except with probability β. The distance of the model from the mean is added.
///
/// # Reference
/// McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, Section 5, the case of supported
/// marginals, with the mean of the norm in place of a bound on it.
pub(super) fn by_released(
    domain: &Domain,
    table: &Clique,
    fitted: &[f64],
    released: &[NoisyTable],
) -> Result<Option<TableBound>, ModelError> {
    let cells = |clique: &Clique| domain.cells(clique) as f64;
    let (mut mean, mut precision, mut rounding) = (vec![0.0; fitted.len()], 0.0, 0.0);
    for larger in released.iter().filter(|larger| larger.clique().holds(table)) {
        let summed = cells(larger.clique()) / cells(table);
        let weight = 1.0 / (larger.standard_deviation().powi(2) * summed);
        let counts = Factor::new(domain, larger.clique().clone(), counts(larger))?.project(table);
        for (mean, count) in mean.iter_mut().zip(counts.values()) {
            *mean += weight * count;
        }
        precision += weight;
        rounding += weight * cells(larger.clique()) / 2.0;
    }
    if precision == 0.0 {
        return Ok(None);
    }
    let distance: f64 = mean.iter().zip(fitted).map(|(mean, fitted)| (mean / precision - fitted).abs()).sum();
    let deviation = precision.sqrt().recip();
    let noise = deviation * (FRAC_2_PI.sqrt() * cells(table) + (2.0 * cells(table) * FAILURE.recip().ln()).sqrt());
    let rows = distance + noise + rounding / precision;
    Ok(Some(TableBound { table: table.clone(), rows, basis: Basis::Measured }))
}
