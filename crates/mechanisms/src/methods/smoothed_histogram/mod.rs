#![doc = include_str!("smoothed_histogram.md")]
//!
//! [`Smoothing`]: scumble_vault::account::Smoothing

use scumble_schema::{AdjacencyKind, Clique, Domain, Recoding, limits};
use scumble_vault::account::Amount;
use scumble_vault::{Accounting, AccountingKind, Budget, Selecting, Vault};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::model::fitted::{Distribution, Fitted, rows_of_cells};
use crate::planning::outline::{Asked, Events, Extent, Outline, PlannedDraws, Step, real};

/// Numbers of rows above this are tried in steps of one part in this.
const ROW_STEPS: u64 = 1000;

/// Options of `smoothed-histogram`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Number of drawn rows; by default that of [`default_rows`].
    pub rows: Option<u64>,
}

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "Rows are drawn from the table of all columns, smoothed towards the one in which every cell is as likely as any other."
    }

    fn accountings(&self) -> &'static [AccountingKind] {
        &[AccountingKind::Pure, AccountingKind::Zcdp]
    }

    fn asks_once(&self) -> bool {
        true
    }

    /// Draws rows from the smoothed table of all columns.
    ///
    /// # Privacy
    /// One release, inside the vault: `k` rows at `k ln r`, or `k (ln r)²/2` in `rho`. `k` follows
    /// from public numbers.
    ///
    /// # Reference
    /// Aalborg report 2024, section 3.1, with `m` the measure of all cells over that of the
    /// smallest.
    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        model: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        let domain = model.recoding.domain();
        let (vault, budget) = A::with_public_rows(vault, budget, "`smoothed-histogram`")?;
        let cells = whole_table(domain)?;
        let rows = vault.row_count()?.into_inner();
        let (unit, amount) = (vault.max_contributions().get(), budget.amount());
        let drawn = self.rows.unwrap_or_else(|| default_rows(rows, cells, unit, |draws| draws.smoothing_for(amount)));
        let drawn = M::draw_rows(vault, &Clique::new(domain.attributes()), drawn, budget)?;
        let drawn = rows_of_cells(domain, drawn.iter().copied()).expect("the vault draws cells of the table");
        Ok(Fitted::new(Distribution::Rows(drawn), rows))
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        let domain = recoding.domain();
        if A::KIND == AdjacencyKind::AddRemove {
            return Err(MechanismError::NeedsPublicRows { what: "`smoothed-histogram`" });
        }
        let cells = whole_table(domain)?;
        let (unit, rows) = (outline.unit().get(), outline.rows().get());
        let drawn = self.rows.unwrap_or_else(|| default_rows(rows, cells, unit, |draws| draws.smoothing_for(amount)));
        let release = Draws { rows, cells, unit, drawn: drawn.max(1) };
        outline.drawn = Some(PlannedDraws { rows: release.drawn, smoothing: release.smoothing_for(amount) });
        outline.steps.push(Step {
            what: Asked::Draws,
            events: Events::certain(1),
            columns: Extent::both(domain.len() as u64),
            cells: Extent::both(cells),
            // All rows of a unit leave one cell and arrive in another.
            sensitivity: 2.0 * f64::from(unit),
            noise: None,
            preference: None,
        });
        outline.work.counted = outline.row_count() * real(domain.len() as u128);
        outline.work.counted_cells = real(cells.into());
        Ok(())
    }
}

/// Returns the number of cells of the table of all columns.
///
/// # Errors
/// If there are too many.
pub fn whole_table(domain: &Domain) -> Result<u64, MechanismError> {
    let cells = domain.cells(&Clique::new(domain.attributes()));
    if cells <= limits::CELLS_PER_TABLE {
        return Ok(u64::try_from(cells).expect("the limit fits a u64"));
    }
    Err(MechanismError::TooLarge {
        problem: format!(
            "a table of all columns would have {cells} cells, at most {} are possible",
            limits::CELLS_PER_TABLE
        ),
        hint: "leave out columns, or coarsen the largest".into(),
    })
}

/// Draws from a smoothed histogram, for plans.
///
/// The vault charges by [`Smoothing`](scumble_vault::account::Smoothing), in integers; these are
/// its formulas in floats.
///
/// ```
/// use scumble_mechanisms::smoothed_histogram::Draws;
/// // The study of the Aalborg report: a grid of ten by ten cells.
/// let draws = Draws { rows: 10_000, cells: 100, unit: 1, drawn: 1_000 };
/// let smoothing = draws.smoothing_for_epsilon(1.0);
/// assert!((smoothing - 0.9090).abs() < 1e-4);
/// assert!((draws.epsilon_of_smoothing(smoothing) - 1.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draws {
    /// `n`, the number of rows of the real table.
    pub rows: u64,
    /// `m`, its number of cells.
    pub cells: u64,
    /// `u`, the maximum number of rows that one unit contributes.
    pub unit: u32,
    /// `k`, the number of drawn rows.
    pub drawn: u64,
}

impl Draws {
    /// Cost of draws with smoothing `s` under pure differential privacy: `k ln r`, the report's
    /// alpha.
    pub fn epsilon_of_smoothing(self, smoothing: f64) -> f64 {
        self.drawn as f64 * self.loss(smoothing)
    }

    /// Smoothing with which the draws cost `epsilon`.
    pub fn smoothing_for_epsilon(self, epsilon: f64) -> f64 {
        self.smoothing(epsilon / self.drawn as f64)
    }

    /// Cost of draws with smoothing `s` under zero-concentrated differential privacy: `k (ln
    /// r)²/2`.
    pub fn rho_of_smoothing(self, smoothing: f64) -> f64 {
        self.drawn as f64 * self.loss(smoothing).powi(2) / 2.0
    }

    /// Smoothing with which the draws cost `rho`.
    pub fn smoothing_for_rho(self, rho: f64) -> f64 {
        self.smoothing((2.0 * rho / self.drawn as f64).sqrt())
    }

    /// Smoothing with which the draws cost an amount.
    fn smoothing_for<M: Accounting>(self, amount: Amount<M>) -> f64 {
        match M::KIND {
            AccountingKind::Pure => self.smoothing_for_epsilon(amount.to_f64()),
            AccountingKind::Zcdp | AccountingKind::Gdp => self.smoothing_for_rho(amount.to_f64()),
        }
    }

    /// Expected squared L2 distance between the shares of cells among the drawn rows and among the
    /// real ones, for the worst table: `(1 - 1/m) max(1/k, s² + (2s - s²)/k)`.
    pub fn worst_squared_error(self, smoothing: f64) -> f64 {
        let uniform = 1.0 / self.drawn as f64;
        let one_cell = smoothing.powi(2) + (2.0 * smoothing - smoothing.powi(2)) * uniform;
        (1.0 - 1.0 / self.cells as f64) * uniform.max(one_cell)
    }

    /// `ln r`, the cost of one draw.
    fn loss(self, smoothing: f64) -> f64 {
        ((1.0 - smoothing) / smoothing * self.largest_share()).ln_1p()
    }

    /// Inverse of [`Self::loss`]: `s = 1 / (1 + (r - 1) n / (m u))`.
    fn smoothing(self, loss: f64) -> f64 {
        (1.0 + loss.exp_m1() / self.largest_share()).recip()
    }

    /// `m u / n`: change of a density by one unit, relative to the uniform density. A table of no
    /// rows is charged like one of one row.
    fn largest_share(self) -> f64 {
        self.cells as f64 * f64::from(self.unit) / self.rows.max(1) as f64
    }
}

/// Returns the number of rows to draw, at most `rows`, with the smallest error for the worst table.
///
/// `smoothing` is the smoothing that the budget needs, such as `|draws|
/// draws.smoothing_for_epsilon(1.0)`. Numbers above a thousand are tried in steps of at most a
/// thousandth, over which the error changes by at most two thousandths.
pub fn default_rows(rows: u64, cells: u64, unit: u32, smoothing: impl Fn(Draws) -> f64) -> u64 {
    let max = rows.clamp(1, u64::try_from(limits::CELLS_PER_MODEL).expect("the limit fits a u64"));
    let error = |drawn| {
        let draws = Draws { rows, cells, unit, drawn };
        draws.worst_squared_error(smoothing(draws))
    };
    let tried = std::iter::successors(Some(1), |&drawn| Some(drawn + (drawn / ROW_STEPS).max(1)));
    let tried = tried.take_while(|&drawn| drawn < max).chain([max]);
    // The first of equals: fewer rows for the same error.
    let best = tried.map(|drawn| (drawn, error(drawn))).min_by(|one, other| one.1.total_cmp(&other.1));
    best.expect("the last is tried").0
}
