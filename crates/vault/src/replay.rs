//! For the replay test only: run a method on one table, then force what it saw onto a neighbouring table.
//!
//! If a method learns about rows through the vault alone, it cannot tell the two runs apart: it asks the same questions and
//! makes the same artefacts, byte for byte. If it differs anywhere, something leaked around the budget.
//!
//! This module exists only with the feature `replay`. The vaults it opens keep exact counts or release values that were
//! handed to them, so their certificates are stamped `forced (NOT PRIVATE)`, both of them, which is also what makes the
//! artefacts of the two runs comparable. Vaults opened by [`Vault::open`] are not changed by the feature.
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

use std::collections::VecDeque;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::account::{Accounting, Adjacency, ApproxDp, Budget, Event, Mechanism, Smoothing};
use crate::error::VaultError;
use crate::noise::JobKey;
use crate::source::MarginalSource;
use crate::vault::{Drawing, Exact, Vault};

/// A vault, its budget, and what it will have released.
pub type Opened<A, M> = Result<(Vault<A, M>, Budget<A, M>, Recorder), VaultError>;

/// Opens a vault that draws fresh noise and keeps what it released.
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

/// Opens a vault that counts `source` but releases what `recording` holds.
///
/// # Errors
/// Those of [`Vault::open`]. Its `measure` fails with [`VaultError::Replay`] where the run leaves the recording.
pub fn force<A: Adjacency, M: Accounting>(
    source: Box<dyn MarginalSource>,
    goal: ApproxDp,
    max_contributions: NonZeroU32,
    recording: &Recording,
) -> Opened<A, M> {
    let forced = recording.0.iter().map(|release| (release.event.clone(), release.values.clone())).collect();
    open(source, goal, max_contributions, Some(forced))
}

fn open<A: Adjacency, M: Accounting>(
    source: Box<dyn MarginalSource>,
    goal: ApproxDp,
    max_contributions: NonZeroU32,
    forced: Option<Forced>,
) -> Opened<A, M> {
    let releases = Arc::default();
    let tape = Tape { forced: forced.map(Mutex::new), releases: Arc::clone(&releases) };
    let (vault, budget) =
        Vault::open_drawing(source, goal, max_contributions, Drawing::replay(JobKey::from_os()?, tape))?;
    Ok((vault, budget, Recorder(releases)))
}

/// What is still to be released, and for which event.
type Forced = VecDeque<(Event, Vec<i64>)>;

/// One release with the exact answers behind it.
#[derive(Clone)]
struct Release {
    event: Event,
    exact: Exact,
    values: Vec<i64>,
}

/// Collects what a vault releases; it may be asked after the vault was closed.
pub struct Recorder(Arc<Mutex<Vec<Release>>>);

impl Recorder {
    /// What was released until now.
    pub fn finish(self) -> Recording {
        Recording(lock(&self.0).clone())
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Recorder(..)")
    }
}

/// Everything that a vault released in one run, with the exact answers behind it, which only this module reads.
#[derive(Clone)]
pub struct Recording(Vec<Release>);

impl Recording {
    /// The releases, in order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.0.iter().map(|release| &release.event)
    }

    /// Checks that the other run made the same releases with the same values, and that no exact answer of the two is further
    /// apart than its sensitivity.
    ///
    /// # Errors
    /// [`VaultError::Replay`] with the first release that differs.
    pub fn check_neighbour(&self, other: &Self) -> Result<(), VaultError> {
        let distances = self.distances(other)?;
        for (release, distance) in self.0.iter().zip(distances) {
            let allowed = match release.event.mechanism() {
                Mechanism::RoundedGaussian { squared_sensitivity, .. } => squared_sensitivity,
                Mechanism::DiscreteLaplace { sensitivity, .. } | Mechanism::Exponential { sensitivity, .. } => {
                    sensitivity
                }
                // `unit` rows leave cells, and as many arrive in others.
                Mechanism::SmoothedHistogram(Smoothing { unit, .. }) => 2 * u128::from(unit.get()),
            };
            if distance > allowed {
                return Err(diverged(&release.event, "exact answers are further apart than the sensitivity"));
            }
        }
        Ok(())
    }

    /// How far apart the exact answers of the two runs are, one number per release, in the norm that its mechanism needs:
    /// squared L2 for Gaussian noise, L1 for Laplace noise and drawn rows, the largest difference for a choice.
    ///
    /// # Errors
    /// [`VaultError::Replay`] if the runs made other releases or released other values.
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
        // A distance that does not fit is further than any sensitivity.
        let differences = self.exact.differences(&other.exact);
        Ok(match self.event.mechanism() {
            Mechanism::RoundedGaussian { .. } => {
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
            _ => unreachable!("equal events have equal kinds of answers"),
        }
    }
}

/// What a replaying vault writes to, and reads from if it is forced.
pub(crate) struct Tape {
    forced: Option<Mutex<Forced>>,
    releases: Arc<Mutex<Vec<Release>>>,
}

impl Tape {
    /// Keeps the release, and replaces its values if the run is forced.
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

/// A test that panicked elsewhere is reported there; here its lock is taken as it is.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
