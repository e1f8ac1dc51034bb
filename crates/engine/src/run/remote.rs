//! Counting on other machines: the trait that a cluster implements, and the functions of a plan as
//! bytes.
//!
//! The engine plans as for its own threads, and passes the plan on. The cluster need not know what
//! the functions mean: it writes them with [`write_function`] and [`write_aggregate`], and another
//! process with the engine reads them back. Readers must expect arbitrary bytes.
//!
//! A plan contains nothing random: any part of it may run twice, on any machine, with the same
//! counts.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::{Result, plan_datafusion_err, plan_err};
use datafusion::datasource::physical_plan::FileSource;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::execution::object_store::{ObjectStoreRegistry, ObjectStoreUrl};
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::{ObjectMeta, ObjectStoreExt};
use scumble_schema::{AttributeId, Clique, Domain, SchemaSpec};
use serde::{Deserialize, Serialize};

use crate::codes::recode::RecodeColumn;
use crate::codes::udf::EncodeColumn;
use crate::count::aggregate::CountCliques;
use crate::count::kernel::CountPlan;
use crate::count::slices;
pub use crate::count::slices::SHARE_CELLS;
use crate::error::{Damage, EngineError};
use crate::run::session::remote_session;
use crate::source::csv::CsvSource;
pub use crate::source::csv::TextLayout;
use crate::unit::{PackRow, RankRow, UnitKey, UnpackCode};
use crate::values::{PackTexts, SplitTexts};

/// Runs plans of the engine in place of its own threads: a cluster, or a mock in tests.
#[async_trait]
pub trait Remote: fmt::Debug + Send + Sync {
    /// Maximum number of partitions for files of `bytes` bytes and a query of `cells` cells. Every
    /// partition returns counts of all cells, which are then added, [`SHARE_CELLS`] in one place.
    fn parts(&self, bytes: u64, cells: usize) -> usize;

    /// Returns all rows of `plan`, which was made under `config`.
    async fn collect(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
    ) -> std::result::Result<Vec<RecordBatch>, EngineError>;

    /// Computes all rows of `plan` and leaves each partition on the machine that computed it.
    async fn keep(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &SessionConfig,
    ) -> std::result::Result<Arc<dyn KeptRows>, EngineError>;
}

/// Rows on other machines, which are removed there when this is dropped.
///
/// Rows may be lost with their machine. A plan that reads them then fails with
/// [`ClusterProblem::RowsLost`](crate::ClusterProblem::RowsLost).
pub trait KeptRows: fmt::Debug + Send + Sync {
    /// Returns a plan that reads all rows, in at most `parts` partitions.
    fn read(&self, parts: usize) -> Result<Arc<dyn ExecutionPlan>>;
}

/// Number of concurrent metadata requests.
const CONCURRENT_REQUESTS: usize = 16;

/// A file of a scan.
#[derive(Debug, Clone)]
pub(crate) struct RemoteFile {
    /// Name in messages.
    pub(crate) shown: String,
    pub(crate) store: ObjectStoreUrl,
    /// Metadata when the scan was opened.
    pub(crate) meta: ObjectMeta,
}

/// Files that other machines count.
#[derive(Debug, Clone)]
pub(crate) struct RemoteFiles {
    remote: Arc<dyn Remote>,
    files: Arc<[RemoteFile]>,
    /// Bytes of all files together.
    bytes: u64,
    stores: Option<Arc<dyn ObjectStoreRegistry>>,
}

impl RemoteFiles {
    pub(crate) fn new(
        remote: Arc<dyn Remote>,
        files: Vec<RemoteFile>,
        stores: Option<Arc<dyn ObjectStoreRegistry>>,
    ) -> Self {
        let bytes = files.iter().map(|file| file.meta.size).sum();
        Self { remote, files: files.into(), bytes, stores }
    }

    /// Returns the same machines for rows that were read from these files and kept: from then on
    /// nobody depends on the files.
    pub(crate) fn without_files(&self) -> Self {
        Self { files: Arc::new([]), ..self.clone() }
    }

    /// Creates a session for planning a query of `cells` cells.
    pub(crate) fn session(&self, cells: usize) -> std::result::Result<SessionContext, EngineError> {
        remote_session(self.remote.parts(self.bytes, cells).max(1), self.stores.as_ref())
    }

    /// Returns all rows of a plan over these files.
    pub(crate) async fn collect(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: &SessionContext,
    ) -> std::result::Result<Vec<RecordBatch>, EngineError> {
        let rows = self.remote.collect(plan, context.state().config()).await?;
        self.are_unchanged(context).await?;
        Ok(rows)
    }

    /// Keeps all rows of a plan over these files on the machines that compute them.
    pub(crate) async fn keep(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: &SessionContext,
    ) -> std::result::Result<Arc<dyn KeptRows>, EngineError> {
        let kept = self.remote.keep(plan, context.state().config()).await?;
        self.are_unchanged(context).await?;
        Ok(kept)
    }

    /// Checks that no file has changed. Every query is a scan of its own, and all must read the
    /// same rows. The check follows each query: a later change did not affect its counts.
    async fn are_unchanged(&self, context: &SessionContext) -> std::result::Result<(), EngineError> {
        let runtime = context.runtime_env();
        let look = async |RemoteFile { shown, store, meta: before }: &RemoteFile| {
            let store = runtime.object_store(store).map_err(|_| EngineError::Bug { what: "a store is gone" })?;
            let now = store.head(&before.location).await;
            let now = now.map_err(|error| EngineError::reading(shown, &error.into(), Damage::Damaged))?;
            if (now.size, now.last_modified, &now.e_tag) != (before.size, before.last_modified, &before.e_tag) {
                return Err(EngineError::config(
                    format!("`{shown}` changed while it was being read"),
                    "make sure that nothing writes to the data while it is being read",
                ));
            }
            Ok(())
        };
        // Concurrent: each object costs a round trip, and a table may have thousands.
        let looks = stream::iter(self.files.iter()).map(look);
        looks.buffer_unordered(CONCURRENT_REQUESTS).try_collect().await
    }
}

/// Serialised form of one of the engine's functions.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenFunction {
    Encode(Box<SchemaSpec>),
    Recode { size: u32, new_codes: Vec<u32> },
    UnitKey { missing: Vec<Vec<u8>> },
    PackRow,
    RankRow,
    UnpackCode { offset: usize, bytes: usize },
    PackTexts,
    SplitTexts,
}

/// Serialised query of a count.
#[derive(Serialize, Deserialize)]
struct WrittenCount {
    sizes: Vec<u32>,
    cliques: Vec<Vec<usize>>,
}

/// Serialises a function of the engine; `None` for any other function.
pub fn write_function(function: &ScalarUDF) -> Option<Vec<u8>> {
    let inner = function.inner().as_ref() as &dyn Any;
    let written = if let Some(encode) = inner.downcast_ref::<EncodeColumn>() {
        WrittenFunction::Encode(Box::new(encode.to_spec()))
    } else if let Some(recode) = inner.downcast_ref::<RecodeColumn>() {
        let (size, new_codes) = recode.to_list();
        WrittenFunction::Recode { size, new_codes }
    } else if let Some(key) = inner.downcast_ref::<UnitKey>() {
        WrittenFunction::UnitKey { missing: key.forms().to_vec() }
    } else if inner.is::<PackRow>() {
        WrittenFunction::PackRow
    } else if inner.is::<RankRow>() {
        WrittenFunction::RankRow
    } else if inner.is::<PackTexts>() {
        WrittenFunction::PackTexts
    } else if inner.is::<SplitTexts>() {
        WrittenFunction::SplitTexts
    } else {
        let (offset, bytes) = inner.downcast_ref::<UnpackCode>()?.place();
        WrittenFunction::UnpackCode { offset, bytes }
    };
    Some(serde_json::to_vec(&written).expect("plain values can be written"))
}

/// Deserialises a function of the engine.
pub fn read_function(bytes: &[u8]) -> Result<ScalarUDF> {
    let written = serde_json::from_slice(bytes).map_err(|_| plan_datafusion_err!("not a function of Scumble"))?;
    Ok(match written {
        WrittenFunction::Encode(spec) => {
            let Some(encode) = EncodeColumn::of_spec(*spec) else { return plan_err!("not a schema of one column") };
            ScalarUDF::new_from_impl(encode)
        }
        WrittenFunction::Recode { size, new_codes } => {
            let Some(recode) = RecodeColumn::of_list(size, &new_codes) else {
                return plan_err!("a new code is beyond its column");
            };
            ScalarUDF::new_from_impl(recode)
        }
        WrittenFunction::UnitKey { missing } => ScalarUDF::new_from_impl(UnitKey::of_forms(missing)),
        WrittenFunction::PackRow => ScalarUDF::new_from_impl(PackRow::default()),
        WrittenFunction::RankRow => ScalarUDF::new_from_impl(RankRow::default()),
        WrittenFunction::UnpackCode { offset, bytes } => {
            let Some(unpack) = UnpackCode::of_place(offset, bytes) else {
                return plan_err!("no code has that number of bytes");
            };
            ScalarUDF::new_from_impl(unpack)
        }
        WrittenFunction::PackTexts => ScalarUDF::new_from_impl(PackTexts::default()),
        WrittenFunction::SplitTexts => ScalarUDF::new_from_impl(SplitTexts::default()),
    })
}

/// Serialises the aggregate of the engine; `None` for any other aggregate.
pub fn write_aggregate(function: &AggregateUDF) -> Option<Vec<u8>> {
    let plan = (function.inner().as_ref() as &dyn Any).downcast_ref::<CountCliques>()?.plan();
    let indices = |clique: &Clique| clique.attributes().iter().map(|attribute| attribute.index()).collect();
    let written =
        WrittenCount { sizes: plan.domain().sizes().to_vec(), cliques: plan.cliques().iter().map(indices).collect() };
    Some(serde_json::to_vec(&written).expect("plain values can be written"))
}

/// Deserialises the aggregate of the engine.
pub fn read_aggregate(bytes: &[u8]) -> Result<AggregateUDF> {
    let bad = || plan_datafusion_err!("not a count of Scumble");
    let written: WrittenCount = serde_json::from_slice(bytes).map_err(|_| bad())?;
    let domain = Domain::new(written.sizes).map_err(|_| bad())?;
    let clique = |attributes: &Vec<usize>| Clique::new(attributes.iter().map(|&index| AttributeId::new(index)));
    if written.cliques.iter().flatten().any(|&index| index >= domain.len()) {
        return Err(bad());
    }
    let cliques: Vec<Clique> = written.cliques.iter().map(clique).collect();
    let plan = CountPlan::new(&domain, &cliques).map_err(|_| bad())?;
    Ok(AggregateUDF::new_from_impl(CountCliques::new(Arc::new(plan))))
}

/// Serialises a node of a plan that only the engine has; `None` for any other node.
pub fn write_node(node: &dyn ExecutionPlan) -> Option<&'static [u8]> {
    slices::write(node)
}

/// Deserialises a node of the engine with its inputs.
pub fn read_node(bytes: &[u8], inputs: &[Arc<dyn ExecutionPlan>]) -> Result<Arc<dyn ExecutionPlan>> {
    slices::read(bytes, inputs)
}

/// Returns how the engine's CSV scan splits its files, if `source` is one.
pub fn csv_layout(source: &dyn FileSource) -> Option<TextLayout> {
    (source as &dyn Any).downcast_ref::<CsvSource>().map(CsvSource::layout)
}

/// Creates the engine's CSV scan.
pub fn csv_source(columns: TableSchema, layout: TextLayout) -> Arc<dyn FileSource> {
    Arc::new(CsvSource::new(columns, layout))
}

#[cfg(test)]
mod tests {
    use scumble_schema::{Recoding, Schema};

    use super::*;

    const SCHEMA: &str = "\
missingValues: ['', n/a, {value: '-9', label: refused}]
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 7}}}
  - {name: born, type: date, format: '%d.%m.%Y', constraints: {minimum: 01.01.1900, maximum: 31.12.2020}}
  - {name: seen, type: datetime, constraints: {minimum: 2020-01-01T00:00:00, maximum: 2020-12-31T00:00:00}, dp: {bins: {width: 3600}, timeZone: Europe/Paris}}
  - {name: diet, type: string, missingValues: ['?'], constraints: {enum: [fish, meat, '1.50'], required: true}, dp: {open: true}}
  - {name: pay, type: number, constraints: {minimum: 0.1, maximum: 99.7}, dp: {bins: {count: 13}}}
  - {name: smokes, type: boolean, trueValues: [oui], falseValues: [non]}
";

    #[test]
    fn functions_survive_a_round_trip() {
        let schema = Arc::new(Schema::parse(SCHEMA).unwrap());
        let recoding = Recoding::binary(schema.domain()).unwrap();
        let mut functions: Vec<ScalarUDF> = vec![];
        let attributes = schema.domain().attributes();
        functions.extend(attributes.map(|id| ScalarUDF::new_from_impl(EncodeColumn::new(&schema, id))));
        let columns = recoding.domain().attributes();
        functions.extend(columns.map(|id| ScalarUDF::new_from_impl(RecodeColumn::new(&recoding, id))));
        functions.push(ScalarUDF::new_from_impl(UnitKey::of_forms(vec![b"NA".to_vec(), vec![0, 255]])));
        functions.push(ScalarUDF::new_from_impl(PackRow::default()));
        functions.push(ScalarUDF::new_from_impl(RankRow::default()));
        functions.push(ScalarUDF::new_from_impl(PackTexts::default()));
        functions.push(ScalarUDF::new_from_impl(SplitTexts::default()));
        for bytes in [1, 2, 4] {
            functions.push(ScalarUDF::new_from_impl(UnpackCode::of_place(17, bytes).unwrap()));
        }
        for function in functions {
            // Equality of the functions includes their encoders.
            assert_eq!(read_function(&write_function(&function).unwrap()).unwrap(), function);
        }
    }

    #[test]
    fn counts_survive_a_round_trip() {
        let domain = Domain::new(vec![3, 300, 70_000, 2]).unwrap();
        let ids: Vec<_> = domain.attributes().collect();
        let cliques = [Clique::empty(), Clique::single(ids[2]), Clique::new([ids[3], ids[0]])];
        let plan = Arc::new(CountPlan::new(&domain, &cliques).unwrap());
        let count = AggregateUDF::new_from_impl(CountCliques::new(plan));
        assert_eq!(read_aggregate(&write_aggregate(&count).unwrap()).unwrap(), count);
    }

    #[test]
    fn foreign_bytes_are_refused() {
        for bytes in [
            &b""[..],
            b"{}",
            br#"{"recode":{"size":2,"new_codes":[0,2]}}"#,
            br#"{"unpack-code":{"offset":0,"bytes":3}}"#,
            br#"{"encode":{"fields":[]}}"#,
            br#"{"encode":{"fields":[{"name":"a","type":"string"}]}}"#,
        ] {
            assert!(read_function(bytes).is_err(), "{}", String::from_utf8_lossy(bytes));
        }
        for bytes in [
            &b""[..],
            br#"{"sizes":[2],"cliques":[[1]]}"#,
            br#"{"sizes":[0],"cliques":[[0]]}"#,
            br#"{"sizes":[4000000000,4000000000],"cliques":[[0,1]]}"#,
        ] {
            assert!(read_aggregate(bytes).is_err(), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
