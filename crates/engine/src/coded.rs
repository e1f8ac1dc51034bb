//! The coded table: every row as one code per attribute, in memory.

use std::fmt;
use std::num::NonZeroU32;

use datafusion::arrow::array::RecordBatch;
use scumble_schema::{Clique, Domain, Privacy, Schema};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use crate::count::count_tables;
use crate::error::EngineError;
use crate::input::Input;
use crate::read::{ReadOptions, read, read_batches};

/// A table in which every value is a code of its attribute.
///
/// Columns are `UInt8`, `UInt16` or `UInt32` without nulls, the narrowest that holds the attribute's codes, in chunks of
/// 65,536 rows or fewer. The order of the rows is nobody's: it depends on which thread was first. Counts do not.
///
/// `Debug` prints nothing of the rows, nor how many there are.
pub struct CodedTable {
    domain: Domain,
    privacy: Privacy,
    chunks: Vec<RecordBatch>,
}

impl CodedTable {
    pub(crate) fn new(schema: &Schema, chunks: Vec<RecordBatch>) -> Self {
        Self { domain: schema.domain().clone(), privacy: schema.privacy().clone(), chunks }
    }

    /// Reads the columns of `schema` from all `inputs` and encodes them.
    ///
    /// Every row of every file becomes a row: no value raises and no row is dropped, except by a bound on the rows of each
    /// unit, if the schema names a unit column. To read synthetic rows, which have no such column, take
    /// [`Schema::without_unit`]. Only what the files are made of can
    /// fail: a missing file or column, a nested type, a damaged Parquet page. A Parquet or Arrow file whose text columns hold
    /// bytes that are not UTF-8 breaks its own format and counts as damaged; in CSV any bytes are fine.
    ///
    /// Not to be called from inside an async runtime: it starts one of its own and waits for it.
    pub fn read(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<Self, EngineError> {
        read(inputs, schema, options)
    }

    /// Encodes rows that are in memory already, partition by partition; columns are found by name.
    ///
    /// All batches must have the same columns. Not to be called from inside an async runtime.
    pub fn from_batches(
        partitions: Vec<Vec<RecordBatch>>,
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        read_batches(partitions, schema, options)
    }

    /// How many codes each attribute has.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The rows, in chunks with one column of codes per attribute.
    pub(crate) fn chunks(&self) -> &[RecordBatch] {
        &self.chunks
    }

    /// Exact counts over the cells of each clique, in the order of [`scumble_schema::cells`].
    ///
    /// # Privacy
    /// These are private. They go to the vault by [`MarginalSource::count`]; this way is for `scumble-evaluate`, whose
    /// every output is stamped NOT DIFFERENTIALLY PRIVATE, and for tests.
    pub fn count_tables(&self, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        count_tables(self, cliques)
    }
}

impl fmt::Debug for CodedTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CodedTable").field("domain", &self.domain).finish_non_exhaustive()
    }
}

impl MarginalSource for CodedTable {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.privacy.bound()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let tables = self.count_tables(cliques).map_err(SourceError::new)?;
        let tables = cliques.iter().cloned().zip(tables).map(|(clique, counts)| CountTable::new(clique, counts));
        Ok(Private::new(tables.collect()))
    }
}
