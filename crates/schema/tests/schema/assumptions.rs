//! Statements of a schema that the program cannot check are listed as assumptions.

use scumble_schema::{Assumption, Dialect, Schema, SchemaSpec};

fn assumptions(yaml: &str) -> Vec<Assumption> {
    Schema::parse(yaml).unwrap().assumptions()
}

const COLUMN: &str = "{name: age, type: integer, constraints: {minimum: 0, maximum: 9}";

#[test]
fn declared_bounds_and_single_lines_assume_nothing() {
    for source in ["public", "assumed", "dp"] {
        assert_eq!(assumptions(&format!("fields: [{COLUMN}, dp: {{source: {source}}}}}]")), []);
    }
}

#[test]
fn multiline_records_and_domains_from_data_are_assumptions() {
    let read_off = format!("fields: [{COLUMN}, dp: {{source: data}}}}]");
    assert_eq!(assumptions(&read_off), [Assumption::DomainFromData]);
    let bins = format!("fields: [{COLUMN}, dp: {{source: public, bins: {{width: 2, source: data}}}}}}]");
    assert_eq!(assumptions(&bins), [Assumption::DomainFromData]);
    let both = format!("dialect: {{multiline: true}}\n{read_off}");
    assert_eq!(assumptions(&both), [Assumption::MultilineRecords, Assumption::DomainFromData]);
}

#[test]
fn assumptions_survive_a_file() {
    let schema =
        Schema::parse(&format!("dialect: {{multiline: true}}\nfields: [{COLUMN}, dp: {{source: data}}}}]")).unwrap();
    let text = serde_json::to_string(&schema.to_spec()).unwrap();
    let again = Schema::new(serde_json::from_str::<SchemaSpec>(&text).unwrap()).unwrap();
    assert_eq!(
        (again.assumptions(), again.dialect()),
        (schema.assumptions(), &Dialect { multiline: true, ..Dialect::default() })
    );
    assert_eq!(again.with_dialect(Dialect::default()).assumptions(), [Assumption::DomainFromData]);
}

#[test]
fn an_unknown_dialect_property_is_refused() {
    assert!(SchemaSpec::parse(&format!("dialect: {{multiLine: true}}\nfields: [{COLUMN}}}]")).is_err());
}
