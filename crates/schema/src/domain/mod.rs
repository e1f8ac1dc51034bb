//! The number of codes of each attribute, and the sizes of tables over them.

pub mod cells;
pub(crate) mod clique;
pub(crate) mod codes;
pub(crate) mod drawn_sets;
mod numpy;
pub(crate) mod recoding;

use self::clique::{AttributeId, Clique};
use crate::error::SchemaError;
use crate::limits;

/// The number of codes of every attribute. Most crates need nothing else of a schema.
///
/// ```
/// use scumble_schema::{AttributeId, Clique, Domain};
///
/// let domain = Domain::new(vec![2, 12, 5])?;
/// let pair = Clique::new([AttributeId::new(0), AttributeId::new(2)]);
/// assert_eq!(domain.cells(&pair), 10);
/// // Too large a table is refused before it is allocated.
/// let wide = Domain::new(vec![1_000; 4])?;
/// assert!(wide.table_len(&Clique::new(wide.attributes())).is_err());
/// # Ok::<(), scumble_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Domain {
    sizes: Box<[u32]>,
}

impl Domain {
    /// Creates a domain with these sizes.
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
                    format!("has {size} codes, 1 to {} are possible", limits::CATEGORIES),
                    "declare wider bins or fewer categories",
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

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether the domain has no attribute.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// All attributes, in schema order.
    pub fn attributes(&self) -> impl Iterator<Item = AttributeId> + use<> {
        (0..self.sizes.len()).map(AttributeId::new)
    }

    /// One clique per attribute.
    pub fn one_way(&self) -> Vec<Clique> {
        self.attributes().map(Clique::single).collect()
    }

    /// Number of cells of the table over `clique`; saturates at `u128::MAX`.
    pub fn cells(&self, clique: &Clique) -> u128 {
        clique.attributes().iter().fold(1, |cells: u128, &attribute| cells.saturating_mul(self.size(attribute).into()))
    }

    /// The length of the table over `clique`.
    ///
    /// # Errors
    /// If it exceeds [`limits::CELLS_PER_TABLE`].
    pub fn table_len(&self, clique: &Clique) -> Result<usize, SchemaError> {
        match self.cells(clique) {
            cells if cells > limits::CELLS_PER_TABLE => {
                Err(SchemaError::TableTooLarge { attributes: clique.len(), cells })
            }
            cells => Ok(usize::try_from(cells).expect("the limit fits a usize")),
        }
    }
}
