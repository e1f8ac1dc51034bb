//! Outlines of fits: planned releases, with the vault's arithmetic for noise and without a vault.

mod dry_run;
mod error_range;
mod signal;
mod step;
mod work;

use std::marker::PhantomData;
use std::num::{NonZeroU32, NonZeroU64};

use scumble_schema::{Clique, Domain, limits};
use scumble_vault::account::{Amount, Mechanism, ScoreUnits, Sensitivity, Unit};
use scumble_vault::score::ScoreKind;
use scumble_vault::{Adjacency, Selecting, Sigma, VaultError};

pub(crate) use self::dry_run::{DryRun, Limits, plan_rng, plan_rngs};
pub(crate) use self::error_range::ErrorRange;
use self::signal::cells_at;
pub use self::signal::{MOSTLY_NOISE, RELIABLE, Signal};
pub use self::step::{Asked, Events, Extent, Step};
pub use self::work::Work;
pub(crate) use self::work::real;
use crate::error::MechanismError;
use crate::planning::theory::Noise;

/// A planned table.
#[derive(Debug, Clone)]
pub(crate) struct PlannedTable {
    /// Its columns: certain, or random ones of the same kind.
    pub(crate) clique: Clique,
    /// Number of cells.
    pub(crate) cells: NonZeroU64,
    /// Noise on every cell.
    pub(crate) noise: Noise,
    /// Whether only the effect of all columns together is measured, as by a parity, with the
    /// precision that such a table would have.
    pub(crate) is_parity: bool,
}

/// Planned draws of rows from a smoothed table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedDraws {
    /// Number of rows drawn.
    pub(crate) rows: u64,
    /// Share of them that is drawn uniformly from all cells.
    pub(crate) smoothing: f64,
}

/// Planned releases and work of a fit, computed without rows.
#[derive(Debug)]
pub(crate) struct Outline<A: Adjacency, M: Selecting> {
    /// Maximum number of rows that one unit contributes.
    unit: NonZeroU32,
    /// Number of rows that the plan is for.
    rows: NonZeroU64,
    pub(crate) steps: Vec<Step>,
    pub(crate) tables: Vec<PlannedTable>,
    /// Rows that a method draws instead of measuring tables.
    pub(crate) drawn: Option<PlannedDraws>,
    pub(crate) work: Work,
    terms: PhantomData<fn() -> (A, M)>,
}

impl<A: Adjacency, M: Selecting> Outline<A, M> {
    pub(crate) fn new(unit: NonZeroU32, rows: NonZeroU64) -> Self {
        Self {
            unit,
            rows,
            steps: Vec::new(),
            tables: Vec::new(),
            drawn: None,
            work: Work::default(),
            terms: PhantomData,
        }
    }

    /// Maximum number of rows that one unit contributes.
    pub(crate) fn unit(&self) -> NonZeroU32 {
        self.unit
    }

    /// Number of rows that the plan is for.
    pub(crate) fn rows(&self) -> NonZeroU64 {
        self.rows
    }

    /// Number of rows that the plan is for, as a float.
    pub(crate) fn row_count(&self) -> f64 {
        self.rows.get() as f64
    }

    /// Returns the noise on every count of tables that share an amount equally.
    ///
    /// # Errors
    /// If the noise would be so large that the vault refuses.
    pub(crate) fn noise(&self, tables: usize, amount: Amount<M>) -> Result<Noise, MechanismError> {
        let share = amount.divided(tables);
        let noise = M::noise(A::table_sensitivity(self.unit), share).and_then(|mechanism| Noise::of(&mechanism));
        noise.ok_or_else(|| VaultError::BudgetTooSmall { share: share.cost(), releases: tables }.into())
    }

    /// Number of cells of the largest table that is reliable with this noise.
    pub(crate) fn reliable_cells(&self, noise: Noise) -> u128 {
        cells_at(noise, self.rows, RELIABLE).into()
    }

    /// Plans tables with equal shares of an amount. The rows do not affect which.
    pub(crate) fn measure(
        &mut self,
        domain: &Domain,
        cliques: &[Clique],
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        let share = amount.divided(cliques.len());
        let tables: Vec<(Clique, Amount<M>)> = cliques.iter().map(|clique| (clique.clone(), share)).collect();
        self.measure_each(domain, &tables, Events::certain(tables.len()))
    }

    /// Plans tables with an amount for each. `events` says how many there may be.
    pub(crate) fn measure_each(
        &mut self,
        domain: &Domain,
        tables: &[(Clique, Amount<M>)],
        events: Events,
    ) -> Result<(), MechanismError> {
        let total = tables.iter().try_fold(0, |cells, (clique, _)| {
            let table = domain.table_len(clique).map_err(VaultError::from)?;
            Ok::<_, VaultError>(cells + table as u128)
        })?;
        if total > limits::CELLS_PER_MODEL {
            let limit = limits::CELLS_PER_MODEL;
            return Err(VaultError::TooManyCells { tables: tables.len(), cells: total, limit }.into());
        }
        let mut planned = Vec::with_capacity(tables.len());
        for (clique, amount) in tables {
            let cells = NonZeroU64::try_from(u64::try_from(domain.cells(clique)).unwrap_or(u64::MAX));
            let cells = cells.unwrap_or(NonZeroU64::MIN);
            planned.push(PlannedTable {
                clique: clique.clone(),
                cells,
                noise: self.noise(1, *amount)?,
                is_parity: false,
            });
        }
        let columns = Extent::of(planned.iter().map(|table| table.clique.len() as u64));
        let cells = Extent::of(planned.iter().map(|table| table.cells.get()));
        let noise = Extent::of(planned.iter().map(|table| table.noise.standard_deviation()));
        if let (Some(columns), Some(cells), Some(noise)) = (columns, cells, noise) {
            let what = if columns.most == 0 { Asked::Rows } else { Asked::Tables };
            let sensitivity = in_norm::<M, _>(A::table_sensitivity(self.unit));
            self.steps.push(Step { what, events, columns, cells, sensitivity, noise: Some(noise), preference: None });
        }
        self.tables.extend(planned);
        Ok(())
    }

    /// Plans lists of noisy scores, with an amount for each list.
    pub(crate) fn score(
        &mut self,
        score: ScoreKind,
        columns: u64,
        candidates: usize,
        lists: &[Amount<M>],
    ) -> Result<(), MechanismError> {
        let length = candidates as u64;
        let sensitivity = Sensitivity::of_scores(self.one_score(score, NonZeroU32::MIN)?, length);
        let sensitivity = sensitivity.ok_or(DOES_NOT_FIT)?;
        let mut deviations = Vec::with_capacity(lists.len());
        for &amount in lists {
            let mechanism = M::noise(sensitivity, amount).and_then(|mechanism| mechanism.standard_deviation());
            let refused = VaultError::BudgetTooSmall { share: amount.cost(), releases: 1 };
            deviations.push(mechanism.ok_or(refused)? * step::<ScoreUnits>());
        }
        if let Some(noise) = Extent::of(deviations) {
            self.steps.push(Step {
                what: if score == ScoreKind::Parity { Asked::Parities } else { Asked::Scores },
                events: Events::certain(lists.len()),
                columns: Extent::both(columns),
                cells: Extent::both(length),
                sensitivity: in_norm::<M, _>(sensitivity),
                noise: Some(noise),
                preference: None,
            });
        }
        Ok(())
    }

    /// Plans the parities of sets of binary columns, all of one size.
    pub(crate) fn parities(&mut self, sets: Vec<Clique>, size: usize, amount: Amount<M>) -> Result<(), MechanismError> {
        self.score(ScoreKind::Parity, size as u64, sets.len(), &[amount])?;
        let noise = self.steps.last().and_then(|step| step.noise).map_or(0.0, |noise| noise.most);
        let cells = NonZeroU64::MIN.saturating_mul(NonZeroU64::new(1 << size).unwrap_or(NonZeroU64::MAX));
        // A parity is the sum of all cells, each with a sign.
        let sigma = Sigma::at_least(noise / real(cells.get().into()).sqrt()).ok_or(DOES_NOT_FIT)?;
        let table = |clique| PlannedTable { clique, cells, noise: Noise::Gaussian(sigma), is_parity: true };
        self.tables.extend(sets.into_iter().map(table));
        Ok(())
    }

    /// Plans selections by the exponential mechanism, with an amount for each.
    pub(crate) fn select(
        &mut self,
        score: ScoreKind,
        heaviest: NonZeroU32,
        candidates: Extent<u64>,
        selections: &[Amount<M>],
        events: Events,
    ) -> Result<(), MechanismError> {
        let sensitivity = self.one_score(score, heaviest)?;
        let mut preferences = Vec::with_capacity(selections.len());
        for &amount in selections {
            match Mechanism::exponential(sensitivity, amount) {
                Some(Mechanism::Exponential { epsilon, .. }) => preferences.push(epsilon.to_f64()),
                _ => return Err(VaultError::BudgetTooSmall { share: amount.cost(), releases: 1 }.into()),
            }
        }
        if let Some(preference) = Extent::of(preferences) {
            self.steps.push(Step {
                what: Asked::Choices,
                events,
                columns: Extent::both(0),
                cells: candidates,
                sensitivity: sensitivity.to_f64(),
                noise: None,
                preference: Some(preference),
            });
        }
        Ok(())
    }

    /// Returns the largest sensitivity of one score of the heaviest weight to one unit.
    fn one_score(&self, score: ScoreKind, heaviest: NonZeroU32) -> Result<ScoreUnits, MechanismError> {
        let largest = score.sensitivities(A::KIND, Some(self.rows.get())).into_iter().max();
        let one_row = largest.ok_or(MechanismError::NeedsPublicRows { what: "the score `i`" })?;
        Ok(ScoreUnits::of_unit(one_row, heaviest, self.unit).ok_or(DOES_NOT_FIT)?)
    }
}

/// No sensitivity comes near 128 bits.
const DOES_NOT_FIT: VaultError = VaultError::Bug { what: "a sensitivity does not fit" };

/// Converts a sensitivity to rows or bits, in the norm that the noise of an accounting needs.
fn in_norm<M: Selecting, U: Unit>(sensitivity: Sensitivity<U>) -> f64 {
    let units = match M::KIND {
        scumble_vault::AccountingKind::Pure => sensitivity.l1() as f64,
        _ => (sensitivity.squared_l2() as f64).sqrt(),
    };
    units * step::<U>()
}

/// Returns the lattice step of a unit, in rows or bits.
fn step<U: Unit>() -> f64 {
    1.0 / f64::from(1_u32 << U::LATTICE_LOG2)
}
