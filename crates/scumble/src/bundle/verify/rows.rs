//! Checks of the two files of rows against each other, the schema and the model.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_schema::DataType;
use scumble_engine::exact::ExactCounts;
use scumble_engine::{Input, ReadOptions, TableScan, column_types};
use scumble_schema::{Clique, Decoder, Dialect, Schema};

use super::Verification;
use super::files::Folder;
use crate::bundle::contents::{CSV, Contents, PARQUET, PROGRAM};
use crate::bundle::data::draw;
use crate::bundle::error::BundleError;
use crate::error::Error;

/// Internal error that ends a comparison at the first difference.
const DIFFERS: io::ErrorKind = io::ErrorKind::InvalidData;

pub(super) fn check(
    folder: &Folder<'_>,
    contents: &Contents<'_>,
    same_program: bool,
    go_on: impl FnMut(u64, u64) -> bool,
    found: &mut Verification,
) -> Result<(), Error> {
    if check_columns(folder, contents, found) && check_values(folder, contents, found) {
        check_drawn(folder, contents, same_program, go_on, found)
    } else {
        found.not_checked("rows", "were not drawn again, because the files do not fit the schema or each other");
        Ok(())
    }
}

/// Checks that both files have the columns of the schema, in its order, and Parquet also their
/// types.
fn check_columns(folder: &Folder<'_>, contents: &Contents<'_>, found: &mut Verification) -> bool {
    let due = Decoder::new(contents.model.schema()).arrow_schema().clone();
    let due_names: Vec<&str> = due.fields().iter().map(|field| field.name().as_str()).collect();
    for name in [PARQUET, CSV] {
        let problem = match column_types(&Input::new(folder.path(name)), None, &Dialect::SYNTHETIC) {
            Err(error) => format!("of {name} cannot be read: {error}"),
            Ok(columns) => {
                let names: Vec<&str> = columns.names().collect();
                let same_type = |one: &DataType, other: &DataType| one == other || is_text(one) && is_text(other);
                let typed = name == CSV
                    || columns
                        .types
                        .fields()
                        .iter()
                        .zip(due.fields())
                        .all(|(one, other)| same_type(one.data_type(), other.data_type()));
                if names == due_names && typed {
                    continue;
                }
                format!("of {name} are not those of the schema")
            }
        };
        found.failed_at("columns", problem);
        return false;
    }
    found.passed("columns", format!("of both files of rows are the {} of the schema", due_names.len()));
    true
}

/// Returns whether a type is text, which has several layouts in memory.
fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Counts of a file: the number of rows, then for each column the number of rows with each code.
type Counts = Vec<Vec<u64>>;

/// Checks that both files have the recorded number of rows, equal counts in every column, and only
/// declared values.
fn check_values(folder: &Folder<'_>, contents: &Contents<'_>, found: &mut Verification) -> bool {
    let Some(strict) = contents.model.schema().strict() else {
        found.not_checked("values", "were not checked: a column has no code left for undeclared values");
        return true;
    };
    let mut counts: Vec<Counts> = Vec::new();
    for name in [PARQUET, CSV] {
        match counted(folder, name, &strict) {
            Ok(table) => counts.push(table),
            Err(error) => {
                found.failed_at("values", format!("of {name} cannot be read: {error}"));
                return false;
            }
        }
    }
    let due = contents.release.rows;
    for (name, counts) in [PARQUET, CSV].into_iter().zip(&counts) {
        let rows = counts[0][0];
        if rows != due {
            found.failed_at("values", format!("are not complete: {name} has {rows} rows, but {due} were recorded"));
            return false;
        }
        if let Some(column) = first_undeclared(contents.model.schema(), &strict, counts) {
            found.failed_at("values", format!("of {name} in column `{column}` are not all declared by the schema"));
            return false;
        }
    }
    if counts[0] != counts[1] {
        found.failed_at("values", format!("of {PARQUET} and {CSV} differ"));
        return false;
    }
    found.passed("values", format!("of both files agree, {due} rows of them, and every one is declared by the schema"));
    true
}

fn counted(folder: &Folder<'_>, name: &str, strict: &Schema) -> Result<Counts, Error> {
    let scan = TableScan::open(&[Input::new(folder.path(name))], strict, &ReadOptions::default())?;
    let columns = strict.domain().attributes().map(Clique::single);
    let tables: Vec<Clique> = [Clique::empty()].into_iter().chain(columns).collect();
    Ok(scan.count_tables(&tables)?)
}

/// Returns the first column with an undeclared value, or with a missing value where one is
/// required.
fn first_undeclared<'a>(schema: &'a Schema, strict: &Schema, counts: &Counts) -> Option<&'a str> {
    let columns = schema.attributes().iter().zip(strict.attributes()).zip(&counts[1..]);
    columns.into_iter().find_map(|((declared, strict), counts)| {
        let count = |code: Option<u32>| code.map_or(0, |code| counts[code as usize]);
        let missing = declared.spec().constraints.required && count(strict.missing_code()) > 0;
        (missing || count(strict.unknown_code()) > 0).then(|| declared.name())
    })
}

/// Checks that the rows are, byte for byte, those that the model draws with the recorded seed.
fn check_drawn(
    folder: &Folder<'_>,
    contents: &Contents<'_>,
    same_program: bool,
    mut go_on: impl FnMut(u64, u64) -> bool,
    found: &mut Verification,
) -> Result<(), Error> {
    let differs = Arc::new(AtomicBool::new(false));
    let compare = |name| {
        let path = folder.path(name);
        let file = File::open(&path).map_err(|error| BundleError::io(&path, &error))?;
        Ok::<_, Error>(Comparing { file: BufReader::new(file), differs: Arc::clone(&differs) })
    };
    let files = [compare(PARQUET)?, compare(CSV)?];
    let drawn = draw(contents.model, contents.release, files, |drawn| go_on(drawn, contents.release.rows));
    let same = match drawn {
        _ if differs.load(Ordering::Relaxed) => false,
        Err(error) => return Err(error),
        Ok(files) => files.into_iter().all(Comparing::ended),
    };
    let seed = contents.release.seed;
    if same {
        found.passed("rows", format!("are those that the model draws with seed {seed}"));
    } else if same_program {
        found.failed_at("rows", format!("are not those that the model draws with seed {seed}"));
    } else {
        found.not_checked("rows", format!("were drawn by another version than {PROGRAM}, which draws different rows"));
    }
    Ok(())
}

/// Writer that compares bytes with a file, and stops at the first difference.
struct Comparing {
    file: BufReader<File>,
    differs: Arc<AtomicBool>,
}

impl Comparing {
    fn ended(mut self) -> bool {
        matches!(self.file.read(&mut [0]), Ok(0))
    }
}

impl Write for Comparing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = vec![0; bytes.len()];
        let read = self.file.read_exact(&mut held);
        if read.is_err() || held != bytes {
            self.differs.store(true, Ordering::Relaxed);
            return Err(DIFFERS.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
