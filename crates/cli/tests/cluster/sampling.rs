//! Rows drawn by a cluster equal those drawn by this machine.

use std::fs;
use std::path::Path;

use scumble::engine::TableScan;
use scumble::schema::Clique;
use scumble::{Input, ReadOptions, Schema};
use scumble_engine::exact::ExactCounts;

use crate::servers::{Servers, run, scumble};

/// Columns of several types of the demo table: a million rows of all columns would take a minute.
const SOME_COLUMNS: &str = "\
fields:
  - {name: sex, type: string, constraints: {enum: [female, male, other]}}
  - {name: smoker, type: boolean}
  - {name: height_cm, type: number, constraints: {minimum: 70, maximum: 210}, dp: {bins: {width: 5}}}
";

#[test]
fn rows_do_not_depend_on_who_draws_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    run(&["demo", "--rows", "2000", "-o", &path("people")]);
    let (data, schema) = (path("people/people.csv"), path("some.schema.yaml"));
    fs::write(&schema, SOME_COLUMNS).unwrap();
    let budget = ["--epsilon", "1", "--delta", "1e-9"];
    for method in ["mst", "privbayes-nist"] {
        let model = path(&format!("{method}.model"));
        run(&[&["fit", &data, "--schema", &schema, "--method", method, "-o", &model], &budget[..]].concat());
        // Two partitions, the second of which is not full.
        let rows = ["--rows", "1100000", "--seed", "7"];
        let here = path(&format!("{method}.parquet"));
        run(&[&["sample", &model, "-o", &here], &rows[..]].concat());
        let there: Vec<String> = [1, 2]
            .iter()
            .map(|&executors| {
                let servers = Servers::start(executors);
                let output = path(&format!("{method}-{executors}"));
                let engine = ["--engine", &servers.address(), "--without-tls"];
                run(&[&["sample", &model, "-o", &output], &rows[..], &engine].concat());
                output
            })
            .collect();
        let parts = |folder: &str| {
            let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
            files.sort();
            files
        };
        let (one, two) = (parts(&there[0]), parts(&there[1]));
        assert_eq!(one.len(), 2);
        for (one, two) in one.iter().zip(&two) {
            assert_eq!(one.file_name(), two.file_name());
            assert!(fs::read(one).unwrap() == fs::read(two).unwrap(), "{method}");
        }
        assert_eq!(codes(Path::new(&there[0]), &schema), codes(Path::new(&here), &schema), "{method}");
    }
}

/// Returns all rows in order, as codes.
fn codes(input: &Path, schema: &str) -> Vec<scumble::schema::CodeColumn> {
    let schema = Schema::read(Path::new(schema)).unwrap().without_unit();
    let options = ReadOptions { threads: Some(1), ..ReadOptions::default() };
    let scan = TableScan::open(&[Input::new(input)], &schema, &options).unwrap();
    assert_eq!(scan.count_tables(&[Clique::empty()]).unwrap(), [[1_100_000]]);
    scumble_engine::exact::code_columns(&scan).unwrap()
}

#[test]
fn an_existing_folder_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    run(&["demo", "--rows", "500", "-o", &path("people")]);
    let (data, schema, model) = (path("people/people.csv"), path("people/people.schema.yaml"), path("a.model"));
    run(&["fit", &data, "--schema", &schema, "--method", "mst", "--epsilon", "1", "--delta", "1e-9", "-o", &model]);
    let servers = Servers::start(1);
    fs::create_dir(path("there")).unwrap();
    let output = scumble(&["sample", &model, "--engine", &servers.address(), "--without-tls", "-o", &path("there")])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(6));
    assert!(fs::read_dir(path("there")).unwrap().next().is_none());
    let hidden = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with('.');
    assert!(!fs::read_dir(folder.path()).unwrap().any(|entry| hidden(entry.unwrap())), "nothing is left beside it");
}
