//! `scumble sample` with conditions and shares, and generated columns.

use std::collections::BTreeSet;

use crate::folder::{FIT, Folder, assert_output};

/// The columns of the table with an identifier before them, a constant between them and a row
/// number after them.
const MADE_UP: &str = r#"
dp: {privacyUnit: id}
fields:
  - {name: id, type: string, dp: {generate: {pattern: "P-##", unique: true}}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {source: public, bins: {width: 10}}}
  - {name: country, type: string, dp: {generate: {constant: NL}}}
  - {name: smoker, type: string, constraints: {enum: ["yes", "no"], required: true}, dp: {source: public}}
  - {name: line, type: integer, dp: {generate: {sequence: {from: 100}}}}
"#;

fn fitted() -> Folder {
    let folder = Folder::with_table();
    let fit = folder.output(&[&FIT[..], &["a.model"]].concat());
    assert!(fit.status.success());
    folder
}

fn lines(folder: &Folder, name: &str) -> Vec<String> {
    std::fs::read_to_string(folder.path(name)).unwrap().lines().map(String::from).collect()
}

#[test]
fn sample_explains_itself() {
    insta::assert_snapshot!(Folder::new().run(&["sample", "--help"]));
}

#[test]
fn a_part_of_the_rows_is_drawn_and_described() {
    let folder = fitted();
    let part = ["sample", "a.model", "--where", "smoker=yes", "--where", "age=20..39|"];
    let json = [&part[..], &["--rebalance", "age=20..29:0.25,30..39:0.75", "--rows", "40", "-o", "b.csv", "--json"]];
    let texts = [
        folder.run(&[&part[..], &["-o", "a.csv"]].concat()),
        folder.run(&json.concat()),
        folder.run(&["sample", "a.model", "--where", "smoker=no", "--rows", "7", "-q", "-o", "c.csv"]),
    ];
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r#""share_of_model":( ?)0\.\d+"#, r#""share_of_model":${1}[SHARE]"#);
    settings.bind(|| {
        assert_output!(texts.concat());
    });
    let meets = |line: &str| {
        let (age, smoker) = line.split_once(',').unwrap();
        smoker == "yes" && (age.is_empty() || (20..40).contains(&age.parse::<u32>().unwrap()))
    };
    assert!(lines(&folder, "a.csv").len() > 1 && lines(&folder, "a.csv")[1..].iter().all(|line| meets(line)));
    let young = lines(&folder, "b.csv")[1..].iter().filter(|line| line.starts_with('2')).count();
    assert_eq!((young, lines(&folder, "b.csv").len()), (10, 41));
    assert_eq!(lines(&folder, "c.csv").len(), 8);
}

#[test]
fn shares_of_a_column_are_given_on_the_line_or_in_a_file() {
    let folder = fitted();
    folder.write("shares.csv", "value,share\nyes,0.9\n\"no\",0.1\n");
    let texts = [
        folder.run(&["sample", "a.model", "--rebalance", "smoker=yes:0.5,no:0.5", "--rows", "100", "-o", "a.csv"]),
        folder.run(&["sample", "a.model", "--rebalance", "smoker=@shares.csv", "--rows", "100", "-o", "b.csv"]),
    ];
    assert_output!(texts.concat());
    let smokers = |name: &str| lines(&folder, name).iter().filter(|line| line.ends_with(",yes")).count();
    assert_eq!((smokers("a.csv"), smokers("b.csv")), (50, 90));
}

#[test]
fn a_part_that_the_model_does_not_have_is_refused() {
    let folder = fitted();
    let with = |more: &[&'static str]| [&["sample", "a.model", "-o", "a.csv"][..], more].concat();
    let texts = [
        folder.run(&with(&["--where", "smoker"])),
        folder.run(&with(&["--where", "sex=female"])),
        folder.run(&with(&["--where", "smoker=sometimes"])),
        folder.run(&with(&["--where", "age=25"])),
        folder.run(&with(&["--where", "age=21..28", "--json"])),
        folder.run(&with(&["--where", "smoker=yes", "--where", "smoker=no"])),
        folder.run(&with(&["--rebalance", "smoker=yes:0.5"])),
        folder.run(&with(&["--rebalance", "smoker=@missing.csv"])),
        folder.run(&with(&["--where", "smoker=yes", "--rebalance", "smoker=yes:0.5,no:0.5"])),
    ];
    assert_output!(texts.concat());
    assert!(!folder.path("a.csv").exists());
}

#[test]
fn identifiers_are_made_up_and_never_read() {
    let folder = Folder::with_table();
    // The unit is in the data, and the other generated columns are not.
    let row = |row: usize| format!("person{row},{},{}\n", row % 80, ["yes", "no"][row % 2]);
    let rows = (0..500).map(row).collect::<Vec<_>>().concat();
    folder.write("table.csv", format!("id,age,smoker\n{rows}"));
    folder.write("table.schema.yaml", MADE_UP);
    let texts = [
        folder.run(&["schema", "check", "table.schema.yaml"]),
        folder.run(&["schema", "check", "table.schema.yaml", "--json"]),
        folder.run(&[&FIT[..], &["a.model"]].concat()),
        folder.run(&["sample", "a.model", "--rows", "101", "-o", "a.csv"]),
        folder.run(&["sample", "a.model", "--rows", "100", "--seed", "3", "-o", "a.csv"]),
        folder.run(&["sample", "a.model", "--rows", "50", "--seed", "3", "--where", "country=NL", "-o", "b.csv"]),
        folder.run(&["bundle", "a.model", "--rows", "100", "--seed", "3", "-q", "-o", "release"]),
    ];
    assert_output!(texts.concat());
    let verified = folder.run(&["bundle", "verify", "release"]);
    assert!(verified.ends_with("exit code 0\n"), "{verified}");
    let lines = lines(&folder, "a.csv");
    assert_eq!(lines[0], "id,age,country,smoker,line");
    let ids: BTreeSet<&str> = lines[1..].iter().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(ids.len(), 100);
    assert!(ids.iter().all(|id| id.len() == 4 && id.starts_with("P-")), "{ids:?}");
    assert!(lines[1].ends_with(",100") && lines[1].contains(",NL,"), "{}", lines[1]);
    assert_eq!(std::fs::read_to_string(folder.path("release/data/synthetic.csv")).unwrap(), lines.join("\n") + "\n");
    // Neither reading files nor comparing tables needs the generated columns.
    let evaluate =
        ["evaluate", "--real", "table.csv", "--synth", "a.csv", "--schema", "table.schema.yaml", "-o", "e.html"];
    let evaluated = folder.run(&evaluate);
    assert!(evaluated.ends_with("exit code 0\n"), "{evaluated}");
}
