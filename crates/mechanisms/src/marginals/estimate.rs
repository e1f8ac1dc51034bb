//! From tables to a model.

use scumble_pgm::{Estimator, Measurement, ModelError, Search, Stop, Total, total};
use scumble_schema::{Recoding, Schema};

use super::error::MarginalsError;
use super::{Marginal, Marginals};
use crate::error::MechanismError;
use crate::fitted::{Distribution, Fitted};
use crate::model::Model;
use crate::noisy::whole;
use crate::origin::Origin;
use crate::rules;

/// How large potentials are expected to be: what `auto` holds its own back by, measured on tables of the same kind.
const SPREAD: f64 = 0.7;
/// Many passes: there is no earlier round to begin with, and a search that is cut off may be far from every table. Where noise
/// is small, one or two thousand were needed.
const STOP: Stop = Stop { at_noise: None, settled: 1e-3, passes: 10_000 };

/// Fits a model of `schema` to tables that were made elsewhere.
///
/// # Privacy
/// Post-processing: no row is read, and nothing is spent. What the model promises is what the maker of the tables declared.
///
/// # Errors
/// If the tables are not for this schema, leave a column out, or need a model that is too large.
pub fn fit(schema: &Schema, marginals: Marginals) -> Result<Model, MechanismError> {
    marginals.check_against(schema)?;
    let tables = || marginals.tables.iter().map(Marginal::measurement);
    #[expect(clippy::cast_precision_loss, reason = "at most 2^53, which was checked")]
    let rows = match marginals.rows {
        Some(rows) => rows as f64,
        None => total::estimate(&tables().map(Measurement::evidence).collect::<Vec<_>>()),
    };
    // The table of no columns tells the number of rows and nothing else.
    let measurements: Vec<Measurement> = tables().filter(|table| !table.clique().is_empty()).cloned().collect();
    let estimator = Estimator::new(schema.domain().clone())
        // A table that seems empty is fitted as if it had one row: a distribution of none has no shape.
        .total(Total::Fixed(rows.max(1.0)))
        .zeros(rules::zeros(schema)?)
        .search(Search::Shrunk { spread: SPREAD })
        .stop(STOP);
    let model = estimator.estimate(&measurements).map_err(too_large)?.model;
    let fitted = Fitted::new(Distribution::Tree(model), whole(rows));
    let recoding = Recoding::identity(schema.domain());
    Ok(Model::new(schema.clone(), recoding, fitted, Origin::External(marginals)))
}

fn too_large(error: ModelError) -> MechanismError {
    match error {
        ModelError::TooLarge { cells, limit } => MarginalsError::too_large(format!(
            "the tables tie columns together into a model of {cells} cells, at most {limit} are possible"
        ))
        .into(),
        error => error.into(),
    }
}
