//! The plan of a bound: its shape, its results for any batches, and its memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, RecordBatch, StringArray, UInt32Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, UInt32Type};
use datafusion::datasource::MemTable;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::SessionContext;

use super::key::UnitKey;
use super::row::rank;
use super::*;
use crate::run::session::session as try_session;

fn session(threads: usize) -> SessionContext {
    try_session(threads, None, None).unwrap()
}

/// Two attributes with codes of two and four bytes, and a unit.
fn schema(max_rows: u32) -> Arc<Schema> {
    let schema = Schema::parse(&format!(
        "
dp: {{privacyUnit: who, maxContributions: {max_rows}}}
fields:
  - {{name: a, type: integer, constraints: {{minimum: 0, maximum: 299, required: true}}}}
  - {{name: b, type: integer, constraints: {{minimum: 0, maximum: 99999, required: true}}}}
"
    ))
    .unwrap();
    Arc::new(schema)
}

type Row = (Option<u32>, u32, u32);

/// Rows of units with one row, units with hundreds, and without a unit.
fn rows(count: u32) -> Vec<Row> {
    let mix =
        |row: u32, salt: u32| (row ^ salt).wrapping_mul(0x9E37_79B1).rotate_left(13).wrapping_mul(0x85EB_CA6B) >> 7;
    let unit = |row| match row % 11 {
        10 => None,
        0..4 => Some(mix(row, 1) % 7),
        _ => Some(mix(row, 2) % (count / 2)),
    };
    (0..count).map(|row| (unit(row), mix(row, 3) % 300, mix(row, 4) % 4)).collect()
}

fn batch(rows: &[Row]) -> RecordBatch {
    let column = |get: fn(&Row) -> u32| Arc::new(rows.iter().map(get).collect::<UInt32Array>()) as _;
    let who: StringArray = rows.iter().map(|row| row.0.map(|unit| format!("u{unit}"))).collect();
    RecordBatch::try_from_iter_with_nullable([
        ("who", Arc::new(who) as _, true),
        ("a", column(|row| row.1), false),
        ("b", column(|row| row.2), false),
    ])
    .unwrap()
}

/// Applies the rule directly, unit by unit.
fn expected(rows: &[Row], max_rows: usize) -> Vec<(u32, u32)> {
    let mut units: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    let keys = UnitKey::new(std::iter::empty());
    for &(unit, a, b) in rows {
        let Some(unit) = unit else { continue };
        let key = keys.key(Some(format!("u{unit}").as_bytes())).unwrap();
        let codes = [&u16::try_from(a).unwrap().to_le_bytes()[..], &b.to_le_bytes()].concat();
        units.entry(unit).or_default().push((rank(&key, &codes), (a, b)));
    }
    let mut kept = vec![];
    for mut rows in units.into_values() {
        rows.sort_unstable();
        kept.extend(rows.into_iter().take(max_rows).map(|(_, row)| row));
    }
    kept.sort_unstable();
    kept
}

async fn plan(context: &SessionContext, parts: Vec<Vec<RecordBatch>>, schema: &Arc<Schema>) -> Arc<dyn ExecutionPlan> {
    let table = MemTable::try_new(parts.iter().flatten().next().unwrap().schema(), parts).unwrap();
    let bound = UnitBound::of(schema).unwrap();
    let rows = context.read_table(Arc::new(table)).unwrap().select(bound.columns()).unwrap();
    bound.keep(rows).unwrap().create_physical_plan().await.unwrap()
}

async fn kept(context: &SessionContext, plan: &Arc<dyn ExecutionPlan>) -> Vec<(u32, u32)> {
    let mut kept = vec![];
    for batch in collect(Arc::clone(plan), context.task_ctx()).await.unwrap() {
        assert_eq!(batch.column(0).data_type(), &DataType::UInt16);
        let column = |index: usize| cast(batch.column(index), &DataType::UInt32).unwrap();
        let (a, b) = (column(0), column(1));
        assert_eq!(a.null_count() + b.null_count(), 0);
        let (a, b) = (a.as_primitive::<UInt32Type>(), b.as_primitive::<UInt32Type>());
        kept.extend(a.values().iter().copied().zip(b.values().iter().copied()));
    }
    kept.sort_unstable();
    kept
}

fn with_batch_size(threads: usize, batch_size: usize) -> SessionContext {
    let state = session(threads).state();
    let config = state.config().clone().with_batch_size(batch_size);
    SessionContext::new_with_state(SessionStateBuilder::new_from_existing(state).with_config(config).build())
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_go_to_the_partition_of_their_unit_and_are_sorted_there() {
    let plan = plan(&session(2), vec![vec![batch(&rows(10))]; 2], &schema(3)).await;
    let shown = displayable(plan.as_ref()).indent(false).to_string();
    let place = |node: &str| shown.find(node).unwrap_or_else(|| panic!("no {node} in\n{shown}"));
    let order = [
        "FilterExec: number@",
        "BoundedWindowAggExec",
        "SortExec: expr=[unit@1 ASC NULLS LAST, rank@2 ASC NULLS LAST]",
        "RepartitionExec: partitioning=Hash([unit@1], 2)",
        "rank_row",
        "FilterExec: unit@1 IS NOT NULL",
        "pack_row",
        "DataSourceExec",
    ];
    assert!(order.map(place).is_sorted(), "{shown}");
    assert!(shown.contains("mode=[Sorted]"), "a unit's state would be kept to the end:\n{shown}");
    for node in ["SortExec", "RepartitionExec: partitioning=Hash", "unit_key", "rank_row"] {
        assert_eq!(shown.matches(node).count(), 1, "{node} in\n{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_rows_do_not_depend_on_batches_or_threads() {
    let rows = rows(2_000);
    for max_rows in [1, 3, 5_000] {
        let expected = expected(&rows, max_rows);
        let schema = schema(u32::try_from(max_rows).unwrap());
        for threads in [1, 2, 5] {
            for batch_size in [1, 7, 8192] {
                for batch_rows in [1, 90, 3_000] {
                    let context = with_batch_size(threads, batch_size);
                    let batches: Vec<_> = rows.chunks(batch_rows).map(batch).collect();
                    let (left, right) = batches.split_at(batches.len() / 2);
                    let plan = plan(&context, vec![left.to_vec(), right.to_vec(), vec![]], &schema).await;
                    assert!(kept(&context, &plan).await == expected, "{max_rows} {threads} {batch_size} {batch_rows}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_kept_even_if_no_column_is_requested() {
    let (rows, schema, context) = (rows(500), schema(2), session(2));
    let table = MemTable::try_new(batch(&rows).schema(), vec![vec![batch(&rows)]]).unwrap();
    let bound = UnitBound::of(&schema).unwrap();
    let selected = context.read_table(Arc::new(table)).unwrap().select(bound.columns()).unwrap();
    let batches = bound.keep(selected).unwrap().select(Vec::<Expr>::new()).unwrap().collect().await.unwrap();
    assert!(batches.iter().all(|batch| batch.num_columns() == 0));
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), expected(&rows, 2).len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_limit_makes_it_spill_and_changes_nothing() {
    let rows = rows(400_000);
    let batches: Vec<_> = rows.chunks(8192).map(batch).collect();
    let schema = schema(2);
    // Each sort gets its share. In a first-come pool, one sort can leave too little for the others
    // to begin.
    let pool = Arc::new(FairSpillPool::new(64 << 20));
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(pool).build_arc().unwrap();
    let state = SessionStateBuilder::new_from_existing(session(2).state()).with_runtime_env(runtime).build();
    let context = SessionContext::new_with_state(state);
    let plan = plan(&context, vec![batches], &schema).await;
    assert!(kept(&context, &plan).await == expected(&rows, 2));
    assert!(spills(plan.as_ref()) > 0, "the limit was not reached, so this tested nothing");
}

fn spills(plan: &dyn ExecutionPlan) -> usize {
    let own = plan.metrics().and_then(|metrics| metrics.spill_count()).unwrap_or(0);
    own + plan.children().into_iter().map(|child| spills(child.as_ref())).sum::<usize>()
}
