//! Samples on a whole cluster: every executor draws parts of one sample and writes each to a file
//! of its own.
//!
//! Part `i` consists of the rows from `i` times [`Model::BLOCK_ROWS`] on of the sample that one
//! process would draw, with identical bytes on every executor and in every attempt. So the rows do
//! not depend on the number of executors, and a part that was drawn twice, because an executor was
//! lost, is in its file once.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use datafusion::arrow::array::types::{UInt32Type, UInt64Type};
use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, UInt32Array, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::config::ConfigOptions;
use datafusion::common::{DataFusionError, Result, exec_err, plan_datafusion_err, plan_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use scumble_engine::{ClusterProblem, EngineError, TableWriter};
use scumble_mechanisms::Model;
use scumble_pgm::Sampling;
use scumble_schema::Decoder;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::client::Cluster;
use crate::executor::session_config;

/// Interval of checks for cancellation.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// A sample to draw, and its destination.
#[derive(Debug, Clone)]
pub struct SampleOrder<'a> {
    /// The model to sample from.
    pub model: &'a Model,
    /// Number of rows.
    pub rows: u64,
    /// Seed: equal seeds draw equal rows from a model.
    pub seed: u64,
    /// Sampling method.
    pub sampling: Sampling,
    /// The folder to write. It must not exist yet, and its parent must be shared by all executors.
    pub folder: &'a Path,
}

impl Cluster {
    /// Draws rows and writes them to `part-00000.parquet` and so on in a new folder, completely or
    /// not at all.
    ///
    /// Calls `go_on` regularly, and stops once it returns `false`.
    pub fn sample(
        &self,
        order: &SampleOrder<'_>,
        mut go_on: impl FnMut() -> bool,
    ) -> std::result::Result<(), EngineError> {
        let parts = u32::try_from(order.rows.div_ceil(Model::BLOCK_ROWS).max(1)).map_err(|_| too_many())?;
        let refused = |problem: &io::Error| EngineError::refused(order.folder, problem);
        if order.folder.exists() {
            return Err(refused(&io::ErrorKind::AlreadyExists.into()));
        }
        let parent = order.folder.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = fs::canonicalize(parent.unwrap_or(Path::new("."))).map_err(|error| refused(&error))?;
        let mut prepared = tempfile::Builder::new();
        prepared.prefix(".scumble-sample-");
        // Executors may run as other users than the caller.
        #[cfg(unix)]
        prepared.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let prepared = prepared.tempdir_in(parent).map_err(|error| refused(&error))?;
        let plan =
            plan(order, parts, prepared.path()).map_err(|_| EngineError::Bug { what: "no plan for a sample" })?;

        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| refused(&error))?;
        let config = session_config();
        let batches = runtime.block_on(async {
            let work = self.rows(&plan, &config);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    batches = &mut work => return batches,
                    () = sleep(CANCEL_CHECK_INTERVAL) => if !go_on() {
                        return Err(EngineError::Stopped);
                    }
                }
            }
        })?;
        let written: u64 =
            batches.iter().flat_map(|batch| batch.column(0).as_primitive::<UInt64Type>().values().iter()).sum();
        let all_exist = (0..parts).all(|part| prepared.path().join(file_name(part)).is_file());
        if written != order.rows || !all_exist {
            // Files that are not visible here are in a folder of the same name on another disk.
            return Err(self.fail(ClusterProblem::Unwritable));
        }
        #[cfg(unix)]
        fs::set_permissions(prepared.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .map_err(|error| refused(&error))?;
        fs::rename(prepared.keep(), order.folder).map_err(|error| refused(&error))
    }
}

fn too_many() -> EngineError {
    EngineError::Config {
        problem: "more rows than a cluster can draw".into(),
        hint: "a part has a million rows, and there are at most 2^32 parts".into(),
    }
}

fn file_name(part: u32) -> String {
    format!("part-{part:05}.parquet")
}

/// Plans one row for every part, each in a partition of its own, and the function that writes it.
fn plan(order: &SampleOrder<'_>, parts: u32, folder: &Path) -> Result<Arc<dyn ExecutionPlan>> {
    let columns = Arc::new(Schema::new(vec![Field::new("part", DataType::UInt32, false)]));
    let numbers =
        |part| RecordBatch::try_new(Arc::clone(&columns), vec![Arc::new(UInt32Array::from(vec![part])) as ArrayRef]);
    let partitions = (0..parts).map(|part| Ok(vec![numbers(part)?])).collect::<Result<Vec<_>>>()?;
    let source = MemorySourceConfig::try_new(&partitions, Arc::clone(&columns), None)?;
    let write = Arc::new(ScalarUDF::new_from_impl(WritePart::new(order, folder)));
    let arguments: Vec<Arc<dyn PhysicalExpr>> = vec![Arc::new(Column::new("part", 0))];
    let options = Arc::new(ConfigOptions::default());
    let written = ScalarFunctionExpr::try_new(write, arguments, &columns, options)?;
    let written = ProjectionExpr { expr: Arc::new(written), alias: "rows".into() };
    let projection = ProjectionExec::try_new(vec![written], DataSourceExec::from_data_source(source))?;
    Ok(Arc::new(CoalescePartitionsExec::new(Arc::new(projection))))
}

/// The order as sent to executors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Order {
    rows: u64,
    seed: u64,
    sampling: WrittenSampling,
    folder: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenSampling {
    LowVariance,
    Matched,
    Independent,
}

/// `write_part(part)`: draws a part of a sample, writes it to its file, and returns its number of
/// rows.
#[derive(Debug)]
pub(crate) struct WritePart {
    order: Order,
    model: Arc<[u8]>,
    /// Parsed with the first part, because a scheduler does not need it.
    read: OnceLock<Option<Model>>,
    signature: Signature,
}

impl WritePart {
    pub(crate) const NAME: &str = "write_part";

    fn new(order: &SampleOrder<'_>, folder: &Path) -> Self {
        let sampling = match order.sampling {
            Sampling::LowVariance => WrittenSampling::LowVariance,
            Sampling::Matched => WrittenSampling::Matched,
            Sampling::Independent => WrittenSampling::Independent,
        };
        let written = Order { rows: order.rows, seed: order.seed, sampling, folder: folder.to_owned() };
        Self::of(written, order.model.to_bytes().into())
    }

    fn of(order: Order, model: Arc<[u8]>) -> Self {
        // Volatile, because it has side effects: it must not run during planning.
        Self { order, model, read: OnceLock::new(), signature: Signature::any(1, Volatility::Volatile) }
    }

    /// Serialises the order, preceded by its length, and then the model.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let order = serde_json::to_vec(&self.order).expect("plain values can be written");
        let length = u32::try_from(order.len()).expect("an order is short").to_le_bytes();
        [&length[..], &order, &self.model].concat()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let bad = || plan_datafusion_err!("not a sample of Scumble");
        let (length, rest) = bytes.split_first_chunk().ok_or_else(bad)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| bad())?;
        let (order, model) = rest.split_at_checked(length).ok_or_else(bad)?;
        Ok(Self::of(serde_json::from_slice(order).map_err(|_| bad())?, model.into()))
    }

    fn write(&self, part: u32) -> Result<u64> {
        let Some(model) = self.read.get_or_init(|| Model::from_bytes(&self.model).ok()) else {
            return exec_err!("not a model that this version can read");
        };
        let sampling = match self.order.sampling {
            WrittenSampling::LowVariance => Sampling::LowVariance,
            WrittenSampling::Matched => Sampling::Matched,
            WrittenSampling::Independent => Sampling::Independent,
        };
        let failed = |error: EngineError| DataFusionError::External(Box::new(error));
        let path = self.order.folder.join(file_name(part));
        let mut writer =
            TableWriter::create(&path, Decoder::new(model.schema()).arrow_schema().clone()).map_err(failed)?;
        let mut written = 0;
        for rows in model.sample_block(self.order.rows, self.order.seed, sampling, part) {
            written += rows.batch.num_rows() as u64;
            writer.write_rows(&rows).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        Ok(written)
    }
}

impl PartialEq for WritePart {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order && self.model == other.model
    }
}

impl Eq for WritePart {}

impl Hash for WritePart {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.order.seed.hash(state);
        self.model.len().hash(state);
    }
}

impl ScalarUDFImpl for WritePart {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        if arguments == [DataType::UInt32] {
            Ok(DataType::UInt64)
        } else {
            plan_err!("write_part takes the number of a part")
        }
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [parts] = arguments.args.as_slice() else { return exec_err!("write_part takes one column") };
        let parts = parts.to_array(arguments.number_rows)?;
        let Some(parts) = parts.as_primitive_opt::<UInt32Type>() else { return exec_err!("parts have numbers") };
        let written = parts.values().iter().map(|&part| self.write(part)).collect::<Result<Vec<_>>>()?;
        Ok(ColumnarValue::Array(Arc::new(UInt64Array::from(written))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_a_round_trip() {
        let order = Order { rows: 7, seed: u64::MAX, sampling: WrittenSampling::Matched, folder: "/lake/new".into() };
        let part = WritePart::of(order, b"model".as_slice().into());
        assert_eq!(WritePart::from_bytes(&part.to_bytes()).unwrap(), part);
        for bytes in [&b""[..], b"\x01\0\0", b"\xff\0\0\0{}", b"\x02\0\0\0{}model"] {
            assert!(WritePart::from_bytes(bytes).is_err());
        }
    }
}
