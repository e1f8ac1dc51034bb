#![doc = include_str!("forecast.md")]

mod clock;
mod coefficients;
mod cost;
mod errors;
mod machine;

use std::num::{NonZeroU32, NonZeroU64};

use scumble_schema::{AdjacencyKind, Clique, Recoding, Schema};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, ApproxDp, Selecting};
use serde::Serialize;

pub use self::clock::processor_time;
pub use self::cost::Cost;
use self::errors::ErrorForecast;
pub use self::errors::OrderError;
pub use self::machine::Machine;
use crate::error::MechanismError;
use crate::learning::rules;
use crate::mechanism::fit::Prepared;
use crate::mechanism::method::Method;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency, OnTerms, on_terms};
pub use crate::planning::outline::{Asked, Events, Extent, MOSTLY_NOISE, RELIABLE, Signal, Step, Work};
use crate::planning::outline::{Outline, PlannedTable, real};
use crate::planning::theory::Generator;

/// Forecast of a fit: its releases, their noise, expected errors, time and memory.
#[derive(Debug, Clone, Serialize)]
pub struct Forecast {
    /// The method.
    pub method: String,
    /// The privacy loss that the fit has to stay within.
    pub goal: ApproxDp,
    /// Accounting of its releases.
    pub accounting: AccountingKind,
    /// Adjacency of tables.
    pub adjacency: AdjacencyKind,
    /// Maximum number of rows that one unit contributes.
    pub max_contributions: NonZeroU32,
    /// Number of rows that the plan is for.
    pub rows: NonZeroU64,
    /// Releases, by kind.
    pub steps: Vec<Step>,
    /// Table sizes that carry signal; `None` if no table is measured.
    pub signal: Option<Signal>,
    /// Errors of tables over one column, two, and so on.
    pub errors: Vec<OrderError>,
    /// Lower bound on the error of any private generator on some table of all columns.
    pub lower_bound_of_all: f64,
    /// Work of the fit.
    pub work: Work,
    /// Time and memory of that work.
    pub cost: Cost,
}

impl Forecast {
    /// Plans a fit of about `rows` rows.
    ///
    /// # Privacy
    /// Reads nothing private: only the schema, the options, the goal, and a number of rows that the
    /// caller declares public.
    ///
    /// # Errors
    /// If a fit would be refused before it reads a row, with the same reason: the schema is too
    /// large, the method cannot reach the goal, or an option is invalid.
    pub fn new(schema: &Schema, method: &Method, goal: ApproxDp, rows: NonZeroU64) -> Result<Self, MechanismError> {
        let prepared = Prepared::new(schema, method, goal)?;
        let ruled_cells = rules::tree_cells(schema.domain(), &rules::cliques(&prepared.model.rules));
        let planned = Planned { prepared, goal, rows, ruled_cells };
        let forecast = on_terms(schema.privacy().adjacency, method.accounting(goal), planned);
        forecast.map_err(|error| error.naming_columns(schema))
    }

    /// Converts the time to that on another machine.
    #[must_use]
    pub fn on(mut self, machine: Machine) -> Self {
        self.cost.cpu_seconds *= machine.slowness;
        self
    }
}

/// A forecast whose adjacency and accounting are not yet types.
struct Planned<'a> {
    prepared: Prepared<'a>,
    goal: ApproxDp,
    rows: NonZeroU64,
    /// Number of cells of the model that the rules alone need.
    ruled_cells: u128,
}

impl OnTerms for Planned<'_> {
    type Output = Result<Forecast, MechanismError>;

    fn run<A: MethodAdjacency, M: MethodAccounting>(self) -> Self::Output {
        let Prepared { schema, resolved: method, model, .. } = &self.prepared;
        let (privacy, domain) = (schema.privacy(), schema.domain());
        let amount = Amount::from_quanta(M::KIND.largest(self.goal)?.quanta);
        let mut outline = Outline::<A, M>::new(privacy.max_contributions, self.rows);
        method.outline(&mut outline, &model.recoding, amount)?;
        self.count_work(&mut outline);
        self.add_rules(&mut outline.work);
        let generator = Generator {
            neighbours: privacy.adjacency,
            max_contributions: privacy.max_contributions,
            privacy: self.goal,
            rows: self.rows,
        };
        let tables = as_base_columns(&model.recoding, outline.tables);
        let errors = ErrorForecast { domain, rows: self.rows, generator: &generator, method };
        Ok(Forecast {
            method: method.name().into(),
            goal: self.goal,
            accounting: M::KIND,
            adjacency: privacy.adjacency,
            max_contributions: privacy.max_contributions,
            rows: self.rows,
            steps: outline.steps,
            signal: Signal::of(&tables, self.rows),
            errors: match outline.drawn {
                None => errors.of_tables(&tables),
                Some(drawn) => errors.of_draws(drawn),
            },
            lower_bound_of_all: generator.any_structure(domain),
            work: outline.work,
            cost: Cost::of(&outline.work),
        })
    }
}

impl Planned<'_> {
    /// Adds the work on the cells of the rules, which every pass of a fit visits.
    fn add_rules(&self, work: &mut Work) {
        if self.ruled_cells > 0 && work.model_cells > 0.0 {
            let cells = work.model_cells + real(self.ruled_cells);
            work.fitted *= cells / work.model_cells;
            work.model_cells = cells;
        }
    }

    /// Adds the work of every fit, regardless of the method.
    fn count_work<A: MethodAdjacency, M: Selecting>(&self, outline: &mut Outline<A, M>) {
        let Prepared { schema, method, .. } = &self.prepared;
        let domain = schema.domain();
        let rows = outline.row_count();
        let columns = real(schema.columns_read().count() as u128);
        let bytes = |&size: &u32| match size {
            0..=0x100 => 1.0,
            0x101..=0x1_0000 => 2.0,
            _ => 4.0,
        };
        let cells = outline.tables.iter().map(|table| real(table.cells.get().into())).sum();
        let is_kept = !(method.asks_once() && schema.privacy().adjacency == AdjacencyKind::AddRemove);
        let work = &mut outline.work;
        work.read = rows * columns;
        work.table_cells = cells;
        if is_kept {
            work.coded_bytes = rows * domain.sizes().iter().map(bytes).sum::<f64>();
        }
    }
}

/// Replaces coarser versions and digits in tables by the columns that they are functions of.
fn as_base_columns(recoding: &Recoding, mut tables: Vec<PlannedTable>) -> Vec<PlannedTable> {
    for table in &mut tables {
        let base = table
            .clique
            .attributes()
            .iter()
            .map(|&column| if column.index() < recoding.domain().len() { recoding.of(column) } else { column });
        table.clique = Clique::new(base);
    }
    tables
}
