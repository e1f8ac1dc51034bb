//! `scumble schema new` with answers from a pipe, and drafts with suggestions.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::folder::{Folder, assert_output};

/// A table with values that must not be read.
const TABLE: &str = "\
person_id,alter,geschlecht,plz,Einkommen,Geburtsdatum,ort,familienstand,bemerkung
S3CRET-1,SECRET,SECRET,SECRET,SECRET,SECRET,SECRET,SECRET,SECRET
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("people.csv", TABLE);
    folder
}

/// Returns the output and exit code of a run with these answers.
fn answered(folder: &Folder, arguments: &[&str], answers: &str) -> (String, Option<i32>) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"))
        .args(arguments)
        .current_dir(folder.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    program.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (format!("{}----- stderr\n{}", text(output.stdout), text(output.stderr)), output.status.code())
}

#[test]
fn questions_are_answered_from_a_pipe_and_make_a_sound_schema() {
    let folder = folder();
    // An empty line accepts the suggestion.
    let answers = [
        "person_id\n2\n\n\n",
        "\n",
        "\n\n",
        "\nm, w, d\n\n",
        "\n",
        "\n500000\n\n",
        "\ndd.mm.yyyy\n1910-01-01\n2024-12-31\nno\n",
        "string\nUlm, Bonn, Kiel\nno\n",
        "string\nledig, verheiratet\nyes\n",
        "\n",
        "yes\n",
    ];
    let answers = &answers.concat();
    let (shown, code) = answered(&folder, &["schema", "new", "people.csv", "-o", "people.schema.yaml"], answers);
    assert_eq!(code, Some(0), "{shown}");
    let schema = std::fs::read_to_string(folder.path("people.schema.yaml")).unwrap();
    assert!(!shown.contains("SECRET") && !schema.contains("SECRET"), "no value is looked at");
    assert_output!(format!("{shown}\n{schema}\n{}", folder.run(&["schema", "check", "people.schema.yaml"])));
}

#[test]
fn answers_that_end_early_leave_no_file() {
    let folder = folder();
    let (shown, code) = answered(&folder, &["schema", "new", "people.csv", "-o", "people.schema.yaml"], "row\n\n\n");
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("error: the answers ended at: column `person_id`"), "{shown}");
    assert!(!folder.path("people.schema.yaml").exists());
}

#[test]
fn a_draft_says_what_names_suggest() {
    let folder = folder();
    let draft = folder.run(&["schema", "draft", "people.csv"]);
    assert!(!draft.contains("SECRET"));
    assert_output!(draft);
}

#[test]
fn a_preset_can_be_fitted_and_comes_back_as_it_was_written() {
    let folder = Folder::new();
    let rows: Vec<String> =
        (0..400).map(|row| format!("{:02}.03.{},{}.50,{}\n", row % 28 + 1, 1950 + row % 60, row, row % 3)).collect();
    folder.write("table.csv", format!("geboren,preis,raucher\n{}", rows.concat()));
    folder.write(
        "table.schema.yaml",
        "fields:\n  - {name: geboren, format: '%d.%m.%Y', dp: {preset: date}}\n  - {name: preis, dp: {preset: amount}}\n  \
         - {name: raucher, dp: {preset: yes-no}}\n  - {name: notiz, dp: {preset: free-text}}\n",
    );
    let synth = ["synth", "table.csv", "--schema", "table.schema.yaml", "--method", "independent", "--epsilon", "9"];
    let output = folder.output(&[&synth[..], &["--delta", "1e-9", "--rows", "50", "-o", "synth.csv"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = std::fs::read_to_string(folder.path("synth.csv")).unwrap();
    for line in written.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let is_day = |text: &str| text.len() == 10 && text.as_bytes()[2] == b'.' && text.as_bytes()[5] == b'.';
        assert!(fields[0].is_empty() || is_day(fields[0]), "{line}");
        let decimals = fields[1].split_once('.').map(|(_, decimals)| decimals.len());
        assert!(fields[1].is_empty() || decimals == Some(2), "{line}");
    }
}
