//! The values of a text column that no schema declares, beside `GROUP BY` on that column.

use std::fs::File;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema as Columns};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::StreamExt;
use scumble::vault::ColumnVault;
use scumble::vault::account::ThresholdDelta;
use scumble::{ApproxDp, Delta, Epsilon};
use scumble_engine::{Input, MemoryLimit, ReadOptions, TableScan};
use scumble_schema::learn::class_grid;
use scumble_schema::{Schema, SchemaSpec};
use scumble_vault::AddRemove;

use super::growth::Run;
use crate::random::Random;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

/// The argument that makes the program count one folder and print what it took.
pub(super) const CHILD: &str = "values-child";
const ROWS: usize = 100_000_000;
const TEXTS: usize = 10_000_000;
const FILES: usize = 10;
const BLOCK_ROWS: usize = 1 << 16;
const LIMIT: &str = "2GiB";

pub(super) fn run(figures: &mut Figures) -> Result<()> {
    let directory = tempfile::tempdir()?;
    println!("\n{ROWS} rows with {TEXTS} texts of Parquet, --memory-limit {LIMIT}:");
    for file in 0..FILES {
        write(&directory.path().join(format!("part-{file}.parquet")), file)?;
    }
    let grouped = Run::start([CHILD, "group"], directory.path())?;
    let learned = Run::start([CHILD, "learn"], directory.path())?;
    figures.shown("values by GROUP BY", grouped.cpu, "CPU s");
    figures.shown("values by GROUP BY: peak memory", grouped.peak, "MiB");
    figures.shown("values released", learned.cpu, "CPU s");
    figures.shown("values released", learned.wall, "s");
    figures.at_most("values released: CPU over that of GROUP BY", learned.cpu / grouped.cpu, "times", 3.0);
    figures.at_most("values released: peak memory", learned.peak, "MiB", 2_048.0);
    Ok(())
}

/// Writes a file of texts, of which a quarter of the rows share ten.
fn write(path: &Path, file: usize) -> Result<()> {
    let columns = Arc::new(Columns::new(vec![Field::new("text", DataType::Utf8, false)]));
    let mut writer = ArrowWriter::try_new(File::create(path)?, Arc::clone(&columns), None)?;
    let mut dice = Random::new(file as u64);
    for block in (0..ROWS / FILES).step_by(BLOCK_ROWS) {
        let rows = BLOCK_ROWS.min(ROWS / FILES - block);
        let mut text = || {
            let most = if dice.below(4) == 0 { 10 } else { TEXTS };
            format!("case {:08}", dice.below(most))
        };
        let texts: StringArray = (0..rows).map(|_| Some(text())).collect();
        writer.write(&RecordBatch::try_new(Arc::clone(&columns), vec![Arc::new(texts) as ArrayRef])?)?;
    }
    writer.close()?;
    Ok(())
}

pub(super) fn child(way: &str, directory: &Path) -> Result<()> {
    let start = Instant::now();
    if way == "group" {
        group(directory)?;
    } else {
        learn(directory)?;
    }
    Run::report(start);
    Ok(())
}

/// Releases the values that enough rows share, as learning does.
fn learn(directory: &Path) -> Result<()> {
    let schema = Schema::new(SchemaSpec { fields: vec![class_grid("text")], ..SchemaSpec::default() })?;
    let limit: MemoryLimit = LIMIT.parse()?;
    let options = ReadOptions { threads: Some(2), memory_limit: Some(limit), ..ReadOptions::default() };
    let scan = TableScan::open(&[Input::new(directory)], &schema, &options)?;
    let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
    let delta = ThresholdDelta::half_of(goal.delta);
    let (mut vault, budget) = ColumnVault::<AddRemove>::open(goal, delta, NonZeroU32::MIN)?;
    let released = vault.release_values(&scan, &["text"], delta, budget)?;
    // The others have about eight rows each. Of ten million, noise lifts a few above the threshold.
    match released[0].values().len() {
        10..1_000 => Ok(()),
        values => Err(format!("{values} values passed, and 10 are frequent").into()),
    }
}

/// Counts the texts by SQL, with the memory that the engine has for it.
fn group(directory: &Path) -> Result<()> {
    let bytes = 1 << 30;
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(FairSpillPool::new(bytes))).build_arc()?;
    let context = SessionContext::new_with_config_rt(SessionConfig::new().with_target_partitions(2), runtime);
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    threads.block_on(async {
        let path = directory.to_str().ok_or("not a path in UTF-8")?;
        context.register_parquet("texts", path, ParquetReadOptions::default()).await?;
        let mut groups = context.sql("SELECT text, count(*) FROM texts GROUP BY text").await?.execute_stream().await?;
        let mut found = 0;
        while let Some(batch) = groups.next().await {
            found += batch?.num_rows();
        }
        if found > TEXTS / 2 { Ok(()) } else { Err(format!("{found} texts were found").into()) }
    })
}
