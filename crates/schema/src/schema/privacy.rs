//! The privacy terms that the owner of a table declares: unit, adjacency and contribution bound.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// Which tables are neighbours, that is, indistinguishable under the guarantee.
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

/// Whether the number of rows is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowCount {
    /// Only a noisy number of rows is released.
    Private,
    /// The number of rows is a public fact. Only possible with [`AdjacencyKind::ReplaceOne`].
    Public,
}

/// The unit whose rows the guarantee protects together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Unit {
    /// Any `max_contributions` rows. The owner declares how many rows a person has; no column
    /// identifies the person.
    #[default]
    Row,
    /// All rows with the same value in this column of the data. At most `max_contributions` of them
    /// are kept.
    Column(String),
}

impl Unit {
    /// The name of [`Unit::Row`] in a schema file. No column can have it.
    pub(crate) const ROW: &str = "row";

    /// Parses the unit of a schema file, ledger or certificate: `row`, or the name of a column.
    pub fn from_name(name: &str) -> Self {
        if name == Self::ROW { Self::Row } else { Self::Column(name.to_owned()) }
    }

    /// The column that identifies the unit, if any.
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

/// The privacy terms declared in a schema. Every sensitivity follows from them.
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
    /// The protected unit.
    pub unit: Unit,
    /// Which tables are neighbours.
    pub adjacency: AdjacencyKind,
    /// Maximum number of rows of one unit; every sensitivity is multiplied by it. Promised by the
    /// owner for [`Unit::Row`], enforced by the engine for [`Unit::Column`].
    pub max_contributions: NonZeroU32,
    /// Whether the number of rows is public.
    pub row_count: RowCount,
}

impl Privacy {
    /// The column that identifies the unit, with the maximum number of rows kept per unit; `None`
    /// if every row is kept.
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
