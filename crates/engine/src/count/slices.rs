//! Sums of large counts on many machines: each adds a share of the cells.
//!
//! Every partition of a scan returns the counts of all cells. Added in one place, they are
//! partitions times cells of traffic for one machine. So the counts of each partition are
//! [cut](Task::Cut) into slices, the slices are distributed by a hash of their number, and each is
//! [added](Task::Add) by the machine that it is assigned to. The result is one row for each slice.
//!
//! ```text
//! partition 1   counts ─cut─▶ slice 0, slice 1 ─┐           ┌─▶ sum of slice 0 ─┐
//! partition 2   counts ─cut─▶ slice 0, slice 1 ─┼─ by slice ┤                   ├─▶ all counts
//! partition 3   counts ─cut─▶ slice 0, slice 1 ─┘           └─▶ sum of slice 1 ─┘
//! ```
//!
//! Additions are checked and exact, so the sums are those of one place. Sizes depend on the query
//! alone.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::types::UInt32Type;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, ListArray, RecordBatch, UInt32Array, UInt64Array};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_err, internal_err, plan_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning, PlanProperties,
};
use futures::{StreamExt, TryStreamExt, stream};

use crate::count::aggregate::{add_counts, counts_of, item};

/// Number of cells that one place adds: 2 MiB. Counts of no more cells are not cut.
pub const SHARE_CELLS: usize = 1 << 18;
/// Number of cells of a slice, which is a row. Whoever reads rows of other machines collects some
/// thousand of them before going on, so they must be small.
const SLICE_CELLS: usize = 256;

/// Replaces the last step of a plan that counts, in which one place adds the counts of all
/// partitions. Leaves plans alone whose counts are one share, or come from one partition.
pub(crate) fn sliced(plan: Arc<dyn ExecutionPlan>, cells: usize) -> Result<Arc<dyn ExecutionPlan>> {
    let shares = cells.div_ceil(SHARE_CELLS);
    let Some(parts) = partial_counts(&plan).filter(|_| shares > 1) else { return Ok(plan) };
    let cut = Arc::new(Step::new(Task::Cut, parts));
    let by_slice = Partitioning::Hash(vec![Arc::new(Column::new(SLICE, 0))], shares);
    let by_slice = RepartitionExec::try_new(cut, by_slice)?;
    Ok(Arc::new(Step::new(Task::Add, Arc::new(by_slice))))
}

/// Returns the step of a plan that counts each partition, if another adds them.
fn partial_counts(plan: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
    let mut node = plan;
    loop {
        if node.downcast_ref::<AggregateExec>().is_some_and(|step| *step.mode() == AggregateMode::Partial) {
            return Some(Arc::clone(node));
        }
        let [input] = node.children()[..] else { return None };
        node = input;
    }
}

/// Returns the counts of all cells, from the result of a plan that counts.
pub(crate) fn joined(batches: &[RecordBatch], cells: usize) -> Result<UInt64Array> {
    if let [batch] = batches
        && batch.num_columns() == 1
    {
        return counts_of(batch.column(0), 0);
    }
    let mut slices = Slices::new();
    for batch in batches {
        for (slice, counts) in slices_in(batch)? {
            if slices.insert(slice, counts.values().to_vec()).is_some() {
                return exec_err!("a slice was added twice");
            }
        }
    }
    if !slices.keys().copied().eq(0..number(cells.div_ceil(SLICE_CELLS))) {
        return exec_err!("a slice is missing");
    }
    Ok(slices.into_values().flatten().collect::<Vec<u64>>().into())
}

/// Counts of slices by their number.
type Slices = BTreeMap<u32, Vec<u64>>;

/// Name of the column of slice numbers.
const SLICE: &str = "slice";

fn columns() -> SchemaRef {
    let counts = Field::new("counts", DataType::List(item()), false);
    Arc::new(Schema::new(vec![Field::new(SLICE, DataType::UInt32, false), counts]))
}

fn number(slice: usize) -> u32 {
    u32::try_from(slice).expect("cells are fewer than 2^40")
}

/// Returns one row for each slice: its number, and as many of `counts` as it has cells.
fn rows(slices: Vec<u32>, lengths: impl IntoIterator<Item = usize>, counts: UInt64Array) -> Result<RecordBatch> {
    let lengths = OffsetBuffer::from_lengths(lengths);
    let counts: ArrayRef = Arc::new(ListArray::try_new(item(), lengths, Arc::new(counts), None)?);
    Ok(RecordBatch::try_new(columns(), vec![Arc::new(UInt32Array::from(slices)), counts])?)
}

fn slices_in(batch: &RecordBatch) -> Result<Vec<(u32, UInt64Array)>> {
    let [slices, counts] = batch.columns() else { return exec_err!("a slice has a number and counts") };
    let Some(slices) = slices.as_primitive_opt::<UInt32Type>().filter(|slices| slices.null_count() == 0) else {
        return exec_err!("a slice has no number");
    };
    (0..batch.num_rows()).map(|row| Ok((slices.value(row), counts_of(counts, row)?))).collect()
}

/// What a [`Step`] does with the counts of its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    /// Cuts the counts of every partition into slices.
    Cut,
    /// Adds the slices of all partitions that have the same number.
    Add,
}

impl Task {
    /// Returns the name in plans.
    fn name(self) -> &'static str {
        match self {
            Self::Cut => "CutCounts",
            Self::Add => "AddSlices",
        }
    }

    /// Returns the serialised form.
    fn bytes(self) -> &'static [u8] {
        match self {
            Self::Cut => b"cut",
            Self::Add => b"add",
        }
    }
}

/// A step of a sum, whose result is slices.
#[derive(Debug)]
struct Step {
    task: Task,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl Step {
    fn new(task: Task, input: Arc<dyn ExecutionPlan>) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(columns()),
            Partitioning::UnknownPartitioning(input.output_partitioning().partition_count()),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        Self { task, input, properties: Arc::new(properties) }
    }
}

fn cut(counts: &RecordBatch) -> Result<Vec<Result<RecordBatch>>> {
    let [states] = counts.columns() else { return exec_err!("the state is one column of counts") };
    let mut slices = vec![];
    for state in 0..states.len() {
        let counts = counts_of(states, state)?;
        let cells = counts.len();
        let lengths = (0..cells).step_by(SLICE_CELLS).map(|start| SLICE_CELLS.min(cells - start));
        slices.push(rows((0..number(cells.div_ceil(SLICE_CELLS))).collect(), lengths, counts));
    }
    Ok(slices)
}

async fn add(mut batches: SendableRecordBatchStream) -> Result<RecordBatch> {
    let mut sums = Slices::new();
    while let Some(batch) = batches.next().await {
        for (slice, counts) in slices_in(&batch?)? {
            match sums.get_mut(&slice) {
                Some(sum) => add_counts(sum, counts.values())?,
                None => _ = sums.insert(slice, counts.values().to_vec()),
            }
        }
    }
    let (slices, lengths): (Vec<u32>, Vec<usize>) = sums.iter().map(|(&slice, sum)| (slice, sum.len())).unzip();
    rows(slices, lengths, sums.into_values().flatten().collect::<Vec<u64>>().into())
}

impl DisplayAs for Step {
    fn fmt_as(&self, _: DisplayFormatType, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl ExecutionPlan for Step {
    fn name(&self) -> &'static str {
        self.task.name()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [input] = &children[..] else { return internal_err!("a step of a sum has one input") };
        Ok(Arc::new(Self::new(self.task, Arc::clone(input))))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        Ok(match self.task {
            Task::Cut => {
                let slices = input.map(|counts| counts.and_then(|counts| cut(&counts)).map(stream::iter));
                Box::pin(RecordBatchStreamAdapter::new(columns(), slices.try_flatten()))
            }
            Task::Add => Box::pin(RecordBatchStreamAdapter::new(columns(), stream::once(add(input)))),
        })
    }
}

/// Serialises a node of this module; `None` for any other node.
pub(crate) fn write(node: &dyn ExecutionPlan) -> Option<&'static [u8]> {
    node.downcast_ref::<Step>().map(|step| step.task.bytes())
}

/// Deserialises a node of this module.
pub(crate) fn read(bytes: &[u8], inputs: &[Arc<dyn ExecutionPlan>]) -> Result<Arc<dyn ExecutionPlan>> {
    let task = [Task::Cut, Task::Add].into_iter().find(|task| task.bytes() == bytes);
    let (Some(task), [input]) = (task, inputs) else { return plan_err!("not a step of a count of Scumble") };
    Ok(Arc::new(Step::new(task, Arc::clone(input))))
}

#[cfg(test)]
mod tests {
    use datafusion::datasource::memory::MemorySourceConfig;
    use datafusion::physical_plan::{collect_partitioned, displayable};

    use super::*;

    /// States of counts: one row in each partition.
    fn counted(parts: &[Vec<u64>]) -> Arc<dyn ExecutionPlan> {
        let columns = Arc::new(Schema::new(vec![Field::new("counts", DataType::List(item()), false)]));
        let state = |counts: &Vec<u64>| {
            let lengths = OffsetBuffer::from_lengths([counts.len()]);
            let counts = ListArray::new(item(), lengths, Arc::new(UInt64Array::from(counts.clone())), None);
            vec![RecordBatch::try_new(Arc::clone(&columns), vec![Arc::new(counts)]).unwrap()]
        };
        let partitions: Vec<_> = parts.iter().map(state).collect();
        MemorySourceConfig::try_new_exec(&partitions, columns, None).unwrap()
    }

    fn added(parts: &[Vec<u64>]) -> Result<Vec<RecordBatch>> {
        let by_slice = Partitioning::Hash(vec![Arc::new(Column::new(SLICE, 0))], 3);
        let cut = Arc::new(Step::new(Task::Cut, counted(parts)));
        let plan = Arc::new(Step::new(Task::Add, Arc::new(RepartitionExec::try_new(cut, by_slice).unwrap())));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let batches = runtime.block_on(collect_partitioned(plan, Arc::default()))?;
        Ok(batches.concat())
    }

    #[test]
    fn slices_add_up_to_the_whole() {
        let cells = 300 * SLICE_CELLS + 7;
        let parts: Vec<Vec<u64>> = (1..=5).map(|part| (0..cells as u64).map(|cell| cell * part).collect()).collect();
        let whole = joined(&added(&parts).unwrap(), cells).unwrap();
        assert!(whole.values().iter().zip(0..).all(|(&sum, cell)| sum == 15 * cell));
        assert_eq!(whole.len(), cells);
    }

    #[test]
    fn a_slice_that_is_missing_twice_there_or_too_large_is_refused() {
        let cells = SLICE_CELLS + 1;
        let mut batches = added(&[vec![1; cells]]).unwrap();
        batches.retain(|batch| batch.num_rows() > 0);
        assert!(joined(&batches[1..], cells).is_err());
        assert!(joined(&[&batches[..], &batches[..1]].concat(), cells).is_err());
        assert!(added(&[vec![u64::MAX; cells], vec![1; cells]]).is_err());
        assert!(added(&[vec![1; cells], vec![1; cells + 1]]).is_err());
    }

    #[test]
    fn only_large_counts_are_cut() {
        let plan = counted(&[vec![1], vec![2]]);
        let same = sliced(Arc::clone(&plan), SHARE_CELLS).unwrap();
        assert!(Arc::ptr_eq(&same, &plan));
        let shown = displayable(sliced(Arc::clone(&plan), SHARE_CELLS + 1).unwrap().as_ref()).indent(false).to_string();
        assert!(!shown.contains("CutCounts"), "there is no partial count to cut: {shown}");
    }

    #[test]
    fn nodes_survive_a_round_trip() {
        for (name, task) in [("CutCounts", Task::Cut), ("AddSlices", Task::Add)] {
            let step = Step::new(task, counted(&[vec![1]]));
            let again = read(write(&step).unwrap(), &[counted(&[vec![1]])]).unwrap();
            assert_eq!(again.name(), name);
        }
        assert!(read(b"cut", &[]).is_err() && read(b"sum", &[counted(&[])]).is_err());
    }
}
