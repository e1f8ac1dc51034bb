//! Distances of many marginals of two tables, each with the distance expected by chance.

use scumble_pgm::parallel;
use scumble_schema::Clique;

use super::count::Workspace;
use super::distance::TotalVariation;
use super::expected::ExpectedDeviation;
use super::shared;
use crate::error::EvaluateError;
use crate::table::Columns;

/// Distance of one marginal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Compared {
    /// Total variation distance of the synthetic marginal.
    pub(crate) distance: f64,
    /// Mean distance of as many rows drawn from the real table.
    pub(crate) expected: f64,
}

/// Accumulates the cells of one marginal.
struct Comparison<'a> {
    distance: TotalVariation,
    deviations: &'a ExpectedDeviation,
    expected: f64,
}

impl<'a> Comparison<'a> {
    fn new(rows: [u64; 2], deviations: &'a ExpectedDeviation) -> Self {
        Self { distance: TotalVariation::new(rows), deviations, expected: 0.0 }
    }

    fn add(&mut self, counts: [u64; 2]) {
        if counts != [0, 0] {
            self.distance.add(counts);
            self.expected += self.deviations.of(counts[0]);
        }
    }

    fn finish(self) -> Compared {
        Compared { distance: self.distance.finish(), expected: self.expected / 2.0 }
    }
}

/// Compares two tables over one domain on every clique.
///
/// # Errors
/// If the domain lacks an attribute of a clique, or a marginal has more than 2^62 cells.
pub(crate) fn compare(real: &Columns, synthetic: &Columns, cliques: &[Clique]) -> Result<Vec<Compared>, EvaluateError> {
    let cells = cliques.iter().map(|clique| real.check(clique)).collect::<Result<Vec<_>, _>>()?;
    let rows = [real, synthetic].map(|table| u64::from(table.rows()));
    let shares_work = rows.iter().sum::<u64>() >= shared::MIN_ROWS;
    let (small, large): (Vec<usize>, Vec<usize>) =
        (0..cliques.len()).partition(|&place| shares_work && cells[place] <= shared::MAX_SMALL_CELLS);

    let mut compared = vec![Compared { distance: 0.0, expected: 0.0 }; cliques.len()];
    let deviations = ExpectedDeviation::new(real.rows(), synthetic.rows());
    let small_cliques: Vec<&Clique> = small.iter().map(|&place| &cliques[place]).collect();
    shared::for_each_table(real, synthetic, &small_cliques, |place, left, right| {
        let mut comparison = Comparison::new(rows, &deviations);
        left.iter().zip(right).for_each(|(&left, &right)| comparison.add([left, right]));
        compared[small[place]] = comparison.finish();
    });

    let work = parallel::map_with(&large, LargeWorkspace::default, |workspace, &place| {
        let LargeWorkspace { counting, deviations } = workspace;
        let deviations = deviations.get_or_insert_with(|| ExpectedDeviation::new(real.rows(), synthetic.rows()));
        let mut comparison = Comparison::new(rows, deviations);
        counting.for_each_cell(real, synthetic, &cliques[place], |counts| comparison.add(counts))?;
        Ok::<_, EvaluateError>(comparison.finish())
    });
    for (place, done) in large.into_iter().zip(work) {
        compared[place] = done?;
    }
    Ok(compared)
}

/// Buffers that a thread reuses from one large marginal to the next.
#[derive(Default)]
struct LargeWorkspace {
    counting: Workspace,
    deviations: Option<ExpectedDeviation>,
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use scumble_schema::Domain;

    use super::*;

    fn random(domain: &Domain, rows: u32, seed: u64) -> Columns {
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let mut code = |size: u32| dice.random_range(0..size).min(dice.random_range(0..size));
        let column = |&size: &u32| (0..rows).map(|_| code(size)).collect();
        Columns::new(domain.clone(), domain.sizes().iter().map(column).collect()).unwrap()
    }

    #[test]
    fn many_rows_are_compared_as_few_are() {
        let domain = Domain::new(vec![3, 400, 7, 300]).unwrap();
        let cliques: Vec<Clique> = (1..16_usize)
            .map(|bits| Clique::new(domain.attributes().filter(|one| bits >> one.index() & 1 == 1)))
            .collect();
        let (real, synthetic) = (random(&domain, 200_000, 1), random(&domain, 100_000, 2));
        let compared = compare(&real, &synthetic, &cliques).unwrap();
        for (clique, compared) in cliques.iter().zip(compared) {
            let alone = Workspace::default().distance(&real, &synthetic, clique).unwrap();
            assert_eq!(compared.distance.to_bits(), alone.to_bits());
        }
    }

    #[test]
    fn the_expected_distance_is_the_mean_of_many_draws() {
        const DRAWS: u32 = 200;
        let domain = Domain::new(vec![4, 9]).unwrap();
        let all = [Clique::new(domain.attributes())];
        let real = random(&domain, 300, 1);
        let mut dice = ChaCha8Rng::seed_from_u64(3);
        let mut sum = 0.0;
        for _ in 0..DRAWS {
            let rows: Vec<usize> = (0..200).map(|_| dice.random_range(0..300)).collect();
            sum += compare(&real, &real.pick(&rows), &all).unwrap()[0].distance;
        }
        let expected = compare(&real, &random(&domain, 200, 5), &all).unwrap()[0].expected;
        // A draw deviates by 0.013: the mean of two hundred by 0.0009. Six of them are a false
        // alarm of 2e-9.
        assert!((sum / f64::from(DRAWS) - expected).abs() < 0.0055, "{} {expected}", sum / f64::from(DRAWS));
    }
}
