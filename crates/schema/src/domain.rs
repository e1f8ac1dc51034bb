//! How many codes each attribute has, and how large tables over them are.

use crate::clique::{AttributeId, Clique};
use crate::error::SchemaError;
use crate::limits;

/// The number of codes of every attribute: all that most rooms need to know of a schema.
///
/// ```
/// use scumble_schema::{AttributeId, Clique, Domain};
///
/// let domain = Domain::new(vec![2, 12, 5])?;
/// let pair = Clique::new([AttributeId::new(0), AttributeId::new(2)]);
/// assert_eq!(domain.cells(&pair), 10);
/// // What would be too large is refused before it is made.
/// let wide = Domain::new(vec![1_000; 4])?;
/// assert!(wide.table_len(&Clique::new(wide.attributes())).is_err());
/// # Ok::<(), scumble_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Domain {
    sizes: Box<[u32]>,
}

impl Domain {
    /// A domain with these sizes.
    ///
    /// # Errors
    /// If there are too many attributes, or an attribute has no code or too many.
    pub fn new(sizes: Vec<u32>) -> Result<Self, SchemaError> {
        if sizes.len() > limits::COLUMNS {
            return Err(SchemaError::TooManyColumns { columns: sizes.len() });
        }
        for (index, &size) in sizes.iter().enumerate() {
            if size == 0 || u128::from(size) > limits::CATEGORIES {
                return Err(SchemaError::column(
                    &format!("#{index}"),
                    format!("has {size} codes, between 1 and {} are possible", limits::CATEGORIES),
                    "coarsen the column",
                ));
            }
        }
        Ok(Self { sizes: sizes.into() })
    }

    /// The sizes, in schema order.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The number of codes of one attribute.
    pub fn size(&self, attribute: AttributeId) -> u32 {
        self.sizes[attribute.index()]
    }

    /// How many attributes there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is no attribute.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// All attributes, in schema order.
    pub fn attributes(&self) -> impl Iterator<Item = AttributeId> + use<> {
        (0..self.sizes.len()).map(AttributeId::new)
    }

    /// Every attribute as a clique of its own.
    pub fn one_way(&self) -> Vec<Clique> {
        self.attributes().map(Clique::single).collect()
    }

    /// How many cells the table over `clique` has; saturates at `u128::MAX`.
    pub fn cells(&self, clique: &Clique) -> u128 {
        clique.attributes().iter().fold(1, |cells: u128, &attribute| cells.saturating_mul(self.size(attribute).into()))
    }

    /// The length of the table over `clique`, refused when it would be too large to hold.
    pub fn table_len(&self, clique: &Clique) -> Result<usize, SchemaError> {
        match self.cells(clique) {
            cells if cells > limits::CELLS_PER_TABLE => {
                Err(SchemaError::TableTooLarge { attributes: clique.len(), cells })
            }
            cells => Ok(usize::try_from(cells).expect("the limit fits a usize")),
        }
    }
}
