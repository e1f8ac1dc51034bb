//! A table of numbers over a clique.

use scumble_schema::{AttributeId, Clique, Domain, limits};

use crate::error::ModelError;
use crate::table::projection::{Axis, Projection};

/// A number for every cell of a clique, in the order that [`scumble_schema::cells`] fixes.
///
/// The numbers may be counts, probabilities or logarithms of potentials; the table does not know.
///
/// ```
/// use scumble_pgm::Factor;
/// use scumble_schema::{AttributeId, Clique, Domain};
///
/// let domain = Domain::new(vec![2, 3])?;
/// let both = Clique::new(domain.attributes());
/// let counts = Factor::new(&domain, both, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let first = counts.project(&Clique::single(AttributeId::new(0)));
/// assert_eq!(first.values(), [6.0, 15.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    clique: Clique,
    sizes: Box<[u32]>,
    values: Vec<f64>,
}

impl Factor {
    /// Makes a table from its values.
    pub fn new(domain: &Domain, clique: Clique, values: Vec<f64>) -> Result<Self, ModelError> {
        check_length(domain, &clique, values.len())?;
        let sizes = clique.attributes().iter().map(|&attribute| domain.size(attribute)).collect();
        Ok(Self { clique, sizes, values })
    }

    /// Makes a table with `value` in every cell.
    pub fn filled(domain: &Domain, clique: Clique, value: f64) -> Result<Self, ModelError> {
        let values = vec![value; checked_cells(domain, &clique)?];
        Self::new(domain, clique, values)
    }

    /// Returns the attributes of the table.
    pub fn clique(&self) -> &Clique {
        &self.clique
    }

    /// Returns the number of codes of each attribute.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Returns the values, cell by cell.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the values, mutably.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Returns the values, without the clique.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// Returns the sum of all cells.
    pub fn sum(&self) -> f64 {
        self.values.iter().sum()
    }

    /// Returns the table over fewer attributes, each cell the sum of the cells that fall in it.
    ///
    /// # Panics
    /// If `onto` has an attribute that this table lacks.
    #[must_use]
    pub fn project(&self, onto: &Clique) -> Self {
        let projection = self.projection(onto);
        let mut values = vec![0.0; projection.onto_cells()];
        projection.sum(&self.values, &mut values);
        self.over(onto, values)
    }

    /// Adds to each cell the value of the smaller table's cell that it falls in.
    ///
    /// # Panics
    /// If `smaller` has an attribute that this table lacks.
    pub fn add(&mut self, smaller: &Self) {
        self.projection(&smaller.clique).add(&smaller.values, &mut self.values);
    }

    /// Multiplies each cell by the value of the smaller table's cell that it falls in.
    pub(crate) fn multiply(&mut self, smaller: &Self) {
        self.projection(&smaller.clique).multiply(&smaller.values, &mut self.values);
    }

    /// Returns the map from the cells of this table to those of a table over fewer attributes.
    pub(crate) fn projection(&self, onto: &Clique) -> Projection {
        assert!(self.clique.holds(onto), "a projection drops axes");
        Projection::new(&axes(&self.clique, &self.sizes), onto)
    }

    fn axis(&self, attribute: AttributeId) -> Option<usize> {
        self.clique.attributes().binary_search(&attribute).ok()
    }

    fn over(&self, clique: &Clique, values: Vec<f64>) -> Self {
        let size = |attribute: &AttributeId| self.sizes[self.axis(*attribute).expect("a projection drops axes")];
        Self { clique: clique.clone(), sizes: clique.attributes().iter().map(size).collect(), values }
    }
}

fn axes(clique: &Clique, sizes: &[u32]) -> Vec<Axis> {
    clique.attributes().iter().zip(sizes).map(|(&attribute, &size)| Axis { attribute, size }).collect()
}

/// Refuses a table that does not fit this clique of this domain. A table carries its own sizes, so
/// it may belong to another domain.
pub(crate) fn check_length(domain: &Domain, clique: &Clique, found: usize) -> Result<(), ModelError> {
    let expected = checked_cells(domain, clique)?;
    if expected != found {
        return Err(ModelError::WrongLength { attributes: clique.len(), expected: expected as u128, found });
    }
    Ok(())
}

/// Returns the number of cells of a clique.
///
/// # Errors
/// If the clique names an attribute that the domain lacks, or has more cells than a model may have.
pub(crate) fn checked_cells(domain: &Domain, clique: &Clique) -> Result<usize, ModelError> {
    if let Some(&attribute) = clique.attributes().iter().find(|attribute| attribute.index() >= domain.len()) {
        return Err(ModelError::UnknownAttribute { attribute });
    }
    match domain.cells(clique) {
        cells if cells > limits::CELLS_PER_MODEL => Err(ModelError::too_large(cells)),
        cells => Ok(usize::try_from(cells).expect("the limit fits a usize")),
    }
}
