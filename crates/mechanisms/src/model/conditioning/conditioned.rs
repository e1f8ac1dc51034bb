//! Conditions a model, and samples from it.

use scumble_pgm::{ModelError, ProductModel, Sampling};
use scumble_schema::{CodeColumn, DecodedRows, limits};

use super::conditions::Conditions;
use super::interleave::Interleaved;
use super::rejection::{self, Rejection};
use super::shares::Shares;
use super::{refused, seed_of};
use crate::error::MechanismError;
use crate::model::Model;
use crate::model::fitted::Distribution;

/// Chunks of rows, as columns of the schema.
pub(super) type Codes<'a> = Box<dyn Iterator<Item = Result<Vec<CodeColumn>, MechanismError>> + 'a>;

/// A model under conditions, and optionally with given shares of the values of a column.
#[derive(Debug)]
pub struct ConditionedModel<'a> {
    model: &'a Model,
    probability: f64,
    strata: Vec<Stratum<'a>>,
}

/// Rows that have one share of a sample.
#[derive(Debug)]
struct Stratum<'a> {
    share: f64,
    source: Source<'a>,
}

/// Source of rows that meet a condition.
#[derive(Debug)]
enum Source<'a> {
    /// The model, without conditions.
    Whole,
    /// The conditioned distribution.
    Exact(Box<Distribution>),
    /// Rejection sampling from the model.
    Rejection(Rejection<'a>),
}

/// Minimum probability of conditions for which rows of a model with targets are drawn with all
/// others and discarded. Rarer ones are drawn from the distribution, without the targets.
const MIN_PROBABILITY_WITH_TARGETS: f64 = 0.05;

impl Model {
    /// Conditions the model, and gives the values of a column their shares, if any.
    ///
    /// Independent columns, graphical models and released rows are conditioned exactly. Networks,
    /// and columns that a method encodes as binary digits, use rejection sampling.
    ///
    /// # Privacy
    /// Post-processing of the model.
    ///
    /// # Errors
    /// If the model gives such rows no probability, or too little for rejection sampling.
    pub fn conditioned(
        &self,
        conditions: &Conditions,
        shares: Option<&Shares>,
    ) -> Result<ConditionedModel<'_>, MechanismError> {
        let (source, probability) = self.source(conditions)?;
        let Some(shares) = shares else {
            return Ok(ConditionedModel { model: self, probability, strata: vec![Stratum { share: 1.0, source }] });
        };
        let cells = self.distribution.cells().saturating_mul(shares.groups().len() as u128);
        if cells > limits::CELLS_PER_MODEL {
            let column = self.schema.attribute(shares.column()).name();
            return Err(refused(
                format!("{} shares of column `{column}` would need {cells} cells", shares.groups().len()),
                format!(
                    "give shares to fewer values or ranges: at most {} cells are possible",
                    limits::CELLS_PER_MODEL
                ),
            ));
        }
        let strata = shares.groups().iter().map(|(codes, share)| {
            let (source, _) = self.source(&conditions.and(shares.column(), codes)).map_err(|error| {
                let named = self.schema.attribute(shares.column());
                let first = codes.first().map(|&code| named.label(code)).unwrap_or_default();
                match error {
                    MechanismError::Condition { problem, .. } => refused(
                        format!("no rows for the share of `{first}` in column `{}`: {problem}", named.name()),
                        "give this value no share",
                    ),
                    other => other,
                }
            })?;
            Ok(Stratum { share: *share, source })
        });
        Ok(ConditionedModel { model: self, probability, strata: strata.collect::<Result<_, MechanismError>>()? })
    }

    /// Returns the source of rows that meet conditions, and their probability.
    fn source(&self, conditions: &Conditions) -> Result<(Source<'_>, f64), MechanismError> {
        if conditions.is_empty() {
            return Ok((Source::Whole, 1.0));
        }
        let conditioned = match &self.distribution {
            Distribution::Product(product) => {
                given(product, conditions).map(|(model, probability)| (Distribution::Product(model), probability))
            }
            // Columns of the schema come first in the model, as they are, unless they are digits.
            Distribution::Tree(tree) if self.recoding.has_base_columns() => {
                let allowed: Vec<_> = conditions.allowed().collect();
                match tree.given(&allowed) {
                    // Rows that are moved towards tables of all rows have to be drawn with the
                    // others.
                    Ok(part) if !self.targets.is_empty() && part.probability() >= MIN_PROBABILITY_WITH_TARGETS => {
                        let rejection = Rejection::new(self, conditions.clone())?;
                        let probability = rejection.probability();
                        return Ok((Source::Rejection(rejection), probability));
                    }
                    Ok(part) => Some((Distribution::Tree(part.model.clone()), part.probability())),
                    Err(ModelError::Impossible) => None,
                    Err(error) => return Err(error.into()),
                }
            }
            Distribution::Rows(rows) if self.recoding.has_base_columns() => {
                let picked = conditions.matching(rows);
                let probability = picked.len() as f64 / rows.first().map_or(1, CodeColumn::len).max(1) as f64;
                let kept = || Distribution::Rows(rows.iter().map(|column| column.pick(&picked)).collect());
                (!picked.is_empty()).then(|| (kept(), probability))
            }
            _ => {
                let rejection = Rejection::new(self, conditions.clone())?;
                let probability = rejection.probability();
                return Ok((Source::Rejection(rejection), probability));
            }
        };
        match conditioned {
            // A probability may underflow to zero.
            Some((distribution, probability)) if probability > 0.0 => {
                Ok((Source::Exact(Box::new(distribution)), probability))
            }
            _ => Err(refused(
                "the model gives rows that meet these conditions no probability",
                "leave a condition out, or allow more values with `|`",
            )),
        }
    }
}

impl ConditionedModel<'_> {
    /// The model without conditions.
    pub fn model(&self) -> &Model {
        self.model
    }

    /// Probability of the conditions under the model, regardless of shares.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Expected number of rows of the model that meet the conditions; `None` if less than one.
    pub fn expected_rows(&self) -> Option<u64> {
        let rows = (self.model.rows() as f64 * self.probability).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the rows of the model")]
        (rows >= 1.0).then_some(rows as u64)
    }

    /// Draws `rows` rows, in batches. Equal seeds give equal rows.
    ///
    /// # Privacy
    /// Post-processing: a conditioned model may be sampled any number of times, with any seed.
    ///
    /// # Errors
    /// At once if such rows are too rare, and as an item if fewer are found than expected.
    pub fn sample(
        &self,
        rows: u64,
        seed: u64,
        sampling: Sampling,
    ) -> Result<impl Iterator<Item = Result<DecodedRows, MechanismError>> + use<'_>, MechanismError> {
        let mut decode = self.model.decoding(seed);
        Ok(self.sample_codes(rows, seed, sampling)?.map(move |columns| columns.map(&mut decode)))
    }

    /// Draws the rows of [`Self::sample`] as codes of the schema's columns.
    ///
    /// # Errors
    /// Those of [`Self::sample`].
    pub fn sample_codes(
        &self,
        rows: u64,
        seed: u64,
        sampling: Sampling,
    ) -> Result<impl Iterator<Item = Result<Vec<CodeColumn>, MechanismError>> + use<'_>, MechanismError> {
        let shares: Vec<f64> = self.strata.iter().map(|stratum| stratum.share).collect();
        let allotted = allot(rows, &shares);
        for (stratum, &rows) in self.strata.iter().zip(&allotted) {
            if let Source::Rejection(rejection) = &stratum.source {
                rejection.check(rows)?;
            }
        }
        let codes: Codes<'_> = if let [only] = self.strata.as_slice() {
            self.stratum(only, rows, seed, sampling)
        } else {
            let strata =
                self.strata.iter().zip(&allotted).zip(1..).map(|((stratum, &rows), number)| {
                    (rows, self.stratum(stratum, rows, seed_of(seed, number), sampling))
                });
            Box::new(Interleaved::new(self.model.schema().domain(), strata.collect(), seed_of(seed, 0)))
        };
        Ok(codes)
    }

    fn stratum<'b>(&'b self, stratum: &'b Stratum<'_>, rows: u64, seed: u64, sampling: Sampling) -> Codes<'b> {
        match &stratum.source {
            Source::Whole => Box::new(self.model.sample_codes(rows, seed, sampling).map(Ok)),
            Source::Exact(distribution) => {
                let chunks = distribution.sample(&self.model.recoding, rows, seed, sampling, 0, &[]);
                Box::new(chunks.map(|chunk| Ok(self.model.restored(chunk))))
            }
            Source::Rejection(rejection) => Box::new(rejection::Drawing::new(rejection, rows, seed, sampling)),
        }
    }
}

/// Conditions independent columns. Also returns the probability of the conditions; `None` if it
/// is 0.
fn given(product: &ProductModel, conditions: &Conditions) -> Option<(ProductModel, f64)> {
    let mut columns: Vec<Vec<f64>> = product.probabilities().iter().map(|column| column.to_vec()).collect();
    let mut probability = 1.0;
    for (column, codes) in conditions.allowed() {
        let held = &mut columns[column.index()];
        let kept: f64 = codes.iter().map(|&code| held[code as usize]).sum();
        if kept <= 0.0 {
            return None;
        }
        for (code, share) in (0_u32..).zip(held) {
            *share = if codes.binary_search(&code).is_ok() { (*share / kept).min(1.0) } else { 0.0 };
        }
        probability *= kept.min(1.0);
    }
    Some((ProductModel::new(columns).ok()?, probability))
}

/// Allots rows by shares with the largest-remainder method.
fn allot(rows: u64, shares: &[f64]) -> Vec<u64> {
    let exact: Vec<f64> = shares.iter().map(|share| share * rows as f64).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the number of rows")]
    let mut allotted: Vec<u64> = exact.iter().map(|exact| exact.floor() as u64).collect();
    let mut by_loss: Vec<usize> = (0..shares.len()).collect();
    by_loss.sort_by(|&one, &other| exact[other].fract().total_cmp(&exact[one].fract()));
    let left = rows.saturating_sub(allotted.iter().sum());
    for &place in by_loss.iter().cycle().take(usize::try_from(left).unwrap_or(0)) {
        allotted[place] += 1;
    }
    allotted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_allotted_by_shares_and_none_is_lost() {
        assert_eq!(allot(10, &[0.5, 0.5]), [5, 5]);
        assert_eq!(allot(10, &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]), [4, 3, 3]);
        assert_eq!(allot(1, &[0.4, 0.6]), [0, 1]);
        assert_eq!(allot(0, &[0.4, 0.6]), [0, 0]);
        assert_eq!(allot(7, &[1.0]), [7]);
    }
}
