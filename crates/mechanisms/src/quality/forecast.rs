//! How exact a check will be, before anything is spent.

use std::num::NonZeroU32;

use scumble_schema::Schema;
use scumble_vault::account::{Amount, ScoreUnits, Sensitivity};
use scumble_vault::score::ScoreKind;
use scumble_vault::{ApproxDp, VaultError};
use serde::Serialize;

use super::criteria::{Bound, Criteria, Criterion};
use super::{Check, Figure, INTERVAL};
use crate::error::MechanismError;
use crate::mechanism::method::Method;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency, OnTerms, on_terms};

/// How exact the figures of a check will be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CheckForecast {
    /// Number of figures.
    pub figures: usize,
    /// Standard deviation of the noise of each, in rows.
    pub noise: f64,
    /// Half width of the 95 % interval of a share of all rows, for the number of rows that was
    /// given.
    pub half_width: Option<f64>,
}

impl CheckForecast {
    /// Returns criteria that cannot be met, because the margin for noise is larger than the bound.
    /// Figures in units of a column or within a group are left out: their noise depends on
    /// the rows.
    pub fn undecidable<'a>(&self, criteria: &'a Criteria) -> Vec<&'a Criterion> {
        let Some(half_width) = self.half_width else { return Vec::new() };
        let margin = criteria.margin() * half_width / INTERVAL;
        let is_share_of_all = |figure: &Figure| match figure {
            Figure::Tables { within, .. } => within.is_none(),
            figure => figure.is_share(),
        };
        let is_lost = |criterion: &&Criterion| match criterion.bound {
            Bound::AtMost(most) => most < margin,
            Bound::AtLeast(least) => least > 1.0 - margin,
        };
        let shares = criteria.criteria.iter().filter(|criterion| is_share_of_all(&criterion.figure));
        shares.filter(is_lost).collect()
    }
}

/// Predicts how exact a check within a fit will be.
///
/// # Privacy
/// Nothing is spent and no row is read.
///
/// # Errors
/// If a figure cannot be measured, or the goal is too small.
pub fn forecast(
    schema: &Schema,
    check: &Check,
    method: &Method,
    goal: ApproxDp,
    rows: Option<u64>,
) -> Result<CheckForecast, MechanismError> {
    let figures = check.figures(schema, method.workload())?.len();
    let (share, unit) = (check.share.0, schema.privacy().max_contributions);
    let noise = on_terms(schema.privacy().adjacency, method.accounting(goal), Noise { figures, share, unit, goal })?;
    let half_width = rows.map(|rows| INTERVAL * noise / (rows.max(1) as f64));
    Ok(CheckForecast { figures, noise, half_width })
}

struct Noise {
    figures: usize,
    /// In thousandths.
    share: u32,
    unit: NonZeroU32,
    goal: ApproxDp,
}

impl OnTerms for Noise {
    type Output = Result<f64, MechanismError>;

    fn run<A: MethodAdjacency, M: MethodAccounting>(self) -> Self::Output {
        let all = M::KIND.largest(self.goal)?.quanta;
        let amount = Amount::<M>::from_quanta(all / 1_000 * u128::from(self.share));
        let one_row = ScoreKind::Comparison.sensitivities(A::KIND, None);
        let one = one_row.first().and_then(|&one| ScoreUnits::of_unit(one, NonZeroU32::MIN, self.unit));
        let sensitivity = one.and_then(|one| Sensitivity::of_scores(one, self.figures as u64));
        let noise = sensitivity.and_then(|sensitivity| M::noise(sensitivity, amount)?.standard_deviation());
        let refused = VaultError::BudgetTooSmall { share: amount.cost(), releases: 1 };
        Ok(noise.ok_or(refused)? / f64::from(1_u32 << scumble_vault::score::LATTICE_LOG2))
    }
}
