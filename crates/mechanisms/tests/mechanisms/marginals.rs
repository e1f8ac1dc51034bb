//! External noisy tables: models of them, what such models claim, and invalid files.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use scumble_mechanisms::marginals::{self, Exported, Loss, Marginal, Marginals, MarginalsError};
use scumble_mechanisms::{Distribution, MechanismError, Method, Model, Origin, fit};
use scumble_pgm::Sampling;
use scumble_schema::{AdjacencyKind, Attribute, AttributeId, Clique, Schema, cells, limits};
use scumble_testing::{RowSource, integers};
use scumble_vault::{ApproxDp, Delta, Epsilon};

const SCHEMA: &str = r"
fields:
  - {name: size, type: integer, constraints: {minimum: 1, maximum: 3, required: true}, dp: {source: public}}
  - {name: region, type: string, constraints: {enum: [north, south], required: true}, dp: {source: public}}
";
const PRIVACY: &str = r#"{"epsilon": 1, "delta": 1e-9, "adjacency": "add-remove", "unit": "row", "maker": "a test"}"#;
const PAIR: &str = r#"{"columns": ["size", "region"], "standard_deviation": 2.5, "noise": "laplace", "counts": [40, 10.5, 9, 41, -1, 0]}"#;

fn schema() -> Schema {
    Schema::parse(SCHEMA).unwrap()
}

fn file(privacy: &str, tables: &[&str]) -> String {
    format!(r#"{{"version": 1, "privacy": {privacy}, "tables": [{}]}}"#, tables.join(", "))
}

fn parse(text: &str) -> Result<Marginals, MarginalsError> {
    Marginals::parse(text.as_bytes(), &schema())
}

fn fit_text(text: &str) -> Result<Model, MechanismError> {
    marginals::fit(&schema(), parse(text)?)
}

/// The probabilities that a model gives the cells of a table.
fn shares(model: &Model, columns: &[usize]) -> Vec<f64> {
    let Distribution::Tree(tree) = model.distribution() else { panic!("such a model is a tree") };
    let clique = Clique::new(columns.iter().copied().map(AttributeId::new));
    tree.marginal(&clique).unwrap().into_values()
}

#[test]
fn a_model_of_external_tables_is_near_to_them() {
    let model = fit_text(&file(PRIVACY, &[PAIR])).unwrap();
    assert_eq!(model.rows(), 100, "the sum of 99.5 counts");
    for (share, count) in shares(&model, &[0, 1]).iter().zip([40.0, 10.5, 9.0, 41.0, 0.0, 0.0]) {
        assert!((99.5 * share - count).abs() < 2.5, "{share} for {count}");
    }
    assert_eq!(model.sample_codes(500, 1, Sampling::LowVariance).map(|chunk| chunk[0].len()).sum::<usize>(), 500);
}

#[test]
fn columns_of_a_table_may_stand_in_any_order() {
    let turned = r#"{"columns": ["region", "size"], "standard_deviation": 2.5, "noise": "laplace", "counts": [40, 9, -1, 10.5, 41, 0]}"#;
    assert_eq!(parse(&file(PRIVACY, &[turned])).unwrap(), parse(&file(PRIVACY, &[PAIR])).unwrap());
}

#[test]
fn a_model_of_external_tables_has_a_statement_and_no_certificate() {
    let privacy = PRIVACY.replace("\"maker\"", "\"note\": \"sealed by 2 people\", \"maker\"");
    let model = fit_text(&file(&privacy, &[PAIR])).unwrap();
    let read = Model::from_bytes(&model.to_bytes()).unwrap();
    assert_eq!(read, model);
    assert!(read.certificate().is_none() && read.method().is_none());
    let Origin::External(marginals) = read.origin() else { panic!("nothing was measured") };
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
    assert_eq!(marginals.statement().loss(), Loss::Approximate(goal));
    assert_eq!((marginals.statement().maker(), marginals.statement().note()), ("a test", Some("sealed by 2 people")));
    assert_eq!(*marginals, parse(&file(&privacy, &[PAIR])).unwrap());
}

#[test]
fn a_public_number_of_rows_is_taken_as_it_is_and_a_noisy_one_counts() {
    let public = Schema::parse(&format!("dp: {{adjacency: replace-one}}{SCHEMA}")).unwrap();
    let privacy =
        PRIVACY.replace("add-remove", "replace-one").replace("\"epsilon\": 1, \"delta\": 1e-9", "\"rho\": 0.03");
    let text = file(&privacy, &[PAIR]).replace("\"tables\"", "\"rows\": 5000, \"tables\"");
    let marginals = Marginals::parse(text.as_bytes(), &public).unwrap();
    assert_eq!(marginals.statement().loss(), Loss::Concentrated { rho: 0.03 });
    let model = marginals::fit(&public, marginals).unwrap();
    assert_eq!((model.rows(), model.origin().has_public_rows()), (5000, true));
    assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
    // One count with little noise outweighs the sum of six with more.
    let total = r#"{"columns": [], "standard_deviation": 0.01, "counts": [120]}"#;
    let model = fit_text(&file(PRIVACY, &[total, PAIR])).unwrap();
    assert_eq!((model.rows(), model.origin().has_public_rows()), (120, false));
}

#[test]
fn errors_name_the_problem_and_a_fix() {
    let table = |columns: &str, deviation: &str, counts: &str| {
        file(PRIVACY, &[&format!(r#"{{"columns": {columns}, "standard_deviation": {deviation}, "counts": {counts}}}"#)])
    };
    let size = r#"["size"]"#;
    let twelve = "[1,2,3,4,5,6]";
    let stated = |from: &str, to: &str| file(&PRIVACY.replace(from, to), &[PAIR]);
    let cases = [
        (table(size, "1", "[1,2,3]"), "no table has `region`"),
        (
            table(r#"["size", "regoin"]"#, "1", twelve),
            "(`size`, `regoin`) names a column that the schema does not have",
        ),
        (table(r#"["size", "size"]"#, "1", twelve), "names a column twice"),
        (table(size, "1", "[1,2]"), "table 1 (`size`) has 2 counts, and its columns have 3 combinations"),
        (table(size, "0", "[1,2,3]"), "noise of standard deviation 0"),
        (table(size, "-2", "[1,2,3]"), "noise of standard deviation -2"),
        (table(size, "1e300", "[1,2,3]"), "noise of standard deviation"),
        (table(size, "1", "[1,2,1e17]"), "a count beyond 2^53"),
        (table(size, "1", "[1,2,1e999]"), "number out of range"),
        (table(size, "1", "[1,2,NaN]"), "expected value"),
        (table(size, "1", "[1,2,null]"), "expected a number"),
        (table(size, "1", "[1,2,\"SECRET, expected x\"]"), "expected a number"),
        (table(size, "\"1\"", "[1,2,3]"), "expected a number"),
        (table(size, "1, \"sigma\": 1", "[1,2,3]"), "expected one of `columns`"),
        (table(size, "1, \"standard_deviation\": 1", "[1,2,3]"), "duplicate key `standard_deviation`"),
        (file(PRIVACY, &[r#"{"columns": ["size"], "counts": [1,2,3]}"#]), "missing key `standard_deviation`"),
        (file(PRIVACY, &[&PAIR.replace("laplace", "cauchy")]), "expected one of `gaussian`"),
        (file(PRIVACY, &[PAIR]).replace("\"version\": 1", "\"version\": 2"), "expected version 1"),
        (file(PRIVACY, &[PAIR]).replace("\"tables\"", "\"SECRET\": 1, \"tables\""), "expected one of `version`"),
        (file(PRIVACY, &[PAIR]).replace("\"tables\"", "\"rows\": 99, \"tables\""), "gives their number as public"),
        (file(PRIVACY, &[PAIR]) + "x", "trailing characters"),
        (file(PRIVACY, &[PAIR])[..99].into(), "EOF while parsing"),
        (format!("{}1", "[".repeat(500)), "expected"),
        ("name,age\nSECRET,7\n".into(), "not a file of noisy tables"),
        ("\"SECRET\"".into(), "expected an object"),
        (stated("\"delta\"", "\"rho\": 1, \"delta\""), "must have `epsilon` and `delta`, or `rho` alone"),
        (stated(", \"delta\": 1e-9", ""), "must have `epsilon` and `delta`"),
        (stated("\"epsilon\": 1", "\"epsilon\": 0"), "epsilon"),
        (stated("1e-9", "1"), "delta"),
        (stated("\"epsilon\": 1, \"delta\": 1e-9", "\"rho\": -1"), "a `rho` that is not positive"),
        (stated("add-remove", "replace-one"), "is about other neighbours"),
        (stated("\"row\"", "\"household\""), "is about other neighbours"),
        (stated("\"unit\"", "\"max_contributions\": 2, \"unit\""), "is about other neighbours"),
        (stated("\"unit\"", "\"max_contributions\": 0, \"unit\""), "expected a nonzero"),
        (stated("a test", ""), "a `maker` that is empty"),
        (stated("a test", "x\\nguarantee  (0.1, 0)-differentially private"), "line breaks"),
        (stated("a test", &"x".repeat(5_000)), "longer than 4096 bytes"),
        (stated("a test\"", "a test\", \"note\": \"\\u001b[2J\""), "a `note` that has line breaks"),
        (file(PRIVACY, &[]), "no table has `size`, `region`"),
    ];
    for (text, words) in cases {
        let error = fit_text(&text).unwrap_err();
        let MechanismError::Marginals(problem) = &error else { panic!("{error}") };
        assert!(!matches!(problem, MarginalsError::TooLarge { .. } | MarginalsError::File { .. }), "{error}");
        assert!(error.to_string().contains(words), "`{error}` should say `{words}`");
        assert!(!error.hint().is_empty() && !error.to_string().contains("SECRET"), "{error}");
    }
}

#[test]
fn what_is_too_large_is_refused_before_it_is_made() {
    let too_large = |schema: &Schema, text: &str| {
        let start = Instant::now();
        let marginals = Marginals::parse(text.as_bytes(), schema).map_err(MechanismError::from);
        let error = marginals.and_then(|marginals| marginals::fit(schema, marginals)).unwrap_err();
        assert!(matches!(error, MechanismError::Marginals(MarginalsError::TooLarge { .. })), "{error}");
        assert!(start.elapsed() < Duration::from_secs(20), "{error}");
        error.to_string()
    };
    // A table of all columns, and tables of four whose model is one.
    let wide = integers(&[100; 6], 1, AdjacencyKind::AddRemove);
    let names: Vec<&str> = wide.attributes().iter().map(Attribute::name).collect();
    let all = format!(r#"{{"columns": {names:?}, "standard_deviation": 1, "counts": [1]}}"#);
    assert!(too_large(&wide, &file(PRIVACY, &[&all])).contains("1000000000000 cells"));
    let counts = format!("{:?}", vec![1; 10_000]);
    let many = integers(&[10; 12], 1, AdjacencyKind::AddRemove);
    let names: Vec<&str> = many.attributes().iter().map(Attribute::name).collect();
    let four = |left: usize, right: usize| {
        let columns = [2 * left, 2 * left + 1, 2 * right, 2 * right + 1].map(|column| names[column]);
        format!(r#"{{"columns": {columns:?}, "standard_deviation": 1, "counts": {counts}}}"#)
    };
    let fours: Vec<String> =
        (0..6).flat_map(|right| (0..right).map(move |left| (left, right))).map(|(l, r)| four(l, r)).collect();
    let fours: Vec<&str> = fours.iter().map(String::as_str).collect();
    assert!(too_large(&many, &file(PRIVACY, &fours)).contains("into a model of 1000000000000 cells"));
    let tiny = r#"{"columns":[],"standard_deviation":1,"counts":[1]},"#.repeat(limits::TABLES + 2);
    assert!(too_large(&wide, &file(PRIVACY, &[tiny.trim_end_matches(',')])).contains("more than 100000 tables"));
}

#[test]
fn pairs_that_no_model_holds_are_met_by_rows() {
    const COLUMNS: usize = 8;
    const CODES: u32 = 12;
    let schema = integers(&[CODES; COLUMNS], 1, AdjacencyKind::AddRemove);
    // A column has the same code as the others in every second row, and any code in the rest. Two
    // columns agree more often than a tree of pairs can say.
    let row = |row: u32| {
        let code = |column: u32| match (row >> column) % 2 {
            0 => row / 256 % CODES,
            _ => (row / 256 * (5 + 2 * column) + row % 256) % CODES,
        };
        (0..8).map(code).collect::<Vec<u32>>()
    };
    let rows: Vec<Vec<u32>> = (0..256 * 12 * 12).map(row).collect();
    let agreeing = |rows: &mut dyn Iterator<Item = [u32; 2]>| {
        let (mut equal, mut all) = (0.0, 0.0);
        for [one, other] in rows {
            equal += f64::from(u8::from(one == other));
            all += 1.0;
        }
        equal / all
    };
    let pairs: Vec<[usize; 2]> = (0..COLUMNS).flat_map(|right| (0..right).map(move |left| [left, right])).collect();
    let table = |&[left, right]: &[usize; 2]| {
        let mut counts = vec![0.0; (CODES * CODES) as usize];
        for row in &rows {
            counts[(row[left] * CODES + row[right]) as usize] += 1.0;
        }
        let columns = Clique::new([left, right].map(AttributeId::new));
        Marginal::new(schema.domain(), columns, counts, 5.0, None).unwrap()
    };
    let statement = parse(&file(PRIVACY, &[PAIR])).unwrap().statement().clone();
    let tables = Marginals::new(statement, None, pairs.iter().map(table).collect()).unwrap();
    let model = marginals::fit(&schema, tables).unwrap();
    assert!(!model.targets().is_empty() && model.targets().len() < pairs.len());
    assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
    let drawn: Vec<_> = model.sample_codes(30_000, 1, Sampling::LowVariance).collect();
    for [left, right] in pairs {
        let mut synthetic =
            drawn.iter().flat_map(|chunk| chunk[left].iter().zip(chunk[right].iter())).map(<[u32; 2]>::from);
        let (found, due) = (agreeing(&mut synthetic), agreeing(&mut rows.iter().map(|row| [row[left], row[right]])));
        assert!((found - due).abs() < 0.02, "columns {left} and {right}: {found} for {due}");
    }
}

#[test]
fn files_that_are_too_large_or_no_files_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.json");
    std::fs::File::create(&path).unwrap().set_len(limits::MARGINALS_FILE_BYTES + 1).unwrap();
    assert!(matches!(Marginals::read(&path, &schema()), Err(MarginalsError::TooLarge { .. })));
    assert!(matches!(Marginals::read(folder.path(), &schema()), Err(MarginalsError::File { .. })));
    assert!(matches!(Marginals::read(&folder.path().join("absent"), &schema()), Err(MarginalsError::File { .. })));
    std::fs::write(&path, file(PRIVACY, &[PAIR])).unwrap();
    assert!(Marginals::read(&path, &schema()).is_ok());
}

/// Rows of five columns, of which the second and the last follow the first. Most values of the last
/// never occur.
fn rows() -> Vec<Vec<u32>> {
    let row = |row: u32| vec![row % 5, row % 5 / 2, row / 5 % 2, row / 5 % 2 + 1, row % 5 * 8];
    (0..3_000).map(row).collect()
}

fn measured(method: &str, options: &[&str], delta: f64, epsilon: f64, adjacency: AdjacencyKind) -> Model {
    let schema = integers(&[5, 3, 2, 4, 40], 1, adjacency);
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() };
    let method = Method::named(method).unwrap().with_options(options.iter().copied()).unwrap();
    let source = RowSource::new(schema.domain().clone(), rows());
    fit(&schema, Box::new(source), &method, goal, None).unwrap()
}

#[test]
fn tables_of_a_model_go_out_and_come_back_as_a_model_like_it() {
    use AdjacencyKind::{AddRemove, ReplaceOne};
    let forms: [(&str, &[&str], f64, AdjacencyKind); 8] = [
        ("independent", &[], 1e-9, AddRemove),
        ("independent", &[], 0.0, ReplaceOne),
        ("privbayes-nist", &["group_width=3"], 1e-9, AddRemove),
        ("auto", &["large_column=30"], 1e-9, AddRemove),
        ("auto", &[], 1e-9, ReplaceOne),
        ("mst", &[], 1e-9, AddRemove),
        ("aim", &["rounds_per_column=2"], 1e-9, AddRemove),
        ("pb-pgm", &[], 0.0, AddRemove),
    ];
    for (method, options, delta, adjacency) in forms {
        let model = measured(method, options, delta, 20.0, adjacency);
        let Exported { marginals, .. } = model.marginals().unwrap();
        let certificate = model.certificate().unwrap();
        let claimed = ApproxDp { epsilon: certificate.epsilon(), delta: certificate.delta() };
        assert_eq!(marginals.statement().loss(), Loss::Approximate(claimed));
        let text = marginals.to_json(model.schema());
        let read = Marginals::parse(text.as_bytes(), model.schema()).unwrap();
        assert_eq!(read, marginals, "{method}: a file comes back as it was");
        let again = marginals::fit(model.schema(), read).unwrap();
        assert_eq!(again.origin().has_public_rows(), adjacency == ReplaceOne);
        assert!(again.rows().abs_diff(3_000) < 60, "{method}: {} rows", again.rows());
        for table in marginals.tables() {
            let measurement = table.measurement();
            let columns: Vec<usize> = measurement.clique().attributes().iter().map(|column| column.index()).collect();
            let [column] = columns[..] else { continue };
            // The error of a cell is its noise and that of overlapping tables: six standard
            // deviations in all.
            let allowed = 6.0 * measurement.standard_deviation() + 1.0;
            for (share, count) in shares(&again, &[column]).iter().zip(measurement.values()) {
                let expected = share * 3_000.0;
                assert!(
                    (expected - count.max(0.0)).abs() < allowed,
                    "{method}, column {column}: {expected} for {count}"
                );
            }
        }
        assert_eq!(again.sample_codes(300, 1, Sampling::LowVariance).map(|chunk| chunk[0].len()).sum::<usize>(), 300);
        assert_eq!(again.marginals().unwrap().marginals, marginals, "{method}: also at second hand");
    }
}

#[test]
fn tables_with_columns_of_a_method_are_summed_over_these() {
    // Only digits of the columns of two codes are columns of the schema.
    let model = measured("privbayes", &["encoding=binary", "degree=2"], 0.0, 1e5, AdjacencyKind::ReplaceOne);
    let Exported { marginals, summed, left_out } = model.marginals().unwrap();
    assert!(summed > 0, "{left_out} were left out");
    for table in marginals.tables().iter().map(Marginal::measurement) {
        assert_eq!(table.clique(), &Clique::single(AttributeId::new(2)));
        assert_eq!(table.values(), [1_500.0, 1_500.0], "next to no noise");
    }
    let rows = measured("smoothed-histogram", &["rows=100"], 1e-9, 1.0, AdjacencyKind::ReplaceOne);
    assert_eq!(rows.marginals().unwrap_err(), MarginalsError::NoTables);
}

#[test]
fn columns_that_a_method_adds_after_its_first_releases_leave_tables_in_their_places() {
    for (method, options) in [("mst", [].as_slice()), ("auto", &["large_column=30"])] {
        let model = measured(method, options, 1e-9, 20.0, AdjacencyKind::AddRemove);
        let domain = model.schema().domain();
        assert!(
            model.recoding().domain().len() > domain.len(),
            "{method}: rare values are one in a column of their own"
        );
        let Exported { marginals, summed, left_out } = model.marginals().unwrap();
        assert!(summed + left_out > 0, "{method}: the last column is related to others by that column");
        for table in marginals.tables().iter().map(Marginal::measurement) {
            let columns = table.clique().attributes();
            let strides = cells::strides(domain, table.clique());
            let mut counts = vec![0.0; table.values().len()];
            for row in rows() {
                let places = columns.iter().zip(&strides);
                counts[places.map(|(column, stride)| row[column.index()] as usize * stride).sum::<usize>()] += 1.0;
            }
            // False alarm about 2e-9 a cell.
            let allowed = 6.0 * table.standard_deviation() + 1.0;
            let mut cells = table.values().iter().zip(&counts);
            assert!(cells.all(|(noisy, count): (&f64, &f64)| (noisy - count).abs() < allowed), "{method}: {columns:?}");
        }
        let read = Marginals::parse(marginals.to_json(model.schema()).as_bytes(), model.schema()).unwrap();
        let again = marginals::fit(model.schema(), read).unwrap();
        assert!(again.rows().abs_diff(3_000) < 60, "{method}: {} rows", again.rows());
    }
}

/// Numbers at the ends of the valid range, and within it.
fn number() -> impl Strategy<Value = f64> {
    let ends =
        prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 5e-324, 9_007_199_254_740_992.0, -9_007_199_254_740_992.0]);
    prop_oneof![ends, -1e6..1e6_f64]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_an_error_or_a_model(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(marginals) = Marginals::parse(bytes.as_slice(), &schema()) {
            let _ = marginals::fit(&schema(), marginals);
        }
    }

    #[test]
    fn a_damaged_file_is_an_error_or_a_model(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(b"0123456789-.e,:[]{}\"\\ \n\x00\xff".to_vec())), 0..5),
        cut: prop::sample::Index,
        cuts: bool,
    ) {
        let mut bytes = file(PRIVACY, &[PAIR, r#"{"columns": ["region"], "standard_deviation": 1, "counts": [50, 50]}"#]).into_bytes();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(marginals) = Marginals::parse(bytes.as_slice(), &schema())
            && let Ok(model) = marginals::fit(&schema(), marginals)
        {
            prop_assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap(), model);
        }
    }

    #[test]
    fn any_counts_and_noise_make_a_model_that_can_be_kept_and_sampled(
        pair in prop::collection::vec(number(), 6),
        size in prop::collection::vec(number(), 3),
        deviations in prop::array::uniform2(prop_oneof![Just(1e-6), Just(2_199_023_255_552.0), 1e-3..1e3_f64]),
    ) {
        let table = |columns: &str, deviation: f64, counts: &[f64]| {
            format!(r#"{{"columns": [{columns}], "standard_deviation": {deviation:e}, "counts": {counts:?}}}"#)
        };
        let tables = [table(r#""size", "region""#, deviations[0], &pair), table(r#""size""#, deviations[1], &size)];
        let model = fit_text(&file(PRIVACY, &[&tables[0], &tables[1]])).unwrap();
        prop_assert_eq!(&Model::from_bytes(&model.to_bytes()).unwrap(), &model);
        let total: f64 = shares(&model, &[0, 1]).iter().sum();
        prop_assert!((total - 1.0).abs() < 1e-6);
        prop_assert_eq!(model.sample_codes(50, 1, Sampling::LowVariance).map(|chunk| chunk[0].len()).sum::<usize>(), 50);
    }

    #[test]
    fn a_damaged_model_of_tables_made_elsewhere_does_not_raise(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        use sha2::{Digest, Sha256};
        let mut bytes = fit_text(&file(PRIVACY, &[PAIR])).unwrap().to_bytes();
        bytes.truncate(bytes.len() - 32);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let hash = Sha256::digest(&bytes);
        bytes.extend(hash);
        if let Ok(model) = Model::from_bytes(&bytes) {
            let _ = model.marginals();
        }
    }
}
