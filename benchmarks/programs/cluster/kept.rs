//! Codes that executors keep between questions, and sums that they divide.

use std::fs;
use std::time::Instant;

use scumble::ReadOptions;
use scumble::engine::{CodedTable, TableScan};
use scumble::schema::Clique;
use scumble_engine::exact::ExactCounts;

use super::servers::Servers;
use super::table::Table;
use scumble_benchmarks::Result;
use scumble_benchmarks::clock::peak_mib;
use scumble_benchmarks::figure::Figures;

const QUESTIONS: usize = 10;
const EXECUTORS: u16 = 4;
/// Parts of a table, and cells of a question, that together were too much for one executor.
const PARTS: u64 = 512;

/// Asks ten questions by scans, and of codes that are kept while the files are away; and one more
/// after an executor was killed.
pub(crate) fn codes(figures: &mut Figures) -> Result<()> {
    let table = Table::of_millions(10)?;
    let pairs = table.pairs();
    let mut servers = Servers::on_loopback(EXECUTORS, 1)?;
    let options = servers.read_options()?;
    let expected = TableScan::open(&table.inputs(), &table.schema, &ReadOptions::default())?.count_tables(&pairs)?;

    let (begun, before) = (Instant::now(), servers.cpu_seconds()?);
    let scan = TableScan::open(&table.inputs(), &table.schema, &options)?;
    for _ in 0..QUESTIONS {
        if scan.count_tables(&pairs)? != expected {
            return Err("scans count otherwise".into());
        }
    }
    let (scans, scans_cpu) = (begun.elapsed().as_secs_f64(), servers.cpu_seconds()? - before);

    let (begun, before) = (Instant::now(), servers.cpu_seconds()?);
    let kept = CodedTable::read(&table.inputs(), &table.schema, &options)?;
    let coded = begun.elapsed().as_secs_f64();
    // The files are gone as far as anyone who opens them can tell.
    let hidden = table.folder.with_extension("hidden");
    fs::rename(&table.folder, &hidden)?;
    let answers: Vec<_> = (0..QUESTIONS).map(|_| kept.count_tables(&pairs)).collect();
    fs::rename(&hidden, &table.folder)?;
    let (seconds, cpu) = (begun.elapsed().as_secs_f64(), servers.cpu_seconds()? - before);
    println!("{QUESTIONS} questions: scans {scans:.1} s, {scans_cpu:.1} CPU s");
    println!("codes {seconds:.1} s, {cpu:.1} CPU s, of which {coded:.1} s to make them");
    let right = answers.iter().filter(|answer| answer.as_ref().is_ok_and(|counts| *counts == expected)).count();
    let of = QUESTIONS as f64;
    figures.at_least("questions answered as on this machine while the files were gone, of 10", right as f64, "", of);
    figures.at_most("time of 10 questions, codes kept to scans", seconds / scans, "times", 1.0);
    figures.at_most("processor time of 10 questions, codes kept to scans", cpu / scans_cpu, "times", 1.0);

    servers.executors[0].1 = None;
    let begun = Instant::now();
    let again = kept.count_tables(&pairs)?;
    println!("after an executor was killed: {:.1} s", begun.elapsed().as_secs_f64());
    figures.at_least("an executor of 4 killed: tables as on this machine", same(&again, &expected), "tables", 105.0);
    Ok(())
}

fn same(one: &[Vec<u64>], other: &[Vec<u64>]) -> f64 {
    one.iter().zip(other).filter(|(one, other)| one == other).count() as f64
}

/// Memory of every process while many parts and many cells are added.
pub(crate) fn sums(figures: &mut Figures) -> Result<()> {
    let table = Table::of_millions(10)?;
    let ids: Vec<_> = table.schema.domain().attributes().collect();
    let cliques =
        [[14, 13, 12, 5].as_slice(), &[14, 13, 11]].map(|places| Clique::new(places.iter().map(|&place| ids[place])));
    let cells: usize = cliques.iter().map(|clique| table.schema.domain().table_len(clique)).sum::<Result<_, _>>()?;
    let expected = TableScan::open(&table.inputs(), &table.schema, &ReadOptions::default())?.count_tables(&cliques)?;
    let mut servers = Servers::on_loopback(EXECUTORS, 1)?;
    servers.part_bytes = Some(table.bytes()? / PARTS);
    let begun = Instant::now();
    let counts = TableScan::open(&table.inputs(), &table.schema, &servers.read_options()?)?.count_tables(&cliques)?;
    println!("{PARTS} parts of {cells} cells: {:.1} s", begun.elapsed().as_secs_f64());
    figures.at_least(
        "512 parts of two million cells: tables as on this machine",
        same(&counts, &expected),
        "tables",
        2.0,
    );
    let peaks = servers.peaks()?;
    println!("peaks: {peaks:.0?} MiB");
    let largest = peaks.iter().copied().fold(peak_mib(), f64::max) / 1024.0;
    figures.at_most("512 parts of two million cells: peak memory of any process", largest, "GiB", 1.0);
    Ok(())
}
