//! Work in a process of its own: its peak memory and processor time are then those of this work
//! alone.

use std::process::Command;

use serde_json::Value;

/// The argument that makes this program do one piece of work, print what it found as JSON, and end.
const CHILD: &str = "--child";

/// Does a piece of work in a child; its arguments name the section and what the section needs.
///
/// # Panics
/// If the child fails.
pub(crate) fn run(arguments: &[&str]) -> Value {
    let program = std::env::current_exe().expect("this program knows where it is");
    let output =
        Command::new(program).args(["pgm", CHILD]).args(arguments).output().expect("this program starts itself");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a child prints JSON")
}

/// The arguments of this process, if it is a child.
pub(crate) fn arguments(all: &[String]) -> Option<Vec<&str>> {
    match all {
        [first, rest @ ..] if first == CHILD => Some(rest.iter().map(String::as_str).collect()),
        _ => None,
    }
}

/// A number that a child found.
pub(crate) fn number(found: &Value, name: &str) -> f64 {
    found[name].as_f64().unwrap_or_else(|| panic!("a child reports `{name}`: {found}"))
}
