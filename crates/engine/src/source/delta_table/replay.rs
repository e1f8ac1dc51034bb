//! Replays the actions of a log.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Component, Path};

use bytes::Bytes;
use serde::Deserialize;

use super::checkpoint;
use super::problem::DeltaProblem;
use crate::source::path_columns::{PathColumns, decode};

/// Newest version of the protocol for readers.
const READER_VERSION: u32 = 3;
/// Features that change nothing here, or whose use is found and refused: files with other names of
/// columns, rows marked as deleted, and checkpoints in several files.
const FEATURES: [&str; 5] = ["columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"];
/// Setting of a table whose columns have other names in its files.
const COLUMN_MAPPING: &str = "delta.columnMapping.mode";

/// A line of a log: one of these.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Action {
    add: Option<Add>,
    remove: Option<Remove>,
    meta_data: Option<Metadata>,
    protocol: Option<Protocol>,
    /// A further file of a checkpoint.
    sidecar: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Add {
    path: String,
    #[serde(default)]
    partition_values: BTreeMap<String, Option<String>>,
    #[serde(default)]
    modification_time: i64,
    deletion_vector: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Remove {
    path: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    schema_string: String,
    #[serde(default)]
    configuration: HashMap<String, Option<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Protocol {
    min_reader_version: u32,
    reader_features: Option<Vec<String>>,
}

/// The columns of a table. Only their names matter: types are those of the files.
#[derive(Deserialize)]
struct Columns {
    fields: Vec<Column>,
}

#[derive(Deserialize)]
struct Column {
    name: String,
}

/// The files of a version.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) version: u64,
    /// Newest first, so that the first file has the columns of today.
    pub(crate) files: Vec<LiveFile>,
}

/// A file of a version.
///
/// `Debug` prints no path, which may hold a value.
pub(crate) struct LiveFile {
    /// Below the table, with `/`.
    pub(crate) path: String,
    /// Columns that the file may lack: those of its partition with their values, and those that the
    /// table got later, without.
    pub(crate) columns: PathColumns,
}

impl fmt::Debug for LiveFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LiveFile").field("columns", &self.columns).finish_non_exhaustive()
    }
}

/// The table after the actions so far.
#[derive(Default)]
struct State {
    protocol: Option<Protocol>,
    metadata: Option<Metadata>,
    /// By decoded path: writers encode paths differently.
    live: BTreeMap<Vec<u8>, Add>,
}

impl Snapshot {
    /// Replays a checkpoint and the commits after it.
    pub(super) fn replay(version: u64, checkpoint: Vec<Bytes>, commits: &[Bytes]) -> Result<Self, DeltaProblem> {
        let mut state = State::default();
        let first = (version + 1).saturating_sub(commits.len() as u64);
        for part in checkpoint {
            let damaged = || DeltaProblem::Damaged { version: first.saturating_sub(1) };
            for batch in checkpoint::lines(part).map_err(|_| damaged())? {
                state.apply(&batch.map_err(|_| damaged())?).ok_or_else(damaged)??;
            }
        }
        for (version, commit) in (first..).zip(commits) {
            state.apply(commit).ok_or(DeltaProblem::Damaged { version })??;
        }
        state.finish(version)
    }
}

impl State {
    /// Applies the actions of a commit, one in a line. `None` is for text that holds none.
    ///
    /// Their order does not matter: a commit that replaces what it says about a file both removes
    /// and adds it.
    fn apply(&mut self, lines: &[u8]) -> Option<Result<(), DeltaProblem>> {
        let lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let mut added = vec![];
        for line in lines {
            let action: Action = serde_json::from_slice(line).ok()?;
            if action.sidecar.is_some() {
                return Some(Err(DeltaProblem::Feature("v2Checkpoint".into())));
            }
            self.protocol = action.protocol.or(self.protocol.take());
            self.metadata = action.meta_data.or(self.metadata.take());
            if let Some(Remove { path }) = action.remove {
                self.live.remove(&decode(&path));
            }
            added.extend(action.add);
        }
        self.live.extend(added.into_iter().map(|add| (decode(&add.path), add)));
        Some(Ok(()))
    }

    fn finish(self, version: u64) -> Result<Snapshot, DeltaProblem> {
        let damaged = || DeltaProblem::Damaged { version };
        let (protocol, metadata) = self.protocol.zip(self.metadata).ok_or_else(damaged)?;
        protocol.check()?;
        metadata.check()?;
        let columns: Columns = serde_json::from_str(&metadata.schema_string).map_err(|_| damaged())?;
        let mut added: Vec<Add> = self.live.into_values().collect();
        added.sort_by_key(|add| std::cmp::Reverse(add.modification_time));
        let files: Vec<_> = added.into_iter().map(|add| add.file(&columns, version)).collect::<Result<_, _>>()?;
        if files.is_empty() { Err(DeltaProblem::NoRows { version }) } else { Ok(Snapshot { version, files }) }
    }
}

impl Protocol {
    fn check(&self) -> Result<(), DeltaProblem> {
        if self.min_reader_version > READER_VERSION {
            return Err(DeltaProblem::Feature(format!("reader version {}", self.min_reader_version)));
        }
        let features = self.reader_features.iter().flatten();
        match features.into_iter().find(|feature| !FEATURES.contains(&feature.as_str())) {
            Some(unknown) => Err(DeltaProblem::Feature(unknown.clone())),
            None => Ok(()),
        }
    }
}

impl Metadata {
    fn check(&self) -> Result<(), DeltaProblem> {
        match self.configuration.get(COLUMN_MAPPING) {
            Some(Some(mode)) if mode != "none" => Err(DeltaProblem::Feature("columnMapping".into())),
            _ => Ok(()),
        }
    }
}

impl Add {
    fn file(mut self, columns: &Columns, version: u64) -> Result<LiveFile, DeltaProblem> {
        if self.deletion_vector.is_some() {
            return Err(DeltaProblem::DeletionVectors);
        }
        if self.path.contains("://") {
            return Err(DeltaProblem::Outside);
        }
        let path = String::from_utf8(decode(&self.path)).map_err(|_| DeltaProblem::Damaged { version })?;
        // A log must not name files elsewhere, whose rows the user did not mean.
        let is_below = |part: Component| matches!(part, Component::Normal(_));
        if path.is_empty() || path.contains('\\') || !Path::new(&path).components().all(is_below) {
            return Err(DeltaProblem::Outside);
        }
        let value = |column: &Column| {
            // An empty text stands for a missing value.
            let value = self.partition_values.remove(&column.name).flatten().filter(|value| !value.is_empty());
            (column.name.clone(), value.map(String::into_bytes))
        };
        let columns = PathColumns::of_values(columns.fields.iter().map(value));
        Ok(LiveFile { path, columns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROTOCOL: &str = r#"{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}"#;

    fn metadata(columns: &[&str], configuration: &str) -> String {
        let fields: Vec<String> = columns
            .iter()
            .map(|name| format!(r#"{{"name":"{name}","type":"long","nullable":true,"metadata":{{}}}}"#))
            .collect();
        let schema = serde_json::Value::from(format!(r#"{{"type":"struct","fields":[{}]}}"#, fields.join(",")));
        format!(
            r#"{{"metaData":{{"id":"x","schemaString":{schema},"partitionColumns":[],"configuration":{configuration}}}}}"#
        )
    }

    fn add(path: &str, time: u32, partition: &str) -> String {
        format!(
            r#"{{"add":{{"path":"{path}","partitionValues":{partition},"size":1,"modificationTime":{time},"dataChange":true}}}}"#
        )
    }

    fn replay(commits: &[&[&str]]) -> Result<Snapshot, DeltaProblem> {
        let commits: Vec<Bytes> = commits.iter().map(|lines| Bytes::from(lines.join("\n"))).collect();
        Snapshot::replay(commits.len() as u64 - 1, vec![], &commits)
    }

    fn paths(snapshot: &Snapshot) -> Vec<&str> {
        snapshot.files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn removed_files_are_not_live_and_the_newest_comes_first() {
        let begin = [PROTOCOL, &metadata(&["a"], "{}"), &add("one.parquet", 1, "{}"), &add("two.parquet", 2, "{}")];
        let remove = r#"{"remove":{"path":"one.parquet","dataChange":true}}"#;
        let again = [&add("o%6ee.parquet", 4, "{}"), remove];
        let commit = [r#"{"commitInfo":{"operation":"DELETE"}}"#, remove, &add("three.parquet", 3, "{}"), ""];
        assert_eq!(paths(&replay(&[&begin]).unwrap()), ["two.parquet", "one.parquet"]);
        assert_eq!(paths(&replay(&[&begin, &commit]).unwrap()), ["three.parquet", "two.parquet"]);
        assert_eq!(paths(&replay(&[&begin, &again]).unwrap()), ["one.parquet", "two.parquet"], "added again");
    }

    #[test]
    fn a_file_has_the_values_of_its_partition_and_no_others_of_later_columns() {
        let begin =
            [PROTOCOL, &metadata(&["a", "year", "late"], "{}"), &add("year=x%2520y/1.parquet", 1, r#"{"year":"x y"}"#)];
        let none = add("year=__HIVE_DEFAULT_PARTITION__/1.parquet", 0, r#"{"year":""}"#);
        let snapshot = replay(&[&begin, &[&none]]).unwrap();
        let [file, other] = &snapshot.files[..] else { panic!("{snapshot:?}") };
        assert_eq!(file.path, "year=x%20y/1.parquet", "decoded once");
        assert_eq!(file.columns.names().collect::<Vec<_>>(), ["a", "year", "late"]);
        let value = |file: &LiveFile, name: &str| file.columns.value(name).unwrap().unwrap().to_string();
        assert_eq!((value(file, "year"), value(file, "late")), ("782079".into(), "NULL".into()));
        assert_eq!(value(other, "year"), "NULL");
    }

    #[test]
    fn what_could_change_the_rows_is_refused() {
        let plain = metadata(&["a"], "{}");
        let feature = |name: &str| {
            let protocol = format!(
                r#"{{"protocol":{{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["{name}"],"writerFeatures":[]}}}}"#
            );
            replay(&[&[&protocol, &plain, &add("a.parquet", 1, "{}")]]).map(|snapshot| snapshot.files.len())
        };
        assert_eq!(feature("timestampNtz"), Ok(1));
        assert_eq!(feature("rowsInTheLog"), Err(DeltaProblem::Feature("rowsInTheLog".into())));
        let newer = r#"{"protocol":{"minReaderVersion":4,"minWriterVersion":7}}"#;
        assert_eq!(replay(&[&[newer, &plain]]).unwrap_err(), DeltaProblem::Feature("reader version 4".into()));
        let mapped = metadata(&["a"], r#"{"delta.columnMapping.mode":"name"}"#);
        assert_eq!(replay(&[&[PROTOCOL, &mapped]]).unwrap_err(), DeltaProblem::Feature("columnMapping".into()));
        let unmapped = metadata(&["a"], r#"{"delta.columnMapping.mode":"none","delta.other":null}"#);
        assert_eq!(replay(&[&[PROTOCOL, &unmapped]]).unwrap_err(), DeltaProblem::NoRows { version: 0 });
        let marked = r#"{"add":{"path":"a.parquet","partitionValues":{},"deletionVector":{"storageType":"u"}}}"#;
        assert_eq!(replay(&[&[PROTOCOL, &plain, marked]]).unwrap_err(), DeltaProblem::DeletionVectors);
        let sidecar = r#"{"sidecar":{"path":"a.parquet"}}"#;
        assert_eq!(replay(&[&[PROTOCOL, &plain, sidecar]]).unwrap_err(), DeltaProblem::Feature("v2Checkpoint".into()));
    }

    #[test]
    fn files_elsewhere_are_refused() {
        for path in
            ["../a.parquet", "/etc/a.parquet", "a/%2e%2e/b.parquet", "s3://lake/a.parquet", "", r"..\\a.parquet"]
        {
            let begin = [PROTOCOL, &metadata(&["a"], "{}"), &add(path, 1, "{}")];
            assert_eq!(replay(&[&begin]).unwrap_err(), DeltaProblem::Outside, "{path}");
        }
    }

    #[test]
    fn damaged_logs_are_refused_with_their_version() {
        let begin = [PROTOCOL, &metadata(&["a"], "{}")];
        let damaged = |commits: &[&[&str]]| match replay(commits) {
            Err(DeltaProblem::Damaged { version }) => version,
            other => panic!("{other:?}"),
        };
        assert_eq!(damaged(&[&begin, &["{\"add\":"]]), 1);
        assert_eq!(damaged(&[&[PROTOCOL]]), 0, "no columns");
        assert_eq!(damaged(&[&begin, &[r#"{"add":{"size":1}}"#]]), 1);
        let broken = Snapshot::replay(3, vec![Bytes::from_static(b"PAR1 no checkpoint PAR1")], &[]);
        assert_eq!(broken.unwrap_err(), DeltaProblem::Damaged { version: 3 });
    }
}
