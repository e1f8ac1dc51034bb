//! `scumble schema import`, `export` and `check`: files of other tools, and a schema checked
//! against its data.

use crate::folder::{Folder, assert_output};

const SMARTNOISE: &str = "\
\"\":
  Census:
    People:
      max_ids: 3
      rows: 1000
      person_id: {type: int, private_id: True}
      age: {type: int, lower: 0, upper: 110, nullable: False}
      income: {type: float, lower: 0, upper: 500000, sensitivity: 100}
      region: {type: string, cardinality: 4}
      remark: {type: unknown}
";
const SDV: &str = r#"{"METADATA_SPEC_VERSION": "V1", "tables": {"people": {"primary_key": "id", "columns": {
    "id": {"sdtype": "id"}, "age": {"sdtype": "numerical", "computer_representation": "Int64"},
    "health": {"sdtype": "categorical", "order": ["bad", "good"]},
    "born": {"sdtype": "datetime", "datetime_format": "%d/%m/%Y"}}}}, "relationships": []}"#;
const DPSYNTH: &str = "\
age: {type: NumericalAttribute, min_value: 0.0, max_value: 110.0, dtype: int, clip_to_range: true}
sex: {type: CategoricalAttribute, possible_values: [f, m], out_of_domain_index: 1}
remark: {type: FreeFormTextAttribute, max_tokens: 256}
";
const CSVW: &str = r#"{"@context": "http://www.w3.org/ns/csvw", "@type": "Table", "privacyUnit": "id", "maxContributions": 2,
    "publicLength": 900, "tableSchema": {"columns": [
    {"name": "id", "datatype": "integer", "privacyId": true},
    {"name": "sex", "datatype": "string", "required": true, "keyValues": ["f", "m"], "exhaustiveKeys": true},
    {"name": "length", "datatype": "double", "partitions": [
        {"predicate": {"lowerBound": 30.0, "upperBound": 40.0}}, {"predicate": {"lowerBound": 40.0, "upperBound": 60.0}}]}]}}"#;
const SCHEMA: &str = "\
dp: {privacyUnit: person, maxContributions: 1}
fields:
  - name: age
    type: integer
    constraints: {minimum: 18, maximum: 99, required: true}
    dp: {source: public, bins: {width: 10}}
  - name: sex
    type: string
    constraints: {enum: [f, m]}
    dp: {source: public}
  - name: born
    type: date
    format: \"%d.%m.%Y\"
    dp: {source: public, bins: {edges: [1900-01-01, 1950-01-01, 2020-12-31]}}
";
const STAMP: &str = "NOT DIFFERENTIALLY PRIVATE: computed from the real rows, for their steward only";

fn folder() -> Folder {
    let folder = Folder::new();
    for (name, content) in
        [("smartnoise.yaml", SMARTNOISE), ("sdv.json", SDV), ("dpsynth.yaml", DPSYNTH), ("csvw.json", CSVW)]
    {
        folder.write(name, content);
    }
    folder.write("schema.yaml", SCHEMA);
    let rows = ["17,f,01.02.1990", "18,m,", "99,d,31.12.2020", "100,,01.01.2021", "200,f,1990-02-01", ",f,31.12.1899"];
    folder.write("people.csv", format!("age,sex,born\n{}\nold,f,01.02.1990\n50,f,01.02.1990\n", rows.join("\n")));
    folder
}

#[test]
fn export_explains_itself() {
    assert_output!(Folder::new().run(&["schema", "export", "--help"]));
}

#[test]
fn every_format_is_imported_and_every_loss_is_listed() {
    let folder = folder();
    let import = |format, file| folder.run(&["schema", "import", "--from", format, file]);
    let texts = [
        import("smartnoise", "smartnoise.yaml"),
        import("sdv", "sdv.json"),
        import("dpsynth", "dpsynth.yaml"),
        import("csvw-eo", "csvw.json"),
        folder.run(&["schema", "import", "--from", "dpsynth", "dpsynth.yaml", "-o", "new.yaml", "--json"]),
        folder.run(&["schema", "check", "new.yaml"]),
        import("sdv", "people.csv"),
        import("csvw-eo", "sdv.json"),
        import("sdv", "nowhere.json"),
    ];
    assert_output!(texts.concat());
}

#[test]
fn every_format_is_exported_and_every_loss_is_listed() {
    let folder = folder();
    let export = |format| folder.run(&["schema", "export", "--to", format, "schema.yaml"]);
    let mut texts: Vec<String> = ["sdv", "dpsynth", "smartnoise", "csvw-eo", "mbi"].map(export).into();
    texts.push(folder.run(&["schema", "export", "--to", "mbi", "schema.yaml", "-o", "domain.json", "--json"]));
    assert_output!(texts.concat());
}

#[test]
fn exporting_twice_gives_the_same_file() {
    let folder = folder();
    for (format, file) in
        [("smartnoise", "smartnoise.yaml"), ("sdv", "sdv.json"), ("dpsynth", "dpsynth.yaml"), ("csvw-eo", "csvw.json")]
    {
        let there_and_back = |from: &str, to: &str| {
            folder.output(&["schema", "import", "--from", format, from, "--force", "-o", "between.yaml"]);
            assert!(
                folder
                    .output(&["schema", "export", "--to", format, "between.yaml", "--force", "-o", to])
                    .status
                    .success()
            );
            std::fs::read(folder.path(to)).unwrap()
        };
        assert_eq!(there_and_back(file, "once"), there_and_back("once", "twice"), "{format}");
    }
}

#[test]
fn a_schema_is_held_against_its_data_under_the_stamp() {
    let folder = folder();
    let text = folder.run(&["schema", "check", "schema.yaml", "people.csv"]);
    let json = folder.run(&["schema", "check", "schema.yaml", "people.csv", "--json"]);
    assert_eq!(text.lines().nth(1), Some(STAMP), "the stamp stands first");
    assert!(json.lines().nth(1).unwrap().starts_with(&format!("{{\"stamp\":\"{STAMP}\"")), "in JSON too");
    let texts = [
        text,
        json,
        folder.run(&["schema", "check", "schema.yaml", "nowhere.csv"]),
        folder.run(&["schema", "check", "schema.yaml", "schema.yaml"]),
        folder.run(&["schema", "check", "schema.yaml", "--format", "csv"]),
    ];
    assert_output!(texts.concat());
}

#[test]
fn a_table_is_covered_alike_in_every_format() {
    let folder = Folder::with_table();
    let fit = ["fit", "table.csv", "--schema", "table.schema.yaml", "--method", "independent", "--epsilon", "1"];
    folder.output(&[&fit[..], &["--delta", "1e-9", "-o", "a.model"]].concat());
    let covered = ["a.csv", "a.parquet", "a.arrow"].map(|name| {
        assert!(folder.output(&["sample", "a.model", "--rows", "500", "--seed", "1", "-o", name]).status.success());
        let output = folder.output(&["schema", "check", "table.schema.yaml", name, "--json"]);
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    });
    assert!(covered[0].contains("\"rows\":500"), "{}", covered[0]);
    assert!(covered.iter().all(|one| *one == covered[0]), "{covered:?}");
}
