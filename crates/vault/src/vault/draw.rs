//! Where released values come from.

use std::collections::VecDeque;
use std::num::NonZeroU128;

use scumble_planted::Mutant;
use sha2::Digest;

use super::planted;
use crate::account::{Event, EventId, LedgerEntry, Mechanism, Noise};
use crate::error::VaultError;
use crate::ledger::{AnswerDigest, Job};
use crate::noise::{self, DiscreteLaplace, ExponentialMechanism, JobKey, RoundedGaussian, SmoothedHistogram};
#[cfg(feature = "replay")]
use crate::replay::Tape;

/// Exact answers to one question, in units of its lattice.
#[cfg_attr(feature = "replay", derive(Clone))]
pub(crate) enum Exact {
    /// The counts of a table.
    Counts(Vec<u64>),
    /// One score per candidate.
    Scores(Vec<i128>),
}

impl Exact {
    /// Noise on every number, zero or not.
    fn plus(&self, noise: &impl noise::Noise, key: &JobKey, release: EventId) -> Result<Vec<i64>, VaultError> {
        match self {
            Self::Counts(counts) => noise::add(counts, noise, key, release),
            Self::Scores(scores) => noise::add(scores, noise, key, release),
        }
    }
}

impl Exact {
    /// What ties the answer to the job that released it.
    fn digest(&self, event: &Event, job: &Job) -> AnswerDigest {
        job.digest(event, |digest| match self {
            Self::Counts(counts) => counts.iter().for_each(|count| digest.update(count.to_le_bytes())),
            Self::Scores(scores) => scores.iter().for_each(|score| digest.update(score.to_le_bytes())),
        })
    }
}

/// Draws, journals and, after a crash, releases again.
pub(crate) struct Drawing {
    key: JobKey,
    job: Option<Job>,
    /// What an earlier run of the job released.
    journalled: VecDeque<(Event, Vec<i64>)>,
    #[cfg(feature = "replay")]
    tape: Option<Tape>,
}

impl Drawing {
    /// Values that are drawn for this job.
    pub(crate) fn fresh(key: JobKey) -> Self {
        Self {
            key,
            job: None,
            journalled: VecDeque::new(),
            #[cfg(feature = "replay")]
            tape: None,
        }
    }

    /// The same, written to the job's journal before they are released; values that are in it already come from there.
    pub(crate) fn journalled(key: JobKey, job: &Job) -> Result<Self, VaultError> {
        Ok(Self { job: Some(job.clone()), journalled: job.start()?.into(), ..Self::fresh(key) })
    }

    /// Values that the replay test records or forces.
    #[cfg(feature = "replay")]
    pub(crate) fn replay(key: JobKey, tape: Tape) -> Self {
        Self { tape: Some(tape), ..Self::fresh(key) }
    }

    /// The values of those first events that an earlier run of the job released.
    ///
    /// # Errors
    /// If it asked other questions: then the method did not depend on released values alone, or its parameters changed.
    pub(crate) fn resume(&mut self, events: &[Event]) -> Result<Vec<Vec<i64>>, VaultError> {
        let mut released = Vec::new();
        let events = if Mutant::ResumeDrawsAgain.is_planted() { &[] } else { events };
        for event in events {
            let Some((journalled, values)) = self.journalled.pop_front() else { break };
            if journalled != *event {
                return Err(VaultError::OtherJob { release: event.id().get() });
            }
            released.push(values);
        }
        Ok(released)
    }

    /// Refuses a table on which the answers to `events`, which an earlier run of the job released, differ from those that it had.
    pub(crate) fn check_table(&self, events: &[Event], exact: &[Exact]) -> Result<(), VaultError> {
        let Some(job) = &self.job else { return Ok(()) };
        events.iter().zip(exact).try_for_each(|(event, exact)| job.check_table(event, exact.digest(event, job)))
    }

    /// Makes exact answers random, and durable before anyone sees them.
    pub(crate) fn draw(&self, events: &[Event], exact: Vec<Exact>) -> Result<Vec<Vec<i64>>, VaultError> {
        let bound = |job: &Job| events.iter().zip(&exact).map(|(event, exact)| exact.digest(event, job)).collect();
        let answers: Option<Vec<_>> = self.job.as_ref().map(bound);
        let mut released = Vec::with_capacity(events.len());
        for (event, exact) in events.iter().zip(exact) {
            released.push(self.draw_one(event, exact)?);
        }
        if let (Some(job), Some(answers)) = (&self.job, answers) {
            job.journal(events, &released, &answers)?;
        }
        Ok(released)
    }

    fn draw_one(&self, event: &Event, exact: Exact) -> Result<Vec<i64>, VaultError> {
        #[cfg(feature = "replay")]
        if let Some(tape) = &self.tape {
            return tape.release(event, exact, |exact| fresh(event, exact, &self.key));
        }
        fresh(event, &exact, &self.key)
    }

    pub(crate) fn stamp(&self) -> Noise {
        #[cfg(feature = "replay")]
        if self.tape.is_some() {
            return Noise::Forced;
        }
        Noise::Fresh
    }

    /// Where the job is written down.
    pub(crate) fn into_ledger_entry(self) -> Option<LedgerEntry> {
        self.job.map(|job| job.entry())
    }
}

fn fresh(event: &Event, exact: &Exact, key: &JobKey) -> Result<Vec<i64>, VaultError> {
    let stream = planted::stream(event);
    match (planted::mechanism(event), exact) {
        (Mechanism::RoundedGaussian { sigma, .. }, exact) => exact.plus(&RoundedGaussian::new(sigma), key, stream),
        (Mechanism::DiscreteLaplace { scale, .. }, exact) => exact.plus(&DiscreteLaplace::new(scale), key, stream),
        (Mechanism::Exponential { sensitivity, epsilon }, Exact::Scores(scores)) => {
            let sensitivity = NonZeroU128::new(sensitivity).ok_or(VaultError::Bug { what: "nothing moves a score" })?;
            let choice = ExponentialMechanism::new(sensitivity, epsilon);
            let index = choice.select(scores, &mut key.substream(stream.get(), 0)?);
            Ok(vec![i64::try_from(index).expect("candidates are held in memory")])
        }
        (Mechanism::SmoothedHistogram(smoothing), Exact::Counts(counts)) => {
            let histogram = SmoothedHistogram::new(counts, smoothing.smoothing);
            let mut substream = key.substream(stream.get(), 0)?;
            let cell = |cell| i64::try_from(cell).expect("cells are held in memory");
            Ok((0..event.length).map(|_| cell(histogram.draw(&mut substream))).collect())
        }
        (Mechanism::Exponential { .. }, Exact::Counts(_)) => unreachable!("tables are not chosen among"),
        (Mechanism::SmoothedHistogram(_), Exact::Scores(_)) => unreachable!("rows are drawn from tables"),
    }
}

impl std::fmt::Debug for Drawing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", self.stamp())
    }
}
