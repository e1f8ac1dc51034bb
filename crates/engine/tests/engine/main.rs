//! The engine from outside. One program, because each links all of DataFusion.

mod common;
mod csv;
mod errors;
mod formats;
mod hostile;
mod junk;
mod partitions;
mod write;
