//! The benchmark tables and the peer, which all sections share.

use std::cell::OnceCell;
use std::path::PathBuf;

use scumble_benchmarks::data;

use super::peer::Peer;
use scumble_benchmarks::codes::Table;

/// The benchmark tables and the peer.
pub(crate) struct Context {
    data: Option<PathBuf>,
    peer: OnceCell<Option<Peer>>,
}

impl Context {
    pub(crate) fn new() -> Self {
        Self { data: data::find(), peer: OnceCell::new() }
    }

    /// Reads a benchmark table; `None` if there are no tables, which was printed once.
    ///
    /// # Panics
    /// If the tables are there and this one is not, or not as it should be.
    pub(crate) fn table(&self, name: &str) -> Option<Table> {
        let folder = self.data.as_ref()?.join(name);
        Some(Table::read(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())))
    }

    /// Returns the peer; `None` if it cannot be installed, which was printed once.
    pub(crate) fn peer(&self) -> Option<&Peer> {
        self.peer.get_or_init(Peer::find).as_ref()
    }
}
