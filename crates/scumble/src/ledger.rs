//! Creation of the ledger of a table.

use std::path::Path;

use scumble_schema::Schema;
use scumble_vault::ledger::{Ledger, Terms};
use scumble_vault::{AccountingKind, ApproxDp, Delta};

use crate::error::Error;

/// Creates the ledger of a table, durably: all fits on it, together, will cost at most `cap`.
///
/// The schema defines the unit of privacy, and only fits with the same privacy terms can be on the
/// ledger. By default the accounting is that of Gaussian noise, or of Laplace noise if the delta of
/// the cap is 0.
///
/// ```
/// use scumble::{ApproxDp, Delta, Epsilon, Schema, create_ledger, demo};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("people.ledger");
///
/// let schema = Schema::parse(demo::PEOPLE_SCHEMA)?;
/// let cap = ApproxDp { epsilon: Epsilon::new(3.0)?, delta: Delta::new(1e-9)? };
/// let ledger = create_ledger(&path, "people", &schema, cap, None)?;
/// assert_eq!(ledger.verify()?.spent, 0);
/// // What was spent is never forgotten by making it again.
/// assert!(create_ledger(&path, "people", &schema, cap, None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If no budget can be spent under such a cap, or the file exists or cannot be written.
pub fn create_ledger(
    path: &Path,
    dataset: &str,
    schema: &Schema,
    cap: ApproxDp,
    accounting: Option<AccountingKind>,
) -> Result<Ledger, Error> {
    let privacy = schema.privacy();
    // With delta 0 there is only Laplace noise, and its epsilons are added.
    let by_delta = if cap.delta == Delta::ZERO { AccountingKind::Pure } else { AccountingKind::Gdp };
    let terms = Terms::new(
        dataset.into(),
        privacy.adjacency,
        privacy.unit.to_string(),
        privacy.max_contributions,
        accounting.unwrap_or(by_delta),
        cap,
    )?;
    Ok(Ledger::create(path, &terms)?)
}
