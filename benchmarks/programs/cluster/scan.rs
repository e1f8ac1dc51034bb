//! How long a scan takes, and how much comes back.

use std::time::Instant;

use scumble::ReadOptions;
use scumble::engine::TableScan;
use scumble_engine::exact::ExactCounts;

use super::hosts::{Hosts, received};
use super::servers::Servers;
use super::table::Table;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;

const TURNS: usize = 5;

fn all_pairs(table: &Table, options: &ReadOptions) -> Result<(f64, Vec<Vec<u64>>)> {
    let begun = Instant::now();
    let counts = TableScan::open(&table.inputs(), &table.schema, options)?.count_tables(&table.pairs())?;
    Ok((begun.elapsed().as_secs_f64(), counts))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// One scheduler and two executors of one thread against two threads of this process, by turns.
pub(crate) fn time(figures: &mut Figures) -> Result<()> {
    let table = Table::of_millions(50)?;
    let servers = Servers::on_loopback(2, 1)?;
    let here = ReadOptions { threads: Some(2), ..ReadOptions::default() };
    let there = servers.read_options()?;
    // Once without counting, so that the files are in memory for both.
    all_pairs(&table, &here)?;
    let (mut embedded, mut cluster) = (vec![], vec![]);
    for _ in 0..TURNS {
        let (seconds, expected) = all_pairs(&table, &here)?;
        embedded.push(seconds);
        let (seconds, counts) = all_pairs(&table, &there)?;
        cluster.push(seconds);
        if counts != expected {
            return Err("the cluster counts otherwise".into());
        }
    }
    println!("embedded {embedded:.2?} s, cluster {cluster:.2?} s");
    let ratio = median(cluster) / median(embedded);
    figures.at_most("all pairs of 50 million rows: cluster to embedded, same threads", ratio, "times", 1.3);
    Ok(())
}

/// What the coordinator receives for ten and for fifty million rows.
pub(crate) fn bytes(figures: &mut Figures) -> Result<()> {
    let hosts = Hosts::new(3)?;
    let servers = Servers::at(hosts.place(0, 50_050), vec![hosts.place(1, 50_051), hosts.place(2, 50_051)], 1)?;
    let options = servers.read_options()?;
    let mut sizes = vec![];
    for millions in [10, 50] {
        let table = Table::of_millions(millions)?;
        let before = received()?;
        all_pairs(&table, &options)?;
        sizes.push(received()? - before);
    }
    println!("received {sizes:?} bytes");
    let change = (sizes[1] as f64 / sizes[0] as f64 - 1.0).abs() * 100.0;
    figures.at_most("bytes to the coordinator, 50 against 10 million rows", change, "percent", 5.0);
    Ok(())
}
