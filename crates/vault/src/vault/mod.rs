//! The only way from exact counts to the rest of the program.

mod cache;
mod columns;
mod compare;
mod draw;
mod measure;
mod planted;
mod releases;
mod select;
mod smooth;
#[cfg(feature = "audit")]
mod twin;
mod value_sink;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::iter;
use std::num::NonZeroU32;
use std::ops::Range;

use scumble_schema::{Clique, Domain, Recoding, limits};

use self::cache::{ScoreCache, TableCache};
pub use self::columns::{ColumnVault, CommonValues, Grid};
pub(crate) use self::draw::{Drawing, Exact};
pub use self::measure::{NoisyScores, NoisyTable};
use self::releases::Releases;
#[cfg(feature = "audit")]
pub(crate) use self::twin::Twin;
pub use self::value_sink::ValueSink;
#[cfg(feature = "replay")]
pub(crate) use self::value_sink::unpacked;
use crate::account::{Accounting, Adjacency, ApproxDp, Budget, Certificate, Event, Gdp, ReplaceOne, ThresholdDelta};
use crate::error::VaultError;
use crate::ledger::Job;
use crate::noise::JobKey;
use crate::released::Released;
use crate::source::{CountTable, MarginalSource};

/// Owns a source of exact counts and releases noisy answers, up to a goal fixed when it is opened.
///
/// # Privacy
/// Neighbours are those of `A`, with at most `max_contributions` rows per unit. All values that the
/// vault returns are together `(epsilon, delta)`-differentially private for the goal, also when
/// questions and scales depend on earlier answers: the total under `M` is fixed first, and a
/// release that would exceed it is refused before any row is read.
#[derive(Debug)]
pub struct Vault<A: Adjacency, M: Accounting = Gdp> {
    source: OwnedSource,
    /// Columns that questions are about, if they differ from those of the source.
    recoding: Option<Recoding>,
    /// Exact scores computed so far.
    scored: ScoreCache,
    /// Exact tables counted so far.
    counted: TableCache,
    /// Number of rows, where it is public. Counted once, so that it costs one scan and never
    /// changes.
    rows: OnceCell<A::Rows>,
    /// Number of the first release of this vault. Earlier ones are about other codes.
    first: u32,
    releases: Releases<A, M>,
    /// A second table, whose exact answers an audit compares with those of the first.
    #[cfg(feature = "audit")]
    twin: Option<Twin>,
}

impl<A: Adjacency, M: Accounting> Vault<A, M> {
    /// Opens a vault on `source` and issues the budget for `goal`.
    ///
    /// # Privacy
    /// Nothing is recorded across vaults: the budgets of several vaults over the same rows add up.
    /// [`Vault::open_on`] records the spend in a ledger.
    ///
    /// # Errors
    /// If the goal allows no release, or the operating system gives no randomness.
    pub fn open(
        source: Box<dyn MarginalSource>,
        goal: ApproxDp,
        max_contributions: NonZeroU32,
    ) -> Result<(Self, Budget<A, M>), VaultError> {
        Self::open_drawing(source, goal, max_contributions, Drawing::fresh(JobKey::from_os()?))
    }

    /// Opens a vault for a job with a budget reserved in a ledger. If the job was interrupted, the
    /// vault repeats its journalled releases instead of drawing them again.
    ///
    /// # Errors
    /// Those of [`Vault::open`], and if the reservation is for another adjacency, goal or
    /// accounting.
    pub fn open_on(
        job: &Job,
        source: Box<dyn MarginalSource>,
        goal: ApproxDp,
        max_contributions: NonZeroU32,
    ) -> Result<(Self, Budget<A, M>), VaultError> {
        job.check(A::KIND, max_contributions, M::KIND, goal, ThresholdDelta::ZERO)?;
        Self::open_drawing(source, goal, max_contributions, Drawing::journalled(JobKey::from_os()?, job)?)
    }

    /// Opens a vault whose released values come from `drawing`.
    pub(crate) fn open_drawing(
        source: Box<dyn MarginalSource>,
        goal: ApproxDp,
        max_contributions: NonZeroU32,
        drawing: Drawing,
    ) -> Result<(Self, Budget<A, M>), VaultError> {
        let (releases, budget) = Releases::open(goal, ThresholdDelta::ZERO, max_contributions, drawing)?;
        Ok((Self::over(source, releases), budget))
    }

    /// Returns a vault that continues `releases` with questions to `source`.
    fn over(source: Box<dyn MarginalSource>, releases: Releases<A, M>) -> Self {
        Self {
            source: OwnedSource(source),
            recoding: None,
            scored: ScoreCache::default(),
            counted: TableCache::default(),
            rows: OnceCell::new(),
            first: releases.count(),
            releases,
            #[cfg(feature = "audit")]
            twin: None,
        }
    }

    /// Replaces the columns that later questions and their events refer to. After the first
    /// release, columns may only be added.
    ///
    /// # Privacy
    /// The columns are a function of the schema and of released values, and a row has one code in
    /// each of them, so no sensitivity changes. Columns added later are part of the next questions,
    /// as scales are: on neighbours that released the same values so far the columns are the same,
    /// and so is each question. Existing columns keep their positions, so earlier events keep their
    /// meaning.
    ///
    /// # Errors
    /// If the recoding is of another domain, or lacks an existing column after the first release.
    pub fn recode(&mut self, recoding: Recoding) -> Result<(), VaultError> {
        if recoding.base() != self.source.0.domain() {
            return Err(VaultError::config("recoding", &"of another domain", "one of the domain of the source"));
        }
        if self.releases.count() > self.first && !recoding.extends(&self.recoding()) {
            return Err(VaultError::config(
                "recoding",
                &"missing a column",
                "one that only adds columns after a release",
            ));
        }
        self.recoding = Some(recoding).filter(|recoding| !recoding.is_identity());
        Ok(())
    }

    /// Returns the columns that questions are about, and their mapping from the columns of the
    /// source.
    pub fn recoding(&self) -> Recoding {
        self.recoding.clone().unwrap_or_else(|| Recoding::identity(self.source.0.domain()))
    }

    /// Returns the number of codes of each column that questions are about.
    pub fn domain(&self) -> &Domain {
        self.recoding.as_ref().map_or_else(|| self.source.0.domain(), Recoding::domain)
    }

    /// Returns the released values of each event, in order. Models store them.
    pub fn released_values(&self) -> &[Vec<i64>] {
        self.releases.values()
    }

    /// Returns the maximum number of rows per unit. A public number, given when the vault was
    /// opened.
    pub fn max_contributions(&self) -> NonZeroU32 {
        self.releases.max_contributions()
    }

    /// Closes the vault and returns the certificate of its releases.
    pub fn close(self) -> Certificate {
        self.releases.close()
    }

    /// Computes the sizes of tables from the public domain. Nothing is allocated or counted before
    /// this succeeds.
    fn table_lengths<'a>(&self, cliques: impl IntoIterator<Item = &'a Clique>) -> Result<Vec<usize>, VaultError> {
        table_lengths(self.domain(), cliques)
    }

    /// Returns the exact tables of `cliques`, from the cache where they are in it, otherwise
    /// counted.
    fn tables(&self, cliques: &[Clique], lengths: &[usize]) -> Result<Vec<CountTable>, VaultError> {
        let kept: Vec<Option<CountTable>> = cliques.iter().map(|clique| self.counted.get(clique)).collect();
        let missing = kept.iter().zip(cliques.iter().zip(lengths)).filter(|(table, _)| table.is_none());
        let (cliques, lengths): (Vec<Clique>, Vec<usize>) =
            missing.map(|(_, (clique, &length))| (clique.clone(), length)).unzip();
        let counted = if cliques.is_empty() { Vec::new() } else { self.count(&cliques, &lengths)? };
        let mut counted = counted.into_iter();
        let table = |kept: Option<CountTable>| kept.or_else(|| counted.next()).expect("each missing table was counted");
        Ok(kept.into_iter().map(table).collect())
    }

    /// Counts the exact tables of `cliques` that later questions may be about, in as few scans as
    /// possible, so that these need no scan of their own. Tables for which the vault has no room
    /// are left to their questions.
    ///
    /// # Privacy
    /// Nothing is released and nothing is spent: the counts stay in the vault, and answers are
    /// drawn from the same counts with and without this call. As with a question, `cliques` must
    /// follow from released values, the schema and options.
    ///
    /// # Errors
    /// If a table is too large, or the source fails.
    pub fn count_ahead<'a>(&self, cliques: impl IntoIterator<Item = &'a Clique>) -> Result<(), VaultError> {
        let mut new = HashSet::new();
        let cliques = cliques.into_iter().filter(|clique| !self.counted.holds(clique) && new.insert(*clique));
        let cliques: Vec<Clique> = cliques.cloned().collect();
        let lengths = self.table_lengths(&cliques)?;
        let mut room = self.counted.room();
        let fitting = cliques.into_iter().zip(lengths).filter(|&(_, length)| {
            let left = room.checked_sub(TableCache::expected_bytes(length));
            room = left.unwrap_or(room);
            left.is_some()
        });
        let (cliques, lengths): (Vec<Clique>, Vec<usize>) = fitting.unzip();
        for batch in batches(&lengths, CELLS_PER_SCAN) {
            for table in &self.count(&cliques[batch.clone()], &lengths[batch])? {
                self.counted.keep(table);
            }
        }
        Ok(())
    }

    /// Counts the exact tables of `cliques`, and checks their shape.
    fn count(&self, cliques: &[Clique], lengths: &[usize]) -> Result<Vec<CountTable>, VaultError> {
        count_tables(&*self.source.0, self.recoding.as_ref(), cliques, lengths)
    }

    /// Returns the number of rows where it is public, otherwise `()`.
    fn public_rows(&self) -> Result<A::Rows, VaultError> {
        if let Some(&rows) = self.rows.get() {
            return Ok(rows);
        }
        let rows = A::public_rows(|| {
            let tables = self.count(&[Clique::empty()], &[1])?;
            let rows = tables.iter().map(CountTable::rows).sum::<u128>();
            u64::try_from(rows).map_err(|_| VaultError::Bug { what: "one cell holds more than a u64" })
        })?;
        Ok(*self.rows.get_or_init(|| rows))
    }

    /// Returns the released values of each event. Values journalled by an earlier run of the job
    /// are repeated, after checking that the exact answers are unchanged.
    fn release(
        &mut self,
        events: Vec<Event>,
        exact: impl Fn(&Self) -> Result<Vec<Exact>, VaultError>,
    ) -> Result<Released<Vec<Vec<i64>>>, VaultError> {
        #[cfg(feature = "audit")]
        if self.twin.is_some() {
            return self.release_audited(&events, exact);
        }
        let resumed = self.releases.resume(&events)?;
        let exact = exact(self)?;
        self.releases.draw(events, resumed, exact)
    }
}

impl<M: Accounting> Vault<ReplaceOne, M> {
    /// Returns the number of rows.
    ///
    /// # Privacy
    /// Neighbours have the same number of rows, so it is public and costs nothing. Under add/remove
    /// this method does not exist: measure [`Clique::empty`] instead.
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
        Ok(Released::new(self.public_rows()?, Vec::new()))
    }
}

/// Computes the sizes of tables from the public domain.
fn table_lengths<'a>(domain: &Domain, cliques: impl IntoIterator<Item = &'a Clique>) -> Result<Vec<usize>, VaultError> {
    let length = |clique: &Clique| {
        if clique.attributes().iter().any(|attribute| attribute.index() >= domain.len()) {
            return Err(VaultError::no_such_attribute(clique, domain.len()));
        }
        Ok(domain.table_len(clique)?)
    };
    cliques.into_iter().map(length).collect()
}

/// Counts the exact tables of `cliques`, and checks their shape.
fn count_tables(
    source: &dyn MarginalSource,
    recoding: Option<&Recoding>,
    cliques: &[Clique],
    lengths: &[usize],
) -> Result<Vec<CountTable>, VaultError> {
    let tables = match recoding {
        Some(recoding) => source.count_recoded(recoding, cliques)?.open(),
        None => source.count(cliques)?.open(),
    };
    let shaped = tables.len() == cliques.len()
        && tables.iter().zip(cliques).all(|(table, clique)| table.clique() == clique)
        && tables.iter().zip(lengths).all(|(table, &length)| table.cells() == length);
    if !shaped {
        return Err(VaultError::SourceShape);
    }
    // Every row is in one cell of every table. The sums are private, so the message holds none.
    debug_assert!(
        tables.windows(2).all(|pair| pair[0].rows() == pair[1].rows()),
        "tables of one source differ in their sums"
    );
    Ok(tables)
}

/// Divides tables of these numbers of cells into batches of at most `max_cells`, or of one table.
fn batches(lengths: &[usize], max_cells: usize) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    iter::from_fn(move || {
        let mut cells = 0;
        let fitting = lengths[from..].iter().take_while(|&&length| {
            cells += length;
            cells <= max_cells
        });
        let batch = from..(from + fitting.count().max(1)).min(lengths.len());
        from = batch.end;
        Some(batch).filter(|batch| !batch.is_empty())
    })
}

/// Number of cells of a batch of tables that are counted in one scan.
const CELLS_PER_SCAN: usize = 20_000_000;
/// Maximum number of cells that one call measures, and of rows that it draws.
const MAX_CELLS_PER_CALL: u128 = limits::CELLS_PER_MODEL;

/// The source of a vault, with a `Debug` that prints nothing of it.
struct OwnedSource(Box<dyn MarginalSource>);

impl std::fmt::Debug for OwnedSource {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Source(..)")
    }
}
