//! Conventions of command-line programs: consistent short options, completions, manual pages, an
//! informative version.

use crate::folder::{FIT, Folder};

#[test]
fn the_version_says_what_was_built() {
    let folder = Folder::new();
    let long = String::from_utf8(folder.output(&["--version"]).stdout).unwrap();
    assert!(long.starts_with(&format!("scumble {}", env!("CARGO_PKG_VERSION"))), "{long}");
    for part in ["parquet", "postgresql", "Ballista", " build"] {
        assert!(long.contains(part), "{long}");
    }
    let short = String::from_utf8(folder.output(&["-V"]).stdout).unwrap();
    assert_eq!(short, format!("scumble {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_shell_gets_its_completions_and_every_verb_its_manual_page() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = String::from_utf8(folder.output(&["completions", shell]).stdout).unwrap();
        assert!(script.contains("from-marginals") && script.contains("scumble"), "{shell}");
    }
    let said = folder.run(&["man", "-o", "man1"]);
    assert!(said.contains("exit code 0"), "{said}");
    for page in ["scumble.1", "scumble-fit.1", "scumble-schema-draft.1", "scumble-bundle-verify.1"] {
        let page = std::fs::read_to_string(folder.path("man1").join(page)).unwrap();
        assert!(page.contains(".TH") && page.contains("SYNOPSIS"), "{page}");
    }
}

#[test]
fn short_options_mean_the_same_everywhere() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    let runs: [&[&str]; 7] = [
        &["plan", "-s", "table.schema.yaml", "--rows-hint", "500", "-e", "1", "-d", "1e-9", "-m", "mst"],
        &["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "3", "-d", "1e-9"],
        &["fit", "table.csv", "-s", "table.schema.yaml", "-e", "1", "-d", "1e-9", "-m", "independent", "-o", "b.model"],
        &[
            "synth",
            "table.csv",
            "-s",
            "table.schema.yaml",
            "-e",
            "1",
            "-d",
            "1e-9",
            "-m",
            "independent",
            "-n",
            "9",
            "-o",
            "b.csv",
        ],
        &["sample", "a.model", "-n", "9", "-o", "c.csv"],
        &["bundle", "a.model", "-n", "9", "-o", "release"],
        &[
            "evaluate",
            "--quick",
            "--real",
            "table.csv",
            "--synth",
            "c.csv",
            "-s",
            "table.schema.yaml",
            "-o",
            "page.html",
        ],
    ];
    for run in runs {
        let said = folder.run(run);
        assert!(said.contains("exit code 0"), "{said}");
    }
}
