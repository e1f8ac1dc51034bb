//! Fits a model to external tables.

use scumble_pgm::{
    Estimator, JunctionTree, Measurement, ModelError, RowTarget, Search, Stop, StructuralZeros, Total, total,
};
use scumble_schema::{Clique, Domain, Recoding, Schema};

use super::error::MarginalsError;
use super::tables::{Marginal, Marginals};
use crate::error::MechanismError;
use crate::learning::expected::expected_counts;
use crate::learning::noisy::whole;
use crate::learning::rules;
use crate::model::Model;
use crate::model::fitted::{Distribution, Fitted};
use crate::model::origin::Origin;
use crate::model::targets::MAX_TARGET_CELLS;

/// Prior standard deviation of potentials: the default of `auto`, measured on tables of the same
/// kind.
const SPREAD: f64 = 0.7;
/// Stopping rule. The limit of passes is high because no earlier round gives a starting point:
/// where noise is small, the search needed one or two thousand.
const STOP: Stop = Stop { at_noise: None, settled: 1e-3, passes: 10_000 };

/// Maximum number of cells of a model, if other tables can be met by rows. A larger model takes
/// minutes to fit.
const MAX_CELLS_BESIDE_ROWS: u128 = 1_000_000;
/// Maximum number of columns of a table that rows are moved towards, and of such tables.
const MAX_TARGET_COLUMNS: usize = 3;
const MAX_TARGETS: usize = 1_000;

/// Fits a model of `schema` to external tables. Tables of two and three columns for which the model
/// would become very large are met by rows: see [`Model::targets`].
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
    let zeros = rules::zeros(schema)?;
    let (measurements, for_rows) = divided(schema.domain(), measurements, &zeros);
    let estimator = Estimator::new(schema.domain().clone())
        // At least one: a distribution of no rows has no shape.
        .total(Total::Fixed(rows.max(1.0)))
        .zeros(zeros)
        .search(Search::Shrunk { spread: SPREAD })
        .stop(STOP);
    let model = estimator.estimate(&measurements).map_err(too_large)?.model;
    let expected = expected_counts(&model, &for_rows.iter().map(|table| table.clique().clone()).collect::<Vec<_>>())?;
    let target = |(table, expected): (&Measurement, &Vec<f64>)| RowTarget::estimate(table, expected, SPREAD);
    let targets = for_rows.iter().zip(&expected).map(target).collect::<Result<Vec<_>, ModelError>>()?;
    let fitted = Fitted { targets, ..Fitted::new(Distribution::Tree(model), whole(rows)) };
    let recoding = Recoding::identity(schema.domain());
    Ok(Model::new(schema.clone(), recoding, fitted, Origin::External(marginals)))
}

/// Divides tables into those of the model and those that rows are moved towards: none, unless the
/// model would be very large.
fn divided(
    domain: &Domain,
    tables: Vec<Measurement>,
    zeros: &[StructuralZeros],
) -> (Vec<Measurement>, Vec<Measurement>) {
    let of_rules = zeros.iter().map(StructuralZeros::clique);
    let all: Vec<Clique> = tables.iter().map(Measurement::clique).chain(of_rules.clone()).cloned().collect();
    if JunctionTree::predicted_cells(domain, &all) <= MAX_CELLS_BESIDE_ROWS {
        return (tables, Vec::new());
    }
    let may_be_target = |table: &Measurement| (2..=MAX_TARGET_COLUMNS).contains(&table.clique().len());
    let (others, mut first) = tables.into_iter().partition::<Vec<_>, _>(may_be_target);
    let mut held: Vec<Clique> = first.iter().map(Measurement::clique).chain(of_rules).cloned().collect();
    let (mut for_rows, mut target_cells): (Vec<Measurement>, u128) = (Vec::new(), 0);
    for table in others {
        held.push(table.clique().clone());
        let cells = target_cells + table.values().len() as u128;
        let has_room = for_rows.len() < MAX_TARGETS && cells <= MAX_TARGET_CELLS;
        if has_room && JunctionTree::predicted_cells(domain, &held) > MAX_CELLS_BESIDE_ROWS {
            held.pop();
            target_cells = cells;
            for_rows.push(table);
        } else {
            first.push(table);
        }
    }
    (first, for_rows)
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
