//! Counts and models of a cluster equal those of this machine.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use scumble::engine::{CodedTable, TableScan};
use scumble::mechanisms::{MethodAccounting, MethodAdjacency, fit_in};
use scumble::schema::learn::class_grid;
use scumble::schema::{Clique, Dialect, Recoding, TableTerms};
use scumble::vault::account::ThresholdDelta;
use scumble::vault::replay::{force, record};
use scumble::vault::{AddRemove, ColumnVault, Gdp, Pure, ReplaceOne, Zcdp};
use scumble::{ApproxDp, Delta, Epsilon, Input, Method, ReadOptions, Schema, SchemaSpec};
use scumble_engine::exact::ExactCounts;

use crate::servers::{Servers, files_below, run, wait_until};

const FIELDS: &str = "
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 10}}}
  - {name: region, type: string, constraints: {enum: [north, south, west]}, dp: {open: true}}
  - {name: born, type: date, constraints: {minimum: 1900-01-01, maximum: 2019-12-31}, dp: {bins: {by: year}}}
  - {name: smokes, type: boolean}
";

/// Writes a table in several files: CSV, compressed CSV and TSV in one folder each.
fn table(folder: &Path) -> Vec<Input> {
    let rows = |first: u32, delimiter: char| {
        let mut text = ["person", "age", "region", "born", "smokes", "unused"].join(&delimiter.to_string()) + "\n";
        for row in first..first + 700 {
            let region = ["north", "south", "west", "", "elsewhere"][(row * 7 % 5) as usize];
            let (age, smokes) = (row * 13 % 113, ["true", "false", "", "perhaps"][(row % 4) as usize]);
            let cells = [
                (row % 90).to_string(),
                age.to_string(),
                region.to_owned(),
                format!("{}-{:02}-{:02}", 1890 + row % 140, row % 12 + 1, row % 28 + 1),
                smokes.to_owned(),
                "\"a, b\"".to_owned(),
            ];
            writeln!(text, "{}", cells.join(&delimiter.to_string())).unwrap();
        }
        text
    };
    let mut inputs = vec![];
    for file in 0..4 {
        let path = folder.join(format!("part-{file}.csv"));
        fs::write(&path, rows(file * 700, ',')).unwrap();
        inputs.push(Input::new(path));
    }
    let path = folder.join("rest.tsv");
    fs::write(&path, rows(2_800, '\t')).unwrap();
    inputs.push(Input::new(path));
    inputs
}

/// Writes the rows as Parquet and Arrow files with the program.
fn as_other_formats(folder: &Path, schema: &Path) -> Vec<PathBuf> {
    let model = folder.join("a.model");
    let csv = folder.join("part-*.csv");
    let (csv, schema, model) = (csv.to_str().unwrap(), schema.to_str().unwrap(), model.to_str().unwrap());
    let budget = ["--epsilon", "1", "--delta", "1e-6", "--method", "independent"];
    run(&[&["fit", csv, "--schema", schema], &budget[..], &["-o", model]].concat());
    ["rows.parquet", "rows.arrow"]
        .map(|name| {
            let path = folder.join(name);
            run(&["sample", model, "--rows", "150000", "--seed", "1", "-o", path.to_str().unwrap()]);
            path
        })
        .to_vec()
}

fn all_pairs(schema: &Schema) -> Vec<Clique> {
    let ids: Vec<_> = schema.domain().attributes().collect();
    let mut cliques = vec![Clique::empty(), Clique::new(ids.iter().copied())];
    for (place, &one) in ids.iter().enumerate() {
        cliques.push(Clique::single(one));
        cliques.extend(ids[..place].iter().map(|&other| Clique::new([one, other])));
    }
    cliques
}

#[test]
fn counts_are_those_of_this_machine() {
    let servers = Servers::start(2);
    let folder = tempfile::tempdir().unwrap();
    let inputs = table(folder.path());
    for terms in ["", "dp: {privacyUnit: person, maxContributions: 3}\n"] {
        let schema = Schema::parse(&format!("{terms}{FIELDS}")).unwrap();
        let local = TableScan::open(&inputs, &schema, &ReadOptions::default()).unwrap();
        let remote = TableScan::open(&inputs, &schema, &servers.read_options()).unwrap();
        let cliques = all_pairs(&schema);
        let counts = local.count_tables(&cliques).unwrap();
        assert_eq!(remote.count_tables(&cliques).unwrap(), counts, "{terms}");
        assert_eq!(counts[0], [if terms.is_empty() { 3_500 } else { 270 }]);
        let recoding = Recoding::binary(schema.domain()).unwrap();
        let bits: Vec<Clique> = recoding.domain().one_way();
        let counts = local.count_recoded_tables(&recoding, &bits).unwrap();
        assert_eq!(remote.count_recoded_tables(&recoding, &bits).unwrap(), counts, "{terms}");
    }

    let written = folder.path().join("schema.yaml");
    fs::write(&written, FIELDS).unwrap();
    let schema = Schema::parse(FIELDS).unwrap();
    for path in as_other_formats(folder.path(), &written) {
        let input = [Input::new(&path)];
        let cliques = all_pairs(&schema);
        let local = TableScan::open(&input, &schema, &ReadOptions::default()).unwrap().count_tables(&cliques).unwrap();
        let remote = TableScan::open(&input, &schema, &servers.read_options()).unwrap().count_tables(&cliques).unwrap();
        assert_eq!(remote, local, "{}", path.display());
        assert_eq!(local[0], [150_000]);
    }

    let path = folder.path().join("lines.csv");
    fs::write(&path, "note,age\n\"two\nlines\",1\nplain,2\n").unwrap();
    let schema =
        Schema::parse("fields:\n  - {name: age, type: integer, constraints: {minimum: 0, maximum: 9}}\n").unwrap();
    for (multiline, rows) in [(false, 3), (true, 2)] {
        let schema = schema.clone().with_dialect(Dialect { multiline, ..Dialect::default() });
        let scan = TableScan::open(&[Input::new(&path)], &schema, &servers.read_options()).unwrap();
        assert_eq!(
            scan.count_tables(&[Clique::empty()]).unwrap(),
            [[rows]],
            "executors read by the dialect of the schema"
        );
    }
    let path = folder.path().join("rows.txt");
    fs::write(&path, "3,x,1\n4,y,2\n").unwrap();
    let (delimiter, column_names) = ("comma".parse().ok(), "id,note,age".parse().ok());
    let schema = schema.with_dialect(Dialect { delimiter, column_names, ..Dialect::default() });
    let scan = TableScan::open(&[Input::new(&path)], &schema, &servers.read_options()).unwrap();
    let ages = scan.count_tables(&[Clique::single(schema.domain().attributes().next().unwrap())]).unwrap();
    assert_eq!(ages[0][..4], [0, 1, 1, 0], "executors know the names of columns that no file has");
}

/// Executors get the values of the paths with the plan, also of directories that are null.
#[test]
fn columns_in_the_path_are_counted_as_on_this_machine() {
    let servers = Servers::start(2);
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.yaml");
    fs::write(&schema, FIELDS).unwrap();
    let inputs = table(folder.path());
    let made = as_other_formats(folder.path(), &schema);
    for (terms, rows) in [("", 150_000), ("dp: {privacyUnit: person, maxContributions: 3}\n", 9)] {
        let schema = Schema::parse(&format!("{terms}{FIELDS}").replace("smokes", "where")).unwrap();
        for file in &made {
            let root = folder.path().join(format!("{}-{rows}", file.extension().unwrap().display()));
            for (place, person) in [("yes%20", 1), ("__HIVE_DEFAULT_PARTITION__", 2), ("false", 3)] {
                let below = root.join(format!("where={place}/person={person}"));
                fs::create_dir_all(&below).unwrap();
                fs::copy(file, below.join(file.file_name().unwrap())).unwrap();
            }
            let count = |options: &ReadOptions| {
                let scan = TableScan::open(&[Input::new(&root)], &schema, options).unwrap();
                scan.count_tables(&all_pairs(&schema)).unwrap()
            };
            let here = count(&ReadOptions::default());
            assert_eq!(count(&servers.read_options()), here, "{}", file.display());
            assert_eq!(here[0], [if terms.is_empty() { 3 * rows } else { rows }]);
        }
    }
    // Text files, one of them in another folder.
    let root = folder.path().join("text");
    for (place, input) in ["a", "b=2", "smokes=1"].iter().zip(&inputs) {
        let below = root.join("year=2000").join(place);
        fs::create_dir_all(&below).unwrap();
        fs::copy(input.path().unwrap(), below.join("part.csv")).unwrap();
    }
    let year = "fields:\n  - {name: year, type: integer, constraints: {minimum: 1999, maximum: 2000}}\n";
    let schema = Schema::parse(&FIELDS.replace("\nfields:\n", year)).unwrap();
    let count = |options: &ReadOptions| {
        let scan = TableScan::open(&[Input::new(&root)], &schema, options).unwrap();
        scan.count_tables(&all_pairs(&schema)).unwrap()
    };
    let here = count(&ReadOptions::default());
    assert_eq!(count(&servers.read_options()), here);
    assert_eq!(here[0], [2_100]);
}

/// Executors report partitions with and without rows alike, and those without rows are fetched too.
#[test]
fn a_table_of_few_people_is_counted_as_on_this_machine() {
    let servers = Servers::start(2);
    let folder = tempfile::tempdir().unwrap();
    let schema = Schema::parse(&format!("dp: {{privacyUnit: person, maxContributions: 3}}\n{FIELDS}")).unwrap();
    let cliques = all_pairs(&schema);
    for rows in [0, 1, 2, 5, 40] {
        let path = folder.path().join(format!("{rows}.csv"));
        let mut text = String::from("person,age,region,born,smokes\n");
        for row in 0..rows {
            writeln!(text, "{},{row},north,1950-01-01,true", row % 9).unwrap();
        }
        fs::write(&path, text).unwrap();
        let input = [Input::new(&path)];
        let open = |options: &ReadOptions| TableScan::open(&input, &schema, options).unwrap();
        let here = open(&ReadOptions::default()).count_tables(&cliques);
        assert_eq!(open(&servers.read_options()).count_tables(&cliques), here, "{rows} rows");
        assert_eq!(open(&servers.read_options()).code().unwrap().count_tables(&cliques), here, "{rows} rows, kept");
    }
}

/// Columns that no schema declares: their values, counted through a vault whose noise is
/// negligible.
#[test]
fn values_are_those_of_this_machine() {
    let servers = Servers::start(2);
    let folder = tempfile::tempdir().unwrap();
    let inputs = table(folder.path());
    let columns = ["region", "smokes", "unused"];
    for unit in [None, Some(3)] {
        let dp = TableTerms {
            privacy_unit: unit.map(|_| "person".to_owned()),
            max_contributions: unit,
            ..TableTerms::default()
        };
        let fields = columns.iter().map(|name| class_grid(name)).collect();
        let schema = Schema::new(SchemaSpec { dp, fields, ..SchemaSpec::default() }).unwrap();
        let values = |options: &ReadOptions| {
            let scan = TableScan::open(&inputs, &schema, options).unwrap();
            let goal = ApproxDp { epsilon: Epsilon::new(1e6).unwrap(), delta: Delta::new(0.5).unwrap() };
            let for_thresholds = ThresholdDelta::half_of(goal.delta);
            let rows_of_unit = NonZeroU32::new(unit.unwrap_or(1)).unwrap();
            let (mut vault, budget) = ColumnVault::<AddRemove>::open(goal, for_thresholds, rows_of_unit).unwrap();
            let released = vault.release_values(&scan, &columns, for_thresholds, budget).unwrap();
            released.iter().map(|column| column.values().to_vec()).collect::<Vec<_>>()
        };
        let here = values(&ReadOptions::default());
        assert_eq!(values(&servers.read_options()), here, "{unit:?}");
        let rows: i64 = here[0].iter().map(|(_, rows)| rows).sum();
        assert_eq!(rows, if unit.is_some() { 270 } else { 3_500 });
    }
}

#[test]
fn a_raw_file_is_learned_and_fitted_on_a_cluster() {
    let servers = Servers::start(2);
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("age;region;seen\n");
    for row in 0..8_000 {
        let region = ["north", "south", "west"][row * 7 % 3];
        writeln!(text, "{};{region};{:02}.03.2024", row * 13 % 90, row % 28 + 1).unwrap();
    }
    let (data, rows) = (folder.path().join("raw.csv"), folder.path().join("synth.csv"));
    fs::write(&data, text).unwrap();
    let (data, written) = (data.to_str().unwrap(), rows.to_str().unwrap());
    let budget = ["--epsilon", "4", "--delta", "1e-9"];
    let engine = ["--engine", &servers.address(), "--without-tls"];
    run(&[&["synth", data, "-o", written], &budget[..], &engine].concat());
    let synthetic = fs::read_to_string(&rows).unwrap();
    assert!(synthetic.starts_with("age,region,seen\n") && synthetic.contains("north"), "{synthetic:.200}");
}

/// Counts of more cells than one executor adds.
#[test]
fn large_counts_are_added_slice_by_slice() {
    let servers = Servers::start(2);
    let folder = tempfile::tempdir().unwrap();
    let inputs = table(folder.path());
    let fields = FIELDS.replace("dp: {bins: {width: 10}}", "dp: {bins: {width: 1}}");
    let schema = Schema::parse(&fields).unwrap();
    let all = Clique::new(schema.domain().attributes());
    let cells = schema.domain().table_len(&all).unwrap();
    let cliques = vec![all; 300_000_usize.div_ceil(cells) + 1];
    let count = |options: &ReadOptions| TableScan::open(&inputs, &schema, options).unwrap().count_tables(&cliques);
    assert!(cells * cliques.len() > scumble_engine::remote::SHARE_CELLS);
    assert_eq!(count(&servers.read_options()), count(&ReadOptions::default()));
}

/// Executors keep codes, so that later queries need no file. They are removed with the table.
#[test]
fn codes_that_are_kept_answer_without_the_files() {
    let mut servers = Servers::start(2);
    let folder = tempfile::tempdir().unwrap();
    for terms in ["", "dp: {privacyUnit: person, maxContributions: 3}\n"] {
        let inputs = table(folder.path());
        let schema = Schema::parse(&format!("{terms}{FIELDS}")).unwrap();
        let recoding = Recoding::binary(schema.domain()).unwrap();
        let (pairs, bits) = (all_pairs(&schema), recoding.domain().one_way());
        let here = TableScan::open(&inputs, &schema, &ReadOptions::default()).unwrap();
        let counts = (here.count_tables(&pairs).unwrap(), here.count_recoded_tables(&recoding, &bits).unwrap());
        let kept = CodedTable::read(&inputs, &schema, &servers.read_options()).unwrap();
        for input in &inputs {
            fs::remove_file(input.path().unwrap()).unwrap();
        }
        for _ in 0..2 {
            let again = (kept.count_tables(&pairs).unwrap(), kept.count_recoded_tables(&recoding, &bits).unwrap());
            assert_eq!(again, counts, "{terms}");
        }
        let works: Vec<PathBuf> = servers.executors().iter().map(|executor| executor.work.clone()).collect();
        let files = || works.iter().map(|work| files_below(work).unwrap().len()).sum::<usize>();
        assert!(files() > works.len(), "no executor has codes");
        drop(kept);
        // Each has a lock file.
        wait_until("codes are removed", || files() == works.len());
    }
}

/// Fits on this machine, and then on the cluster with the same released values.
fn models_agree<A: MethodAdjacency, M: MethodAccounting>(
    servers: &Servers,
    inputs: &[Input],
    method: &str,
    delta: f64,
) {
    let terms = format!("dp: {{adjacency: {}}}", A::KIND);
    let schema = Schema::parse(&format!("{terms}{FIELDS}")).unwrap();
    let method = Method::named(method).unwrap();
    let goal = ApproxDp { epsilon: Epsilon::new(2.0).unwrap(), delta: Delta::new(delta).unwrap() };
    let here = Box::new(CodedTable::read(inputs, &schema, &ReadOptions::default()).unwrap());
    let (vault, budget, recorder) = record::<A, M>(here, goal, NonZeroU32::MIN).unwrap();
    let model = fit_in(vault, budget, &schema, &method).unwrap();
    let recording = recorder.finish();
    let there = Box::new(CodedTable::read(inputs, &schema, &servers.read_options()).unwrap());
    let (vault, budget, recorder) = force::<A, M>(there, goal, NonZeroU32::MIN, &recording).unwrap();
    let again = fit_in(vault, budget, &schema, &method).unwrap();
    assert_eq!(again.to_bytes(), model.to_bytes(), "{method}");
    // The exact counts before noise are equal too.
    let distances = recording.distances(&recorder.finish()).unwrap();
    assert!(distances.iter().all(|&distance| distance == 0), "{method}: {distances:?}");
}

#[test]
fn models_are_those_of_this_machine() {
    let servers = Servers::start(2);
    let folder = tempfile::tempdir().unwrap();
    let inputs = table(folder.path());
    for method in ["independent", "mst", "privbayes-nist", "privmrf", "auto"] {
        models_agree::<AddRemove, Gdp>(&servers, &inputs, method, 1e-6);
    }
    for method in ["independent", "privbayes", "pb-pgm"] {
        models_agree::<AddRemove, Pure>(&servers, &inputs, method, 0.0);
    }
    models_agree::<AddRemove, Zcdp>(&servers, &inputs, "aim", 1e-6);
    models_agree::<ReplaceOne, Zcdp>(&servers, &inputs, "smoothed-histogram", 1e-6);
    assert_eq!(Method::NAMES.len(), 9, "a method is missing above");
}
