//! Division of the budget for learning columns.

use scumble_schema::learn::LearnedKind;
use scumble_vault::account::{Accounting, Adjacency, Budget, Share};

/// Share of learning for the classes of texts: a type needs less exact counts than bins and
/// categories.
pub(super) const FOR_CLASSES: Share = Share::of(1, 10).expect("a tenth");
/// Share of the budget for values in the first of two rounds. It finds the frequent values of all
/// columns, so that the second round is for columns that have more.
pub(super) const FOR_FIRST_VALUES: Share = Share::of(1, 5).expect("a fifth");
/// Parts of the budget for the grid of a column of numbers or dates, for its heaps if it may have
/// some, and for the values of a column of texts. A threshold is several times the noise, while
/// bins are merged until they exceed it.
const PARTS_OF_GRID: u32 = 1;
const PARTS_OF_HEAPS: u32 = 1;
const PARTS_OF_CLOSER_GRID: u32 = 1;
pub(super) const PARTS_OF_TEXT: u32 = 2;

/// Share of the whole budget for learning columns, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearnShare(u32);

impl LearnShare {
    /// Returns the share; `None` unless it is at least a thousandth and at most 999 of them.
    pub fn new(thousandths: u32) -> Option<Self> {
        Share::of(thousandths, 1_000).map(|_| Self(thousandths))
    }

    /// Returns the share nearest to a fraction; `None` under the same conditions.
    pub fn of(fraction: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is checked")]
        let thousandths = (fraction * 1_000.0).round() as u32;
        Self::new(thousandths)
    }

    /// Returns the number of thousandths.
    pub fn thousandths(self) -> u32 {
        self.0
    }

    pub(super) fn get(self) -> Share {
        Share::of(self.0, 1_000).expect("checked when it was made")
    }
}

impl Default for LearnShare {
    fn default() -> Self {
        Self(350)
    }
}

/// What is left of a budget, if anything.
pub(super) type Left<A, M> = Option<Budget<A, M>>;

/// Parts of the budget for grids and for values.
#[derive(Default)]
pub(super) struct Parts {
    grids: u32,
    closer_grids: u32,
    values: u32,
}

impl Parts {
    /// Returns the parts of columns, with heaps if values may be released.
    pub(super) fn of<'a>(kinds: impl Iterator<Item = &'a LearnedKind>, with_heaps: bool) -> Self {
        kinds.filter(|kind| !kind.needs_no_counts()).fold(Self::default(), |parts, kind| {
            let (grid, closer_grid, values) = match kind {
                kind if kind.is_text() => (0, 0, PARTS_OF_TEXT),
                kind if kind.is_date() => (PARTS_OF_GRID, PARTS_OF_CLOSER_GRID, 0),
                _ if with_heaps => (PARTS_OF_GRID, 0, PARTS_OF_HEAPS),
                _ => (PARTS_OF_GRID, 0, 0),
            };
            Self {
                grids: parts.grids.saturating_add(grid),
                closer_grids: parts.closer_grids.saturating_add(closer_grid),
                values: parts.values.saturating_add(values),
            }
        })
    }

    /// Adds columns of texts.
    pub(super) fn and_texts(self, texts: usize) -> Self {
        let texts = u32::try_from(texts).unwrap_or(u32::MAX / PARTS_OF_TEXT) * PARTS_OF_TEXT;
        Self { values: self.values.saturating_add(texts), ..self }
    }

    /// Returns the number of all parts.
    pub(super) fn all(&self) -> u32 {
        self.grids.saturating_add(self.closer_grids).saturating_add(self.values)
    }

    /// Splits a budget into parts for grids, for closer grids and for values; a part is `None` if
    /// there are no columns of its kind. If there are none of any kind, all of it is for values.
    pub(super) fn split<A: Adjacency, M: Accounting>(&self, budget: Budget<A, M>) -> [Left<A, M>; 3] {
        let rest = self.closer_grids.saturating_add(self.values);
        let (for_grids, budget) = split_off(Some(budget), self.grids, rest);
        let (for_closer_grids, for_values) = split_off(budget, self.closer_grids, self.values);
        [for_grids, for_closer_grids, for_values]
    }
}

/// Splits a budget into parts of these sizes.
fn split_off<A: Adjacency, M: Accounting>(budget: Left<A, M>, first: u32, rest: u32) -> (Left<A, M>, Left<A, M>) {
    match (budget, first, rest) {
        (None, ..) => (None, None),
        // What nothing is counted for stays unspent.
        (budget, 0, 0) => (None, budget),
        (budget, _, 0) => (budget, None),
        (budget, 0, _) => (None, budget),
        (Some(budget), ..) => match Share::of(first, first.saturating_add(rest)) {
            Some(share) => {
                let (first, rest) = budget.split(share);
                (Some(first), Some(rest))
            }
            None => (Some(budget), None),
        },
    }
}
