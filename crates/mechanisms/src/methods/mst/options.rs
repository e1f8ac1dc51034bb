//! Options of `mst`.

use std::collections::BTreeMap;

use scumble_schema::{AttributeId, Clique, Domain};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::learning::column_levels::ColumnLevels;
use crate::learning::merging::Merging;
use crate::mechanism::option::{GaussianAccounting, check, check_column_count};
use crate::mechanism::workload::Workload;

/// Options of `mst`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Values with fewer noisy rows are merged, in standard deviations of the noise: from 0 to 100.
    pub merge_below: f64,
    /// Prior standard deviation of potentials, from 0.01 to 100: the smaller, the more is treated
    /// as noise. Without it, the model is the one nearest to the tables, as in the paper.
    pub spread: Option<f64>,
    /// Accounting of releases.
    pub accounting: GaussianAccounting,
    /// Tables whose pairs of columns are preferred as edges of the tree, with weights.
    #[serde(skip_serializing_if = "Workload::is_empty")]
    pub workload: Workload,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            merge_below: 3.0,
            spread: None,
            accounting: GaussianAccounting::default(),
            workload: Workload::default(),
        }
    }
}

/// Maximum number of columns: every pair of them is scored.
const MAX_COLUMNS: usize = 1_000;

impl Options {
    /// Rule by which values are merged.
    pub(crate) fn merging(&self) -> Merging {
        Merging::Rare { below: self.merge_below }
    }

    /// Returns the tables of the workload over the coarsest versions of their columns, which edges
    /// join, with weights.
    pub(super) fn named_tables(
        &self,
        base: &Domain,
        versions: &ColumnLevels,
    ) -> Result<Vec<(Clique, f64)>, MechanismError> {
        let coarsest: BTreeMap<AttributeId, AttributeId> =
            (0..versions.columns()).map(|column| versions.ends_of(column)).collect();
        let of_edges = |table: &Clique| Clique::new(table.attributes().iter().map(|column| coarsest[column]));
        Ok(self.workload.cliques(base)?.iter().map(|(table, weight)| (of_edges(table), *weight)).collect())
    }

    /// Refuses options out of their range, and tables with too many columns.
    pub(super) fn check_columns(&self, base: &Domain) -> Result<(), MechanismError> {
        check("merge_below", self.merge_below, 0.0, 100.0)?;
        check("spread", self.spread.unwrap_or(1.0), 0.01, 100.0)?;
        self.workload.check(base)?;
        let hint = "leave out columns, or choose `privbayes-nist` or `independent`";
        check_column_count(base, MAX_COLUMNS, "in one tree", hint)
    }
}
