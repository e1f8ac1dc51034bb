//! Noisy tables that are consistent and hold no negative counts.

use scumble_schema::Domain;

use super::consistency::make_consistent;
use super::hierarchy::Hierarchies;
use crate::error::ModelError;
use crate::measurement::Measurement;
use crate::simplex;

/// Changes the tables, as little as least squares allows, until any two agree on all attributes they share, no count is
/// negative and every table sums to `total`. So many rounds come ever nearer to that; they end with
/// [`make_consistent`], so what is left over are small negative counts, not disagreement.
///
/// The papers clip, which neither keeps tables consistent nor takes away as much noise as it adds. This alternates
/// between the two sets of tables that fulfil one demand, in the way that ends at the nearest tables that fulfil both.
/// Ten rounds are a good start; each costs a little more than [`make_consistent`].
///
/// # Reference
/// Boyle and Dykstra 1986, A method for finding projections onto the intersection of convex sets in Hilbert spaces.
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
    // What the last round's projection onto positive tables took away is given back before the next; the projection onto
    // consistent tables is linear and needs no such memory.
    let mut taken: Vec<Vec<f64>> = tables.iter().map(|table| vec![0.0; table.values().len()]).collect();
    for _ in 0..rounds {
        for (table, taken) in tables.iter_mut().zip(&mut taken) {
            let counts = table.counts.values_mut();
            counts.iter_mut().zip(&*taken).for_each(|(count, taken)| *count += taken);
            let probabilities = simplex::project(counts, total);
            for ((count, taken), probability) in counts.iter_mut().zip(taken).zip(probabilities) {
                *taken = *count - total * probability;
                *count = total * probability;
            }
        }
        make_consistent(domain, hierarchies, tables)?;
    }
    Ok(())
}
