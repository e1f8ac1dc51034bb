//! `scumble bundle`: its output, its files, and what verification finds.

use std::path::Path;

use crate::folder::{FIT, Folder, assert_output};

/// Command that bundles the model `a.model`, without the name of the folder.
const BUNDLE: [&str; 9] = ["bundle", "a.model", "--rows", "300", "--seed", "5", "--date", "2026-11-15", "-o"];

fn with_model() -> Folder {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    folder
}

/// Returns all files under a folder, by relative path.
fn files(root: &Path, before: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{before}{}", entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path(), &format!("{name}/")));
        } else {
            found.push((name, std::fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn bundle_explains_itself() {
    let folder = Folder::new();
    let texts = [folder.run(&["bundle", "--help"]), folder.run(&["bundle", "verify", "--help"])];
    assert_output!(texts.join("\n"));
}

#[test]
fn a_bundle_is_written_and_holds() {
    let folder = with_model();
    let said = [
        "--title",
        "A table",
        "--description",
        "Made-up people.",
        "--curator",
        "Office of Statistics",
        "--licence",
        "CC-BY-4.0",
        "--contact",
        "data@office.example",
        "--url",
        "https://office.example/a-table",
        "--intended-use",
        "Teaching",
        "--region",
        "Nowhere",
        "--release-version",
        "2.1.0",
    ];
    let texts = [
        folder.run(&[&BUNDLE[..], &["first"]].concat()),
        folder.run(&["bundle", "verify", "first"]),
        folder.run(&[&BUNDLE[..], &["second"], &said].concat()),
        folder.run(&["bundle", "verify", "second", "--json"]),
        folder.run(&["bundle", "verify", "second", "--quiet"]),
    ];
    assert_output!(texts.concat());
    let names: Vec<String> = files(&folder.path("first"), "").into_iter().map(|(name, _)| name).collect();
    insta::assert_snapshot!(names.join("\n"));
    assert_eq!(folder.names(), ["a.model", "first", "second", "table.csv", "table.schema.yaml"]);
    // With all metadata given, placeholders remain only for facts that the command line does not
    // cover.
    let read = |path: &str| std::fs::read_to_string(folder.path(path)).unwrap();
    assert!(read("first/croissant.json").contains("TO BE FILLED IN"));
    crate::html::check_page(&read("first/index.html"));
    for name in ["README.md", "index.html", "datapackage.json", "croissant.json"] {
        assert!(!read(&format!("second/{name}")).contains("TO BE FILLED IN"), "{name}");
    }
}

#[test]
fn a_changed_bundle_is_refused() {
    let folder = with_model();
    folder.output(&[&BUNDLE[..], &["bundle"]].concat());
    let readme = std::fs::read_to_string(folder.path("bundle/README.md")).unwrap();
    folder.write("bundle/README.md", readme.replace("Synthetic", "Real"));
    let texts = [
        folder.run(&["bundle", "verify", "bundle"]),
        folder.run(&["bundle", "verify", "bundle", "--json"]),
        folder.run(&["bundle", "verify", "bundle", "--quiet"]),
    ];
    assert_output!(texts.concat());
}

#[test]
fn bundle_refuses_with_a_hint() {
    let folder = with_model();
    let into = |name: &'static str| [&BUNDLE[..], &[name]].concat();
    folder.output(&into("there"));
    folder.write("list", "of nothing");
    let texts = [
        folder.run(&into("there")),
        folder.run(&into("no/such/folder")),
        folder.run(&[&into("new")[..], &["--title", "two\nlines"]].concat()),
        folder.run(&["bundle", "a.model", "--date", "15.11.2026", "-o", "new"]),
        folder.run(&["bundle", "no.model", "-o", "new"]),
        folder.run(&["bundle", "a.model"]),
        folder.run(&["bundle"]),
        folder.run(&["bundle", "verify"]),
        folder.run(&["bundle", "verify", "nowhere"]),
        folder.run(&["bundle", "verify", "list"]),
        folder.run(&["bundle", "verify", "."]),
        folder.run(&["bundle", "verify", "nowhere", "--json"]),
    ];
    assert_output!(texts.concat());
    assert_eq!(folder.names(), ["a.model", "list", "table.csv", "table.schema.yaml", "there"]);
}

#[test]
fn the_program_writes_the_same_bundle_twice() {
    let folder = with_model();
    let status = |arguments: &[&str], day: &str| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_scumble"));
        program.args(arguments).current_dir(folder.path("")).env("SOURCE_DATE_EPOCH", day).output().unwrap().status
    };
    let without_day = ["bundle", "a.model", "--rows", "300", "--seed", "5", "-o"];
    assert!(status(&[&without_day[..], &["first"]].concat(), "1794700800").success());
    assert!(status(&[&BUNDLE[..], &["second"]].concat(), "0").success());
    assert_eq!(files(&folder.path("first"), ""), files(&folder.path("second"), ""));
    assert_eq!(status(&[&without_day[..], &["third"]].concat(), "soon").code(), Some(2));
}

/// Planted where a leak could copy it.
const CANARY: &str = "canary7f3a";

/// T12 for bundles: no file contains anything of the input or of its location.
#[test]
fn canaries_of_the_input_are_in_no_file() {
    let folder = Folder::new();
    let name = format!("{CANARY}-table.csv");
    let rows: String = (0..400)
        .map(|row| match row % 4 {
            0 => format!("1,yes,{CANARY}\n"),
            1 => format!("{CANARY}{row},no,x\n"),
            2 => format!("38,{CANARY},x\n"),
            _ => format!("\"{CANARY}\n,\",yes,x\n"),
        })
        .collect();
    folder.write(&name, format!("age,smoker,{CANARY}\n{rows}"));
    folder.write("table.schema.yaml", crate::folder::SCHEMA.replace("[yes, no], required: true", "[yes, no]"));
    let model = format!("{CANARY}.model");
    for method in ["independent", "auto", "pb-pgm"] {
        let delta = if method == "pb-pgm" { "0" } else { "1e-9" };
        let goal = ["--epsilon", "50", "--accept-weak-privacy", "--force", "--delta", delta];
        let fit =
            [&["fit", &name, "--schema", "table.schema.yaml", "--method", method, "-o", &model][..], &goal].concat();
        assert!(folder.output(&fit).status.success(), "{method}");
        let bundle = format!("{CANARY}-{method}");
        assert!(folder.output(&["bundle", &model, "-o", &bundle]).status.success(), "{method}");
        let around = folder.path("").to_str().unwrap().trim_end_matches('/').to_owned();
        let user = std::env::var("USER").unwrap_or_default();
        let written = files(&folder.path(&bundle), "");
        assert_eq!(written.len(), 14);
        for (file, bytes) in written {
            let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
            assert!(!holds(CANARY), "{method}: {file}");
            assert!(!holds(&around), "{method}: {file} shows where the program ran");
            assert!(user.len() < 5 || !holds(&user), "{method}: {file} shows who ran the program");
        }
    }
}
