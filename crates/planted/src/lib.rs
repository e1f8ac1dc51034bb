//! Mutation testing: planted bugs that show that the privacy tests detect leaks.
//!
//! # What it is for
//! A privacy test that passes proves little until it has failed on a program that leaks. Each
//! [`Mutant`] is one small bug in the real program: noise of half the scale, a shared random
//! stream, one row too many per person. The [list](Mutant::ALL) names the test that catches each.
//! The mutation gate (`cargo run -p scumble-benchmarks --features planted-bugs --example figures --
//! mutants`) enables them one by one and fails if the test still passes.
//!
//! # How to enable one
//! Without the feature `planted-bugs`, [`Mutant::is_planted`] is a constant `false`, and the
//! compiler removes the bug. With it, the environment variable `SCUMBLE_PLANTED_BUG` names the one
//! mutant that is enabled, and the process reports it on standard error. A release build with the
//! feature does not compile.
//!
//! # What it refuses to know
//! Everything else: it has no dependencies.

#[cfg(all(feature = "planted-bugs", not(debug_assertions)))]
compile_error!("the feature `planted-bugs` plants bugs in the program: it is for tests only");

mod list;
mod mutant;

pub use list::Mutant;
pub use mutant::{CaughtBy, Facts};
