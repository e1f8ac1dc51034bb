//! One connection, in one read-only transaction.

use std::future::poll_fn;
use std::time::Duration;

use datafusion::common::runtime::SpawnedTask;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_postgres::{Client, Connection, CopyOutStream, RowStream};

use super::address::Address;
use super::column::{Column, copy_statement};
use super::password::password;
use super::tls::connector;
use crate::error::EngineError;
use crate::source::database_problem::DatabaseProblem;

/// Time limit for closing the connection. Nothing depends on it.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// One snapshot of the table for the whole scan, read-only. Dates and intervals that are cast to
/// text have one notation, whatever the server's settings.
const BEGIN: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; \
                     SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'iso_8601'";
/// Room for the groups of all tables; and a statement whose client is gone is given up, also if the
/// client was killed. Servers before version 14 do not know of that, and count to the end.
const PREPARE_TO_COUNT: &str = "\
SET LOCAL work_mem = '64MB';
SELECT pg_catalog.set_config(name, '1s', true) FROM pg_catalog.pg_settings
WHERE name = 'client_connection_check_interval'";
/// The table's oid, and its bytes on disk: of all its partitions, or 0 for a view.
const TABLE: &str = "\
SELECT c.oid, CASE c.relkind
    WHEN 'p' THEN (SELECT pg_catalog.sum(pg_catalog.pg_table_size(p.relid))::pg_catalog.int8
                   FROM pg_catalog.pg_partition_tree(c.oid) p)
    WHEN 'v' THEN 0
    ELSE pg_catalog.pg_table_size(c.oid) END
FROM pg_catalog.pg_class c WHERE c.oid = pg_catalog.to_regclass($1)";

/// A connection with an open transaction.
pub(super) struct Session {
    client: Client,
    /// Ends with the session. Otherwise a cancelled scan would read its table to the end.
    connection: SpawnedTask<()>,
    shown: String,
}

/// Oid, size and columns of a table in the database.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) oid: u32,
    /// Bytes on disk, or 0 if unknown.
    pub(super) bytes: u64,
    pub(super) columns: Vec<Column>,
}

impl Session {
    /// Connects and begins the transaction.
    pub(super) async fn open(address: &Address) -> Result<Self, EngineError> {
        let opened = timeout(address.timeout(), connect(address)).await;
        let opened = opened.unwrap_or(Err(DatabaseProblem::Timeout));
        let (client, connection) = opened.map_err(|problem| EngineError::database(address.shown(), problem))?;
        Ok(Self { client, connection, shown: address.shown().to_owned() })
    }

    /// Returns the columns of the table. No row is read: the statement is prepared but not run.
    pub(super) async fn describe(&self, address: &Address) -> Result<Table, EngineError> {
        let name = address.from();
        let statement = self.client.prepare(&format!("SELECT * FROM {name}")).await;
        let statement = statement.map_err(|error| self.fail(&error))?;
        let row = self.client.query_opt(TABLE, &[&name]).await.map_err(|error| self.fail(&error))?;
        let row = row.ok_or_else(|| EngineError::database(&self.shown, DatabaseProblem::NoTable))?;
        let oid = row.try_get(0).map_err(|error| self.fail(&error))?;
        let bytes: Option<i64> = row.try_get(1).map_err(|error| self.fail(&error))?;
        let columns = statement.columns().iter();
        let columns = columns.map(|column| Column::new(column.name(), column.type_(), column.type_modifier()));
        Ok(Table { oid, bytes: bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or(0), columns: columns.collect() })
    }

    /// Starts to copy `columns`.
    pub(super) async fn copy(&self, address: &Address, columns: &[Column]) -> Result<CopyOutStream, EngineError> {
        let statement = copy_statement(&address.from(), columns);
        self.client.copy_out(&statement).await.map_err(|error| self.fail(&error))
    }

    /// Prepares the transaction for statements that count. Text must be in an encoding whose
    /// characters are compared in the order of UTF-8.
    pub(super) async fn prepare_to_count(&self) -> Result<(), EngineError> {
        self.client.batch_execute(PREPARE_TO_COUNT).await.map_err(|error| self.fail(&error))?;
        let row = self.client.query_one("SELECT pg_catalog.current_setting('server_encoding')", &[]).await;
        let encoding: String = row.and_then(|row| row.try_get(0)).map_err(|error| self.fail(&error))?;
        if encoding == "SQL_ASCII" {
            return Err(EngineError::database(&self.shown, DatabaseProblem::Encoding));
        }
        Ok(())
    }

    /// Runs a statement, and returns its rows as they arrive.
    pub(super) async fn query(&self, statement: &str) -> Result<RowStream, EngineError> {
        let no_parameters: [&str; 0] = [];
        self.client.query_raw(statement, no_parameters).await.map_err(|error| self.fail(&error))
    }

    /// Converts an error of the client library.
    pub(super) fn fail(&self, error: &tokio_postgres::Error) -> EngineError {
        EngineError::database(&self.shown, error.into())
    }

    /// Closes the connection cleanly, which avoids a line in the server's log. All results have
    /// arrived by now.
    pub(super) async fn close(self) {
        let Self { client, connection, .. } = self;
        let _ = timeout(CLOSE_TIMEOUT, async {
            let _ = client.batch_execute("COMMIT").await;
            drop(client);
            let _ = connection.join().await;
        })
        .await;
    }
}

async fn connect(address: &Address) -> Result<(Client, SpawnedTask<()>), DatabaseProblem> {
    let mut config = address.config().clone();
    if let Some(password) = password(address) {
        config.password(password);
    }
    let connected = config.connect(connector(config.get_ssl_mode())?).await;
    let (client, connection) = connected.map_err(|error| DatabaseProblem::from(&error))?;
    // Converting text must not fail on a value. From UTF8 and LATIN1 every character maps to UTF-8;
    // SQL_ASCII is arbitrary bytes, which are taken unchanged. In other encodings some bytes have
    // no character.
    let encoding = match connection.parameter("server_encoding") {
        Some("UTF8" | "LATIN1") => "",
        Some("SQL_ASCII") => "; SET LOCAL client_encoding = 'SQL_ASCII'",
        _ => return Err(DatabaseProblem::Encoding),
    };
    let connection = SpawnedTask::spawn(drive(connection));
    client.batch_execute(&format!("{BEGIN}{encoding}")).await.map_err(|error| DatabaseProblem::from(&error))?;
    Ok((client, connection))
}

/// Handles messages until the connection ends. Notices are dropped and not logged: they may quote
/// values.
async fn drive<S, T>(mut connection: Connection<S, T>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(_)) = poll_fn(|context| connection.poll_message(context)).await {}
}
