//! A small table with every type of column, models of it, and folders as lists of files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use scumble::bundle::{Publisher, Release};
use scumble::{ApproxDp, Delta, Epsilon, Fit, Input, Method, Model, Sampling, Schema};

pub(crate) const SCHEMA: &str = r"
title: Visits to a clinic
description: Made-up visits, for tests
missingValues: ['', n/a]
fields:
  - {name: age, type: integer, title: Age in years, constraints: {minimum: 0, maximum: 99}, dp: {source: public, bins: {width: 10}}}
  - {name: region, type: string, constraints: {enum: [north, 'south, far'], required: true}, dp: {source: public, open: true, unknownLabel: elsewhere}}
  - {name: born, type: date, format: '%d.%m.%Y', constraints: {minimum: 01.01.1950, maximum: 31.12.1950, required: true}, dp: {source: public, bins: {count: 12}}}
  - {name: seen, type: datetime, constraints: {minimum: '2020-01-01T00:00:00', maximum: '2020-01-02T00:00:00'}, dp: {source: public, bins: {count: 4}}}
  - {name: smokes, type: boolean, trueValues: [ja], falseValues: [nein], dp: {source: public}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 9.5}, dp: {source: public, bins: {count: 3}}}
  - {name: year, type: year, constraints: {enum: [2019, 2020], required: true}, dp: {source: public}}
";

/// Returns a few hundred rows, some with invalid values.
pub(crate) fn table() -> String {
    let mut csv = String::from("region,age,other,born,seen,smokes,income,year\n");
    for row in 0..300 {
        let region = ["north", "\"south, far\"", "nowhere"][row % 3];
        let age = ["7", "41", "", "x"][row % 4];
        let born = ["01.03.1950", "30.11.1950", "not a date"][row / 7 % 3];
        let seen = ["2020-01-01T07:00:00", "n/a"][row % 2];
        let smokes = ["ja", "nein"][row / 5 % 2];
        writeln!(csv, "{region},{age},secret,{born},{seen},{smokes},{},{}", row % 9, 2019 + row % 2).unwrap();
    }
    csv
}

pub(crate) fn goal() -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() }
}

/// Fits a model of the table by the method with this name.
pub(crate) fn model(method: &str) -> Model {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("real.csv");
    std::fs::write(&path, table()).unwrap();
    let schema = Schema::parse(SCHEMA).unwrap();
    let method = Method::named(method).unwrap();
    Fit::new(&schema, goal()).method(method).run(&[Input::new(&path)]).unwrap()
}

/// Returns a release of 400 rows.
pub(crate) fn release() -> Release {
    Release {
        rows: 400,
        seed: 7,
        sampling: Sampling::LowVariance,
        date: "2026-11-15".parse().unwrap(),
        publisher: Publisher { curator: Some("Office of Statistics".into()), ..Publisher::default() },
        criteria: None,
        ledger: None,
    }
}

/// Returns all files of a folder by name.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for inner in ["", "data/"] {
        for entry in std::fs::read_dir(folder.join(inner)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                let name = format!("{inner}{}", entry.file_name().into_string().unwrap());
                files.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}
