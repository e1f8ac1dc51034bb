//! Codes on other machines, which answer later queries without reading the files again.
//!
//! The rows are read, bounded and encoded once. Each machine keeps the codes of the partitions that
//! it read, and queries count them there. Codes that are lost with a machine are made again from
//! the files, which must not have changed. Counts are exact either way, so nothing that is released
//! depends on where codes are, or on how often they were made.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use scumble_schema::{Clique, Recoding, Schema};

use crate::error::{ClusterProblem, EngineError};
use crate::run::remote::KeptRows;
use crate::run::session::Workers;
use crate::table::rows::RowSource;

/// How often codes are made for one query. Executors may end while a large table is read.
const MAX_ATTEMPTS: usize = 4;

/// A table whose codes are on other machines.
pub(crate) struct KeptTable {
    /// The values, to make codes of.
    values: RowSource,
    /// The codes; `None` after they were lost.
    codes: Mutex<Option<RowSource>>,
}

impl KeptTable {
    /// Encodes all rows of `values`.
    pub(crate) fn encode(values: RowSource, workers: &Workers) -> Result<Self, EngineError> {
        let codes = values.keep(workers)?;
        Ok(Self { values, codes: Mutex::new(Some(codes)) })
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.values.schema
    }

    /// Returns exact counts, as [`RowSource::count`] does.
    pub(crate) fn count(
        &self,
        workers: &Workers,
        recoding: Option<&Recoding>,
        cliques: &[Clique],
    ) -> Result<Vec<Vec<u64>>, EngineError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            match self.codes(workers).and_then(|codes| codes.count(workers, recoding, cliques)) {
                Err(error) if is_loss(&error) && attempt < MAX_ATTEMPTS => {
                    self.codes.lock().unwrap_or_else(PoisonError::into_inner).take();
                }
                counts => return counts,
            }
        }
    }

    /// Returns the codes, and makes them if there are none.
    fn codes(&self, workers: &Workers) -> Result<RowSource, EngineError> {
        // Held while codes are made, so that two queries at once do not make them twice.
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(codes) = &*codes {
            return Ok(codes.clone());
        }
        Ok(codes.insert(self.values.keep(workers)?).clone())
    }
}

fn is_loss(error: &EngineError) -> bool {
    matches!(error, EngineError::Cluster { problem: ClusterProblem::RowsLost, .. })
}

/// Codes on other machines, as a table of DataFusion.
#[derive(Debug)]
pub(crate) struct KeptCodes {
    rows: Arc<dyn KeptRows>,
    columns: SchemaRef,
}

impl KeptCodes {
    pub(crate) fn new(rows: Arc<dyn KeptRows>, columns: SchemaRef) -> Self {
        Self { rows, columns }
    }
}

#[async_trait]
impl TableProvider for KeptCodes {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.columns)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let rows = self.rows.read(session.config().target_partitions())?;
        let Some(projection) = projection else { return Ok(rows) };
        let column = |&index: &usize| {
            let name = self.columns.field(index).name();
            ProjectionExpr { expr: Arc::new(Column::new(name, index)), alias: name.clone() }
        };
        Ok(Arc::new(ProjectionExec::try_new(projection.iter().map(column), rows)?))
    }
}
