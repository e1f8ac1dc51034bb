//! Import and export of other tools' schema files is stable, and every loss is reported.

use proptest::prelude::*;
use scumble_schema::{Foreign, Loss, LossKind, Schema, SchemaSpec, export_mbi};

const FILES: [(Foreign, &str); 5] = [
    (Foreign::Sdv, include_str!("../foreign/survey.sdv.json")),
    (Foreign::Sdv, include_str!("../foreign/single.sdv.json")),
    (Foreign::Dpsynth, include_str!("../foreign/survey.dpsynth.yaml")),
    (Foreign::Smartnoise, include_str!("../foreign/survey.smartnoise.yaml")),
    (Foreign::CsvwEo, include_str!("../foreign/survey.csvw-eo.json")),
];
const FORMATS: [Foreign; 4] = [Foreign::Sdv, Foreign::Dpsynth, Foreign::Smartnoise, Foreign::CsvwEo];

fn import(format: Foreign, text: &str) -> SchemaSpec {
    let imported = format.import(text).unwrap_or_else(|error| panic!("{format:?}: {error}\n{text}"));
    // The YAML file for a person to complete holds the imported schema.
    assert_eq!(SchemaSpec::parse(&imported.to_yaml()).unwrap(), imported.spec, "{}", imported.to_yaml());
    imported.spec
}

fn export(format: Foreign, spec: &SchemaSpec) -> String {
    format.export(spec).unwrap().text
}

#[test]
fn import_then_export_of_every_format_is_stable() {
    for (format, file) in FILES {
        let first = import(format, file);
        let written = export(format, &first);
        let second = import(format, &written);
        assert_eq!(second, first, "{format:?}\n{written}");
        assert_eq!(export(format, &second), written);
    }
}

/// Whether a loss is reported, and of what kind.
fn reported_kind(losses: &[Loss], column: Option<&str>, property: &str) -> Option<LossKind> {
    losses.iter().find(|loss| loss.column.as_deref() == column && loss.property == property).map(|loss| loss.kind)
}

#[test]
fn every_key_of_a_foreign_file_is_used_or_reported() {
    let reported = |index: usize| {
        let (format, file) = FILES[index];
        format.import(file).unwrap().losses
    };
    let (sdv, dpsynth, smartnoise, csvw) = (reported(0), reported(2), reported(3), reported(4));
    for (losses, column, property) in [
        (&sdv, None, "primary_key"),
        (&sdv, None, "column_relationships"),
        (&sdv, Some("answer_id"), "sdtype"),
        (&sdv, Some("age"), "computer_representation"),
        (&sdv, Some("email"), "sdtype"),
        (&dpsynth, Some("income"), "sentinel"),
        (&dpsynth, Some("age"), "interval_handling"),
        (&dpsynth, Some("remark"), "type"),
        (&smartnoise, None, "rows"),
        (&smartnoise, None, "censor_dims"),
        (&smartnoise, Some("hours"), "sensitivity"),
        (&smartnoise, Some("region"), "cardinality"),
        (&smartnoise, Some("remark"), "type"),
        (&csvw, None, "publicLength"),
        (&csvw, None, "maxLength"),
        (&csvw, Some("length"), "minimum"),
        (&csvw, Some("depth"), "nullableProportion"),
        (&csvw, Some("seen"), "rowDependencies"),
        (&csvw, Some("stay"), "datatype"),
    ] {
        assert_eq!(reported_kind(losses, column, property), Some(LossKind::Lost), "{column:?} {property}: {losses:#?}");
    }
    assert_eq!(reported_kind(&sdv, Some("income"), "constraints.minimum"), Some(LossKind::Blank));
    assert_eq!(reported_kind(&smartnoise, Some("region"), "constraints.enum"), Some(LossKind::Blank));
    assert_eq!(reported_kind(&smartnoise, Some("income"), "dp.bins"), Some(LossKind::Assumed));
    assert_eq!(reported_kind(&dpsynth, Some("age"), "sentinel"), None, "a null is not reported");
}

#[test]
fn an_unknown_key_is_reported() {
    for (format, file) in [
        (Foreign::Sdv, r#"{"columns": {"a": {"sdtype": "boolean", "zz": 1}}}"#),
        (Foreign::Dpsynth, "a: {type: CategoricalAttribute, possible_values: [x], zz: 1}"),
        (Foreign::Smartnoise, "'': {s: {t: {row_privacy: true, a: {type: boolean, zz: 1}}}}"),
        (Foreign::CsvwEo, r#"{"tableSchema": {"columns": [{"name": "a", "datatype": "boolean", "zz": 1}]}}"#),
    ] {
        let losses = format.import(file).unwrap().losses;
        assert_eq!(reported_kind(&losses, Some("a"), "zz"), Some(LossKind::Lost), "{format:?}");
    }
}

#[test]
fn bounds_are_public_if_the_format_declares_them_and_assumed_otherwise() {
    let assumed = |index: usize, column: &str| {
        let (format, file) = FILES[index];
        let spec = import(format, file);
        let field = spec.fields.into_iter().find(|field| field.name == column).unwrap();
        // Alone, because the other columns may be incomplete.
        let schema = Schema::new(SchemaSpec { fields: vec![field], ..SchemaSpec::default() }).unwrap();
        schema.assumed().count() == 1
    };
    assert!(!assumed(3, "age"), "SmartNoise declares public bounds");
    assert!(assumed(3, "income"), "but has no bins");
    assert!(assumed(0, "health"), "SDV does not record the source of categories");
    assert!(!assumed(4, "sex") && !assumed(4, "length") && !assumed(2, "sex"));
}

#[test]
fn ranges_of_sdv_version_2_are_imported_as_assumed() {
    let file = r#"{"METADATA_SPEC_VERSION": "V2", "tables": {"t": {"columns": {
        "age": {"sdtype": "numerical", "decimal_places": 0, "range_min": 0, "range_max": 99, "range_is_nullable": false},
        "wage": {"sdtype": "numerical", "decimal_places": 2, "range_min": 0.5, "range_max": 9},
        "born": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d", "range_min": "2000-01-01", "range_max": "2001-01-01"},
        "size": {"sdtype": "ordinal", "range_values": ["S", "L"], "range_is_nullable": true}
    }}}}"#;
    let imported = Foreign::Sdv.import(file).unwrap();
    assert!(imported.losses.iter().all(|loss| loss.kind == LossKind::Assumed), "{:#?}", imported.losses);
    let schema = Schema::new(imported.spec).unwrap();
    assert_eq!(schema.domain().sizes(), [100, 33, 14, 3]);
    assert_eq!(schema.assumed().count(), 4);
}

#[test]
fn export_of_the_examples_is_stable_after_the_first_import() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/schemas");
    for name in ["every_column", "acs_national2019_nested", "loans", "adult"] {
        let schema = Schema::read(&folder.join(format!("{name}.schema.yaml"))).unwrap();
        for format in FORMATS {
            let once = import(format, &export(format, &schema.to_spec()));
            let written = export(format, &once);
            assert_eq!(import(format, &written), once, "{name} {format:?}");
            assert_eq!(export(format, &import(format, &written)), written);
        }
    }
}

#[test]
fn generated_columns_and_rules_are_reported_as_lost() {
    let schema = Schema::parse(
        "dp: {rules: [{forbid: {a: true, b: true}}, {forbid: {a: false, b: false}}]}
missingValues: ['', {value: '-9', label: refused}]
fields: [{name: id, type: integer, dp: {generate: {sequence: {from: 1}}}}, {name: a, type: boolean}, {name: b, type: boolean}]",
    )
    .unwrap();
    for format in FORMATS {
        let exported = format.export(&schema.to_spec()).unwrap();
        let rules = exported.losses.iter().filter(|loss| loss.property == "dp.rules").count();
        assert_eq!(
            (rules, reported_kind(&exported.losses, Some("id"), "dp.generate")),
            (2, Some(LossKind::Lost)),
            "{format:?}"
        );
        assert!(exported.losses.iter().any(|loss| loss.property.starts_with("missingValues")), "{format:?}");
        assert!(!exported.text.contains("\"id\"") && !exported.text.contains("id:"), "{}", exported.text);
    }
    assert_eq!(reported_kind(&export_mbi(&schema).losses, Some("id"), "dp.generate"), Some(LossKind::Lost));
}

#[test]
fn the_privacy_unit_is_imported() {
    let terms = |index: usize| import(FILES[index].0, FILES[index].1).dp;
    assert_eq!(terms(0).privacy_unit.as_deref(), Some("person_id"));
    for index in [3, 4] {
        let terms = terms(index);
        assert_eq!((terms.privacy_unit.as_deref(), terms.max_contributions), (Some("person_id"), Some(3)));
    }
}

#[test]
fn several_tables_and_other_files_are_refused() {
    let two = r#"{"tables": {"a": {"columns": {}}, "b": {"columns": {}}}}"#;
    assert!(Foreign::Sdv.import(two).unwrap_err().to_string().contains("2 tables"));
    for format in FORMATS {
        for text in ["", "1", "[1, 2]", "{", "a: [", "columns: 3"] {
            assert!(format.import(text).is_err() || format == Foreign::Dpsynth, "{format:?} {text}");
        }
    }
}

#[test]
fn mbi_sizes_survive_export_and_import() {
    let sizes = r#"{"b": 3, "a": 2}"#;
    let schema = Schema::new(SchemaSpec::from_mbi(sizes).unwrap()).unwrap();
    let exported = export_mbi(&schema);
    assert_eq!(Schema::new(SchemaSpec::from_mbi(&exported.text).unwrap()).unwrap().domain(), schema.domain());
    assert_eq!(reported_kind(&exported.losses, Some("b"), "type"), Some(LossKind::Lost));
}

/// Columns of every type, with every property of a schema.
fn any_field() -> impl Strategy<Value = String> {
    const TERMS: [&str; 5] = ["", "source: public", "source: public, open: true", "open: true", "source: dp"];
    const SHAPES: [&str; 21] = [
        "type: integer, constraints: {minimum: -3, maximum: 40 R}, dp: {+}",
        "type: integer, constraints: {minimum: 0, maximum: 9999 R}, dp: {bins: {width: 7}, +}",
        "type: integer, constraints: {minimum: 0, maximum: 9999 R}, dp: {bins: {count: 9, source: public}, +}",
        "type: integer, constraints: {enum: [9, 1, 4] R}, dp: {+}",
        "type: number, constraints: {minimum: -0.1, maximum: 1e6 R}, dp: {bins: {count: 7}, +}",
        "type: number, constraints: {minimum: 0, maximum: 1 R}, dp: {bins: {width: 0.3}, +}",
        "type: number, constraints: {enum: [1, 1.3, 2] R}, dp: {+}",
        "type: number, constraints: {enum: [1, 2] R}, dp: {+}",
        "type: string, constraints: {enum: [a, '1', 'true', other one] R}, dp: {+}",
        "type: string, title: a title, description: \"a: b\\nc\", constraints: {enum: [x] R}, dp: {+}",
        "type: boolean, trueValues: [ja], falseValues: [nein], constraints: {R2}, dp: {+}",
        "type: date, constraints: {minimum: 1900-01-01, maximum: 2020-12-31 R}, dp: {bins: {count: 40}, +}",
        "type: date, format: '%d.%m.%Y', constraints: {minimum: 01.02.1900, maximum: 31.12.2020 R}, dp: {bins: {width: 365}, +}",
        "type: date, constraints: {enum: [2000-12-24, 2001-01-03] R}, dp: {+}",
        "type: datetime, constraints: {minimum: 2020-01-01, maximum: '2020-12-31T23:59:59.5' R}, dp: {bins: {width: 3600.5}, +}",
        "type: datetime, format: '%d.%m.%Y %H:%M', dp: {bins: {edges: [01.02.2000 00:00, 01.02.2000 06:30, 02.02.2000 00:00]}, +}",
        "type: time, constraints: {minimum: '00:00' R}, dp: {bins: {width: 900}, +}",
        "type: time, format: '%I:%M %p', constraints: {R2}, dp: {+}",
        "type: time, constraints: {enum: ['06:00:00', '14:00:00'] R}, dp: {+}",
        "type: year, constraints: {minimum: 1950, maximum: 2020 R}, dp: {+}",
        "type: year, constraints: {minimum: 1950, maximum: 1960 R}, dp: {bins: {width: 5}, +}",
    ];
    (prop::sample::select(&SHAPES[..]), prop::sample::select(&TERMS[..]), any::<bool>()).prop_map(
        |(shape, terms, required)| {
            let is_text = shape.starts_with("type: string");
            let required = required && (is_text || !terms.contains("open"));
            let (more, alone) = if required { (", required: true", "required: true") } else { ("", "") };
            shape.replace('+', terms).replace("R2", alone).replace(" R", more)
        },
    )
}

fn any_schema() -> impl Strategy<Value = String> {
    const HEADS: [&str; 7] = [
        "",
        "title: People\n",
        "title: a.b.c\ndescription: 'all: of them'\nmissingValues: ['', n/a]\n",
        "dp: {privacyUnit: row, maxContributions: 3}\n",
        "dp: {privacyUnit: c0, maxContributions: 2}\n",
        "dp: {privacyUnit: person id, maxContributions: 1}\n",
        "dp: {adjacency: replace-one, rowCount: public}\n",
    ];
    (prop::sample::select(&HEADS[..]), prop::collection::vec(any_field(), 1..6)).prop_map(|(head, fields)| {
        let fields = fields.iter().enumerate().map(|(index, field)| format!("  - {{name: c{index}, {field}}}\n"));
        format!("{head}fields:\n{}", fields.collect::<Vec<_>>().concat())
    })
}

proptest! {
    // A schema has up to five columns of some shapes, and each is exported to four formats.
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn export_of_any_schema_is_stable_after_the_first_import(text in any_schema()) {
        let spec = SchemaSpec::parse(&text).unwrap();
        prop_assert!(Schema::new(spec.clone()).is_ok(), "{}\n{:?}", text, Schema::new(spec));
        for format in FORMATS {
            let first = import(format, &export(format, &spec));
            let written = export(format, &first);
            let second = import(format, &written);
            prop_assert_eq!(&second, &first, "{:?}\n{}\n{}", format, text, written);
            prop_assert_eq!(export(format, &second), written);
        }
    }

    #[test]
    fn imported_columns_are_valid_or_reported_as_incomplete(text in any_schema()) {
        let spec = SchemaSpec::parse(&text).unwrap();
        for format in FORMATS {
            let imported = format.import(&export(format, &spec)).unwrap();
            for field in &imported.spec.fields {
                let alone = SchemaSpec { fields: vec![field.clone()], ..SchemaSpec::default() };
                let blank = imported.losses.iter().any(|loss| {
                    loss.column.as_deref() == Some(&field.name) && loss.kind == LossKind::Blank
                });
                let schema = Schema::new(alone);
                prop_assert!(schema.is_ok() != blank, "{:?}\n{}\n{:?} {:?}", format, text, field, schema.err());
            }
        }
    }

    #[test]
    fn no_text_makes_an_import_panic(text in "[ -~\n]{0,80}") {
        for format in FORMATS {
            if let Ok(imported) = format.import(&text) {
                let _ = format.export(&imported.spec);
            }
        }
    }
}
