//! The JSON Schema for editors has every property of the schema file, and accepts whatever Scumble
//! accepts.

use std::collections::BTreeSet;
use std::path::Path;

use scumble_schema::learn::PartialSchema;
use scumble_schema::{
    AdjacencyKind, BinsSpec, CalendarUnit, Constraints, Dialect, Encoding, FieldSpec, FieldTerms, FieldType,
    GenerateSpec, HierarchySpec, JSON_SCHEMA, Keep, MissingValue, Preset, RowCount, RuleSpec, Scalar, Scale, Schema,
    SchemaSpec, SequenceSpec, Source, TableTerms,
};
use scumble_testing::json_schema::validate as validate_against;
use serde_json::Value;

fn json_schema() -> Value {
    serde_json::from_str(JSON_SCHEMA).expect("the published file is JSON")
}

fn validate(yaml: &str) -> Result<(), String> {
    let value: Value = serde_saphyr::from_str(yaml).expect("the test writes YAML");
    validate_against(&json_schema(), &value)
}

/// A schema with one column `x` of these properties.
fn column(rest: &str) -> String {
    format!("fields: [{{name: x, {rest}}}]")
}

/// A schema with a column `x` of these properties, and a modelled one.
fn beside(rest: &str) -> String {
    format!("fields: [{{name: x, {rest}}}, {{name: other, type: boolean}}]")
}

#[test]
fn the_examples_are_valid() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let examples = crates.join("../examples/schemas").read_dir().unwrap().map(|entry| entry.unwrap().path());
    for path in examples.filter(|path| path.is_file()).chain([crates.join("scumble/src/demo/people.schema.yaml")]) {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(validate(&text), Ok(()), "{}", path.display());
        // Schemas that Scumble writes are valid too.
        assert_eq!(validate(&Schema::read(&path).unwrap().to_yaml()), Ok(()), "{}", path.display());
    }
}

#[test]
fn an_imported_domain_is_valid() {
    let spec = SchemaSpec::from_mbi(r#"{"a": 2, "b": 85}"#).unwrap();
    assert_eq!(validate_against(&json_schema(), &serde_json::to_value(spec).unwrap()), Ok(()));
}

#[test]
fn valid_schemas_pass_the_json_schema_and_the_check() {
    let valid = [
        column("type: integer, constraints: {minimum: -5, maximum: 5}"),
        beside("type: string, dp: {generate: {pattern: 'P-#####', unique: true}}"),
        beside("type: date, dp: {generate: {constant: '2020-01-31'}}"),
        beside("dp: {derive: 'CASE WHEN other THEN 1 ELSE 0 END'}"),
        beside("type: number, dp: {derive: 'CASE WHEN other THEN 1 ELSE 0 END', decimals: 2}"),
        beside("type: integer, constraints: {required: true}, dp: {generate: {sequence: {from: 100}}}"),
        column(
            "type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {by: month}, keep: weekday}",
        ),
        column(
            "type: datetime, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {by: hour}, timeZone: Europe/Berlin}",
        ),
        column("type: integer, constraints: {minimum: 0}, dp: {bins: {topCode: 9}}"),
        column("type: integer, dp: {bins: {edges: [0, 5, 10], points: [0], topCode: 10}}"),
        column("type: number, constraints: {minimum: 0.5, maximum: 9}, dp: {bins: {count: 9, scale: log}}"),
        column(
            "type: number, constraints: {minimum: 0}, dp: {bins: {count: 9, scale: log, from: 1, points: [0], topCode: 1e6}}",
        ),
        column("type: boolean, missingValues: ['', -9, {value: '-8', label: refused}, {value: '-7'}]"),
        column("type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 5}}"),
        column("type: integer, constraints: {minimum: 0, maximum: 99, required: true}, dp: {foldInto: 3}"),
        column("type: integer, constraints: {enum: [1, 2, 9]}, dp: {open: true, source: public}"),
        column("type: integer, dp: {bins: {edges: [-1, 0, 10], source: dp}}"),
        column("type: year, constraints: {minimum: 1900, maximum: 2030}, dp: {bins: {count: 13}}"),
        column("type: number, constraints: {minimum: 0, maximum: 1.5}, dp: {bins: {width: 0.25}}"),
        column("type: number, dp: {bins: {edges: [0, 0.5, 1e6]}}"),
        column("type: number, constraints: {enum: [0.5, 1]}"),
        column("type: string, constraints: {enum: [a, b], required: true}, dp: {open: true, unknownLabel: rest}"),
        column("type: string, constraints: {enum: [a, b], required: true}, dp: {foldInto: b}"),
        column("type: string, constraints: {enum: [a, b, c]}, dp: {hierarchy: {levels: [[x, x, y]]}}"),
        column(
            "type: integer, constraints: {minimum: 1, maximum: 4}, dp: {hierarchy: {levels: [[1, 2, 3, 3], [1, 1, 2, 2]]}}",
        ),
        column("type: boolean, trueValues: ['yes'], falseValues: ['no']"),
        column("type: boolean, constraints: {required: true}, dp: {foldInto: false}"),
        column("type: date, format: '%d/%m/%Y', constraints: {minimum: 01/01/2020, maximum: 31/12/2020}"),
        column("type: time"),
        column("type: time, format: '%I:%M %p', constraints: {required: true}, dp: {bins: {by: hour}}"),
        column("type: time, constraints: {minimum: '06:00', maximum: '22:00'}, dp: {bins: {width: 900}}"),
        column("type: time, constraints: {enum: ['06:00', '14:00', '22:00']}"),
        column("type: time, dp: {bins: {edges: ['00:00', '06:00', '24:00']}}"),
        column("type: datetime, dp: {bins: {edges: ['2020-01-01T00:00:00', '2021-01-01T00:00:00']}}"),
        column("dp: {preset: country}"),
        column("constraints: {maximum: 99}, dp: {preset: age}"),
        column("type: number, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 3}, step: 0.5}"),
        column("type: number, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 3}, decimals: 2}"),
        column("type: integer, constraints: {minimum: 0, maximum: 900}, dp: {bins: {count: 3}, step: 100}"),
        // Unused properties of the standard are accepted.
        column("type: boolean, rdfType: urn:x, constraints: {unique: true}"),
        "primaryKey: x\ndp: {privacyUnit: row, maxContributions: 3, adjacency: replace-one, rowCount: public}\n"
            .to_owned()
            + &column("type: boolean"),
        "dp: {privacyUnit: person_id, maxContributions: 3}\n".to_owned() + &column("type: boolean"),
        "dp: {rules: [{forbid: {x: missing}}, {skip: end, unless: {x: true}}, {order: [begin, end]}]}
fields:
  - {name: x, type: boolean}
  - {name: end, type: year, constraints: {minimum: 2000, maximum: 2009}}
  - {name: begin, type: year, constraints: {minimum: 2000, maximum: 2009}}
"
        .to_owned(),
        "dp: {rules: [{determines: {x: x2}, by: {true: 1, false: 2}}]}
fields: [{name: x, type: boolean}, {name: x2, type: integer, constraints: {enum: [1, 2]}}]
"
        .to_owned(),
    ];
    for yaml in valid {
        assert!(Schema::parse(&yaml).is_ok(), "the check refuses {yaml}: {:?}", Schema::parse(&yaml));
        assert_eq!(validate(&yaml), Ok(()), "{yaml}");
    }
}

#[test]
fn invalid_schemas_fail_the_json_schema_and_the_check() {
    let invalid = [
        "title: nothing else".to_owned(),
        "fields: []".to_owned(),
        "fields: [{name: x}]".to_owned(),
        column("type: geopoint"),
        // Text columns without categories, or with categories that are not text.
        column("type: string"),
        column("type: string, constraints: {enum: []}"),
        column("type: string, constraints: {enum: [1, 2]}"),
        column("type: string, constraints: {enum: [a, a]}"),
        column("type: string, constraints: {enum: [a]}, dp: {bins: {count: 2}}"),
        // Ranges without bounds, or without bins.
        column("type: integer"),
        column("type: integer, constraints: {minimum: 0}"),
        column("type: number, constraints: {minimum: 0, maximum: 1}"),
        column("type: datetime, constraints: {minimum: '2020-01-01', maximum: '2021-01-01'}"),
        // Bins declared twice, or invalid.
        column("type: time, dp: {bins: {by: day}}"),
        column("type: time, constraints: {minimum: 6}"),
        column("type: time, dp: {timeZone: UTC}"),
        column("type: integer, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 2, width: 5}}"),
        column("type: integer, constraints: {minimum: 0, maximum: 9}, dp: {bins: {edges: [0, 9]}}"),
        column("type: integer, constraints: {enum: [1, 2]}, dp: {bins: {width: 1}}"),
        column("type: integer, dp: {bins: {edges: [0]}}"),
        column("type: integer, constraints: {minimum: 0, maximum: 9}, dp: {bins: {width: 0.5}}"),
        column("type: number, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 0}}"),
        column("type: integer, constraints: {minimum: 0, maximum: 9}, dp: {bins: {by: month}}"),
        column("type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {by: hour}}"),
        column("type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {by: day, count: 2}}"),
        column("type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {timeZone: UTC}"),
        column("type: year, constraints: {minimum: 2000, maximum: 2020}, dp: {bins: {points: [2000]}}"),
        column("type: year, constraints: {minimum: 2000, maximum: 2020}, dp: {bins: {width: 5}, keep: weekday}"),
        column("type: number, constraints: {minimum: 1, maximum: 9}, dp: {bins: {scale: log}}"),
        column("type: number, constraints: {minimum: 1, maximum: 9}, dp: {bins: {count: 5, from: 2}}"),
        column("type: integer, constraints: {minimum: 1, maximum: 9}, dp: {bins: {topCode: 5.5}}"),
        // Bounds of the wrong type.
        column("type: integer, constraints: {minimum: 0.5, maximum: 9}"),
        column("type: date, constraints: {minimum: 2020, maximum: 2021}"),
        // Hierarchies that are empty, or declared twice.
        column("type: string, constraints: {enum: [a, b, c]}, dp: {hierarchy: {}}"),
        column("type: string, constraints: {enum: [a, b, c]}, dp: {hierarchy: {levels: []}}"),
        column("type: string, constraints: {enum: [a, b, c]}, dp: {hierarchy: {file: x.csv, levels: [[x, x, y]]}}"),
        column("type: string, dp: {hierarchy: {levels: [[x, x, y]]}}"),
        column("type: string, constraints: {enum: [a, b, c]}, dp: {hierarchy: {tree: x.csv}}"),
        // Typing errors in a `dp` block.
        column("type: boolean, dp: {sauce: public}"),
        column("type: boolean, dp: {source: guessed}"),
        column("type: integer, constraints: {minimum: 0, maximum: 9}, dp: {bins: {widht: 5}}"),
        "dp: {maxContribution: 2}\n".to_owned() + &column("type: boolean"),
        // Terms that contradict each other.
        "dp: {maxContributions: 0}\n".to_owned() + &column("type: boolean"),
        "dp: {privacyUnit: ''}\n".to_owned() + &column("type: boolean"),
        "dp: {rowCount: public}\n".to_owned() + &column("type: boolean"),
        "dp: {rowCount: private, adjacency: replace-one}\n".to_owned() + &column("type: boolean"),
        "dp: {rules: [{forbid: {x: true}, order: [x, y]}]}\n".to_owned() + &column("type: boolean"),
        "dp: {rules: [{order: [x]}]}\n".to_owned() + &column("type: boolean"),
        "dp: {rules: [{skip: x}]}\n".to_owned() + &column("type: boolean"),
        "dp: {rules: [{forbids: {x: true}}]}\n".to_owned() + &column("type: boolean"),
        column("type: boolean, constraints: {required: true}, dp: {open: true}"),
        column("type: boolean, dp: {foldInto: true}"),
        column("type: string, constraints: {enum: [a]}, dp: {unknownLabel: rest}"),
        column("type: boolean, dp: {open: true, unknownLabel: rest}"),
        // Unknown presets, and invalid steps.
        column("dp: {preset: agee}"),
        column("type: number, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 3}, step: 0}"),
        column("type: number, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 3}, decimals: 16}"),
        column("type: year, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 3}, step: 1}"),
        column("type: integer, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 3}, decimals: 1}"),
        // Generators of several kinds or none, or together with declared values.
        beside("type: string, dp: {generate: {}}"),
        beside("type: string, dp: {generate: {pattern: '#', constant: a}}"),
        beside("type: string, dp: {generate: {constant: a, unique: true}}"),
        beside("type: string, dp: {generate: {patern: '#'}}"),
        beside("type: string, constraints: {enum: [a]}, dp: {generate: {constant: a}}"),
        beside("type: integer, dp: {generate: {sequence: {from: 1}}, bins: {width: 2}}"),
    ];
    for yaml in invalid {
        assert!(Schema::parse(&yaml).is_err(), "the check accepts {yaml}");
        assert!(validate(&yaml).is_err(), "{yaml}");
    }
}

/// What a schema leaves to be learned is no error in an editor.
#[test]
fn partial_schemas_pass_the_json_schema() {
    for yaml in [
        column("dp: {source: dp}"),
        column("type: number, decimalChar: ',', dp: {source: dp, decimals: 1}"),
        beside("type: string, dp: {source: dp}"),
    ] {
        assert_eq!(validate(&yaml), Ok(()), "{yaml}");
        let spec = SchemaSpec::parse(&yaml).unwrap();
        assert_eq!(PartialSchema::new(spec).unwrap().missing().len(), 1, "{yaml}");
    }
}

/// A schema with every property.
fn full_spec() -> SchemaSpec {
    let text = || Some("text".to_owned());
    let texts = || Some(vec!["text".to_owned()]);
    let missing_values = || Some(vec![MissingValue { value: "text".into(), label: text() }]);
    let scalar = || Some(Scalar::Integer(1));
    let bins = BinsSpec {
        count: Some(1),
        width: Some(1.0),
        edges: Some(vec![Scalar::Integer(1)]),
        by: Some(CalendarUnit::Month),
        scale: Some(Scale::Log),
        from: scalar(),
        points: Some(vec![Scalar::Integer(1)]),
        top_code: scalar(),
        source: Some(Source::Assumed),
    };
    let hierarchy = HierarchySpec { file: text(), levels: Some(vec![vec![Scalar::Integer(1)]]) };
    let field = FieldSpec {
        name: "x".into(),
        field_type: "integer".into(),
        title: text(),
        description: text(),
        format: text(),
        decimal_char: text(),
        group_char: text(),
        bare_number: Some(false),
        true_values: texts(),
        false_values: texts(),
        missing_values: missing_values(),
        constraints: Constraints {
            required: true,
            minimum: scalar(),
            maximum: scalar(),
            categories: Some(vec![Scalar::Integer(1)]),
        },
        dp: FieldTerms {
            source: Source::Public,
            bins: Some(bins),
            hierarchy: Some(hierarchy),
            open: true,
            fold_into: scalar(),
            unknown_label: text(),
            generate: Some(GenerateSpec {
                pattern: text(),
                unique: true,
                constant: scalar(),
                sequence: Some(SequenceSpec { from: 1 }),
            }),
            derive: text(),
            keep: Some(Keep::Weekday),
            time_zone: text(),
            preset: Some(Preset::Age),
            step: Some(0.5),
            decimals: Some(2),
            // Only learning makes one, and no file has it.
            grid: None,
        },
    };
    SchemaSpec {
        title: text(),
        description: text(),
        missing_values: missing_values(),
        dialect: Dialect {
            delimiter: ";".parse().ok(),
            quote_char: "'".parse().ok(),
            comment_char: "#".parse().ok(),
            header_row: "3".parse().unwrap(),
            column_names: "x".parse().ok(),
            encoding: Encoding::Windows1252,
            multiline: true,
        },
        dp: TableTerms {
            privacy_unit: text(),
            max_contributions: Some(1),
            adjacency: Some(AdjacencyKind::AddRemove),
            row_count: Some(RowCount::Private),
            rules: vec![RuleSpec::Order(vec!["x".into()])],
        },
        fields: vec![field],
    }
}

fn names(object: &Value) -> BTreeSet<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn the_json_schema_has_exactly_the_properties_of_the_file() {
    let schema = json_schema();
    let file = serde_json::to_value(full_spec()).unwrap();
    let field = &file["fields"][0];
    let defs = &schema["$defs"];
    for (written, described) in [
        (&file, &schema),
        (&file["dialect"], &defs["dialect"]),
        (&file["dp"], &defs["tableTerms"]),
        (field, &defs["field"]),
        (&field["constraints"], &defs["constraints"]),
        (&field["dp"], &defs["fieldTerms"]),
        (&field["dp"]["bins"], &defs["bins"]),
        (&field["dp"]["generate"], &defs["generate"]),
        (&field["dp"]["hierarchy"], &defs["hierarchy"]),
    ] {
        assert_eq!(names(written), names(&described["properties"]));
    }
}

#[test]
fn the_json_schema_lists_exactly_the_possible_words() {
    let schema = json_schema();
    let defs = &schema["$defs"];
    let listed = |place: &Value| -> BTreeSet<String> {
        let choices = place["oneOf"].as_array().expect("a list of words").iter();
        choices.map(|choice| choice["const"].as_str().expect("a word").to_owned()).collect()
    };
    let written = |words: &[Value]| -> BTreeSet<String> {
        words.iter().map(|word| word.as_str().expect("a word").to_owned()).collect()
    };
    let word = |value: Result<Value, serde_json::Error>| value.expect("a word");
    let types = FieldType::ALL.map(|field_type| Value::from(field_type.name()));
    assert_eq!(listed(&defs["field"]["properties"]["type"]), written(&types));
    let presets = Preset::ALL.map(|preset| word(serde_json::to_value(preset)));
    assert_eq!(listed(&defs["fieldTerms"]["properties"]["preset"]), written(&presets));
    let sources =
        [Source::Public, Source::Assumed, Source::Dp, Source::Data].map(|source| word(serde_json::to_value(source)));
    assert_eq!(listed(&defs["source"]), written(&sources));
    let terms = &defs["tableTerms"]["properties"];
    let adjacencies =
        [AdjacencyKind::AddRemove, AdjacencyKind::ReplaceOne].map(|kind| word(serde_json::to_value(kind)));
    assert_eq!(listed(&terms["adjacency"]), written(&adjacencies));
    let counts = [RowCount::Private, RowCount::Public].map(|count| word(serde_json::to_value(count)));
    assert_eq!(listed(&terms["rowCount"]), written(&counts));
}

#[test]
fn every_property_has_a_description() {
    fn visit(root: &Value, schema: &Value, place: &str) {
        for (name, property) in schema["properties"].as_object().expect("properties") {
            let target = property["$ref"].as_str().map(|uri| root.pointer(&uri[1..]).expect("a target"));
            let help = property.get("description").or_else(|| target.and_then(|target| target.get("description")));
            assert!(help.is_some(), "{place}/{name}");
        }
    }
    let schema = json_schema();
    visit(&schema, &schema, "");
    for part in ["dialect", "tableTerms", "rule", "field", "constraints", "fieldTerms", "bins", "generate"] {
        visit(&schema, &schema["$defs"][part], part);
    }
}
