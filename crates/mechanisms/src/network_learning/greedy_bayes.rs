//! `GreedyBayes`: a network, one exponential mechanism per column.

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
use crate::privbayes::Score;
use crate::terms::MethodAdjacency;

/// Where the first column is drawn from. Anyone may know it: which column comes first tells nothing about rows, and a fit that is taken up
/// again has to begin with the same.
const FIRST_COLUMN_SEED: u64 = 2014;

/// `auto` takes `F` up to this degree. Its dynamic programme takes time that grows with parent cells times rows: at degree 7, 52 columns
/// of 71,236 rows took 83 seconds with `F` and 4 with `R`. On nltcs its error was 13 percent lower than that of `R` at degree 3 and the same
/// at 5 and 6 (4 runs each).
const MOST_PARENTS_FOR_F: usize = 6;

/// What the network is to be good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape<'a> {
    /// Drawing from it, pair by pair.
    Any,
    /// A graphical model: the junction tree of the tables may have so many cells.
    SmallTree {
        /// Of all cliques of the tree together.
        cells: u128,
        /// Columns that rules tie together: cliques of the tree besides the tables.
        ruled: &'a [Clique],
    },
}

/// The first phase: what is public about it.
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
            Score::Auto if binary && bound.parents <= MOST_PARENTS_FOR_F => Score::F,
            Score::Auto => Score::R,
            Score::F if !binary => {
                let problem = "`f` needs binary columns: take `encoding=binary`, or the score `r`".into();
                return Err(MechanismError::Option { option: "score".into(), problem });
            }
            other => other,
        };
        let reach = Reach::affordable(columns, &joined, bound);
        Ok(Self { columns, joined, alone, bound, reach, score, shape })
    }

    /// Whether more than one network is within the bound: not if no two columns fit together, nor if one table holds all,
    /// since the order of columns does not matter then.
    pub(crate) fn has_choice(&self) -> bool {
        let all = Clique::new(self.joined.iter().copied());
        let one_table =
            all.len() <= self.bound.parents.saturating_add(1) && self.columns.domain().cells(&all) <= self.bound.cells;
        all.len() > 1 && !one_table
    }

    /// The network if there is no choice.
    pub(crate) fn only_network(&self) -> Vec<Candidate> {
        let before = |place: usize| Clique::new(self.joined[..place].iter().copied());
        let joined = self.joined.iter().enumerate().map(|(place, &column)| (column, before(place)));
        joined.chain(self.without_parents()).collect()
    }

    fn without_parents(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.alone.iter().map(|&column| (column, Clique::empty()))
    }

    /// A network chosen step by step, with an equal share of the budget for each step.
    ///
    /// # Privacy
    /// d - 1 choices by the exponential mechanism, each among candidates that follow from earlier choices and the schema.
    ///
    /// # Reference
    /// 2014, Algorithm 2, with line 6 replaced as its sections 4.2 and 4.3 say.
    pub(crate) fn greedy_bayes<A: MethodAdjacency, M: Selecting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
    ) -> Result<Vec<Candidate>, MechanismError> {
        let steps = NonZeroUsize::new(self.steps()).ok_or(VaultError::Bug { what: "a choice of nothing" })?;
        let mut shares = budget.split_evenly(steps).into_iter();
        self.grow(|candidates| {
            let share = shares.next().ok_or(VaultError::Bug { what: "a step more than there are columns" })?;
            // Only coarser versions fit, and none of those that are known: a column goes without, its share unspent.
            if candidates.is_empty() { Ok(None) } else { Ok(Some(*self.choose(vault, candidates, share)?)) }
        })
    }

    /// How many steps the search has.
    pub(crate) fn steps(&self) -> usize {
        self.joined.len().saturating_sub(1)
    }

    /// How candidates are scored.
    pub(crate) fn score(&self) -> Score {
        self.score
    }

    /// A network that is chosen step by step, by whatever chooses: it is given the candidates of each step, and says which one it takes.
    /// Without any, the next column goes without parents.
    pub(crate) fn grow(
        &self,
        mut choose: impl FnMut(&[Candidate]) -> Result<Option<usize>, MechanismError>,
    ) -> Result<Vec<Candidate>, MechanismError> {
        let mut left = self.joined.clone();
        let first = ChaCha8Rng::seed_from_u64(FIRST_COLUMN_SEED).random_range(0..left.len());
        let mut pairs = vec![(left.remove(first), Clique::empty())];
        while !left.is_empty() {
            let mut candidates = self.candidates(&pairs, &left);
            let chosen = match choose(&candidates)? {
                Some(choice) => candidates.swap_remove(choice),
                None => (left[0], Clique::empty()),
            };
            left.retain(|&column| column != chosen.0);
            pairs.push(chosen);
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
        // Within one table the tree only gets cliques that are no larger than a table: there always is such a candidate.
        let mut within = find(Reach::WithinOneTable);
        if self.reach == Reach::Anywhere {
            let mut cliques: Vec<Clique> =
                pairs.iter().map(|(child, parents)| parents.union(&Clique::single(*child))).collect();
            let mut last = (Clique::empty(), 0);
            let mut anywhere = find(Reach::Anywhere);
            anywhere.sort_unstable_by(|one, other| one.1.cmp(&other.1));
            anywhere.retain(|(child, parents)| {
                if last.0 != *parents {
                    cliques.push(parents.clone());
                    last = (parents.clone(), JunctionTree::predicted_cells(self.columns.domain(), &cliques));
                    cliques.pop();
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

    /// The candidates that leave a tree of tables and rules small enough. Where rules tie columns together, a table within another may
    /// still join cliques, so every candidate is looked at; there may be none.
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

    /// Cells of the tree of these pairs' tables and the rules, if there are rules.
    pub(crate) fn ruled_cells(&self, pairs: &[Candidate]) -> Option<u128> {
        let ruled = match self.shape {
            Shape::SmallTree { ruled, .. } if !ruled.is_empty() => ruled,
            _ => return None,
        };
        let tables = pairs.iter().map(|(child, parents)| parents.union(&Clique::single(*child)));
        let cliques: Vec<Clique> = tables.chain(ruled.iter().cloned()).collect();
        Some(JunctionTree::predicted_cells(self.columns.domain(), &cliques))
    }

    fn choose<A: MethodAdjacency, M: Selecting>(
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

/// The question about each candidate.
fn scores<S>(
    candidates: &[Candidate],
    score: impl Fn(AttributeId, Clique) -> Result<S, VaultError>,
) -> Result<Vec<S>, VaultError> {
    candidates.iter().map(|(child, parents)| score(*child, parents.clone())).collect()
}
