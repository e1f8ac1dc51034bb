//! Fixes the versions of tables that are read several times.

use crate::error::{Damage, EngineError};
use crate::run::read_options::ReadOptions;
use crate::run::session::{Workers, session};
use crate::source::input::{Input, Named};
use crate::source::{delta_table, objects};

/// Returns the inputs with the newest version of each Delta table that is named without one, so
/// that several readings find the same rows.
///
/// Blocks on an async runtime of its own, so it must not be called from inside one.
pub fn pinned(inputs: &[Input], options: &ReadOptions) -> Result<Vec<Input>, EngineError> {
    let pin = |input: &Input| {
        let version = match input.without_version() {
            Some(Named::Path(path)) if delta_table::is_table(path) => Some(delta_table::snapshot(path, None)?.version),
            Some(Named::Objects(url)) => newest_version(url, options)?,
            _ => None,
        };
        Ok(version.map_or_else(|| input.clone(), |version| input.at_version(version)))
    };
    inputs.iter().map(pin).collect()
}

fn newest_version(url: &str, options: &ReadOptions) -> Result<Option<u64>, EngineError> {
    let (owned, stores) = (url.to_owned(), options.stores.clone());
    Workers::new(1)?.run(url, Damage::Damaged, async move {
        let context = session(1, None, stores.as_ref())?;
        objects::newest_version(&context.state(), &owned).await
    })?
}
