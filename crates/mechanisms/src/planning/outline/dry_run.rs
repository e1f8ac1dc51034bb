//! Random tables in place of those that a method would select by rows.

use chacha20::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use scumble_pgm::JunctionTree;
use scumble_schema::{AttributeId, Clique, Domain};

use crate::learning::merging::non_constant_columns;
use crate::learning::union_find::UnionFind;

/// Seed of plans. Equal requests give equal plans.
const SEED: u64 = 2026;
/// Number of runs of plans that are averages over runs.
const RUNS: u64 = 8;
/// Number of tables that are tried until one leaves the model small enough.
const TRIES: usize = 20;

/// Returns the random generator of a plan.
pub(crate) fn plan_rng() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(SEED)
}

/// Returns the random generators of a plan that averages over several runs.
pub(crate) fn plan_rngs() -> impl Iterator<Item = ChaCha8Rng> {
    (SEED..SEED + RUNS).map(ChaCha8Rng::seed_from_u64)
}

/// Maximum size of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Maximum number of columns.
    pub(crate) columns: usize,
    /// Maximum number of cells.
    pub(crate) cells: u128,
    /// Maximum number of cells of the model of all tables so far.
    pub(crate) model_cells: u128,
}

/// The tables of a model that grows by one table at a time.
#[derive(Debug)]
pub(crate) struct DryRun<'a> {
    domain: &'a Domain,
    columns: Vec<AttributeId>,
    held: Vec<Clique>,
    joined: UnionFind,
    cells: u128,
    rng: ChaCha8Rng,
}

impl<'a> DryRun<'a> {
    /// Begins with a table for every column of two or more values.
    pub(crate) fn new(domain: &'a Domain, rng: ChaCha8Rng) -> Self {
        let columns = non_constant_columns(domain);
        let held: Vec<Clique> = columns.iter().map(|&column| Clique::single(column)).collect();
        let cells = JunctionTree::predicted_cells(domain, &held);
        Self { domain, columns, held, joined: UnionFind::new(domain.len()), cells, rng }
    }

    /// Number of cells of the model of all tables so far.
    pub(crate) fn cells(&self) -> u128 {
        self.cells
    }

    /// Returns all pairs of at most `cells` cells that no table so far holds.
    pub(crate) fn pairs_across(&self, cells: u128) -> Vec<Clique> {
        let after = |place: usize| {
            self.columns[place + 1..].iter().map(move |&other| Clique::new([self.columns[place], other]))
        };
        let pairs = (0..self.columns.len()).flat_map(after).filter(|pair| self.domain.cells(pair) <= cells);
        pairs.filter(|pair| !self.held.iter().any(|held| held.holds(pair))).collect()
    }

    /// Adds a table of as many random columns as fit; `None` if no two do.
    pub(crate) fn table(&mut self, limits: Limits) -> Option<Clique> {
        (0..TRIES).find_map(|_| {
            let mut set = self.grown(limits)?;
            // A table that makes the model too large may fit with a column less.
            while set.len() > 1 {
                let clique = Clique::new(set.iter().copied());
                if self.add_if_it_fits(&clique, limits.model_cells) {
                    return Some(clique);
                }
                set.pop();
            }
            None
        })
    }

    /// Adds a random pair that joins two components; `None` if no such pair fits.
    pub(crate) fn edge(&mut self, limits: Limits) -> Option<Clique> {
        (0..10 * TRIES).find_map(|_| {
            let [one, other] = [(); 2].map(|()| self.columns[self.rng.random_range(0..self.columns.len())]);
            let pair = Clique::new([one, other]);
            let joins = !self.joined.connected(one.index(), other.index());
            let fits = joins && self.domain.cells(&pair) <= limits.cells;
            (fits && self.add_if_it_fits(&pair, limits.model_cells)).then_some(pair)
        })
    }

    /// Adds a table that a workload names, if it fits. Returns whether it does.
    pub(crate) fn named(&mut self, table: &Clique, limits: Limits) -> bool {
        self.domain.cells(table) <= limits.cells && self.add_if_it_fits(table, limits.model_cells)
    }

    /// Adds a pair that a workload names, if it joins two components and fits. Returns whether it
    /// does.
    pub(crate) fn named_edge(&mut self, pair: &Clique, limits: Limits) -> bool {
        let &[one, other] = pair.attributes() else { return false };
        !self.joined.connected(one.index(), other.index()) && self.named(pair, limits)
    }

    /// Returns random columns whose table is small enough; `None` if fewer than two.
    fn grown(&mut self, limits: Limits) -> Option<Vec<AttributeId>> {
        self.columns.shuffle(&mut self.rng);
        let (mut set, mut cells) = (Vec::new(), 1_u128);
        for &column in &self.columns {
            let grown = cells * u128::from(self.domain.size(column));
            if set.len() < limits.columns && grown <= limits.cells {
                set.push(column);
                cells = grown;
            }
        }
        (set.len() > 1).then_some(set)
    }

    /// Adds a table if the model stays within `model_cells` cells. Returns whether it does.
    fn add_if_it_fits(&mut self, table: &Clique, model_cells: u128) -> bool {
        if self.held.iter().any(|held| held.holds(table)) {
            return true;
        }
        self.held.push(table.clone());
        let cells = JunctionTree::predicted_cells(self.domain, &self.held);
        if cells > model_cells.max(self.cells) {
            self.held.pop();
            return false;
        }
        // Subsets of the table no longer affect the size of the model.
        let last = self.held.len() - 1;
        let mut place = 0;
        self.held.retain(|held| {
            place += 1;
            place > last || !table.holds(held)
        });
        self.cells = cells;
        for pair in table.attributes().windows(2) {
            self.joined.connect(pair[0].index(), pair[1].index());
        }
        true
    }
}
