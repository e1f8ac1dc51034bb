//! Error bounds for a Bayesian network with noisy conditionals.

use std::num::NonZeroU64;

use super::{Distance, FailureProbability, Noise, real};

/// The table of some columns and their parents. The columns' distribution given the parents is
/// taken from it.
///
/// The first columns of `PrivBayes` come from one table together: for them `child` counts the cells
/// of that table, and they have no parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conditional {
    /// Number of values of the child.
    pub child: NonZeroU64,
    /// Number of combinations of values of its parents: 1 if it has none.
    pub parents: NonZeroU64,
}

impl Conditional {
    /// Number of cells of the table.
    pub fn cells(&self) -> u64 {
        self.child.get().saturating_mul(self.parents.get())
    }

    /// Returns whether noise affects it: a child of one value is certain.
    fn is_uncertain(&self) -> bool {
        self.child.get() > 1
    }

    /// Factor from the L2 error of the table to that of the joint distribution.
    fn l2_factor(&self) -> f64 {
        1.0 + real(self.child.get()).sqrt()
    }
}

/// A network and its noise, before anything is measured: all of it public.
///
/// The bounds are on the distance between the synthetic distribution and the real table, if that
/// *is* a network of this structure. If it is not, the error of the structure comes on top; noise
/// adds no more than the bound.
///
/// Negative counts are cut to zero, and each row of the table, one per combination of parents, is
/// divided by its sum; an empty row becomes uniform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network<'a> {
    /// One table per column, or per group of columns.
    pub conditionals: &'a [Conditional],
    /// Number of rows: public, or an estimate.
    pub rows: NonZeroU64,
    /// The noise on every cell of every table.
    pub noise: Noise,
}

impl Network<'_> {
    /// Upper bound on the mean error.
    pub fn expected(&self) -> Distance {
        let side = |table: &Conditional| real(table.parents.get()) * self.noise.mean_larger_side(table.child.get());
        let deviation = |cells: u64| real(cells).sqrt() * self.noise.standard_deviation();
        self.distance(self.uncertain().map(side).sum(), deviation)
    }

    /// Bounds that the error stays below except with a probability. It applies to each metric
    /// separately.
    pub fn within(&self, failure: FailureProbability) -> Distance {
        let cells = self.uncertain().map(Conditional::cells).fold(0, u64::saturating_add);
        if cells == 0 {
            return Distance { total_variation: 0.0, l2: 0.0 };
        }
        let largest = self.noise.largest_absolute(cells, failure);
        self.distance(self.noise.sum_of_absolutes(cells, failure), |cells| real(cells).sqrt() * largest)
    }

    /// Computes the distance from the L1 error of all tables together and the L2 error of a table
    /// of a number of cells, in rows.
    fn distance(&self, l1: f64, l2: impl Fn(u64) -> f64) -> Distance {
        let rows = real(self.rows.get());
        let l2: f64 = self.uncertain().map(|table| table.l2_factor() * l2(table.cells())).sum();
        Distance { total_variation: l1 / rows, l2: l2 / rows }.of_distributions()
    }

    fn uncertain(&self) -> impl Iterator<Item = &Conditional> {
        self.conditionals.iter().filter(|table| table.is_uncertain())
    }
}
