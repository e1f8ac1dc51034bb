//! Common mistakes: every message has the problem, a hint, and the right exit code.

use std::process::Command;

use crate::folder::{FIT, Folder, SCHEMA, archive, assert_output};

/// Returns a fit of `data` with `schema` and further arguments.
fn fit<'a>(data: &'a str, schema: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["fit", data, "-s", schema, "-m", "independent", "-o", "x.model"][..], more].concat()
}

#[test]
fn every_slip_is_answered_with_a_remedy() {
    let folder = Folder::with_table();
    folder.write("case.yaml", SCHEMA.replace("name: age", "name: Age"));
    folder.write("typo.yaml", SCHEMA.replace("minimum", "minimun"));
    folder.write("tab.yaml", "fields:\n\t- {name: age}\n");
    folder.write("semicolons.csv", "age;smoker\n1;yes\n38;no\n");
    folder.write("semicolons.yaml", format!("dialect: {{delimiter: ','}}\n{SCHEMA}"));
    folder.write("broken.xlsx", "no workbook");
    folder.write("broken.zip", "no archive");
    folder.write("old.xls", "no workbook");
    folder.write("survey.sav", "$FL2");
    folder.write("rows.json", "[]");
    folder.write("two.zip", archive(&[("a.csv", "age,smoker\n"), ("b.csv", "age,smoker\n")]));
    let one = ["-e", "1"];
    let runs: Vec<(&str, Vec<&str>)> = vec![
        ("data file missing", fit("nowhere.csv", "table.schema.yaml", &one)),
        ("schema missing", fit("table.csv", "nowhere.yaml", &one)),
        ("name in another case", fit("table.csv", "case.yaml", &one)),
        ("negative epsilon", fit("table.csv", "table.schema.yaml", &["--epsilon", "-1"])),
        ("decimal comma", fit("table.csv", "table.schema.yaml", &["--epsilon", "1,0"])),
        ("property misspelt", fit("table.csv", "typo.yaml", &one)),
        ("tab in YAML", fit("table.csv", "tab.yaml", &one)),
        (
            "method misspelt",
            vec!["fit", "table.csv", "-s", "table.schema.yaml", "-e", "1", "-m", "aout", "-o", "x.model"],
        ),
        ("verb misspelt", vec!["fti"]),
        ("broken workbook", fit("broken.xlsx", "table.schema.yaml", &one)),
        ("workbook of another kind", fit("old.xls", "table.schema.yaml", &one)),
        ("data of a statistics program", fit("survey.sav", "table.schema.yaml", &one)),
        ("JSON", fit("rows.json", "table.schema.yaml", &one)),
        ("broken archive", fit("broken.zip", "table.schema.yaml", &one)),
        ("archive of two tables", fit("two.zip", "table.schema.yaml", &one)),
        ("nothing on standard input", fit("-", "table.schema.yaml", &one)),
        ("semicolons where commas are declared", fit("semicolons.csv", "semicolons.yaml", &one)),
        ("weak terms", fit("table.csv", "table.schema.yaml", &["-e", "20"])),
        ("output is the input", vec!["fit", "table.csv", "-s", "table.schema.yaml", "-e", "1", "-o", "table.csv"]),
        (
            "folder of the output missing",
            vec!["fit", "table.csv", "-s", "table.schema.yaml", "-e", "1", "-o", "no/x.model"],
        ),
    ];
    let texts: Vec<String> = runs.iter().map(|(slip, run)| format!("# {slip}\n{}", folder.run(run))).collect();
    assert_output!(texts.join("\n"));
    assert!(!folder.path("x.model").exists());
    // Not a mistake: the separator is inferred from the header line.
    let said = folder.run(&fit("semicolons.csv", "table.schema.yaml", &one));
    assert!(said.contains("exit code 0"), "{said}");
}

#[test]
fn dates_that_are_all_out_of_bounds_are_noticed() {
    let folder = Folder::new();
    folder.write("table.csv", format!("seen\n{}", "07.03.2021\n14.03.2021\n".repeat(2500)));
    folder.write(
        "table.schema.yaml",
        "fields: [{name: seen, type: date, format: '%d.%m.%Y', constraints: {minimum: 01.01.1990, maximum: 31.12.1999, required: true}, dp: {source: public, bins: {by: year}}}]",
    );
    let said = folder.run(&fit("table.csv", "table.schema.yaml", &["-e", "1"]));
    assert!(
        said.contains("% of rows are in the last bin; if that is a surprise, check `minimum`, `maximum`"),
        "{said}"
    );
}

/// Uses a disk of 64 KiB that is removed when the program ends.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_and_leaves_no_half_a_file() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    std::fs::create_dir(folder.path("full")).unwrap();
    let on_full_disk = |command: &str| {
        let script = format!(
            "mount -t tmpfs -o size=64k tmpfs full || exit 99; \"$0\" {command}; code=$?; ls -A full; exit $code"
        );
        let run = Command::new("unshare")
            .args(["--map-root-user", "--mount", "sh", "-c", &script, env!("CARGO_BIN_EXE_scumble")])
            .current_dir(folder.root())
            .output()
            .expect("unshare of util-linux");
        let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        (said, run.status.code().unwrap())
    };
    if on_full_disk("--version").1 == 99 {
        #[expect(clippy::print_stderr, reason = "whoever runs the tests has to know")]
        {
            eprintln!("skipped: no disk can be mounted here, not even in a namespace of its own");
        }
        return;
    }
    for command in ["sample a.model -n 100000 -o full/rows.csv", "bundle a.model -n 100000 -o full/release"] {
        let (said, code) = on_full_disk(command);
        // Nothing is listed before it: no partial file remains.
        assert!(said.starts_with("error: cannot use "), "{said}");
        let hint = "no space is left on the disk\nhint: free space on that disk, or write to another\n";
        assert!(said.contains(hint), "{said}");
        assert_eq!(code, 6, "{said}");
    }
}

#[test]
fn a_delta_that_is_left_out_is_stated() {
    let folder = Folder::with_table();
    let said = folder.run(&fit("table.csv", "table.schema.yaml", &["-e", "1"]));
    assert!(said.contains("(1, 1e-9)-differentially private"), "{said}");
}

#[test]
fn a_cap_that_is_exceeded_names_the_epsilon_that_fits() {
    let folder = Folder::with_table();
    folder.output(&["ledger", "init", "a.ledger", "-s", "table.schema.yaml", "-e", "1"]);
    let said = folder.run(&fit("table.csv", "table.schema.yaml", &["-e", "1.5", "--ledger", "a.ledger"]));
    assert!(said.contains("allows at most epsilon 1\n") && said.contains("exit code 4"), "{said}");
    let fits = fit("table.csv", "table.schema.yaml", &["-e", "1", "--ledger", "a.ledger"]);
    assert!(folder.run(&fits).contains("exit code 0"));
}

#[test]
fn hints_cite_no_file_that_an_installed_program_lacks() {
    let folder = Folder::with_table();
    folder.write("broken.yaml", "fields: [");
    folder.write("broken.json", "{");
    for run in [
        vec!["schema", "check", "broken.yaml"],
        vec!["schema", "import", "--from", "mbi", "broken.json"],
        vec!["schema", "import", "--from", "sdv", "broken.json"],
        fit("table.csv", "table.schema.yaml", &["-e", "1", "--option", "no=1"]),
        vec!["fit", "--from-marginals", "broken.json", "-s", "table.schema.yaml", "-o", "x.model"],
    ] {
        let said = folder.run(&run);
        assert!(said.contains("hint: ") && !said.contains("docs/"), "{said}");
    }
}
