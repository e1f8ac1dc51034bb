//! Bugs planted on purpose, so that the tests show that they would notice them.
//!
//! # What it is for
//! A test of privacy that passes proves little until it has failed on a program that leaks. Each [`Mutant`] is one small mistake
//! in a room of the real program: noise of half the scale, a shared stream of randomness, one row too many per person. The
//! [list](Mutant::ALL) says which test catches it. The mutation gate (`cargo run -p scumble-testing --example mutant_figures
//! --features planted-bugs`) switches them on one by one and fails if a test passes all the same.
//!
//! # How one is switched on
//! Without the feature `planted-bugs`, [`Mutant::is_planted`] is a constant `false`, and the compiler removes the mistake. With it, the
//! environment variable `SCUMBLE_PLANTED_BUG` names the one mutant that is alive, and the process says so on its error output. A
//! release build with the feature does not compile.
//!
//! # What it refuses to know
//! Everything else: it depends on nothing, and only says yes or no.

#[cfg(all(feature = "planted-bugs", not(debug_assertions)))]
compile_error!(
    "the feature `planted-bugs` plants mistakes in the program: it is for tests, and no release build has it"
);

mod list;
mod mutant;

pub use list::Mutant;
pub use mutant::{CaughtBy, Facts};
