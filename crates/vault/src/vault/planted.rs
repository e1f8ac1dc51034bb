//! Bugs that tests can plant between an event and its noise. Release builds contain none of them.

use std::num::NonZeroU32;

use scumble_planted::Mutant;

use crate::account::{Event, EventId, LaplaceScale, Mechanism, Question, Sigma, Smoothing};

/// Returns the mechanism that `event` states, unless a bug is planted.
pub(super) fn mechanism(event: &Event) -> Mechanism {
    let table = matches!(event.question, Question::Table(_) | Question::Grid { .. });
    match event.mechanism {
        Mechanism::RoundedGaussian { squared_sensitivity, sigma } => {
            let halved = if table { Mutant::GaussianTablesHalved } else { Mutant::GaussianScoresHalved };
            let factor = if halved.is_planted() {
                0.5
            } else if table && Mutant::GaussianTablesSlightlySmall.is_planted() {
                0.97
            } else {
                return event.mechanism;
            };
            let sigma = Sigma::at_least(factor * sigma.to_f64()).unwrap_or(sigma);
            Mechanism::RoundedGaussian { squared_sensitivity, sigma }
        }
        Mechanism::DiscreteLaplace { sensitivity, scale } => {
            let halved = if table { Mutant::LaplaceTablesHalved } else { Mutant::LaplaceScoresHalved };
            if !halved.is_planted() {
                return event.mechanism;
            }
            let scale = LaplaceScale::at_least(scale.to_f64() / 2.0).unwrap_or(scale);
            Mechanism::DiscreteLaplace { sensitivity, scale }
        }
        Mechanism::Exponential { sensitivity, epsilon } => {
            let divisor = if Mutant::SelectionDeltaHalved.is_planted() {
                2
            } else if Mutant::SelectionDeltaQuartered.is_planted() {
                4
            } else {
                1
            };
            Mechanism::Exponential { sensitivity: sensitivity / divisor, epsilon }
        }
        Mechanism::SmoothedHistogram(stated) if Mutant::SmoothingHalved.is_planted() => {
            let smoothing = NonZeroU32::new(stated.smoothing.get() / 2).unwrap_or(stated.smoothing);
            Mechanism::SmoothedHistogram(Smoothing { smoothing, ..stated })
        }
        mechanism @ (Mechanism::SmoothedHistogram(_) | Mechanism::ThresholdedGaussian { .. }) => mechanism,
    }
}

/// Returns the stream of the noise of `event`: its own, unless a bug is planted.
pub(super) fn stream(event: &Event) -> EventId {
    let shared = match (&event.question, event.mechanism) {
        (Question::Table(_) | Question::Grid { .. }, _) => Mutant::TablesShareAStream,
        (Question::Scores { .. }, Mechanism::Exponential { .. }) => Mutant::SelectionsShareAStream,
        (Question::Scores { .. }, _) => Mutant::ScoresShareAStream,
        (Question::Rows(_) | Question::Values { .. }, _) => return event.id,
    };
    if shared.is_planted() { EventId(0) } else { event.id }
}
