//! Sampling by a whole cluster: every executor draws parts of one sample and writes each to a file of its own.
//!
//! Part number `i` has the rows from `i` times [`Model::PART_ROWS`] on of the sample that one process would draw, and the same
//! bytes whoever draws it and however often. So the rows do not depend on the number of executors, and a part that was drawn
//! twice, because an executor was lost, is in its file once.

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

/// How often to ask whether the rows are still wanted.
const LOOK_UP_EVERY: Duration = Duration::from_millis(100);

/// What is drawn, and where to.
#[derive(Debug, Clone)]
pub struct SampleOrder<'a> {
    /// What rows are drawn from.
    pub model: &'a Model,
    /// How many.
    pub rows: u64,
    /// The same seed draws the same rows.
    pub seed: u64,
    /// How they are drawn.
    pub sampling: Sampling,
    /// The folder to write. It must not be there yet, and its parent must be the same for all executors.
    pub folder: &'a Path,
}

impl Cluster {
    /// Draws rows and writes them to `part-00000.parquet` and so on in a new folder, which is whole or not there.
    ///
    /// `go_on` is asked now and then, and stops the work by answering `false`.
    pub fn sample(
        &self,
        order: &SampleOrder<'_>,
        mut go_on: impl FnMut() -> bool,
    ) -> std::result::Result<(), EngineError> {
        let parts = u32::try_from(order.rows.div_ceil(Model::PART_ROWS).max(1)).map_err(|_| too_many())?;
        let refused = |problem: &io::Error| EngineError::refused(order.folder, problem);
        if order.folder.exists() {
            return Err(refused(&io::ErrorKind::AlreadyExists.into()));
        }
        let parent = order.folder.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = fs::canonicalize(parent.unwrap_or(Path::new("."))).map_err(|error| refused(&error))?;
        let mut prepared = tempfile::Builder::new();
        prepared.prefix(".scumble-sample-");
        // Executors need not run as the one who asks for the rows.
        #[cfg(unix)]
        prepared.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let prepared = prepared.tempdir_in(parent).map_err(|error| refused(&error))?;
        let plan =
            plan(order, parts, prepared.path()).map_err(|_| EngineError::Bug { what: "no plan for a sample" })?;

        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| refused(&error))?;
        let config = session_config();
        let answers = runtime.block_on(async {
            let work = self.rows(&plan, &config);
            tokio::pin!(work);
            loop {
                tokio::select! {
                    answers = &mut work => return answers,
                    () = sleep(LOOK_UP_EVERY) => if !go_on() {
                        return Err(EngineError::Stopped);
                    }
                }
            }
        })?;
        let written: u64 =
            answers.iter().flat_map(|batch| batch.column(0).as_primitive::<UInt64Type>().values().iter()).sum();
        let are_there = (0..parts).all(|part| prepared.path().join(file_name(part)).is_file());
        if written != order.rows || !are_there {
            // Files of which we see nothing are in a folder of the same name on another disk.
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

/// One row for every part, each in a partition of its own, and the function that writes it.
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

/// What an executor is told.
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

/// `write_part(part)`: draws a part of a sample, writes it to its file, and says how many rows it has.
#[derive(Debug)]
pub(crate) struct WritePart {
    order: Order,
    model: Arc<[u8]>,
    /// Read with the first part: a scheduler has no use for it.
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
        // Volatile, since it does something: nobody shall run it while planning.
        Self { order, model, read: OnceLock::new(), signature: Signature::any(1, Volatility::Volatile) }
    }

    /// The order, its length before it, and the model behind it.
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
        for rows in model.sample_part_rows(self.order.rows, self.order.seed, sampling, part) {
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
    fn an_order_comes_back_as_it_was() {
        let order = Order { rows: 7, seed: u64::MAX, sampling: WrittenSampling::Matched, folder: "/lake/new".into() };
        let part = WritePart::of(order, b"model".as_slice().into());
        assert_eq!(WritePart::from_bytes(&part.to_bytes()).unwrap(), part);
        for bytes in [&b""[..], b"\x01\0\0", b"\xff\0\0\0{}", b"\x02\0\0\0{}model"] {
            assert!(WritePart::from_bytes(bytes).is_err());
        }
    }
}
