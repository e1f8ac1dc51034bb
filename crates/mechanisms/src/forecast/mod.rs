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
use self::errors::Expecting;
pub use self::errors::OrderError;
pub use self::machine::Machine;
use crate::error::MechanismError;
use crate::fit::Prepared;
use crate::method::Method;
pub use crate::outline::{Asked, Events, Extent, MOSTLY_NOISE, RELIABLE, Signal, Step, Work};
use crate::outline::{Outline, PlannedTable, real};
use crate::rules;
use crate::terms::{MethodAccounting, MethodAdjacency, OnTerms, on_terms};
use crate::theory::Generator;

/// What a fit will ask, how noisy its answers will be, and what it will cost.
#[derive(Debug, Clone, Serialize)]
pub struct Forecast {
    /// The method.
    pub method: String,
    /// What the fit has to stay within.
    pub goal: ApproxDp,
    /// How its releases are added up.
    pub accounting: AccountingKind,
    /// Which tables are neighbours.
    pub adjacency: AdjacencyKind,
    /// The most rows that one unit contributes.
    pub max_contributions: NonZeroU32,
    /// The number of rows that the plan is for.
    pub rows: NonZeroU64,
    /// The releases, kind by kind.
    pub steps: Vec<Step>,
    /// Which table sizes carry signal; none if no table is measured.
    pub signal: Option<Signal>,
    /// How far tables over one column, two, and so on will be off.
    pub errors: Vec<OrderError>,
    /// The least error that any private generator makes on some table of all columns.
    pub lower_bound_of_all: f64,
    /// What is to be done.
    pub work: Work,
    /// What that takes.
    pub cost: Cost,
}

impl Forecast {
    /// Plans a fit of about so many rows.
    ///
    /// # Privacy
    /// There is nothing private in here: the schema, the options, the goal and a number of rows that whoever asks vouches for.
    ///
    /// # Errors
    /// If a fit would be refused before it reads a row, with the same reason: the schema is too large, the method does not reach such a
    /// goal, an option cannot be had.
    pub fn new(schema: &Schema, method: &Method, goal: ApproxDp, rows: NonZeroU64) -> Result<Self, MechanismError> {
        let prepared = Prepared::new(schema, method, goal)?;
        let ruled_cells = rules::tree_cells(schema.domain(), &rules::cliques(&prepared.model.rules));
        let planned = Planned { prepared, goal, rows, ruled_cells };
        let forecast = on_terms(schema.privacy().adjacency, method.accounting(goal), planned);
        forecast.map_err(|error| error.naming_columns(schema))
    }

    /// The same fit on another machine than the one that coefficients were measured on.
    #[must_use]
    pub fn on(mut self, machine: Machine) -> Self {
        self.cost.cpu_seconds *= machine.slowness;
        self
    }
}

/// A forecast, before its adjacency and its accounting have become types.
struct Planned<'a> {
    prepared: Prepared<'a>,
    goal: ApproxDp,
    rows: NonZeroU64,
    /// Cells that rules alone take in the model.
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
        let expecting = Expecting { domain, rows: self.rows, generator: &generator, method };
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
                None => expecting.of_tables(&tables),
                Some(drawn) => expecting.of_draws(drawn),
            },
            lower_bound_of_all: generator.any_structure(domain),
            work: outline.work,
            cost: Cost::of(&outline.work),
        })
    }
}

impl Planned<'_> {
    /// Every pass of a fit goes through the cells of the rules too.
    fn add_rules(&self, work: &mut Work) {
        if self.ruled_cells > 0 && work.model_cells > 0.0 {
            #[expect(clippy::cast_precision_loss, reason = "what work is counted with")]
            let cells = work.model_cells + self.ruled_cells as f64;
            work.fitted *= cells / work.model_cells;
            work.model_cells = cells;
        }
    }

    /// What every fit has to do, whatever the method.
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

/// The tables that say something of columns as they are: a table of a coarser version or of single digits tells less.
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
