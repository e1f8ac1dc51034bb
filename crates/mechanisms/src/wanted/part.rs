//! A part of a model, made ready for sampling.

use scumble_pgm::{ModelError, ProductModel, Sampling};
use scumble_schema::{CodeColumn, DecodedRows, limits};

use super::condition::Wanted;
use super::interleave::Interleaved;
use super::rejection::{self, Rejection};
use super::shares::Shares;
use super::{refused, seed_of};
use crate::error::MechanismError;
use crate::fitted::Distribution;
use crate::model::Model;

/// Rows of a model, chunk by chunk and column by column of its schema.
pub(super) type Codes<'a> = Box<dyn Iterator<Item = Result<Vec<CodeColumn>, MechanismError>> + 'a>;

/// The part of a model that is wanted: the model's own distribution under the conditions, and with the shares, that were
/// asked for.
#[derive(Debug)]
pub struct Part<'a> {
    model: &'a Model,
    probability: f64,
    strata: Vec<Stratum<'a>>,
}

/// Rows with one share of those that are drawn.
#[derive(Debug)]
struct Stratum<'a> {
    share: f64,
    source: Source<'a>,
}

/// Where rows that meet a condition come from.
#[derive(Debug)]
enum Source<'a> {
    Whole,
    /// The distribution under the condition.
    Exact(Box<Distribution>),
    /// The model's rows, without those that do not meet it.
    Rejection(Rejection<'a>),
}

impl Model {
    /// The part of the model with the rows that are wanted, in which a column has the shares given, if any.
    ///
    /// Independent columns, graphical models and released rows are conditioned exactly. Networks, and columns that a method has
    /// taken apart into binary digits, are drawn from until enough rows meet the condition.
    ///
    /// # Privacy
    /// Post-processing of the model.
    ///
    /// # Errors
    /// If the model gives such rows no probability, or so little that drawing them would take too long.
    pub fn part(&self, wanted: &Wanted, shares: Option<&Shares>) -> Result<Part<'_>, MechanismError> {
        let (source, probability) = self.source(wanted)?;
        let Some(shares) = shares else {
            return Ok(Part { model: self, probability, strata: vec![Stratum { share: 1.0, source }] });
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
            let (source, _) = self.source(&wanted.and(shares.column(), codes)).map_err(|error| {
                let named = self.schema.attribute(shares.column());
                let first = codes.first().map(|&code| named.label(code)).unwrap_or_default();
                match error {
                    MechanismError::Part { problem, .. } => refused(
                        format!("no rows for the share of `{first}` in column `{}`: {problem}", named.name()),
                        "give this value no share",
                    ),
                    other => other,
                }
            })?;
            Ok(Stratum { share: *share, source })
        });
        Ok(Part { model: self, probability, strata: strata.collect::<Result<_, MechanismError>>()? })
    }

    /// What rows that are wanted are drawn from, and how probable they are.
    fn source(&self, wanted: &Wanted) -> Result<(Source<'_>, f64), MechanismError> {
        if wanted.is_everything() {
            return Ok((Source::Whole, 1.0));
        }
        let conditioned = match &self.distribution {
            Distribution::Product(product) => {
                given(product, wanted).map(|(model, probability)| (Distribution::Product(model), probability))
            }
            // Columns of the schema come first in the model, as they are, unless they are digits.
            Distribution::Tree(tree) if self.recoding.has_base_columns() => {
                let allowed: Vec<_> = wanted.allowed().collect();
                match tree.given(&allowed) {
                    Ok(part) => Some((Distribution::Tree(part.model.clone()), part.probability())),
                    Err(ModelError::Impossible) => None,
                    Err(error) => return Err(error.into()),
                }
            }
            Distribution::Rows(rows) if self.recoding.has_base_columns() => {
                let picked = wanted.among(rows);
                #[expect(clippy::cast_precision_loss, reason = "no more digits are needed of a share")]
                let probability = picked.len() as f64 / rows.first().map_or(1, CodeColumn::len).max(1) as f64;
                let kept = || Distribution::Rows(rows.iter().map(|column| column.pick(&picked)).collect());
                (!picked.is_empty()).then(|| (kept(), probability))
            }
            _ => {
                let rejection = Rejection::new(self, wanted.clone())?;
                let probability = rejection.probability();
                return Ok((Source::Rejection(rejection), probability));
            }
        };
        match conditioned {
            // A probability below the least positive number is none that rows could be drawn by.
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

impl Part<'_> {
    /// The model that it is a part of.
    pub fn model(&self) -> &Model {
        self.model
    }

    /// The share of the model's rows that meet the conditions, whatever shares a column is then given.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// How many rows of the model meet the conditions, by its own estimate; `None` if less than one.
    pub fn expected_rows(&self) -> Option<u64> {
        #[expect(clippy::cast_precision_loss, reason = "an estimate has no more digits than a number")]
        let rows = (self.model.rows() as f64 * self.probability).round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the rows of the model")]
        (rows >= 1.0).then_some(rows as u64)
    }

    /// Draws `rows` rows of the part, in batches; the same for the same seed.
    ///
    /// # Privacy
    /// Post-processing: a part may be sampled any number of times, with any seed.
    ///
    /// # Errors
    /// At once if such rows are too rare to be found, and as an item if fewer are found than were expected.
    pub fn sample(
        &self,
        rows: u64,
        seed: u64,
        sampling: Sampling,
    ) -> Result<impl Iterator<Item = Result<DecodedRows, MechanismError>> + use<'_>, MechanismError> {
        let mut decode = self.model.decoding(seed);
        Ok(self.sample_codes(rows, seed, sampling)?.map(move |columns| columns.map(&mut decode)))
    }

    /// The same rows as codes of the schema's columns.
    ///
    /// # Errors
    /// As those of [`Part::sample`].
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
        let recoding = &self.model.recoding;
        match &stratum.source {
            Source::Whole => Box::new(self.model.sample_codes(rows, seed, sampling).map(Ok)),
            Source::Exact(distribution) => {
                let chunks = distribution.sample(recoding, rows, seed, sampling);
                Box::new(chunks.map(|chunk| Ok(if recoding.is_identity() { chunk } else { recoding.restore(&chunk) })))
            }
            Source::Rejection(rejection) => Box::new(rejection::Drawing::new(rejection, rows, seed, sampling)),
        }
    }
}

/// Independent columns under a condition, and how probable it is; `None` if it is impossible.
fn given(product: &ProductModel, wanted: &Wanted) -> Option<(ProductModel, f64)> {
    let mut columns: Vec<Vec<f64>> = product.probabilities().iter().map(|column| column.to_vec()).collect();
    let mut probability = 1.0;
    for (column, codes) in wanted.allowed() {
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

/// So many rows by shares, as whole numbers: each share rounded down, and what is left over to those that lost most.
fn allot(rows: u64, shares: &[f64]) -> Vec<u64> {
    #[expect(clippy::cast_precision_loss, reason = "beyond 2^53 rows nobody counts them one by one")]
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
