//! Tables that their database counts: rows stay there, and only counts are sent.
//!
//! The encoder's [steps](scumble_schema::Encoder::integer_steps) become comparisons in SQL, so that
//! the database gives every row the code that a scan would. One statement counts many tables:
//!
//! ```text
//!  columns ─▶ codes ─▶ one key for each counted table ─▶ GROUP BY GROUPING SETS ─▶ table, key, rows
//! ```
//!
//! Requested tables are summed from the counted ones. These are smaller than those of the
//! [kernel](crate::kernel), because all their cells are sent. All statements of a fit are in one
//! transaction that sees one state of the table.
//!
//! A column whose codes cannot be computed by comparisons is refused by its type, which is public:
//! an expression that could fail on a value would tell of it.

mod code;
mod statement;

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use scumble_schema::{AttributeId, Clique, Domain, Recoding, Schema};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use code::ColumnCode;
#[cfg(any(feature = "adbc", feature = "postgres"))]
pub(crate) use code::quoted;
pub(crate) use code::{Dialect, ValueKind};
use statement::{CodedColumn, Statement};

use crate::count::kernel::CountPlan;
use crate::error::{Damage, EngineError};
use crate::run::read_options::ReadOptions;
use crate::run::session::Workers;
use crate::source::input::{DatabaseAddress, Input};
use crate::source::{adbc, postgres};
use crate::table::rows::{effective, plan_that_fits, seal};

/// Maximum number of tables that one statement counts. PostgreSQL allows 4,096 grouping sets.
const TABLES_PER_STATEMENT: usize = 128;

/// One table that a statement counted: its number in the statement, the cell, and the rows in it.
pub(crate) type CountedCell = (i32, i64, i64);

/// A column of a table, as its database describes it.
pub(crate) struct DatabaseColumn {
    pub(crate) name: String,
    pub(crate) type_name: String,
    /// `None` if its values cannot be compared.
    pub(crate) kind: Option<ValueKind>,
}

/// Tables of databases that count their rows themselves.
///
/// Suits rows that must not leave their database, or leave it slowly. Every query is a statement of
/// its own.
pub struct DatabaseTable {
    schema: Arc<Schema>,
    tables: Vec<Arc<OneTable>>,
    workers: Workers,
    count_bytes: usize,
    shown: String,
}

struct OneTable {
    connection: Connection,
    /// The table, in quotes.
    from: String,
    codes: Vec<ColumnCode>,
}

impl DatabaseTable {
    /// Connects to the databases of all `inputs` and inspects the columns; no row is read yet.
    ///
    /// # Errors
    /// If an input is not a table of a database, if a column's codes cannot be computed by
    /// comparisons, or if the schema bounds the rows of each unit: that needs an order of rows that
    /// a database does not have.
    pub fn open(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<Self, EngineError> {
        if options.remote.is_some() {
            return Err(EngineError::config(
                "either a database counts its rows or a cluster does",
                "use `--engine local` with `--push-down`",
            ));
        }
        if let Some((unit, _)) = schema.privacy().bound() {
            return Err(EngineError::config(
                format!("a database cannot bound the rows of each `{unit}`"),
                "leave out `--push-down`: rows are then read, and bounded here",
            ));
        }
        let address = |input: &Input| {
            input.database()?.ok_or_else(|| {
                EngineError::config(
                    format!("`{}` is not a table of a database, so only a scan can count it", input.shown()),
                    "leave out `--push-down`",
                )
            })
        };
        let addresses = inputs.iter().map(address).collect::<Result<Vec<_>, _>>()?;
        let shown = inputs.first().map(Input::shown).unwrap_or_default();
        let (workers, schema) = (Workers::new(1)?, Arc::new(schema.clone()));
        let of_schema = Arc::clone(&schema);
        let tables = workers.run(&shown, Damage::Damaged, async move {
            let mut tables = Vec::with_capacity(addresses.len());
            for address in &addresses {
                tables.push(Arc::new(OneTable::open(address, &of_schema).await?));
            }
            Ok::<_, EngineError>(tables)
        })??;
        Ok(Self { schema, tables, workers, count_bytes: options.memory_limit().half(), shown })
    }

    /// Number of codes of each attribute.
    pub fn domain(&self) -> &Domain {
        self.schema.domain()
    }

    /// Exact counts, which are private.
    pub(crate) fn exact(&self, recoding: Option<&Recoding>, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        let recoding = effective(recoding, self.schema.domain())?;
        let domain = recoding.as_ref().map_or(self.schema.domain(), |recoding| recoding.domain());
        let mut counts = Vec::with_capacity(cliques.len());
        let mut rest = cliques;
        while !rest.is_empty() {
            let plan = Arc::new(plan_that_fits(domain, rest, self.count_bytes, CountPlan::to_send)?);
            rest = &rest[plan.cliques().len()..];
            let (tables, schema, recoding) = (self.tables.clone(), Arc::clone(&self.schema), recoding.clone());
            let of_plan = Arc::clone(&plan);
            let counted = self.workers.run(&self.shown, Damage::Damaged, async move {
                let mut counted: Vec<Vec<u64>> = of_plan.counted().map(|(_, cells)| vec![0; cells]).collect();
                for table in tables {
                    table.count(&of_plan, &schema, recoding.as_deref(), &mut counted).await?;
                }
                Ok::<_, EngineError>(counted)
            })??;
            counts.extend(plan.split(&plan.summed(counted)));
        }
        Ok(counts)
    }
}

enum Connection {
    Postgres(Box<postgres::Counting>),
    Driven(adbc::Counting),
}

impl Connection {
    fn dialect(&self) -> Dialect {
        match self {
            Self::Postgres(_) => Dialect::Postgres,
            Self::Driven(connection) => connection.dialect(),
        }
    }

    async fn count(
        &self,
        statement: String,
        add: &mut (dyn FnMut(CountedCell) -> Option<()> + Send),
    ) -> Result<(), EngineError> {
        match self {
            Self::Postgres(connection) => connection.count(&statement, add).await,
            Self::Driven(connection) => connection.count(statement, add).await,
        }
    }
}

impl OneTable {
    async fn open(address: &DatabaseAddress, schema: &Schema) -> Result<Self, EngineError> {
        let (connection, columns, from, shown) = match address {
            DatabaseAddress::Postgres(address) => {
                let (connection, columns) = postgres::Counting::open(address).await?;
                (Connection::Postgres(Box::new(connection)), columns, address.from(), address.shown())
            }
            DatabaseAddress::Driven(address) => {
                let (connection, columns) = adbc::Counting::open(address)?;
                (Connection::Driven(connection), columns, address.from(), address.shown())
            }
        };
        let codes = schema.attributes().iter().map(|attribute| ColumnCode::new(attribute, &columns, shown));
        Ok(Self { connection, from, codes: codes.collect::<Result<_, _>>()? })
    }

    /// Adds the counts of this table to those of the plan's counted tables.
    async fn count(
        &self,
        plan: &CountPlan,
        schema: &Schema,
        recoding: Option<&Recoding>,
        counts: &mut [Vec<u64>],
    ) -> Result<(), EngineError> {
        let dialect = self.connection.dialect();
        let statement = Statement { dialect, from: &self.from, domain: plan.domain() };
        let column_of = |attribute: AttributeId, value: &str| {
            let base = recoding.map_or(attribute, |recoding| recoding.of(attribute));
            let (column, encoder) = (&self.codes[base.index()], schema.attribute(base).encoder());
            let new = recoding.map(|recoding| recoding.codes(attribute));
            CodedColumn { value: column.value(dialect), code: column.expression(dialect, value, encoder, new) }
        };
        let cliques: Vec<&Clique> = plan.counted().map(|(clique, _)| clique).collect();
        for (cliques, counts) in cliques.chunks(TABLES_PER_STATEMENT).zip(counts.chunks_mut(TABLES_PER_STATEMENT)) {
            let statement = statement.text(cliques, column_of);
            let mut add = |(table, cell, rows): CountedCell| {
                let table = counts.get_mut(usize::try_from(table).ok()?)?;
                let count = table.get_mut(usize::try_from(cell).ok()?)?;
                *count = count.checked_add(u64::try_from(rows).ok()?)?;
                Some(())
            };
            self.connection.count(statement, &mut add).await?;
        }
        Ok(())
    }
}

impl fmt::Debug for DatabaseTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("DatabaseTable").field("domain", self.schema.domain()).finish_non_exhaustive()
    }
}

impl MarginalSource for DatabaseTable {
    fn domain(&self) -> &Domain {
        self.schema.domain()
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.schema.privacy().bound()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        seal(cliques, self.exact(None, cliques))
    }

    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        seal(cliques, self.exact(Some(recoding), cliques))
    }
}
