//! Figures of quality that may be asked for, as people write them.

use std::collections::BTreeMap;
use std::fmt;

use scumble_schema::{Clique, Rule, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::MechanismError;
use crate::mechanism::option::meant;
use crate::mechanism::workload::Workload;

/// A figure that says how near released rows are to the real ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "FigureSpec", into = "FigureSpec")]
pub enum Figure {
    /// Error of tables: the share of rows that are in the wrong cell.
    Tables {
        /// Which tables.
        of: Tables,
        /// Whether it is the largest error instead of the mean.
        largest: bool,
        /// Group of rows that the tables are restricted to.
        within: Option<Group>,
    },
    /// Difference between the synthetic and the real mean of a column, in its units.
    Mean {
        /// The column.
        column: String,
        /// Group of rows whose mean it is.
        within: Option<Group>,
    },
    /// Share of the real rows for which a tree that was learned from synthetic rows predicts this
    /// column rightly.
    Accuracy {
        /// The predicted column.
        column: String,
    },
    /// Mean distance, on the real rows, between this column and its prediction by a tree that was
    /// learned from synthetic rows, in units of the column.
    Regression {
        /// The predicted column.
        column: String,
    },
    /// Share of the real rows that break a rule of the schema about these columns; about any, if
    /// there are none.
    Rules {
        /// The columns of the rule.
        columns: Vec<String>,
    },
}

/// The tables of a figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Tables {
    /// Tables over this number of columns: all of them, or those that published comparisons draw.
    Order(u32),
    /// One table, over these columns.
    Columns(Vec<String>),
    /// Tables over these columns each, such as those of a workload.
    Named(Vec<Vec<String>>),
}

/// The rows in which a column has a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The column.
    pub column: String,
    /// Label of the value, or of the bin.
    pub value: String,
}

/// A figure in a file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FigureSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tables: Option<Tables>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) statistic: Option<Statistic>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mean: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) accuracy: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) regression: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) rules: Option<RulesSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) within: Option<BTreeMap<String, Value>>,
}

/// The mean or the largest of several errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Statistic {
    Mean,
    Max,
}

/// Rules: `all`, or the columns of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum RulesSpec {
    Word(AllRules),
    Columns(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AllRules {
    All,
}

impl TryFrom<FigureSpec> for Figure {
    type Error = String;

    fn try_from(spec: FigureSpec) -> Result<Self, String> {
        let within = spec.within.map(group).transpose()?;
        let one_table = spec.column.map(|column| Tables::Columns(vec![column]));
        let largest = spec.statistic == Some(Statistic::Max);
        let mut figures = Vec::new();
        for of in [spec.tables, one_table].into_iter().flatten() {
            figures.push(Self::Tables { of, largest, within: within.clone() });
        }
        let is_of_tables = !figures.is_empty();
        figures.extend(spec.mean.map(|column| Self::Mean { column, within: within.clone() }));
        let may_be_within = !figures.is_empty();
        figures.extend(spec.accuracy.map(|column| Self::Accuracy { column }));
        figures.extend(spec.regression.map(|column| Self::Regression { column }));
        figures.extend(spec.rules.map(|rules| match rules {
            RulesSpec::Word(AllRules::All) => Self::Rules { columns: Vec::new() },
            RulesSpec::Columns(columns) => Self::Rules { columns },
        }));
        let [figure] = &figures[..] else {
            return Err("a figure has one of `tables`, `column`, `mean`, `accuracy`, `regression` and `rules`".into());
        };
        if spec.statistic.is_some() && !is_of_tables {
            return Err("only figures of `tables` have a `statistic`".into());
        }
        if within.is_some() && !may_be_within {
            return Err("only figures of `tables`, `column` and `mean` are `within` a group".into());
        }
        Ok(figure.clone())
    }
}

impl From<Figure> for FigureSpec {
    fn from(figure: Figure) -> Self {
        let spec = Self::default();
        let within = |group: Option<Group>| {
            group.map(|Group { column, value }| BTreeMap::from([(column, Value::String(value))]))
        };
        match figure {
            Figure::Tables { of, largest, within: group } => {
                let statistic = largest.then_some(Statistic::Max);
                Self { tables: Some(of), statistic, within: within(group), ..spec }
            }
            Figure::Mean { column, within: group } => Self { mean: Some(column), within: within(group), ..spec },
            Figure::Accuracy { column } => Self { accuracy: Some(column), ..spec },
            Figure::Regression { column } => Self { regression: Some(column), ..spec },
            Figure::Rules { columns } if columns.is_empty() => {
                Self { rules: Some(RulesSpec::Word(AllRules::All)), ..spec }
            }
            Figure::Rules { columns } => Self { rules: Some(RulesSpec::Columns(columns)), ..spec },
        }
    }
}

fn group(within: BTreeMap<String, Value>) -> Result<Group, String> {
    let mut groups = within.into_iter();
    let (Some((column, value)), None) = (groups.next(), groups.next()) else {
        return Err("`within` names one column and one value, such as {sex: female}".into());
    };
    let value = match value {
        Value::String(text) => text,
        value => value.to_string(),
    };
    Ok(Group { column, value })
}

/// Maximum number of columns of a table of a figure.
const MAX_ORDER: u32 = 5;
/// Maximum number of tables that a figure names.
const MAX_NAMED_TABLES: usize = 10_000;
/// Maximum number of columns for which each has a figure by default.
const MAX_COLUMN_FIGURES: usize = 30;

impl Figure {
    /// Returns the figures that are measured if none are asked for: mean and largest errors of
    /// tables over one to five columns, the error of every column unless there are many, rules, and
    /// the tables of the workload.
    ///
    /// # Errors
    /// If the workload names an unknown column.
    pub fn defaults(schema: &Schema, workload: &Workload) -> Result<Vec<Self>, MechanismError> {
        let columns = schema.attributes().len();
        let orders = 1..=MAX_ORDER.min(u32::try_from(columns).unwrap_or(MAX_ORDER));
        let of_order =
            |order| [false, true].map(|largest| Self::Tables { of: Tables::Order(order), largest, within: None });
        let mut figures: Vec<Self> = orders.flat_map(of_order).collect();
        if columns <= MAX_COLUMN_FIGURES {
            figures.extend(schema.attributes().iter().map(|attribute| {
                let of = Tables::Columns(vec![attribute.name().into()]);
                Self::Tables { of, largest: false, within: None }
            }));
        }
        if !schema.rules().is_empty() {
            figures.push(Self::Rules { columns: Vec::new() });
        }
        figures.extend(Self::of_workload(schema, workload)?);
        Ok(figures)
    }

    /// Returns the mean and the largest error of the tables of a workload, whatever their weights;
    /// of a single table, its error. Tables over more than five columns are left out.
    fn of_workload(schema: &Schema, workload: &Workload) -> Result<Vec<Self>, MechanismError> {
        let cliques = workload.by_place(schema)?.cliques(schema.domain())?;
        let small = cliques.iter().map(|(clique, _)| clique).filter(|clique| clique.len() <= MAX_ORDER as usize);
        let mut tables: Vec<Vec<String>> = small.map(|clique| names(schema, clique)).collect();
        let errors = |of: Tables, largest| Self::Tables { of, largest, within: None };
        Ok(match tables.len() {
            0 => Vec::new(),
            1 => vec![errors(Tables::Columns(tables.remove(0)), false)],
            _ => [false, true].map(|largest| errors(Tables::Named(tables.clone()), largest)).into(),
        })
    }

    /// Replaces a figure about all rules by one for each set of columns that rules are about.
    pub(super) fn expanded(&self, schema: &Schema) -> Vec<Self> {
        match self {
            Self::Rules { columns } if columns.is_empty() => {
                let mut cliques: Vec<&Clique> = schema.rules().iter().map(Rule::clique).collect();
                cliques.sort_unstable();
                cliques.dedup();
                cliques.into_iter().map(|clique| Self::Rules { columns: names(schema, clique) }).collect()
            }
            figure => vec![figure.clone()],
        }
    }

    /// Returns whether smaller values are better.
    pub(super) fn is_error(&self) -> bool {
        !matches!(self, Self::Accuracy { .. })
    }

    /// Returns whether the value may be on either side of zero.
    pub(super) fn is_difference(&self) -> bool {
        matches!(self, Self::Mean { .. })
    }

    /// Returns whether the value is a share of rows; otherwise it is in units of a column.
    pub fn is_share(&self) -> bool {
        !matches!(self, Self::Mean { .. } | Self::Regression { .. })
    }

    /// Refuses a column that is not among `names`.
    pub(super) fn check_names(&self, names: &[&str]) -> Result<(), MechanismError> {
        let unknown = self.columns().into_iter().find(|column| !names.contains(column));
        unknown.map_or(Ok(()), |column| Err(refused(self, unknown_column(column, names.iter().copied()))))
    }

    /// Returns the names of the columns that it is about.
    fn columns(&self) -> Vec<&str> {
        let (columns, within): (Vec<&String>, &Option<Group>) = match self {
            Self::Tables { of: Tables::Order(_), within, .. } => (Vec::new(), within),
            Self::Tables { of: Tables::Columns(columns), within, .. } => (columns.iter().collect(), within),
            Self::Tables { of: Tables::Named(tables), within, .. } => (tables.iter().flatten().collect(), within),
            Self::Mean { column, within } => (vec![column], within),
            Self::Accuracy { column } | Self::Regression { column } => (vec![column], &None),
            Self::Rules { columns } => (columns.iter().collect(), &None),
        };
        columns.into_iter().chain(within.iter().map(|group| &group.column)).map(String::as_str).collect()
    }

    /// Refuses a table over too many columns, or over one of them twice.
    pub(super) fn check(&self) -> Result<(), MechanismError> {
        match self {
            Self::Tables { of: Tables::Order(order), .. } if !(1..=MAX_ORDER).contains(order) => {
                Err(refused(self, format!("tables span 1 to {MAX_ORDER} columns")))
            }
            Self::Tables { of: Tables::Columns(columns), .. } => self.check_table(columns),
            Self::Tables { of: Tables::Named(tables), .. } if !(1..=MAX_NAMED_TABLES).contains(&tables.len()) => {
                Err(refused(self, format!("it is about 1 to {MAX_NAMED_TABLES} tables")))
            }
            Self::Tables { of: Tables::Named(tables), .. } => {
                tables.iter().try_for_each(|columns| self.check_table(columns))
            }
            _ => Ok(()),
        }
    }

    fn check_table(&self, columns: &[String]) -> Result<(), MechanismError> {
        if !(1..=MAX_ORDER as usize).contains(&columns.len()) {
            return Err(refused(self, format!("a table spans 1 to {MAX_ORDER} columns")));
        }
        if (1..columns.len()).any(|place| columns[..place].contains(&columns[place])) {
            return Err(refused(self, "a table names a column twice"));
        }
        Ok(())
    }
}

fn names(schema: &Schema, clique: &Clique) -> Vec<String> {
    clique.attributes().iter().map(|&column| schema.attribute(column).name().to_owned()).collect()
}

/// Says that a column is unknown, and which one was likely meant.
pub(super) fn unknown_column<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    format!("there is no column `{name}`{}", meant(name, names))
}

/// The error of a figure that cannot be measured.
pub(super) fn refused(figure: &Figure, problem: impl fmt::Display) -> MechanismError {
    MechanismError::Figure { figure: figure.to_string(), problem: problem.to_string() }
}

impl fmt::Display for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut within = &None;
        match self {
            Self::Tables { of: Tables::Order(order), largest, within: group } => {
                within = group;
                let statistic = if *largest { "largest" } else { "mean" };
                match order {
                    1 => write!(formatter, "{statistic} error of columns")?,
                    order => write!(formatter, "{statistic} error of tables over {order} columns")?,
                }
            }
            Self::Tables { of: Tables::Columns(columns), within: group, .. } => {
                within = group;
                write!(formatter, "error of {}", columns.join(" × "))?;
            }
            Self::Tables { of: Tables::Named(tables), largest, within: group } => {
                within = group;
                let statistic = if *largest { "largest" } else { "mean" };
                write!(formatter, "{statistic} error of {} named tables", tables.len())?;
            }
            Self::Mean { column, within: group } => {
                within = group;
                write!(formatter, "difference of the mean of {column}")?;
            }
            Self::Accuracy { column } => write!(formatter, "accuracy of predicting {column}")?,
            Self::Regression { column } => write!(formatter, "error of predicting {column}")?,
            Self::Rules { columns } if columns.is_empty() => formatter.write_str("real rows that break a rule")?,
            Self::Rules { columns } => write!(formatter, "real rows that break a rule on {}", columns.join(", "))?,
        }
        match within {
            Some(Group { column, value }) => write!(formatter, ", where {column} is {value}"),
            None => Ok(()),
        }
    }
}
