//! Independent columns.

use scumble_schema::limits;

use crate::error::ModelError;

/// Largest rounding error in the sum of a column's probabilities.
const SUM_TOLERANCE: f64 = 1e-9;

/// A distribution in which every column is independent of the others.
///
/// ```
/// use scumble_pgm::ProductModel;
///
/// let model = ProductModel::new(vec![vec![0.25, 0.75], vec![1.0]])?;
/// assert_eq!(model.probabilities()[0][1], 0.75);
/// assert!(ProductModel::new(vec![vec![0.25, 0.25]]).is_err(), "probabilities sum to one");
/// # Ok::<(), scumble_pgm::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ProductModel {
    columns: Vec<Box<[f64]>>,
}

impl ProductModel {
    /// Makes the model from the probabilities of each column.
    ///
    /// # Errors
    /// If a column is no distribution, or the model has too many cells.
    pub fn new(columns: Vec<Vec<f64>>) -> Result<Self, ModelError> {
        let cells: u128 = columns.iter().map(|column| column.len() as u128).sum();
        if cells > limits::CELLS_PER_MODEL {
            return Err(ModelError::too_large(cells));
        }
        for (index, column) in columns.iter().enumerate() {
            let sound = column.iter().all(|probability| (0.0..=1.0).contains(probability));
            if !sound || (column.iter().sum::<f64>() - 1.0).abs() > SUM_TOLERANCE {
                return Err(ModelError::NotADistribution { column: index });
            }
        }
        Ok(Self { columns: columns.into_iter().map(Vec::into_boxed_slice).collect() })
    }

    /// Returns the probability of every code, column by column.
    pub fn probabilities(&self) -> &[Box<[f64]>] {
        &self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_are_no_distribution_are_refused() {
        for column in [vec![], vec![0.5], vec![1.5, -0.5], vec![f64::NAN], vec![f64::INFINITY, 0.0]] {
            assert_eq!(ProductModel::new(vec![vec![1.0], column]), Err(ModelError::NotADistribution { column: 1 }));
        }
        assert!(ProductModel::new(vec![]).is_ok());
    }
}
