//! Columns in the names of directories: `sales/year=2024/region=north/part-0.parquet`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray, UInt64Array};
use datafusion::arrow::compute::{cast, take_record_batch};
use datafusion::arrow::datatypes::DataType;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry, ObjectStoreUrl};
use object_store::memory::InMemory;
use object_store::path::Path as StorePath;
use object_store::{ObjectStore, ObjectStoreExt};
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, ColumnProblem, EngineError, Format, Input, ReadOptions, column_types};
use scumble_schema::{Clique, Dialect, Schema};
use tempfile::TempDir;

use crate::common::{compress, counts, people, read, schema, write};

const EXTENSIONS: [&str; 3] = ["csv", "parquet", "arrow"];

/// Encodes everything but letters and digits.
fn encoded(text: &str) -> String {
    let letter =
        |byte: u8| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(letter).collect()
}

/// Returns the name of the directory of every row for one column.
fn directories(rows: &RecordBatch, column: &str) -> Vec<String> {
    let texts = cast(rows.column_by_name(column).unwrap(), &DataType::Utf8).unwrap();
    let name = |value: Option<&str>| value.map_or_else(|| "__HIVE_DEFAULT_PARTITION__".into(), encoded);
    texts.as_string::<i32>().iter().map(|value| format!("{column}={}", name(value))).collect()
}

/// Writes `rows` as one file per value of `columns`, in directories below `root`.
fn write_hive(root: &Path, rows: &RecordBatch, columns: &[&str], extension: &str) {
    let names: Vec<Vec<String>> = columns.iter().map(|column| directories(rows, column)).collect();
    let mut groups: BTreeMap<PathBuf, Vec<u64>> = BTreeMap::new();
    for row in 0..rows.num_rows() {
        let directory = names.iter().map(|names| &names[row]).collect();
        groups.entry(directory).or_default().push(row as u64);
    }
    let others =
        (0..rows.num_columns()).filter(|place| !columns.contains(&rows.schema().field(*place).name().as_str()));
    let stored = rows.project(&others.collect::<Vec<_>>()).unwrap();
    for (directory, places) in groups {
        fs::create_dir_all(root.join(&directory)).unwrap();
        let part = take_record_batch(&stored, &UInt64Array::from(places)).unwrap();
        write(&root.join(directory).join(format!("part-0.{extension}")), &[part]);
    }
}

/// Writes text to a file, and the directories above it.
fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn truth(rows: &RecordBatch, schema: &Schema) -> Vec<Vec<u64>> {
    counts(&CodedTable::from_batches(vec![vec![rows.clone()]], schema, &ReadOptions::default()).unwrap(), schema)
}

#[test]
fn columns_in_the_path_give_the_counts_of_the_table_without_directories() {
    let (schema, rows) = (schema(), people(2_000, 3));
    let expected = truth(&rows, &schema);
    for extension in EXTENSIONS {
        for columns in [&["region"][..], &["since", "region"], &["married", "since"]] {
            let directory = TempDir::new().unwrap();
            write_hive(directory.path(), &rows, columns, extension);
            for threads in [1, 3] {
                let options = ReadOptions { threads: Some(threads), ..ReadOptions::default() };
                let table = CodedTable::read(&[directory.path().into()], &schema, &options).unwrap();
                assert!(counts(&table, &schema) == expected, "{extension} {columns:?} {threads} threads");
            }
            let glob = directory.path().join(format!("*/**/*.{extension}"));
            assert!(counts(&read(glob, &schema).unwrap(), &schema) == expected, "{extension} {columns:?} as a glob");
        }
    }
}

#[test]
fn values_of_every_type_may_be_in_the_path() {
    let (schema, rows) = (schema(), people(60, 4));
    let expected = truth(&rows, &schema);
    for extension in EXTENSIONS {
        for column in ["region", "age", "income", "married", "born", "seen", "since", "weight"] {
            let directory = TempDir::new().unwrap();
            write_hive(directory.path(), &rows, &[column], extension);
            assert!(counts(&read(directory.path(), &schema).unwrap(), &schema) == expected, "{column}, {extension}");
        }
    }
}

#[test]
fn files_of_several_batches_have_the_value_in_every_row() {
    let (schema, rows) = (schema(), people(40_000, 5));
    let expected = truth(&rows, &schema);
    for extension in EXTENSIONS {
        let directory = TempDir::new().unwrap();
        write_hive(directory.path(), &rows, &["married"], extension);
        assert!(counts(&read(directory.path(), &schema).unwrap(), &schema) == expected, "{extension}");
    }
}

/// Codes: 2020 to 2024, missing, unknown.
const YEAR: &str =
    "fields: [{name: year, type: integer, constraints: {minimum: 2020, maximum: 2024}, dp: {open: true}}]";

fn years(root: &Path) -> Vec<u64> {
    let schema = Schema::parse(YEAR).unwrap();
    let table = read(root, &schema).unwrap();
    table.count_tables(&schema.domain().one_way()).unwrap().swap_remove(0)
}

#[test]
fn a_value_is_read_as_a_field_of_a_csv_file_is() {
    let values = ["2024", "__HIVE_DEFAULT_PARTITION__", "", "soon", "2024.0", "%32024", "9999", "%FF", "20%24"];
    let plain = TempDir::new().unwrap();
    let lines = values.map(|value| match value {
        "__HIVE_DEFAULT_PARTITION__" => ",x\n".into(),
        "%32024" => "2024,x\n".into(),
        "20%24" => "20$,x\n".into(),
        value => format!("{value},x\n"),
    });
    put(&plain.path().join("a.csv"), format!("year,note\n{}", lines.concat()));
    let expected = years(plain.path());
    assert_eq!(expected.iter().sum::<u64>(), values.len() as u64);
    for extension in EXTENSIONS {
        let directory = TempDir::new().unwrap();
        for value in values {
            let folder = directory.path().join(format!("year={value}"));
            fs::create_dir(&folder).unwrap();
            let note: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
            write(&folder.join(format!("a.{extension}")), &[RecordBatch::try_from_iter([("note", note)]).unwrap()]);
        }
        // The files have no column of the schema at all.
        assert_eq!(years(directory.path()), expected, "{extension}");
    }
}

#[test]
fn a_column_in_file_and_path_is_read_from_the_file() {
    let directory = TempDir::new().unwrap();
    put(&directory.path().join("year=2024/a.csv"), "year\n2020\n2021\n");
    put(&directory.path().join("year=2023/a.csv"), "note\n1\n2\n3\n");
    // Directories at other depths, and in another order.
    put(&directory.path().join("b.csv"), "year\n2022\n");
    put(&directory.path().join("month=1/year=2022/day=2/c.csv"), "note\n1\n");
    put(&directory.path().join("_year=2021/year=2022/d.csv"), "note\n1\n");
    put(&directory.path().join("_temporary/year=2022/d.csv"), "note\n1\n");
    assert_eq!(years(directory.path()), [1, 1, 3, 3, 0, 0, 0]);
}

fn problem(error: &EngineError) -> (&str, &ColumnProblem) {
    match error {
        EngineError::Schema { column, problem, .. } => (column, problem),
        other => panic!("{other}"),
    }
}

#[test]
fn a_column_that_is_in_the_path_twice_is_refused_unless_the_file_has_it() {
    let (directory, schema) = (TempDir::new().unwrap(), Schema::parse(YEAR).unwrap());
    let path = directory.path().join("year=2024/year=2023/a.csv");
    put(&path, "note\n1\n");
    let error = read(directory.path(), &schema).unwrap_err();
    assert_eq!(problem(&error), ("year", &ColumnProblem::Repeated));
    let error = column_types(&directory.path().into(), None, &Dialect::default()).unwrap_err();
    assert_eq!(problem(&error), ("year", &ColumnProblem::Repeated));
    put(&path, "year\n2020\n");
    assert_eq!(years(directory.path())[0], 1);
}

#[test]
fn directories_that_were_named_are_no_columns() {
    let (directory, schema) = (TempDir::new().unwrap(), Schema::parse(YEAR).unwrap());
    let root = directory.path().join("year=2024");
    put(&root.join("part=0/a.csv"), "note\n1\n");
    let glob = directory.path().join("*/*/*.csv");
    assert_eq!(read(&glob, &schema).unwrap().count_tables(&[Clique::empty()]).unwrap(), [[1]]);
    for input in [root.clone(), root.join("*/*.csv"), root.join("part=0/a.csv")] {
        let error = read(&input, &schema).unwrap_err();
        assert_eq!(problem(&error), ("year", &ColumnProblem::InNamedPath), "{}", input.display());
        assert!(error.hint().unwrap().contains("name the directory above"));
    }
    let error = read(&root, &Schema::parse(&YEAR.replace("year", "Part")).unwrap()).unwrap_err();
    assert_eq!(problem(&error), ("Part", &ColumnProblem::Missing { meant: Some("part".into()) }));
}

#[test]
fn columns_of_the_path_follow_those_of_the_file() {
    for extension in EXTENSIONS {
        let directory = TempDir::new().unwrap();
        write_hive(directory.path(), &people(40, 6), &["since", "region"], extension);
        let types = column_types(&directory.path().into(), None, &Dialect::default()).unwrap().types;
        let names: Vec<_> = types.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["weight", "age", "income", "married", "born", "seen", "since", "region"], "{extension}");
        assert!([6, 7].iter().all(|&place| *types.field(place).data_type() == DataType::Utf8));
        // A file that is named has only its own.
        let file = glob_one(directory.path(), extension);
        assert_eq!(column_types(&file.into(), None, &Dialect::default()).unwrap().types.fields().len(), 6);
    }
}

/// Returns some file two directories below `root`.
fn glob_one(root: &Path, extension: &str) -> PathBuf {
    let first = |path: PathBuf| fs::read_dir(path).unwrap().next().unwrap().unwrap().path();
    first(first(root.to_owned())).join(format!("part-0.{extension}"))
}

#[test]
fn a_unit_may_be_in_the_path() {
    let schema = Schema::parse(
        "
dp: {privacyUnit: who, maxContributions: 3}
fields:
  - {name: a, type: integer, constraints: {minimum: 0, maximum: 6}}
",
    )
    .unwrap();
    let rows = 400;
    let who: StringArray = (0..rows).map(|row| (row % 37 > 0).then(|| format!("p {}", row % 37))).collect();
    let a: Int64Array = (0..rows).map(|row| Some(row * row % 8)).collect();
    let rows = RecordBatch::try_from_iter([("who", Arc::new(who) as ArrayRef), ("a", Arc::new(a))]).unwrap();
    let expected = truth(&rows, &schema);
    assert_eq!(expected[0], [36 * 3]);
    for extension in EXTENSIONS {
        let directory = TempDir::new().unwrap();
        write_hive(directory.path(), &rows, &["who"], extension);
        assert_eq!(counts(&read(directory.path(), &schema).unwrap(), &schema), expected, "{extension}");
    }
}

const CANARY: &str = "CANARY7f3a";

/// Everything that an error can print.
fn printed(error: &EngineError) -> String {
    format!("{error} {error:?} {error:#?} {:?}", error.hint())
}

#[test]
fn no_error_shows_the_value_of_a_directory() {
    let schema = Schema::parse(&YEAR.replace("year", "age")).unwrap();
    let check = |name: &str, fill: &dyn Fn(&Path)| {
        let directory = TempDir::new().unwrap();
        let below = directory.path().join(format!("who={CANARY}"));
        fs::create_dir(&below).unwrap();
        fill(&below);
        let inputs = [directory.path().into(), Input::new(directory.path().join("*/*"))];
        for input in inputs {
            let error = CodedTable::read(&[input], &schema, &ReadOptions::default()).expect_err(name);
            let printed = printed(&error);
            assert!(!printed.contains(CANARY), "{name}: {printed}");
            assert!(printed.contains("who=…"), "{name}: {printed}");
        }
    };
    let ages: Vec<Option<i64>> = (0..3_000).map(|row| Some(2_020 + row % 5)).collect();
    let ages: ArrayRef = Arc::new(Int64Array::from(ages));
    let ages = RecordBatch::try_from_iter([("age", ages)]).unwrap();
    let cut = |path: PathBuf| {
        let bytes = fs::read(&path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    };
    for extension in EXTENSIONS {
        check("a missing column", &|below| {
            let file = below.join(format!("a.{extension}"));
            let other: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
            write(&file, &[RecordBatch::try_from_iter([("other", other)]).unwrap()]);
        });
        if extension != "csv" {
            check("a cut file", &|below| {
                let file = below.join(format!("a.{extension}"));
                write(&file, std::slice::from_ref(&ages));
                cut(file);
            });
        }
        check("no file of its format", &|below| fs::write(below.join(format!("a.{extension}")), "").unwrap());
    }
    check("a cut text", &|below| {
        let ages: Vec<String> = (0..9_000).map(|row| (row * row % 7_919).to_string()).collect();
        let text = format!("age\n{}\n", ages.join("\n"));
        let packed = compress(
            datafusion::datasource::file_format::file_compression_type::FileCompressionType::GZIP,
            text.into(),
        );
        fs::write(below.join("a.csv.gz"), &packed[..packed.len() / 2]).unwrap();
    });
    check("a header that is not UTF-8", &|below| fs::write(below.join("a.csv"), b"age,\xFF\n1,2\n").unwrap());
    check("a file that is compressed as a whole", &|below| fs::write(below.join("a.parquet.gz"), "").unwrap());
}

#[test]
fn errors_about_several_files_show_no_value_either() {
    let schema = Schema::parse(&YEAR.replace("year", "age")).unwrap();
    let directory = TempDir::new().unwrap();
    let below = directory.path().join(format!("who={CANARY}"));
    put(&below.join("a.csv"), "age\n1\n");
    let twice: [Input; 2] = [directory.path().into(), directory.path().into()];
    let error = CodedTable::read(&twice, &schema, &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("who=…/a.csv` is named twice"), "{error}");
    put(&below.join(format!("note={CANARY}.txt")), "age\n1\n");
    let options = ReadOptions { format: Some(Format::Parquet), ..ReadOptions::default() };
    let error = CodedTable::read(&twice[..1], &schema, &options).unwrap_err();
    assert!(!printed(&error).contains(CANARY), "{error}");
    put(&below.join("b.tsv"), "age\n1\n");
    let error = read(directory.path(), &schema).unwrap_err();
    assert!(error.to_string().contains("several formats") && !printed(&error).contains(CANARY), "{error}");
    assert!(error.to_string().contains("who=…/b.tsv"), "{error}");
}

#[test]
fn a_file_that_is_gone_when_it_is_read_is_not_named_by_its_value() {
    let fields = "{name: year, type: integer, constraints: {minimum: 2020, maximum: 2024}}, {name: note, type: string, constraints: {enum: [x]}}";
    let schema = Schema::parse(&format!("fields: [{fields}]")).unwrap();
    let directory = TempDir::new().unwrap();
    for extension in EXTENSIONS {
        let file = directory.path().join(format!("year={CANARY}/a.{extension}"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let note: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
        write(&file, &[RecordBatch::try_from_iter([("note", note)]).unwrap()]);
        let scan =
            scumble_engine::TableScan::open(&[directory.path().into()], &schema, &ReadOptions::default()).unwrap();
        assert!(!format!("{scan:?}").contains(CANARY));
        fs::remove_file(file).unwrap();
        let error = scan.count_tables(&schema.domain().one_way()).unwrap_err();
        assert!(!printed(&error).contains(CANARY) && printed(&error).contains("year=…"), "{extension}: {error}");
    }
}

#[test]
fn objects_of_a_store_have_columns_in_their_keys() {
    let (schema, rows) = (schema(), people(300, 7));
    let directory = TempDir::new().unwrap();
    write_hive(directory.path(), &rows, &["region"], "parquet");
    let store = Arc::new(InMemory::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for folder in fs::read_dir(directory.path()).unwrap() {
        let folder = folder.unwrap();
        let key = format!("year=2024/people/{}/part-0.parquet", folder.file_name().to_str().unwrap());
        let bytes = fs::read(folder.path().join("part-0.parquet")).unwrap();
        runtime.block_on(store.put(&StorePath::parse(key).unwrap(), bytes.into())).unwrap();
    }
    let stores = DefaultObjectStoreRegistry::new();
    let url = ObjectStoreUrl::parse("s3://lake").unwrap();
    stores.register_store(url.as_ref(), Arc::clone(&store) as Arc<dyn ObjectStore>);
    let options = ReadOptions { stores: Some(Arc::new(stores)), ..ReadOptions::default() };
    let open = |input: &str, schema: &Schema| CodedTable::read(&[Input::new(input)], schema, &options);
    let table = open("s3://lake/year=2024/people/", &schema).unwrap();
    assert!(counts(&table, &schema) == truth(&rows, &schema));
    let of_year = Schema::parse(YEAR).unwrap();
    assert_eq!(open("s3://lake/", &of_year).unwrap().count_tables(&of_year.domain().one_way()).unwrap()[0][4], 300);
    let error = open("s3://lake/year=2024/", &of_year).unwrap_err();
    assert_eq!(problem(&error), ("year", &ColumnProblem::InNamedPath));
    let error =
        open("s3://lake/year=2024/people/", &Schema::parse(&YEAR.replace("year", "none")).unwrap()).unwrap_err();
    assert!(error.to_string().contains("(`s3://lake/year=2024/people/region=…/part-0.parquet`)"), "{error}");
}
