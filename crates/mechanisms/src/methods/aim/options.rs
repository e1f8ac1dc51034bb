//! Options of `aim`.

use scumble_schema::{AttributeId, Clique, Domain, Schema, limits};
use scumble_vault::Share;
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::mechanism::option::{GaussianAccounting, check, check_column_count, invalid, share, thousandths};

/// Options of `aim`. The defaults are those of the paper where it names any.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Number of columns of the workload's tables, from 1 to 8, unless `workload` names tables: the
    /// workload is all tables over this number of columns.
    pub workload_columns: u32,
    /// The tables of the workload, with weights; if empty, all over `workload_columns` columns.
    pub workload: Vec<WorkloadTable>,
    /// Rounds per column if every round is above noise, from 1 to 100.
    pub rounds_per_column: f64,
    /// Share of every round for selecting its table: from 0.001 to 0.999, in whole thousandths.
    pub choice_share: f64,
    /// Maximum number of cells of the model, in all cliques of the tree of the measured tables:
    /// from 1,000 to 50,000,000. Early rounds may use the share of it that the budget spent so far
    /// is.
    pub model_cells: u32,
    /// Maximum number of candidates, from 1 to 100,000. If there are more, this number of them is
    /// drawn at random.
    pub candidates: u32,
    /// Prior standard deviation of potentials, from 0.01 to 100: the smaller, the more is treated
    /// as noise. Without it, the model is the one nearest to the tables, as in the paper.
    pub spread: Option<f64>,
    /// Accounting of releases.
    pub accounting: GaussianAccounting,
}

/// A table of the workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadTable {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its weight: above 0, at most a million.
    #[serde(default = "one")]
    pub weight: f64,
}

/// A column of the schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// By its position, from 0.
    Place(usize),
    /// By its name.
    Name(String),
}

fn one() -> f64 {
    1.0
}

impl Default for Options {
    fn default() -> Self {
        Self {
            workload_columns: 3,
            workload: Vec::new(),
            rounds_per_column: 16.0,
            choice_share: 0.1,
            model_cells: 500_000,
            candidates: 1_000,
            spread: Some(1.0),
            accounting: GaussianAccounting::default(),
        }
    }
}

/// Maximum number of columns of a table of the workload. All its subsets are candidates.
const MAX_TABLE_COLUMNS: u32 = 8;
/// Maximum number of columns of a schema.
const MAX_COLUMNS: usize = 1_000;
/// Maximum number of tables that a workload names.
const MAX_WORKLOAD_TABLES: usize = 10_000;
/// Maximum number of cells of a model.
const MAX_MODEL_CELLS: f64 = limits::CELLS_PER_MODEL as f64;

impl Options {
    /// Refuses options out of their range, a workload that names an unknown column, and tables with
    /// too many columns.
    pub(super) fn check_columns(&self, base: &Domain) -> Result<(), MechanismError> {
        check("workload_columns", self.workload_columns.into(), 1.0, MAX_TABLE_COLUMNS.into())?;
        check("rounds_per_column", self.rounds_per_column, 1.0, 100.0)?;
        thousandths("choice_share", self.choice_share)?;
        check("model_cells", self.model_cells.into(), 1_000.0, MAX_MODEL_CELLS)?;
        check("candidates", self.candidates.into(), 1.0, 100_000.0)?;
        check("spread", self.spread.unwrap_or(1.0), 0.01, 100.0)?;
        self.check_workload(base)?;
        let hint = "leave out columns, or choose `privbayes-nist` or `independent`";
        check_column_count(base, MAX_COLUMNS, "in one model", hint)
    }

    fn check_workload(&self, base: &Domain) -> Result<(), MechanismError> {
        if self.workload.len() > MAX_WORKLOAD_TABLES {
            return Err(refused(format!("has more than {MAX_WORKLOAD_TABLES} tables")));
        }
        for table in &self.workload {
            if !(1..=MAX_TABLE_COLUMNS as usize).contains(&table.columns.len()) {
                return Err(refused(format!("has a table that is not over 1 to {MAX_TABLE_COLUMNS} columns")));
            }
            if !(table.weight > 0.0 && table.weight <= 1e6) {
                return Err(refused("has a weight that is not above 0 and at most 1000000".into()));
            }
            for column in &table.columns {
                if let Column::Place(place) = column
                    && *place >= base.len()
                {
                    return Err(refused(format!("names column {place}, the last one is {}", base.len() - 1)));
                }
            }
        }
        Ok(())
    }

    /// Replaces names of columns in the workload by their positions.
    ///
    /// # Errors
    /// If a name is unknown.
    pub(super) fn by_place(&self, schema: &Schema) -> Result<Self, MechanismError> {
        let place = |column: &Column| match column {
            Column::Place(place) => Ok(Column::Place(*place)),
            Column::Name(name) => {
                let place = schema.attributes().iter().position(|attribute| attribute.name() == name);
                place
                    .map(Column::Place)
                    .ok_or_else(|| refused(format!("names the column `{name}`, which is not in the schema")))
            }
        };
        let table = |table: &WorkloadTable| {
            let columns = table.columns.iter().map(place).collect::<Result<_, MechanismError>>()?;
            Ok::<_, MechanismError>(WorkloadTable { columns, weight: table.weight })
        };
        Ok(Self { workload: self.workload.iter().map(table).collect::<Result<_, MechanismError>>()?, ..self.clone() })
    }

    /// Returns the tables that a workload names, over columns of more than one code, with their
    /// weights.
    ///
    /// # Errors
    /// If a column is unknown, or is given by its name.
    pub(super) fn named_tables(&self, domain: &Domain) -> Result<Vec<(Clique, f64)>, MechanismError> {
        let column = |column: &Column| match *column {
            Column::Place(place) if place < domain.len() => Ok(AttributeId::new(place)),
            _ => Err(refused("names a column that is not in the schema".into())),
        };
        let table = |table: &WorkloadTable| {
            let columns = table.columns.iter().map(column).collect::<Result<Vec<_>, MechanismError>>()?;
            let non_constant = columns.into_iter().filter(|&column| domain.size(column) > 1);
            Ok((Clique::new(non_constant), table.weight))
        };
        self.workload.iter().map(table).collect()
    }

    /// Share of a round for the selection.
    pub(super) fn choice_share(&self) -> Result<Share, MechanismError> {
        share("choice_share", self.choice_share)
    }

    /// Share of a round for the selection, in thousandths.
    pub(super) fn choice_thousandths(&self) -> Result<u32, MechanismError> {
        thousandths("choice_share", self.choice_share)
    }
}

fn refused(problem: String) -> MechanismError {
    invalid("workload", problem)
}
