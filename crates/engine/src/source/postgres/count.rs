//! A connection for statements that count.

use std::pin::pin;

use futures::StreamExt;

use super::address::Address;
use super::session::Session;
use crate::error::EngineError;
use crate::push_down::{CountedCell, DatabaseColumn};
use crate::source::database_problem::DatabaseProblem;

/// A connection in one transaction, which sees one state of the table.
pub(crate) struct Counting {
    session: Session,
    shown: String,
}

impl Counting {
    /// Connects, and describes the columns of the table.
    pub(crate) async fn open(address: &Address) -> Result<(Self, Vec<DatabaseColumn>), EngineError> {
        let session = Session::open(address).await?;
        session.prepare_to_count().await?;
        let table = session.describe(address).await?;
        let columns = table.columns.iter().map(|column| DatabaseColumn {
            name: column.name().to_owned(),
            type_name: column.type_name().to_owned(),
            kind: column.kind(),
        });
        let columns = columns.collect();
        Ok((Self { session, shown: address.shown().to_owned() }, columns))
    }

    /// Runs a statement that counts, and adds each cell of its result.
    pub(crate) async fn count(
        &self,
        statement: &str,
        add: &mut (dyn FnMut(CountedCell) -> Option<()> + Send),
    ) -> Result<(), EngineError> {
        let damaged = || EngineError::database(&self.shown, DatabaseProblem::Damaged);
        let mut rows = pin!(self.session.query(statement).await?);
        while let Some(row) = rows.next().await {
            let row = row.map_err(|error| self.session.fail(&error))?;
            let cell = (row.try_get(0).ok(), row.try_get(1).ok(), row.try_get(2).ok());
            let (Some(table), Some(cell), Some(rows)) = cell else { return Err(damaged()) };
            add((table, cell, rows)).ok_or_else(damaged)?;
        }
        Ok(())
    }
}
