//! Tests on a real cluster: a scheduler and executors as processes, used by the library and the
//! program.

#![cfg(feature = "cluster")]

mod canaries;
#[path = "../canary/mod.rs"]
mod canary;
mod exact;
mod faults;
mod sampling;
mod servers;
mod trust;
