//! What no private generator can do better.

use std::num::{NonZeroU32, NonZeroU64};

use scumble_schema::{AdjacencyKind, Domain};
use scumble_vault::ApproxDp;

use super::{Conditional, real};

/// Any way at all to make a distribution out of a table, privately. It may know everything but the rows.
///
/// Each bound says: there is a table of this many rows for which the mean total variation between that table and the
/// distribution is at least this.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generator {
    /// Which tables are neighbours.
    pub neighbours: AdjacencyKind,
    /// The most rows that one unit contributes.
    pub max_contributions: NonZeroU32,
    /// What it promises.
    pub privacy: ApproxDp,
    /// How many rows the table has.
    pub rows: NonZeroU64,
}

impl Generator {
    /// For tables over this domain each of which a network with tables of these sizes describes exactly, if no one but the
    /// rows knows its structure.
    ///
    /// This is the one to hold against [`Network::expected`](super::Network::expected).
    pub fn network(&self, domain: &Domain, conditionals: &[Conditional]) -> f64 {
        // Two points are a network of degree one; without parents only what comes from one table depends on each other.
        let has_parents = conditionals.iter().any(|table| table.parents.get() > 1);
        let whole = if has_parents { self.two_points(ln_cells(domain)) } else { 0.0 };
        conditionals.iter().map(|table| self.table(table.cells())).fold(whole, f64::max)
    }

    /// For one table of this many cells.
    pub fn table(&self, cells: u64) -> f64 {
        self.two_points(real(cells).ln()).max(self.pairs(cells))
    }

    /// For tables over this domain that need not have any structure: nearly 1 if there are far more cells than rows.
    ///
    /// It is met on average over all tables, not by a rare bad one.
    pub fn any_structure(&self, domain: &Domain) -> f64 {
        let found = (self.privacy.epsilon.get() + real(self.rows.get()).ln() - ln_cells(domain)).exp();
        (1.0 - found - self.privacy.delta.get()).max(0.0)
    }

    /// Packing: all rows in one cell, but for the rows of a few units, which are together in some other.
    fn two_points(&self, ln_cells: f64) -> f64 {
        let epsilon = self.privacy.epsilon.get();
        self.best(self.rows.get(), |units| {
            let found = (real(units) * epsilon - ln_cells).exp();
            0.5 * self.share_of(units) * (1.0 - found - self.group_delta(units))
        })
    }

    /// Assouad: cells in pairs, and in each pair the rows of a few units are all in one or all in the other.
    fn pairs(&self, cells: u64) -> f64 {
        let pairs = cells / 2;
        let Some(most) = self.rows.get().checked_div(pairs) else { return 0.0 };
        let epsilon = self.privacy.epsilon.get();
        self.best(most, |units| {
            let loss = real(units) * epsilon;
            let mistaken = match self.neighbours {
                AdjacencyKind::ReplaceOne => (1.0 - self.group_delta(units)) / (1.0 + loss.exp()),
                AdjacencyKind::AddRemove => (0.5 - self.group_delta(units)) * (-loss).exp(),
            };
            0.5 * real(pairs) * self.share_of(units) * mistaken
        })
    }

    /// The share of all rows that this many units have.
    fn share_of(&self, units: u64) -> f64 {
        real(units) * f64::from(self.max_contributions.get()) / real(self.rows.get())
    }

    /// At least the `delta` of this many units together, which is the sum of `delta e^(j epsilon)` over all `j` below it.
    fn group_delta(&self, units: u64) -> f64 {
        // Nothing times a factor that overflows would be no number.
        if self.privacy.delta.get() == 0.0 {
            return 0.0;
        }
        self.privacy.delta.get() * real(units) * (real(units - 1) * self.privacy.epsilon.get()).exp()
    }

    /// The largest `bound` over numbers of units whose rows number at most `rows`, or nothing. Every number of units is a
    /// proof; `bound` rises and then falls, so the best is found by bisection.
    fn best(&self, rows: u64, bound: impl Fn(u64) -> f64) -> f64 {
        let most = rows / u64::from(self.max_contributions.get());
        if most == 0 {
            return 0.0;
        }
        let (mut low, mut high) = (1, most);
        while low < high {
            let middle = u64::midpoint(low, high);
            if bound(middle + 1) > bound(middle) { low = middle + 1 } else { high = middle }
        }
        bound(low).max(0.0)
    }
}

/// The logarithm of the number of cells of the whole domain, which need not fit an integer.
fn ln_cells(domain: &Domain) -> f64 {
    domain.sizes().iter().map(|&size| f64::from(size).ln()).sum()
}
