//! The tables that matter to the reader of the rows, an option that several methods share.

use std::collections::BTreeMap;

use scumble_schema::{AttributeId, Clique, Domain, Schema};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::mechanism::option::{invalid, meant};

/// Maximum number of columns of a table. All its subsets may be candidates.
pub(crate) const MAX_TABLE_COLUMNS: u32 = 8;
/// Maximum number of tables.
const MAX_TABLES: usize = 10_000;
/// Maximum weight of a table.
const MAX_WEIGHT: f64 = 1e6;

/// The tables that matter to the reader of the rows, with weights. In files and options it is a
/// list such as `[{"columns": ["age", "income"], "weight": 2}, {"columns": [0, 3]}]`; the entry
/// `{"target": "income"}` stands for the pairs of a column with every other one.
///
/// # Privacy
/// A workload is public: it must not depend on rows. It is part of the method in the ledger and in
/// the model.
///
/// ```
/// use scumble_mechanisms::{Method, Workload};
///
/// let workload = Workload::default().with_target("income");
/// assert!(Method::named("auto")?.with_workload(workload.clone()).is_ok());
/// assert!(Method::named("independent")?.with_workload(workload).is_err(), "it measures no relation");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Workload {
    tables: Vec<WorkloadTable>,
}

/// An entry of a workload: a table, or the pairs of a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadTable {
    /// Columns of the table; none for a target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<WorkloadColumn>,
    /// Column whose pairs with every other column are meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<WorkloadColumn>,
    /// Weight of the table, or of each pair: above 0, at most a million.
    #[serde(default = "one")]
    pub weight: f64,
}

/// A column of the schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WorkloadColumn {
    /// By its position, from 0.
    Place(usize),
    /// By its name.
    Name(String),
}

fn one() -> f64 {
    1.0
}

impl FromIterator<WorkloadTable> for Workload {
    fn from_iter<T: IntoIterator<Item = WorkloadTable>>(tables: T) -> Self {
        Self { tables: tables.into_iter().collect() }
    }
}

impl Workload {
    /// No tables.
    pub const EMPTY: Self = Self { tables: Vec::new() };

    /// Adds the pairs of a column with every other one, each of weight one.
    #[must_use]
    pub fn with_target(mut self, column: &str) -> Self {
        let target = Some(WorkloadColumn::Name(column.into()));
        self.tables.push(WorkloadTable { columns: Vec::new(), target, weight: one() });
        self
    }

    /// The entries.
    pub fn tables(&self) -> &[WorkloadTable] {
        &self.tables
    }

    /// Returns whether there are no tables.
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Refuses too many tables, a table of no columns or too many, one with a target besides, an
    /// unknown position, and a weight out of its range.
    pub(crate) fn check(&self, base: &Domain) -> Result<(), MechanismError> {
        if self.tables.len() > MAX_TABLES {
            return Err(refused(format!("has more than {MAX_TABLES} tables")));
        }
        for table in &self.tables {
            if table.target.is_some() && !table.columns.is_empty() {
                return Err(refused("has an entry with both `columns` and `target`".into()));
            }
            if table.target.is_none() && !(1..=MAX_TABLE_COLUMNS as usize).contains(&table.columns.len()) {
                return Err(refused(format!("has a table that is not over 1 to {MAX_TABLE_COLUMNS} columns")));
            }
            if !(table.weight > 0.0 && table.weight <= MAX_WEIGHT) {
                return Err(refused(format!("has a weight that is not above 0 and at most {MAX_WEIGHT}")));
            }
            for column in table.columns.iter().chain(&table.target) {
                if let WorkloadColumn::Place(place) = column
                    && *place >= base.len()
                {
                    return Err(refused(format!("names column {place}, the last one is {}", base.len() - 1)));
                }
            }
        }
        Ok(())
    }

    /// Refuses a name of a column that is not among `names`.
    pub(crate) fn check_names(&self, names: &[&str]) -> Result<(), MechanismError> {
        let columns = self.tables.iter().flat_map(|table| table.columns.iter().chain(&table.target));
        for column in columns {
            if let WorkloadColumn::Name(name) = column
                && !names.contains(&name.as_str())
            {
                return Err(unknown(name, "table", names.iter().copied()));
            }
        }
        Ok(())
    }

    /// Replaces names of columns by their positions.
    ///
    /// # Errors
    /// If a name is unknown.
    pub(crate) fn by_place(&self, schema: &Schema) -> Result<Self, MechanismError> {
        let places: BTreeMap<&str, usize> =
            schema.attributes().iter().enumerate().map(|(place, attribute)| (attribute.name(), place)).collect();
        let place = |column: &WorkloadColumn| match column {
            WorkloadColumn::Place(place) => Ok(WorkloadColumn::Place(*place)),
            WorkloadColumn::Name(name) => places
                .get(name.as_str())
                .map(|&place| WorkloadColumn::Place(place))
                .ok_or_else(|| unknown(name, "schema", places.keys().copied())),
        };
        let table = |table: &WorkloadTable| {
            let columns = table.columns.iter().map(place).collect::<Result<_, MechanismError>>()?;
            let target = table.target.as_ref().map(place).transpose()?;
            Ok(WorkloadTable { columns, target, weight: table.weight })
        };
        self.tables.iter().map(table).collect()
    }

    /// Returns the tables over their columns of more than one code, with their weights. Tables of
    /// the same columns are one, with the sum of their weights.
    ///
    /// # Errors
    /// If a column is unknown, or is given by its name.
    pub(crate) fn cliques(&self, base: &Domain) -> Result<Vec<(Clique, f64)>, MechanismError> {
        let column = |column: &WorkloadColumn| match *column {
            WorkloadColumn::Place(place) if place < base.len() => Ok(AttributeId::new(place)),
            _ => Err(refused("names a column that is not in the schema".into())),
        };
        let is_non_constant = |column: &AttributeId| base.size(*column) > 1;
        let mut weights: BTreeMap<Clique, f64> = BTreeMap::new();
        for table in &self.tables {
            let columns = table.columns.iter().map(column).collect::<Result<Vec<_>, MechanismError>>()?;
            let cliques: Vec<Clique> = match table.target.as_ref().map(column).transpose()? {
                Some(target) => {
                    let others = base.attributes().filter(|&other| other != target).filter(is_non_constant);
                    let is_non_constant = is_non_constant(&target);
                    others.filter(|_| is_non_constant).map(|other| Clique::new([target, other])).collect()
                }
                None => vec![Clique::new(columns.into_iter().filter(is_non_constant))],
            };
            for clique in cliques {
                *weights.entry(clique).or_default() += table.weight;
            }
        }
        Ok(weights.into_iter().filter(|(clique, _)| !clique.is_empty()).collect())
    }
}

fn refused(problem: String) -> MechanismError {
    invalid("workload", problem)
}

fn unknown<'a>(name: &str, of: &str, names: impl IntoIterator<Item = &'a str>) -> MechanismError {
    refused(format!("names the column `{name}`, which is not in the {of}{}", meant(name, names)))
}

/// Returns all subsets of `size` columns.
pub(crate) fn subsets(columns: &[AttributeId], size: usize) -> Vec<Clique> {
    let mut partial: Vec<(Vec<AttributeId>, usize)> = vec![(Vec::new(), 0)];
    for _ in 0..size {
        let longer = |(set, from): (Vec<AttributeId>, usize)| {
            let with = move |place: usize| ([&set[..], &[columns[place]]].concat(), place + 1);
            (from..columns.len()).map(with).collect::<Vec<_>>()
        };
        partial = partial.into_iter().flat_map(longer).collect();
    }
    partial.into_iter().map(|(set, _)| Clique::new(set)).collect()
}
