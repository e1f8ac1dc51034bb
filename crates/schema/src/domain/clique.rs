//! Sets of attributes.

use serde::{Deserialize, Serialize};

/// The position of an attribute in its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttributeId(u32);

impl AttributeId {
    /// The id of the attribute at `index`.
    ///
    /// # Panics
    /// If `index` exceeds `u32`, which no checked schema reaches.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a schema has at most limits::COLUMNS attributes"))
    }

    /// The position in the schema.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of attributes, ascending and without repeats.
///
/// The empty clique has one cell: the number of rows.
///
/// ```
/// use scumble_schema::{AttributeId, Clique};
/// let clique = Clique::new([2, 0, 2].map(AttributeId::new));
/// assert_eq!(clique.attributes(), [0, 2].map(AttributeId::new));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Vec<AttributeId>", into = "Vec<AttributeId>")]
pub struct Clique(Box<[AttributeId]>);

impl Clique {
    /// The clique of these attributes, in any order.
    pub fn new(attributes: impl IntoIterator<Item = AttributeId>) -> Self {
        let mut sorted: Vec<_> = attributes.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        Self(sorted.into())
    }

    /// The clique of one attribute.
    pub fn single(attribute: AttributeId) -> Self {
        Self(Box::new([attribute]))
    }

    /// The clique of no attribute, whose one cell counts all rows.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The attributes, ascending.
    pub fn attributes(&self) -> &[AttributeId] {
        &self.0
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the clique has no attribute.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the clique contains this attribute.
    pub fn has(&self, attribute: AttributeId) -> bool {
        self.0.binary_search(&attribute).is_ok()
    }

    /// Whether the clique contains all attributes of `other`.
    ///
    /// ```
    /// use scumble_schema::{AttributeId, Clique};
    /// let [pair, single] = [vec![0, 2], vec![2]].map(|indices| Clique::new(indices.into_iter().map(AttributeId::new)));
    /// assert!(pair.holds(&single) && !single.holds(&pair) && single.holds(&Clique::empty()));
    /// ```
    pub fn holds(&self, other: &Self) -> bool {
        other.0.iter().all(|&attribute| self.has(attribute))
    }

    /// The attributes of both cliques.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.iter().copied().filter(|&attribute| other.has(attribute)).collect())
    }

    /// The attributes of either clique.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.0.iter().chain(&other.0).copied())
    }
}

impl From<Vec<AttributeId>> for Clique {
    fn from(attributes: Vec<AttributeId>) -> Self {
        Self::new(attributes)
    }
}

impl From<Clique> for Vec<AttributeId> {
    fn from(clique: Clique) -> Self {
        clique.0.into_vec()
    }
}
