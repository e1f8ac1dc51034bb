//! Counting many small tables at once.
//!
//! The engine's kernel counts covering tables that stay in the cache and sums the requested ones
//! out of them, so that one increment serves many marginals. With few rows, the plan costs more
//! than it saves.

use std::ops::Range;
use std::sync::Arc;

use scumble_engine::kernel::{Codes, CountPlan, Counter};
use scumble_pgm::parallel;
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain};

use crate::table::Columns;

/// Maximum number of cells of a table for which the kernel is faster than counting it alone.
pub(super) const MAX_SMALL_CELLS: u64 = 1 << 16;
/// Minimum number of rows of both tables together for which a plan pays off.
pub(super) const MIN_ROWS: u64 = 1 << 18;
/// Maximum number of cells that are counted together: 64 MiB of counts for each block of rows.
const MAX_BATCH_CELLS: u64 = 1 << 23;

/// Calls `take` with the position of each clique and the counts of both tables, in the order of
/// [`scumble_schema::cells`]. No table may have more cells than the engine counts densely.
pub(crate) fn for_each_table(
    real: &Columns,
    synthetic: &Columns,
    cliques: &[&Clique],
    mut take: impl FnMut(usize, &[u64], &[u64]),
) {
    let mut first = 0;
    for batch in batches(real.domain(), cliques) {
        let [left, right] = &count(real, synthetic, batch)[..] else { unreachable!("two tables are counted") };
        for (place, (left, right)) in left.iter().zip(right).enumerate() {
            take(first + place, left, right);
        }
        first += batch.len();
    }
}

/// Splits the cliques into runs whose tables fit into memory together.
fn batches<'a>(domain: &Domain, cliques: &'a [&'a Clique]) -> Vec<&'a [&'a Clique]> {
    let mut batches = Vec::new();
    let (mut start, mut cells) = (0, 0);
    for (place, clique) in cliques.iter().enumerate() {
        let more = u64::try_from(domain.cells(clique)).unwrap_or(u64::MAX);
        if cells + more > MAX_BATCH_CELLS && place > start {
            batches.push(&cliques[start..place]);
            (start, cells) = (place, 0);
        }
        cells += more;
    }
    batches.push(&cliques[start..]);
    batches
}

/// Counts the cliques in both tables.
fn count(real: &Columns, synthetic: &Columns, cliques: &[&Clique]) -> Vec<Vec<Vec<u64>>> {
    let cliques: Vec<Clique> = cliques.iter().map(|&clique| clique.clone()).collect();
    let plan = CountPlan::new(real.domain(), &cliques).expect("tables over the domain that fit into memory");
    let plan = Arc::new(plan);
    let threads = parallel::processors();
    let tables = [real, synthetic];
    let blocks: Vec<(&Columns, Range<usize>)> =
        tables.iter().flat_map(|table| blocks(table.rows() as usize, threads).map(|rows| (*table, rows))).collect();
    let counted = parallel::map(&blocks, |(table, rows)| {
        let columns = plan.columns().iter().map(|&attribute| codes(table, attribute, rows.clone())).collect();
        let mut counter = Counter::new(Arc::clone(&plan));
        counter.add(&[columns]).expect("codes of the domain, in their width");
        counter.finish()
    });
    let sides = counted.chunks(threads).map(|blocks| {
        let mut blocks = blocks.iter().cloned();
        let first = blocks.next().expect("at least one thread");
        blocks.fold(first, |mut sums, block| {
            let sums_of = sums.iter_mut().flatten().zip(block.into_iter().flatten());
            sums_of.for_each(|(sum, count)| *sum += count);
            sums
        })
    });
    sides.collect()
}

/// Splits the rows into `count` blocks.
fn blocks(rows: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).map(move |block| rows * block / count..rows * (block + 1) / count)
}

fn codes(table: &Columns, attribute: AttributeId, rows: Range<usize>) -> Codes<'_> {
    match table.codes(attribute) {
        CodeColumn::U8(codes) => Codes::U8(&codes[rows]),
        CodeColumn::U16(codes) => Codes::U16(&codes[rows]),
        CodeColumn::U32(codes) => Codes::U32(&codes[rows]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_counted_together_are_those_counted_alone() {
        let domain = Domain::new(vec![2, 300, 5, 7]).unwrap();
        let table = |rows: u32| {
            let column = |size: &u32| (0..rows).map(|row| row * row / 3 % size).collect();
            Columns::new(domain.clone(), domain.sizes().iter().map(column).collect()).unwrap()
        };
        let (real, synthetic) = (table(4000), table(3));
        let mut cliques = domain.one_way();
        cliques.push(Clique::new(domain.attributes()));
        let mut seen = 0;
        for_each_table(&real, &synthetic, &cliques.iter().collect::<Vec<_>>(), |place, left, right| {
            assert_eq!(place, seen);
            assert_eq!(left, real.counts(&cliques[place]).unwrap());
            assert_eq!(right, synthetic.counts(&cliques[place]).unwrap());
            seen += 1;
        });
        assert_eq!(seen, cliques.len());
    }

    #[test]
    fn batches_are_runs_that_fit() {
        let domain = Domain::new(vec![1 << 16; 300]).unwrap();
        let cliques = domain.one_way();
        let cliques: Vec<&Clique> = cliques.iter().collect();
        let lengths: Vec<usize> = batches(&domain, &cliques).iter().map(|batch| batch.len()).collect();
        assert_eq!(lengths, [128, 128, 44]);
    }
}
