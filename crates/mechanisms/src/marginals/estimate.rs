//! Fits a model to external tables.

use scumble_pgm::{Estimator, Measurement, ModelError, Search, Stop, Total, total};
use scumble_schema::{Recoding, Schema};

use super::error::MarginalsError;
use super::tables::{Marginal, Marginals};
use crate::error::MechanismError;
use crate::learning::noisy::whole;
use crate::learning::rules;
use crate::model::Model;
use crate::model::fitted::{Distribution, Fitted};
use crate::model::origin::Origin;

/// Prior standard deviation of potentials: the default of `auto`, measured on tables of the same
/// kind.
const SPREAD: f64 = 0.7;
/// Stopping rule. The limit of passes is high because no earlier round gives a starting point:
/// where noise is small, the search needed one or two thousand.
const STOP: Stop = Stop { at_noise: None, settled: 1e-3, passes: 10_000 };

/// Fits a model of `schema` to external tables.
///
/// # Privacy
/// Post-processing: no row is read, and nothing is spent. The guarantee of the model is the one
/// declared for the tables.
///
/// # Errors
/// If the tables are not for this schema, leave a column out, or need a model that is too large.
pub fn fit(schema: &Schema, marginals: Marginals) -> Result<Model, MechanismError> {
    marginals.check_against(schema)?;
    let tables = || marginals.tables().iter().map(Marginal::measurement);
    let rows = match marginals.rows() {
        Some(rows) => rows as f64,
        None => total::estimate(&tables().map(Measurement::evidence).collect::<Vec<_>>()),
    };
    // The table of no columns holds the number of rows and nothing else.
    let measurements: Vec<Measurement> = tables().filter(|table| !table.clique().is_empty()).cloned().collect();
    let estimator = Estimator::new(schema.domain().clone())
        // At least one: a distribution of no rows has no shape.
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
