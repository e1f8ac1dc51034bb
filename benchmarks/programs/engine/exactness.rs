//! Kernel, aggregate and plain `GROUP BY` agree, whatever the schema, the order of rows, the
//! partitions and the batches.

use std::sync::Arc;

use datafusion::arrow::array::types::{Int64Type, UInt8Type, UInt16Type, UInt32Type};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt8Array, UInt16Array, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema as Columns};
use datafusion::datasource::MemTable;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::prelude::{SessionConfig, SessionContext, col, lit};
use scumble_engine::CountCliques;
use scumble_engine::kernel::{Codes, CountPlan, Counter};
use scumble_schema::{AttributeId, Clique, CodeWidth, Domain, cells};
use tokio::runtime::Runtime;

use super::table::column_name;
use crate::random::Random;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

const SCHEMAS: u64 = 200;
const PARTITIONS: [usize; 4] = [1, 2, 7, 64];
const BATCHES: [usize; 3] = [13, 1_000, 40_000];

pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    println!("\nexactness:");
    let runtime = Runtime::new()?;
    let (mut tables, mut runs, mut different) = (0_u64, 0_u64, 0_u64);
    for seed in 0..SCHEMAS {
        let mut dice = Random::new(seed);
        let case = Case::new(&mut dice);
        let plan = Arc::new(CountPlan::new(&case.domain, &case.wanted)?);
        let expected = runtime.block_on(case.group_by())?;
        tables += case.wanted.len() as u64;
        for order in [Order::AsMade, Order::Reversed, Order::Shuffled] {
            let codes = case.ordered(order, &mut dice);
            for batch in BATCHES {
                different += u64::from(kernel(&plan, &codes, batch) != expected);
                for partitions in PARTITIONS {
                    let counts = runtime.block_on(aggregate(&plan, &case, &codes, partitions, batch))?;
                    different += u64::from(counts != expected);
                    runs += 2;
                }
            }
        }
    }
    figures.at_least("exactness: random schemas", SCHEMAS as f64, "schemas", 200.0);
    figures.shown("exactness: tables wanted", tables as f64, "tables");
    figures.shown("exactness: runs of kernel and aggregate", runs as f64, "runs");
    figures.at_most("exactness: runs that differ from GROUP BY", different as f64, "runs", 0.0);
    Ok(())
}

#[derive(Clone, Copy)]
enum Order {
    AsMade,
    Reversed,
    Shuffled,
}

/// A random schema with rows and a question.
struct Case {
    domain: Domain,
    /// Column by column.
    codes: Vec<Vec<u32>>,
    wanted: Vec<Clique>,
}

impl Case {
    fn new(dice: &mut Random) -> Self {
        let columns = 1 + dice.below(9);
        let size = |dice: &mut Random| match dice.below(8) {
            0 => 1,
            1..=3 => 2 + dice.below(4),
            4..=5 => 2 + dice.below(30),
            6 => 200 + dice.below(200),
            _ => [256, 257, 5_000, 65_536, 65_537, 70_000][dice.below(6)],
        };
        let sizes: Vec<u32> = (0..columns).map(|_| u32::try_from(size(dice)).expect("small")).collect();
        let rows = [0, 1, dice.below(100), dice.below(5_000), dice.below(100_000)][dice.below(5)];
        let codes = sizes.iter().map(|&size| {
            let uneven = dice.below(2) == 0;
            let code = |dice: &mut Random| if uneven && dice.below(10) > 0 { 0 } else { dice.below(size as usize) };
            (0..rows).map(|_| u32::try_from(code(dice)).expect("below a u32")).collect()
        });
        let codes = codes.collect();
        let domain = Domain::new(sizes).expect("the sizes are small");
        let mut wanted = vec![Clique::empty()];
        let want = |clique: Clique, wanted: &mut Vec<Clique>| {
            if domain.cells(&clique) <= 200_000 {
                wanted.push(clique);
            }
        };
        for a in domain.attributes() {
            for b in domain.attributes().filter(|&b| a <= b) {
                want(Clique::new([a, b]), &mut wanted);
            }
        }
        for _ in 0..4 {
            let members = 1 + dice.below(4);
            want(Clique::new((0..members).map(|_| AttributeId::new(dice.below(columns)))), &mut wanted);
        }
        Self { domain, codes, wanted }
    }

    fn rows(&self) -> usize {
        self.codes[0].len()
    }

    fn ordered(&self, order: Order, dice: &mut Random) -> Vec<Vec<u32>> {
        let mut rows: Vec<usize> = (0..self.rows()).collect();
        match order {
            Order::AsMade => {}
            Order::Reversed => rows.reverse(),
            Order::Shuffled => (1..rows.len()).rev().for_each(|last| rows.swap(last, dice.below(last + 1))),
        }
        self.codes.iter().map(|column| rows.iter().map(|&row| column[row]).collect()).collect()
    }

    /// The table as Arrow batches, partition by partition.
    fn partitions(&self, codes: &[Vec<u32>], partitions: usize, batch: usize) -> (Arc<Columns>, Vec<Vec<RecordBatch>>) {
        let field = |(column, &size): (usize, &u32)| Field::new(column_name(column), width(size), false);
        let columns = Arc::new(Columns::new(self.domain.sizes().iter().enumerate().map(field).collect::<Vec<_>>()));
        let share = self.rows().div_ceil(partitions);
        let part = |partition: usize| {
            let rows = self.rows().min(partition * share)..self.rows().min((partition + 1) * share);
            let batches = rows.clone().step_by(batch).map(|start| {
                let rows = start..rows.end.min(start + batch);
                let arrays = codes.iter().zip(self.domain.sizes());
                let arrays = arrays.map(|(column, &size)| array(&column[rows.clone()], size)).collect();
                RecordBatch::try_new(Arc::clone(&columns), arrays).expect("the columns fit")
            });
            batches.collect()
        };
        let parts = (0..partitions).map(part).collect();
        (columns, parts)
    }

    /// Every wanted table by `GROUP BY`.
    async fn group_by(&self) -> Result<Vec<Vec<u64>>> {
        let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
        let (columns, parts) = self.partitions(&self.codes, 2, 8192);
        context.register_table("t", Arc::new(MemTable::try_new(columns, parts)?))?;
        let mut tables = vec![];
        for clique in &self.wanted {
            let keys = clique.attributes().iter().map(|column| col(column_name(column.index()))).collect();
            let batches = context.table("t").await?.aggregate(keys, vec![count(lit(1_i64))])?.collect().await?;
            let mut counts = vec![0; self.domain.table_len(clique)?];
            for batch in batches {
                for row in 0..batch.num_rows() {
                    let codes = (0..clique.len()).map(|column| code(batch.column(column), row));
                    let cell: usize =
                        codes.zip(cells::strides(&self.domain, clique)).map(|(code, step)| code * step).sum();
                    let count = batch.column(clique.len()).as_primitive::<Int64Type>().value(row);
                    counts[cell] += u64::try_from(count)?;
                }
            }
            tables.push(counts);
        }
        Ok(tables)
    }
}

fn kernel(plan: &Arc<CountPlan>, codes: &[Vec<u32>], batch: usize) -> Vec<Vec<u64>> {
    let mut counter = Counter::new(Arc::clone(plan));
    let rows = codes[0].len();
    for start in (0..rows).step_by(batch) {
        let columns = plan.columns().iter().map(|column| {
            let size = plan.domain().size(*column);
            array(&codes[column.index()][start..(start + batch).min(rows)], size)
        });
        let columns: Vec<ArrayRef> = columns.collect();
        let codes = columns.iter().map(|array| match array.data_type() {
            DataType::UInt8 => Codes::U8(array.as_primitive::<UInt8Type>().values()),
            DataType::UInt16 => Codes::U16(array.as_primitive::<UInt16Type>().values()),
            _ => Codes::U32(array.as_primitive::<UInt32Type>().values()),
        });
        counter.add(&[codes.collect()]).expect("the codes are right");
    }
    counter.finish()
}

async fn aggregate(
    plan: &Arc<CountPlan>,
    case: &Case,
    codes: &[Vec<u32>],
    partitions: usize,
    batch: usize,
) -> Result<Vec<Vec<u64>>> {
    let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(batch);
    let context = SessionContext::new_with_config(config);
    let (columns, parts) = case.partitions(codes, partitions, batch);
    let table = context.read_table(Arc::new(MemTable::try_new(columns, parts)?))?;
    let codes = plan.columns().iter().map(|column| col(column_name(column.index()))).collect();
    let batches = table.aggregate(vec![], vec![CountCliques::call(Arc::clone(plan), codes)])?.collect().await?;
    Ok(CountCliques::tables(plan, batches[0].column(0))?)
}

fn width(size: u32) -> DataType {
    match CodeWidth::for_size(size) {
        CodeWidth::U8 => DataType::UInt8,
        CodeWidth::U16 => DataType::UInt16,
        CodeWidth::U32 => DataType::UInt32,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the width was chosen to hold the codes")]
fn array(codes: &[u32], size: u32) -> ArrayRef {
    match width(size) {
        DataType::UInt8 => Arc::new(UInt8Array::from_iter_values(codes.iter().map(|&code| code as u8))),
        DataType::UInt16 => Arc::new(UInt16Array::from_iter_values(codes.iter().map(|&code| code as u16))),
        _ => Arc::new(UInt32Array::from(codes.to_vec())),
    }
}

fn code(array: &ArrayRef, row: usize) -> usize {
    match array.data_type() {
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        _ => array.as_primitive::<UInt32Type>().value(row) as usize,
    }
}
