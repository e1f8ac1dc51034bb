//! The parts of the cost model of `docs/explanation/scale.md`: what a row, a cell and a part cost.

use std::time::Instant;

use scumble::engine::TableScan;
use scumble::schema::Clique;
use scumble_engine::exact::ExactCounts;

use super::hosts::{Hosts, received};
use super::servers::Servers;
use super::table::Table;
use scumble_benchmarks::Result;
use scumble_benchmarks::clock::peak_kib;
use scumble_benchmarks::figure::Figures;

pub(crate) fn model(figures: &mut Figures) -> Result<()> {
    per_row(figures)?;
    per_part(figures)?;
    per_cell(figures)?;
    many_executors(figures)
}

/// Counts `cliques`, and returns the seconds, and the processor seconds of the executors.
fn count(servers: &Servers, table: &Table, cliques: &[Clique]) -> Result<(f64, f64)> {
    let (begun, before) = (Instant::now(), servers.cpu_seconds()?);
    TableScan::open(&table.inputs(), &table.schema, &servers.read_options()?)?.count_tables(cliques)?;
    Ok((begun.elapsed().as_secs_f64(), servers.cpu_seconds()? - before))
}

/// What a value costs that is read, and a pair of values that is counted.
fn per_row(figures: &mut Figures) -> Result<()> {
    let table = Table::of_millions(50)?;
    let servers = Servers::on_loopback(2, 1)?;
    let pairs = table.pairs();
    let columns = table.schema.domain().one_way();
    let (_, read) = count(&servers, &table, &columns)?;
    let (_, counted) = count(&servers, &table, &pairs)?;
    let (values, pair_rows) = (5e7 * columns.len() as f64, 5e7 * pairs.len() as f64);
    figures.shown("executors, one-way tables", read / values * 1e9, "CPU ns per value");
    figures.shown("executors, all pairs, reading included", counted / pair_rows * 1e9, "CPU ns per pair-row");
    Ok(())
}

/// What another part costs: the same rows cut into more of them.
fn per_part(figures: &mut Figures) -> Result<()> {
    let table = Table::of_millions(50)?;
    let mut servers = Servers::on_loopback(2, 1)?;
    let pairs = table.pairs();
    let cells: usize = pairs.iter().map(|pair| table.schema.domain().table_len(pair)).sum::<Result<_, _>>()?;
    let bytes = table.bytes()?;
    let mut taken = vec![];
    for parts in [16, 512] {
        servers.part_bytes = Some(bytes / parts);
        // Twice, the better counts.
        let runs = [count(&servers, &table, &pairs)?, count(&servers, &table, &pairs)?];
        let (seconds, cpu) = runs.into_iter().min_by(|one, other| one.1.total_cmp(&other.1)).expect("two runs");
        println!("{parts} parts: {seconds:.2} s, {cpu:.2} CPU s");
        taken.push((seconds, cpu));
    }
    let more = 512.0 - 16.0;
    figures.shown("another part", (taken[1].0 - taken[0].0) / more * 1e3, "ms");
    figures.shown("another part, processors", (taken[1].1 - taken[0].1) / more * 1e3, "CPU ms");
    figures.shown("cells of all pairs", cells as f64, "cells");
    Ok(())
}

/// What a cell costs that comes back, in bytes and in memory of the coordinator.
fn per_cell(figures: &mut Figures) -> Result<()> {
    let hosts = Hosts::new(3)?;
    let servers = Servers::at(hosts.place(0, 50_050), vec![hosts.place(1, 50_051), hosts.place(2, 50_051)], 1)?;
    let table = Table::of_millions(10)?;
    // Tables of the four largest columns and others: some million cells.
    let ids: Vec<_> = table.schema.domain().attributes().collect();
    let large = |others: &[usize]| Clique::new(others.iter().map(|&place| ids[place]));
    let cliques = [large(&[14, 13, 12, 5]), large(&[14, 13, 11, 4]), large(&[14, 12, 11, 6])];
    let cells: usize = cliques.iter().map(|clique| table.schema.domain().table_len(clique)).sum::<Result<_, _>>()?;
    let own_peak = || peak_kib("self").map(|kib| kib * 1024).ok_or("no peak");
    let (before, memory) = (received()?, own_peak()?);
    let (seconds, _) = count(&servers, &table, &cliques)?;
    let (bytes, memory) = (received()? - before, own_peak()?.saturating_sub(memory));
    println!("{cells} cells in {seconds:.1} s, {bytes} bytes received, {memory} bytes more memory");
    {
        figures.shown("bytes to the coordinator", bytes as f64 / cells as f64, "per cell");
        figures.shown("memory of the coordinator", memory as f64 / cells as f64, "bytes per cell");
    }
    Ok(())
}

/// Sixteen executors on the two processors of this machine: what the cluster itself costs when it
/// grows.
fn many_executors(figures: &mut Figures) -> Result<()> {
    let table = Table::of_millions(50)?;
    let pairs = table.pairs();
    let mut taken = vec![];
    for executors in [2, 16] {
        let servers = Servers::on_loopback(executors, 1)?;
        count(&servers, &table, &pairs)?;
        let (seconds, cpu) = count(&servers, &table, &pairs)?;
        println!("{executors} executors: {seconds:.2} s, {cpu:.2} CPU s");
        taken.push((seconds, cpu));
    }
    figures.shown("16 executors to 2, on the same two processors: time", taken[1].0 / taken[0].0, "times");
    figures.shown("16 executors to 2, on the same two processors: processor time", taken[1].1 / taken[0].1, "times");
    Ok(())
}
