//! Python environments with the packages of others.

use std::path::PathBuf;
use std::process::Command;

/// Returns a Python that has these packages, made below `~/.cache/` if it is not there; `None`,
/// with a word why, where that cannot be had. `modules` are what is imported from the packages.
#[expect(clippy::print_stderr, reason = "installing takes minutes")]
pub fn python_with(folder: &str, modules: &str, packages: &[&str]) -> Option<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME")?).join(".cache").join(folder);
    let python = home.join("bin/python");
    let run = |command: &mut Command| command.status().is_ok_and(|status| status.success());
    let import = format!("import {modules}");
    let ready = || python.exists() && run(Command::new(&python).args(["-W", "ignore", "-c", &import]));
    if !ready() {
        let names = packages.join(", ");
        eprintln!("making a Python environment with {names} in {}", home.display());
        let made = run(Command::new("python3").args(["-m", "venv"]).arg(&home))
            && run(Command::new(&python).args(["-m", "pip", "install", "-q"]).args(packages));
        if !made || !ready() {
            eprintln!("SKIPPED what needs {names}: python3 -m venv and pip did not install them");
            return None;
        }
    }
    Some(python)
}
