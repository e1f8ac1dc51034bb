//! The kernel by itself: what the aggregate keeps of its throughput, what skew costs, what a second
//! thread costs.

use std::sync::Arc;

use scumble_engine::exact::ExactCounts;
use scumble_engine::kernel::{Codes, CountPlan, Counter};
use scumble_engine::{CodedTable, ReadOptions};
use scumble_schema::{Clique, Domain};

use super::table::{Shape, Spread};
use scumble_benchmarks::clock::cheapest;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::{Failure, Result};

const ROWS: usize = 10_000_000;
/// As a coded table has them.
const BATCH_ROWS: usize = 5 << 13;
const RUNS: usize = 5;

pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    println!("\ncolumns in memory, {ROWS} rows, all pairs:");
    let hundred = Shape { name: "100-valued", sizes: vec![100; 24], spread: Spread::Uniform };
    // Linux reports processor time in steps of 10 ms, so fast tables are counted several times.
    for (shape, repeats) in [(Shape::binary(), 8), (Shape::sixteen(), 2), (hundred, 1), (Shape::mixed(), 2)] {
        let skewed = Shape { spread: Spread::OneValue, ..shape.clone() };
        aggregate(&shape, repeats, figures)?;
        let name = |what: &str| format!("{}: {what}", shape.name);
        let uniform = Shape { spread: Spread::Uniform, ..shape.clone() };
        let (even, uneven) = take_turns(&pairs_of(&uniform), &pairs_of(&skewed), repeats);
        figures.at_most(&name("nine rows in ten of one value over uniform"), uneven / even, "times", 2.0);
    }
    for sizes in [vec![100, 100, 100], vec![100, 100, 100, 10]] {
        let shape = Shape { name: "one large table", sizes, spread: Spread::Uniform };
        let rows = Table::new(&shape, vec![Clique::new(shape.domain().attributes())]);
        let (seconds, _) = cheapest(RUNS, || rows.count());
        let cells = shape.domain().cells(&Clique::new(shape.domain().attributes()));
        figures.shown(&format!("one table of {cells} cells"), ROWS as f64 / seconds / 1e6, "10^6 rows/s");
    }
    Ok(())
}

/// The aggregate over a coded table, on one thread and on two, beside the bare kernel.
fn aggregate(shape: &Shape, repeats: usize, figures: &mut Figures) -> Result<()> {
    let name = |what: &str| format!("{}: {what}", shape.name);
    let kernel = pairs_of(shape);
    let table = |threads| {
        let batches = (0..ROWS).step_by(BATCH_ROWS).map(|start| shape.batch(start, BATCH_ROWS.min(ROWS - start)));
        let options = ReadOptions { threads: Some(threads), ..ReadOptions::default() };
        Ok::<_, Failure>(CodedTable::from_batches(vec![batches.collect::<Result<_, _>>()?], &shape.schema(), &options)?)
    };
    let (one, two) = (table(1)?, table(2)?);
    let times = |count: &dyn Fn() -> Vec<Vec<u64>>| (0..repeats).map(|_| count()).last().expect("at least one");
    let (mut bare, mut alone, mut both) = (f64::MAX, f64::MAX, f64::MAX);
    let mut different = 0;
    for _ in 0..RUNS {
        let (seconds, expected) = cheapest(1, || times(&|| kernel.count()));
        bare = bare.min(seconds);
        for (table, least) in [(&one, &mut alone), (&two, &mut both)] {
            let (seconds, counts) =
                cheapest(1, || times(&|| table.count_tables(&kernel.wanted).expect("the pairs are small")));
            *least = least.min(seconds);
            different += counts.iter().zip(&expected).filter(|(ours, theirs)| ours != theirs).count();
        }
    }
    figures.shown(&name("kernel"), (ROWS * repeats * kernel.wanted.len()) as f64 / bare / 1e9, "10^9 row-pairs/CPU s");
    figures.at_most(&name("pairs in which aggregate and kernel differ"), different as f64, "pairs", 0.0);
    figures.at_least(&name("throughput of the aggregate over the kernel's"), bare / alone, "of 1", 0.8);
    figures.at_most(&name("CPU of two threads over one"), both / alone, "times", 1.25);
    Ok(())
}

fn pairs_of(shape: &Shape) -> Table {
    Table::new(shape, shape.pairs())
}

/// Columns in memory, cut into batches, and what is counted over them.
struct Table {
    domain: Domain,
    batches: Vec<Vec<Vec<u8>>>,
    wanted: Vec<Clique>,
}

impl Table {
    fn new(shape: &Shape, wanted: Vec<Clique>) -> Self {
        let starts = (0..ROWS).step_by(BATCH_ROWS);
        let batches = starts.map(|start| shape.rows(start, BATCH_ROWS.min(ROWS - start))).collect();
        Self { domain: shape.domain(), batches, wanted }
    }

    fn count(&self) -> Vec<Vec<u64>> {
        let plan = CountPlan::new(&self.domain, &self.wanted).expect("the tables are small enough");
        let mut counter = Counter::new(Arc::new(plan));
        for batch in &self.batches {
            let codes = batch.iter().map(|codes| Codes::U8(codes)).collect();
            counter.add(&[codes]).expect("the codes are right");
        }
        counter.finish()
    }
}

fn take_turns(a: &Table, b: &Table, repeats: usize) -> (f64, f64) {
    let mut least = (f64::MAX, f64::MAX);
    for _ in 0..RUNS {
        least.0 = least.0.min(cheapest(1, || (0..repeats).for_each(|_| drop(a.count()))).0);
        least.1 = least.1.min(cheapest(1, || (0..repeats).for_each(|_| drop(b.count()))).0);
    }
    least
}
