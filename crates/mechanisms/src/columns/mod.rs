//! Learning columns that no schema describes, and fitting a model in the same budget.
//!
//! 1. For texts without a type: how many values are in each [class](scumble_schema::learn::Class).
//! 2. For numbers and dates: how many values are in each cell of a public grid; then for dates, in
//!    finer cells where the rows are.
//! 3. For texts, and for numbers that are too many for a code each: the values that enough rows
//!    share, in two rounds.
//! 4. What is left of the budget goes to the method, on the columns as learned.
//!
//! # Privacy
//! Every release is a question to one [`ColumnVault`], which then becomes the vault of the method.
//! What is asked in a step follows from the partial schema and from values released before.

mod budget;
mod forecast;

use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};

use scumble_schema::learn::{CloserLook, GridCounts, LearnedKind, LineCounts, Missing, PartialSchema, Resolution};
use scumble_schema::{AttributeId, FieldSpec, Problems, Schema};
use scumble_vault::account::ThresholdDelta;
use scumble_vault::ledger::{Job, JobPlan};
use scumble_vault::{
    ApproxDp, Budget, Certificate, ColumnVault, Delta, Grid, MarginalSource, NoisyTable, SourceError, ValueSource,
    VaultError,
};

pub use self::budget::LearnShare;
use self::budget::{Left, Parts};
pub use self::forecast::{LearnForecast, forecast};
use crate::error::MechanismError;
use crate::mechanism::fit::fit_and_check_in;
use crate::mechanism::method::Method;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency, OnTerms, on_terms};
use crate::model::Model;
use crate::quality::Check;

/// A table that can be read by any schema of its columns.
pub trait RawTable {
    /// Opens the table for counts of the codes of `schema`; of repeated ones if it is for a method.
    ///
    /// # Errors
    /// If the table cannot be read. The text must not depend on values.
    fn marginals(&self, schema: &Schema, for_method: bool) -> Result<Box<dyn MarginalSource>, SourceError>;

    /// Opens the table for the values of the columns of `schema`.
    ///
    /// # Errors
    /// Those of [`RawTable::marginals`].
    fn values(&self, schema: &Schema) -> Result<Box<dyn ValueSource>, SourceError>;
}

/// Describes a fit that learns columns for a share of the budget, or, without a share, learning
/// alone, for the ledger.
///
/// # Errors
/// If the privacy terms of the schema are invalid.
pub fn plan(
    partial: &PartialSchema,
    method: &Method,
    share: Option<LearnShare>,
    goal: ApproxDp,
) -> Result<JobPlan, MechanismError> {
    let schema = partial.terms_alone()?;
    let share = share.map(LearnShare::thousandths);
    let request = serde_json::json!({ "partial": partial.spec(), "method": method, "goal": goal, "share": share });
    let plan = crate::plan(&schema, method, goal);
    let description = match share {
        Some(_) => format!("{method}, columns learned"),
        None => "columns learned".into(),
    };
    Ok(JobPlan { for_thresholds: thresholds(partial, goal)?, description, request: request.to_string(), ..plan })
}

/// Learns what a schema lacks, within `goal`.
///
/// # Privacy
/// `(epsilon, delta)`-differentially private, as the certificate states. The schema is only as
/// private as it: both belong together.
///
/// # Errors
/// If the vault or the table fails, or what was learned is no schema.
pub fn learn(
    partial: &PartialSchema,
    table: &dyn RawTable,
    method: &Method,
    goal: ApproxDp,
    job: Option<&Job>,
) -> Result<(Schema, Certificate), MechanismError> {
    let terms = partial.terms_alone()?.privacy().clone();
    on_terms(
        terms.adjacency,
        method.accounting(goal),
        Learn { columns: Columns { partial, table }, goal, job, unit: terms.max_contributions },
    )
}

/// Learns what a schema lacks, fits a model, and checks its rows if a check is given, all within
/// `goal`. Figures that cannot be measured on the columns as they were learned are left out.
///
/// # Privacy
/// As for [`fit`](crate::fit): one certificate for all that was released.
///
/// # Errors
/// Those of [`learn`] and of [`fit`](crate::fit), and if a figure or the workload names an unknown
/// column.
pub fn fit_undeclared(
    partial: &PartialSchema,
    table: &dyn RawTable,
    method: &Method,
    goal: ApproxDp,
    share: LearnShare,
    check: Option<&Check>,
    job: Option<&Job>,
) -> Result<Model, MechanismError> {
    // A typing error is found before anything is spent.
    let names: Vec<&str> = partial.fields().iter().map(|field| field.name.as_str()).collect();
    check.map_or(Ok(()), |check| check.check_names(&names))?;
    method.workload().check_names(&names)?;
    let terms = partial.terms_alone()?.privacy().clone();
    let learn = Learn { columns: Columns { partial, table }, goal, job, unit: terms.max_contributions };
    on_terms(terms.adjacency, method.accounting(goal), LearnAndFit { learn, method, share, check })
}

/// Learns what a schema lacks in an open vault.
///
/// # Privacy
/// The columns are learned through the vault alone. The replay test relies on this.
///
/// # Errors
/// Those of [`learn`].
pub fn learn_in<A: MethodAdjacency, M: MethodAccounting>(
    vault: &mut ColumnVault<A, M>,
    budget: Budget<A, M>,
    partial: &PartialSchema,
    table: &dyn RawTable,
) -> Result<Schema, MechanismError> {
    Ok(Columns { partial, table }.learn(vault, budget)?.0)
}

/// The columns to learn, and where they are.
#[derive(Clone, Copy)]
struct Columns<'a> {
    partial: &'a PartialSchema,
    table: &'a dyn RawTable,
}

/// Released values of a column, with their noisy numbers of rows.
type Values = BTreeMap<Vec<u8>, f64>;
/// Released values, by the places of their columns.
type ValuesOf = BTreeMap<usize, Values>;
/// The kinds of columns, with their places.
type Kinds = Vec<(usize, LearnedKind)>;
/// A vault for columns, and its budget.
type Opened<A, M> = (ColumnVault<A, M>, Budget<A, M>);

/// Share of the rows of a column whose values may stay unknown.
const FOUND: f64 = 0.01;

/// Returns whether a second round may find more values of a column: not if nearly all rows are
/// found already, and not if none is found of identifiers and numbers, whose values are seldom
/// shared.
fn may_have_more(kind: &LearnedKind, rows: Option<f64>, found: &Values) -> bool {
    let there = found.iter().filter(|(value, _)| !kind.is_missing(value));
    let found_rows: f64 = there.map(|(_, rows)| rows).sum();
    let hidden = rows.map(|rows| (rows - found_rows) / rows.max(1.0));
    let is_found = hidden.is_some_and(|share| share <= FOUND);
    let is_seldom_shared = kind.is_number() || kind.is_code();
    let is_in_vain = found.is_empty() && is_seldom_shared;
    !is_found && !is_in_vain
}

/// Noisy counts over a grid.
struct NoisyGrid {
    counts: Vec<f64>,
    noise: f64,
}

impl NoisyGrid {
    fn new(table: &NoisyTable) -> Self {
        let counts = table.values().iter().map(|&count| count as f64).collect();
        Self { counts, noise: table.standard_deviation() }
    }

    fn counts(&self) -> GridCounts<'_> {
        GridCounts { counts: &self.counts, noise: self.noise }
    }
}

/// Noisy counts over a grid of numbers or dates.
struct LineGrid {
    grid: NoisyGrid,
    resolution: Resolution,
}

impl LineGrid {
    fn counts(&self) -> LineCounts<'_> {
        LineCounts { cells: self.grid.counts(), resolution: self.resolution }
    }
}

/// What is looked at more closely, with its counts, by the places of the columns.
type CloserGrids = BTreeMap<usize, (CloserLook, NoisyGrid)>;

/// Joins two budgets, if there are two.
fn joined<A: MethodAdjacency, M: MethodAccounting>(
    one: Left<A, M>,
    other: Left<A, M>,
) -> Result<Left<A, M>, VaultError> {
    Ok(match (one, other) {
        (Some(one), Some(other)) => Some(one.join(other)?),
        (one, other) => one.or(other),
    })
}

struct Learn<'a> {
    columns: Columns<'a>,
    goal: ApproxDp,
    job: Option<&'a Job>,
    unit: NonZeroU32,
}

struct LearnAndFit<'a> {
    learn: Learn<'a>,
    method: &'a Method,
    share: LearnShare,
    check: Option<&'a Check>,
}

impl OnTerms for Learn<'_> {
    type Output = Result<(Schema, Certificate), MechanismError>;

    fn run<A: MethodAdjacency, M: MethodAccounting>(self) -> Self::Output {
        let (mut vault, budget) = self.open::<A, M>()?;
        // What learning does not need stays unspent.
        let (schema, _) = self.columns.learn(&mut vault, budget)?;
        let certificate = vault.close().with_assumptions(schema.assumptions());
        Ok((schema, certificate))
    }
}

impl OnTerms for LearnAndFit<'_> {
    type Output = Result<Model, MechanismError>;

    fn run<A: MethodAdjacency, M: MethodAccounting>(self) -> Self::Output {
        let (mut vault, budget) = self.learn.open::<A, M>()?;
        let (for_columns, for_model) = budget.split(self.share.get());
        let (schema, unspent) = self.learn.columns.learn(&mut vault, for_columns)?;
        let for_model = match unspent {
            Some(unspent) => for_model.join(unspent)?,
            None => for_model,
        };
        let source = self.learn.columns.table.marginals(&schema, true).map_err(VaultError::from)?;
        // A column may have been learned with other values than a figure is about. That figure is
        // then not measured: the budget of all else is spent already.
        let check = self.check.and_then(|check| check.measurable(&schema, self.method.workload()));
        fit_and_check_in(vault.into_vault(source), for_model, &schema, self.method, check.as_ref())
    }
}

impl Learn<'_> {
    fn open<A: MethodAdjacency, M: MethodAccounting>(&self) -> Result<Opened<A, M>, MechanismError> {
        let for_thresholds = thresholds(self.columns.partial, self.goal)?;
        Ok(match self.job {
            Some(job) => ColumnVault::open_on(job, self.goal, for_thresholds, self.unit)?,
            None => ColumnVault::open(self.goal, for_thresholds, self.unit)?,
        })
    }
}

impl Columns<'_> {
    /// Learns all columns, and returns the complete schema and what was not spent.
    fn learn<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut ColumnVault<A, M>,
        budget: Budget<A, M>,
    ) -> Result<(Schema, Left<A, M>), MechanismError> {
        let missing = self.partial.missing();
        if missing.is_empty() {
            return Ok((self.partial.clone().complete(Vec::new())?, Some(budget)));
        }
        // Under pure differential privacy no value can be released.
        let may_release = vault.for_thresholds() > ThresholdDelta::ZERO;
        let (kinds, budget) = self.kinds(vault, budget, missing)?;
        let parts = Parts::of(kinds.iter().map(|(_, kind)| kind), may_release);
        let [for_grids, for_closer_grids, for_values] = parts.split(budget);
        let grids = match for_grids {
            Some(budget) => self.grids(vault, budget, &kinds)?,
            None => BTreeMap::new(),
        };
        let (closer, unspent) = match for_closer_grids {
            Some(budget) => self.closer_grids(vault, budget, &kinds, &grids)?,
            None => (BTreeMap::new(), None),
        };
        let for_values = joined(for_values, unspent)?;
        let may_have_values = |(place, kind): &(usize, LearnedKind)| {
            let may_have_heaps = |grid: &LineGrid| may_release && kind.may_have_heaps(grid.counts());
            kind.is_text() || grids.get(place).is_some_and(may_have_heaps)
        };
        let asked: Vec<&(usize, LearnedKind)> = kinds.iter().filter(|kind| may_have_values(kind)).collect();
        let (values, unspent) = match for_values {
            Some(budget) if !asked.is_empty() => self.values(vault, budget, &asked, &grids)?,
            unspent => (BTreeMap::new(), unspent),
        };
        let learned = kinds.iter().map(|(place, kind)| {
            let name = self.name(*place);
            let values: Vec<(&[u8], f64)> =
                values.get(place).into_iter().flatten().map(|(value, rows)| (&value[..], *rows)).collect();
            let field = match (grids.get(place), closer.get(place)) {
                (Some(grid), Some((look, counts))) => kind.of_closer_grid(name, grid.counts(), look, counts.counts()),
                (Some(grid), None) => kind.of_grid(name, grid.counts(), &values),
                (None, _) if kind.is_text() => kind.of_values(name, values.iter().map(|(value, _)| *value)),
                (None, _) => kind.without_counts(name),
            };
            (*place, field)
        });
        Ok((self.partial.clone().complete(learned.collect())?, unspent))
    }

    fn name(&self, place: usize) -> &str {
        &self.partial.fields()[place].name
    }

    /// Counts numbers and dates over their grids.
    fn grids<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut ColumnVault<A, M>,
        budget: Budget<A, M>,
        kinds: &[(usize, LearnedKind)],
    ) -> Result<BTreeMap<usize, LineGrid>, MechanismError> {
        let on_grids: Vec<&(usize, LearnedKind)> = kinds.iter().filter(|(_, kind)| kind.has_grid()).collect();
        let noise = NonZeroUsize::new(on_grids.len()).and_then(|grids| vault.planned_noise(grids, budget.amount()));
        let noise = noise.and_then(|noise| noise.standard_deviation()).unwrap_or(f64::INFINITY);
        // Columns of one table have about as many values.
        let most = kinds.iter().filter_map(|(_, kind)| kind.rows).reduce(f64::max);
        let resolution = |kind: &LearnedKind| Resolution::of(kind.rows.or(most), noise);
        let specs = on_grids.iter().filter_map(|(place, kind)| kind.grid(self.name(*place), resolution(kind)));
        let tables = self.measure(vault, budget, specs.collect(), |kind| format!("{} grid", kind.field_type()))?;
        let grid = |((place, kind), table): (&&(usize, LearnedKind), &NoisyTable)| {
            (*place, LineGrid { grid: NoisyGrid::new(table), resolution: resolution(kind) })
        };
        Ok(on_grids.iter().zip(&tables).map(grid).collect())
    }

    /// Counts dates once more, in finer cells, where that shows more. Returns what was not spent,
    /// too.
    fn closer_grids<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut ColumnVault<A, M>,
        budget: Budget<A, M>,
        kinds: &[(usize, LearnedKind)],
        grids: &BTreeMap<usize, LineGrid>,
    ) -> Result<(CloserGrids, Left<A, M>), MechanismError> {
        let look = |(place, kind): &(usize, LearnedKind)| {
            let look = kind.closer(grids.get(place)?.counts())?;
            Some((kind.closer_grid(self.name(*place), &look), (*place, look)))
        };
        let (specs, looks): (Vec<FieldSpec>, Vec<(usize, CloserLook)>) = kinds.iter().filter_map(look).unzip();
        if looks.is_empty() {
            return Ok((BTreeMap::new(), Some(budget)));
        }
        let name = |attribute: &scumble_schema::Attribute| format!("{} grid, closer", attribute.field_type());
        let tables = self.measure(vault, budget, specs, name)?;
        let grids = looks.into_iter().zip(&tables);
        Ok((grids.map(|((place, look), table)| (place, (look, NoisyGrid::new(table)))).collect(), None))
    }

    /// Releases the values of columns that enough rows share, with their noisy numbers of rows, in
    /// two rounds: first of all columns, with much noise, then of those of which more is to be
    /// found. Returns what was not spent, too.
    fn values<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut ColumnVault<A, M>,
        budget: Budget<A, M>,
        asked: &[&(usize, LearnedKind)],
        grids: &BTreeMap<usize, LineGrid>,
    ) -> Result<(ValuesOf, Left<A, M>), MechanismError> {
        let (first, second) = budget.split(budget::FOR_FIRST_VALUES);
        let delta = vault.for_thresholds().divided(2);
        let mut values = self.values_of(vault, first, delta, asked.iter().map(|(place, _)| *place).collect())?;
        let unfinished = asked.iter().filter(|(place, kind)| {
            let rows = grids.get(place).map_or(kind.rows, |grid| Some(grid.grid.counts.iter().sum()));
            may_have_more(kind, rows, &values[place])
        });
        let unfinished: Vec<usize> = unfinished.map(|(place, _)| *place).collect();
        if unfinished.is_empty() {
            return Ok((values, Some(second)));
        }
        // The second round has less noise, so its numbers replace those of the first.
        for (place, found) in self.values_of(vault, second, delta, unfinished)? {
            values.entry(place).or_default().extend(found);
        }
        Ok((values, None))
    }

    /// Releases the values of columns.
    fn values_of<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut ColumnVault<A, M>,
        budget: Budget<A, M>,
        delta: ThresholdDelta,
        places: Vec<usize>,
    ) -> Result<ValuesOf, MechanismError> {
        let names: Vec<&str> = places.iter().map(|&place| self.name(place)).collect();
        let source = self.table.values(&self.partial.of_texts(names.iter().copied())?).map_err(VaultError::from)?;
        let released = M::release_values(vault, &*source, &names, delta, budget)?;
        let values = released
            .iter()
            .map(|column| column.values().iter().map(|(value, rows)| (value.clone(), *rows as f64)).collect());
        Ok(places.into_iter().zip(values).collect())
    }

    /// Learns the kinds of columns without a type, and returns those of all columns and the rest of
    /// the budget.
    fn kinds<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut ColumnVault<A, M>,
        budget: Budget<A, M>,
        missing: Vec<(usize, Missing)>,
    ) -> Result<(Kinds, Budget<A, M>), MechanismError> {
        let untyped: Vec<usize> =
            missing.iter().filter(|(_, what)| *what == Missing::Type).map(|(place, _)| *place).collect();
        let mut kinds = Kinds::new();
        let mut rest = budget;
        if !untyped.is_empty() {
            let (for_classes, for_values) = rest.split(budget::FOR_CLASSES);
            rest = for_values;
            let names = untyped.iter().map(|&place| self.partial.fields()[place].name.as_str());
            let grids = names.map(scumble_schema::learn::class_grid).collect();
            let tables = self.measure(vault, for_classes, grids, |_| "classes".into())?;
            for (place, table) in untyped.into_iter().zip(&tables) {
                kinds.push((place, LearnedKind::new(NoisyGrid::new(table).counts())));
            }
        }
        kinds.extend(missing.into_iter().filter_map(|(place, what)| match what {
            Missing::Type => None,
            Missing::Values(kind) => Some((place, kind)),
        }));
        kinds.sort_unstable_by_key(|(place, _)| *place);
        Ok((kinds, rest))
    }

    /// Measures one table for each grid.
    fn measure<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut ColumnVault<A, M>,
        budget: Budget<A, M>,
        grids: Vec<FieldSpec>,
        name: impl Fn(&scumble_schema::Attribute) -> String,
    ) -> Result<Vec<NoisyTable>, MechanismError> {
        let schema = self.partial.of_grids(grids)?;
        let source = self.table.marginals(&schema, false).map_err(VaultError::from)?;
        let grid = |(place, attribute): (usize, &scumble_schema::Attribute)| Grid {
            column: attribute.name().to_owned(),
            name: name(attribute),
            attribute: AttributeId::new(place),
        };
        let grids: Vec<Grid> = schema.attributes().iter().enumerate().map(grid).collect();
        Ok(vault.measure_grids(&*source, &grids, budget)?.into_inner())
    }
}

/// Returns the part of delta for thresholds: none if no column can have values above one.
///
/// # Errors
/// If there may be texts and there is no delta: their categories could not be learned, and types
/// would have been paid for in vain.
fn thresholds(partial: &PartialSchema, goal: ApproxDp) -> Result<ThresholdDelta, MechanismError> {
    let missing = partial.missing();
    let any = |is: fn(&LearnedKind) -> bool| {
        missing.iter().any(|(_, what)| match what {
            Missing::Type => true,
            Missing::Values(kind) => is(kind),
        })
    };
    if goal.delta == Delta::ZERO {
        return if any(LearnedKind::is_text) {
            Err(MechanismError::CategoriesNeedDelta)
        } else {
            Ok(ThresholdDelta::ZERO)
        };
    }
    let may_have_values = any(|kind| kind.is_text() || kind.is_number());
    Ok(if may_have_values { ThresholdDelta::half_of(goal.delta) } else { ThresholdDelta::ZERO })
}

impl From<Problems> for MechanismError {
    fn from(problems: Problems) -> Self {
        Self::Learned { problem: problems.to_string() }
    }
}
