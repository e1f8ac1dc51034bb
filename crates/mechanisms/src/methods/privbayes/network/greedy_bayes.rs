//! `GreedyBayes`: selects a network, with one exponential mechanism per column.

use std::num::NonZeroUsize;

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_pgm::JunctionTree;
use scumble_schema::{AttributeId, Clique};
use scumble_vault::score::{MaximalJoint, MutualInformation, TotalVariation};
use scumble_vault::{Budget, Released, Selecting, Vault, VaultError};

use super::bound::Bound;
use super::candidates::{Candidate, Reach, candidates};
use super::columns::Columns;
use crate::error::MechanismError;
use crate::learning::rules::cells_with;
use crate::mechanism::option::invalid;
use crate::mechanism::terms::MethodAdjacency;
use crate::methods::privbayes::options::Score;

/// Public seed of the first column, which does not depend on rows. A resumed fit begins with the
/// same column.
const FIRST_COLUMN_SEED: u64 = 2014;

/// Maximum degree at which the score `auto` is `F`. Its dynamic programme takes time that grows
/// with parent cells times rows: at degree 7, 52 columns of 71,236 rows took 83 seconds with `F`
/// and 4 with `R`. On nltcs its error was 13 percent lower than that of `R` at degree 3 and equal
/// at 5 and 6 (4 runs each).
const MAX_PARENTS_FOR_F: usize = 6;

/// Constraint on a network by its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    /// No constraint: rows are drawn pair by pair.
    Any,
    /// For a graphical model: limits the junction tree of the tables.
    SmallTree {
        /// Maximum number of cells of all cliques of the tree together.
        cells: u128,
        /// Columns that rules relate: cliques of the tree besides the tables.
        ruled: &'a [Clique],
    },
}

/// Public facts of the first phase.
#[derive(Debug)]
pub(crate) struct Learning<'a> {
    columns: &'a Columns<'a>,
    /// The columns that can have or be parents within the bound.
    joined: Vec<AttributeId>,
    /// The others: too large to share a table with any.
    alone: Vec<AttributeId>,
    bound: Bound,
    reach: Reach,
    score: Score,
    shape: Shape<'a>,
}

impl<'a> Learning<'a> {
    pub(crate) fn new(
        columns: &'a Columns<'a>,
        informative: &[AttributeId],
        bound: Bound,
        score: Score,
        shape: Shape<'a>,
    ) -> Result<Self, MechanismError> {
        let size = |column| u128::from(columns.domain().size(column));
        let has_company = |&column: &AttributeId| {
            let mut others = informative.iter().filter(|&&other| other != column);
            bound.parents > 0 && others.any(|&other| size(column) * size(columns.versions(other)[0]) <= bound.cells)
        };
        let (joined, alone): (Vec<AttributeId>, Vec<AttributeId>) = informative.iter().copied().partition(has_company);
        let binary = joined.iter().all(|&column| size(column) == 2);
        let score = match score {
            Score::Auto if binary && bound.parents <= MAX_PARENTS_FOR_F => Score::F,
            Score::Auto => Score::R,
            Score::F if !binary => {
                return Err(invalid("score", "`f` needs binary columns: take `encoding=binary`, or the score `r`"));
            }
            other => other,
        };
        let reach = Reach::affordable(columns, &joined, bound);
        Ok(Self { columns, joined, alone, bound, reach, score, shape })
    }

    /// Returns whether several networks are within the bound. There is one if no two columns fit
    /// together, or if one table holds all, since the order of columns does not matter then.
    pub(crate) fn has_alternatives(&self) -> bool {
        let all = Clique::new(self.joined.iter().copied());
        let one_table =
            all.len() <= self.bound.parents.saturating_add(1) && self.columns.domain().cells(&all) <= self.bound.cells;
        all.len() > 1 && !one_table
    }

    /// Returns the network if there is only one.
    pub(crate) fn only_network(&self) -> Vec<Candidate> {
        let before = |place: usize| Clique::new(self.joined[..place].iter().copied());
        let joined = self.joined.iter().enumerate().map(|(place, &column)| (column, before(place)));
        joined.chain(self.without_parents()).collect()
    }

    fn without_parents(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.alone.iter().map(|&column| (column, Clique::empty()))
    }

    /// Selects a network step by step, with an equal share of the budget for each step.
    ///
    /// # Privacy
    /// d - 1 selections by the exponential mechanism, each among candidates that follow from
    /// earlier selections and the schema.
    ///
    /// # Reference
    /// 2014, Algorithm 2, with line 6 replaced as its sections 4.2 and 4.3 say.
    pub(crate) fn greedy_bayes<A: MethodAdjacency, M: Selecting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
    ) -> Result<Vec<Candidate>, MechanismError> {
        let steps =
            NonZeroUsize::new(self.steps()).ok_or(VaultError::Bug { what: "a selection without candidates" })?;
        let mut shares = budget.split_evenly(steps).into_iter();
        self.grow(|candidates| {
            let share = shares.next().ok_or(VaultError::Bug { what: "a step more than there are columns" })?;
            // Only coarser versions fit, and none of them is known: a column has no parents, and
            // the share stays unspent.
            if candidates.is_empty() { Ok(None) } else { Ok(Some(*self.select(vault, candidates, share)?)) }
        })
    }

    /// Number of steps of the search.
    pub(crate) fn steps(&self) -> usize {
        self.joined.len().saturating_sub(1)
    }

    /// Score of candidates.
    pub(crate) fn score(&self) -> Score {
        self.score
    }

    /// Builds a network step by step. `select` returns the position of the selected candidate; for
    /// `None` the next column has no parents.
    pub(crate) fn grow(
        &self,
        mut select: impl FnMut(&[Candidate]) -> Result<Option<usize>, MechanismError>,
    ) -> Result<Vec<Candidate>, MechanismError> {
        let mut left = self.joined.clone();
        let first = ChaCha8Rng::seed_from_u64(FIRST_COLUMN_SEED).random_range(0..left.len());
        let mut pairs = vec![(left.remove(first), Clique::empty())];
        while !left.is_empty() {
            let mut candidates = self.candidates(&pairs, &left);
            let selected = match select(&candidates)? {
                Some(place) => candidates.swap_remove(place),
                None => (left[0], Clique::empty()),
            };
            left.retain(|&column| column != selected.0);
            pairs.push(selected);
        }
        pairs.extend(self.without_parents());
        Ok(pairs)
    }

    fn candidates(&self, pairs: &[Candidate], left: &[AttributeId]) -> Vec<Candidate> {
        let find = |reach| candidates(self.columns, self.bound, reach, pairs, left);
        let Shape::SmallTree { cells, ruled } = self.shape else { return find(self.reach) };
        if !ruled.is_empty() {
            return self.fitting(find(self.reach), pairs);
        }
        // Within one table the tree only gets cliques that are no larger than a table, so there
        // always is such a candidate.
        let mut within = find(Reach::WithinOneTable);
        if self.reach == Reach::Anywhere {
            let mut cliques: Vec<Clique> =
                pairs.iter().map(|(child, parents)| parents.union(&Clique::single(*child))).collect();
            let mut last = (Clique::empty(), 0);
            let mut anywhere = find(Reach::Anywhere);
            anywhere.sort_unstable_by(|one, other| one.1.cmp(&other.1));
            anywhere.retain(|(child, parents)| {
                if last.0 != *parents {
                    last = (parents.clone(), cells_with(self.columns.domain(), &mut cliques, parents));
                }
                // The child is in no other clique: it adds its own table and nothing else.
                let own = self.columns.domain().cells(&parents.union(&Clique::single(*child)));
                last.1.saturating_add(own) <= cells
            });
            within.extend(anywhere);
            within.sort_unstable();
            within.dedup();
        }
        within
    }

    /// Returns the candidates that leave the tree of tables and rules small enough. Where rules
    /// relate columns, a table within another may still join cliques, so every candidate is
    /// checked; none may be left.
    fn fitting(&self, mut candidates: Vec<Candidate>, pairs: &[Candidate]) -> Vec<Candidate> {
        let Shape::SmallTree { cells, .. } = self.shape else { return candidates };
        let mut with = pairs.to_vec();
        candidates.retain(|candidate| {
            with.push(candidate.clone());
            let fits = self.ruled_cells(&with).is_none_or(|found| found <= cells);
            with.pop();
            fits
        });
        candidates
    }

    /// Number of cells of the tree of these pairs' tables and the rules; `None` without rules.
    pub(crate) fn ruled_cells(&self, pairs: &[Candidate]) -> Option<u128> {
        let ruled = match self.shape {
            Shape::SmallTree { ruled, .. } if !ruled.is_empty() => ruled,
            _ => return None,
        };
        let tables = pairs.iter().map(|(child, parents)| parents.union(&Clique::single(*child)));
        let cliques: Vec<Clique> = tables.chain(ruled.iter().cloned()).collect();
        Some(JunctionTree::predicted_cells(self.columns.domain(), &cliques))
    }

    fn select<A: MethodAdjacency, M: Selecting>(
        &self,
        vault: &mut Vault<A, M>,
        candidates: &[Candidate],
        budget: Budget<A, M>,
    ) -> Result<Released<usize>, MechanismError> {
        let domain = self.columns.domain();
        match self.score {
            Score::F => {
                let scores = scores(candidates, |child, parents| MaximalJoint::of(child, parents, domain))?;
                Ok(vault.select(&scores, budget)?)
            }
            Score::R | Score::Auto => {
                let between = |child, parents| TotalVariation::between(Clique::single(child), parents);
                Ok(vault.select(&scores(candidates, between)?, budget)?)
            }
            Score::I => {
                let between = |child, parents| MutualInformation::between(Clique::single(child), parents);
                let scores = scores(candidates, between)?;
                let (vault, budget) = A::with_public_rows(vault, budget, "the score `i`")?;
                Ok(vault.select(&scores, budget)?)
            }
        }
    }
}

/// Returns the score of each candidate.
fn scores<S>(
    candidates: &[Candidate],
    score: impl Fn(AttributeId, Clique) -> Result<S, VaultError>,
) -> Result<Vec<S>, VaultError> {
    candidates.iter().map(|(child, parents)| score(*child, parents.clone())).collect()
}
