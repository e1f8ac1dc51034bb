//! Attribute inference, with a control.
//!
//! The attacker knows all columns of a row but one, and guesses that one from the release. A guess
//! about a control row is right as often as the release teaches about the population: that is what
//! the release is for. Only the hits on members beyond those on control rows are leakage.
//!
//! Two predictors:
//! - [`Predictor::NearestRows`]: a vote of synthetic rows, in which every column that differs
//!   divides the weight of a row by ten. So the nearest rows decide, and farther ones only where
//!   these disagree. It finds copies.
//! - [`Predictor::Likelihood`]: the value that makes the row most likely under the released model,
//!   or under the tree that the likelihood-ratio attack learns. It finds overfitted tables.
//!
//! # Reference
//! Giomi, Boenisch, Wehmeyer, Tasnádi, A unified framework for quantifying privacy risk in
//! synthetic data, `PoPETs` 2023 (Anonymeter): the attribute inference attack, and the control
//! that separates leakage from inference.

use scumble_schema::AttributeId;
use serde::Serialize;

use super::neighbours::Neighbours;
use crate::release::factor::Factor;
use crate::release::progress::Progress;
use crate::release::roc::Hits;
use crate::release::study::Study;
use crate::release::tree::entropy;

/// Number of secret columns if the caller names none.
const DEFAULT_SECRETS: usize = 5;
/// Maximum number of codes of a secret column that the caller did not name: values of columns with
/// more are hardly ever guessed.
const MAX_DEFAULT_CODES: u32 = 100;
/// Maximum number of codes of a column for [`Predictor::Likelihood`], which tries each of them.
const MAX_TRIED_CODES: u32 = 1_000;
/// Factor by which each column that differs divides the weight of a synthetic row.
const PER_COLUMN: f64 = 10.0;
/// Number of further columns after which a synthetic row has no weight.
const MAX_FURTHER: usize = 30;

/// A way to guess a column from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Predictor {
    /// A vote of the nearest synthetic rows.
    NearestRows,
    /// The value that makes the row most likely.
    Likelihood,
}

impl Predictor {
    /// Returns a name to print.
    pub fn name(self) -> &'static str {
        match self {
            Self::NearestRows => "nearest rows",
            Self::Likelihood => "likelihood",
        }
    }
}

/// Returns the columns to guess if the caller names none: those whose synthetic values vary most.
pub(crate) fn default_secrets(study: &Study<'_>) -> Vec<AttributeId> {
    let domain = study.targets.domain();
    let surprise = |column: AttributeId| {
        let codes = study.synthetic.column(column);
        (entropy(codes.iter().map(|&code| code.into()).collect()), column)
    };
    let candidates = study.columns().filter(|&column| (2..=MAX_DEFAULT_CODES).contains(&domain.size(column)));
    let mut candidates: Vec<(f64, AttributeId)> = candidates.map(surprise).collect();
    candidates.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut secrets: Vec<AttributeId> =
        candidates.into_iter().take(DEFAULT_SECRETS).map(|(_, column)| column).collect();
    secrets.sort_unstable();
    secrets
}

/// Returns the hits of every predictor for every secret column, in this order. Empty if there is no
/// other column to guess from.
pub(crate) fn hits(
    study: &Study<'_>,
    factors: &[Factor<'_>],
    secrets: &[AttributeId],
    progress: &Progress<'_>,
) -> Vec<(AttributeId, Predictor, Hits)> {
    let domain = study.targets.domain();
    if domain.len() < 2 {
        return Vec::new();
    }
    let none = Hits { members: study.members as u64, member_hits: 0, control: study.control() as u64, control_hits: 0 };
    let mut vote = Vote::new(study);
    let mut results = Vec::new();
    for &secret in secrets {
        results.push((secret, Predictor::NearestRows, none));
        if domain.size(secret) <= MAX_TRIED_CODES {
            results.push((secret, Predictor::Likelihood, none));
        }
    }
    let mut codes = vec![0; domain.len()];
    for row in 0..study.targets.rows() {
        progress.target(row);
        study.targets.copy_row(row, &mut codes);
        vote.neighbours.compare(&codes);
        for (secret, predictor, hits) in &mut results {
            let truth = codes[secret.index()];
            let guess = match predictor {
                Predictor::NearestRows => vote.guess(*secret, truth),
                Predictor::Likelihood => {
                    let guess = likeliest(factors, *secret, domain.size(*secret), &mut codes);
                    codes[secret.index()] = truth;
                    guess
                }
            };
            let hit = u64::from(guess == truth);
            if row < study.members { hits.member_hits += hit } else { hits.control_hits += hit }
        }
    }
    results
}

/// A vote of synthetic rows.
struct Vote {
    neighbours: Neighbours,
    /// Weights of rows by the number of further columns that differ.
    weights: Vec<f64>,
    /// Votes for each value; zero between guesses.
    votes: Vec<f64>,
}

impl Vote {
    fn new(study: &Study<'_>) -> Self {
        let weights = (0..=MAX_FURTHER).map(|further| PER_COLUMN.powf(-(further as f64))).collect();
        let codes = study.targets.domain().sizes().iter().copied().max().unwrap_or(0);
        Self { neighbours: Neighbours::new(study), weights, votes: vec![0.0; codes as usize] }
    }

    /// Returns the value with the most weight; of equal ones the first. The distances must be those
    /// of the row; `truth` is its value, which is used to remove the secret column from them.
    fn guess(&mut self, secret: AttributeId, truth: u32) -> u32 {
        let values = self.neighbours.rows.column(secret);
        let distances = &self.neighbours.distances;
        // Distance over the other columns alone: the attacker does not know the secret one.
        let others = || distances.iter().zip(values).map(|(distance, &value)| distance - u16::from(value != truth));
        let nearest = others().min().unwrap_or(0);
        for (distance, &value) in others().zip(values) {
            if let Some(weight) = self.weights.get(usize::from(distance - nearest)) {
                self.votes[value as usize] += weight;
            }
        }
        let (mut most, mut guess) = (0.0, 0);
        for &value in values {
            let votes = self.votes[value as usize];
            if votes > most || votes >= most && value < guess {
                (most, guess) = (votes, value);
            }
        }
        for &value in values {
            self.votes[value as usize] = 0.0;
        }
        guess
    }
}

/// Returns the value of a column with which the row is most likely under the release. Leaves
/// another value in the row.
fn likeliest(factors: &[Factor<'_>], secret: AttributeId, size: u32, codes: &mut [u32]) -> u32 {
    let place = secret.index();
    let related: Vec<&Factor<'_>> = factors.iter().filter(|factor| factor.reads(place)).collect();
    largest((0..size).map(|value| {
        codes[place] = value;
        related.iter().map(|factor| factor.released(codes)).sum()
    }))
}

/// Returns the position of the largest number; of equal ones the first.
fn largest(numbers: impl Iterator<Item = f64>) -> u32 {
    let (mut best, mut found) = (f64::NEG_INFINITY, 0);
    for (place, number) in (0..).zip(numbers) {
        if number > best {
            (best, found) = (number, place);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::factor;
    use crate::release::fixture::{self, Tables};
    use crate::release::{CodedTable, Study};
    use scumble_schema::Domain;

    fn id(column: usize) -> AttributeId {
        AttributeId::new(column)
    }

    /// Three columns; the synthetic rows are given, the others do not matter.
    fn tables(rows: &[[u32; 3]]) -> Tables {
        let domain = Domain::new(vec![4, 4, 3]).unwrap();
        let columns = (0..3).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
        let constant = |rows| CodedTable::new(domain.clone(), vec![vec![0; rows]; 3]).unwrap();
        let synthetic = CodedTable::new(domain.clone(), columns).unwrap();
        Tables { members: constant(10), control: constant(20), synthetic }
    }

    #[test]
    fn the_nearest_row_outvotes_farther_ones_and_the_secret_is_not_used() {
        let tables = tables(&[[0, 0, 2], [0, 1, 1], [0, 2, 1], [3, 3, 0]]);
        let study: Study<'_> = fixture::study(&tables, None);
        let mut vote = Vote::new(&study);
        // Whatever the truth is, the guess is the same.
        for truth in 0..3 {
            vote.neighbours.compare(&[0, 0, truth]);
            assert_eq!(vote.guess(id(2), truth), 2);
            // Nothing is at distance zero: two rows at distance one outvote one at distance two.
            vote.neighbours.compare(&[0, 3, truth]);
            assert_eq!(vote.guess(id(2), truth), 1);
        }
    }

    #[test]
    fn the_likeliest_value_is_that_of_the_related_column() {
        let rows: Vec<[u32; 3]> = (0..90).map(|row| [row % 3, row / 3 % 4, row % 3]).collect();
        let tables = tables(&rows);
        let study = fixture::study(&tables, None);
        let factors = factor::fill(&study, factor::shapes(&study), &Progress::new(0, &|_, _| ()));
        for value in 0..3 {
            assert_eq!(likeliest(&factors, id(2), 3, &mut [value, 1, 0]), value);
        }
    }

    #[test]
    fn the_columns_that_vary_most_are_guessed_by_default() {
        let tables = tables(&[[0, 0, 0], [0, 1, 1], [0, 2, 2], [0, 3, 2]]);
        assert_eq!(default_secrets(&fixture::study(&tables, None)), [id(0), id(1), id(2)]);
    }
}
