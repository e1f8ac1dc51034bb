//! Pearson's test of independence.

use serde::Serialize;

use super::gamma::upper_tail;
use crate::sample::number;

/// Level of the test: independence is rejected if the p-value is below it.
pub const LEVEL: f64 = 0.05;

/// Pearson's test of one table of counts, without a correction for continuity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Independence {
    /// Sum over cells of the squared difference between count and expected count, over the expected
    /// count.
    pub statistic: f64,
    /// `(rows - 1) (columns - 1)`, without empty rows and columns.
    pub degrees_of_freedom: usize,
    /// Probability of a statistic at least as large if the columns are independent.
    pub p_value: f64,
    /// Whether independence is rejected.
    pub significant: bool,
    /// Cramér's V: strength of the relation, between 0 and 1, independent of the number of rows.
    pub cramers_v: f64,
}

impl Independence {
    /// Tests a table whose rows have `columns` cells; `None` if fewer than two rows or columns are
    /// not empty.
    pub(super) fn test(counts: &[u32], columns: usize) -> Option<Self> {
        let mut of_row = vec![0.0; counts.len() / columns];
        let mut of_column = vec![0.0; columns];
        for (counts, of_row) in counts.chunks_exact(columns).zip(&mut of_row) {
            for (&count, of_column) in counts.iter().zip(&mut of_column) {
                *of_row += f64::from(count);
                *of_column += f64::from(count);
            }
        }
        let filled = |totals: &[f64]| totals.iter().filter(|&&total| total > 0.0).count();
        let (filled_rows, filled_columns) = (filled(&of_row), filled(&of_column));
        let smaller = filled_rows.min(filled_columns);
        if smaller < 2 {
            return None;
        }
        let rows: f64 = of_row.iter().sum();
        let mut statistic = 0.0;
        for (counts, row) in counts.chunks_exact(columns).zip(&of_row) {
            for (&count, column) in counts.iter().zip(&of_column) {
                let expected = row * column / rows;
                if expected > 0.0 {
                    statistic += (f64::from(count) - expected).powi(2) / expected;
                }
            }
        }
        let degrees_of_freedom = (filled_rows - 1) * (filled_columns - 1);
        let p_value = upper_tail(statistic, number(degrees_of_freedom));
        Some(Self {
            statistic,
            degrees_of_freedom,
            p_value,
            significant: p_value < LEVEL,
            cramers_v: (statistic / rows / number(smaller - 1)).sqrt(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.chi2_contingency` of `scipy` 1.17.1, without correction.
    #[test]
    fn tests_are_those_of_scipy() {
        let test = Independence::test(&[12, 5, 7, 3, 9, 14], 3).unwrap();
        assert!((test.statistic - 8.810_286_935_286_934).abs() < 1e-12 && test.degrees_of_freedom == 2);
        assert!((test.p_value - 0.012_214_353_924_559_529).abs() < 1e-13 && test.significant);
        assert!((test.cramers_v - (8.810_286_935_286_934_f64 / 50.0).sqrt()).abs() < 1e-12);
        let test = Independence::test(&[10, 20, 30, 6, 9, 17, 3, 1, 4], 3).unwrap();
        assert!((test.statistic - 2.732_090_643_274_853_7).abs() < 1e-12 && test.degrees_of_freedom == 4);
        assert!((test.p_value - 0.603_610_956_168_146_2).abs() < 1e-12 && !test.significant);
    }

    #[test]
    fn empty_rows_and_columns_do_not_count() {
        let full = Independence::test(&[12, 5, 7, 3, 9, 14], 3);
        assert_eq!(Independence::test(&[12, 5, 0, 7, 0, 0, 0, 0, 3, 9, 0, 14], 4), full);
        assert_eq!(Independence::test(&[12, 5, 7, 0, 0, 0], 3), None);
        assert_eq!(Independence::test(&[12, 0, 3, 0], 2), None);
        assert_eq!(Independence::test(&[0; 4], 2), None);
    }

    #[test]
    fn equal_columns_have_the_strongest_relation() {
        let test = Independence::test(&[20, 0, 0, 0, 30, 0, 0, 0, 50], 3).unwrap();
        assert!((test.statistic - 200.0).abs() < 1e-9 && (test.cramers_v - 1.0).abs() < 1e-12);
    }
}
