//! Correlations of pairs of columns, in the real and in the synthetic table.
//!
//! * Two ordered columns: **Spearman's rank correlation**, between -1 and 1, of the rows where both
//!   have a place in the order. Equal codes share the mean of their ranks.
//! * Any other pair: **Cramér's V**, between 0 and 1: the root of chi-square over n (k - 1), with k
//!   the smaller number of codes that the two columns have in the table. A missing value is a code
//!   like any other.
//!
//! A pair with a column that is constant in a table has no correlation there.
//!
//! # Reference
//! C. Spearman 1904, The proof and measurement of association between two things; H. Cramér 1946,
//! Mathematical methods of statistics, chapter 21.

use scumble_schema::{AttributeId, Clique};
use serde::Serialize;

use crate::error::EvaluateError;
use crate::marginal::for_each_table;
use crate::table::{ColumnKind, Columns};

/// Maximum number of cells of a pair. Larger pairs are left out: they show little that coarser
/// columns would not.
const MAX_PAIR_CELLS: u128 = 1 << 22;
/// Maximum number of columns whose pairs are compared. A picture of more is unreadable.
const MAX_COLUMNS: usize = 100;

/// Measure of the correlation of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Spearman's rank correlation.
    Spearman,
    /// Cramér's V.
    CramersV,
}

/// One pair of columns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairCorrelation {
    /// The positions of the columns, ascending.
    pub columns: [AttributeId; 2],
    /// Measure of the correlation.
    pub measure: Measure,
    /// Correlation in the real table; `None` if a column is constant there.
    pub real: Option<f64>,
    /// Correlation in the synthetic table; `None` if a column is constant there.
    pub synthetic: Option<f64>,
}

impl PairCorrelation {
    /// Returns the synthetic correlation less the real one; `None` if one of them is missing.
    pub fn difference(&self) -> Option<f64> {
        Some(self.synthetic? - self.real?)
    }
}

/// Computes the correlations of all pairs of columns in two tables over one domain.
///
/// # Errors
/// If the tables are over different domains, or there is not one kind per attribute.
pub fn correlations(
    real: &Columns,
    synthetic: &Columns,
    kinds: &[ColumnKind],
) -> Result<Vec<PairCorrelation>, EvaluateError> {
    if real.domain() != synthetic.domain() {
        return Err(EvaluateError::OtherDomain { what: "the synthetic table" });
    }
    if kinds.len() != real.domain().len() {
        return Err(EvaluateError::config("kinds", "one kind per attribute"));
    }
    let columns: Vec<AttributeId> = real.domain().attributes().take(MAX_COLUMNS).collect();
    let pairs = columns.iter().flat_map(|&first| columns.iter().map(move |&second| [first, second]));
    let pairs = pairs.filter(|[first, second]| first < second);
    let pairs: Vec<[AttributeId; 2]> =
        pairs.filter(|&pair| real.domain().cells(&Clique::new(pair)) <= MAX_PAIR_CELLS).collect();
    let cliques: Vec<Clique> = pairs.iter().map(|&pair| Clique::new(pair)).collect();
    let mut found = Vec::with_capacity(pairs.len());
    for_each_table(real, synthetic, &cliques.iter().collect::<Vec<_>>(), |place, left, right| {
        let [first, second] = pairs[place];
        let kinds = [kinds[first.index()], kinds[second.index()]];
        let columns = real.domain().size(second) as usize;
        let measure = match kinds {
            [ColumnKind::Ordered { .. }, ColumnKind::Ordered { .. }] => Measure::Spearman,
            _ => Measure::CramersV,
        };
        let of = |counts: &[u64]| match measure {
            Measure::Spearman => spearman(counts, columns, kinds),
            Measure::CramersV => cramers_v(counts, columns),
        };
        found.push(PairCorrelation { columns: [first, second], measure, real: of(left), synthetic: of(right) });
    });
    Ok(found)
}

/// Returns the mean absolute difference over the pairs that have one; `None` if no pair has.
pub(crate) fn mean_difference(pairs: &[PairCorrelation]) -> Option<f64> {
    let differences: Vec<f64> = pairs.iter().filter_map(PairCorrelation::difference).collect();
    let mean = differences.iter().map(|difference| difference.abs()).sum::<f64>() / differences.len() as f64;
    (!differences.is_empty()).then_some(mean)
}

/// Returns the sums of each row and of each column of a table whose rows have `columns` cells.
fn margins(counts: &[u64], columns: usize) -> (Vec<u64>, Vec<u64>) {
    let of_rows = counts.chunks_exact(columns).map(|row| row.iter().sum()).collect();
    let mut of_columns = vec![0; columns];
    for row in counts.chunks_exact(columns) {
        of_columns.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
    }
    (of_rows, of_columns)
}

fn cramers_v(counts: &[u64], columns: usize) -> Option<f64> {
    let (of_rows, of_columns) = margins(counts, columns);
    let occupied = |sums: &[u64]| sums.iter().filter(|&&sum| sum > 0).count();
    let fewer = occupied(&of_rows).min(occupied(&of_columns));
    if fewer < 2 {
        return None;
    }
    let mut sum = 0.0;
    for (row, &of_row) in counts.chunks_exact(columns).zip(&of_rows) {
        for (&count, &of_column) in row.iter().zip(&of_columns).filter(|&(&count, _)| count > 0) {
            sum += count as f64 * count as f64 / (of_row as f64 * of_column as f64);
        }
    }
    // Chi-square over n is `sum - 1`. Rounding may move it just outside its bounds.
    Some(((sum - 1.0) / (fewer - 1) as f64).clamp(0.0, 1.0).sqrt())
}

fn spearman(counts: &[u64], columns: usize, [of_row, of_column]: [ColumnKind; 2]) -> Option<f64> {
    let placed = |kind: ColumnKind, code: usize| u32::try_from(code).is_ok_and(|code| kind.has_place(code));
    let kept: Vec<u64> = counts
        .iter()
        .enumerate()
        .map(|(cell, &count)| {
            let has_place = placed(of_row, cell / columns) && placed(of_column, cell % columns);
            if has_place { count } else { 0 }
        })
        .collect();
    let (rows, of_columns) = margins(&kept, columns);
    let total: u64 = rows.iter().sum();
    let (rows, of_columns) = (centred_ranks(&rows, total), centred_ranks(&of_columns, total));
    let mut covariance = 0.0;
    for (row, rank) in kept.chunks_exact(columns).zip(&rows.ranks) {
        covariance += rank * row.iter().zip(&of_columns.ranks).map(|(&count, rank)| count as f64 * rank).sum::<f64>();
    }
    let scale = (rows.variation * of_columns.variation).sqrt();
    (scale > 0.0).then(|| (covariance / scale).clamp(-1.0, 1.0))
}

/// Mean rank of each code, less the mean of all ranks, and the sum of the squares over the rows.
struct Ranks {
    ranks: Vec<f64>,
    variation: f64,
}

fn centred_ranks(counts: &[u64], total: u64) -> Ranks {
    let mut before = 0;
    let rank = |&count: &u64| {
        let rank = before as f64 + count as f64 / 2.0 - total as f64 / 2.0;
        before += count;
        rank
    };
    let ranks: Vec<f64> = counts.iter().map(rank).collect();
    let variation = counts.iter().zip(&ranks).map(|(&count, rank)| count as f64 * rank * rank).sum();
    Ranks { ranks, variation }
}

#[cfg(test)]
mod tests {
    use scumble_schema::Domain;

    use super::*;

    const ORDERED: ColumnKind = ColumnKind::Ordered { missing: None };

    #[test]
    fn cramers_v_is_one_for_a_function_and_zero_for_independence() {
        assert!((cramers_v(&[5, 0, 0, 3], 2).unwrap() - 1.0).abs() < 1e-12);
        assert!(cramers_v(&[2, 4, 3, 6], 2).unwrap().abs() < 1e-7);
        // Chi-square of (3, 1; 1, 3) is 2, n is 8.
        assert!((cramers_v(&[3, 1, 1, 3], 2).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(cramers_v(&[3, 0, 1, 0], 2), None);
        assert_eq!(cramers_v(&[0; 4], 2), None);
    }

    #[test]
    fn rank_correlation_is_that_of_the_ranks() {
        // Rows (0, 0), (1, 2), (2, 1): ranks 1, 2, 3 and 1, 3, 2, correlation 1 - 6 * 2 / (3 * 8).
        let counts = [1, 0, 0, 0, 0, 1, 0, 1, 0];
        assert!((spearman(&counts, 3, [ORDERED; 2]).unwrap() - 0.5).abs() < 1e-12);
        assert!((spearman(&[4, 0, 0, 4], 2, [ORDERED; 2]).unwrap() - 1.0).abs() < 1e-12);
        assert!((spearman(&[0, 4, 4, 0], 2, [ORDERED; 2]).unwrap() + 1.0).abs() < 1e-12);
        // Ties: rows (0, 0), (0, 1), (1, 1), ranks 1.5, 1.5, 3 and 1, 2.5, 2.5.
        assert!((spearman(&[1, 1, 0, 1], 2, [ORDERED; 2]).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(spearman(&[1, 1, 0, 0], 2, [ORDERED; 2]), None);
    }

    #[test]
    fn missing_values_have_no_rank() {
        let with_missing = ColumnKind::Ordered { missing: Some(2) };
        // The third row and column are missing values; without them all is in order.
        let counts = [2, 0, 7, 0, 2, 0, 9, 1, 1];
        assert!((spearman(&counts, 3, [with_missing; 2]).unwrap() - 1.0).abs() < 1e-12);
        assert!(spearman(&counts, 3, [ORDERED; 2]).unwrap() < 0.5);
    }

    #[test]
    fn every_pair_is_measured_as_its_columns_allow() {
        let domain = Domain::new(vec![2, 3, 2]).unwrap();
        let real = Columns::new(domain.clone(), vec![vec![0, 0, 1, 1], vec![0, 1, 2, 2], vec![0, 1, 0, 1]]).unwrap();
        let synthetic = real.pick(&[0, 0]);
        let kinds = [ORDERED, ORDERED, ColumnKind::Categorical];
        let pairs = correlations(&real, &synthetic, &kinds).unwrap();
        let measures: Vec<Measure> = pairs.iter().map(|pair| pair.measure).collect();
        assert_eq!(measures, [Measure::Spearman, Measure::CramersV, Measure::CramersV]);
        assert!(pairs.iter().all(|pair| pair.real.is_some() && pair.synthetic.is_none()));
        assert_eq!(mean_difference(&pairs), None, "one row, drawn twice, has no correlations");
        let same = correlations(&real, &real, &kinds).unwrap();
        assert_eq!(mean_difference(&same), Some(0.0));
    }
}
