//! Codes of schema files, and the messages of their checks.

use std::fmt::Write;

use scumble_schema::{AdjacencyKind, Schema, SchemaSpec, Unit};

fn field(rest: &str) -> Result<Schema, scumble_schema::Problems> {
    Schema::parse(&format!("fields:\n  - {{name: x, {rest}}}\n"))
}

fn problem_and_hint(rest: &str) -> (String, String) {
    let problems = field(rest).expect_err(rest);
    (problems.list()[0].to_string(), problems.list()[0].hint())
}

#[test]
fn a_required_closed_column_has_no_code_for_missing_and_unknown() {
    let sixteen = field("type: integer, constraints: {minimum: 0, maximum: 15, required: true}").unwrap();
    assert_eq!(sixteen.domain().sizes(), [16]);
    let nullable = field("type: integer, constraints: {minimum: 0, maximum: 15}").unwrap();
    assert_eq!(nullable.domain().sizes(), [17]);
    let open = field("type: integer, constraints: {minimum: 0, maximum: 15}, dp: {open: true}").unwrap();
    assert_eq!(open.domain().sizes(), [18]);
}

#[test]
fn missing_and_unknown_values_have_the_documented_codes() {
    let codes = |rest: &str| {
        let schema = field(&format!("type: string, {rest}")).unwrap();
        let encoder = schema.attributes()[0].encoder().clone();
        (encoder.null(), encoder.text(b""), encoder.text(b"elsewhere"), encoder.text(b"b"))
    };
    assert_eq!(codes("constraints: {enum: [a, b]}"), (2, 2, 2, 1), "nullable, closed");
    assert_eq!(codes("constraints: {enum: [a, b]}, dp: {open: true}"), (2, 2, 3, 1), "nullable, open");
    assert_eq!(codes("constraints: {enum: [a, b], required: true}, dp: {open: true}"), (2, 2, 2, 1), "required, open");
    assert_eq!(
        codes("constraints: {enum: [a, b], required: true}, dp: {foldInto: b}"),
        (1, 1, 1, 1),
        "required, closed"
    );
    assert_eq!(codes("constraints: {enum: [a, b], required: true}"), (0, 0, 0, 1), "the first value without foldInto");
}

#[test]
fn numbers_out_of_bounds_are_in_the_nearest_bin_or_unknown() {
    let bounds = "type: number, constraints: {minimum: 0, maximum: 10}";
    let closed = field(&format!("{bounds}, dp: {{bins: {{count: 5}}}}")).unwrap();
    let encoder = closed.attributes()[0].encoder();
    assert_eq!((encoder.float(-1.0), encoder.float(10.0), encoder.float(f64::INFINITY)), (0, 4, 4));
    assert_eq!((encoder.float(f64::NAN), encoder.text(b"NaN"), encoder.text(b"ten")), (5, 5, 5));
    let open = field(&format!("{bounds}, dp: {{open: true, bins: {{count: 5}}}}")).unwrap();
    let encoder = open.attributes()[0].encoder();
    assert_eq!((encoder.float(-1.0), encoder.float(10.0), encoder.text(b"inf"), encoder.float(f64::NAN)), (6, 4, 6, 5));
}

#[test]
fn a_value_has_the_same_code_in_every_type() {
    let integer = field("type: integer, constraints: {minimum: 0, maximum: 99}").unwrap();
    let encoder = integer.attributes()[0].encoder();
    for code in
        [encoder.integer(39), encoder.text(b"39"), encoder.text(b" 39 "), encoder.text(b"39.0"), encoder.float(39.0)]
    {
        assert_eq!(code, 39);
    }
    let date = field("type: date, constraints: {minimum: \"1970-01-01\", maximum: \"1970-12-31\"}").unwrap();
    let encoder = date.attributes()[0].encoder();
    for code in [
        encoder.date(31),
        encoder.text(b"1970-02-01"),
        encoder.timestamp(31 * 86_400_000_000 + 5),
        encoder.text(b"1970-02-01T13:00:00Z"),
    ] {
        assert_eq!(code, 31);
    }
    let boolean = field("type: boolean, constraints: {required: true}").unwrap();
    let encoder = boolean.attributes()[0].encoder();
    for code in [encoder.boolean(true), encoder.text(b"TRUE"), encoder.integer(1), encoder.float(1.0)] {
        assert_eq!(code, 1);
    }
    let text = field("type: string, constraints: {enum: [\"1\", \"2\"]}").unwrap();
    let encoder = text.attributes()[0].encoder();
    for code in [encoder.text(b"2"), encoder.integer(2), encoder.float(2.0)] {
        assert_eq!(code, 1);
    }
}

#[test]
fn a_missing_value_is_missing_as_text_and_as_number() {
    let schema = Schema::parse("missingValues: [\"\", \"-9\", NA]\nfields:\n  - {name: x, type: integer, constraints: {minimum: -10, maximum: 10}}\n").unwrap();
    let encoder = schema.attributes()[0].encoder();
    for code in [
        encoder.text(b"-9"),
        encoder.text(b"-9.0"),
        encoder.integer(-9),
        encoder.float(-9.0),
        encoder.text(b"NA"),
        encoder.null(),
    ] {
        assert_eq!(code, 21);
    }
    assert_eq!(encoder.integer(-8), 2);
}

#[test]
fn invalid_columns_are_refused_with_a_hint() {
    let cases = [
        ("type: geopoint", "column `x` has type `geopoint`, which Scumble does not support"),
        ("type: string", "column `x` declares no categories"),
        ("type: string, constraints: {enum: [a, a]}", "column `x` lists a category twice, at position 2"),
        ("type: string, constraints: {enum: [1, 2]}", "column `x` is text, but its category 1 is not"),
        (
            "type: string, constraints: {enum: [a, other]}, dp: {open: true}",
            "column `x` is open, and its unknown values would be written as `other`, which is also a category",
        ),
        (
            "type: boolean, trueValues: [y, x], falseValues: [n, x]",
            "column `x` has the same text in `trueValues` and `falseValues`",
        ),
        ("type: integer", "column `x` has no bounds"),
        (
            "type: integer, constraints: {minimum: 5, maximum: 4}",
            "column `x` has a `minimum` above its `maximum`, or an empty range",
        ),
        (
            "type: integer, constraints: {minimum: 0, maximum: 9999999}",
            "column `x` has 10000001 codes, at most 1048576 are possible",
        ),
        (
            "type: integer, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 11}}",
            "column `x` has 10 values, which cannot be divided into 11 bins",
        ),
        (
            "type: integer, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 2, width: 5}}",
            "column `x` declares its bins in two ways",
        ),
        ("type: number, constraints: {minimum: 0, maximum: 9}", "column `x` is a number without bins"),
        ("type: number, dp: {bins: {edges: [0, 2, 1]}}", "column `x` has `edges` that are not ascending"),
        (
            "type: number, constraints: {minimum: -1.7e308, maximum: 1.7e308}, dp: {bins: {count: 2}}",
            "column `x` has bins that are too narrow, or an infinite range",
        ),
        ("type: datetime, constraints: {minimum: \"2020-01-01\", maximum: \"2020-01-02\"}", "column `x` has no bins"),
        (
            "type: date, constraints: {minimum: 0, maximum: 1}",
            "column `x` has `0` instead of a date such as \"2020-12-31\"",
        ),
        (
            "type: date, format: \"%\", constraints: {minimum: \"2020-01-01\", maximum: \"2020-01-02\"}",
            "column `x` has a `format` that is not a date pattern",
        ),
        (
            "type: integer, constraints: {minimum: 0, maximum: 9, required: true}, dp: {open: true}",
            "column `x` is required and open, but unknown values of its type can only be written as blanks",
        ),
        (
            "type: integer, constraints: {minimum: 0, maximum: 9, required: true}, dp: {foldInto: 10}",
            "column `x` folds into `10`, which is not one of its values",
        ),
    ];
    for (rest, expected) in cases {
        let (problem, hint) = problem_and_hint(rest);
        assert_eq!(problem, expected);
        assert!(!hint.is_empty(), "{expected} has no hint");
    }
}

#[test]
fn a_misspelt_privacy_term_is_refused_and_an_unused_property_is_not() {
    assert!(Schema::parse("dp: {maxContribution: 3}\nfields: [{name: x, type: boolean}]\n").is_err());
    assert!(field("type: boolean, dp: {opne: true}").is_err());
    assert!(field("type: boolean, rdfType: thing, constraints: {unique: false}").is_ok());
}

#[test]
fn yes_and_no_are_categories_without_quotes() {
    let schema = field("type: string, constraints: {enum: [yes, no, on]}").unwrap();
    assert_eq!(schema.attributes()[0].encoder().text(b"on"), 2);
}

#[test]
fn terms_that_contradict_each_other_are_refused() {
    let terms = |dp: &str| Schema::parse(&format!("dp: {dp}\nfields: [{{name: x, type: boolean}}]\n"));
    assert_eq!(terms("{adjacency: replace-one}").unwrap().privacy().adjacency, AdjacencyKind::ReplaceOne);
    assert!(terms("{adjacency: add-remove, rowCount: public}").is_err());
    assert!(terms("{adjacency: replace-one, rowCount: private}").is_err());
    assert!(terms("{maxContributions: 0}").is_err());
    assert!(terms("{privacyUnit: ''}").is_err());
    assert_eq!(terms("{maxContributions: 3}").unwrap().privacy().max_contributions.get(), 3);
}

#[test]
fn the_unit_is_the_row_or_a_column() {
    let terms = |dp: &str| Schema::parse(&format!("dp: {dp}\nfields: [{{name: x, type: boolean}}]\n")).unwrap();
    assert_eq!(terms("{}").privacy().unit, Unit::Row);
    let people = terms("{privacyUnit: person_id, maxContributions: 3}");
    assert_eq!(people.privacy().unit, Unit::Column("person_id".into()));
    assert_eq!(people.columns_read().collect::<Vec<_>>(), ["x", "person_id"]);
    assert_eq!(people.domain().len(), 1, "the identifier is read but not modelled");
    assert_eq!(terms("{privacyUnit: person_id}").privacy().max_contributions.get(), 1, "one row per person by default");
    let also_a_field = terms("{privacyUnit: x}");
    assert_eq!(also_a_field.columns_read().collect::<Vec<_>>(), ["x"]);
}

#[test]
fn row_is_never_a_column() {
    let schema = Schema::parse("dp: {privacyUnit: row}\nfields: [{name: row, type: boolean}]\n").unwrap();
    assert_eq!(schema.privacy().unit, Unit::Row);
    assert_eq!(schema.columns_read().collect::<Vec<_>>(), ["row"]);
}

#[test]
fn synthetic_rows_are_read_without_the_unit() {
    let schema = Schema::parse("dp: {privacyUnit: id, maxContributions: 2}\nfields: [{name: x, type: boolean}]\n");
    let rows = schema.clone().unwrap().without_unit();
    assert_eq!(rows.columns_read().collect::<Vec<_>>(), ["x"]);
    assert_eq!(rows.domain(), schema.unwrap().domain());
    assert_eq!(Schema::parse(&rows.to_yaml()).unwrap(), rows);
}

#[test]
fn all_problems_are_reported_at_once() {
    let problems = Schema::parse(
        "fields:\n  - {name: a, type: string}\n  - {name: b, type: number}\n  - {name: b, type: boolean}\n",
    )
    .unwrap_err();
    assert_eq!(problems.list().len(), 3);
}

#[test]
fn an_mbi_domain_keeps_its_order_and_its_sizes() {
    let spec = SchemaSpec::from_mbi("{\"z\": 3, \"a\": 2}").unwrap();
    let schema = Schema::new(spec).unwrap();
    assert_eq!(schema.domain().sizes(), [3, 2]);
    assert_eq!(schema.attributes()[0].name(), "z");
    assert_eq!(schema.attributes()[0].encoder().integer(7), 2, "closed: clamped to the last value");
    assert_eq!(schema.attributes()[0].encoder().text(b"junk"), 0, "folded into the declared code");
    assert_eq!(schema.assumed().count(), 2, "a domain file does not state the source of its sizes");
    assert!(SchemaSpec::from_mbi("{\"a\": 0}").is_err());
    assert!(SchemaSpec::from_mbi("{\"a\": -1}").is_err());
    assert!(SchemaSpec::from_mbi("[]").is_err());
}

#[test]
fn a_schema_survives_yaml_and_json() {
    let text = "missingValues: [\"\", NA]\ndp: {privacyUnit: \"odd: id\", maxContributions: 2}\nfields:\n  - {name: \"odd: name\", type: string, constraints: {enum: [\"yes\", \"01\", \"# no\"]}, dp: {source: public, open: true, unknownLabel: \"null\"}}\n  - {name: n, type: number, dp: {source: dp, bins: {edges: [0, 0.5, 1e3]}}}\n";
    let schema = Schema::parse(text).unwrap();
    assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
    let json = serde_json::to_string(&schema.to_spec()).unwrap();
    assert_eq!(Schema::parse(&json).unwrap(), schema);
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let items = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(bomb, "a{level}: &a{level} [{items}]").unwrap();
    }
    bomb.push_str("fields: *a9\n");
    assert!(Schema::parse(&bomb).is_err());
}

#[test]
fn codes_of_an_amount_are_in_numeric_order() {
    let rest = "type: integer, constraints: {minimum: 0, required: true}, dp: {bins: {scale: log, count: 3, from: 1, points: [0, 50], topCode: 1000}}";
    let schema = field(rest).unwrap();
    let wage = &schema.attributes()[0];
    let labels: Vec<String> = (0..wage.size()).map(|code| wage.label(code)).collect();
    assert_eq!(labels, ["0", "1 to 9", "50", "10 to 99", "100 to 999", "1000 and above"]);
    let codes = [-5, 0, 1, 49, 50, 51, 999, 1000, i128::MAX].map(|value| wage.encoder().integer(value));
    assert_eq!(codes, [0, 0, 1, 3, 2, 3, 4, 5, 5]);
    assert_eq!([wage.bin(0), wage.bin(2), wage.bin(5)], [None, None, None]);
    assert_eq!([wage.number(2), wage.number(5)], [Some(50.0), Some(1000.0)]);
    assert_eq!(wage.encoder().whole_span(), Some((0, 1000)));
}

#[test]
fn values_above_a_top_code_are_not_unknown() {
    let rest = "type: number, constraints: {minimum: 0}, dp: {open: true, bins: {count: 4, points: [0], topCode: 8}}";
    let schema = field(rest).unwrap();
    let encoder = schema.attributes()[0].encoder();
    let codes = [-0.0, 0.1, 7.9, 8.0, f64::INFINITY, -1.0].map(|value| encoder.float(value));
    assert_eq!(codes, [0, 1, 4, 5, 5, 7]);
    assert_eq!(schema.attributes()[0].label(4), "[6, 8)");
}

#[test]
fn values_between_a_point_and_the_first_bin_are_in_that_bin() {
    let rest = "type: number, constraints: {minimum: 0, maximum: 100}, dp: {bins: {scale: log, count: 2, from: 1, points: [0]}}";
    let schema = field(rest).unwrap();
    let codes = [-3.0, 0.0, 0.5, 1.0, 11.0, 200.0].map(|value| schema.attributes()[0].encoder().float(value));
    assert_eq!(codes, [0, 0, 1, 1, 2, 2]);
}

#[test]
fn a_date_keeps_its_weekday() {
    let rest = "type: date, constraints: {minimum: 2024-01-01, maximum: 2024-02-29, required: true}, dp: {bins: {by: month}, keep: weekday}";
    let schema = field(rest).unwrap();
    let paid = &schema.attributes()[0];
    assert_eq!(paid.size(), 14);
    // A Monday, a Sunday and a Thursday; then days out of bounds, which count as the first and the
    // last.
    let texts = ["2024-01-01", "2024-01-07", "2024-02-01", "2023-06-11", "2030-01-01"];
    assert_eq!(texts.map(|text| paid.encoder().text(text.as_bytes())), [0, 6, 10, 0, 10]);
    assert_eq!(paid.label(10), "2024-02-01 to 2024-02-29, Thursday");
}

#[test]
fn a_date_keeps_its_month_of_the_year() {
    let rest = "type: date, constraints: {required: true}, dp: {bins: {edges: [2010-01-01, 2020-01-01, 2029-12-31]}, keep: month}";
    let schema = field(rest).unwrap();
    let sown = &schema.attributes()[0];
    assert_eq!(sown.size(), 24);
    let texts = ["2010-01-31", "2019-12-01", "2024-02-29", "2000-06-01"];
    assert_eq!(texts.map(|text| sown.encoder().text(text.as_bytes())), [0, 11, 13, 0]);
    assert_eq!(sown.label(13), "2020-01-01 to 2029-12-31, February");
}

#[test]
fn invalid_amounts_calendars_and_zones_are_refused() {
    let amount = "type: integer, constraints: {minimum: 0, maximum: 99}";
    let dates = "type: date, constraints: {minimum: 2024-01-01, maximum: 2024-02-29}";
    for (rest, part) in [
        (format!("{amount}, dp: {{bins: {{scale: log, count: 5}}}}"), "zero or below"),
        (format!("{amount}, dp: {{bins: {{scale: log, count: 5, from: 200}}}}"), "`from` outside"),
        (format!("{amount}, dp: {{bins: {{points: [100]}}}}"), "`points` outside"),
        (format!("{amount}, dp: {{bins: {{width: 5, points: [7], topCode: 7}}}}"), "`points` outside"),
        (format!("{amount}, dp: {{bins: {{points: [3, 3]}}}}"), "twice"),
        (format!("{amount}, dp: {{bins: {{topCode: 100}}}}"), "`topCode` outside"),
        ("type: integer, dp: {bins: {edges: [0, 5, 9], topCode: 5}}".into(), "not its last edge"),
        ("type: integer, constraints: {minimum: 0, maximum: 1}, dp: {bins: {points: [0, 1]}}".into(), "only `points`"),
        (format!("{dates}, dp: {{keep: weekday}}"), "its own code already"),
        (format!("{dates}, dp: {{bins: {{by: day}}, keep: weekday}}"), "no bin has more than one"),
        (format!("{dates}, dp: {{bins: {{by: month}}, keep: month}}"), "no bin has more than one"),
        (format!("{dates}, dp: {{bins: {{by: month, width: 3}}}}"), "two ways"),
        (
            "type: datetime, constraints: {minimum: 2024-01-01, maximum: 2024-02-29}, dp: {bins: {by: day}, timeZone: Mars/Base}"
                .into(),
            "unknown time zone",
        ),
        (
            "type: datetime, constraints: {minimum: 0001-01-01, maximum: 2024-02-29}, dp: {bins: {by: hour}}".into(),
            "calendar bins",
        ),
        ("type: time, dp: {bins: {by: month}}".into(), "bins of a day or more"),
        ("type: time, format: '%d.%m.%Y'".into(), "not the pattern of a time of day"),
        ("type: time, format: '%I:%M'".into(), "not the pattern of a time of day"),
        ("type: time, constraints: {minimum: '25:00'}".into(), "instead of a time of day"),
        ("type: time, constraints: {minimum: '18:00', maximum: '06:00'}".into(), "`minimum` above its `maximum`"),
        ("type: time, dp: {step: 60}".into(), "of type `time`"),
        (
            "type: string, constraints: {enum: [a, b]}, missingValues: [{value: b, label: refused}]".into(),
            "labelled missing value",
        ),
    ] {
        let (problem, hint) = problem_and_hint(&rest);
        assert!(problem.contains(part) && !hint.is_empty(), "{rest}: {problem}");
    }
}
