//! Runs `ssh-keygen`, which makes and checks signatures. Private keys stay in its process or in
//! those that it asks: an agent, a hardware key.

use std::ffi::OsStr;
use std::io::{ErrorKind, IsTerminal, Write, stderr};
use std::process::{Command, Output, Stdio};

use super::super::error::BundleError;

const PROGRAM: &str = "ssh-keygen";
/// Maximum number of characters of its message that are shown.
const MAX_SHOWN_CHARACTERS: usize = 300;

/// Who reads the standard error of `ssh-keygen`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Messages {
    /// The user, at a terminal: it asks to touch a hardware key.
    Shown,
    /// This program, for its own message.
    Read,
}

/// Runs `ssh-keygen` with this standard input.
pub(super) fn run(arguments: &[&OsStr], input: &[u8], messages: Messages) -> Result<Output, BundleError> {
    let errors = match messages {
        Messages::Shown if stderr().is_terminal() => Stdio::inherit(),
        _ => Stdio::piped(),
    };
    let cannot_run = |error: std::io::Error| BundleError::Keygen {
        problem: match error.kind() {
            ErrorKind::NotFound => "it is not installed".into(),
            _ => error.to_string(),
        },
    };
    let mut command = Command::new(PROGRAM);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
    let mut child = command.spawn().map_err(cannot_run)?;
    // If it ends before it has read everything, its exit code says more than the closed pipe.
    let _ = child.stdin.take().expect("standard input is a pipe").write_all(input);
    child.wait_with_output().map_err(cannot_run)
}

/// Returns what `ssh-keygen` printed about a failure, on one line and safe to show.
pub(super) fn reason(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    // Warnings have a frame of this sign.
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('@')).collect();
    let said: String = lines.join("; ").chars().take(MAX_SHOWN_CHARACTERS).collect();
    if said.is_empty() { "`ssh-keygen` refused".into() } else { said.escape_debug().to_string() }
}
