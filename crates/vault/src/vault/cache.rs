//! Caches of exact scores and tables. Their contents never leave the vault.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;

use scumble_schema::Clique;
use sha2::{Digest, Sha256};

use crate::score::Statistic;
use crate::source::CountTable;

/// Maximum number of cached scores: a few hundred megabytes.
const MAX_CACHED_SCORES: usize = 1 << 22;
/// Maximum size of the cached tables in bytes: about thirty million cells.
const MAX_CACHED_TABLE_BYTES: usize = 1 << 27;
/// Approximate size of a cached table without its counts: its clique and its map entry.
const BYTES_PER_TABLE: usize = 96;

/// Key of a score: the first half of a digest of its question.
pub(super) type ScoreKey = [u8; 16];

/// Cache of exact scores, by question. Methods that build a network select repeatedly among
/// candidates of which few are new.
///
/// # Privacy
/// Holds exact values and never leaves the vault. Selections are drawn from the same scores with
/// and without the cache.
#[derive(Default)]
pub(super) struct ScoreCache(RefCell<HashMap<ScoreKey, i128>>);

impl ScoreCache {
    pub(super) fn key<S: Statistic>(candidate: &S) -> ScoreKey {
        let mut digest = Sha256::new();
        digest.update([S::KIND as u8]);
        candidate.question(&mut digest);
        *digest.finalize().first_chunk().expect("a digest has 32 bytes")
    }

    pub(super) fn get(&self, key: &ScoreKey) -> Option<i128> {
        self.0.borrow().get(key).copied()
    }

    pub(super) fn keep(&self, key: ScoreKey, score: i128) {
        let mut scores = self.0.borrow_mut();
        if scores.len() < MAX_CACHED_SCORES {
            scores.insert(key, score);
        }
    }
}

impl fmt::Debug for ScoreCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ScoreCache(..)")
    }
}

/// Cache of exact tables, by clique. Methods that compare tables with a model ask about the same
/// tables every round: the model changes, the counts do not.
///
/// Tables are added while there is room. None is evicted.
///
/// # Privacy
/// Holds exact values and never leaves the vault. Answers are drawn from the same counts with and
/// without the cache. Its hits affect only time and memory, which the guarantee does not cover.
/// Cliques are those of the recoded columns: after the first release, recoding only adds columns.
pub(super) struct TableCache {
    tables: RefCell<HashMap<Clique, Counts>>,
    /// Remaining bytes.
    room: Cell<usize>,
}

/// Counts of a table, as 32-bit integers where all of them fit.
enum Counts {
    Narrow(Box<[u32]>),
    Wide(Box<[u64]>),
}

impl Counts {
    fn of(counts: &[u64]) -> Self {
        let narrow: Result<_, _> = counts.iter().map(|&count| u32::try_from(count)).collect();
        narrow.map_or_else(|_| Self::Wide(counts.into()), Self::Narrow)
    }

    fn bytes(&self) -> usize {
        let counts = match self {
            Self::Narrow(counts) => size_of_val(&**counts),
            Self::Wide(counts) => size_of_val(&**counts),
        };
        BYTES_PER_TABLE + counts
    }

    fn widened(&self) -> Vec<u64> {
        match self {
            Self::Narrow(counts) => counts.iter().copied().map(u64::from).collect(),
            Self::Wide(counts) => counts.to_vec(),
        }
    }
}

impl TableCache {
    fn of_size(bytes: usize) -> Self {
        Self { tables: RefCell::default(), room: Cell::new(bytes) }
    }

    /// Remaining bytes.
    pub(super) fn room(&self) -> usize {
        self.room.get()
    }

    /// Bytes of a table whose counts fit 32 bits.
    pub(super) fn expected_bytes(cells: usize) -> usize {
        BYTES_PER_TABLE + size_of::<u32>() * cells
    }

    pub(super) fn holds(&self, clique: &Clique) -> bool {
        self.tables.borrow().contains_key(clique)
    }

    pub(super) fn get(&self, clique: &Clique) -> Option<CountTable> {
        self.tables.borrow().get(clique).map(|counts| CountTable::new(clique.clone(), counts.widened()))
    }

    pub(super) fn keep(&self, table: &CountTable) {
        let mut tables = self.tables.borrow_mut();
        if tables.contains_key(table.clique()) {
            return;
        }
        let counts = Counts::of(table.counts());
        if let Some(left) = self.room.get().checked_sub(counts.bytes()) {
            self.room.set(left);
            tables.insert(table.clique().clone(), counts);
        }
    }
}

impl Default for TableCache {
    fn default() -> Self {
        Self::of_size(MAX_CACHED_TABLE_BYTES)
    }
}

impl fmt::Debug for TableCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TableCache(..)")
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::AttributeId;

    use super::*;

    fn table(column: usize, counts: &[u64]) -> CountTable {
        CountTable::new(Clique::single(AttributeId::new(column)), counts.to_vec())
    }

    fn kept(cache: &TableCache, column: usize) -> Option<Vec<u64>> {
        cache.get(&Clique::single(AttributeId::new(column))).map(CountTable::into_counts)
    }

    #[test]
    fn cached_counts_of_any_size_are_unchanged() {
        let cache = TableCache::default();
        let edge = u64::from(u32::MAX);
        let tables = [vec![0, 1, edge], vec![0, edge + 1], vec![u64::MAX, 7], vec![]];
        for (column, counts) in tables.iter().enumerate() {
            cache.keep(&table(column, counts));
        }
        for (column, counts) in tables.into_iter().enumerate() {
            assert_eq!(kept(&cache, column), Some(counts));
        }
        assert_eq!(kept(&cache, 4), None);
    }

    #[test]
    fn tables_beyond_the_size_limit_are_not_cached() {
        let cache = TableCache::of_size(3 * BYTES_PER_TABLE + 24);
        cache.keep(&table(0, &[1, 2, 3]));
        cache.keep(&table(0, &[1, 2, 3]));
        assert_eq!(cache.room.get(), 2 * BYTES_PER_TABLE + 12, "a table is cached once");
        cache.keep(&table(1, &[1; 60]));
        assert_eq!(kept(&cache, 1), None);
        cache.keep(&table(2, &[1 << 40]));
        cache.keep(&table(3, &[1]));
        assert_eq!((kept(&cache, 2), kept(&cache, 3)), (Some(vec![1 << 40]), Some(vec![1])));
        cache.keep(&table(4, &[]));
        assert_eq!((cache.room.get(), kept(&cache, 4)), (0, None));
    }

    #[test]
    fn debug_prints_no_counts() {
        let cache = TableCache::default();
        cache.keep(&table(0, &[123_456]));
        assert_eq!(format!("{cache:?}"), "TableCache(..)");
    }
}
