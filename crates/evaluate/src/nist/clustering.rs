//! Three-way marginals.

use chacha20::ChaCha8Rng;
use scumble_pgm::parallel;
use scumble_schema::Clique;

use super::{PERFECT, some_attributes};
use crate::error::EvaluateError;
use crate::marginal::count::Workspace;
use crate::table::Columns;

/// Number of marginals that are compared.
const REPEATS: usize = 100;
/// Number of attributes of each marginal, or all attributes of a smaller table.
const ORDER: usize = 3;

/// Returns 10⁶ (1 - mean total variation distance) over random triples of attributes.
pub(super) fn score(real: &Columns, synthetic: &Columns, mut dice: ChaCha8Rng) -> Result<f64, EvaluateError> {
    let attributes = real.domain().len();
    let mut triple = || Clique::new(some_attributes(attributes, ORDER.min(attributes), &mut dice));
    let triples: Vec<Clique> = (0..REPEATS).map(|_| triple()).collect();
    let distance = |workspace: &mut Workspace, triple: &Clique| workspace.distance(real, synthetic, triple);
    let distances =
        parallel::map_with(&triples, Workspace::default, distance).into_iter().collect::<Result<Vec<f64>, _>>()?;
    let mean = distances.iter().sum::<f64>() / REPEATS as f64;
    Ok(PERFECT * (1.0 - mean))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use scumble_schema::Domain;

    use super::*;

    #[test]
    fn half_a_marginal_in_common_is_half_the_score() {
        let domain = Domain::new(vec![2, 2]).unwrap();
        let table = |first: &[u32]| Columns::new(domain.clone(), vec![first.to_vec(), vec![0; first.len()]]).unwrap();
        // Two columns have one set of at most three.
        let of = |synthetic| score(&table(&[0, 0]), &table(synthetic), ChaCha8Rng::seed_from_u64(1)).unwrap();
        assert!((of(&[0, 1]) - PERFECT / 2.0).abs() < 1e-6);
        assert!(of(&[1]).abs() < 1e-6);
    }
}
