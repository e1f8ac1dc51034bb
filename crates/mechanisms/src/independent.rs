#![doc = include_str!("independent.md")]

use scumble_pgm::{ProductModel, simplex, total};
use scumble_schema::Domain;
use scumble_vault::{Accounting, Adjacency, Budget, NoisyTable, Released, Vault};

use crate::error::MechanismError;

/// What a method hands over: the released tables, the distribution built from them, and a released number of rows.
#[derive(Debug)]
pub struct Fitted {
    /// The noisy tables, in the order of their events.
    pub tables: Vec<NoisyTable>,
    /// The distribution.
    pub distribution: ProductModel,
    /// How many rows the real table has, as far as may be told.
    pub rows: u64,
}

/// Where the number of rows comes from.
#[derive(Debug)]
pub enum RowTotal {
    /// It is private: the sums of the noisy tables estimate it.
    Estimated,
    /// It is public.
    Public(Released<u64>),
}

/// Measures every column and fits each alone.
///
/// # Privacy
/// One release per column, inside the vault: a count table each, with equal shares of the budget. Under add/remove one row
/// moves it by 1; under replace-one by 2 in L1, √2 in L2. All that follows reads released values and the schema.
pub fn fit<A: Adjacency, M: Accounting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    domain: &Domain,
    rows: RowTotal,
) -> Result<Fitted, MechanismError> {
    let tables = vault.measure(&domain.one_way(), budget)?;
    let rows = match rows {
        RowTotal::Public(rows) => *rows,
        RowTotal::Estimated => estimated_rows(&tables),
    };
    #[expect(clippy::cast_precision_loss, reason = "a row more or less in 2^53 does not matter to a projection")]
    // A projection needs something to spread: a table that seems empty is fitted as if it had one row.
    let spread = rows.max(1) as f64;
    let columns = tables.iter().map(|table| simplex::project(&counts(table), spread)).collect();
    Ok(Fitted { distribution: ProductModel::new(columns)?, rows, tables: tables.into_inner() })
}

fn estimated_rows(tables: &[NoisyTable]) -> u64 {
    let evidence: Vec<total::Evidence> = tables
        .iter()
        .map(|table| {
            let counts = counts(table);
            #[expect(clippy::cast_precision_loss, reason = "tables have at most ten million cells")]
            let variance = counts.len() as f64 * table.standard_deviation().powi(2);
            total::Evidence { sum: counts.iter().sum(), variance }
        })
        .collect();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "never below zero, and saturating above"
    )]
    let rows = total::estimate(&evidence).round() as u64;
    rows
}

fn counts(table: &NoisyTable) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "noise is far above the last bit of a count beyond 2^53")]
    table.values().iter().map(|&count| count as f64).collect()
}
