//! Subgroups with their values.

use scumble_schema::{AttributeId, Schema};
use serde::Serialize;

use super::Beside;
use crate::columns::Columns;
use crate::error::EvaluateError;
use crate::subgroup::{Subgroup, subgroups};

/// How well each group of rows is served that a column's values make.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubgroupScores {
    /// The column.
    pub column: String,
    /// Each value that real rows have.
    pub groups: Vec<GroupScore>,
}

/// How well the rows with one value of a column are served.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupScore {
    /// The value that its rows have.
    pub value: String,
    /// How many real rows.
    pub real_rows: u32,
    /// How many synthetic rows.
    pub synthetic_rows: u32,
    /// The k-marginal score, of 1000.
    pub score: Beside,
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
            score: Beside { value: group.score, achievable: group.achievable },
        };
        Ok(Self { column: attribute.name().into(), groups: groups.into_iter().map(group).collect() })
    }
}
