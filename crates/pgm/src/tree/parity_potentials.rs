//! Distributions of binary columns in a short form: one potential per set of columns.

use scumble_schema::{AttributeId, Clique, Domain};

use super::walsh;
use crate::error::ModelError;

/// Maximum number of columns of such a distribution. A short description must not take all memory.
const MAX_COLUMNS: usize = 24;

/// Potentials of sets of binary columns. The logarithm of the probability of a cell is the sum of
/// all potentials, each with a sign: plus if the cell has an even number of ones in the columns of
/// the set. A constant makes the probabilities sum to one.
#[derive(Debug, Clone, PartialEq)]
pub struct ParityPotentials {
    columns: Clique,
    sets: Vec<Clique>,
    values: Vec<f64>,
}

impl ParityPotentials {
    /// Makes a distribution of binary columns from the potentials of sets of them.
    ///
    /// # Errors
    /// If there are too many columns, a column does not have two values, a set is not among
    /// them, or there is not one finite potential per set.
    pub fn new(domain: &Domain, columns: Clique, sets: Vec<Clique>, values: Vec<f64>) -> Result<Self, ModelError> {
        if let Some(&attribute) = columns.attributes().iter().find(|column| column.index() >= domain.len()) {
            return Err(ModelError::UnknownAttribute { attribute });
        }
        if columns.len() > MAX_COLUMNS {
            return Err(ModelError::too_large(domain.cells(&columns)));
        }
        if let Some(column) = columns.attributes().iter().find(|&&column| domain.size(column) != 2) {
            return Err(ModelError::NotADistribution { column: column.index() });
        }
        let strange = sets.iter().flat_map(Clique::attributes).find(|column| !columns.attributes().contains(column));
        if let Some(&attribute) = strange {
            return Err(ModelError::UnknownAttribute { attribute });
        }
        if values.len() != sets.len() {
            let expected = sets.len() as u128;
            return Err(ModelError::WrongLength { attributes: columns.len(), expected, found: values.len() });
        }
        if !values.iter().all(|value| value.is_finite()) {
            return Err(ModelError::NotFinite { what: "a potential", positive: false });
        }
        Ok(Self { columns, sets, values })
    }

    /// Returns the columns.
    pub fn columns(&self) -> &Clique {
        &self.columns
    }

    /// Returns the sets that have a potential.
    pub fn sets(&self) -> &[Clique] {
        &self.sets
    }

    /// Returns the potential of every set.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the probabilities of all cells. They are the same on every machine, so that
    /// rows drawn with a seed are too.
    pub(crate) fn probabilities(&self) -> Vec<f64> {
        let sets: Vec<usize> = self.sets.iter().map(|set| bits(self.columns.attributes(), set)).collect();
        let mut cells = logarithms(self.columns.len(), &sets, self.values.iter().copied());
        normalise(&mut cells);
        cells
    }
}

/// Returns a set as the bits that its columns have in the number of a cell.
pub(crate) fn bits(columns: &[AttributeId], set: &Clique) -> usize {
    let place = |column: &AttributeId| columns.iter().position(|known| known == column).expect("a set of the columns");
    set.attributes().iter().map(|column| 1 << (columns.len() - 1 - place(column))).sum()
}

/// Returns the logarithms of all cells, up to a constant.
pub(crate) fn logarithms(columns: usize, sets: &[usize], potentials: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut cells = vec![0.0; 1 << columns];
    for (&set, potential) in sets.iter().zip(potentials) {
        cells[set] += potential;
    }
    walsh::transform(&mut cells);
    cells
}

/// Turns logarithms into probabilities, and returns the logarithm of the sum that was divided by.
pub(crate) fn normalise(cells: &mut [f64]) -> f64 {
    let largest = cells.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for cell in &mut *cells {
        *cell = libm::exp(*cell - largest);
        sum += *cell;
    }
    for cell in cells {
        *cell /= sum;
    }
    largest + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clique(columns: &[usize]) -> Clique {
        Clique::new(columns.iter().copied().map(AttributeId::new))
    }

    #[test]
    fn probabilities_have_the_potentials_of_their_sets() {
        let domain = Domain::new(vec![2, 5, 2, 2]).unwrap();
        let sets = vec![clique(&[0]), clique(&[2, 3]), clique(&[0, 2, 3])];
        let potentials = ParityPotentials::new(&domain, clique(&[0, 2, 3]), sets, vec![0.5, -0.25, 0.125]).unwrap();
        let found = potentials.probabilities();
        assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let logarithm = |cell: usize| {
            let sign = |bits: usize| if (cell & bits).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
            0.5 * sign(0b100) - 0.25 * sign(0b011) + 0.125 * sign(0b111)
        };
        for cell in 0..8 {
            let ratio = (found[cell] / found[0]).ln() - (logarithm(cell) - logarithm(0));
            assert!(ratio.abs() < 1e-12, "cell {cell}");
        }
    }

    #[test]
    fn what_is_no_distribution_of_binary_columns_is_refused() {
        let domain = Domain::new([vec![2; 30], vec![3]].concat()).unwrap();
        let refused = |columns: &[usize], set: &[usize], values: Vec<f64>| {
            ParityPotentials::new(&domain, clique(columns), vec![clique(set)], values).unwrap_err()
        };
        refused(&[0, 31], &[0], vec![1.0]);
        refused(&[0, 30], &[0], vec![1.0]);
        refused(&[0, 1], &[2], vec![1.0]);
        refused(&[0, 1], &[1], vec![]);
        refused(&[0, 1], &[1], vec![f64::INFINITY]);
        refused(&(0..25).collect::<Vec<_>>(), &[1], vec![1.0]);
    }
}
