//! Exact dense counts over a coded table.
//!
//! Chunks are dealt out to threads, each thread counts its share of the rows, and shares are added with checked `u64`
//! addition: the same sum whatever the order, the chunks or the threads.

use std::thread;

use datafusion::arrow::array::types::{UInt8Type, UInt16Type, UInt32Type};
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::DataType;
use scumble_schema::{Clique, Domain, cells};

use crate::coded::CodedTable;
use crate::error::EngineError;

/// Rows whose cells are computed together, so that they stay in the fastest cache between two columns.
const BLOCK_ROWS: usize = 4096;
/// Below this many rows a second thread costs more than it saves.
const ROWS_PER_THREAD: usize = 1 << 18;

/// What to count, with everything computed from public facts before rows are touched.
struct Task {
    /// Column of the coded table and step in the table of counts.
    axes: Vec<(usize, usize)>,
    cells: usize,
}

impl Task {
    fn new(domain: &Domain, clique: &Clique) -> Result<Self, EngineError> {
        if clique.attributes().last().is_some_and(|last| last.index() >= domain.len()) {
            return Err(EngineError::Bug { what: "a table was asked for over an attribute that is not in the schema" });
        }
        let cells = domain.table_len(clique)?;
        let columns = clique.attributes().iter().map(|attribute| attribute.index());
        Ok(Self { axes: columns.zip(cells::strides(domain, clique)).collect(), cells })
    }
}

/// One table of counts per clique.
pub(crate) fn count_tables(table: &CodedTable, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
    let tasks = cliques.iter().map(|clique| Task::new(table.domain(), clique)).collect::<Result<Vec<_>, _>>()?;
    let rows: usize = table.chunks().iter().map(RecordBatch::num_rows).sum();
    let cores = thread::available_parallelism().map_or(1, Into::into);
    let threads = cores.min(rows / ROWS_PER_THREAD).clamp(1, table.chunks().len().max(1));
    let shares: Vec<Vec<&RecordBatch>> =
        (0..threads).map(|first| table.chunks().iter().skip(first).step_by(threads).collect()).collect();
    let parts: Vec<Vec<Vec<u64>>> = thread::scope(|scope| {
        let workers: Vec<_> = shares.iter().map(|share| scope.spawn(|| count_share(share, &tasks))).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("counting codes that were checked does not panic"))
            .collect()
    });
    let tables = parts.into_iter().reduce(add).expect("there is at least one thread");
    debug_assert!(tables.iter().all(|table| table.iter().sum::<u64>() == rows as u64));
    Ok(tables)
}

fn add(mut sum: Vec<Vec<u64>>, part: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
    for (total, count) in sum.iter_mut().flatten().zip(part.into_iter().flatten()) {
        *total = total.checked_add(count).expect("no table has 2^64 rows");
    }
    sum
}

fn count_share(chunks: &[&RecordBatch], tasks: &[Task]) -> Vec<Vec<u64>> {
    let mut block = vec![0_usize; BLOCK_ROWS];
    tasks
        .iter()
        .map(|task| {
            let mut counts = vec![0_u64; task.cells];
            for chunk in chunks {
                count_chunk(chunk, task, &mut counts, &mut block);
            }
            counts
        })
        .collect()
}

fn count_chunk(chunk: &RecordBatch, task: &Task, counts: &mut [u64], block: &mut [usize]) {
    for start in (0..chunk.num_rows()).step_by(BLOCK_ROWS) {
        let block = &mut block[..BLOCK_ROWS.min(chunk.num_rows() - start)];
        block.fill(0);
        for &(column, stride) in &task.axes {
            add_axis(chunk.column(column).as_ref(), start, stride, block);
        }
        for &cell in &*block {
            counts[cell] += 1;
        }
    }
}

/// Adds one attribute's part to the cells of a block of rows.
fn add_axis(codes: &dyn Array, start: usize, stride: usize, block: &mut [usize]) {
    fn add<T: Copy + Into<u32>>(codes: &[T], stride: usize, block: &mut [usize]) {
        for (cell, &code) in block.iter_mut().zip(codes) {
            *cell += code.into() as usize * stride;
        }
    }
    let end = start + block.len();
    match codes.data_type() {
        DataType::UInt8 => add(&codes.as_primitive::<UInt8Type>().values()[start..end], stride, block),
        DataType::UInt16 => add(&codes.as_primitive::<UInt16Type>().values()[start..end], stride, block),
        DataType::UInt32 => add(&codes.as_primitive::<UInt32Type>().values()[start..end], stride, block),
        _ => unreachable!("a coded table has columns of codes only"),
    }
}
