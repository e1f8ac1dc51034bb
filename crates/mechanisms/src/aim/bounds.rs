//! How far tables may be off: from released values and the public facts of each round, after all noise.

use std::f64::consts::FRAC_2_PI;

use scumble_pgm::{Factor, ModelError};
use scumble_schema::{Clique, Domain};
use scumble_vault::NoisyTable;

use crate::noisy::counts;
use crate::table_bound::{Basis, MISSES, TableBound};

/// Scores are rounded down to 1/1024 row a cell.
const LATTICE: f64 = 1.0 / 1024.0;

/// What is public of a round, and what it released.
#[derive(Debug)]
pub(super) struct Round {
    /// The standard deviation of the noise on its table.
    pub(super) deviation: f64,
    /// `2 Δ / epsilon` of its choice, in rows times weight.
    pub(super) blur: f64,
    /// How many candidates it had.
    pub(super) candidates: f64,
    /// The weight and the cells of the table that was chosen.
    pub(super) weight: f64,
    pub(super) cells: f64,
    /// The L1 distance of the released table from what the model before it expected.
    pub(super) released_error: f64,
}

impl Round {
    /// How far the table of a candidate of this weight and size was from what the model before the round expected, at most.
    ///
    /// The exponential mechanism chooses a candidate whose score is at most `blur (ln n + ln 1/β)` below the best, but for a
    /// probability of β. The true error of the chosen table is at most that of the released one and
    /// `σ √(2 cells ln 1/β)`, but for a probability of β: noise makes the expected L1 distance no smaller, and the distance is a function of
    /// the noise that is Lipschitz with constant `√cells`.
    ///
    /// # Reference
    /// McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, Section 5, the case of unsupported marginals.
    pub(super) fn bound(&self, weight: f64, cells: f64) -> f64 {
        let misses = (2.0 / MISSES).ln();
        let noise = |cells: f64| FRAC_2_PI.sqrt() * self.deviation * cells;
        let rounding = self.cells / 2.0 + LATTICE * self.cells;
        let chosen = self.released_error + self.deviation * (2.0 * self.cells * misses).sqrt() + rounding;
        let score = self.weight * (chosen - noise(self.cells)) + self.blur * (self.candidates.ln() + misses);
        (score / weight + noise(cells) + LATTICE * cells).max(0.0)
    }
}

/// How far a model's table may be from the real one, by released tables that hold its columns; `None` if there are none.
///
/// Their mean, weighed by precision, has Gaussian noise of one standard deviation in every cell. The L1 norm of that is at most
/// `σ (√(2/π) cells + √(2 cells ln 1/β))`, but for a probability of β; and the model is as far from the mean as it is.
///
/// # Reference
/// McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, Section 5, the case of supported marginals, with the mean of the norm
/// in place of a bound on it.
pub(super) fn by_released(
    domain: &Domain,
    table: &Clique,
    fitted: &[f64],
    released: &[NoisyTable],
) -> Result<Option<TableBound>, ModelError> {
    #[expect(clippy::cast_precision_loss, reason = "tables have far fewer than 2^53 cells")]
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
    let away: f64 = mean.iter().zip(fitted).map(|(mean, fitted)| (mean / precision - fitted).abs()).sum();
    let deviation = precision.sqrt().recip();
    let noise = deviation * (FRAC_2_PI.sqrt() * cells(table) + (2.0 * cells(table) * MISSES.recip().ln()).sqrt());
    let rows = away + noise + rounding / precision;
    Ok(Some(TableBound { table: table.clone(), rows, basis: Basis::Measured }))
}
