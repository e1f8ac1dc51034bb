//! What learning would release, before any row is read.

use std::num::NonZeroUsize;

use scumble_schema::learn::{LearnedKind, Missing, PartialSchema};
use scumble_vault::account::{Amount, Mechanism};
use scumble_vault::{Accounting, ApproxDp, ColumnVault};
use serde::Serialize;

use super::budget::{FOR_CLASSES, FOR_FIRST_VALUES, LearnShare, PARTS_OF_TEXT, Parts};
use super::thresholds;
use crate::error::MechanismError;
use crate::mechanism::method::Method;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency, OnTerms, on_terms};

/// What learning columns would release. Types are not known yet, so every column without one counts
/// as texts: those need the most rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LearnForecast {
    /// Number of columns to learn.
    pub columns: usize,
    /// Standard deviation of the noise on the numbers of texts that look like numbers, dates and so
    /// on; `None` if all types are declared.
    pub noise_of_types: Option<f64>,
    /// Number of rows that a category needs about, to be found; `None` if there can be none.
    pub rows_of_category: Option<u64>,
}

/// Forecasts what [`fit_undeclared`](super::fit_undeclared), or without a share
/// [`learn`](super::learn), would release. Reads no row.
///
/// # Errors
/// If the privacy terms are invalid, or the goal allows no such release.
pub fn forecast(
    partial: &PartialSchema,
    method: &Method,
    share: Option<LearnShare>,
    goal: ApproxDp,
) -> Result<LearnForecast, MechanismError> {
    let terms = partial.terms_alone()?.privacy().clone();
    on_terms(terms.adjacency, method.accounting(goal), Forecast { partial, share, goal, unit: terms.max_contributions })
}

struct Forecast<'a> {
    partial: &'a PartialSchema,
    share: Option<LearnShare>,
    goal: ApproxDp,
    unit: std::num::NonZeroU32,
}

impl OnTerms for Forecast<'_> {
    type Output = Result<LearnForecast, MechanismError>;

    fn run<A: MethodAdjacency, M: MethodAccounting>(self) -> Self::Output {
        let for_thresholds = thresholds(self.partial, self.goal)?;
        let (vault, budget) = ColumnVault::<A, M>::open(self.goal, for_thresholds, self.unit)?;
        let whole = budget.amount();
        let amount = self.share.map_or(whole, |share| whole.split(share.get()).0);
        let missing = self.partial.missing();
        let columns = missing.len();
        let untyped = missing.iter().filter(|(_, what)| *what == Missing::Type).count();
        let (for_types, for_values) = if untyped == 0 { (Amount::ZERO, amount) } else { amount.split(FOR_CLASSES) };
        let noise = |columns: NonZeroUsize| vault.planned_noise(columns, for_types)?.standard_deviation();
        let kinds: Vec<&LearnedKind> = missing.iter().filter_map(|(_, what)| what.kind()).collect();
        let texts = untyped + kinds.iter().filter(|kind| kind.is_text()).count();
        let parts = Parts::of(kinds.iter().copied(), true).and_texts(untyped);
        let threshold = NonZeroUsize::new(texts).and_then(|texts| {
            let of_texts = part(for_values, PARTS_OF_TEXT, parts.all(), texts);
            let of_texts = of_texts.split(FOR_FIRST_VALUES).1;
            match M::planned_threshold(&vault, texts, vault.for_thresholds().divided(2), of_texts)? {
                Mechanism::ThresholdedGaussian { threshold, .. } => Some(threshold.rows),
                _ => None,
            }
        });
        Ok(LearnForecast {
            columns,
            noise_of_types: NonZeroUsize::new(untyped).and_then(noise),
            rows_of_category: threshold,
        })
    }
}

/// Returns the amount for texts, each of which gets some of all parts.
fn part<M: Accounting>(amount: Amount<M>, each: u32, all: u32, texts: NonZeroUsize) -> Amount<M> {
    let parts = u128::from(each) * texts.get() as u128;
    Amount::from_quanta(amount.quanta() / u128::from(all.max(1)) * parts)
}
