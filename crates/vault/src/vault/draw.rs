//! Drawing, journalling and repeating released values.

#[cfg(feature = "replay")]
use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::num::NonZeroU128;

use scumble_planted::Mutant;
use sha2::Digest;

use super::planted;
use super::value_sink::{ColumnValues, ValueSink};
use crate::account::{Event, EventId, LedgerEntry, Mechanism, Noise};
use crate::error::VaultError;
use crate::ledger::{AnswerDigest, Job};
use crate::noise::{self, DiscreteLaplace, ExponentialMechanism, JobKey, RoundedGaussian, SmoothedHistogram};
#[cfg(feature = "replay")]
use crate::replay::Tape;
use crate::source::SourceError;

/// Exact answers to one question, in units of its lattice.
#[cfg_attr(any(feature = "replay", feature = "audit"), derive(Clone))]
pub(crate) enum Exact {
    /// The counts of a table.
    Counts(Vec<u64>),
    /// One score per candidate.
    Scores(Vec<i128>),
    /// The values present, with their numbers of rows. Only the replay test holds them all.
    #[cfg(feature = "replay")]
    Values(BTreeMap<Vec<u8>, u64>),
}

impl Exact {
    /// Adds noise to every number, zeros included.
    fn plus(&self, noise: &impl noise::Noise, key: &JobKey, release: EventId) -> Result<Vec<i64>, VaultError> {
        match self {
            Self::Counts(counts) => noise::add(counts, noise, key, release),
            Self::Scores(scores) => noise::add(scores, noise, key, release),
            #[cfg(feature = "replay")]
            Self::Values(_) => unreachable!("values get their noise as they arrive"),
        }
    }

    /// Computes the keyed digest that binds the answer to its job.
    fn digest(&self, event: &Event, job: &Job) -> AnswerDigest {
        job.digest(event, |digest| match self {
            Self::Counts(counts) => counts.iter().for_each(|count| digest.update(count.to_le_bytes())),
            Self::Scores(scores) => scores.iter().for_each(|score| digest.update(score.to_le_bytes())),
            #[cfg(feature = "replay")]
            Self::Values(_) => unreachable!("values are digested as they arrive"),
        })
    }
}

/// Draws released values, journals them, and repeats journalled ones when a job is resumed.
pub(crate) struct Drawing {
    key: JobKey,
    job: Option<Job>,
    /// Releases of an earlier run of the job that are still to be repeated.
    journalled: VecDeque<(Event, Vec<i64>)>,
    #[cfg(feature = "replay")]
    tape: Option<Tape>,
    /// Whether exact losses are kept besides the released values.
    #[cfg(feature = "audit")]
    audited: bool,
}

impl Drawing {
    /// Draws fresh values without a journal.
    pub(crate) fn fresh(key: JobKey) -> Self {
        Self {
            key,
            job: None,
            journalled: VecDeque::new(),
            #[cfg(feature = "replay")]
            tape: None,
            #[cfg(feature = "audit")]
            audited: false,
        }
    }

    /// Stamps certificates NOT PRIVATE, because losses are kept.
    #[cfg(feature = "audit")]
    pub(crate) fn audited(self) -> Self {
        Self { audited: true, ..self }
    }

    /// Journals fresh values in `job` before releasing them, and repeats the values already in its
    /// journal.
    pub(crate) fn journalled(key: JobKey, job: &Job) -> Result<Self, VaultError> {
        Ok(Self { job: Some(job.clone()), journalled: job.start()?.into(), ..Self::fresh(key) })
    }

    /// Records or forces values, for the replay test.
    #[cfg(feature = "replay")]
    pub(crate) fn replay(key: JobKey, tape: Tape) -> Self {
        Self { tape: Some(tape), ..Self::fresh(key) }
    }

    /// Returns the journalled values of the first of `events`, up to the end of the journal.
    ///
    /// # Errors
    /// If a journalled event differs: the method depends on more than released values, or its
    /// parameters changed.
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

    /// Checks that the exact answers to the journalled `events` are those of the earlier run, so
    /// that a job is resumed on the same table.
    pub(crate) fn check_table(&self, events: &[Event], exact: &[Exact]) -> Result<(), VaultError> {
        let Some(job) = &self.job else { return Ok(()) };
        events.iter().zip(exact).try_for_each(|(event, exact)| job.check_table(event, exact.digest(event, job)))
    }

    /// Draws released values for exact answers, and journals them before returning.
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

    /// Draws the released values of columns from the counts of all values present, which `count`
    /// adds to a sink, and journals them before returning. The first `resumed` are repeated, after
    /// checking that the counts are unchanged.
    pub(crate) fn draw_values(
        &self,
        events: &[Event],
        resumed: Vec<Vec<i64>>,
        count: impl FnOnce(&mut ValueSink<'_>) -> Result<(), SourceError>,
    ) -> Result<Vec<Vec<i64>>, VaultError> {
        let mut columns = Vec::with_capacity(events.len());
        for (index, event) in events.iter().enumerate() {
            let column = ColumnValues::new(event, index < resumed.len(), &self.key, self.job.as_ref())?;
            #[cfg(feature = "replay")]
            let column = column.recording(self.tape.is_some());
            columns.push(column);
        }
        let mut sink = ValueSink::new(columns);
        count(&mut sink)?;
        let columns = sink.finish()?;
        let mut answers: Vec<AnswerDigest> = columns.iter().filter_map(ColumnValues::digest).collect();
        if let Some(job) = &self.job {
            for (event, &answer) in events.iter().zip(&answers[..resumed.len()]) {
                job.check_table(event, answer)?;
            }
        }
        let fresh = resumed.len();
        let mut released = resumed;
        for (event, column) in events.iter().zip(columns).skip(fresh) {
            released.push(self.take_values(event, column)?);
        }
        if let Some(job) = self.job.as_ref().filter(|_| fresh < events.len()) {
            job.journal(&events[fresh..], &released[fresh..], &answers.split_off(fresh))?;
        }
        Ok(released)
    }

    #[cfg_attr(
        not(feature = "replay"),
        expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the replay test records values")
    )]
    fn take_values(&self, event: &Event, column: ColumnValues<'_>) -> Result<Vec<i64>, VaultError> {
        #[cfg(feature = "replay")]
        if let Some(tape) = &self.tape {
            let mut column = column;
            let exact = Exact::Values(column.take_exact());
            return tape.release(event, exact, |_| Ok(column.released()));
        }
        #[cfg(not(feature = "replay"))]
        let _ = event;
        Ok(column.released())
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
        #[cfg(feature = "audit")]
        if self.audited {
            return Noise::Forced;
        }
        Noise::Fresh
    }

    /// Returns the ledger entry of the job, if it has one.
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
            let mechanism = ExponentialMechanism::new(sensitivity, epsilon);
            let index = mechanism.select(scores, &mut key.substream(stream.get(), 0)?);
            Ok(vec![i64::try_from(index).expect("candidates are held in memory")])
        }
        (Mechanism::SmoothedHistogram(smoothing), Exact::Counts(counts)) => {
            let histogram = SmoothedHistogram::new(counts, smoothing.smoothing);
            let mut substream = key.substream(stream.get(), 0)?;
            let cell = |cell| i64::try_from(cell).expect("cells are held in memory");
            Ok((0..event.length).map(|_| cell(histogram.draw(&mut substream))).collect())
        }
        (Mechanism::Exponential { .. }, _) => unreachable!("selections are among scores"),
        (Mechanism::SmoothedHistogram(_), _) => unreachable!("rows are drawn from tables"),
        (Mechanism::ThresholdedGaussian { .. }, _) => unreachable!("values get their noise as they arrive"),
    }
}

impl std::fmt::Debug for Drawing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", self.stamp())
    }
}
