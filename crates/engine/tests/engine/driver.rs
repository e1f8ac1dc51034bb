//! Statements through a driver, to make tables for tests.

use std::path::Path;

use adbc_core::options::{AdbcVersion, OptionDatabase};
use adbc_core::{Connection as _, Database as _, Driver as _, Statement as _};
use adbc_driver_manager::ManagedDriver;

/// Runs statements in a file of DuckDB.
pub(crate) fn run(library: &Path, file: &Path, statements: &str) {
    let entry_point = Some(&b"duckdb_adbc_init"[..]);
    let mut driver = ManagedDriver::load_dynamic_from_filename(library, entry_point, AdbcVersion::V100).unwrap();
    let path = (OptionDatabase::Other("path".into()), file.to_str().unwrap().into());
    let database = driver.new_database_with_opts([path]).unwrap();
    let mut connection = database.new_connection().unwrap();
    for text in statements.split("; ") {
        let mut statement = connection.new_statement().unwrap();
        statement.set_sql_query(text).unwrap();
        statement.execute_update().unwrap_or_else(|error| panic!("{error}: {text}"));
    }
}
