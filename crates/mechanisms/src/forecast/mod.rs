#![doc = include_str!("forecast.md")]

mod benchmarks;
mod clock;
mod coefficients;
mod cost;
mod dry_run;
mod errors;
mod machine;
mod outline;
mod signal;
mod step;
mod work;

use std::num::{NonZeroU32, NonZeroU64};

use scumble_schema::{AdjacencyKind, Clique, Recoding, Schema};
use scumble_vault::account::Amount;
use scumble_vault::{AccountingKind, AddRemove, ApproxDp, Delta, Gdp, Pure, ReplaceOne, Selecting, Zcdp};
use serde::Serialize;

pub use self::clock::processor_time;
pub use self::cost::Cost;
pub(crate) use self::dry_run::{DryRun, Limits, dice, several_dice};
use self::errors::Expecting;
pub use self::errors::OrderError;
pub use self::machine::Machine;
use self::outline::PlannedTable;
pub(crate) use self::outline::{Drawn, Outline};
pub(crate) use self::signal::cells_at;
pub use self::signal::{MOSTLY_NOISE, RELIABLE, Signal};
pub use self::step::{Asked, Events, Extent, Step};
pub use self::work::Work;
pub(crate) use self::work::real;
use crate::error::MechanismError;
use crate::method::Method;
use crate::neighbours::Neighbours;
use crate::network_learning::{Columns, Shape, planned as network};
use crate::rules;
use crate::theory::Generator;
use crate::{aim, auto, mst, pb_pgm, privbayes_nist, privmrf, smoothed_histogram};

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
        if goal.delta == Delta::ZERO && method.accounting(goal) != AccountingKind::Pure {
            return Err(MechanismError::NeedsDelta { method: method.name() });
        }
        let rules = rules::for_method(schema, method).map_err(|error| error.naming_columns(schema))?;
        let ruled_cells = rules::tree_cells(schema.domain(), &rules::cliques(&rules));
        let asked = method.of_schema(schema)?;
        let request = Request { schema, method: &asked, goal, rows, ruled_cells };
        let forecast = match (schema.privacy().adjacency, method.accounting(goal)) {
            (AdjacencyKind::AddRemove, AccountingKind::Pure) => request.plan::<AddRemove, Pure>(),
            (AdjacencyKind::AddRemove, AccountingKind::Gdp) => request.plan::<AddRemove, Gdp>(),
            (AdjacencyKind::AddRemove, AccountingKind::Zcdp) => request.plan::<AddRemove, Zcdp>(),
            (AdjacencyKind::ReplaceOne, AccountingKind::Pure) => request.plan::<ReplaceOne, Pure>(),
            (AdjacencyKind::ReplaceOne, AccountingKind::Gdp) => request.plan::<ReplaceOne, Gdp>(),
            (AdjacencyKind::ReplaceOne, AccountingKind::Zcdp) => request.plan::<ReplaceOne, Zcdp>(),
        };
        forecast.map_err(|error| error.naming_columns(schema))
    }

    /// The same fit on another machine than the one that coefficients were measured on.
    #[must_use]
    pub fn on(mut self, machine: Machine) -> Self {
        self.cost.cpu_seconds *= machine.slowness;
        self
    }
}

/// A forecast, before its neighbours and its accounting have become types.
struct Request<'a> {
    schema: &'a Schema,
    method: &'a Method,
    goal: ApproxDp,
    rows: NonZeroU64,
    /// Cells that rules alone take in the model.
    ruled_cells: u128,
}

impl Request<'_> {
    fn plan<A: Neighbours, M: Selecting>(&self) -> Result<Forecast, MechanismError> {
        let (privacy, domain) = (self.schema.privacy(), self.schema.domain());
        let amount = Amount::from_quanta(M::KIND.largest(self.goal)?.quanta);
        let recoding = self.method.recoding_of(self.schema)?;
        let mut outline = Outline::<A, M>::new(privacy.max_contributions, self.rows);
        self::outline(&mut outline, &recoding, self.method, amount)?;
        self.count_work(&mut outline);
        self.add_rules(&mut outline.work);
        let generator = Generator {
            neighbours: privacy.adjacency,
            max_contributions: privacy.max_contributions,
            privacy: self.goal,
            rows: self.rows,
        };
        let tables = as_base_columns(&recoding, outline.tables);
        let expecting = Expecting { domain, rows: self.rows, generator: &generator, method: self.method };
        Ok(Forecast {
            method: self.method.name().into(),
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
    fn count_work<A: Neighbours, M: Selecting>(&self, outline: &mut Outline<A, M>) {
        let domain = self.schema.domain();
        let rows = outline.row_count();
        let columns = real(self.schema.columns_read().count() as u128);
        let bytes = |&size: &u32| match size {
            0..=0x100 => 1.0,
            0x101..=0x1_0000 => 2.0,
            _ => 4.0,
        };
        let cells = outline.tables.iter().map(|table| real(table.cells.get().into())).sum();
        let is_kept = !(self.method.asks_once() && self.schema.privacy().adjacency == AdjacencyKind::AddRemove);
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

/// Plans the releases of a method, in the place that knows them.
fn outline<A: Neighbours, M: Selecting>(
    outline: &mut Outline<A, M>,
    recoding: &Recoding,
    method: &Method,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    let domain = recoding.domain();
    match method {
        Method::Independent => outline.measure(domain, &domain.one_way(), amount),
        Method::PrivBayes(options) => network::planned(outline, &Columns::new(recoding), options, amount, Shape::Any),
        Method::PbPgm(options) => pb_pgm::planned(outline, recoding, options, amount),
        Method::PrivBayesNist(options) => privbayes_nist::planned::planned(outline, recoding, options, amount),
        Method::Mst(_) => mst::planned::planned(outline, recoding.base(), amount),
        Method::Auto(options) | Method::PrivMrf(privmrf::Options::Best(options)) => {
            auto::planned::planned(outline, recoding, options, amount)
        }
        Method::Aim(options) => aim::planned::planned(outline, domain, options, amount),
        Method::PrivMrf(privmrf::Options::Paper(options)) => {
            privmrf::paper::planned::planned(outline, domain, options, amount)
        }
        Method::SmoothedHistogram(options) => smoothed_histogram::planned(outline, domain, options, amount),
    }
}
