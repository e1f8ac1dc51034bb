//! The engine from outside. One program, because each links all of DataFusion.

mod archives;
mod common;
mod csv;
mod errors;
mod formats;
mod hostile;
mod junk;
#[cfg(unix)]
mod memory;
mod neighbouring_files;
mod nested;
mod ordinary_files;
mod partitions;
#[cfg(target_os = "linux")]
mod postgres;
#[cfg(target_os = "linux")]
mod postgres_errors;
#[cfg(target_os = "linux")]
mod postgres_server;
#[path = "../../examples/engine_figures/hostile/random.rs"]
mod random;
mod recoded;
mod units;
mod write;
