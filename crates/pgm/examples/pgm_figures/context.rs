//! What all sections share: where the tables are, and the peer.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::peer::Peer;
use crate::tables::Table;

/// Where things are.
pub(crate) struct Context {
    data: Option<PathBuf>,
    peer: OnceCell<Option<Peer>>,
}

impl Context {
    pub(crate) fn new() -> Self {
        let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        let data = std::env::var_os("SCUMBLE_BENCH_DATA").map_or_else(beside, PathBuf::from);
        let data = data.join("adult").is_dir().then_some(data);
        if data.is_none() {
            eprintln!("SKIPPED what needs benchmark tables: set SCUMBLE_BENCH_DATA to their folder");
        }
        Self { data, peer: OnceCell::new() }
    }

    /// A benchmark table; `None` where there are none, which was said once.
    ///
    /// # Panics
    /// If the tables are there and this one is not, or not as it should be.
    pub(crate) fn table(&self, name: &str) -> Option<Table> {
        let folder = self.data.as_ref()?.join(name);
        Some(Table::read(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())))
    }

    /// The peer, looked for when it is first asked for; `None` where it cannot be had, which was said once.
    pub(crate) fn peer(&self) -> Option<&Peer> {
        self.peer.get_or_init(Peer::find).as_ref()
    }
}
