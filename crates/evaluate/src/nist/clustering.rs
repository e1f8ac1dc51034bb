//! Three-way marginals.

use chacha20::ChaCha8Rng;
use scumble_schema::Clique;

use super::{PERFECT, some_attributes};
use crate::columns::Columns;
use crate::error::EvaluateError;
use crate::marginal::count::Workspace;
use crate::parallel;

/// How many marginals are compared.
const REPEATS: usize = 100;
/// How many attributes each spans; all, where a table has fewer.
const ORDER: usize = 3;

/// One less half the absolute difference of the distributions, the mean over random triples.
pub(super) fn score(real: &Columns, synthetic: &Columns, mut dice: ChaCha8Rng) -> Result<f64, EvaluateError> {
    let attributes = real.domain().len();
    let mut triple = || Clique::new(some_attributes(attributes, ORDER.min(attributes), &mut dice));
    let triples: Vec<Clique> = (0..REPEATS).map(|_| triple()).collect();
    let distance = |workspace: &mut Workspace, triple: &Clique| workspace.distance(real, synthetic, triple);
    let distances = parallel::map(&triples, distance).into_iter().collect::<Result<Vec<f64>, _>>()?;
    #[expect(clippy::cast_precision_loss, reason = "one hundred")]
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
