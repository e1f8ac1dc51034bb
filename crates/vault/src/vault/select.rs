//! Selecting a candidate, and the exact scores behind it.

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroU64};
use std::thread;

use scumble_planted::Mutant;
use scumble_schema::Clique;
use sha2::{Digest, Sha256};

use super::cache::{ScoreCache, ScoreKey};
use super::{Exact, Vault, batches};
use crate::account::{
    Accounting, Adjacency, Amount, Budget, Mechanism, Question, ScoreUnits, Selecting, SelectionEpsilon, Unit,
};
use crate::error::VaultError;
use crate::hex;
use crate::noise::processors;
use crate::released::Released;
use crate::score::{Score, Statistic};
use crate::source::CountTable;

/// Number of cells of a batch of tables. Tables are counted and scored in batches, so that scoring
/// all pairs of a wide table does not hold all of them in memory.
const CELLS_PER_BATCH: usize = 10_000_000;
/// Minimum number of cells per thread. Scoring fewer takes less time than starting a thread.
const MIN_CELLS_PER_THREAD: usize = 1 << 14;

impl<A: Adjacency, M: Selecting> Vault<A, M> {
    /// Returns the `epsilon` with which [`Vault::select`] would select for `amount`; `None` if it
    /// would be too small. Methods use it to bound the error of a selection.
    ///
    /// # Privacy
    /// Nothing is spent and no row is read: a budget is public.
    pub fn planned_epsilon(&self, amount: Amount<M>) -> Option<SelectionEpsilon> {
        let (numerator, denominator) = M::squared_epsilon(amount);
        SelectionEpsilon::of_square(&numerator, &denominator)
    }

    /// Selects a candidate by the exponential mechanism and releases its index. A candidate of
    /// score `q` has probability proportional to `e^(epsilon q / (2 Δ))`.
    ///
    /// # Privacy
    /// One event, whatever the number of candidates. `Δ` is the most that one unit moves any of the
    /// scores. It costs `epsilon`, `(pi/8) epsilon²` of `mu²` or `epsilon²/8` of `rho`; the proof
    /// is at [`ExponentialMechanism`](crate::noise::ExponentialMechanism).
    ///
    /// # Errors
    /// If there are no candidates, a table is too large, the budget was issued by another vault or
    /// is too small, or the source fails. The budget is consumed in any case.
    pub fn select<S: Score<A>>(
        &mut self,
        candidates: &[S],
        budget: Budget<A, M>,
    ) -> Result<Released<usize>, VaultError> {
        let (question, sensitivity) = self.score_question(candidates)?;
        let mechanism = self.releases.charge(1, budget, |share| Mechanism::exponential(sensitivity, share))?;
        let event = self.releases.event(question, mechanism, ScoreUnits::LATTICE_LOG2, 1);
        let released = self.release(vec![event], |vault| Ok(vec![Exact::Scores(vault.scores(candidates)?)]))?;
        let index = usize::try_from(released[0][0]).ok().filter(|&index| index < candidates.len());
        let index = index.ok_or(VaultError::Bug { what: "no such candidate" })?;
        Ok(released.map(|_| index))
    }
}

impl<A: Adjacency, M: Accounting> Vault<A, M> {
    /// Returns the question about the candidates, and how far one unit can move any one of their
    /// scores. Both are public.
    pub(super) fn score_question<S: Score<A>>(&self, candidates: &[S]) -> Result<(Question, ScoreUnits), VaultError> {
        let heaviest = candidates.iter().map(Statistic::weight).max();
        let (Some(heaviest), Some(count)) = (heaviest, NonZeroU64::new(candidates.len() as u64)) else {
            return Err(VaultError::config("candidates", &0, "at least one"));
        };
        let domain = self.domain();
        for candidate in candidates {
            candidate.check(domain)?;
        }
        self.table_lengths(candidates.iter().map(Statistic::clique))?;
        let rows = self.public_rows()?;
        let mut digest = Sha256::new();
        let mut one_row = ScoreUnits::ZERO;
        for candidate in candidates {
            candidate.question(&mut digest);
            one_row = one_row.max(candidate.sensitivity(domain, rows).at_weight_one(candidate.weight()));
        }
        let contributions = if Mutant::ScoresIgnoreContributions.is_planted() {
            NonZeroU32::MIN
        } else {
            self.releases.max_contributions()
        };
        let sensitivity = ScoreUnits::of_unit(one_row, heaviest, contributions);
        let sensitivity = sensitivity.ok_or(VaultError::Bug { what: "a sensitivity does not fit" })?;
        let (score, rows) = (S::KIND, A::declared_rows(rows));
        let digest = hex(&digest.finalize());
        Ok((Question::Scores { score, candidates: count, heaviest, rows, digest }, sensitivity))
    }

    /// Returns the exact scores, from the cache where they are in it.
    pub(super) fn scores<S: Score<A>>(&self, candidates: &[S]) -> Result<Vec<i128>, VaultError> {
        let mut scores = vec![0; candidates.len()];
        if S::KIND.follows_a_model() {
            // Such a question is rarely repeated, and its cache key costs more than the score
            // itself.
            for (index, score) in self.compute_scores(candidates, 0..candidates.len())? {
                scores[index] = score;
            }
            return Ok(scores);
        }
        let keys: Vec<ScoreKey> = candidates.iter().map(ScoreCache::key).collect();
        let mut new = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            match self.scored.get(key) {
                Some(score) => scores[index] = score,
                None => new.push(index),
            }
        }
        for (index, score) in self.compute_scores(candidates, new)? {
            scores[index] = score;
            self.scored.keep(keys[index], score);
        }
        Ok(scores)
    }

    /// Computes the exact scores of the candidates at `indices`, each with its index.
    fn compute_scores<S: Score<A>>(
        &self,
        candidates: &[S],
        indices: impl IntoIterator<Item = usize>,
    ) -> Result<Vec<(usize, i128)>, VaultError> {
        // Candidates that read the same table are scored on one count of it.
        let mut readers: BTreeMap<&Clique, Vec<usize>> = BTreeMap::new();
        for index in indices {
            readers.entry(candidates[index].clique()).or_default().push(index);
        }
        let readers: Vec<(&Clique, Vec<usize>)> = readers.into_iter().collect();
        let lengths = self.table_lengths(readers.iter().map(|(clique, _)| *clique))?;
        let mut scores = Vec::new();
        for batch in batches(&lengths, CELLS_PER_BATCH) {
            let cliques: Vec<Clique> = readers[batch.clone()].iter().map(|(clique, _)| (*clique).clone()).collect();
            let tables = self.tables(&cliques, &lengths[batch.clone()])?;
            if S::KIND.follows_a_model() {
                for table in &tables {
                    self.counted.keep(table);
                }
            }
            scores.extend(self.score_tables(candidates, &readers[batch], &tables));
        }
        Ok(scores)
    }

    /// Computes the scores of all candidates that read `tables`, each with its index, on several
    /// threads if the tables are large enough.
    fn score_tables<S: Score<A>>(
        &self,
        candidates: &[S],
        readers: &[(&Clique, Vec<usize>)],
        tables: &[CountTable],
    ) -> Vec<(usize, i128)> {
        let domain = self.domain();
        let score = |readers: &[(&Clique, Vec<usize>)], tables: &[CountTable]| -> Vec<(usize, i128)> {
            let reads = readers.iter().zip(tables);
            let reads = reads.flat_map(|((_, readers), table)| readers.iter().map(move |&index| (index, table)));
            reads.map(|(index, table)| (index, candidates[index].value(domain, table.counts()))).collect()
        };
        let cells: usize = tables.iter().map(CountTable::cells).sum();
        let threads = processors().min(cells / MIN_CELLS_PER_THREAD);
        if threads <= 1 {
            return score(readers, tables);
        }
        let part = tables.len().div_ceil(threads);
        thread::scope(|scope| {
            let parts = readers.chunks(part).zip(tables.chunks(part));
            let started: Vec<_> = parts.map(|(readers, tables)| scope.spawn(move || score(readers, tables))).collect();
            started.into_iter().flat_map(|thread| thread.join().expect("scores are total")).collect()
        })
    }
}
