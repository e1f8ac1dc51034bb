//! The `scumble` program. The code is in the library beside it, which the Python package runs too.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(scumble_cli::run(std::env::args_os()))
}
