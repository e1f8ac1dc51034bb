//! Scores of subgroups, with the names of columns and values.

use scumble_schema::{AttributeId, Schema};
use serde::Serialize;

use super::Measured;
use crate::error::EvaluateError;
use crate::marginal::subgroup::{Subgroup, subgroups};
use crate::table::Columns;

/// Scores of the subgroups that the values of one column make.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubgroupScores {
    /// The column.
    pub column: String,
    /// One score for each value that occurs in the real rows.
    pub groups: Vec<GroupScore>,
}

/// Score of the rows with one value of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupScore {
    /// Value that the rows share.
    pub value: String,
    /// Number of real rows.
    pub real_rows: u32,
    /// Number of synthetic rows.
    pub synthetic_rows: u32,
    /// K-marginal score, of 1000.
    pub score: Measured,
}

impl SubgroupScores {
    pub(super) fn new(
        real: &Columns,
        synthetic: &Columns,
        schema: &Schema,
        column: AttributeId,
    ) -> Result<Self, EvaluateError> {
        let groups = subgroups(real, synthetic, column)?;
        let attribute = schema.attribute(column);
        let group = |group: Subgroup| GroupScore {
            value: attribute.label(group.code),
            real_rows: group.real_rows,
            synthetic_rows: group.synthetic_rows,
            score: Measured { value: group.score, achievable: group.achievable },
        };
        Ok(Self { column: attribute.name().into(), groups: groups.into_iter().map(group).collect() })
    }
}
