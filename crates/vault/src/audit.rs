//! Audits: how well the released values distinguish a table from a neighbour.
//!
//! A vault that is opened here answers questions about one table, with fresh noise, and counts a
//! second table beside it. For every release it keeps the [privacy loss](PrivacyLoss): the
//! logarithm of how much likelier the released values are under the second table. That is the
//! statistic of the best possible test between the two, and it is computed in closed form, from the
//! law that the event states. An audit runs a method many times, on both tables, and compares the
//! error rates of that test with the claim of the certificate.
//!
//! The loss is computed from the event, and the values are drawn by the sampler. If the sampler
//! adds less noise than the event states, the test is right more often than the claim allows. The
//! audit finds that without looking inside.
//!
//! # Privacy
//! This module exists only with the feature `audit`, which only `scumble-audit` enables. It changes
//! no vault opened by [`Vault::open`]. Losses are exact functions of the rows, so the certificate
//! of an audited vault is stamped NOT PRIVATE, and so must be everything computed from losses. On
//! made-up tables they reveal nothing.
//!
//! ```
//! # use std::num::NonZeroU32;
//! # use scumble_schema::{Clique, Domain};
//! # use scumble_vault::{AddRemove, ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError, audit};
//! # use scumble_vault::account::Gdp;
//! # use scumble_vault::audit::Measured;
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
//! let (mut vault, budget, losses) = audit::open::<AddRemove, Gdp>(table, neighbour, Measured::Table, goal, NonZeroU32::MIN)?;
//! vault.measure(&cliques, budget)?;
//! let losses = losses.finish();
//! assert_eq!(losses.len(), 1);
//! // One row more in one cell: all of the sensitivity that was charged.
//! assert_eq!(losses[0].used(), 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod law;
mod planted;

use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::planted::with_rows;
use crate::account::{Accounting, Adjacency, ApproxDp, Budget, Event};
use crate::error::VaultError;
use crate::noise::JobKey;
use crate::source::MarginalSource;
use crate::vault::{Drawing, Exact, Vault};

/// A vault, its budget, and the losses of its releases.
pub type Audited<A, M> = Result<(Vault<A, M>, Budget<A, M>, Losses), VaultError>;

/// The table of a pair whose rows a vault measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// The table.
    Table,
    /// Its neighbour.
    Neighbour,
}

/// Opens a vault on one of two tables that draws fresh noise, and computes the privacy loss of
/// every release between them.
///
/// The loss is the same function of the released values whichever table is measured, to the last
/// digit: otherwise the rounding of floats would show which one it was.
///
/// # Errors
/// Those of [`Vault::open`], and if the two sources differ in their columns.
pub fn open<A: Adjacency, M: Accounting>(
    table: Box<dyn MarginalSource>,
    neighbour: Box<dyn MarginalSource>,
    measured: Measured,
    goal: ApproxDp,
    max_contributions: NonZeroU32,
) -> Audited<A, M> {
    if table.domain() != neighbour.domain() {
        return Err(VaultError::config("neighbour", &"a table of other columns", "a table of the same columns"));
    }
    let losses = Losses::default();
    let (own, other) = match measured {
        Measured::Table => (table, neighbour),
        Measured::Neighbour => (neighbour, table),
    };
    let (vault, budget) =
        Vault::open_drawing(own, goal, max_contributions, Drawing::fresh(JobKey::from_os()?).audited())?;
    Ok((vault.with_twin(other, measured, losses.clone()), budget, losses))
}

/// The privacy loss of one release between two tables.
#[derive(Debug, Clone)]
pub struct PrivacyLoss {
    event: Event,
    loss: f64,
    used: f64,
}

impl PrivacyLoss {
    pub(crate) fn of(event: &Event, table: &Exact, neighbour: &Exact, values: &[i64]) -> Result<Self, VaultError> {
        let (loss, used) = law::loss(event.mechanism(), table, neighbour, values)
            .ok_or(VaultError::Bug { what: "a release has no law that an audit knows" })?;
        Ok(Self { event: event.clone(), loss, used })
    }

    /// Returns the event of the release.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Returns `ln P(values | neighbour) - ln P(values | table)` under the law that the event
    /// states.
    pub fn loss(&self) -> f64 {
        self.loss
    }

    /// Returns how far the two exact answers are apart, as a share of what was charged: 1 if they
    /// are as far apart as the sensitivity allows. For a selection, the range of the ratios of all
    /// candidates over the largest range that its epsilon allows.
    pub fn used(&self) -> f64 {
        self.used
    }
}

/// The losses of an audited vault, also after the vault is closed.
#[derive(Clone, Default)]
pub struct Losses(Arc<Mutex<Vec<PrivacyLoss>>>);

impl Losses {
    /// Returns the loss of every release so far, in their order.
    pub fn finish(self) -> Vec<PrivacyLoss> {
        std::mem::take(&mut *self.lock())
    }

    pub(crate) fn extend(&self, losses: impl IntoIterator<Item = PrivacyLoss>) {
        self.lock().extend(losses);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PrivacyLoss>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Losses {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Losses(..)")
    }
}
