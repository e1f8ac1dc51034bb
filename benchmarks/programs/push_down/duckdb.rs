//! A file of DuckDB, which counts in this process. Nothing goes over a wire, so bytes are those of
//! the batches that its driver hands over.

use std::path::{Path, PathBuf};

use adbc_core::options::{AdbcVersion, OptionDatabase, OptionValue};
use adbc_core::{Connection as _, Database as _, Driver as _, Statement as _};
use adbc_driver_manager::{ManagedConnection, ManagedDriver};
use scumble::engine::Input;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::{Bar, Figure, Figures};

use super::{ROW, questions, schema};

const EQUAL: &str = "DuckDB: counts of all pairs are those of a scan";
const BYTES: &str = "DuckDB: most bytes that it hands over to count, of those of a scan";
/// Bytes of a counted cell: its table, its place and its rows. At most four cells are counted for
/// each requested one.
const CELL_BYTES: usize = 4 * (4 + 8 + 8);

pub(super) fn compare(rows: u64, figures: &mut Figures) -> Result<()> {
    let Some(library) = std::env::var_os("SCUMBLE_DUCKDB").map(PathBuf::from) else {
        println!("SKIPPED DuckDB: SCUMBLE_DUCKDB does not name its library; see .ci/duckdb");
        figures.push(Figure::missing(EQUAL, "tables", Bar::Exactly(1.0)));
        figures.push(Figure::missing(BYTES, "share", Bar::AtMost(0.01)));
        return Ok(());
    };
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("people.duckdb");
    let mut connection = connected(&library, &file)?;
    let mut made = connection.new_statement()?;
    made.set_sql_query(format!("CREATE TABLE people AS SELECT {ROW} FROM range(1, {rows} + 1) AS t(i)"))?;
    made.execute_update()?;
    let mut read = connection.new_statement()?;
    read.set_sql_query("SELECT * FROM people")?;
    let mut of_scan = 0;
    for batch in read.execute()? {
        of_scan += batch?.get_array_memory_size();
    }
    drop((made, read, connection));
    let input = Input::new(format!("adbc:{}?path={}&table=people", library.display(), file.display()));
    let compared = super::compare(&input, &input)?;
    let schema = schema()?;
    let cells: usize =
        questions(&schema).iter().map(|clique| schema.domain().table_len(clique)).sum::<Result<_, _>>()?;
    println!(
        "DuckDB, {} rows: inside {:.1} s and at most {} bytes, scan {:.1} s and {of_scan} bytes",
        compared.rows,
        compared.inside,
        cells * CELL_BYTES,
        compared.scan,
    );
    figures.exactly(EQUAL, f64::from(u8::from(compared.are_equal)), "tables", 1.0);
    figures.at_most(BYTES, (cells * CELL_BYTES) as f64 / of_scan as f64, "share", 0.01);
    figures.shown("DuckDB: seconds to count inside, of those of a scan", compared.inside / compared.scan, "times");
    Ok(())
}

fn connected(library: &Path, file: &Path) -> Result<ManagedConnection> {
    let entry_point = Some(&b"duckdb_adbc_init"[..]);
    let mut driver = ManagedDriver::load_dynamic_from_filename(library, entry_point, AdbcVersion::V100)?;
    let path = file.to_str().ok_or("the path is not text")?;
    let options = [(OptionDatabase::Other("path".into()), OptionValue::from(path))];
    Ok(driver.new_database_with_opts(options)?.new_connection()?)
}
