//! What counts as a neighbour: the part of the contract that the owner of the table declares.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// Which tables are neighbours: those that nobody may tell apart by what is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdjacencyKind {
    /// One unit's rows are added or removed; the number of rows is private.
    #[default]
    AddRemove,
    /// One unit's rows are replaced by others; the number of rows is public.
    ReplaceOne,
}

impl fmt::Display for AdjacencyKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::AddRemove => "add-remove",
            Self::ReplaceOne => "replace-one",
        })
    }
}

/// Whether the number of rows may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowCount {
    /// Only a noisy number of rows leaves.
    Private,
    /// The number of rows is a public fact. Only possible with [`AdjacencyKind::ReplaceOne`].
    Public,
}

/// Whose rows the guarantee protects, all of them together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Unit {
    /// Any rows of one person, as many as the owner says a person has: nothing in the data tells whose a row is.
    #[default]
    Row,
    /// All rows with the same value in this column of the data. Only so many of them are kept.
    Column(String),
}

impl Unit {
    /// What stands in a schema file for [`Unit::Row`], and therefore for no column.
    const ROW: &str = "row";

    /// The unit that a schema file, a ledger or a certificate writes so: `row`, or the name of a column.
    pub fn from_name(name: &str) -> Self {
        if name == Self::ROW { Self::Row } else { Self::Column(name.to_owned()) }
    }

    /// The column that says whose a row is.
    pub fn column(&self) -> Option<&str> {
        match self {
            Self::Row => None,
            Self::Column(name) => Some(name),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.column().unwrap_or(Self::ROW))
    }
}

/// The privacy terms of a table, as its schema declares them. Every sensitivity follows from them.
///
/// ```
/// use scumble_schema::{AdjacencyKind, Schema, Unit};
///
/// let schema = Schema::parse("
/// dp: {privacyUnit: patient, maxContributions: 5}
/// fields: [{name: ward, type: string, constraints: {enum: [a, b], required: true}}]
/// ")?;
/// let privacy = schema.privacy();
/// assert_eq!(privacy.unit, Unit::Column("patient".into()));
/// assert_eq!((privacy.max_contributions.get(), privacy.adjacency), (5, AdjacencyKind::AddRemove));
/// # Ok::<(), scumble_schema::Problems>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privacy {
    /// What is protected.
    pub unit: Unit,
    /// Which tables are neighbours.
    pub adjacency: AdjacencyKind,
    /// Most rows that one protected unit contributes; every sensitivity is multiplied by it. A promise of the owner for
    /// [`Unit::Row`], and what the engine sees to for [`Unit::Column`].
    pub max_contributions: NonZeroU32,
    /// Whether the number of rows may be told.
    pub row_count: RowCount,
}

impl Privacy {
    /// The column that says whose a row is, with the most rows of one unit that are kept; `None` if every row is kept.
    pub fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.unit.column().map(|column| (column, self.max_contributions))
    }
}

impl Default for Privacy {
    /// One row is one unit, rows are added or removed, their number is private.
    fn default() -> Self {
        Self {
            unit: Unit::Row,
            adjacency: AdjacencyKind::AddRemove,
            max_contributions: NonZeroU32::MIN,
            row_count: RowCount::Private,
        }
    }
}
