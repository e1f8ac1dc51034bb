//! Everything that is measured of one synthetic table, for the steward of the real one.

mod choice;
mod correlations;
mod distributions;
mod marginals;
mod nist;
mod subgroups;
mod text;
mod verdict;

use scumble_schema::{AttributeId, Schema};
use serde::Serialize;

pub use self::choice::{Depth, Settings};
pub use self::correlations::{CorrelationScore, CorrelationScores};
pub use self::distributions::{Distribution, ValueShares};
pub use self::marginals::{MarginalScores, OrderScore, TableScore};
pub use self::nist::{NistScores, RegressionScores};
pub use self::subgroups::{GroupScore, SubgroupScores};
pub(crate) use self::verdict::{Findings, VERDICT_BOUNDS, Verdict};
use crate::NOT_PRIVATE;
use crate::chi_square::{ChiSquare, ChiSquareTests};
use crate::columns::Columns;
use crate::error::EvaluateError;
use crate::kind::ColumnKind;
use crate::learning::{Learning, LearningScores};
use crate::propensity::{Propensity, PropensityScores};

/// What is measured of a synthetic table.
///
/// It serialises to one JSON object whose first field is the stamp, and [`Display`](std::fmt::Display) prints a summary
/// whose first line is. Where a column is a number, it is the position in `columns`, from zero. The same tables and settings
/// give the same numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    stamp: &'static str,
    /// The version of Scumble that measured.
    pub scumble: &'static str,
    /// What the table is called, if the schema or the steward says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What all random choices follow from.
    pub seed: u64,
    /// How many rows there are, and how many were looked at.
    pub rows: Rows,
    /// What can be used, and what not, in one line.
    pub verdict: String,
    /// The columns, in the order of the schema.
    pub columns: Vec<ColumnFacts>,
    /// The same with their values in both tables.
    pub distributions: Vec<Distribution>,
    /// Tables over one to five columns.
    pub marginals: MarginalScores,
    /// Relations of pairs of columns.
    pub correlations: CorrelationScores,
    /// The same tables within the rows of subgroups.
    pub subgroups: Vec<SubgroupScores>,
    /// The metrics of the NIST 2018 challenge.
    pub nist: NistScores,
    /// What learners trained on synthetic rows get right; `None` if they were left out.
    pub learning: Option<LearningScores>,
    /// Whether learners tell the tables apart; `None` if that was left out.
    pub propensity: Option<PropensityScores>,
    /// Whether tests of independence conclude the same; `None` if they were left out.
    pub chi_square: Option<ChiSquareTests>,
}

/// A measured value beside what can be achieved: that of rows drawn from the real table itself, as many as there are
/// synthetic ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Beside {
    /// The value of the synthetic table.
    pub value: f64,
    /// The mean value of bootstraps of the real table.
    pub achievable: f64,
}

/// How many rows were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rows {
    /// In the real table.
    pub real: u32,
    /// In the synthetic table.
    pub synthetic: u32,
    /// The real rows, drawn at random, that all but the tables of [`MarginalScores`] were measured on.
    pub real_sampled: u32,
    /// The synthetic rows.
    pub synthetic_sampled: u32,
}

/// A column as the schema has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnFacts {
    /// Its name.
    pub name: String,
    /// Its type in the schema.
    #[serde(rename = "type")]
    pub field_type: &'static str,
    /// How many codes it has.
    pub codes: u32,
    /// Whether its codes have an order.
    pub ordered: bool,
}

impl Evaluation {
    /// Measures a synthetic table. Both tables were read with `schema`.
    ///
    /// # Errors
    /// If a table is not over the domain of the schema or has fewer than two rows, the settings name a column that there is
    /// not, or a marginal has more than 2^62 cells.
    pub fn new(
        real: &Columns,
        synthetic: &Columns,
        schema: &Schema,
        settings: &Settings,
    ) -> Result<Self, EvaluateError> {
        check(real, synthetic, schema)?;
        let kinds: Vec<ColumnKind> = schema.attributes().iter().map(ColumnKind::of).collect();
        let marginals = MarginalScores::new(real, synthetic, schema, settings)?;
        let sampled = [(real, 0), (synthetic, 1)].map(|(table, side)| settings.some_rows(table, side));
        let [real_rows, synthetic_rows] = &sampled;
        let resampled = settings.resampled(real_rows, synthetic_rows.rows());
        let is_full = settings.depth == Depth::Full;
        let learning = (is_full && !settings.targets.is_empty()).then(|| {
            Learning::new(kinds.clone(), settings.targets.clone(), settings.seed).score(real_rows, synthetic_rows)
        });
        let propensity =
            is_full.then(|| Propensity::new(kinds.clone(), settings.seed).score(real_rows, synthetic_rows));
        let chi_square =
            is_full.then(|| ChiSquare::new(kinds.clone(), settings.seed).compare(real_rows, synthetic_rows));
        let mut evaluation = Self {
            stamp: NOT_PRIVATE,
            scumble: env!("CARGO_PKG_VERSION"),
            title: schema.to_spec().title,
            seed: settings.seed,
            rows: Rows {
                real: real.rows(),
                synthetic: synthetic.rows(),
                real_sampled: real_rows.rows(),
                synthetic_sampled: synthetic_rows.rows(),
            },
            verdict: String::new(),
            distributions: Distribution::of_columns(real, synthetic, schema)?,
            columns: schema.attributes().iter().zip(&kinds).map(ColumnFacts::new).collect(),
            marginals,
            correlations: CorrelationScores::new(real_rows, synthetic_rows, &resampled, schema, &kinds)?,
            subgroups: settings
                .subgroups
                .iter()
                .map(|&column| SubgroupScores::new(real_rows, synthetic_rows, schema, column))
                .collect::<Result<_, _>>()?,
            nist: NistScores::new(real_rows, synthetic_rows, &resampled, &kinds, settings)?,
            learning: learning.transpose()?,
            propensity: propensity.transpose()?,
            chi_square: chi_square.transpose()?,
        };
        evaluation.verdict = Findings::of(&evaluation).line();
        Ok(evaluation)
    }

    /// The stamp that stands on every page.
    pub fn stamp(&self) -> &'static str {
        self.stamp
    }
}

impl ColumnFacts {
    fn new((attribute, kind): (&scumble_schema::Attribute, &ColumnKind)) -> Self {
        Self {
            name: attribute.name().into(),
            field_type: attribute.field_type().name(),
            codes: attribute.size(),
            ordered: matches!(kind, ColumnKind::Ordered { .. }),
        }
    }
}

fn check(real: &Columns, synthetic: &Columns, schema: &Schema) -> Result<(), EvaluateError> {
    for (table, what) in [(real, "the real table"), (synthetic, "the synthetic table")] {
        if table.domain() != schema.domain() {
            return Err(EvaluateError::OtherDomain { what });
        }
        if table.rows() < 2 {
            return Err(EvaluateError::TooFewRows { what });
        }
    }
    Ok(())
}

/// The names of some columns.
fn names(schema: &Schema, columns: &[AttributeId]) -> Vec<String> {
    columns.iter().map(|&column| schema.attribute(column).name().into()).collect()
}

/// The mean; zero of nothing.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}
