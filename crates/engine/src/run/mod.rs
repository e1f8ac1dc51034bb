//! Threads, memory, private files, progress, and other machines.

pub(crate) mod memory;
pub(crate) mod progress;
pub(crate) mod read_options;
pub mod remote;
pub(crate) mod session;
pub(crate) mod spill;
