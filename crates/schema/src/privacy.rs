//! What counts as a neighbour: the part of the contract that the owner of the table declares.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// Which tables are neighbours.
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

/// The privacy terms of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Privacy {
    /// Which tables are neighbours.
    pub adjacency: AdjacencyKind,
    /// Most rows that one protected unit contributes; every sensitivity is multiplied by it.
    pub max_contributions: NonZeroU32,
    /// Whether the number of rows may be told.
    pub row_count: RowCount,
}

impl Default for Privacy {
    /// One row is one unit, rows are added or removed, their number is private.
    fn default() -> Self {
        Self { adjacency: AdjacencyKind::AddRemove, max_contributions: NonZeroU32::MIN, row_count: RowCount::Private }
    }
}
