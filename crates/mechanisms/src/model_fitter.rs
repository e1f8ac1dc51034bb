//! The graphical model of released tables.

use scumble_pgm::{Estimate, Estimator, Search, Stop, StructuralZeros, Total};
use scumble_schema::Domain;
use scumble_vault::{Accounting, NoisyTable, Vault};

use crate::error::MechanismError;
use crate::noisy::{estimated_rows, measurement};
use crate::terms::{MethodAdjacency, RowTotal};

/// All that is the same in every fit of a method: what is fitted, and how.
#[derive(Debug)]
pub(crate) struct ModelFitter<'a> {
    domain: &'a Domain,
    /// Combinations that cannot be.
    links: &'a [StructuralZeros],
    /// How large potentials are expected to be; without it the model is the one nearest to the tables.
    spread: Option<f64>,
    /// The number of rows, where it is public.
    public_rows: Option<f64>,
}

impl<'a> ModelFitter<'a> {
    pub(crate) fn new(
        domain: &'a Domain,
        links: &'a [StructuralZeros],
        spread: Option<f64>,
        public_rows: Option<f64>,
    ) -> Self {
        Self { domain, links, spread, public_rows }
    }

    /// The number of rows of a model of these tables. A table that seems empty is fitted as if it had one row: a distribution of none has no
    /// shape.
    pub(crate) fn rows(&self, tables: &[NoisyTable]) -> f64 {
        self.public_rows.unwrap_or_else(|| estimated_rows(tables)).max(1.0)
    }

    /// The model of these tables, found from an earlier one of some of them.
    pub(crate) fn model(
        &self,
        tables: &[NoisyTable],
        earlier: Option<&Estimate>,
        stop: Stop,
    ) -> Result<Estimate, MechanismError> {
        let measured = tables.iter().map(|table| measurement(self.domain, table)).collect::<Result<Vec<_>, _>>()?;
        let search = self.spread.map_or(Search::Proximal, |spread| Search::Shrunk { spread });
        let estimator = Estimator::new(self.domain.clone())
            .total(Total::Fixed(self.rows(tables)))
            .zeros(self.links.to_vec())
            .search(search)
            .stop(stop);
        Ok(match earlier {
            Some(earlier) => estimator.estimate_from(&measured, earlier)?,
            None => estimator.estimate(&measured)?,
        })
    }
}

/// The number of rows, where it is public.
pub(crate) fn public_rows<A: MethodAdjacency, M: Accounting>(
    vault: &Vault<A, M>,
) -> Result<Option<f64>, MechanismError> {
    #[expect(clippy::cast_precision_loss, reason = "a row more or less in 2^53 does not matter")]
    Ok(match A::row_total(vault)? {
        RowTotal::Estimated => None,
        RowTotal::Public(rows) => Some(*rows as f64),
    })
}
