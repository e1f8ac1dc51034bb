#![doc = include_str!("quality.md")]

mod compile;
mod criteria;
mod figure;
mod forecast;
mod learner;

use std::fmt;

use scumble_pgm::Sampling;
use scumble_schema::{Clique, CodeColumn, Schema};
use scumble_vault::account::Share;
use scumble_vault::ledger::{Job, JobPlan};
use scumble_vault::{AccountingKind, ApproxDp, Budget, Certificate, Delta, MarginalSource, Vault};
use serde::{Deserialize, Serialize};

pub(crate) use self::compile::{Figures, Reading};
pub use self::criteria::{Bound, Criteria, Criterion, Judged, Outcome};
pub use self::figure::{Figure, Group, Tables};
pub use self::forecast::{CheckForecast, forecast};
use crate::error::MechanismError;
use crate::mechanism::fit::request_with;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency, OnTerms, RowTotal, on_terms};
use crate::mechanism::workload::Workload;
use crate::model::fitted::Fitted;

/// JSON Schema of files of criteria, for editors.
pub const CRITERIA_JSON_SCHEMA: &str = include_str!("criteria.schema.json");

/// Standard deviations of a 95 % interval.
const INTERVAL: f64 = 1.959_964;

/// Share of the budget for checking, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CheckShare(u32);

impl CheckShare {
    /// Returns the share nearest to a fraction; `None` unless it is at least a thousandth and at
    /// most 999 of them.
    pub fn of(fraction: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is checked")]
        let thousandths = (fraction * 1_000.0).round() as u32;
        Share::of(thousandths, 1_000).map(|_| Self(thousandths))
    }

    fn get(self) -> Share {
        Share::of(self.0, 1_000).expect("checked when it was made")
    }
}

impl Default for CheckShare {
    fn default() -> Self {
        Self(50)
    }
}

/// A check of the rows of a fit, within its budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// The figures; if empty, [`Figure::defaults`] with the workload of the method.
    pub figures: Vec<Figure>,
    /// Share of the budget for them.
    pub share: CheckShare,
    /// Number of rows to draw and check; by default, the released number of rows.
    pub rows: Option<u64>,
    /// Seed of these rows.
    pub seed: u64,
    /// How they are drawn; by default, as for this number of rows.
    #[serde(skip)]
    pub sampling: Option<Sampling>,
}

impl Check {
    /// Returns a check of the figures of some criteria, or of the usual figures.
    pub fn new(criteria: Option<&Criteria>) -> Self {
        let figures = criteria.map(Criteria::figures).unwrap_or_default();
        Self { figures, share: CheckShare::default(), rows: None, seed: 0, sampling: None }
    }

    /// Adds the check to the plan of a fit, so that the two are one job of a ledger.
    pub fn in_plan(&self, plan: JobPlan) -> JobPlan {
        let check = serde_json::to_value(self).expect("a check is text and numbers");
        let request = request_with(&plan.request, "check", check);
        JobPlan { description: format!("{}, rows checked", plan.description), request, ..plan }
    }

    pub(crate) fn figures<'a>(&self, schema: &'a Schema, workload: &Workload) -> Result<Figures<'a>, MechanismError> {
        resolved(schema, &self.figures, workload)
    }

    /// Refuses figures that name a column which is not among `names`.
    pub(crate) fn check_names(&self, names: &[&str]) -> Result<(), MechanismError> {
        self.figures.iter().try_for_each(|figure| figure.check_names(names))
    }

    /// Returns the check without figures that cannot be measured; `None` if none is left.
    pub(crate) fn measurable(&self, schema: &Schema, workload: &Workload) -> Option<Self> {
        let figures: Vec<Figure> =
            self.figures.iter().filter(|figure| compile::resolves(schema, figure)).cloned().collect();
        if figures.is_empty() && !self.figures.is_empty() {
            return None;
        }
        let check = Self { figures, ..self.clone() };
        check.figures(schema, workload).is_ok_and(|figures| figures.len() > 0).then_some(check)
    }

    /// Splits the budget of a fit: for the check, and for the model.
    pub(crate) fn split<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        budget: Budget<A, M>,
    ) -> (Budget<A, M>, Budget<A, M>) {
        budget.split(self.share.get())
    }

    /// Draws the rows of a fitted model and compares them with the real ones in its vault.
    pub(crate) fn run<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        fitted: &Fitted,
        figures: &Figures<'_>,
    ) -> Result<RowsChecked, MechanismError> {
        let rows = self.rows.unwrap_or(fitted.rows);
        let (seed, sampling) = (self.seed, self.sampling.unwrap_or_else(|| Sampling::for_rows(rows)));
        let recoding = vault.recoding();
        let chunks = fitted.distribution.sample(&recoding, rows, seed, sampling, 0, &fitted.targets);
        let restored = chunks.map(|chunk| if recoding.is_identity() { chunk } else { recoding.restore(&chunk) });
        let (comparison, readings) = figures.compile(restored, fitted.rows as f64)?;
        vault.compare(&comparison, budget)?;
        Ok(RowsChecked { rows, seed, sampling: sampling.name().into(), readings })
    }
}

/// Finds figures in a schema: the usual ones if there are none.
fn resolved<'a>(schema: &'a Schema, figures: &[Figure], workload: &Workload) -> Result<Figures<'a>, MechanismError> {
    if figures.is_empty() { Figures::usual(schema, workload) } else { Figures::new(schema, figures) }
}

/// Which rows of a model were checked, and how their figures follow from released numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowsChecked {
    pub(crate) rows: u64,
    pub(crate) seed: u64,
    pub(crate) sampling: String,
    pub(crate) readings: Vec<Reading>,
}

impl RowsChecked {
    /// Returns the figures, from the numbers that were released for them and the deviation of their
    /// noise, both in rows.
    pub(crate) fn figures(&self, released: &[f64], deviation: f64) -> Checked {
        Checked {
            rows: self.rows,
            seed: self.seed,
            sampling: self.sampling.clone(),
            figures: checked_figures(&self.readings, released, deviation),
        }
    }
}

/// Released figures of the quality of rows.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Checked {
    /// Number of the rows that were checked.
    pub rows: u64,
    /// Seed of these rows.
    pub seed: u64,
    /// Name of the way in which they were drawn; empty for rows of a file.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sampling: String,
    /// The figures.
    pub figures: Vec<CheckedFigure>,
}

/// A released figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedFigure {
    /// What it is.
    pub figure: Figure,
    /// What it is, in words.
    pub name: String,
    /// Its released value.
    pub value: f64,
    /// Half the width of its 95 % interval, due to noise.
    pub half_width: f64,
    /// Standard deviation of its noise.
    #[serde(skip)]
    pub deviation: f64,
    /// Number of tables that it is about.
    pub tables: u32,
}

impl CheckedFigure {
    /// Formats the value and the half width of its interval, with two digits of the half width.
    pub fn shown(&self) -> (String, String) {
        let digits = digits_of(self.half_width);
        (format!("{:.digits$}", self.value), format!("{:.digits$}", self.half_width))
    }
}

impl fmt::Display for CheckedFigure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, half_width) = self.shown();
        write!(formatter, "{}: {value} ± {half_width}", self.name)
    }
}

/// Returns the number of decimals at which a number has two digits.
fn digits_of(number: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 12")]
    let digits = (1.0 - number.max(1e-12).log10().floor()).clamp(0.0, 12.0) as usize;
    digits
}

fn checked_figures(readings: &[Reading], released: &[f64], deviation: f64) -> Vec<CheckedFigure> {
    let figure = |(reading, number): (&Reading, &f64)| {
        let deviation = deviation * reading.factor.abs();
        CheckedFigure {
            figure: reading.figure.clone(),
            name: reading.figure.to_string(),
            value: reading.factor * number + reading.offset,
            half_width: INTERVAL * deviation,
            deviation,
            tables: reading.tables,
        }
    };
    readings.iter().zip(released).map(figure).collect()
}

/// Share of the budget of a check of this number of figures for the number of rows, where that is
/// private. Released rows are scaled to it, so its noise moves a figure by up to half as much. The
/// share minimises the two together: `k / (4 (1 - f)) + 1 / (4 f)`.
fn for_rows(figures: usize) -> Share {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 500")]
    let thousandths = (1_000.0 / (1.0 + (figures as f64).sqrt())).clamp(1.0, 500.0) as u32;
    Share::of(thousandths, 1_000).expect("at most a half")
}

/// Describes a check of rows that were released before, for a ledger.
pub fn plan(schema: &Schema, figures: &[Figure], workload: &Workload, rows_digest: &str, goal: ApproxDp) -> JobPlan {
    let privacy = schema.privacy();
    let request = serde_json::json!({
        "schema": schema.to_spec(), "figures": figures, "workload": workload, "rows": rows_digest, "goal": goal
    });
    JobPlan {
        adjacency: privacy.adjacency,
        privacy_unit: privacy.unit.to_string(),
        max_contributions: privacy.max_contributions,
        accounting: accounting(goal),
        goal,
        for_thresholds: scumble_vault::account::ThresholdDelta::ZERO,
        description: "released rows checked".into(),
        request: request.to_string(),
        command: None,
    }
}

fn accounting(goal: ApproxDp) -> AccountingKind {
    if goal.delta == Delta::ZERO { AccountingKind::Pure } else { AccountingKind::Gdp }
}

/// Compares rows that were released before with the real ones behind `source`, within `goal`.
/// `released` are codes of the columns of the schema. Without figures, the usual ones with those of
/// the workload are measured.
///
/// # Privacy
/// `(epsilon, delta)`-differentially private, as the certificate states, whatever the rows are.
///
/// # Errors
/// If a figure cannot be measured, or the vault or the source fails.
pub fn check_rows(
    schema: &Schema,
    source: Box<dyn MarginalSource>,
    released: impl Iterator<Item = Vec<CodeColumn>>,
    figures: &[Figure],
    workload: &Workload,
    goal: ApproxDp,
    job: Option<&Job>,
) -> Result<(Checked, Certificate), MechanismError> {
    if source.domain() != schema.domain() || source.bound() != schema.privacy().bound() {
        return Err(MechanismError::OtherSchema);
    }
    let figures = resolved(schema, figures, workload)?;
    on_terms(schema.privacy().adjacency, accounting(goal), CheckRows { schema, source, released, figures, goal, job })
}

struct CheckRows<'a, R> {
    schema: &'a Schema,
    source: Box<dyn MarginalSource>,
    released: R,
    figures: Figures<'a>,
    goal: ApproxDp,
    job: Option<&'a Job>,
}

impl<R: Iterator<Item = Vec<CodeColumn>>> OnTerms for CheckRows<'_, R> {
    type Output = Result<(Checked, Certificate), MechanismError>;

    fn run<A: MethodAdjacency, M: MethodAccounting>(self) -> Self::Output {
        let Self { schema, source, released, figures, goal, job } = self;
        let unit = schema.privacy().max_contributions;
        let (mut vault, budget) = match job {
            Some(job) => Vault::<A, M>::open_on(job, source, goal, unit)?,
            None => Vault::<A, M>::open(source, goal, unit)?,
        };
        let (budget, rows, noise_of_rows) = match A::row_total(&vault)? {
            RowTotal::Public(rows) => (budget, *rows as f64, 0.0),
            RowTotal::Estimated => {
                let (for_rows, budget) = budget.split(for_rows(figures.len()));
                let counted = vault.measure(&[Clique::empty()], for_rows)?;
                (budget, (counted[0].values()[0] as f64).max(1.0), counted[0].standard_deviation())
            }
        };
        let mut checked_rows = 0;
        let counting = released.inspect(|chunk| checked_rows += chunk.first().map_or(0, CodeColumn::len) as u64);
        let (comparison, readings) = figures.compile(counting, rows)?;
        let numbers = vault.compare(&comparison, budget)?;
        let deviation = numbers.standard_deviation().hypot(noise_of_rows / 2.0);
        let figures = checked_figures(&readings, numbers.values(), deviation);
        let checked = Checked { rows: checked_rows, seed: 0, sampling: String::new(), figures };
        Ok((checked, vault.close().with_assumptions(schema.assumptions())))
    }
}
