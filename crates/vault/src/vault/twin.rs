//! A second table beside the one that is measured, for audits.

use std::mem::swap;

use super::cache::{ScoreCache, TableCache};
use super::{Exact, OwnedSource, Vault};
use crate::account::{Accounting, Adjacency, Event};
use crate::audit::{Losses, Measured, PrivacyLoss};
use crate::error::VaultError;
use crate::released::Released;
use crate::source::MarginalSource;

/// The second table of an audited vault, with caches of its own.
#[derive(Debug)]
pub(crate) struct Twin {
    source: OwnedSource,
    scored: ScoreCache,
    counted: TableCache,
    /// The table that is measured; the twin is the other one.
    measured: Measured,
    losses: Losses,
}

impl<A: Adjacency, M: Accounting> Vault<A, M> {
    /// Computes the privacy loss of every release between its own table and `other`.
    pub(crate) fn with_twin(self, other: Box<dyn MarginalSource>, measured: Measured, losses: Losses) -> Self {
        let (source, scored, counted) = (OwnedSource(other), ScoreCache::default(), TableCache::default());
        let twin = Twin { source, scored, counted, measured, losses };
        Self { twin: Some(twin), ..self }
    }

    /// Releases `events` about the first table, as [`Vault::release`] does, and keeps their losses.
    pub(super) fn release_audited(
        &mut self,
        events: &[Event],
        exact: impl Fn(&Self) -> Result<Vec<Exact>, VaultError>,
    ) -> Result<Released<Vec<Vec<i64>>>, VaultError> {
        let own = exact(self)?;
        let mut twin = self.twin.take().expect("only audited vaults come here");
        self.swap(&mut twin);
        let other = exact(self);
        self.swap(&mut twin);
        let other = other?;
        let released = self.releases.draw(events.to_vec(), Vec::new(), own.clone())?;
        let answers = events.iter().zip(own.iter().zip(&other)).zip(released.iter());
        let losses = answers.map(|((event, (own, other)), values)| match twin.measured {
            Measured::Table => PrivacyLoss::of(event, own, other, values),
            Measured::Neighbour => PrivacyLoss::of(event, other, own, values),
        });
        twin.losses.extend(losses.collect::<Result<Vec<_>, _>>()?);
        self.twin = Some(twin);
        Ok(released)
    }

    /// Exchanges the two tables, each with its caches.
    fn swap(&mut self, twin: &mut Twin) {
        swap(&mut self.source, &mut twin.source);
        swap(&mut self.scored, &mut twin.scored);
        swap(&mut self.counted, &mut twin.counted);
    }
}
