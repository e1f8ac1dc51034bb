//! Exact scores that were worked out once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use sha2::{Digest, Sha256};

use crate::score::Statistic;

/// Most scores that are kept: some hundred megabytes.
const MOST_SCORES: usize = 1 << 22;

/// What tells one score from all others of the same source: half of a digest of its question.
pub(super) type ScoreKey = [u8; 16];

/// The exact scores of questions that were asked before. Methods that build a network choose again and again among
/// candidates of which few are new, and the score of the others is what it was.
///
/// # Privacy
/// It holds exact values and never leaves the vault. A choice is drawn from the same scores with it and without it.
#[derive(Default)]
pub(super) struct ScoreMemory(RefCell<HashMap<ScoreKey, i128>>);

impl ScoreMemory {
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

impl fmt::Debug for ScoreMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ScoreMemory(..)")
    }
}
