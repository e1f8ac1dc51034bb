//! Delta tables: folders with the files of many versions, of which one is read.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, new_null_array};
use datafusion::arrow::compute::{concat_batches, filter_record_batch};
use datafusion::arrow::datatypes::DataType;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry, ObjectStoreUrl};
use object_store::memory::InMemory;
use object_store::path::Path as StorePath;
use object_store::{ObjectStore, ObjectStoreExt};
use scumble_engine::{CodedTable, EngineError, Input, ReadOptions, column_types, pinned};
use scumble_schema::{Dialect, Schema};
use tempfile::TempDir;

use crate::common::{counts, people, read, schema, write};

/// A column that the files of the first version lack.
const LATE: &str = "weight";

/// A Delta table of three versions, and the rows that are live in each.
///
/// The first version has two files without a column, the second deletes half of the rows of one by
/// writing them again, and the third adds a file.
struct Table {
    folder: TempDir,
    live: Vec<RecordBatch>,
}

fn add(name: &str, time: u32) -> String {
    format!(
        r#"{{"add":{{"path":"{name}","partitionValues":{{}},"size":1,"modificationTime":{time},"dataChange":true}}}}"#
    )
}

fn remove(name: &str) -> String {
    format!(r#"{{"remove":{{"path":"{name}","dataChange":true,"deletionTimestamp":1}}}}"#)
}

fn metadata(rows: &RecordBatch) -> String {
    let columns = rows.schema();
    let field = |name: &str| format!(r#"{{"name":"{name}","type":"string","nullable":true,"metadata":{{}}}}"#);
    let fields: Vec<String> = columns.fields().iter().map(|column| field(column.name())).collect();
    let fields = format!(r#"{{"type":"struct","fields":[{}]}}"#, fields.join(",")).replace('"', "\\\"");
    format!(r#"{{"metaData":{{"id":"1","schemaString":"{fields}","partitionColumns":[],"configuration":{{}}}}}}"#)
}

fn commit(table: &Path, version: u64, lines: &[String]) {
    fs::create_dir_all(table.join("_delta_log")).unwrap();
    fs::write(table.join(format!("_delta_log/{version:020}.json")), lines.join("\n")).unwrap();
}

/// Returns rows without a column, and rows in which it is null.
fn without(rows: &RecordBatch, name: &str) -> [RecordBatch; 2] {
    let place = rows.schema().index_of(name).unwrap();
    let others: Vec<usize> = (0..rows.num_columns()).filter(|&other| other != place).collect();
    let mut columns: Vec<ArrayRef> = rows.columns().to_vec();
    columns[place] = new_null_array(columns[place].data_type(), rows.num_rows());
    [rows.project(&others).unwrap(), RecordBatch::try_new(rows.schema(), columns).unwrap()]
}

impl Table {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path();
        let [(one, one_live), (two, two_live)] = [11, 12].map(|seed| {
            let [stored, live] = without(&people(700, seed), LATE);
            (stored, live)
        });
        let three = people(400, 13);
        let is_kept = (0..one.num_rows()).map(|row| Some(row % 2 == 0)).collect();
        let [kept, kept_live] = [&one, &one_live].map(|rows| filter_record_batch(rows, &is_kept).unwrap());
        for (name, rows) in [("1.parquet", &one), ("2.parquet", &two), ("1b.parquet", &kept), ("3.parquet", &three)] {
            write(&path.join(name), std::slice::from_ref(rows));
        }
        let protocol = r#"{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}"#.to_owned();
        commit(path, 0, &[protocol, metadata(&one), add("1.parquet", 1), add("2.parquet", 1)]);
        commit(path, 1, &[remove("1.parquet"), add("1b.parquet", 2)]);
        commit(path, 2, &[metadata(&three), add("3.parquet", 3)]);
        let all = |batches: &[&RecordBatch]| concat_batches(&three.schema(), batches.iter().copied()).unwrap();
        let live =
            vec![all(&[&one_live, &two_live]), all(&[&kept_live, &two_live]), all(&[&kept_live, &two_live, &three])];
        Self { folder, live }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn at(&self, version: u64) -> String {
        format!("{}@v{version}", self.path().display())
    }

    /// Counts of the live rows of a version.
    fn truth(&self, version: usize, schema: &Schema) -> Vec<Vec<u64>> {
        let rows = vec![vec![self.live[version].clone()]];
        counts(&CodedTable::from_batches(rows, schema, &ReadOptions::default()).unwrap(), schema)
    }
}

fn problem(result: Result<CodedTable, EngineError>) -> String {
    let error = result.unwrap_err();
    assert!(error.hint().is_some(), "{error}");
    error.to_string()
}

#[test]
fn the_live_rows_of_every_version_are_counted_and_no_others() {
    let (table, schema) = (Table::new(), schema());
    assert!(counts(&read(table.path(), &schema).unwrap(), &schema) == table.truth(2, &schema));
    assert!(counts(&read(table.at(2), &schema).unwrap(), &schema) == table.truth(2, &schema));
    // The first two versions have no column `weight`, so a schema of theirs has none.
    let source = crate::common::SCHEMA;
    let older = Schema::parse(&source[..source.find("  - {name: weight").unwrap()]).unwrap();
    for version in [0, 1] {
        let read = read(table.at(version), &older).unwrap();
        assert!(counts(&read, &older) == table.truth(usize::try_from(version).unwrap(), &older), "{version}");
        assert!(problem(self::read(table.at(version), &schema)).contains("`weight`"));
    }
    let slash = format!("{}/@v2", table.path().display());
    assert!(counts(&read(slash, &schema).unwrap(), &schema) == table.truth(2, &schema));
}

#[test]
fn columns_are_those_of_the_newest_file() {
    let table = Table::new();
    let columns = column_types(&table.path().into(), None, &Dialect::default()).unwrap().types;
    assert_eq!(columns.fields().len(), 8);
    assert_eq!(*columns.field_with_name(LATE).unwrap().data_type(), DataType::Decimal128(5, 2));
}

#[test]
fn a_pinned_table_does_not_change() {
    let (table, schema) = (Table::new(), schema());
    let inputs = [Input::new(table.path()), Input::new(table.at(2)), Input::new(table.path().join("3.parquet"))];
    let pinned = pinned(&inputs, &ReadOptions::default()).unwrap();
    assert_eq!(pinned.iter().map(Input::version).collect::<Vec<_>>(), [Some(2), Some(2), None]);
    assert_eq!(pinned[1].path().unwrap(), table.path());
    let lines = [remove("2.parquet"), remove("3.parquet")];
    commit(table.path(), 3, &lines);
    let read = CodedTable::read(&pinned[..1], &schema, &ReadOptions::default()).unwrap();
    assert!(counts(&read, &schema) == table.truth(2, &schema));
}

#[test]
fn what_would_count_rows_of_other_versions_is_refused() {
    let (table, schema) = (Table::new(), schema());
    let inside = |problem: String| assert!(problem.contains("is a Delta table, whose folder also holds"), "{problem}");
    inside(problem(read(table.path().join("*.parquet"), &schema)));
    let above = TempDir::new().unwrap();
    let people = above.path().join("people/id=4711");
    fs::create_dir_all(&people).unwrap();
    for entry in fs::read_dir(table.path()).unwrap() {
        let entry = entry.unwrap();
        fs::rename(entry.path(), people.join(entry.file_name())).unwrap();
    }
    inside(problem(read(above.path().join("**/*.parquet"), &schema)));
    let error = problem(read(above.path(), &schema));
    assert!(error.contains("people/id=…` is") && !error.contains("4711"), "{error}");
    inside(error);
    assert!(read(people.join("3.parquet"), &schema).is_ok(), "a file that is named itself is read");
    for (place, kind) in [("people/.hoodie/hoodie.properties", "Hudi"), ("people/metadata/v1.metadata.json", "Iceberg")]
    {
        let above = TempDir::new().unwrap();
        fs::create_dir_all(above.path().join(place).parent().unwrap()).unwrap();
        fs::write(above.path().join(place), "{}").unwrap();
        write(&above.path().join("people/1.parquet"), &[self::people(3, 1)]);
        for path in [above.path().to_owned(), above.path().join("people")] {
            let error = problem(read(path, &schema));
            assert!(error.contains(kind) && error.contains("people"), "{error}");
        }
        fs::remove_dir_all(above.path().join(place).parent().unwrap()).unwrap();
        assert!(read(above.path(), &schema).is_ok(), "{kind}");
    }
}

#[test]
fn versions_that_are_not_there_are_refused() {
    let (table, schema) = (Table::new(), schema());
    let error = read(table.at(7), &schema).unwrap_err();
    assert_eq!(error.hint().unwrap(), "its newest is 2");
    assert!(error.to_string().ends_with("has no version 7"), "{error}");
    fs::remove_file(table.path().join("1.parquet")).unwrap();
    assert!(problem(read(table.at(0), &schema)).contains("files of version 0"));
    assert!(read(table.path(), &schema).is_ok());
    fs::remove_file(table.path().join("_delta_log/00000000000000000001.json")).unwrap();
    assert!(problem(read(table.path(), &schema)).ends_with("lacks version 1"));
    let plain = TempDir::new().unwrap();
    let address = format!("{}@v3", plain.path().display());
    assert!(problem(read(&address, &schema)).contains("is not a Delta table"));
    // A file that has such a name is that file.
    let named = plain.path().join("people.parquet@v3");
    write(&plain.path().join("people.parquet"), &[people(5, 1)]);
    fs::rename(plain.path().join("people.parquet"), &named).unwrap();
    let options = ReadOptions { format: Some(scumble_engine::Format::Parquet), ..ReadOptions::default() };
    assert!(CodedTable::read(&[Input::new(&named)], &schema, &options).is_ok());
}

#[test]
fn tables_in_an_object_store_have_versions_too() {
    let (table, schema) = (Table::new(), schema());
    let store = Arc::new(InMemory::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let put = |below: &str, path: &Path| {
        let key = StorePath::parse(format!("lake/people/{below}")).unwrap();
        runtime.block_on(store.put(&key, fs::read(path).unwrap().into())).unwrap();
    };
    for below in ["", "_delta_log/"] {
        for entry in fs::read_dir(table.path().join(below)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().is_file() {
                put(&format!("{below}{}", entry.file_name().to_str().unwrap()), &entry.path());
            }
        }
    }
    let stores = DefaultObjectStoreRegistry::new();
    let url = ObjectStoreUrl::parse("s3://bucket").unwrap();
    stores.register_store(url.as_ref(), Arc::clone(&store) as Arc<dyn ObjectStore>);
    let options = ReadOptions { stores: Some(Arc::new(stores)), ..ReadOptions::default() };
    let open = |input: &str| CodedTable::read(&[Input::new(input)], &schema, &options);
    for address in ["s3://bucket/lake/people/", "s3://bucket/lake/people/@v2", "s3://bucket/lake/people@v2"] {
        assert!(counts(&open(address).unwrap(), &schema) == table.truth(2, &schema), "{address}");
    }
    let inputs = [Input::new("s3://bucket/lake/people/")];
    let pinned = pinned(&inputs, &options).unwrap();
    assert_eq!(pinned[0].version(), Some(2));
    assert!(problem(open("s3://bucket/lake/")).contains("is a Delta table, whose folder also holds"));
    assert!(problem(open("s3://bucket/lake/people/@v9")).ends_with("has no version 9"));
    runtime.block_on(store.delete(&StorePath::from("lake/people/3.parquet"))).unwrap();
    assert!(problem(open("s3://bucket/lake/people/")).contains("files of version 2"));
    for name in ["0", "1", "2"].map(|version| format!("lake/people/_delta_log/{version:0>20}.json")) {
        runtime.block_on(store.delete(&StorePath::from(name))).unwrap();
    }
    assert!(problem(open("s3://bucket/lake/people/@v2")).contains("is not a Delta table"));
    let iceberg = StorePath::from("lake/people/metadata/v3.metadata.json");
    runtime.block_on(store.put(&iceberg, "{}".into())).unwrap();
    assert!(problem(open("s3://bucket/lake/")).contains("`s3://bucket/lake/people/` is a table of Iceberg"));
}
