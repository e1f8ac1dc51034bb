//! Questions of thousands of tables, as methods that learn a network ask them: about bits, or about
//! columns of few codes.

use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, ReadOptions};
use scumble_schema::{AttributeId, Clique, Domain, Recoding};

use super::table::{Shape, Spread};
use crate::random::Random;
use scumble_benchmarks::Result;
use scumble_benchmarks::clock::cheapest;
use scumble_benchmarks::figure::Figures;

const RUNS: usize = 3;

pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    println!("\nthousands of tables of a coded table, on one thread, with planning:");
    let bits = |columns| Shape { name: "binary", sizes: vec![2; columns], spread: Spread::Uniform };
    let few = Shape { name: "2 to 8 codes", sizes: (0..100).map(|c| 2 + c % 7).collect(), spread: Spread::Uniform };
    let questions = [
        ("all 22,100 triples of 52 bits, 71,236 rows", bits(52), 71_236, subsets(52, 3), 3.0),
        ("5,000 tables of six of 52 bits, 45,222 rows", bits(52), 45_222, drawn(52, 6, 5_000), 2.0),
        ("all 161,700 triples of 100 bits, 20,000 rows", bits(100), 20_000, subsets(100, 3), 10.0),
        ("all 161,700 triples of 100 columns of 2 to 8 codes, 20,000 rows", few, 20_000, subsets(100, 3), 10.0),
    ];
    for (name, shape, rows, cliques, bar) in questions {
        let table = coded(&shape, rows)?;
        let (seconds, counts) = cheapest(RUNS, || table.count_tables(&cliques).expect("the tables are small"));
        let right = counts.iter().all(|table| table.iter().sum::<u64>() == rows as u64);
        figures.at_most(name, if right { seconds } else { f64::MAX }, "CPU s", bar);
    }
    recoded(figures)
}

/// Counts tables of bits, once over columns that are bits and once over columns that contain them.
fn recoded(figures: &mut Figures) -> Result<()> {
    let whole = Shape { name: "16 codes", sizes: vec![16; 13], spread: Spread::Uniform };
    let plain = Shape { name: "binary", sizes: vec![2; 52], spread: Spread::Uniform };
    let digits = Recoding::binary(&whole.domain())?;
    for (name, rows, size, bar) in
        [("triples, 71,236 rows", 71_236, 3, 1.25), ("pairs, 4 million rows", 4_000_000, 2, 2.0)]
    {
        let (whole, plain, cliques) = (coded(&whole, rows)?, coded(&plain, rows)?, subsets(52, size));
        let (mut of_bits, mut of_digits) = (f64::MAX, f64::MAX);
        for _ in 0..RUNS {
            of_bits = of_bits.min(cheapest(1, || plain.count_tables(&cliques).expect("the tables are small")).0);
            let count = || whole.count_recoded_tables(&digits, &cliques).expect("the tables are small");
            of_digits = of_digits.min(cheapest(1, count).0);
        }
        figures.shown(&format!("52 bits: {name}"), of_bits, "CPU s");
        figures.at_most(&format!("digits of 13 columns over 52 bits: {name}"), of_digits / of_bits, "times", bar);
    }
    Ok(())
}

fn coded(shape: &Shape, rows: usize) -> Result<CodedTable> {
    let options = ReadOptions { threads: Some(1), ..ReadOptions::default() };
    Ok(CodedTable::from_batches(vec![vec![shape.batch(0, rows)?]], &shape.schema(), &options)?)
}

/// All sets of `size` columns.
fn subsets(columns: usize, size: usize) -> Vec<Clique> {
    let mut sets: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..size {
        let longer = |set: Vec<usize>| {
            (set.last().map_or(0, |last| last + 1)..columns).map(move |next| [&set[..], &[next]].concat())
        };
        sets = sets.into_iter().flat_map(longer).collect();
    }
    sets.iter().map(|set| Clique::new(set.iter().copied().map(AttributeId::new))).collect()
}

/// Draws sets of `size` columns from a fixed seed.
fn drawn(columns: usize, size: usize, sets: usize) -> Vec<Clique> {
    let mut dice = Random::new(6);
    let all = Domain::new(vec![2; columns]).expect("the sizes are small");
    let mut draw = || {
        let mut left: Vec<AttributeId> = all.attributes().collect();
        Clique::new((0..size).map(|_| left.swap_remove(dice.below(left.len()))))
    };
    (0..sets).map(|_| draw()).collect()
}
