//! Exact draws from a smoothed histogram. The proof is in `account/smoothing.md`.

use std::num::NonZeroU32;

use super::rng::Substream;
use super::uniform::{Digits, index_below};

/// Sampler that draws cell `i` with probability exactly `(1-s) c_i/n + s/cells`; uniform if there
/// are no rows.
///
/// # Privacy
/// See [`Smoothing`](crate::account::Smoothing). Integers only, from the counts and the random bits
/// to the result.
pub struct SmoothedHistogram {
    /// Number of rows in each cell and all cells before it.
    cumulated: Vec<u64>,
    /// `s`, in units of 2^-32.
    smoothing: NonZeroU32,
}

impl SmoothedHistogram {
    /// Creates the sampler for `counts`, smoothed by `smoothing` units of 2^-32.
    ///
    /// # Panics
    /// If `counts` is empty, or its sum exceeds a `u64`. Both are public.
    pub fn new(counts: &[u64], smoothing: NonZeroU32) -> Self {
        let cumulate = |rows: &mut u64, &count: &u64| {
            *rows = rows.checked_add(count)?;
            Some(*rows)
        };
        let cumulated: Vec<u64> = counts.iter().scan(0, cumulate).collect();
        assert!(!counts.is_empty() && cumulated.len() == counts.len(), "there are cells, and rows fit a `u64`");
        Self { cumulated, smoothing }
    }

    /// Draws the number of a cell.
    pub fn draw(&self, substream: &mut Substream) -> usize {
        self.draw_with(substream)
    }

    fn draw_with(&self, digits: &mut impl Digits) -> usize {
        let cells = self.cumulated.len();
        let rows = usize::try_from(self.cumulated[cells - 1]).expect("a machine of 64 bits");
        // A uniform digit of 32 bits is below `smoothing` with probability exactly `s`.
        if digits.digit() < self.smoothing.get() || rows == 0 {
            return index_below(cells, digits);
        }
        let row = index_below(rows, digits) as u64;
        self.cumulated.partition_point(|&rows| rows <= row)
    }
}

impl std::fmt::Debug for SmoothedHistogram {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SmoothedHistogram(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::super::uniform::tests::Script;
    use super::*;

    fn histogram(counts: &[u64], smoothing: u32) -> SmoothedHistogram {
        SmoothedHistogram::new(counts, NonZeroU32::new(smoothing).unwrap())
    }

    /// Returns a digit for which `index_below(bound)` is `index`.
    fn middle(index: usize, bound: u64) -> u32 {
        u32::try_from(((2 * index as u64 + 1) << 31) / bound).unwrap()
    }

    #[test]
    fn the_first_digit_decides_between_drawing_a_row_and_drawing_a_cell() {
        const HALF: u32 = 1 << 31;
        let smoothed = histogram(&[0, 2, 0, 3, 0], HALF);
        for (row, cell) in [1, 1, 3, 3, 3].into_iter().enumerate() {
            let mut digits = Script::new([HALF, middle(row, 5)]);
            assert_eq!(smoothed.draw_with(&mut digits), cell);
            assert_eq!(digits.left(), 0);
        }
        for cell in 0..5 {
            assert_eq!(smoothed.draw_with(&mut Script::new([HALF - 1, middle(cell, 5)])), cell);
        }
        assert_eq!(format!("{smoothed:?}"), "SmoothedHistogram(..)");
    }

    #[test]
    fn without_rows_all_cells_are_equally_likely() {
        for cell in 0..3 {
            assert_eq!(histogram(&[0; 3], 1).draw_with(&mut Script::new([u32::MAX, middle(cell, 3)])), cell);
        }
    }

    #[test]
    fn the_largest_number_of_rows_works() {
        // Of 2^64 - 1 rows, the last is in the last cell and the one before it in the middle cell.
        let smoothed = histogram(&[5, u64::MAX - 6, 1], 1);
        assert_eq!(smoothed.draw_with(&mut Script::new([1, u32::MAX, u32::MAX - 2])), 1);
        assert_eq!(smoothed.draw_with(&mut Script::new([1, u32::MAX, u32::MAX - 1])), 2);
    }

    #[test]
    #[should_panic(expected = "rows fit")]
    fn more_rows_than_fit_are_refused() {
        histogram(&[u64::MAX, 1], 1);
    }
}
