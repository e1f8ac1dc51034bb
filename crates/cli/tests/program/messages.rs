//! What goes wrong on an ordinary day: every message names the problem, says the remedy, and has the right exit code.

use crate::folder::{Folder, SCHEMA, assert_output};

/// A fit of `data` with `schema`, and what else is said.
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
    // Not a slip at all: the header line says how the file is written.
    let said = folder.run(&fit("semicolons.csv", "table.schema.yaml", &one));
    assert!(said.contains("exit code 0"), "{said}");
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
