#![doc = include_str!("independent.md")]

use scumble_pgm::{ProductModel, simplex};
use scumble_schema::{Domain, Recoding};
use scumble_vault::account::Amount;
use scumble_vault::{Accounting, AccountingKind, Budget, Selecting, Vault};
use serde::{Deserialize, Serialize};

use crate::error::MechanismError;
use crate::learning::noisy::{counts, estimated_rows, whole};
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency, RowTotal};
use crate::mechanism::{Mechanism, ModelTerms};
use crate::model::fitted::{Distribution, Fitted};
use crate::planning::outline::{ErrorRange, Outline};

/// `independent` has no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {}

impl Mechanism for Options {
    fn description(&self) -> &'static str {
        "One noisy table per column. Columns of the synthetic rows are independent of each other."
    }

    fn accountings(&self) -> &'static [AccountingKind] {
        &[AccountingKind::Pure, AccountingKind::Gdp]
    }

    fn asks_once(&self) -> bool {
        true
    }

    fn measured_errors(&self) -> [ErrorRange; 5] {
        use ErrorRange::{Beyond, Times};
        [Times(0.7, 1.8), Beyond(0.023, 0.17), Beyond(0.048, 0.26), Beyond(0.092, 0.33), Beyond(0.14, 0.38)]
    }

    fn fit<A: MethodAdjacency, M: MethodAccounting>(
        &self,
        vault: &mut Vault<A, M>,
        budget: Budget<A, M>,
        model: &ModelTerms,
    ) -> Result<Fitted, MechanismError> {
        fit(vault, budget, model.recoding.domain())
    }

    fn outline<A: MethodAdjacency, M: Selecting>(
        &self,
        outline: &mut Outline<A, M>,
        recoding: &Recoding,
        amount: Amount<M>,
    ) -> Result<(), MechanismError> {
        outline.measure(recoding.domain(), &recoding.domain().one_way(), amount)
    }
}

/// Measures every column and fits each separately.
///
/// # Privacy
/// One release per column, inside the vault: a count table each, with equal shares of the budget.
/// Under add/remove one row moves it by 1; under replace-one by 2 in L1, √2 in L2. All that follows
/// reads released values and the schema.
pub(crate) fn fit<A: MethodAdjacency, M: Accounting>(
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
    // At least one: a projection needs rows to distribute.
    let spread = rows.max(1) as f64;
    let columns = tables.iter().map(|table| simplex::project(&counts(table), spread)).collect();
    Ok(Fitted::new(Distribution::Product(ProductModel::new(columns)?), rows))
}
