//! Tables that rows are moved towards, in a model file.

use scumble_pgm::RowTarget;
use scumble_schema::Clique;

use crate::error::MechanismError;
use crate::model::fitted::Distribution;

/// Maximum number of cells of all targets that are made for a model. A sampler would hold somewhat
/// more.
pub(crate) const MAX_TARGET_CELLS: u128 = 3_000_000;

/// Reads the targets of a distribution. `next` returns its next numbers.
///
/// # Errors
/// If the distribution is no graphical model, a table is none that rows can be moved towards, or
/// all of them are too large.
pub(crate) fn read(
    cliques: Vec<Clique>,
    distribution: &Distribution,
    mut next: impl FnMut(u64) -> Result<Vec<f64>, MechanismError>,
) -> Result<Vec<RowTarget>, MechanismError> {
    if cliques.is_empty() {
        return Ok(Vec::new());
    }
    let Distribution::Tree(model) = distribution else {
        return Err(MechanismError::damaged("its rows are moved towards tables, and it is no graphical model"));
    };
    let domain = model.domain();
    let damaged = || MechanismError::damaged("a table that rows are moved towards is none of the model");
    let mut targets = Vec::with_capacity(cliques.len());
    for clique in cliques {
        if clique.attributes().iter().any(|attribute| attribute.index() >= domain.len()) {
            return Err(damaged());
        }
        let cells = u64::try_from(domain.cells(&clique)).map_err(|_| damaged())?;
        let shares = next(cells)?;
        targets.push(RowTarget::new(domain, clique, shares).map_err(|_| damaged())?);
    }
    RowTarget::check_size(domain, &targets).map_err(|_| damaged())?;
    Ok(targets)
}
