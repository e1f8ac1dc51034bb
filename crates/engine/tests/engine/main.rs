//! The engine from outside. One program, because each one links all of DataFusion.

mod archives;
mod common;
mod csv;
mod delta;
#[cfg(feature = "adbc")]
mod driver;
mod errors;
mod formats;
mod hive;
mod hostile;
mod junk;
#[cfg(unix)]
mod memory;
mod neighbouring_files;
mod nested;
mod ordinary_files;
mod partitions;
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod postgres;
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod postgres_errors;
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod postgres_server;
#[cfg(any(feature = "adbc", all(target_os = "linux", feature = "postgres")))]
mod push_down;
#[path = "../../../../benchmarks/programs/random.rs"]
mod random;
mod recoded;
mod units;
mod values;
mod write;
