//! The coded table: every row as one code per attribute.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema as ArrowSchema, SchemaRef};
use scumble_schema::{Clique, Domain, Recoding, Schema};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use crate::codes::encode::code_type;
use crate::error::EngineError;
use crate::run::memory::MemoryLimit;
use crate::run::session::Workers;
use crate::run::spill::SpillDirectory;
use crate::table::chunks::{ChunkSink, Chunks};
use crate::table::kept::KeptTable;
use crate::table::rows::{Origin, RowSource, seal};

/// A table in which every value is a code of its attribute, for methods that query repeatedly.
///
/// Columns are `UInt8`, `UInt16` or `UInt32` without nulls, the narrowest that holds the
/// attribute's codes. Rows beyond half of the memory limit are in files that only their owner can
/// read, and that are removed with the table. The order of rows depends on the threads; counts do
/// not. The codes of a cluster's table stay on its executors, in private files too.
///
/// `Debug` prints nothing of the rows, nor their number.
pub struct CodedTable {
    rows: Rows,
    spilled: bool,
    workers: Workers,
    _spill: Arc<SpillDirectory>,
}

/// Where the codes are.
enum Rows {
    Here(Box<RowSource>),
    Kept(Box<KeptTable>),
}

impl CodedTable {
    /// Reads all rows of `scan` and keeps their codes.
    pub(crate) fn of_scan(
        scan: RowSource,
        workers: Workers,
        spill: Arc<SpillDirectory>,
        limit: MemoryLimit,
    ) -> Result<Self, EngineError> {
        if scan.remote.is_some() {
            let rows = Rows::Kept(Box::new(KeptTable::encode(scan, &workers)?));
            return Ok(Self { rows, spilled: false, workers, _spill: spill });
        }
        let columns = scan.schema.attributes().iter();
        let columns = columns.map(|attribute| Field::new(attribute.name(), code_type(attribute.size()), false));
        let columns: SchemaRef = Arc::new(ArrowSchema::new(columns.collect::<Vec<_>>()));
        let chunks = if scan.tables.is_empty() {
            Chunks::default()
        } else {
            let sink = ChunkSink::new(Arc::clone(&spill), Arc::clone(&columns), limit.half());
            scan.encode(&workers, Arc::new(sink))?
        };
        let spilled = chunks.spilled();
        let codes = RowSource {
            are_coded: true,
            tables: chunks.tables(&columns, scan.context.state().config().target_partitions())?,
            origin: Origin::in_memory(),
            progress: None,
            ..scan
        };
        Ok(Self { rows: Rows::Here(Box::new(codes)), spilled, workers, _spill: spill })
    }

    fn schema(&self) -> &Schema {
        match &self.rows {
            Rows::Here(codes) => &codes.schema,
            Rows::Kept(table) => table.schema(),
        }
    }

    /// Number of codes of each attribute.
    pub fn domain(&self) -> &Domain {
        self.schema().domain()
    }

    /// Whether some rows exceeded the memory limit of this machine and are in private files.
    pub fn spilled(&self) -> bool {
        self.spilled
    }

    /// Exact counts, which are private.
    pub(crate) fn exact(&self, recoding: Option<&Recoding>, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        match &self.rows {
            Rows::Here(codes) => codes.count(&self.workers, recoding, cliques),
            Rows::Kept(table) => table.count(&self.workers, recoding, cliques),
        }
    }
}

impl fmt::Debug for CodedTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CodedTable").field("domain", self.schema().domain()).finish_non_exhaustive()
    }
}

impl MarginalSource for CodedTable {
    fn domain(&self) -> &Domain {
        self.schema().domain()
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.schema().privacy().bound()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        seal(cliques, self.exact(None, cliques))
    }

    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        seal(cliques, self.exact(Some(recoding), cliques))
    }
}
