//! Rules between columns: forbidden cells, invalid rules, and values in order.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble_schema::{AttributeId, CodeColumn, Decoder, Rule, RuleSpec, Schema, SchemaSpec};

const FIELDS: &str = "
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 19, required: true}, dp: {bins: {width: 5}}}
  - {name: married, type: boolean}
  - {name: job, type: string, constraints: {enum: [none, clerk, smith], required: true}}
  - {name: wage, type: number, constraints: {minimum: 0, maximum: 4}, dp: {bins: {count: 4}}}
  - {name: city, type: string, constraints: {enum: [ulm, bonn, kiel], required: true}}
  - {name: region, type: string, constraints: {enum: [south, west, north], required: true}}
  - {name: children, type: integer, constraints: {minimum: 0, maximum: 3}}
  - {name: begun, type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {count: 6}}}
  - {name: ended, type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {count: 4}}}
  - {name: billed, type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {count: 5}}}
";

fn schema(rules: &str) -> Result<Schema, scumble_schema::Problems> {
    let lines: Vec<String> = rules.lines().map(|rule| format!("    - {rule}")).collect();
    Schema::parse(&format!("dp:\n  rules:\n{}{FIELDS}", lines.join("\n")))
}

fn problem_and_hint(rules: &str) -> (String, String) {
    let problems = schema(rules).expect_err(rules);
    (problems.list()[0].to_string(), problems.list()[0].hint())
}

fn one(rules: &str) -> Rule {
    let schema = schema(rules).unwrap();
    let [rule] = schema.rules() else { panic!("{rules}: {:?}", schema.rules()) };
    rule.clone()
}

/// The codes of all forbidden cells of a rule.
fn forbidden(rule: &Rule, schema: &Schema) -> Vec<Vec<u32>> {
    let sizes: Vec<u32> = rule.clique().attributes().iter().map(|&column| schema.domain().size(column)).collect();
    let codes = |cell: usize| {
        let mut rest = cell;
        let mut codes: Vec<u32> = Vec::new();
        for &size in sizes.iter().rev() {
            codes.insert(0, u32::try_from(rest).unwrap() % size);
            rest /= size as usize;
        }
        codes
    };
    (0..rule.possible().len()).filter(|&cell| !rule.possible()[cell]).map(codes).collect()
}

#[test]
fn a_forbidden_row_meets_all_conditions() {
    let schema = schema("forbid: {age: {to: 14}, married: true, job: [clerk, smith]}").unwrap();
    let [rule] = schema.rules() else { panic!("one rule") };
    let expected: Vec<Vec<u32>> = (0..3).flat_map(|age| [1, 2].map(|job| vec![age, 1, job])).collect();
    assert_eq!(forbidden(rule, &schema), expected);
}

#[test]
fn a_skipped_question_is_missing_exactly_in_rows_that_skip_it() {
    let rule = one("{skip: wage, unless: {job: [clerk, smith]}}");
    // Without a job only the missing wage, code 4, is possible; with a job every other.
    for wage in 0..5 {
        assert_eq!(rule.allows(&[0, wage]), wage == 4);
        assert_eq!(rule.allows(&[1, wage]), wage != 4);
    }
    assert!(problem_and_hint("{skip: job, unless: {age: {from: 15}}}").0.contains("no code for `not applicable`"));
    assert!(problem_and_hint("{skip: wage, unless: {job: clerk}, as: refused}").0.contains("`refused`"));
    assert!(problem_and_hint("{skip: wage, unless: {wage: missing}}").0.contains("depending on its own value"));
}

#[test]
fn a_determined_column_has_only_that_value() {
    let rule = one("{determines: {city: region}, by: {ulm: south, bonn: west, kiel: north}}");
    for city in 0..3 {
        for region in 0..3 {
            assert_eq!(rule.allows(&[city, region]), city == region);
        }
    }
    let (problem, hint) = problem_and_hint("{determines: {city: region}, by: {ulm: south, bonn: west}}");
    assert_eq!(problem, "column `city` determines `region`, but `by` leaves out 1 of its values: `kiel`");
    assert!(hint.contains("every declared value"));
    // Numbers and booleans can be keys, and a missing value of the first column allows every value
    // of the second.
    let rule = one("{determines: {children: married}, by: {0: false, 1: true, 2: true, 3: missing}}");
    assert!(rule.allows(&[0, 0]) && rule.allows(&[1, 1]) && rule.allows(&[2, 3]) && rule.allows(&[1, 4]));
    assert!(!rule.allows(&[1, 0]) && !rule.allows(&[2, 0]) && !rule.allows(&[1, 3]));
}

#[test]
fn bins_are_ordered_if_some_of_their_values_are() {
    let rule = one("{order: [begun, ended]}");
    let encoder = |name: &str, day: &str| {
        let schema = schema("{order: [begun, ended]}").unwrap();
        schema.attribute(schema.find(name).unwrap()).encoder().text(day.as_bytes())
    };
    let allows = |begun: &str, ended: &str| rule.allows(&[encoder("begun", begun), encoder("ended", ended)]);
    assert!(allows("2020-01-01", "2020-12-31") && allows("2020-02-20", "2020-01-01"), "bins of 61 and 91 days");
    assert!(!allows("2020-05-10", "2020-01-01") && !allows("2020-12-31", "2020-09-01"));
    assert!(allows("", "2020-01-01") && allows("2020-12-31", ""), "a missing value is compatible with all");
    assert_eq!(schema("{order: [begun, ended, billed]}").unwrap().rules().len(), 3, "all pairs");
}

#[test]
fn conditions_that_split_a_bin_are_refused() {
    let (problem, hint) = problem_and_hint("forbid: {age: {from: 3}, married: true}");
    assert_eq!(problem, "column `age` has the bin 0 to 4, which a rule splits");
    assert!(hint.contains("edges"));
    assert!(problem_and_hint("forbid: {age: {from: 6, to: 8}, married: true}").0.contains("the bin 5 to 9"));
    assert!(problem_and_hint("forbid: {age: 7, married: true}").0.contains("the bin 5 to 9"));
    assert!(problem_and_hint("forbid: {wage: {below: 1.5}, married: true}").0.contains("the bin [1, 2)"));
    let below = one("forbid: {wage: {below: 1}, job: clerk}");
    assert_eq!(below, one("forbid: {wage: {to: 1}, job: clerk}"), "a bin of real numbers excludes its upper edge");
    let above = one("forbid: {children: {above: 2}, job: clerk}");
    assert_eq!(above, one("forbid: {children: [3], job: clerk}"));
    assert_eq!(above, one("forbid: {children: 3, job: clerk}"));
}

#[test]
fn invalid_rules_are_refused_with_a_hint() {
    let cases = [
        ("forbid: {height: 3}", "unknown column `height`"),
        ("forbid: {}", "no condition"),
        ("forbid: {job: []}", "a condition without values"),
        ("forbid: {job: baker}", "no value `baker`"),
        ("forbid: {job: {from: a}}", "cannot have a range"),
        ("forbid: {age: {from: 5, above: 5}}", "is not a range"),
        ("forbid: {age: {from: soon}}", "instead of a whole number"),
        ("{order: [begun]}", "two or more different columns"),
        ("{order: [begun, begun]}", "two or more different columns"),
        ("{order: [begun, age]}", "ordered against `begun`"),
        ("{order: [job, city]}", "of type `string`"),
        ("{determines: {city: city}, by: {ulm: ulm, bonn: bonn, kiel: kiel}}", "determines itself"),
        ("{order: [begun, ended]}\n{order: [ended, billed]}", "only through `ended`"),
        ("{order: [begun, ended]}\n{order: [ended, begun]}", "both ways"),
    ];
    for (rules, expected) in cases {
        let (problem, hint) = problem_and_hint(rules);
        assert!(problem.contains(expected) && !hint.is_empty(), "{rules}: {problem}");
    }
    for rules in ["{forbid: {job: clerk}, order: [begun, ended]}", "{skip: wage}", "{determines: {city: region}}", "{}"]
    {
        assert!(problem_and_hint(rules).0.starts_with("not a schema"), "{rules}");
    }
}

#[test]
fn a_rule_with_too_many_cells_is_refused_before_they_are_allocated() {
    let text = "
dp: {rules: [{order: [a, b]}]}
fields:
  - {name: a, type: integer, constraints: {minimum: 0, maximum: 1000000}}
  - {name: b, type: integer, constraints: {minimum: 0, maximum: 1000000}}
";
    let problems = Schema::parse(text).unwrap_err();
    assert!(problems.to_string().contains("has 1000004000004 combinations"), "{problems}");
    assert!(problems.list()[0].hint().contains("wider bins"));
}

#[test]
fn only_contradicting_rules_are_named() {
    let rules = "forbid: {age: {below: 5}, job: clerk}
forbid: {married: true, job: [clerk, smith]}
forbid: {married: [false, missing]}
{skip: wage, unless: {age: {from: 15}}}
forbid: {job: none, city: [ulm, bonn, kiel]}";
    let (problem, hint) = problem_and_hint(rules);
    assert_eq!(
        problem,
        "no row can keep all of these together: rule 2 (forbid job, married), rule 3 (forbid married), rule 5 (forbid \
         city, job)"
    );
    assert!(hint.contains("change or drop one"));
    assert_eq!(problem_and_hint("forbid: {job: [none, clerk, smith]}").0, "no row can keep rule 1 (forbid job)");
}

#[test]
fn a_contradiction_of_three_columns_is_found() {
    // Three booleans that are pairwise different.
    let fields = "
fields:
  - {name: a, type: boolean, constraints: {required: true}}
  - {name: b, type: boolean, constraints: {required: true}}
  - {name: c, type: boolean, constraints: {required: true}}
";
    let differ = |one: &str, other: &str| {
        format!("    - forbid: {{{one}: true, {other}: true}}\n    - forbid: {{{one}: false, {other}: false}}\n")
    };
    let rules = [differ("a", "b"), differ("b", "c"), differ("a", "c")].concat();
    let problems = Schema::parse(&format!("dp:\n  rules:\n{rules}{fields}")).unwrap_err();
    assert!(problems.to_string().contains("rule 1") && problems.to_string().contains("rule 6"), "{problems}");
}

#[test]
fn impossible_values_are_listed() {
    let schema =
        schema("forbid: {age: {below: 5}, job: [clerk, smith]}\nforbid: {age: {below: 5}, job: none}").unwrap();
    assert_eq!(schema.impossible_values(), [(AttributeId::new(0), 0)]);
    assert_eq!(self::schema("forbid: {age: {below: 5}, job: [clerk, smith]}").unwrap().impossible_values(), []);
}

#[test]
fn rules_survive_yaml_and_json() {
    let rules = "forbid: {age: {below: 15}, married: true, job: [clerk, smith]}
{skip: wage, unless: {job: [clerk, smith]}, as: missing}
{determines: {city: region}, by: {ulm: south, bonn: west, kiel: north}}
{determines: {children: married}, by: {0: false, 1: true, 2: true, 3: missing}}
{order: [begun, ended, billed]}";
    let schema = schema(rules).unwrap();
    assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
    let json = serde_json::to_string(&schema.to_spec()).unwrap();
    let spec: SchemaSpec = serde_json::from_str(&json).unwrap();
    assert_eq!(Schema::new(spec).unwrap(), schema);
    let RuleSpec::Order(columns) = &schema.rule_specs()[4] else { panic!("the last rule is an order") };
    assert_eq!(columns.len(), 3);
}

/// Random rows of codes that keep the rules.
fn valid_rows(schema: &Schema, rows: usize, rng: &mut SmallRng) -> Vec<CodeColumn> {
    let sizes = schema.domain().sizes();
    let mut columns: Vec<CodeColumn> = sizes.iter().map(|&size| CodeColumn::with_capacity(size, rows)).collect();
    while columns[0].len() < rows {
        let row: Vec<u32> = sizes.iter().map(|&size| rng.random_range(0..size)).collect();
        let keeps = |rule: &Rule| rule.allows_row(&row);
        if schema.rules().iter().all(keeps) {
            columns.iter_mut().zip(row).for_each(|(column, code)| column.push(code));
        }
    }
    columns
}

fn out_of_order(batch: &RecordBatch, columns: &[usize]) -> usize {
    let value = |column: usize, row: usize| {
        let array = batch.column(column);
        let number = match array.data_type() {
            arrow_schema::DataType::Date32 => f64::from(array.as_primitive::<Date32Type>().value(row)),
            arrow_schema::DataType::Float64 => array.as_primitive::<Float64Type>().value(row),
            _ => array.as_primitive::<Int64Type>().value(row) as f64,
        };
        (!array.is_null(row)).then_some(number)
    };
    let is_broken = |row: &usize| {
        let present: Vec<f64> = columns.iter().filter_map(|&column| value(column, *row)).collect();
        !present.is_sorted()
    };
    (0..batch.num_rows()).filter(is_broken).count()
}

#[test]
fn values_are_drawn_in_order_and_within_their_bins() {
    let schema = schema("{order: [begun, ended, billed]}").unwrap();
    let mut rng = SmallRng::seed_from_u64(1);
    let codes = valid_rows(&schema, 20_000, &mut rng);
    let batch = Decoder::new(&schema).decode(&codes, &mut rng);
    assert_eq!(out_of_order(&batch, &[7, 8, 9]), 0);
    for column in [7, 8, 9] {
        let days = batch.column(column).as_primitive::<Date32Type>();
        let encoder = schema.attributes()[column].encoder();
        for (row, day) in days.iter().enumerate() {
            assert_eq!(day.map_or(encoder.null(), |day| encoder.date(day.into())), codes[column].get(row));
        }
    }
    // Without the rule, the same codes give values out of order.
    let free = Schema::parse(FIELDS).unwrap();
    assert!(out_of_order(&Decoder::new(&free).decode(&codes, &mut rng), &[7, 8, 9]) > 1_000);
}

#[test]
fn ordered_values_of_one_bin_are_uniform() {
    let text = "
dp: {rules: [{order: [a, b]}]}
fields:
  - {name: a, type: number, constraints: {minimum: 0, maximum: 1, required: true}, dp: {bins: {count: 1}}}
  - {name: b, type: number, constraints: {minimum: 0, maximum: 1, required: true}, dp: {bins: {count: 1}}}
";
    let schema = Schema::parse(text).unwrap();
    let mut rng = SmallRng::seed_from_u64(2);
    let batch =
        Decoder::new(&schema).decode(&[CodeColumn::U8(vec![0; 40_000]), CodeColumn::U8(vec![0; 40_000])], &mut rng);
    let mean = |column: usize| batch.column(column).as_primitive::<Float64Type>().values().iter().sum::<f64>() / 4e4;
    // The means of the smaller and the larger of two uniform numbers.
    assert!((mean(0) - 1.0 / 3.0).abs() < 0.01 && (mean(1) - 2.0 / 3.0).abs() < 0.01, "{} {}", mean(0), mean(1));
    assert_eq!(out_of_order(&batch, &[0, 1]), 0);
}

#[test]
fn a_row_that_rejection_cannot_order_is_ordered() {
    // Ten values of one bin are in order in one of 3.6 million draws.
    let names: Vec<String> = (0..10).map(|column| format!("c{column}")).collect();
    let fields: Vec<String> = names
        .iter()
        .map(|name| format!("  - {{name: {name}, type: integer, dp: {{bins: {{edges: [0, 500, 1000]}}}}}}"))
        .collect();
    let text = format!("dp: {{rules: [{{order: [{}]}}]}}\nfields:\n{}", names.join(", "), fields.join("\n"));
    let schema = Schema::parse(&text).unwrap();
    let mut rng = SmallRng::seed_from_u64(3);
    let codes = valid_rows(&schema, 300, &mut rng);
    let batch = Decoder::new(&schema).decode(&codes, &mut rng);
    assert_eq!(out_of_order(&batch, &(0..10).collect::<Vec<_>>()), 0);
    for (column, codes) in codes.iter().enumerate() {
        let encoder = schema.attributes()[column].encoder();
        for (row, value) in batch.column(column).as_primitive::<Int64Type>().iter().enumerate() {
            assert_eq!(value.map_or(encoder.null(), |value| encoder.integer(value.into())), codes.get(row));
        }
    }
}

#[test]
fn ordering_keeps_weekdays_and_points() {
    let text = "
dp: {rules: [{order: [came, left]}, {order: [least, most]}, {order: [low, high]}]}
fields:
  - {name: came, type: date, constraints: {minimum: 2024-01-01, maximum: 2024-03-31}, dp: {bins: {by: month}, keep: weekday}}
  - {name: left, type: date, constraints: {minimum: 2024-01-10, maximum: 2024-04-20}, dp: {bins: {by: month}, keep: weekday}}
  - {name: least, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 50, points: [0, 99]}}}
  - {name: most, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 10, points: [0, 10]}}}
  - {name: low, type: number, constraints: {minimum: 0, maximum: 8}, dp: {bins: {width: 4, points: [0]}}}
  - {name: high, type: number, constraints: {minimum: 0}, dp: {bins: {width: 2, points: [0, 2], topCode: 8}}}
";
    let schema = Schema::parse(text).unwrap();
    let mut rng = SmallRng::seed_from_u64(4);
    let codes = valid_rows(&schema, 20_000, &mut rng);
    let batch = Decoder::new(&schema).decode(&codes, &mut rng);
    for pair in [[0, 1], [2, 3], [4, 5]] {
        assert_eq!(out_of_order(&batch, &pair), 0);
    }
    for (column, codes) in codes.iter().enumerate() {
        let (attribute, array) = (&schema.attributes()[column], batch.column(column));
        let encoder = attribute.encoder();
        for row in 0..codes.len() {
            let back = match array.data_type() {
                _ if array.is_null(row) => encoder.null(),
                arrow_schema::DataType::Date32 => encoder.date(array.as_primitive::<Date32Type>().value(row).into()),
                arrow_schema::DataType::Float64 => encoder.float(array.as_primitive::<Float64Type>().value(row)),
                _ => encoder.integer(array.as_primitive::<Int64Type>().value(row).into()),
            };
            assert_eq!(back, codes.get(row), "{} {}", attribute.name(), attribute.label(codes.get(row)));
        }
    }
}

#[test]
fn ranges_distinguish_a_point_from_the_bin_around_it() {
    let allowed = |kind: &str, condition: &str| {
        let text = format!(
            "dp: {{rules: [{{forbid: {{a: {condition}, b: true}}}}]}}
fields:
  - {{name: a, type: {kind}, constraints: {{minimum: 0, required: true}}, dp: {{bins: {{width: 4, points: [0, 4], topCode: 8}}}}}}
  - {{name: b, type: boolean, constraints: {{required: true}}}}"
        );
        let schema = Schema::parse(&text).unwrap();
        let [rule] = schema.rules() else { panic!("there is one") };
        (0..5).map(|code| rule.allows(&[code, 1])).collect::<Vec<_>>()
    };
    for kind in ["integer", "number"] {
        // The codes: 0, the bin below 4, 4, the bin below 8, and 8 and above.
        assert_eq!(allowed(kind, "{above: 0}"), [true, false, false, false, false], "{kind}");
        assert_eq!(allowed(kind, "{from: 4}"), [true, true, false, false, false], "{kind}");
        assert_eq!(allowed(kind, "{above: 4}"), [true, true, true, false, false], "{kind}");
        assert_eq!(allowed(kind, "{to: 4}"), [false, false, false, true, true], "{kind}");
        assert_eq!(allowed(kind, "{below: 8}"), [false, false, false, false, true], "{kind}");
        assert_eq!(allowed(kind, "{to: 8}"), [false; 5], "{kind}");
    }
}

#[test]
fn rows_that_break_a_rule_are_counted() {
    let schema = schema("{determines: {city: region}, by: {ulm: south, bonn: west, kiel: north}}").unwrap();
    let column = |codes: &[u8]| CodeColumn::U8(codes.to_vec());
    let mut columns = vec![column(&[0; 4]); 10];
    columns[4] = column(&[0, 1, 2, 2]);
    columns[5] = column(&[0, 2, 2, 1]);
    assert_eq!(schema.rules()[0].violations(&columns), 2);
}

proptest! {
    #[test]
    fn the_search_agrees_with_enumeration(rules in prop::collection::vec((0_usize..4, 0_usize..4, 0_u8..3, 0_u8..3), 0..14)) {
        let rules: Vec<_> = rules.into_iter().filter(|rule| rule.0 != rule.1).collect();
        prop_assume!(!rules.is_empty());
        let constraints = "{minimum: 0, maximum: 2, required: true}";
        let fields = (0..4).map(|column| format!("  - {{name: c{column}, type: integer, constraints: {constraints}}}"));
        let written = rules
            .iter()
            .map(|(one, other, first, second)| format!("    - forbid: {{c{one}: {first}, c{other}: {second}}}"));
        let lines = |lines: Vec<String>| lines.join("\n");
        let text = format!("dp:\n  rules:\n{}\nfields:\n{}", lines(written.collect()), lines(fields.collect()));
        let mut seen = [[false; 3]; 4];
        for row in 0..81_u32 {
            let codes = [row / 27, row / 9 % 3, row / 3 % 3, row % 3];
            let breaks = |rule: &(usize, usize, u8, u8)| {
                codes[rule.0] == u32::from(rule.2) && codes[rule.1] == u32::from(rule.3)
            };
            if !rules.iter().any(breaks) {
                for (column, code) in codes.into_iter().enumerate() {
                    seen[column][code as usize] = true;
                }
            }
        }
        let mut never = Vec::new();
        for (column, seen) in seen.iter().enumerate() {
            never.extend((0..).zip(seen).filter(|(_, seen)| !**seen).map(|(code, _)| (AttributeId::new(column), code)));
        }
        match Schema::parse(&text) {
            Ok(schema) => prop_assert_eq!(schema.impossible_values(), never),
            Err(problems) => prop_assert_eq!(never.len(), 12, "{}", problems),
        }
    }
}
