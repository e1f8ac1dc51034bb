//! Noisy tables made consistent and non-negative.

use scumble_schema::Domain;

use super::consistency::make_consistent;
use super::hierarchy::Hierarchies;
use crate::error::ModelError;
use crate::measurement::Measurement;
use crate::simplex;

/// Makes any two tables agree on all attributes they share, without negative counts and with the
/// sum `total`, by the least change in least squares. Approximate: more rounds come nearer. The
/// last step is [`make_consistent`], so the remaining error is small negative counts, not
/// disagreement.
///
/// The papers clip, which neither keeps tables consistent nor removes as much noise as it adds.
/// This alternates between projections onto consistent and onto non-negative tables, with the
/// corrections that make it converge to the nearest tables that are both. Ten rounds are a good
/// start; each costs a little more than [`make_consistent`].
///
/// # Reference
/// Boyle and Dykstra 1986, A method for finding projections onto the intersection of convex sets in
/// Hilbert spaces.
pub fn make_consistent_and_positive(
    domain: &Domain,
    hierarchies: &Hierarchies,
    tables: &mut [Measurement],
    total: f64,
    rounds: u32,
) -> Result<(), ModelError> {
    if !(total > 0.0 && total.is_finite()) {
        return Err(ModelError::NotFinite { what: "the total of the tables", positive: true });
    }
    make_consistent(domain, hierarchies, tables)?;
    // Each round adds back what the last projection onto non-negative tables removed. The
    // projection onto consistent tables is linear and needs no such correction.
    let mut removed: Vec<Vec<f64>> = tables.iter().map(|table| vec![0.0; table.values().len()]).collect();
    for _ in 0..rounds {
        for (table, removed) in tables.iter_mut().zip(&mut removed) {
            let counts = table.counts.values_mut();
            counts.iter_mut().zip(&*removed).for_each(|(count, removed)| *count += removed);
            let probabilities = simplex::project(counts, total);
            for ((count, removed), probability) in counts.iter_mut().zip(removed).zip(probabilities) {
                *removed = *count - total * probability;
                *count = total * probability;
            }
        }
        make_consistent(domain, hierarchies, tables)?;
    }
    Ok(())
}
