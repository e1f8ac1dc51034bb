//! A connection for statements that count.

use std::pin::pin;

use futures::StreamExt;
use tokio::runtime::Handle;
use tokio_postgres::CancelToken;

use super::address::Address;
use super::session::Session;
use super::tls::connector;
use crate::error::EngineError;
use crate::push_down::{CountedCell, DatabaseColumn};
use crate::source::database_problem::DatabaseProblem;

/// A connection in one transaction, which sees one state of the table.
pub(crate) struct Counting {
    address: Address,
    session: Session,
    from: String,
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
        Ok((Self { address: address.clone(), session, from: address.table().quoted() }, columns))
    }

    pub(crate) fn from(&self) -> &str {
        &self.from
    }

    /// Runs a statement that counts, and adds each cell of its result. If the caller does not wait
    /// for the end, the server is asked to stop.
    pub(crate) async fn count(
        &self,
        statement: &str,
        add: &mut (dyn FnMut(CountedCell) -> Option<()> + Send),
    ) -> Result<(), EngineError> {
        let damaged = || EngineError::database(self.address.shown(), DatabaseProblem::Damaged);
        let mut stop = CancelUnlessDone { token: Some(self.session.cancel_token()), address: &self.address };
        let mut rows = pin!(self.session.query(statement).await?);
        while let Some(row) = rows.next().await {
            let row = row.map_err(|error| self.session.fail(&error))?;
            let cell = (row.try_get(0).ok(), row.try_get(1).ok(), row.try_get(2).ok());
            let (Some(table), Some(cell), Some(rows)) = cell else { return Err(damaged()) };
            add((table, cell, rows)).ok_or_else(damaged)?;
        }
        stop.token = None;
        Ok(())
    }
}

/// Asks the server to stop when it is dropped before the end.
struct CancelUnlessDone<'a> {
    token: Option<CancelToken>,
    address: &'a Address,
}

impl Drop for CancelUnlessDone<'_> {
    fn drop(&mut self) {
        let Some(token) = self.token.take() else { return };
        let Ok(tls) = connector(self.address.config().get_ssl_mode()) else { return };
        if let Ok(runtime) = Handle::try_current() {
            // The connection is closed in any case; this only frees the server sooner.
            runtime.spawn(async move { drop(token.cancel_query(tls).await) });
        }
    }
}
