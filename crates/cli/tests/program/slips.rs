//! Mistakes on the command line: none of them loses a file, budget or privacy.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{FIT, Folder};

/// Returns the standard error of a run, and its exit code.
fn refused(folder: &Folder, arguments: &[&str]) -> (String, i32) {
    let output = folder.output(arguments);
    (String::from_utf8(output.stderr).unwrap(), output.status.code().unwrap())
}

#[test]
fn no_output_is_one_of_the_inputs() {
    let folder = Folder::with_table();
    std::fs::create_dir(folder.path("data")).unwrap();
    std::fs::copy(folder.path("table.csv"), folder.path("data/table.csv")).unwrap();
    std::os::unix::fs::symlink(folder.path("table.csv"), folder.path("link.model")).unwrap();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    folder.output(&["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "3"]);
    let before = folder.contents();
    let synth = |data, output| {
        ["synth", data, "-s", "table.schema.yaml", "-m", "independent", "-e", "1", "--force", "-o", output]
    };
    let evaluate = [
        "evaluate",
        "--quick",
        "--force",
        "--real",
        "table.csv",
        "--synth",
        "table.csv",
        "-s",
        "table.schema.yaml",
        "-o",
    ];
    let runs: [&[&str]; 15] = [
        &[&FIT[..], &["table.csv", "--force"]].concat(),
        &[&FIT[..], &["./data/../table.csv", "--force"]].concat(),
        &[&FIT[..], &["link.model", "--force"]].concat(),
        &[&FIT[..], &["table.schema.yaml", "--force"]].concat(),
        &[&FIT[..], &["a.ledger", "--ledger", "a.ledger", "--force"]].concat(),
        &synth("data", "data/synth.csv"),
        &synth("data/*.csv", "data/synth.csv"),
        &[&synth("table.csv", "s.csv")[..], &["--model", "s.csv"]].concat(),
        &["sample", "a.model", "--force", "-o", "a.model"],
        &["report", "a.model", "--force", "-o", "a.model"],
        &["inspect", "a.model", "--force", "--svg", "a.model"],
        &["marginals", "a.model", "--force", "-o", "a.model"],
        &[&evaluate[..], &["table.csv"]].concat(),
        &["schema", "draft", "table.csv", "--force", "-o", "table.csv"],
        &["plan", "-s", "table.schema.yaml", "--rows-hint", "500", "-e", "1", "--force", "--svg", "table.schema.yaml"],
    ];
    for run in runs {
        let (said, code) = refused(&folder, run);
        assert_eq!(code, 2, "{run:?}: {said}");
        assert!(said.contains("hint: "), "{run:?}: {said}");
        assert_eq!(folder.contents(), before, "{run:?}");
    }
}

#[test]
fn existing_files_are_replaced_only_with_force() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    folder.write("precious", "somebody needs this");
    std::fs::create_dir(folder.path("people")).unwrap();
    folder.write("people/people.csv", "somebody needs this");
    let synth = ["synth", "table.csv", "-s", "table.schema.yaml", "-m", "independent", "-e", "1", "-o", "rows.csv"];
    folder.write("rows.csv", "somebody needs this");
    let evaluate =
        ["evaluate", "--quick", "--real", "table.csv", "--synth", "table.csv", "-s", "table.schema.yaml", "-o"];
    let runs: [&[&str]; 12] = [
        &["demo", "-n", "10", "-o", "people"],
        &[&FIT[..], &["precious"]].concat(),
        &synth,
        &["sample", "a.model", "-o", "rows.csv"],
        &["report", "a.model", "-o", "precious"],
        &["inspect", "a.model", "--svg", "precious"],
        &["marginals", "a.model", "-o", "precious"],
        &["plan", "-s", "table.schema.yaml", "--rows-hint", "500", "-e", "1", "--svg", "precious"],
        &[&evaluate[..], &["precious"]].concat(),
        &["schema", "draft", "table.csv", "-o", "precious"],
        &["schema", "export", "--to", "sdv", "table.schema.yaml", "-o", "precious"],
        &["man", "-o", "people"],
    ];
    folder.write("people/scumble.1", "somebody needs this");
    let before = folder.contents();
    for run in runs {
        let (said, code) = refused(&folder, run);
        assert_eq!((code, said.contains("exists already")), (2, true), "{run:?}: {said}");
        assert_eq!(folder.contents(), before, "{run:?}");
    }
    for run in runs {
        let (said, code) = refused(&folder, &[run, &["--force"]].concat());
        assert_eq!(code, 0, "{run:?}: {said}");
    }
}

#[test]
fn a_device_is_not_replaced_by_a_file() {
    let folder = Folder::with_table();
    let (said, code) = refused(&folder, &[&FIT[..], &["/dev/null", "--force"]].concat());
    assert_eq!((code, said.contains("not a file")), (2, true), "{said}");
}

#[test]
fn rows_and_pages_go_to_standard_output_and_notes_to_standard_error() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    let rows = folder.output(&["sample", "a.model", "-n", "7", "-o", "-"]);
    let text = String::from_utf8(rows.stdout).unwrap();
    assert_eq!((text.lines().count(), text.lines().next()), (8, Some("age,smoker")), "{text}");
    assert!(String::from_utf8_lossy(&rows.stderr).contains("wrote 7 synthetic rows to standard output"));
    let page = String::from_utf8(folder.output(&["report", "a.model", "-o", "-"]).stdout).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    for run in [&["sample", "a.model", "-o", "-", "--json"][..], &[&FIT[..], &["-"]].concat()] {
        assert_eq!(folder.output(run).status.code(), Some(2), "{run:?}");
    }
    assert!(!folder.path("-").exists());
}

/// Starts a fit on a ledger that has released its tables and draws rows for hours.
fn running_synth(folder: &Folder) -> std::process::Child {
    let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"));
    program.args(SYNTH).args(["-n", "1000000000000"]);
    let running = program.current_dir(folder.root()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("two tables in the journal", || {
        let jobs = std::fs::read_dir(folder.path("a.ledger.jobs")).into_iter().flatten();
        jobs.map(|job| job.unwrap().metadata().unwrap().len()).sum::<u64>() >= 14 * 8 + 2 * 100
    });
    running
}

const SYNTH: [&str; 12] = [
    "synth",
    "table.csv",
    "-s",
    "table.schema.yaml",
    "-m",
    "independent",
    "-e",
    "1",
    "--ledger",
    "a.ledger",
    "-o",
    "rows.csv",
];

fn wait_for(what: &str, is_there: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_there() {
        assert!(started.elapsed() < Duration::from_mins(1), "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn interrupt(running: &std::process::Child) {
    let killed = Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

#[test]
fn ctrl_c_reports_the_budget_and_resuming_spends_nothing_more() {
    let folder = Folder::with_table();
    folder.output(&["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "3"]);
    let running = running_synth(&folder);
    // While rows are written, the first Ctrl-C is a request, and the current batch is finished.
    interrupt(&running);
    let ended = running.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    let resume = "scumble synth table.csv -s table.schema.yaml -m independent -e 1 --ledger a.ledger -o rows.csv -n 1000000000000 --resume";
    for part in ["reserved epsilon 1 with delta 1e-9 on `a.ledger`", "made 2 releases", resume] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!folder.path("rows.csv").exists());

    let shown = String::from_utf8(folder.output(&["ledger", "show", "a.ledger"]).stdout).unwrap();
    assert!(shown.contains(resume), "{shown}");

    // The same command again by mistake: it is the same fit, whatever happens to the rows.
    let (said, code) = refused(&folder, &SYNTH);
    assert_eq!(code, 4, "{said}");
    for flag in ["--resume", "--anew"] {
        assert!(said.contains(&format!("{} {flag}", ["scumble", &SYNTH.join(" ")].join(" "))), "{said}");
    }
    let spent = |folder: &Folder| {
        let shown = folder.output(&["ledger", "show", "a.ledger", "--json"]).stdout;
        serde_json::from_slice::<serde_json::Value>(&shown).unwrap()["spent_epsilon"].as_f64().unwrap()
    };
    let before = spent(&folder);
    let (said, code) = refused(&folder, &[&SYNTH[..], &["--resume"]].concat());
    assert_eq!(code, 0, "{said}");
    assert!(spent(&folder) <= before && folder.path("rows.csv").exists());
    // The fit ended, so the next one is a new fit.
    let (said, code) = refused(&folder, &[&SYNTH[..], &["--force"]].concat());
    assert_eq!(code, 0, "{said}");
    assert!(spent(&folder) > before);
}

#[test]
fn ctrl_c_while_rows_come_from_standard_input_ends_the_fit() {
    let folder = Folder::with_table();
    folder.output(&["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "3"]);
    let before = folder.contents();
    let files = std::fs::read_dir(folder.root()).unwrap().count();
    let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"));
    program.args(["fit", "-", "-s", "table.schema.yaml", "-e", "1", "--ledger", "a.ledger", "-o", "a.model"]);
    program.current_dir(folder.root()).env("TMPDIR", folder.root());
    let mut running = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = running.stdin.take().unwrap();
    std::io::Write::write_all(&mut input, b"age,smoker\n22,no\n").unwrap();
    // The copy may go while it is looked at, so it is not read.
    wait_for("a copy of the rows", || std::fs::read_dir(folder.root()).unwrap().count() > files);
    // The pipe stays open, as if its writer were not finished.
    interrupt(&running);
    let ended = running.wait_with_output().unwrap();
    drop(input);
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted"), "{said}");
    assert_eq!(folder.contents(), before, "no copy of the rows is left behind, and nothing was spent");
}

#[test]
fn an_open_fit_is_abandoned_only_with_a_flag() {
    let folder = Folder::with_table();
    folder.output(&["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "3"]);
    let mut running = running_synth(&folder);
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(refused(&folder, &SYNTH).1, 4);
    let (said, code) = refused(&folder, &[&SYNTH[..], &["--anew"]].concat());
    assert_eq!(code, 0, "{said}");
    let shown = folder.output(&["ledger", "show", "a.ledger", "--json"]).stdout;
    let shown: serde_json::Value = serde_json::from_slice(&shown).unwrap();
    assert_eq!(shown["jobs"].as_array().unwrap().len(), 2);
    assert!(shown["jobs"][0]["releases"].is_null() && shown["jobs"][1]["releases"].is_u64());
}

#[test]
fn weak_terms_need_a_flag_and_stay_marked() {
    let folder = Folder::with_table();
    let fit = |terms: &[&'static str]| {
        [&["fit", "table.csv", "-s", "table.schema.yaml", "-m", "independent", "-o", "a.model"], terms].concat()
    };
    let weak: [&[&str]; 4] = [
        &["-e", "10.5"],
        &["-e", "1", "-d", "2e-4"],
        &["-e", "1", "-d", "1e-5", "--rows-hint", "100000"],
        &["-e", "1", "-d", "1e-5", "--rows-hint", "1e6"],
    ];
    for terms in weak {
        let (said, code) = refused(&folder, &fit(terms));
        assert_eq!((code, said.contains("--accept-weak-privacy")), (2, true), "{terms:?}: {said}");
        assert!(!folder.path("a.model").exists());
    }
    let init = ["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "20"];
    assert_eq!(refused(&folder, &init).1, 2);
    assert_eq!(refused(&folder, &[&init[..], &["--accept-weak-privacy"]].concat()).1, 0);

    // Accepted weak terms are marked wherever the model is shown.
    let accepted = [&fit(&["-e", "10.5"])[..], &["--accept-weak-privacy"]].concat();
    let said = folder.run(&accepted);
    assert!(said.contains("warning: epsilon") && said.contains("WEAK TERMS"), "{said}");
    folder.output(&["bundle", "a.model", "-n", "100", "-o", "release"]);
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    for (what, text) in [
        ("explanation", folder.run(&["inspect", "a.model", "--explain"])),
        ("public report", String::from_utf8(folder.output(&["report", "a.model", "-o", "-"]).stdout).unwrap()),
        ("registry entry", read("release/registry-entry.yaml")),
        ("plan", folder.run(&["plan", "-s", "table.schema.yaml", "--rows-hint", "500", "-e", "10.5"])),
    ] {
        assert!(text.contains("WEAK TERMS"), "{what}: {text}");
    }
    // Reasonable terms are not marked, and a released number of rows is enough to decide.
    let said = folder.run(&fit(&["-e", "1", "--force"]));
    assert!(!said.contains("WEAK"), "{said}");
    let said = folder.run(&fit(&["-e", "1", "-d", "1e-4", "--force"]));
    assert!(!said.contains("WEAK"), "500 rows: {said}");
    let said = folder.run(&fit(&["-e", "9", "-d", "9e-5", "--force"]));
    assert!(!said.contains("WEAK"), "500 rows: {said}");
}

#[test]
fn a_dry_run_refuses_what_would_be_refused_and_spends_nothing() {
    let folder = Folder::with_table();
    folder.output(&["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "1"]);
    let before = folder.contents();
    let fit = |epsilon| {
        [
            "fit",
            "table.csv",
            "-s",
            "table.schema.yaml",
            "-e",
            epsilon,
            "--ledger",
            "a.ledger",
            "--dry-run",
            "-o",
            "a.model",
        ]
    };
    let said = folder.run(&[&fit("1")[..], &["--rows-hint", "500"]].concat());
    for part in ["no row was read", "The ledger has room", "method     auto", "exit code 0"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(refused(&folder, &fit("1.5")).1, 4);
    assert_eq!(refused(&folder, &[&fit("1")[..], &["--resume"]].concat()).1, 2);
    assert_eq!(folder.contents(), before);
}
