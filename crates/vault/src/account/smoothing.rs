//! Cost of rows drawn from a smoothed histogram. The proof is in `smoothing.md`, shown at
//! [`Smoothing`].

use std::num::{NonZeroU32, NonZeroU64};

use dashu_int::UBig;
use serde::{Deserialize, Serialize};

use super::amount::ceil_quanta;
use super::logarithm::{LN_BITS, ln_above};
use super::{AccountingKind, Amount, RowDrawing, RowUnits};

/// Independent draws of cells, with all parameters of their cost. A cell with `c` of `n` rows has
/// probability `(1-s) c/n + s/cells`.
///
/// # Privacy
/// Under replace-one, one draw is `ln r`-differentially private with `r = 1 + (1-s) cells u / (n
/// s)`.
#[doc = ""]
#[doc = include_str!("smoothing.md")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smoothing {
    /// Number of cells of the public domain, empty ones included.
    pub cells: NonZeroU64,
    /// `u`, the maximum number of rows per unit.
    pub unit: NonZeroU32,
    /// `n`, which is public. A table without rows is charged like one with one row.
    pub rows: u64,
    /// Number of draws.
    pub drawn: NonZeroU64,
    /// `s`, in units of 2^-32.
    pub smoothing: NonZeroU32,
}

impl Smoothing {
    /// Returns the draws with the smallest `s` that cost at most `share` together; `None` if no `s`
    /// below one does.
    ///
    /// Rounded up: too much smoothing costs accuracy, too little costs privacy.
    pub(crate) fn fitting<M: RowDrawing>(
        cells: NonZeroU64,
        unit: NonZeroU32,
        rows: u64,
        drawn: NonZeroU64,
        share: Amount<M>,
    ) -> Option<Self> {
        let of = |smoothing| NonZeroU32::new(smoothing).map(|smoothing| Self { cells, unit, rows, drawn, smoothing });
        let fits = |smoothing| of(smoothing)?.quanta(M::KIND).filter(|&cost| cost <= share.quanta());
        // Without smoothing no budget is enough, and the cost falls with `s`.
        let (mut too_small, mut large_enough) = (0, u32::MAX);
        fits(large_enough)?;
        while too_small + 1 < large_enough {
            let middle = u32::midpoint(too_small, large_enough);
            if fits(middle).is_some() { large_enough = middle } else { too_small = middle }
        }
        of(large_enough)
    }

    /// Returns the total cost of the draws in quanta, rounded up once; `None` if the accounting has
    /// no cost for them or it does not fit.
    pub(super) fn quanta(&self, accounting: AccountingKind) -> Option<u128> {
        let (over, under) = self.ratio();
        let ln = ln_above(&over, &under);
        match accounting {
            AccountingKind::Pure => ceil_quanta(&(ln * self.drawn.get()), &(UBig::ONE << LN_BITS)),
            AccountingKind::Zcdp => ceil_quanta(&(ln.pow(2) * self.drawn.get()), &(UBig::ONE << (2 * LN_BITS + 1))),
            AccountingKind::Gdp => None,
        }
    }

    /// Returns `r` exactly: `(n a + cells u (2^32 - a)) / (n a)` for `s = a / 2^32`.
    fn ratio(&self) -> (UBig, UBig) {
        let kept = (1_u64 << 32) - u64::from(self.smoothing.get());
        let under = UBig::from(self.rows.max(1)) * self.smoothing.get();
        (&under + UBig::from(self.cells.get()) * RowUnits::of_cell(self.unit).get() * kept, under)
    }
}
