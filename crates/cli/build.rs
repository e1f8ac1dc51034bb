//! Writes down what the program is built from, for `scumble --version`.

use std::process::Command;

fn main() {
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        // It grows with every commit.
        println!("cargo:rerun-if-changed={log}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let commit = commit.map(|commit| format!(" (commit {commit})")).unwrap_or_default();
    println!("cargo:rustc-env=SCUMBLE_COMMIT={commit}");
    println!("cargo:rustc-env=SCUMBLE_PROFILE={}", std::env::var("PROFILE").unwrap_or_default());
    // Bugs to plant are for tests: whoever is handed such a program should know.
    let planted = std::env::var_os("CARGO_FEATURE_PLANTED_BUGS").map_or("", |_| ", with bugs to plant");
    println!("cargo:rustc-env=SCUMBLE_FEATURES={planted}");
}

/// What git answers, if there is git and the sources are a checkout of Scumble and not a copy in somebody else's.
fn git(arguments: &[&str]) -> Option<String> {
    let ours = Command::new("git").args(["ls-files", "--error-unmatch", "build.rs"]).output().ok()?;
    let output = Command::new("git").args(arguments).output().ok()?;
    let is_answer = ours.status.success() && output.status.success();
    is_answer.then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
