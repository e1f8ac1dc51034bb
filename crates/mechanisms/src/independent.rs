#![doc = include_str!("independent.md")]

use scumble_pgm::{ProductModel, simplex};
use scumble_schema::Domain;
use scumble_vault::{Accounting, Budget, Vault};

use crate::error::MechanismError;
use crate::fitted::{Distribution, Fitted};
use crate::neighbours::{Neighbours, RowTotal};
use crate::noisy::{counts, estimated_rows, whole};

/// Measures every column and fits each alone.
///
/// # Privacy
/// One release per column, inside the vault: a count table each, with equal shares of the budget. Under add/remove one row
/// moves it by 1; under replace-one by 2 in L1, √2 in L2. All that follows reads released values and the schema.
pub fn fit<A: Neighbours, M: Accounting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    domain: &Domain,
) -> Result<Fitted, MechanismError> {
    let rows = A::row_total(vault)?;
    let tables = vault.measure(&domain.one_way(), budget)?;
    let rows = match rows {
        RowTotal::Public(rows) => *rows,
        RowTotal::Estimated => whole(estimated_rows(tables.iter())),
    };
    #[expect(clippy::cast_precision_loss, reason = "a row more or less in 2^53 does not matter to a projection")]
    // A projection needs something to spread: a table that seems empty is fitted as if it had one row.
    let spread = rows.max(1) as f64;
    let columns = tables.iter().map(|table| simplex::project(&counts(table), spread)).collect();
    Ok(Fitted::new(Distribution::Product(ProductModel::new(columns)?), rows))
}
