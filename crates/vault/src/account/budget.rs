//! Privacy budgets, as values that cannot be copied.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroUsize;

use scumble_planted::Mutant;

use super::{Accounting, Adjacency, Amount, Gdp};
use crate::error::VaultError;

/// Identifies the vault that issued a budget. Unique within a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Issuer(pub(crate) u64);

/// Permission to spend on releases under adjacency `A` and accounting `M`.
///
/// Opening a vault issues one budget. It can be split and joined again, but not copied or forged.
/// Spending takes it by value, and the parts never add up to more than the whole.
///
/// # Privacy
/// Spending twice does not compile:
/// ```compile_fail,E0382
/// # use scumble_schema::Clique;
/// # use scumble_vault::{AddRemove, Budget, Vault};
/// fn greedy(vault: &mut Vault<AddRemove>, budget: Budget<AddRemove>) {
///     let once = vault.measure(&[Clique::empty()], budget);
///     let twice = vault.measure(&[Clique::empty()], budget);
/// }
/// ```
/// Nor does cloning:
/// ```compile_fail,E0599
/// # use scumble_vault::{AddRemove, Budget};
/// fn double(budget: Budget<AddRemove>) -> [Budget<AddRemove>; 2] {
///     [budget.clone(), budget]
/// }
/// ```
/// Nor forging:
/// ```compile_fail,E0451
/// # use scumble_vault::{AddRemove, Budget, account::MuSquared};
/// # fn any<T>() -> T { unimplemented!() }
/// let forged: Budget<AddRemove> = Budget { amount: MuSquared::from_quanta(1 << 96), issuer: any(), terms: any() };
/// ```
/// ```compile_fail,E0624
/// # use scumble_vault::{AddRemove, Budget, account::MuSquared};
/// # fn any<T>() -> T { unimplemented!() }
/// let forged: Budget<AddRemove> = Budget::issue(MuSquared::from_quanta(1 << 96), any());
/// ```
/// Nor spending it under another adjacency than it was issued for:
/// ```compile_fail,E0308
/// # use scumble_schema::Clique;
/// # use scumble_vault::{AddRemove, Budget, ReplaceOne, Vault};
/// fn mixed(vault: &mut Vault<ReplaceOne>, budget: Budget<AddRemove>) {
///     let released = vault.measure(&[Clique::empty()], budget);
/// }
/// ```
/// Nor under another accounting:
/// ```compile_fail,E0308
/// # use scumble_schema::Clique;
/// # use scumble_vault::{AddRemove, Budget, Vault, account::{Pure, Zcdp}};
/// fn mixed(vault: &mut Vault<AddRemove, Pure>, budget: Budget<AddRemove, Zcdp>) {
///     let released = vault.measure(&[Clique::empty()], budget);
/// }
/// ```
#[must_use = "a budget that is dropped is lost"]
pub struct Budget<A: Adjacency, M: Accounting = Gdp> {
    amount: Amount<M>,
    issuer: Issuer,
    terms: PhantomData<fn() -> (A, M)>,
}

impl<A: Adjacency, M: Accounting> Budget<A, M> {
    pub(crate) fn issue(amount: Amount<M>, issuer: Issuer) -> Self {
        Self { amount, issuer, terms: PhantomData }
    }

    /// Returns the amount that may be spent. A public number: it follows from the goal and the
    /// splits.
    pub fn amount(&self) -> Amount<M> {
        self.amount
    }

    /// Consumes the budget and returns its amount and issuer.
    pub(crate) fn spend(self) -> (Amount<M>, Issuer) {
        (self.amount, self.issuer)
    }

    /// Splits the budget into a share and the rest. The two add up to exactly the whole.
    pub fn split(self, share: Share) -> (Self, Self) {
        if Mutant::SplitGivesTheWholeTwice.is_planted() {
            return (Self::issue(self.amount, self.issuer), self);
        }
        let (first, rest) = self.amount.split(share);
        (Self::issue(first, self.issuer), Self::issue(rest, self.issuer))
    }

    /// Joins two unspent budgets of one vault. The result is exactly their sum.
    ///
    /// # Errors
    /// If they are of different vaults. Both are lost then.
    pub fn join(self, other: Self) -> Result<Self, VaultError> {
        let ((first, issuer), (second, other_issuer)) = (self.spend(), other.spend());
        if issuer != other_issuer {
            return Err(VaultError::ForeignBudget);
        }
        // Both are parts of what was issued, so their sum does not overflow.
        Ok(Self::issue(Amount::from_quanta(first.quanta() + second.quanta()), issuer))
    }

    /// Splits the budget into `parts` budgets that differ by at most one quantum of 2^-96 and add
    /// up to exactly the whole.
    pub fn split_evenly(self, parts: NonZeroUsize) -> Vec<Self> {
        let count = parts.get() as u128;
        let (each, extra) = (self.amount.quanta() / count, self.amount.quanta() % count);
        let part = |index| Amount::from_quanta(each + u128::from(index < extra));
        (0..count).map(|index| Self::issue(part(index), self.issuer)).collect()
    }
}

/// A budget, or an amount that stands for it in a plan. A method that splits both by the same
/// function has a plan that agrees with its fit.
pub trait Spendable<M: Accounting>: Sized {
    /// Returns the amount.
    fn amount(&self) -> Amount<M>;

    /// Splits into a share and the rest. The two add up to exactly the whole.
    fn split(self, share: Share) -> (Self, Self);
}

impl<A: Adjacency, M: Accounting> Spendable<M> for Budget<A, M> {
    fn amount(&self) -> Amount<M> {
        self.amount
    }

    fn split(self, share: Share) -> (Self, Self) {
        self.split(share)
    }
}

impl<M: Accounting> Spendable<M> for Amount<M> {
    fn amount(&self) -> Amount<M> {
        *self
    }

    fn split(self, share: Share) -> (Self, Self) {
        self.split(share)
    }
}

impl<A: Adjacency, M: Accounting> fmt::Debug for Budget<A, M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Budget<{}, {}>({})", A::KIND, M::KIND, self.amount.cost())
    }
}

/// A proper fraction of a budget, above 0 and below 1.
///
/// ```
/// use scumble_vault::account::Share;
/// const SELECT: Share = Share::of(1, 10).expect("one tenth is a proper fraction");
/// assert!(Share::of(0, 10).is_none() && Share::of(10, 10).is_none() && Share::of(1, 0).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub(super) numerator: u32,
    pub(super) denominator: u32,
}

impl Share {
    /// Returns `numerator / denominator`; `None` unless `0 < numerator < denominator`.
    pub const fn of(numerator: u32, denominator: u32) -> Option<Self> {
        if 0 < numerator && numerator < denominator { Some(Self { numerator, denominator }) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::AddRemove;
    use super::*;

    fn budget(quanta: u128) -> Budget<AddRemove> {
        Budget::issue(Amount::from_quanta(quanta), Issuer(1))
    }

    fn quanta(budgets: &[Budget<AddRemove>]) -> u128 {
        budgets.iter().map(|budget| budget.amount().quanta()).sum()
    }

    proptest! {
        #[test]
        fn parts_add_up_to_the_whole(total: u128, parts in 1..2000_usize) {
            let split = budget(total).split_evenly(NonZeroUsize::new(parts).unwrap());
            prop_assert_eq!(split.len(), parts);
            prop_assert_eq!(quanta(&split), total);
            let amounts = || split.iter().map(|budget| budget.amount().quanta());
            prop_assert!(amounts().max().unwrap() - amounts().min().unwrap() <= 1);
        }

        #[test]
        fn a_share_and_the_rest_add_up_to_the_whole(total: u128, numerator in 1..u32::MAX, denominator in 2..=u32::MAX) {
            prop_assume!(numerator < denominator);
            let (first, rest) = budget(total).split(Share::of(numerator, denominator).unwrap());
            prop_assert_eq!(first.amount().quanta() + rest.amount().quanta(), total);
        }
    }

    #[test]
    fn a_share_is_the_fraction_it_says() {
        let (first, rest) = budget(1_000_000_007).split(Share::of(1, 10).unwrap());
        assert_eq!((first.amount().quanta(), rest.amount().quanta()), (100_000_000, 900_000_007));
    }

    #[test]
    fn debug_shows_terms_and_amount() {
        assert_eq!(format!("{:?}", budget(1 << 96)), "Budget<add-remove, gdp>(mu² 1.000000e0)");
    }
}
