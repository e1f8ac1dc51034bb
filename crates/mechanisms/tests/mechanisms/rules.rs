//! Rules between columns hold in every model and in every row, and hardly change the other tables.

use std::num::NonZeroU64;

use crate::asked::goal;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use chacha20::ChaCha8Rng;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use scumble_mechanisms::forecast::Forecast;
use scumble_mechanisms::marginals::{self, Marginal, Marginals, Statement};
use scumble_mechanisms::{MechanismError, Method, Model, fit};
use scumble_pgm::Sampling;
use scumble_schema::{AttributeId, Clique, CodeColumn, FieldType, RuleSpec, Schema};
use scumble_testing::RowSource;

const FIELDS: &str = "
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99, required: true}, dp: {bins: {width: 5}}}
  - {name: job, type: string, constraints: {enum: [none, clerk, smith]}}
  - {name: wage, type: number, constraints: {minimum: 0, maximum: 8}, dp: {bins: {count: 8}}}
  - {name: city, type: string, constraints: {enum: [ulm, bonn, kiel, mainz, jena], required: true}}
  - {name: region, type: string, constraints: {enum: [south, west, north, east], required: true}}
  - {name: begun, type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {count: 6}}}
  - {name: reported, type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {count: 5}}}
  - {name: ended, type: date, constraints: {minimum: 2020-01-01, maximum: 2020-12-31}, dp: {bins: {count: 8}}}
  - {name: one, type: integer, constraints: {minimum: 0, maximum: 3, required: true}}
  - {name: two, type: integer, constraints: {minimum: 0, maximum: 3, required: true}}
  - {name: three, type: integer, constraints: {minimum: 0, maximum: 3, required: true}}
";

const RULES: &str = "
dp:
  rules:
    - forbid: {age: {below: 15}, job: [clerk, smith]}
    - skip: wage
      unless: {job: [clerk, smith]}
    - determines: {city: region}
      by: {ulm: south, bonn: west, kiel: north, mainz: west, jena: east}
    - order: [begun, reported, ended]
";

fn ruled() -> Schema {
    Schema::parse(&format!("{RULES}{FIELDS}")).unwrap()
}

/// Rows of related columns. Some of them break every rule: a steward may be wrong about the data.
fn rows(schema: &Schema, rows: usize, broken: f64, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let sizes = schema.domain().sizes();
    let mut all = Vec::with_capacity(rows);
    while all.len() < rows {
        let base: u32 = rng.random_range(0..4);
        let row: Vec<u32> = sizes
            .iter()
            .map(|&size| if rng.random_bool(0.5) { base * size / 4 } else { rng.random_range(0..size) })
            .collect();
        let keeps = schema.rules().iter().all(|rule| rule.allows_row(&row));
        if keeps || rng.random_bool(broken) {
            all.push(row);
        }
    }
    all
}

fn fitted(schema: &Schema, table: Vec<Vec<u32>>, method: &Method, epsilon: f64) -> Result<Model, MechanismError> {
    let delta = if *method == Method::named("pb-pgm").unwrap() { 0.0 } else { 1e-6 };
    let source = RowSource::new(schema.domain().clone(), table);
    fit(schema, Box::new(source), method, goal(epsilon, delta), None)
}

fn methods() -> Vec<Method> {
    let named =
        |name: &str, options: &[&str]| Method::named(name).unwrap().with_options(options.iter().copied()).unwrap();
    vec![
        named("auto", &["candidates=60"]),
        named("mst", &[]),
        named("aim", &["candidates=40", "rounds_per_column=4"]),
        named("privmrf", &["candidates=40"]),
        named("privmrf", &["profile=paper"]),
        named("pb-pgm", &[]),
    ]
}

fn violations(schema: &Schema, model: &Model, rows: u64, sampling: Sampling) -> u64 {
    let chunks = model.sample_codes(rows, 7, sampling);
    chunks.map(|chunk| schema.rules().iter().map(|rule| rule.violations(&chunk)).sum::<u64>()).sum()
}

/// Decoded rows whose dates are out of order.
fn out_of_order(model: &Model, rows: u64) -> usize {
    let broken = |batch: arrow_array::RecordBatch| {
        let days = ["begun", "reported", "ended"]
            .map(|name| batch.column_by_name(name).unwrap().as_primitive::<Date32Type>().clone());
        let is_broken = |row: &usize| {
            let present: Vec<i32> =
                days.iter().filter(|days| !days.is_null(*row)).map(|days| days.value(*row)).collect();
            !present.is_sorted()
        };
        (0..batch.num_rows()).filter(is_broken).count()
    };
    model.sample(rows, 3, Sampling::LowVariance).map(broken).sum()
}

#[test]
fn no_row_of_any_method_breaks_a_rule() {
    let schema = ruled();
    let table = rows(&schema, 4_000, 0.1, 1);
    let columns: Vec<CodeColumn> = (0..schema.domain().len())
        .map(|column| {
            let mut codes = CodeColumn::with_capacity(schema.domain().sizes()[column], table.len());
            for row in &table {
                codes.push(row[column]);
            }
            codes
        })
        .collect();
    for rule in schema.rules() {
        assert!(rule.violations(&columns) > 20, "the real rows break every rule");
    }
    for method in methods() {
        let model = fitted(&schema, table.clone(), &method, 1.0).unwrap();
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
        for model in [&model, &read] {
            assert_eq!(violations(&schema, model, 1_200_000, Sampling::LowVariance), 0, "{method}");
        }
        assert_eq!(violations(&schema, &model, 1_200_000, Sampling::Independent), 0, "{method}");
        assert_eq!(violations(&schema, &model, 70_000, Sampling::Matched), 0, "{method}");
        assert_eq!(out_of_order(&model, 200_000), 0, "{method}");
    }
}

#[test]
fn rows_break_undeclared_rules() {
    let free = Schema::parse(FIELDS).unwrap();
    let model = fitted(&free, rows(&ruled(), 4_000, 0.0, 1), &methods()[1], 1.0).unwrap();
    assert!(violations(&ruled(), &model, 10_000, Sampling::LowVariance) > 1_000);
    assert!(out_of_order(&model, 10_000) > 1_000);
}

#[test]
fn methods_whose_models_keep_no_rules_refuse_them_and_so_does_a_plan() {
    let schema = ruled();
    let table = rows(&schema, 50, 0.0, 1);
    let names =
        ["independent", "privbayes", "privbayes-nist", "smoothed-histogram"].map(|name| Method::named(name).unwrap());
    let binary = Method::named("pb-pgm").unwrap().with_options(["encoding=binary"]).unwrap();
    for method in names.into_iter().chain([binary]) {
        assert!(!method.keeps_rules());
        let delta = if method.name().starts_with("pb") || method.name() == "privbayes" { 0.0 } else { 1e-6 };
        let source = RowSource::new(schema.domain().clone(), table.clone());
        let error = fit(&schema, Box::new(source), &method, goal(1.0, delta), None).unwrap_err();
        assert!(matches!(error, MechanismError::NoRules { .. }), "{error}");
        assert!(error.hint().contains("`auto`") && error.hint().contains("`mst`"));
        let error = Forecast::new(&schema, &method, goal(1.0, delta), NonZeroU64::new(1_000).unwrap()).unwrap_err();
        assert!(matches!(error, MechanismError::NoRules { .. }), "{error}");
    }
    for method in methods().into_iter().take(5) {
        assert!(method.keeps_rules());
        let plan = |schema: &Schema| {
            Forecast::new(schema, &method, goal(1.0, 1e-6), NonZeroU64::new(1_000).unwrap()).unwrap().work.model_cells
        };
        assert!(plan(&schema) > plan(&Schema::parse(FIELDS).unwrap()), "rules take cells");
    }
}

#[test]
fn rules_that_need_too_large_a_model_are_refused_before_anything_is_asked() {
    let names: Vec<String> = (0..6).map(|column| format!("c{column}")).collect();
    let fields: Vec<String> = names
        .iter()
        .map(|name| {
            format!("  - {{name: {name}, type: integer, constraints: {{minimum: 0, maximum: 49, required: true}}}}")
        })
        .collect();
    let text = format!("dp: {{rules: [{{order: [{}]}}]}}\nfields:\n{}", names.join(", "), fields.join("\n"));
    let schema = Schema::parse(&text).unwrap();
    let error = fitted(&schema, vec![vec![0; 6]], &methods()[0], 1.0).unwrap_err();
    assert!(error.to_string().contains("15625000000 cells"), "{error}");
    assert!(error.hint().contains("wider bins") && error.hint().contains("`c0`"));
    let plan = Forecast::new(&schema, &methods()[0], goal(1.0, 1e-6), NonZeroU64::MIN).unwrap_err();
    assert_eq!(plan.to_string(), error.to_string());
}

#[test]
fn a_model_that_breaks_a_rule_of_its_schema_is_not_read() {
    let free = Schema::parse(FIELDS).unwrap();
    let model = fitted(&free, rows(&free, 500, 1.0, 1), &methods()[1], 1.0).unwrap();
    // The same distribution under a schema with rules.
    let bytes = model.to_bytes();
    let with = |schema: &Schema| serde_json::to_vec(&schema.to_spec()).unwrap();
    let (old, new) = (with(&free), with(&ruled()));
    let place = bytes.windows(old.len()).position(|part| part == old).unwrap();
    let mut changed = bytes[..place - 8].to_vec();
    changed.extend((new.len() as u64).to_le_bytes());
    changed.extend(&new);
    changed.extend(&bytes[place + old.len()..bytes.len() - 32]);
    let hash = <sha2::Sha256 as sha2::Digest>::digest(&changed);
    changed.extend(hash);
    let error = Model::from_bytes(&changed).unwrap_err();
    assert!(error.to_string().contains("breaks a rule"), "{error}");
}

#[test]
fn a_model_of_external_tables_keeps_the_rules() {
    let schema = ruled();
    let tables = schema.domain().one_way().into_iter().map(|clique| {
        let cells = usize::try_from(schema.domain().cells(&clique)).unwrap();
        Marginal::new(schema.domain(), clique, vec![100.0; cells], 3.0, None).unwrap()
    });
    let statement: Statement = serde_json::from_value(serde_json::json!({
        "epsilon": 1.0, "delta": 1e-6, "adjacency": "add-remove", "unit": "row", "max_contributions": 1, "maker": "a test"
    }))
    .unwrap();
    let marginals = Marginals::new(statement, None, tables.collect()).unwrap();
    let model = marginals::fit(&schema, marginals).unwrap();
    assert_eq!(violations(&schema, &model, 200_000, Sampling::LowVariance), 0);
}

/// The total variation distance between the table over three columns and that of the real rows, on
/// average over all that no rule is about.
fn error_of_others(schema: &Schema, model: &Model, real: &[Vec<u32>]) -> f64 {
    let columns: Vec<usize> = (0..schema.domain().len())
        .filter(|&column| !schema.rules().iter().any(|rule| rule.clique().has(AttributeId::new(column))))
        .collect();
    let others = [0, 1, 3, 8, 9, 10];
    let sets = others
        .iter()
        .flat_map(|&one| others.iter().map(move |&two| (one, two)))
        .flat_map(|(one, two)| columns.iter().map(move |&three| Clique::new([one, two, three].map(AttributeId::new))));
    let mut sets: Vec<Clique> = sets.filter(|set| set.len() == 3).collect();
    sets.sort_unstable();
    sets.dedup();
    let drawn: Vec<Vec<CodeColumn>> = model.sample_codes(200_000, 5, Sampling::LowVariance).collect();
    let mut sum = 0.0;
    for set in &sets {
        let mut shares = std::collections::BTreeMap::<Vec<u32>, f64>::new();
        for chunk in &drawn {
            for row in 0..chunk[0].len() {
                let cell = set.attributes().iter().map(|column| chunk[column.index()].get(row)).collect();
                *shares.entry(cell).or_default() += 1.0 / 200_000.0;
            }
        }
        for row in real {
            let cell = set.attributes().iter().map(|column| row[column.index()]).collect();
            let share = 1.0 / real.len() as f64;
            *shares.entry(cell).or_default() -= share;
        }
        sum += shares.values().map(|share| share.abs()).sum::<f64>() / 2.0;
    }
    sum / sets.len() as f64
}

#[test]
fn tables_that_no_rule_is_about_are_as_exact_as_without_rules() {
    let (schema, free) = (ruled(), Schema::parse(FIELDS).unwrap());
    let real = rows(&schema, 20_000, 0.0, 2);
    let (mut with, mut without) = (0.0, 0.0);
    for _ in 0..3 {
        with += error_of_others(&schema, &fitted(&schema, real.clone(), &methods()[0], 1.0).unwrap(), &real);
        without += error_of_others(&schema, &fitted(&free, real.clone(), &methods()[0], 1.0).unwrap(), &real);
    }
    assert!(with <= 1.1 * without, "{with} with rules, {without} without");
}

/// A column of a random schema, and a rule that some columns of it make.
fn random_schema() -> impl Strategy<Value = String> {
    let kinds = prop::collection::vec((0_u8..4, 2_u32..6, any::<bool>()), 3..7);
    let rules = prop::collection::vec((0_u8..4, 0_usize..7, 0_usize..7, 0_usize..7, 0_u32..6, 0_u32..6), 1..5);
    (kinds, rules).prop_map(|(kinds, rules)| {
        let mut fields = Vec::new();
        for (place, (kind, size, required)) in kinds.iter().enumerate() {
            let rest = match kind {
                0 => format!("type: integer, constraints: {{minimum: 0, maximum: {}, required: {required}}}", size - 1),
                1 => {
                    let values: Vec<String> = (0..*size).map(|value| format!("v{value}")).collect();
                    format!("type: string, constraints: {{enum: [{}], required: {required}}}", values.join(", "))
                }
                2 => format!("type: date, constraints: {{minimum: 2020-01-01, maximum: 2020-12-31, required: {required}}}, dp: {{bins: {{count: {size}}}}}"),
                _ => format!("type: number, constraints: {{minimum: 0, maximum: 10, required: {required}}}, dp: {{bins: {{count: {size}}}}}"),
            };
            fields.push(format!("  - {{name: c{place}, {rest}}}"));
        }
        let condition = |column: usize, value: u32| {
            let (kind, size, _) = kinds[column];
            let value = value % size;
            match kind {
                0 => format!("{value}"),
                1 => format!("[v{value}, v{}]", (value + 1) % size),
                2 if kinds[column].2 => "{from: 2020-01-01}".to_owned(),
                2 => "missing".to_owned(),
                _ => format!("{{from: {}}}", f64::from(value) * 10.0 / f64::from(size)),
            }
        };
        let mut written = Vec::new();
        for (kind, one, two, three, first, second) in rules {
            let [one, two, three] = [one, two, three].map(|column| column % kinds.len());
            if one == two || two == three || one == three {
                continue;
            }
            let (one_is, two_is) = (condition(one, first), condition(two, second));
            // Columns of an order are on one line, and one that is skipped may be blank.
            let on_one_line = |others: &[usize]| {
                kinds[one].0 != 1 && others.iter().all(|&other| kinds[other].0 == kinds[one].0)
            };
            written.push(match kind {
                1 if !kinds[three].2 => format!("{{skip: c{three}, unless: {{c{one}: {one_is}, c{two}: {two_is}}}}}"),
                2 if on_one_line(&[two]) => format!("{{order: [c{one}, c{two}]}}"),
                3 if on_one_line(&[two, three]) => format!("{{order: [c{one}, c{two}, c{three}]}}"),
                _ => format!("forbid: {{c{one}: {one_is}, c{two}: {two_is}}}"),
            });
        }
        let rules: Vec<String> = written.iter().map(|rule| format!("    - {rule}")).collect();
        format!("dp:\n  rules:\n{}\nfields:\n{}", rules.join("\n"), fields.join("\n"))
    })
}

/// Values that are out of order, in columns that an order names.
fn decoded_violations(schema: &Schema, model: &Model) -> usize {
    let mut broken = 0;
    for batch in model.sample(20_000, 11, Sampling::LowVariance) {
        for rule in schema.rule_specs() {
            let RuleSpec::Order(names) = rule else { continue };
            let columns: Vec<Vec<Option<f64>>> = names
                .iter()
                .map(|name| {
                    let array = batch.column_by_name(name).unwrap();
                    let number = |row: usize| match schema.attribute(schema.find(name).unwrap()).field_type() {
                        FieldType::Date => f64::from(array.as_primitive::<Date32Type>().value(row)),
                        FieldType::Number => array.as_primitive::<Float64Type>().value(row),
                        _ => array.as_primitive::<Int64Type>().value(row) as f64,
                    };
                    (0..array.len()).map(|row| (!array.is_null(row)).then(|| number(row))).collect()
                })
                .collect();
            for row in 0..batch.num_rows() {
                let present: Vec<f64> = columns.iter().filter_map(|column| column[row]).collect();
                broken += usize::from(!present.is_sorted());
            }
        }
    }
    broken
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn rows_of_random_schemas_keep_random_rules(text in random_schema(), method in 0_usize..6, seed: u64) {
        // Some random rules make no sense together, and are refused.
        let parsed = Schema::parse(&text);
        prop_assume!(parsed.as_ref().is_ok_and(|schema| !schema.rules().is_empty()));
        let schema = parsed.unwrap();
        let free: Vec<Vec<u32>> = {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let sizes = schema.domain().sizes();
            (0..300).map(|_| sizes.iter().map(|&size| rng.random_range(0..size)).collect()).collect()
        };
        let method = &methods()[method];
        let model = fitted(&schema, free, method, 2.0).unwrap();
        for sampling in [Sampling::LowVariance, Sampling::Independent] {
            prop_assert_eq!(violations(&schema, &model, 70_000, sampling), 0, "{} {}", method, text);
        }
        prop_assert_eq!(decoded_violations(&schema, &model), 0, "{} {}", method, text);
    }
}
