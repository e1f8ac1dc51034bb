//! The coded table: every row as one code per attribute.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema as ArrowSchema, SchemaRef};
use scumble_schema::{Clique, Domain, Recoding};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use crate::codes::encode::code_type;
use crate::error::EngineError;
use crate::run::memory::MemoryLimit;
use crate::run::session::Workers;
use crate::run::spill::SpillDirectory;
use crate::table::chunks::{ChunkSink, Chunks};
use crate::table::rows::{Origin, RowSource};

/// A table in which every value is a code of its attribute, for methods that query repeatedly.
///
/// Columns are `UInt8`, `UInt16` or `UInt32` without nulls, the narrowest that holds the
/// attribute's codes. Rows beyond half of the memory limit are in Parquet files that only their
/// owner can read, and that are removed with the table. The order of rows depends on the threads;
/// counts do not.
///
/// `Debug` prints nothing of the rows, nor their number.
pub struct CodedTable {
    rows: RowSource,
    workers: Workers,
    spilled: bool,
    _spill: Arc<SpillDirectory>,
}

impl CodedTable {
    /// Reads all rows of `scan` and keeps their codes.
    pub(crate) fn of_scan(
        scan: RowSource,
        workers: Workers,
        spill: Arc<SpillDirectory>,
        limit: MemoryLimit,
    ) -> Result<Self, EngineError> {
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
        let rows = RowSource {
            are_coded: true,
            tables: chunks.tables(&columns, scan.context.state().config().target_partitions())?,
            origin: Origin::in_memory(),
            progress: None,
            ..scan
        };
        Ok(Self { rows, workers, spilled, _spill: spill })
    }

    /// Number of codes of each attribute.
    pub fn domain(&self) -> &Domain {
        self.rows.schema.domain()
    }

    /// Whether some rows exceeded the memory limit and are in private files.
    pub fn spilled(&self) -> bool {
        self.spilled
    }

    /// Exact counts, which are private.
    pub(crate) fn exact(&self, recoding: Option<&Recoding>, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.rows.count(&self.workers, recoding, cliques)
    }
}

impl fmt::Debug for CodedTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CodedTable").field("domain", self.rows.schema.domain()).finish_non_exhaustive()
    }
}

impl MarginalSource for CodedTable {
    fn domain(&self) -> &Domain {
        self.rows.schema.domain()
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.rows.schema.privacy().bound()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.rows.count_sealed(&self.workers, None, cliques)
    }

    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.rows.count_sealed(&self.workers, Some(recoding), cliques)
    }
}
