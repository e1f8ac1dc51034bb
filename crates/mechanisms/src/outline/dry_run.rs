//! Tables as a method that chooses by rows might choose them: at random.

use chacha20::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use scumble_pgm::JunctionTree;
use scumble_schema::{AttributeId, Clique, Domain};

use crate::merging::non_constant_columns;
use crate::union_find::UnionFind;

/// Where random choices come from. The same plan is always told the same way.
const SEED: u64 = 2026;
/// How many runs a mean is taken over, where one says little.
const SEVERAL: u64 = 8;
/// Sets that are tried until one leaves the model small enough.
const TRIES: usize = 20;

/// A source of random choices for plans.
pub(crate) fn dice() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(SEED)
}

/// Sources for plans that are made several times.
pub(crate) fn several_dice() -> impl Iterator<Item = ChaCha8Rng> {
    (SEED..SEED + SEVERAL).map(ChaCha8Rng::seed_from_u64)
}

/// How large a table may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Most columns.
    pub(crate) columns: usize,
    /// Most cells.
    pub(crate) cells: u128,
    /// Most cells of the model of all tables so far.
    pub(crate) model_cells: u128,
}

/// The tables of a model that grows by one at a time.
#[derive(Debug)]
pub(crate) struct DryRun<'a> {
    domain: &'a Domain,
    columns: Vec<AttributeId>,
    held: Vec<Clique>,
    joined: UnionFind,
    cells: u128,
    dice: ChaCha8Rng,
}

impl<'a> DryRun<'a> {
    /// With a table for every column that tells something.
    pub(crate) fn new(domain: &'a Domain, dice: ChaCha8Rng) -> Self {
        let columns = non_constant_columns(domain);
        let held: Vec<Clique> = columns.iter().map(|&column| Clique::single(column)).collect();
        let cells = JunctionTree::predicted_cells(domain, &held);
        Self { domain, columns, held, joined: UnionFind::new(domain.len()), cells, dice }
    }

    /// Cells of the model of all tables so far.
    pub(crate) fn cells(&self) -> u128 {
        self.cells
    }

    /// A table of columns at random, as many as fit; `None` if no two do.
    pub(crate) fn table(&mut self, limits: Limits) -> Option<Clique> {
        (0..TRIES).find_map(|_| {
            let mut set = self.grown(limits)?;
            // What makes the model too large may do with a column less.
            while set.len() > 1 {
                let clique = Clique::new(set.iter().copied());
                if self.takes(&clique, limits.model_cells) {
                    return Some(clique);
                }
                set.pop();
            }
            None
        })
    }

    /// A pair at random that joins two parts of a forest; `None` if none does that fits.
    pub(crate) fn edge(&mut self, limits: Limits) -> Option<Clique> {
        (0..10 * TRIES).find_map(|_| {
            let [one, other] = [(); 2].map(|()| self.columns[self.dice.random_range(0..self.columns.len())]);
            let pair = Clique::new([one, other]);
            let joins = !self.joined.connected(one.index(), other.index());
            (joins && self.domain.cells(&pair) <= limits.cells && self.takes(&pair, limits.model_cells)).then_some(pair)
        })
    }

    /// Columns at random, for as long as a table of them is small enough.
    fn grown(&mut self, limits: Limits) -> Option<Vec<AttributeId>> {
        self.columns.shuffle(&mut self.dice);
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

    /// Holds a table too, if the model stays within so many cells.
    fn takes(&mut self, table: &Clique, model_cells: u128) -> bool {
        if self.held.iter().any(|held| held.holds(table)) {
            return true;
        }
        self.held.push(table.clone());
        let cells = JunctionTree::predicted_cells(self.domain, &self.held);
        if cells > model_cells.max(self.cells) {
            self.held.pop();
            return false;
        }
        // Parts of the table tell nothing more about the size of the model.
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
