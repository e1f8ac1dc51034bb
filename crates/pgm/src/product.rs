//! Independent columns.

use scumble_schema::limits;

/// How far a column's probabilities may sum from one and still be taken for rounding.
const SUM_TOLERANCE: f64 = 1e-9;

/// A distribution in which every column is independent of the others.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductModel {
    columns: Vec<Box<[f64]>>,
}

/// Numbers that are no distribution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A column's numbers are negative, not finite, or do not sum to one.
    #[error("column {column} of the model is no distribution")]
    NotADistribution {
        /// The column's position.
        column: usize,
    },
    /// The model has more cells than we hold.
    #[error("the model has {cells} cells, at most {} are possible", limits::CELLS_PER_MODEL)]
    TooLarge {
        /// How many cells.
        cells: u128,
    },
}

impl ProductModel {
    /// The model with these probabilities, column by column.
    pub fn new(columns: Vec<Vec<f64>>) -> Result<Self, ModelError> {
        let cells: u128 = columns.iter().map(|column| column.len() as u128).sum();
        if cells > limits::CELLS_PER_MODEL {
            return Err(ModelError::TooLarge { cells });
        }
        for (index, column) in columns.iter().enumerate() {
            let sound = column.iter().all(|probability| (0.0..=1.0).contains(probability));
            if !sound || (column.iter().sum::<f64>() - 1.0).abs() > SUM_TOLERANCE {
                return Err(ModelError::NotADistribution { column: index });
            }
        }
        Ok(Self { columns: columns.into_iter().map(Vec::into_boxed_slice).collect() })
    }

    /// The probability of every code, column by column.
    pub fn probabilities(&self) -> &[Box<[f64]>] {
        &self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_distribution_is_refused() {
        for column in [vec![], vec![0.5], vec![1.5, -0.5], vec![f64::NAN], vec![f64::INFINITY, 0.0]] {
            assert_eq!(ProductModel::new(vec![vec![1.0], column]), Err(ModelError::NotADistribution { column: 1 }));
        }
        assert!(ProductModel::new(vec![]).is_ok());
    }
}
