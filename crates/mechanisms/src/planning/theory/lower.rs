//! Lower bounds on the error of any private generator.

use std::num::{NonZeroU32, NonZeroU64};

use scumble_schema::{AdjacencyKind, Domain};
use scumble_vault::ApproxDp;

use super::{Conditional, real};

/// Any private algorithm that makes a distribution from a table. It may know everything but the
/// rows.
///
/// Each bound says: there is a table of this many rows for which the mean total variation between
/// that table and the distribution is at least the bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generator {
    /// Adjacency of tables.
    pub neighbours: AdjacencyKind,
    /// Maximum number of rows that one unit contributes.
    pub max_contributions: NonZeroU32,
    /// Its privacy guarantee.
    pub privacy: ApproxDp,
    /// Number of rows of the table.
    pub rows: NonZeroU64,
}

impl Generator {
    /// Lower bound for tables over a domain that a network with tables of these sizes describes
    /// exactly, if its structure is private.
    ///
    /// Comparable with [`Network::expected`](super::Network::expected).
    pub fn network(&self, domain: &Domain, conditionals: &[Conditional]) -> f64 {
        // Two points are a network of degree one. Without parents, only columns of one table depend
        // on each other.
        let has_parents = conditionals.iter().any(|table| table.parents.get() > 1);
        let whole = if has_parents { self.two_points(ln_cells(domain)) } else { 0.0 };
        conditionals.iter().map(|table| self.table(table.cells())).fold(whole, f64::max)
    }

    /// Lower bound for one table of a number of cells.
    pub fn table(&self, cells: u64) -> f64 {
        self.two_points(real(cells).ln()).max(self.pairs(cells))
    }

    /// Lower bound for tables over a domain without any structure: nearly 1 if there are far more
    /// cells than rows.
    ///
    /// It holds on average over all tables, not only for a rare bad one.
    pub fn any_structure(&self, domain: &Domain) -> f64 {
        let found = (self.privacy.epsilon.get() + real(self.rows.get()).ln() - ln_cells(domain)).exp();
        (1.0 - found - self.privacy.delta.get()).max(0.0)
    }

    /// Packing: all rows in one cell, except those of a few units, which are together in another.
    fn two_points(&self, ln_cells: f64) -> f64 {
        let epsilon = self.privacy.epsilon.get();
        self.best(self.rows.get(), |units| {
            let found = (real(units) * epsilon - ln_cells).exp();
            0.5 * self.share_of(units) * (1.0 - found - self.group_delta(units))
        })
    }

    /// Assouad: cells in pairs, and in each pair the rows of a few units are all in one or all in
    /// the other.
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

    /// Share of all rows that a number of units have.
    fn share_of(&self, units: u64) -> f64 {
        real(units) * f64::from(self.max_contributions.get()) / real(self.rows.get())
    }

    /// Upper bound on the `delta` of a group of units, the sum of `delta e^(j epsilon)` over all
    /// `j` below their number.
    fn group_delta(&self, units: u64) -> f64 {
        // Zero times an infinite factor would be NaN.
        if self.privacy.delta.get() == 0.0 {
            return 0.0;
        }
        self.privacy.delta.get() * real(units) * (real(units - 1) * self.privacy.epsilon.get()).exp()
    }

    /// Returns the largest `bound` over numbers of units with at most `rows` rows, or 0. The bound
    /// holds for every number of units; it rises and then falls, so the largest is found by
    /// bisection.
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

/// Returns the logarithm of the number of cells of a domain, which need not fit an integer.
fn ln_cells(domain: &Domain) -> f64 {
    domain.sizes().iter().map(|&size| f64::from(size).ln()).sum()
}
