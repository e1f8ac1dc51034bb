//! What can be chosen.

use scumble_schema::{AttributeId, Clique, Domain, Schema, limits};
use scumble_vault::Share;
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::option::{GaussianAccounting, check, share, thousandths};

/// What can be chosen. The defaults are those of the paper where it names any.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The tables that matter: all over so many columns, from 1 to 8, unless `workload` names others.
    pub workload_columns: u32,
    /// The tables that matter, each with a weight; none for all over `workload_columns` columns.
    pub workload: Vec<WorkloadTable>,
    /// Rounds per column if none is ever found to be worth less than it costs, from 1 to 100.
    pub rounds_per_column: f64,
    /// The share of every round that goes to choosing its table: from 0.001 to 0.999, in whole thousandths.
    pub choice_share: f64,
    /// Most cells of the model, in all cliques of the tree of the measured tables: from 1,000 to 50,000,000. Early rounds may use as
    /// much of them as of the budget.
    pub model_cells: u32,
    /// Most candidates, from 1 to 100,000: if there are more, so many of them are drawn at random.
    pub candidates: u32,
    /// How large potentials are expected to be, from 0.01 to 100: the smaller, the more is taken for noise. None is taken for it if
    /// there is none, and the model is the one nearest to the tables, as in the paper.
    pub spread: Option<f64>,
    /// How releases are added up.
    pub accounting: GaussianAccounting,
}

/// A table that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadTable {
    /// Its columns.
    pub columns: Vec<Column>,
    /// How much it matters: above 0, at most a million.
    #[serde(default = "one")]
    pub weight: f64,
}

/// A column of the schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// By its place, from 0.
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

/// Most columns of a table of the workload: it has all its parts as candidates.
const MAX_TABLE_COLUMNS: u32 = 8;
/// Most columns of a schema.
const MAX_COLUMNS: usize = 1_000;
/// Most tables that a workload names.
const MAX_TABLES: usize = 10_000;
/// Most cells of a model.
#[expect(clippy::cast_precision_loss, reason = "fifty million")]
const MAX_CELLS: f64 = limits::CELLS_PER_MODEL as f64;

impl Options {
    /// Refuses options out of their range, a workload that names an unknown column, and tables with too many columns.
    pub(super) fn check_columns(&self, base: &Domain) -> Result<(), MechanismError> {
        check("workload_columns", self.workload_columns.into(), 1.0, MAX_TABLE_COLUMNS.into())?;
        check("rounds_per_column", self.rounds_per_column, 1.0, 100.0)?;
        thousandths("choice_share", self.choice_share)?;
        check("model_cells", self.model_cells.into(), 1_000.0, MAX_CELLS)?;
        check("candidates", self.candidates.into(), 1.0, 100_000.0)?;
        check("spread", self.spread.unwrap_or(1.0), 0.01, 100.0)?;
        self.check_workload(base)?;
        if base.len() > MAX_COLUMNS {
            return Err(MechanismError::TooLarge {
                problem: format!("there are {} columns, at most {MAX_COLUMNS} can be in one model", base.len()),
                hint: "leave out columns, or choose `privbayes-nist` or `independent`".into(),
            });
        }
        Ok(())
    }

    fn check_workload(&self, base: &Domain) -> Result<(), MechanismError> {
        if self.workload.len() > MAX_TABLES {
            return Err(refused(format!("has more than {MAX_TABLES} tables")));
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

    /// These options with the columns of the workload by their places.
    ///
    /// # Errors
    /// If the schema has no column of a name.
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

    /// The tables that a workload names, over columns of more than one code.
    ///
    /// # Errors
    /// If a column is unknown, or is not named by its place.
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

    /// The share of a round that chooses.
    pub(super) fn choice_share(&self) -> Result<Share, MechanismError> {
        share("choice_share", self.choice_share)
    }

    /// The share of a round that chooses, in thousandths.
    pub(super) fn choice_thousandths(&self) -> Result<u32, MechanismError> {
        thousandths("choice_share", self.choice_share)
    }
}

fn refused(problem: String) -> MechanismError {
    MechanismError::Option { option: "workload".into(), problem }
}
