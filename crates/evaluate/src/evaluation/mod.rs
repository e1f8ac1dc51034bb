//! All metrics of one synthetic table, for the steward of the real one.

mod correlations;
mod distributions;
mod marginals;
mod nist;
mod settings;
mod subgroups;
mod text;
mod verdict;

use scumble_schema::{AttributeId, Schema};
use serde::Serialize;

pub use self::correlations::{CorrelationScore, CorrelationScores};
pub use self::distributions::{Distribution, ValueShares};
pub use self::marginals::{MarginalScores, OrderScore, TableScore};
pub use self::nist::{NistScores, RegressionScores};
pub use self::settings::{Depth, Settings};
pub use self::subgroups::{GroupScore, SubgroupScores};
pub(crate) use self::verdict::{Findings, VERDICT_BOUNDS, Verdict, listed};
use crate::NOT_PRIVATE;
use crate::error::EvaluateError;
use crate::learning::propensity::{Propensity, PropensityScores};
use crate::learning::{Learning, LearningScores};
use crate::relation::chi_square::{ChiSquare, ChiSquareTests};
use crate::table::{ColumnKind, Columns};

/// All metrics of a synthetic table.
///
/// It serialises to one JSON object whose first field is the stamp.
/// [`Display`](std::fmt::Display) prints a summary whose first line is the stamp. A column given as
/// a number is its position in `columns`, from zero. The same tables and settings give the same
/// numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    stamp: &'static str,
    /// Version of Scumble that computed the metrics.
    pub scumble: &'static str,
    /// Title of the table, if the schema or the steward gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Seed of all random draws.
    pub seed: u64,
    /// Numbers of rows of both tables, and of the rows that were sampled.
    pub rows: RowCounts,
    /// One line on what the table can be used for.
    pub verdict: String,
    /// The columns, in the order of the schema.
    pub columns: Vec<ColumnFacts>,
    /// Distributions of the columns in both tables, in the order of the schema.
    pub distributions: Vec<Distribution>,
    /// Distances of tables over one to five columns.
    pub marginals: MarginalScores,
    /// Correlations of pairs of columns.
    pub correlations: CorrelationScores,
    /// Distances of tables within the rows of subgroups.
    pub subgroups: Vec<SubgroupScores>,
    /// Metrics of the NIST 2018 challenge.
    pub nist: NistScores,
    /// Accuracy of learners trained on synthetic rows; `None` if it was not measured.
    pub learning: Option<LearningScores>,
    /// Whether learners distinguish the tables; `None` if it was not measured.
    pub propensity: Option<PropensityScores>,
    /// Whether tests of independence agree; `None` if they were not run.
    pub chi_square: Option<ChiSquareTests>,
}

/// A measured value and the achievable one: that of rows drawn from the real table, as many as the
/// synthetic table has.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Measured {
    /// Value of the synthetic table.
    pub value: f64,
    /// Mean value of bootstraps of the real table.
    pub achievable: f64,
}

/// Numbers of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    /// Rows of the real table.
    pub real: u32,
    /// Rows of the synthetic table.
    pub synthetic: u32,
    /// Real rows, drawn at random, for all metrics but [`MarginalScores`].
    pub real_sampled: u32,
    /// Synthetic rows, drawn at random, for all metrics but [`MarginalScores`].
    pub synthetic_sampled: u32,
}

/// A column as the schema declares it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnFacts {
    /// Name of the column.
    pub name: String,
    /// Type in the schema.
    #[serde(rename = "type")]
    pub field_type: &'static str,
    /// Number of codes.
    pub codes: u32,
    /// Whether the codes have an order.
    pub ordered: bool,
}

impl Evaluation {
    /// Measures a synthetic table. Both tables were read with `schema`.
    ///
    /// # Errors
    /// If a table is not over the domain of the schema or has fewer than two rows, the settings
    /// name an unknown column, or a marginal has more than 2^62 cells.
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
            rows: RowCounts {
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

    /// Returns the stamp, which is on every page.
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

/// Returns the names of columns.
fn names(schema: &Schema, columns: &[AttributeId]) -> Vec<String> {
    columns.iter().map(|&column| schema.attribute(column).name().into()).collect()
}

/// Returns the mean, or zero if there are no values.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}
