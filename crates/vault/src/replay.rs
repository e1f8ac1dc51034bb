//! Replay test support: runs a method on a table, then forces the released values onto a neighbour.
//!
//! A method that learns about rows through the vault alone cannot distinguish the two runs: it asks
//! the same questions and makes the same artefacts, byte for byte. Any difference means that
//! something leaked around the budget.
//!
//! This module exists only with the feature `replay`. Its vaults record exact counts or release
//! recorded values, so the certificates of both runs are stamped `forced (NOT PRIVATE)`. The equal
//! stamp also makes the artefacts of the two runs comparable. The feature does not change vaults
//! opened by [`Vault::open`].
//!
//! ```
//! # use std::num::NonZeroU32;
//! # use scumble_schema::{Clique, Domain};
//! # use scumble_vault::{AddRemove, ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError, replay};
//! # use scumble_vault::account::Gdp;
//! # struct Rows(Domain, Vec<u64>);
//! # impl MarginalSource for Rows {
//! #     fn domain(&self) -> &Domain { &self.0 }
//! #     fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
//! #         Ok(Private::new(cliques.iter().map(|clique| CountTable::new(clique.clone(), self.1.clone())).collect()))
//! #     }
//! # }
//! # let domain = Domain::new(vec![2])?;
//! # let cliques = domain.one_way();
//! # let (table, neighbour) = (Box::new(Rows(domain.clone(), vec![3, 4])), Box::new(Rows(domain, vec![3, 5])));
//! # let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
//! let (mut vault, budget, recorder) = replay::record::<AddRemove, Gdp>(table, goal, NonZeroU32::MIN)?;
//! let seen = vault.measure(&cliques, budget)?;
//! let recording = recorder.finish();
//!
//! let (mut vault, budget, recorder) = replay::force::<AddRemove, Gdp>(neighbour, goal, NonZeroU32::MIN, &recording)?;
//! assert_eq!(vault.measure(&cliques, budget)?, seen);
//! recording.check_neighbour(&recorder.finish())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::account::{Accounting, Adjacency, ApproxDp, Budget, Event, Mechanism, Smoothing, ThresholdDelta};
use crate::error::VaultError;
use crate::noise::JobKey;
use crate::source::MarginalSource;
use crate::vault::{ColumnVault, Drawing, Exact, Vault, unpacked};

/// A vault, its budget, and the recorder of its releases.
pub type Opened<A, M> = Result<(Vault<A, M>, Budget<A, M>, Recorder), VaultError>;

/// Opens a vault that draws fresh noise and records its releases.
///
/// # Errors
/// Those of [`Vault::open`].
pub fn record<A: Adjacency, M: Accounting>(
    source: Box<dyn MarginalSource>,
    goal: ApproxDp,
    max_contributions: NonZeroU32,
) -> Opened<A, M> {
    open(source, goal, max_contributions, None)
}

/// Opens a vault that counts `source` but releases the values of `recording`.
///
/// # Errors
/// Those of [`Vault::open`]. A release of the vault fails with [`VaultError::Replay`] where the run
/// diverges from the recording.
pub fn force<A: Adjacency, M: Accounting>(
    source: Box<dyn MarginalSource>,
    goal: ApproxDp,
    max_contributions: NonZeroU32,
    recording: &Recording,
) -> Opened<A, M> {
    open(source, goal, max_contributions, Some(recording.forced()))
}

fn open<A: Adjacency, M: Accounting>(
    source: Box<dyn MarginalSource>,
    goal: ApproxDp,
    max_contributions: NonZeroU32,
    forced: Option<Forced>,
) -> Opened<A, M> {
    let (drawing, recorder) = drawing(forced)?;
    let (vault, budget) = Vault::open_drawing(source, goal, max_contributions, drawing)?;
    Ok((vault, budget, recorder))
}

/// A vault of columns, its budget, and the recorder of its releases and of those of the vault that
/// it becomes.
pub type OpenedColumns<A, M> = Result<(ColumnVault<A, M>, Budget<A, M>, Recorder), VaultError>;

/// Opens a vault of columns that draws fresh noise and records its releases.
///
/// # Errors
/// Those of [`ColumnVault::open`].
pub fn record_columns<A: Adjacency, M: Accounting>(
    goal: ApproxDp,
    for_thresholds: ThresholdDelta,
    max_contributions: NonZeroU32,
) -> OpenedColumns<A, M> {
    open_columns(goal, for_thresholds, max_contributions, None)
}

/// Opens a vault of columns that counts, but releases the values of `recording`.
///
/// # Errors
/// Those of [`ColumnVault::open`]. A release fails where the run diverges from the recording.
pub fn force_columns<A: Adjacency, M: Accounting>(
    goal: ApproxDp,
    for_thresholds: ThresholdDelta,
    max_contributions: NonZeroU32,
    recording: &Recording,
) -> OpenedColumns<A, M> {
    open_columns(goal, for_thresholds, max_contributions, Some(recording.forced()))
}

fn open_columns<A: Adjacency, M: Accounting>(
    goal: ApproxDp,
    for_thresholds: ThresholdDelta,
    max_contributions: NonZeroU32,
    forced: Option<Forced>,
) -> OpenedColumns<A, M> {
    let (drawing, recorder) = drawing(forced)?;
    let (vault, budget) = ColumnVault::open_drawing(goal, for_thresholds, max_contributions, drawing)?;
    Ok((vault, budget, recorder))
}

/// Returns the drawing of a replay vault, and the recorder of its releases.
fn drawing(forced: Option<Forced>) -> Result<(Drawing, Recorder), VaultError> {
    let releases = Arc::default();
    let tape = Tape { forced: forced.map(Mutex::new), releases: Arc::clone(&releases) };
    Ok((Drawing::replay(JobKey::from_os()?, tape), Recorder(releases)))
}

/// Recorded values that are still to be released, each with its event.
type Forced = VecDeque<(Event, Vec<i64>)>;

/// One release with the exact answers behind it.
#[derive(Clone)]
struct Release {
    event: Event,
    exact: Exact,
    values: Vec<i64>,
}

/// Collects the releases of a vault, also after the vault is closed.
pub struct Recorder(Arc<Mutex<Vec<Release>>>);

impl Recorder {
    /// Returns the releases so far.
    pub fn finish(self) -> Recording {
        Recording(lock(&self.0).clone())
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Recorder(..)")
    }
}

/// All releases of one run, with their exact answers, which only this module reads.
#[derive(Clone)]
pub struct Recording(Vec<Release>);

impl Recording {
    /// Iterates over the events of the releases, in order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.0.iter().map(|release| &release.event)
    }

    /// Returns the number of released values, over all releases, that the rows of this run do not
    /// hold: what a forced run released although its own table could not.
    pub fn foreign_values(&self) -> usize {
        let foreign = |release: &Release| match &release.exact {
            Exact::Values(exact) => {
                let released = unpacked(&release.values).unwrap_or_default();
                released.iter().filter(|(value, _)| !exact.contains_key(value)).count()
            }
            _ => 0,
        };
        self.0.iter().map(foreign).sum()
    }

    fn forced(&self) -> Forced {
        self.0.iter().map(|release| (release.event.clone(), release.values.clone())).collect()
    }

    /// Checks that `other` has the same releases with the same values, and that the exact answers
    /// differ by at most the sensitivity of each release.
    ///
    /// # Errors
    /// [`VaultError::Replay`] with the first release that differs.
    pub fn check_neighbour(&self, other: &Self) -> Result<(), VaultError> {
        let distances = self.distances(other)?;
        for (release, distance) in self.0.iter().zip(distances) {
            let allowed = match release.event.mechanism() {
                Mechanism::RoundedGaussian { squared_sensitivity, .. }
                | Mechanism::ThresholdedGaussian { squared_sensitivity, .. } => squared_sensitivity,
                Mechanism::DiscreteLaplace { sensitivity, .. } | Mechanism::Exponential { sensitivity, .. } => {
                    sensitivity
                }
                // `unit` rows leave their cells, and `unit` rows arrive in others.
                Mechanism::SmoothedHistogram(Smoothing { unit, .. }) => 2 * u128::from(unit.get()),
            };
            if distance > allowed {
                return Err(diverged(&release.event, "exact answers are further apart than the sensitivity"));
            }
        }
        Ok(())
    }

    /// Returns the distance between the exact answers of the two runs, one number per release, in
    /// the norm of its mechanism: squared L2 for Gaussian noise, L1 for Laplace noise and drawn
    /// rows, the largest difference for a selection.
    ///
    /// # Errors
    /// [`VaultError::Replay`] if the runs have different releases or different values.
    pub fn distances(&self, other: &Self) -> Result<Vec<u128>, VaultError> {
        if let Some(extra) = self.0.get(other.0.len()).or(other.0.get(self.0.len())) {
            return Err(diverged(&extra.event, "one run made a release more"));
        }
        let pairs = self.0.iter().zip(&other.0);
        pairs.map(|(own, others)| own.distance(others)).collect()
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Recording(.. {} releases ..)", self.0.len())
    }
}

impl Release {
    fn distance(&self, other: &Self) -> Result<u128, VaultError> {
        if self.event != other.event {
            return Err(diverged(&self.event, "the runs asked different questions"));
        }
        if self.values != other.values {
            return Err(diverged(&self.event, "the runs released different values"));
        }
        // A distance that saturates is above any sensitivity.
        let differences = self.exact.differences(&other.exact);
        Ok(match self.event.mechanism() {
            Mechanism::RoundedGaussian { .. } | Mechanism::ThresholdedGaussian { .. } => {
                differences.fold(0, |sum: u128, apart| sum.saturating_add(apart.saturating_mul(apart)))
            }
            Mechanism::DiscreteLaplace { .. } | Mechanism::SmoothedHistogram(_) => {
                differences.fold(0, u128::saturating_add)
            }
            Mechanism::Exponential { .. } => differences.max().unwrap_or(0),
        })
    }
}

impl Exact {
    fn differences<'a>(&'a self, other: &'a Self) -> Box<dyn Iterator<Item = u128> + 'a> {
        match (self, other) {
            (Self::Counts(own), Self::Counts(others)) => {
                Box::new(own.iter().zip(others).map(|(own, others)| own.abs_diff(*others).into()))
            }
            (Self::Scores(own), Self::Scores(others)) => {
                Box::new(own.iter().zip(others).map(|(own, others)| own.abs_diff(*others)))
            }
            (Self::Values(own), Self::Values(others)) => {
                let rows = |values: &BTreeMap<Vec<u8>, u64>, value| values.get(value).copied().unwrap_or(0);
                let only_theirs = others.keys().filter(|value| !own.contains_key(*value));
                let values = own.keys().chain(only_theirs);
                Box::new(values.map(move |value| rows(own, value).abs_diff(rows(others, value)).into()))
            }
            _ => unreachable!("equal events have equal kinds of answers"),
        }
    }
}

/// Records the releases of a replay vault, and supplies the values of a forced run.
pub(crate) struct Tape {
    forced: Option<Mutex<Forced>>,
    releases: Arc<Mutex<Vec<Release>>>,
}

impl Tape {
    /// Records the release. Returns the recorded values if the run is forced, otherwise those of
    /// `fresh`.
    pub(crate) fn release(
        &self,
        event: &Event,
        exact: Exact,
        fresh: impl FnOnce(&Exact) -> Result<Vec<i64>, VaultError>,
    ) -> Result<Vec<i64>, VaultError> {
        let values = match &self.forced {
            None => fresh(&exact)?,
            Some(forced) => match lock(forced).pop_front() {
                None => return Err(diverged(event, "the recording has ended")),
                Some((recorded, _)) if recorded != *event => {
                    return Err(diverged(event, "another question was recorded"));
                }
                Some((_, values)) => values,
            },
        };
        lock(&self.releases).push(Release { event: event.clone(), exact, values: values.clone() });
        Ok(values)
    }
}

fn diverged(event: &Event, divergence: &'static str) -> VaultError {
    VaultError::Replay { divergence, release: event.id().get() }
}

/// Locks `mutex` and ignores poisoning: the test that panicked reports the failure itself.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
