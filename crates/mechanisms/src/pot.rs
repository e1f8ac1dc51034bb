//! A budget that is handed out in parts.

use scumble_vault::{Accounting, Adjacency, Budget, Share};

/// A budget as a number of equal parts. What is asked for last gets all that is left, so that nothing is lost to rounding.
#[derive(Debug)]
pub(crate) struct Pot<A: Adjacency, M: Accounting> {
    budget: Budget<A, M>,
    parts: u32,
}

impl<A: Adjacency, M: Accounting> Pot<A, M> {
    /// The budget as so many parts.
    pub(crate) fn new(budget: Budget<A, M>, parts: u32) -> Self {
        Self { budget, parts }
    }

    /// Some of the parts, and the pot with the others.
    ///
    /// # Panics
    /// If none of them is asked for, or nothing would be left.
    pub(crate) fn take(self, parts: u32) -> (Budget<A, M>, Self) {
        let share = Share::of(parts, self.parts).expect("some of the parts, and not all");
        let (taken, budget) = self.budget.split(share);
        (taken, Self { budget, parts: self.parts - parts })
    }

    /// How many parts are left.
    pub(crate) fn parts(&self) -> u32 {
        self.parts
    }

    /// All that is left, whatever the number of parts.
    pub(crate) fn rest(self) -> Budget<A, M> {
        self.budget
    }

    /// What so many of the parts come to. For planning: parts themselves are taken exactly.
    pub(crate) fn worth(&self, parts: u32) -> scumble_vault::account::Amount<M> {
        let quanta = self.budget.amount().quanta();
        scumble_vault::account::Amount::from_quanta(quanta / u128::from(self.parts) * u128::from(parts))
    }
}
