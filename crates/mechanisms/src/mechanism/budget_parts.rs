//! A budget divided into equal parts.

use scumble_vault::account::{Amount, Spendable};
use scumble_vault::{Accounting, Share};

/// A budget, or an amount in a plan, divided into equal parts.
///
/// [`Self::rest`] returns all that is left, so that nothing is lost to rounding.
#[derive(Debug)]
pub(crate) struct BudgetParts<B> {
    budget: B,
    parts: u32,
}

impl<B> BudgetParts<B> {
    /// Divides a budget into a number of parts.
    pub(crate) fn new(budget: B, parts: u32) -> Self {
        Self { budget, parts }
    }

    /// The number of parts that are left.
    pub(crate) fn parts(&self) -> u32 {
        self.parts
    }

    /// Returns all that is left.
    pub(crate) fn rest(self) -> B {
        self.budget
    }

    /// Splits off a number of parts.
    ///
    /// # Panics
    /// If `parts` is 0, or nothing would be left.
    pub(crate) fn take<M: Accounting>(self, parts: u32) -> (B, Self)
    where
        B: Spendable<M>,
    {
        let share = Share::of(parts, self.parts).expect("some of the parts, and not all");
        let (taken, budget) = self.budget.split(share);
        (taken, Self { budget, parts: self.parts - parts })
    }

    /// Amount of a number of parts. For planning: [`BudgetParts::take`] is exact.
    pub(crate) fn amount_of<M: Accounting>(&self, parts: u32) -> Amount<M>
    where
        B: Spendable<M>,
    {
        self.budget.amount().parts(parts, self.parts)
    }
}
