//! Rejection sampling from a model that cannot be conditioned exactly.

use std::collections::VecDeque;

use scumble_pgm::Sampling;
use scumble_schema::CodeColumn;

use super::conditions::Conditions;
use super::{refused, seed_of};
use crate::error::MechanismError;
use crate::model::Model;

/// Number of rows of the pilot sample that estimates the probability of the conditions. Its seed is
/// public: its rows are only counted.
const PILOT_ROWS: u64 = 1 << 17;
const PILOT_SEED: u64 = 2026;
/// Maximum number of rows drawn for a sample, which takes a few minutes.
const MAX_DRAWN_ROWS: u64 = 1 << 28;
/// Minimum and maximum number of rows drawn in one round.
const ROUND_ROWS: (u64, u64) = (1 << 12, 1 << 18);

/// A model, conditions, and the probability of the conditions.
#[derive(Debug)]
pub(super) struct Rejection<'a> {
    model: &'a Model,
    conditions: Conditions,
    probability: f64,
}

impl<'a> Rejection<'a> {
    pub(super) fn new(model: &'a Model, conditions: Conditions) -> Result<Self, MechanismError> {
        let pilot = model.sample_codes(PILOT_ROWS, PILOT_SEED, Sampling::LowVariance);
        let met: usize = pilot.map(|chunk| conditions.matching(&chunk).len()).sum();
        if met == 0 {
            return Err(refused(
                format!("none of {PILOT_ROWS} rows of the model meets these conditions"),
                "leave a condition out, or allow more values with `|`",
            ));
        }
        let probability = met as f64 / PILOT_ROWS as f64;
        Ok(Self { model, conditions, probability })
    }

    /// Probability of the conditions, estimated by a pilot sample.
    pub(super) fn probability(&self) -> f64 {
        self.probability
    }

    /// Refuses a number of rows that would need too many draws.
    pub(super) fn check(&self, rows: u64) -> Result<(), MechanismError> {
        let draws = rows as f64 / self.probability;
        // Half: the pilot may overestimate the probability by a factor of two.
        if draws > MAX_DRAWN_ROWS as f64 / 2.0 {
            return Err(self.too_rare(rows));
        }
        Ok(())
    }

    fn too_rare(&self, rows: u64) -> MechanismError {
        refused(
            format!(
                "{rows} rows that meet these conditions are too many: about {:.5} % of the model's rows do",
                100.0 * self.probability
            ),
            "ask for fewer rows, or leave a condition out; a model by `auto`, `mst` or `pb-pgm` is conditioned without drawing",
        )
    }
}

/// Rows that meet the conditions, drawn in rounds.
pub(super) struct Drawing<'a> {
    rejection: &'a Rejection<'a>,
    rows: u64,
    left: u64,
    drawn: u64,
    round: u64,
    seed: u64,
    sampling: Sampling,
    ready: VecDeque<Vec<CodeColumn>>,
}

impl<'a> Drawing<'a> {
    pub(super) fn new(rejection: &'a Rejection<'a>, rows: u64, seed: u64, sampling: Sampling) -> Self {
        Self { rejection, rows, left: rows, drawn: 0, round: 0, seed, sampling, ready: VecDeque::new() }
    }

    /// Draws about as many rows as are still needed, and keeps those that meet the conditions.
    fn draw(&mut self) {
        let Rejection { model, conditions, probability } = self.rejection;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let due = (self.left as f64 / probability).min(ROUND_ROWS.1 as f64) as u64;
        let rows = due.clamp(ROUND_ROWS.0, ROUND_ROWS.1);
        for chunk in model.sample_codes(rows, seed_of(self.seed, self.round), self.sampling) {
            let mut met = conditions.matching(&chunk);
            met.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.left -= met.len() as u64;
            if !met.is_empty() {
                self.ready.push_back(chunk.iter().map(|column| column.pick(&met)).collect());
            }
        }
        self.drawn += rows;
        self.round += 1;
    }
}

impl Iterator for Drawing<'_> {
    type Item = Result<Vec<CodeColumn>, MechanismError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            if self.left == 0 {
                return None;
            }
            if self.drawn >= MAX_DRAWN_ROWS {
                // Nothing comes after an error.
                self.left = 0;
                return Some(Err(self.rejection.too_rare(self.rows)));
            }
            self.draw();
        }
        self.ready.pop_front().map(Ok)
    }
}
