//! Records the commit and features of the build, for `scumble --version`.

use std::process::Command;

fn main() {
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]) {
        // The log grows with every commit.
        println!("cargo:rerun-if-changed={log}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let commit = commit.map(|commit| format!(" (commit {commit})")).unwrap_or_default();
    println!("cargo:rustc-env=SCUMBLE_COMMIT={commit}");
    println!("cargo:rustc-env=SCUMBLE_PROFILE={}", std::env::var("PROFILE").unwrap_or_default());
    let if_on =
        |feature: &str, text: &'static str| std::env::var_os(format!("CARGO_FEATURE_{feature}")).map_or("", |_| text);
    let stores = if_on("OBJECT_STORE", ", s3, gs, az");
    let databases = [if_on("POSTGRES", ", postgresql"), if_on("ADBC", ", adbc")].concat();
    println!("cargo:rustc-env=SCUMBLE_SOURCES={stores}{databases}");
    println!("cargo:rustc-env=SCUMBLE_ENGINES={}", if_on("CLUSTER", " or on a Ballista cluster"));
    // Planted bugs are for tests only; the version text shows that a program has them.
    println!("cargo:rustc-env=SCUMBLE_FEATURES={}", if_on("PLANTED_BUGS", ", with bugs to plant"));
}

/// Returns the output of git, if there is git and the sources are a checkout of Scumble, not a copy
/// in another repository.
fn git(arguments: &[&str]) -> Option<String> {
    let ours = Command::new("git").args(["ls-files", "--error-unmatch", "build.rs"]).output().ok()?;
    let output = Command::new("git").args(arguments).output().ok()?;
    let is_answer = ours.status.success() && output.status.success();
    is_answer.then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
