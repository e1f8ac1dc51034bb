//! The figures of the cluster, with everything on one machine: a scheduler and executors as processes, on loopback and in network
//! namespaces of their own, killed, cut off, and without room on their disks.
//!
//! `cluster/figures.sh` builds what is needed and runs it; it needs root, for the namespaces. Parts can be named:
//! `scan`, `bytes`, `kills`, `faults`, `trust`, `objects`, `sample`, `model`.

#![expect(clippy::print_stdout, reason = "a program that shows figures")]

#[path = "../figures_common/figure.rs"]
mod figure;

mod cost;
mod faults;
mod hosts;
mod objects;
mod sampling;
mod scan;
mod servers;
mod table;
mod trust;

use std::error::Error;

use crate::figure::Figures;

type Anyhow<T> = Result<T, Box<dyn Error>>;
type Part = (&'static str, fn(&mut Figures) -> Anyhow<()>);

const PARTS: [Part; 8] = [
    ("scan", scan::time),
    ("bytes", scan::bytes),
    ("kills", faults::kills),
    ("faults", faults::others),
    ("trust", trust::refusals),
    ("objects", objects::counts),
    ("sample", sampling::rows),
    ("model", cost::model),
];

fn main() -> Anyhow<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = wanted.iter().find(|name| !PARTS.iter().any(|(part, _)| part == name)) {
        return Err(format!("no part is called `{unknown}`").into());
    }
    let mut figures = Figures::default();
    for (name, run) in PARTS {
        if wanted.is_empty() || wanted.iter().any(|part| part == name) {
            println!("\n== {name}");
            run(&mut figures)?;
        }
    }
    figures.print();
    Ok(())
}
