//! The cluster, with everything on one machine: a scheduler and executors as processes, on loopback
//! and in network namespaces of their own, killed, cut off, and without room on their disks.
//!
//! `cluster/figures.sh` builds what is needed and runs it; it needs root, for the namespaces. Parts
//! can be named: `scan`, `bytes`, `kills`, `faults`, `trust`, `objects`, `sample`, `model`,
//! `codes`, `sums`, `lake`.

mod cost;
mod faults;
mod hosts;
mod kept;
mod lake;
mod objects;
mod sampling;
mod scan;
mod servers;
pub(crate) mod table;
mod trust;

use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;

type Part = (&'static str, fn(&mut Figures) -> Result<()>);

const PARTS: [Part; 11] = [
    ("scan", scan::time),
    ("bytes", scan::bytes),
    ("kills", faults::kills),
    ("faults", faults::others),
    ("trust", trust::refusals),
    ("objects", objects::counts),
    ("sample", sampling::rows),
    ("model", cost::model),
    ("codes", kept::codes),
    ("sums", kept::sums),
    ("lake", lake::fits),
];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let parts = PARTS.map(|(name, _)| name);
    let arguments = Arguments::parse(arguments, &Usage { parts: &parts, ..Usage::default() })?;
    let mut figures = Figures::default();
    for (name, run) in PARTS {
        if arguments.parts().contains(&name) {
            println!("\n== {name}");
            run(&mut figures)?;
        }
    }
    figures.print();
    Ok(())
}
