//! A real cluster: a scheduler and executors as processes, asked by the library and by the program.

mod canaries;
#[path = "../canary/mod.rs"]
mod canary;
mod exact;
mod faults;
mod sampling;
mod servers;
mod trust;
