//! A budget that is taken in parts.

use scumble_vault::account::{Amount, Spendable};
use scumble_vault::{Accounting, Share};

/// A budget of a number of equal parts, or the amount of one in a plan. The last taker gets all that is left, so that nothing is lost to
/// rounding.
#[derive(Debug)]
pub(crate) struct BudgetParts<B> {
    budget: B,
    parts: u32,
}

impl<B> BudgetParts<B> {
    /// Divides a budget into parts.
    pub(crate) fn new(budget: B, parts: u32) -> Self {
        Self { budget, parts }
    }

    /// The number of parts that are left.
    pub(crate) fn parts(&self) -> u32 {
        self.parts
    }

    /// All that is left, whatever the number of parts.
    pub(crate) fn rest(self) -> B {
        self.budget
    }

    /// Takes some of the parts.
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

    /// The amount of some of the parts. For planning: [`BudgetParts::take`] is exact.
    pub(crate) fn amount_of<M: Accounting>(&self, parts: u32) -> Amount<M>
    where
        B: Spendable<M>,
    {
        self.budget.amount().parts(parts, self.parts)
    }
}
