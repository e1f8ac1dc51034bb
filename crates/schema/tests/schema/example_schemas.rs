//! The example schemas are valid, and survive being written and read again.

use std::path::{Path, PathBuf};

use scumble_schema::{Attribute, Encoder, FieldType, Schema};

/// Every schema under `examples/schemas`, by path.
fn examples() -> Vec<(PathBuf, Schema)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/schemas");
    let all = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    // Hierarchies are in a subfolder.
    let mut paths: Vec<PathBuf> = all.filter(|path| path.is_file()).collect();
    paths.sort();
    let read = |path: PathBuf| match Schema::read(&path) {
        Ok(schema) => (path, schema),
        Err(problems) => panic!("{}: {problems}", path.display()),
    };
    paths.into_iter().map(read).collect()
}

fn example(name: &str) -> Schema {
    let found = examples().into_iter().find(|(path, _)| path.file_name().is_some_and(|file| file == name));
    found.unwrap_or_else(|| panic!("`{name}` is an example")).1
}

fn encoder<'a>(schema: &'a Schema, column: &str) -> &'a Encoder {
    schema.attribute(schema.find(column).expect(column)).encoder()
}

#[test]
fn every_example_is_valid_and_marks_its_guesses() {
    let examples = examples();
    assert!(examples.len() >= 5);
    for (path, schema) in examples {
        let assumed: Vec<&str> = schema.assumed().map(Attribute::name).collect();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap();
        match name {
            // Only the codes that occur.
            "acs_national2019_nested.schema.yaml" => assert_eq!(assumed, ["INDP"]),
            // The sizes of coded columns are known, but not the meaning of neighbouring codes.
            "loans.schema.yaml" => {
                let grouped = schema.attributes().iter().filter(|column| !column.levels().is_empty());
                assert_eq!(assumed, grouped.map(Attribute::name).collect::<Vec<_>>());
            }
            _ => assert!(assumed.is_empty(), "{name}: {assumed:?}"),
        }
    }
}

#[test]
fn the_example_of_all_types_has_every_type() {
    let schema = example("every_column.schema.yaml");
    assert_eq!(schema.output_columns().len(), 26);
    for kind in FieldType::ALL {
        assert!(schema.attributes().iter().any(|column| column.field_type() == kind), "{kind}");
    }
    assert_eq!((schema.rule_specs().len(), schema.impossible_values()), (6, &[][..]));
}

#[test]
fn every_example_survives_yaml_and_json() {
    for (path, schema) in examples() {
        let yaml = schema.to_yaml();
        assert_eq!(Schema::parse(&yaml).unwrap(), schema, "{}", path.display());
        let json = serde_json::to_string_pretty(&schema.to_spec()).unwrap();
        assert_eq!(Schema::parse(&json).unwrap(), schema, "{}", path.display());
    }
}

#[test]
fn adult_has_the_documented_sizes() {
    let schema = example("adult.schema.yaml");
    assert_eq!(schema.domain().sizes(), [15, 9, 20, 16, 16, 7, 15, 6, 5, 2, 17, 14, 16, 42, 2]);
    // Zero is its own bin, and the greatest value is in the last bin.
    let gain = encoder(&schema, "capital-gain");
    assert_eq!((gain.text(b"0"), gain.text(b"1"), gain.text(b"99999")), (0, 1, 16));
    let hours = encoder(&schema, "hours-per-week");
    assert_ne!(hours.integer(40), hours.integer(39));
    assert_ne!(hours.integer(40), hours.integer(41));
    assert_eq!(encoder(&schema, "workclass").text(b"?"), 8);
    assert_eq!(encoder(&schema, "income").text(b">50K"), 1);
}

#[test]
fn the_letter_n_is_missing_in_the_acs() {
    let schema = example("acs_national2019.schema.yaml");
    assert_eq!(schema.attributes().len(), 21);
    for attribute in schema.attributes() {
        assert_eq!(attribute.encoder().text(b"N"), attribute.missing_code().unwrap_or(0), "{}", attribute.name());
    }
    assert_eq!(schema.attribute(schema.find("DENSITY").unwrap()).field_type(), FieldType::Number);
    // Nineteen sectors, and missing.
    assert_eq!(encoder(&schema, "INDP_CAT").size(), 20);
    assert_eq!(encoder(&schema, "INDP_CAT").text(b"99"), 19, "a code that is not in the code book is missing");
    // Incomes are written `15400.0`.
    let income = encoder(&schema, "PINCP");
    assert_eq!(income.text(b"15400.0"), income.integer(15_400));
    assert!(income.integer(-1) < income.integer(0) && income.integer(0) < income.integer(1));
}
