//! Fits graphical models to released tables.

use scumble_pgm::{Estimate, Estimator, Search, Stop, StructuralZeros, Total, TreeModel, estimate_forest};
use scumble_schema::Domain;
use scumble_vault::{Accounting, NoisyTable, Vault};

use crate::error::MechanismError;
use crate::learning::noisy::{estimated_rows, measurements};
use crate::mechanism::terms::{MethodAdjacency, RowTotal};

/// Parameters that all model fits of a method share.
#[derive(Debug)]
pub(crate) struct ModelFitter<'a> {
    domain: &'a Domain,
    /// Impossible combinations of codes.
    links: &'a [StructuralZeros],
    /// Prior standard deviation of potentials; without it the model is the one nearest to the
    /// tables.
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

    /// Returns the number of rows of a model of these tables, at least one: a distribution of no
    /// rows has no shape.
    pub(crate) fn rows(&self, tables: &[NoisyTable]) -> f64 {
        self.public_rows.unwrap_or_else(|| estimated_rows(tables)).max(1.0)
    }

    /// Returns the model of tables whose pairs have no cycle, which needs no search and shrinks
    /// nothing; `None` for other tables.
    pub(crate) fn forest(&self, tables: &[NoisyTable]) -> Result<Option<TreeModel>, MechanismError> {
        let measured = measurements(self.domain, tables)?;
        Ok(estimate_forest(self.domain, &measured, self.links, self.rows(tables))?)
    }

    /// Fits a model to tables, starting from an earlier model of some of them.
    pub(crate) fn model(
        &self,
        tables: &[NoisyTable],
        earlier: Option<&Estimate>,
        stop: Stop,
    ) -> Result<Estimate, MechanismError> {
        let measured = measurements(self.domain, tables)?;
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

/// Returns the number of rows if it is public.
pub(crate) fn public_rows<A: MethodAdjacency, M: Accounting>(
    vault: &Vault<A, M>,
) -> Result<Option<f64>, MechanismError> {
    Ok(match A::row_total(vault)? {
        RowTotal::Estimated => None,
        RowTotal::Public(rows) => Some(*rows as f64),
    })
}
