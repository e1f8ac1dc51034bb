//! A Delta table with deleted rows and a changed schema, written by the package of Delta: counts of
//! every version beside those of the rows that the package itself reads.

use std::path::{Path, PathBuf};
use std::process::Command;

use scumble::engine::{Input, ReadOptions, TableScan};
use scumble::schema::Schema;
use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::cliques::pairs;
use scumble_benchmarks::figure::{Bar, Figure, Figures};
use scumble_benchmarks::python::python_with;
use scumble_engine::exact::ExactCounts;

const ROWS: usize = 200_000;
const COLUMNS: [&str; 4] = [
    "{name: city, type: string, constraints: {enum: [Oslo, Köln, São Paulo, 'a/b=c %']}}",
    "{name: age, type: integer, constraints: {minimum: 0, maximum: 99}}",
    "{name: paid, type: boolean}",
    "{name: points, type: integer, constraints: {minimum: 0, maximum: 19}}",
];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    Arguments::parse(arguments, &Usage::default())?;
    let mut figures = Figures::default();
    let name = "versions whose counts are those of their live rows";
    match python_with("scumble-delta", "deltalake, pyarrow", &["deltalake==1.6.6", "pyarrow==26.0.1"]) {
        Some(python) => of_versions(&python, name, &mut figures)?,
        None => figures.push(Figure::missing(name, "share", Bar::Exactly(1.0))),
    }
    figures.print();
    Ok(())
}

fn of_versions(python: &Path, name: &str, figures: &mut Figures) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/delta/table.py");
    let output = Command::new(python).arg(script).arg(folder.path()).arg(ROWS.to_string()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let versions: usize = String::from_utf8(output.stdout)?.trim().parse()?;
    let table = folder.path().join("people");
    let (mut equal, mut beside) = (0, 0);
    for version in 0..versions {
        let live = folder.path().join(format!("live-{version}.parquet"));
        let at = PathBuf::from(format!("{}@v{version}", table.display()));
        let has_points = counted(&live, &COLUMNS).is_ok();
        let columns = if has_points { &COLUMNS[..] } else { &COLUMNS[..3] };
        let (expected, found) = (counted(&live, columns)?, counted(&at, columns)?);
        let rows: u64 = expected[0].iter().sum();
        println!(
            "version {version}: {rows} rows of {} columns, {}",
            columns.len(),
            if expected == found { "equal" } else { "OTHER COUNTS" }
        );
        equal += usize::from(expected == found);
        beside += usize::from(version + 1 == versions && counted(&table, columns)? == expected);
    }
    figures.shown("versions of a Delta table", versions as f64, "versions");
    figures.exactly(name, equal as f64 / versions as f64, "share", 1.0);
    figures.exactly("the table without a version is its newest", beside as f64, "tables", 1.0);
    Ok(())
}

/// Counts of all columns and pairs.
fn counted(path: &Path, columns: &[&str]) -> Result<Vec<Vec<u64>>> {
    let schema = Schema::parse(&format!("fields: [{}]", columns.join(", ")))?;
    let cliques = [schema.domain().one_way(), pairs(schema.domain())].concat();
    Ok(TableScan::open(&[Input::new(path)], &schema, &ReadOptions::default())?.count_tables(&cliques)?)
}
