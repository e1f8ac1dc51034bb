//! Hierarchies: levels, hierarchy files, and their errors.

use std::path::Path;

use scumble_schema::{AttributeId, HierarchySpec, ReadError, Recoding, Schema};

/// Reads a schema file of one column `x` with the hierarchy file `codes.csv`.
fn read(column: &str, codes: &str) -> Result<Schema, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("codes.csv"), codes).unwrap();
    let path = folder.path().join("x.schema.yaml");
    std::fs::write(&path, format!("fields: [{{name: x, {column}, dp: {{hierarchy: {{file: codes.csv}}}}}}]")).unwrap();
    Schema::read(&path)
}

fn parse(values: &str, levels: &str) -> Result<Schema, scumble_schema::Problems> {
    Schema::parse(&format!("fields: [{{name: x, {values}, dp: {{hierarchy: {{levels: {levels}}}}}}}]"))
}

/// The problem and the hint for levels of the values a to d.
fn refused(levels: &str) -> (String, String) {
    let problems = parse("type: string, constraints: {enum: [a, b, c, d]}", levels).expect_err(levels);
    (problems.list()[0].to_string(), problems.list()[0].hint())
}

fn groups(schema: &Schema) -> Vec<Vec<u32>> {
    schema.attributes()[0].levels().iter().map(|level| level.groups().to_vec()).collect()
}

const JOBS: &str = "code,group,sector\n11,clerks,office\n12,cooks,kitchen\n13,clerks,office\n14,bosses,office\n";

#[test]
fn every_code_has_a_group_and_missing_has_its_own() {
    let schema =
        parse("type: string, constraints: {enum: [a, b, c, d]}", "[[ab, ab, c, d], [front, front, back, back]]")
            .unwrap();
    assert_eq!(groups(&schema), [vec![0, 0, 1, 2, 3], vec![0, 0, 1, 1, 2]]);
    let levels = schema.attributes()[0].levels();
    assert_eq!(levels[1].names(), ["front", "back", "(missing)"]);
    let closed =
        parse("type: integer, constraints: {minimum: 1, maximum: 4, required: true}", "[[1, 1, 2, 2]]").unwrap();
    assert_eq!(groups(&closed), [vec![0, 0, 1, 1]]);
    assert_eq!(closed.attributes()[0].levels()[0].names(), ["1", "2"]);
    // Bins have parents like values.
    let bins = "type: integer, constraints: {minimum: 0, maximum: 29}";
    let schema = Schema::parse(&format!(
        "fields: [{{name: x, {bins}, dp: {{bins: {{width: 10}}, hierarchy: {{levels: [[young, young, old]]}}}}}}]"
    ));
    assert_eq!(groups(&schema.unwrap()), [vec![0, 0, 1, 2]]);
}

#[test]
fn a_column_without_a_hierarchy_has_no_levels() {
    let schema = Schema::parse("fields: [{name: x, type: boolean}]").unwrap();
    assert!(schema.attributes()[0].levels().is_empty() && schema.hierarchies().is_empty());
}

#[test]
fn a_text_column_takes_its_categories_from_the_file() {
    let schema = read("type: string", JOBS).unwrap();
    assert_eq!(schema.domain().sizes(), [5]);
    assert_eq!(schema.attributes()[0].encoder().text(b"13"), 2);
    assert_eq!(groups(&schema), [vec![0, 1, 0, 2, 3], vec![0, 1, 0, 0, 2]]);
}

#[test]
fn the_file_may_list_declared_values_in_any_order() {
    let numbers = read("type: integer, constraints: {minimum: 11, maximum: 14}", JOBS).unwrap();
    assert_eq!(groups(&numbers), [vec![0, 1, 0, 2, 3], vec![0, 1, 0, 0, 2]]);
    let turned = read("type: string, constraints: {enum: ['14', '13', '12', '11']}", JOBS).unwrap();
    assert_eq!(groups(&turned), [vec![0, 1, 2, 1, 3], vec![0, 0, 1, 0, 2]]);
}

#[test]
fn a_schema_that_was_read_no_longer_needs_the_file() {
    let schema = read("type: string", JOBS).unwrap();
    let spec = schema.to_spec();
    assert!(matches!(spec.fields[0].dp.hierarchy, Some(HierarchySpec { file: None, levels: Some(_) })));
    assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
    assert_eq!(Schema::parse(&serde_json::to_string(&spec).unwrap()).unwrap(), schema);
}

#[test]
fn parsed_text_cannot_name_a_hierarchy_file() {
    let schema = "fields: [{name: x, type: string, constraints: {enum: [a, b, c]}, dp: {hierarchy: {file: x.csv}}}]";
    let problems = Schema::parse(schema).unwrap_err();
    assert!(problems.to_string().contains("only possible in a schema read from a file"), "{problems}");
    assert!(problems.list()[0].hint().contains("`levels`"));
}

#[test]
fn invalid_levels_are_refused_with_a_hint() {
    for (levels, problem, hint) in [
        ("[]", "without levels", "or drop `hierarchy`"),
        ("[[x, x, y]]", "declares 4 values, but level 1 of its hierarchy has 3 parents", "in the same order"),
        ("[[x, x, y, '']]", "no parent for `d` at level 1", "may be its own parent"),
        ("[[x, x, x, x]]", "all values in one group at level 1", "drop that level"),
        ("[[p, q, r, s]]", "4 groups at level 1 of its hierarchy, and 4 below it", "fewer groups"),
        ("[[x, x, y, y], [p, p, q, q]]", "2 groups at level 2 of its hierarchy, and 2 below it", "finest comes first"),
        ("[[x, x, y, z], [p, q, q, q]]", "values of group `x` in both `p` and `q` at level 2", "two names"),
    ] {
        let (actual, actual_hint) = refused(levels);
        assert!(actual.starts_with("column `x` ") && actual.contains(problem), "{levels}: {actual}");
        assert!(actual_hint.contains(hint), "{levels}: {actual_hint}");
    }
}

#[test]
fn invalid_hierarchy_files_are_refused_naming_line_or_value() {
    for (column, codes, problem) in [
        ("type: string", "code\n11\n", "without parents"),
        ("type: string", "code,group\n11,clerks\n12\n", "1 fields in line 3, not 2"),
        ("type: string", "code,group\n11,a\n11,b\n12,a\n", "lists a category twice"),
        ("type: integer, constraints: {minimum: 11, maximum: 13}", JOBS, "with `14`, which is not one of its values"),
        ("type: integer, constraints: {minimum: 11, maximum: 15}", JOBS, "no line for `15`"),
        ("type: string", "code,group\n11,a\n12,\n13,a\n", "no parent for `12` at level 1"),
        ("type: string", "", "without parents"),
        ("type: integer, constraints: {minimum: 1, maximum: 2}", "code,group\n1,a\n1,b\n", "has `1` twice"),
    ] {
        let message = read(column, codes).expect_err(codes).to_string();
        assert!(message.contains(problem), "{codes:?}: {message}");
    }
    let missing = Schema::read(Path::new("/nowhere/x.schema.yaml")).unwrap_err();
    assert!(matches!(missing, ReadError::Io { .. }));
}

#[test]
fn declared_levels_replace_groups_of_neighbours() {
    let schema =
        parse("type: integer, constraints: {minimum: 0, maximum: 4, required: true}", "[[0, 1, 0, 1, 2]]").unwrap();
    let declared = schema.hierarchies();
    let recoding = Recoding::with_coarser_or_declared(schema.domain(), 2, 2, &declared).unwrap();
    assert_eq!(recoding.domain().sizes(), [5, 3], "groups of neighbours would have sizes 3 and 2");
    assert_eq!(recoding.codes(AttributeId::new(1)), [0, 1, 0, 1, 2]);
    assert_eq!(recoding.levels(), declared);
}
