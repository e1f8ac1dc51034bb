//! Every seed, and every input that once failed, passes its target.

use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

use scumble_fuzz::{FINDINGS, SEEDS, TARGETS, folder};

/// Returns all files of a folder, in order; none if it does not exist.
fn files(folder: PathBuf) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    files
}

#[test]
fn seeds_and_findings_pass() {
    for (name, target) in TARGETS {
        let seeds = files(folder(SEEDS, name));
        assert!(!seeds.is_empty(), "the target `{name}` has no seeds");
        for file in seeds.into_iter().chain(files(folder(FINDINGS, name))) {
            let bytes = fs::read(&file).unwrap();
            assert!(catch_unwind(|| target(&bytes)).is_ok(), "`{name}` fails on {}", file.display());
        }
    }
}

#[test]
fn every_target_has_a_program() {
    let mut programs: Vec<String> = files(folder("fuzz_targets", ""))
        .iter()
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    programs.sort_unstable();
    assert_eq!(programs, TARGETS.map(|(name, _)| format!("fuzz_{name}")));
    let manifest = include_str!("../Cargo.toml");
    for program in programs {
        assert!(manifest.contains(&format!("name = \"{program}\"\n")), "Cargo.toml lacks `{program}`");
    }
}
