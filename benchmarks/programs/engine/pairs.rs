//! All pairs of columns, from Parquet: by our aggregate, by DataFusion's `GROUP BY`, by DuckDB, by
//! Polars; and what it costs only to decode the columns.

use std::path::{Path, PathBuf};
use std::process::Command;

use datafusion::arrow::array::types::Int64Type;
use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result as DataFusionResult, ScalarValue};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext, col, lit};
use scumble_engine::exact::ExactCounts;
use scumble_engine::{Input, ReadOptions, TableScan};
use tokio::runtime::Runtime;

use super::table::{Shape, column_name};
use scumble_benchmarks::Result;
use scumble_benchmarks::clock::{cheapest, cpu_seconds};
use scumble_benchmarks::figure::{Bar, Figure, Figures};
use scumble_benchmarks::python::python_with;

const ROWS: usize = 10_000_000;
const FILES: usize = 2;
const THREADS: usize = 2;
/// Runs of what is fast; what takes a minute runs once.
const RUNS: usize = 9;

/// What a shape must reach: how many times cheaper than `GROUP BY`, than the peers, and how many
/// times decoding.
struct Bars {
    group_by: f64,
    peers: f64,
    decoding: f64,
}

/// With `others`, also `GROUP BY` and the peers, which take minutes.
pub(crate) fn run(others: bool, figures: &mut Figures) -> Result<()> {
    let shapes = [
        (Shape::mixed(), Bars { group_by: 30.0, peers: 20.0, decoding: 2.2 }),
        (Shape::sixteen(), Bars { group_by: 40.0, peers: 20.0, decoding: 2.5 }),
        (Shape::binary(), Bars { group_by: 80.0, peers: 20.0, decoding: 1.3 }),
    ];
    let python = if others { peers_python() } else { None };
    for (shape, bars) in shapes {
        let parent = tempfile::tempdir()?;
        println!("\n{} columns, {}, {ROWS} rows, from Parquet:", shape.sizes.len(), shape.name);
        let directory = shape.write(parent.path(), ROWS, FILES)?;
        let (seconds, counts) = aggregate(&shape, &directory, bars.decoding, figures)?;
        if others {
            beside_others(&shape, &directory, &bars, python.as_deref(), (seconds, &counts), figures)?;
        }
    }
    Ok(())
}

/// The seconds of the aggregate, and what it counted.
fn aggregate(shape: &Shape, directory: &Path, bar: f64, figures: &mut Figures) -> Result<(f64, Vec<Vec<u64>>)> {
    let name = |what: &str| format!("{}: {what}", shape.name);
    let runtime = Runtime::new()?;
    let (schema, pairs) = (shape.schema(), shape.pairs());
    let options = ReadOptions { threads: Some(THREADS), ..ReadOptions::default() };
    // Decoding and counting take turns, so that both meet the same machine.
    let (mut decoding, mut counting, mut counts) = (f64::MAX, f64::MAX, vec![]);
    for _ in 0..RUNS {
        let (seconds, ()) = cheapest(1, || runtime.block_on(decode(shape, directory)).expect("the files are right"));
        decoding = decoding.min(seconds);
        let (seconds, tables) = cheapest(1, || {
            let scan = TableScan::open(&[Input::new(directory)], &schema, &options).expect("the files are right");
            scan.count_tables(&pairs).expect("the pairs are small")
        });
        counting = counting.min(seconds);
        counts = tables;
    }
    figures.shown(&name("decoding"), decoding, "CPU s");
    figures.shown(&name("all pairs by the aggregate"), counting, "CPU s");
    let row_pairs = ROWS as f64 * pairs.len() as f64;
    figures.shown(&name("row-pairs per CPU second"), row_pairs / counting / 1e9, "10^9/s");
    figures.at_most(&name("aggregate over decoding"), counting / decoding, "times", bar);
    Ok((counting, counts))
}

fn beside_others(
    shape: &Shape,
    directory: &Path,
    bars: &Bars,
    python: Option<&Path>,
    (counting, counts): (f64, &[Vec<u64>]),
    figures: &mut Figures,
) -> Result<()> {
    let name = |what: &str| format!("{}: {what}", shape.name);
    let (group_by, different) = Runtime::new()?.block_on(group_by(shape, directory, counts))?;
    figures.shown(&name("all pairs by GROUP BY of DataFusion"), group_by, "CPU s");
    figures.at_most(&name("pairs that differ from GROUP BY"), different, "pairs", 0.0);
    figures.at_least(&name("cheaper than GROUP BY of DataFusion"), group_by / counting, "times", bars.group_by);
    for peer in ["duckdb", "polars"] {
        let ratio = name(&format!("cheaper than {peer}"));
        match python.map(|python| peer_seconds(python, peer, directory, ROWS)).transpose()? {
            Some(seconds) => {
                figures.shown(&name(&format!("all pairs by {peer}")), seconds, "CPU s");
                figures.at_least(&ratio, seconds / counting, "times", bars.peers);
            }
            None => figures.push(Figure::missing(&ratio, "times", Bar::AtLeast(bars.peers))),
        }
    }
    Ok(())
}

async fn context(directory: &Path) -> DataFusionResult<SessionContext> {
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(THREADS));
    let path = directory.to_str().expect("a temporary path is text");
    context.register_parquet("t", path, ParquetReadOptions::default()).await?;
    Ok(context)
}

/// Decodes all columns, and does nothing with them.
async fn decode(shape: &Shape, directory: &Path) -> DataFusionResult<()> {
    let columns = (0..shape.sizes.len()).map(|column| col(column_name(column))).collect();
    let ignore = AggregateUDF::new_from_impl(Ignore(Signature::variadic_any(Volatility::Immutable))).call(columns);
    context(directory).await?.table("t").await?.aggregate(vec![], vec![ignore])?.collect().await?;
    Ok(())
}

/// One `GROUP BY` per pair: its seconds, and how many pairs have other counts than `counts`.
async fn group_by(shape: &Shape, directory: &Path, counts: &[Vec<u64>]) -> DataFusionResult<(f64, f64)> {
    let context = context(directory).await?;
    let start = cpu_seconds();
    let mut results = vec![];
    for pair in shape.pairs() {
        let keys = pair.attributes().iter().map(|column| col(column_name(column.index()))).collect();
        results.push(context.table("t").await?.aggregate(keys, vec![count(lit(1_i64))])?.collect().await?);
    }
    let seconds = cpu_seconds() - start;
    let mut different = 0.0;
    for ((pair, batches), counts) in shape.pairs().iter().zip(results).zip(counts) {
        let second = shape.sizes[pair.attributes()[1].index()] as usize;
        let mut theirs = vec![0_u64; counts.len()];
        for batch in batches {
            let codes = |column| batch.column(column).as_primitive::<datafusion::arrow::array::types::UInt8Type>();
            for row in 0..batch.num_rows() {
                let cell = usize::from(codes(0).value(row)) * second + usize::from(codes(1).value(row));
                let count = batch.column(2).as_primitive::<Int64Type>().value(row);
                theirs[cell] += u64::try_from(count).expect("a count");
            }
        }
        different += f64::from(u8::from(theirs != *counts));
    }
    Ok((seconds, different))
}

/// A Python with DuckDB and Polars; `None`, with a word why, where that cannot be had.
pub(crate) fn peers_python() -> Option<PathBuf> {
    python_with("scumble-peers", "duckdb, polars", &["duckdb==2.0.0", "polars==2.1.0"])
}

/// Processor seconds of all pairs by another engine.
pub(crate) fn peer_seconds(python: &Path, peer: &str, directory: &Path, rows: usize) -> Result<f64> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/engine/peers.py");
    let output = Command::new(python).arg(script).arg(peer).arg(directory).arg(rows.to_string()).output()?;
    if !output.status.success() {
        return Err(format!("{peer}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

/// An aggregate that ignores its input: what it costs is the decoding.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Ignore(Signature);

impl AggregateUDFImpl for Ignore {
    fn name(&self) -> &'static str {
        "ignore"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, _arguments: &[DataType]) -> DataFusionResult<DataType> {
        Ok(DataType::UInt64)
    }

    fn accumulator(&self, _arguments: AccumulatorArgs<'_>) -> DataFusionResult<Box<dyn Accumulator>> {
        Ok(Box::new(Ignored(0)))
    }
}

/// The number of rows, so that a batch cannot go by unseen.
#[derive(Debug)]
struct Ignored(u64);

impl Accumulator for Ignored {
    fn update_batch(&mut self, columns: &[ArrayRef]) -> DataFusionResult<()> {
        self.0 += columns[0].len() as u64;
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> DataFusionResult<()> {
        let counts = states[0].as_primitive::<datafusion::arrow::array::types::UInt64Type>();
        self.0 += counts.iter().flatten().sum::<u64>();
        Ok(())
    }

    fn evaluate(&mut self) -> DataFusionResult<ScalarValue> {
        Ok(ScalarValue::UInt64(Some(self.0)))
    }

    fn state(&mut self) -> DataFusionResult<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }
}
