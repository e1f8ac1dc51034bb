//! The only door between exact counts and the rest of the program.

use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};

use scumble_schema::{Clique, limits};

use crate::account::{
    Adjacency, ApproxDp, Budget, Certificate, Event, EventId, EventKind, Gdp, Issuer, MuSquared, Noise, ReplaceOne,
    Sensitivity, Sigma, gdp,
};
use crate::error::VaultError;
use crate::noise::{self, JobKey};
use crate::released::Released;
#[cfg(feature = "replay")]
use crate::replay::Tape;
use crate::source::{CountTable, MarginalSource};

/// A noisy count table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoisyTable {
    clique: Clique,
    values: Vec<i64>,
    sigma: Sigma,
}

impl NoisyTable {
    /// What the table ranges over.
    pub fn clique(&self) -> &Clique {
        &self.clique
    }

    /// One noisy count per cell, in the order of [`scumble_schema::cells`]. May be negative.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// The scale of the noise.
    pub fn sigma(&self) -> Sigma {
        self.sigma
    }
}

/// Holds a source of exact counts and lets only noisy ones out, up to a goal that is fixed when it is opened.
///
/// # Privacy
/// Neighbours are those of `A`, with at most `max_contributions` rows per unit. Everything the vault returns is, together,
/// `(epsilon, delta)`-differentially private for the goal, also when questions and scales depend on earlier answers: the
/// total of `mu²` is fixed first, and a release that would exceed it is refused before any row is read.
#[derive(Debug)]
pub struct Vault<A: Adjacency> {
    source: SwallowedSource,
    key: JobKey,
    drawing: Drawing,
    goal: ApproxDp,
    max_contributions: NonZeroU32,
    issuer: Issuer,
    /// What may still be spent.
    left: MuSquared,
    /// The number of the next release; a number that was used once is never used again.
    next: u32,
    events: Vec<Event>,
    adjacency: PhantomData<fn() -> A>,
}

impl<A: Adjacency> Vault<A> {
    /// Swallows the source and issues the budget for `goal`.
    ///
    /// # Errors
    /// If the goal allows no release, or the operating system gives no randomness.
    pub fn open(
        source: Box<dyn MarginalSource>,
        goal: ApproxDp,
        max_contributions: NonZeroU32,
    ) -> Result<(Self, Budget<A>), VaultError> {
        Self::open_drawing(source, goal, max_contributions, Drawing::Fresh)
    }

    /// The same, with a say in where released values come from.
    pub(crate) fn open_drawing(
        source: Box<dyn MarginalSource>,
        goal: ApproxDp,
        max_contributions: NonZeroU32,
        drawing: Drawing,
    ) -> Result<(Self, Budget<A>), VaultError> {
        static VAULTS: AtomicU64 = AtomicU64::new(0);
        let issuer = Issuer(VAULTS.fetch_add(1, Ordering::Relaxed));
        let left = gdp::largest_mu_squared(goal)?;
        let key = JobKey::from_os()?;
        let source = SwallowedSource(source);
        let (next, events, adjacency) = (0, Vec::new(), PhantomData);
        let vault = Self { source, key, drawing, goal, max_contributions, issuer, left, next, events, adjacency };
        Ok((vault, Budget::issue(left, issuer)))
    }

    /// Releases a noisy table per clique, each for an equal share of `budget`.
    ///
    /// # Privacy
    /// One event per table: `Δ² = m²` under add/remove, `2 m²` under replace-one, whatever the number of cells. Every cell of
    /// the public domain gets noise, zero or not.
    ///
    /// # Errors
    /// If no table or too large a table is asked for, the budget was issued by another vault or is too small, or the source
    /// fails. The budget is gone in any case.
    pub fn measure(
        &mut self,
        cliques: &[Clique],
        budget: Budget<A, Gdp>,
    ) -> Result<Released<Vec<NoisyTable>>, VaultError> {
        let lengths = self.table_lengths(cliques)?;
        let sigma = self.charge(cliques.len(), budget)?;
        let tables = self.count(cliques, &lengths)?;
        let mut released = Vec::with_capacity(tables.len());
        let mut events = Vec::with_capacity(tables.len());
        for table in tables {
            let event = self.event(table.clique().clone(), table.cells(), sigma);
            let values = self.drawing.release(&event, table.counts(), &self.key)?;
            released.push(NoisyTable { clique: event.clique.clone(), values, sigma });
            events.push(event);
        }
        let ids = events.iter().map(Event::id).collect();
        self.events.append(&mut events);
        Ok(Released::new(released, ids))
    }

    /// Closes the vault: what was released, and what may be claimed for it.
    pub fn close(self) -> Certificate {
        Certificate::new(A::KIND, self.max_contributions, self.drawing.stamp(), self.goal, self.events)
    }

    /// The sizes of the tables, from the public domain alone. Nothing is allocated or counted before this passes.
    fn table_lengths(&self, cliques: &[Clique]) -> Result<Vec<usize>, VaultError> {
        if cliques.is_empty() {
            return Err(VaultError::config("tables", &0, "at least one"));
        }
        let domain = self.source.0.domain();
        let known = |clique: &Clique| clique.attributes().iter().all(|attribute| attribute.index() < domain.len());
        if let Some(clique) = cliques.iter().find(|clique| !known(clique)) {
            return Err(VaultError::no_such_attribute(clique, domain.len()));
        }
        let lengths: Vec<usize> = cliques.iter().map(|clique| domain.table_len(clique)).collect::<Result<_, _>>()?;
        let cells = lengths.iter().map(|&length| length as u128).sum();
        if cells > limits::CELLS_PER_MODEL {
            return Err(VaultError::TooManyCells { tables: cliques.len(), cells, limit: limits::CELLS_PER_MODEL });
        }
        Ok(lengths)
    }

    /// The filter: takes the cost of `tables` releases from what is left, or refuses. Returns the scale of each.
    fn charge(&mut self, tables: usize, budget: Budget<A, Gdp>) -> Result<Sigma, VaultError> {
        let (amount, issuer) = budget.spend();
        if issuer != self.issuer {
            return Err(VaultError::ForeignBudget);
        }
        // Rounded down: all tables get the same scale, and less than one quantum of 2^-96 a table is left over.
        let share = MuSquared::from_quanta(amount.quanta() / tables as u128);
        let sigma = Sigma::for_budget(self.sensitivity(), share).ok_or(VaultError::BudgetTooSmall { share, tables })?;
        let each =
            MuSquared::of_gaussian(self.sensitivity(), sigma).ok_or(VaultError::Bug { what: "a cost does not fit" })?;
        let asks = MuSquared::total(std::iter::repeat_n(each, tables))
            .ok_or(VaultError::Bug { what: "costs do not add up" })?;
        self.left = self.left.checked_sub(asks).ok_or(VaultError::Budget { asks, left: self.left })?;
        Ok(sigma)
    }

    /// Exact tables of exactly the shape that was asked for.
    fn count(&self, cliques: &[Clique], lengths: &[usize]) -> Result<Vec<CountTable>, VaultError> {
        let tables = self.source.0.count(cliques)?.open();
        let shaped = tables.len() == cliques.len()
            && tables.iter().zip(cliques).all(|(table, clique)| table.clique() == clique)
            && tables.iter().zip(lengths).all(|(table, &length)| table.cells() == length);
        if !shaped {
            return Err(VaultError::SourceShape);
        }
        // Every row is in one cell of every table. The message names no number: they are private.
        debug_assert!(
            tables.windows(2).all(|pair| pair[0].rows() == pair[1].rows()),
            "tables of one source differ in their sums"
        );
        Ok(tables)
    }

    /// The event of the next release.
    fn event(&mut self, clique: Clique, length: usize, scale: Sigma) -> Event {
        let id = EventId(self.next);
        self.next = self.next.checked_add(1).expect("2^32 releases do not fit a machine");
        let sensitivity = self.sensitivity();
        let (adjacency, kind, lattice, length) = (A::KIND, EventKind::RoundedGaussian, 1, length as u64);
        Event { id, adjacency, kind, sensitivity, scale, lattice, length, clique }
    }

    fn sensitivity(&self) -> Sensitivity {
        A::count_table(self.max_contributions)
    }
}

impl Vault<ReplaceOne> {
    /// The number of rows.
    ///
    /// # Privacy
    /// Neighbours have the same number of rows, so it is public and costs nothing. Under add/remove there is no such
    /// function: measure [`Clique::empty`] instead.
    /// ```compile_fail,E0599
    /// # use scumble_vault::{AddRemove, Vault};
    /// fn rows(vault: &Vault<AddRemove>) -> u64 {
    ///     *vault.row_count().unwrap()
    /// }
    /// ```
    ///
    /// # Errors
    /// If the source fails.
    pub fn row_count(&self) -> Result<Released<u64>, VaultError> {
        let tables = self.count(&[Clique::empty()], &[1])?;
        let rows = tables.iter().map(CountTable::rows).sum::<u128>();
        let rows = u64::try_from(rows).map_err(|_| VaultError::Bug { what: "one cell holds more than a u64" })?;
        Ok(Released::new(rows, Vec::new()))
    }
}

/// Where released values come from.
pub(crate) enum Drawing {
    /// Counts plus noise that was drawn for them.
    Fresh,
    /// The replay test.
    #[cfg(feature = "replay")]
    Replay(Tape),
}

impl Drawing {
    fn release(&self, event: &Event, counts: &[u64], key: &JobKey) -> Result<Vec<i64>, VaultError> {
        let fresh = |counts: &[u64]| noise::add(counts, event.scale, key, event.id);
        match self {
            Self::Fresh => fresh(counts),
            #[cfg(feature = "replay")]
            Self::Replay(tape) => tape.release(event, counts, fresh),
        }
    }

    fn stamp(&self) -> Noise {
        match self {
            Self::Fresh => Noise::Fresh,
            #[cfg(feature = "replay")]
            Self::Replay(_) => Noise::Forced,
        }
    }
}

impl std::fmt::Debug for Drawing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", self.stamp())
    }
}

/// A source that cannot be seen from outside.
struct SwallowedSource(Box<dyn MarginalSource>);

impl std::fmt::Debug for SwallowedSource {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Source(..)")
    }
}
