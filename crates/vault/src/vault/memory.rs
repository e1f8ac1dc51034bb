//! Exact values that were worked out once. Nothing in here leaves the vault.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;

use scumble_schema::Clique;
use sha2::{Digest, Sha256};

use crate::score::Statistic;
use crate::source::CountTable;

/// Most scores that are kept: some hundred megabytes.
const MOST_SCORES: usize = 1 << 22;
/// Most bytes that kept tables take: some thirty million cells.
const MOST_TABLE_BYTES: usize = 1 << 27;
/// What a kept table takes besides its counts, about: its clique, and its place among the others.
const BYTES_PER_TABLE: usize = 96;

/// What tells one score from all others of the same source: half of a digest of its question.
pub(super) type ScoreKey = [u8; 16];

/// The exact scores of questions that were asked before. Methods that build a network choose again and again among
/// candidates of which few are new, and the score of the others is what it was.
///
/// # Privacy
/// It holds exact values and never leaves the vault. A choice is drawn from the same scores with it and without it.
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
        if scores.len() < MOST_SCORES {
            scores.insert(key, score);
        }
    }
}

impl fmt::Debug for ScoreCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ScoreCache(..)")
    }
}

/// Exact tables that were counted before. Methods that compare tables with a model ask about the same ones round after round:
/// the model is another, the counts are what they were.
///
/// A table is kept as long as there is room for it; none is forgotten for another.
///
/// # Privacy
/// It holds exact values and never leaves the vault. Every answer is drawn from the same counts with it and without it. What it
/// has room for shows in time and memory alone, which the guarantee does not cover. Cliques are those of the recoded
/// columns: once anything was released, a vault is recoded only by adding columns.
pub(super) struct TableCache {
    tables: RefCell<HashMap<Clique, Counts>>,
    /// Bytes that may still be taken.
    room: Cell<usize>,
}

/// Counts in as few bytes as they need.
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
        Self::of_size(MOST_TABLE_BYTES)
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

    fn kept(memory: &TableCache, column: usize) -> Option<Vec<u64>> {
        memory.get(&Clique::single(AttributeId::new(column))).map(CountTable::into_counts)
    }

    #[test]
    fn counts_come_back_as_they_were_whatever_their_size() {
        let memory = TableCache::default();
        let edge = u64::from(u32::MAX);
        let tables = [vec![0, 1, edge], vec![0, edge + 1], vec![u64::MAX, 7], vec![]];
        for (column, counts) in tables.iter().enumerate() {
            memory.keep(&table(column, counts));
        }
        for (column, counts) in tables.into_iter().enumerate() {
            assert_eq!(kept(&memory, column), Some(counts));
        }
        assert_eq!(kept(&memory, 4), None);
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let memory = TableCache::of_size(3 * BYTES_PER_TABLE + 24);
        memory.keep(&table(0, &[1, 2, 3]));
        memory.keep(&table(0, &[1, 2, 3]));
        assert_eq!(memory.room.get(), 2 * BYTES_PER_TABLE + 12, "a table is kept once");
        memory.keep(&table(1, &[1; 60]));
        assert_eq!(kept(&memory, 1), None);
        memory.keep(&table(2, &[1 << 40]));
        memory.keep(&table(3, &[1]));
        assert_eq!((kept(&memory, 2), kept(&memory, 3)), (Some(vec![1 << 40]), Some(vec![1])));
        memory.keep(&table(4, &[]));
        assert_eq!((memory.room.get(), kept(&memory, 4)), (0, None));
    }

    #[test]
    fn what_is_kept_is_not_printed() {
        let memory = TableCache::default();
        memory.keep(&table(0, &[123_456]));
        assert_eq!(format!("{memory:?}"), "TableCache(..)");
    }
}
