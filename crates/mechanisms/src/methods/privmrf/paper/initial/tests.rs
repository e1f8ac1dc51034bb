use rand::SeedableRng;

use super::*;
use crate::learning::pair_scores::pairs;

fn clique(columns: &[usize]) -> Clique {
    Clique::new(columns.iter().map(|&column| AttributeId::new(column)))
}

fn column(index: usize) -> AttributeId {
    AttributeId::new(index)
}

fn scores(columns: usize, scored: &[(usize, usize, f64)]) -> PairScores {
    PairScores::new(columns, 0.0, scored.iter().map(|&(left, right, score)| ([column(left), column(right)], score)))
}

fn random_scores(columns: &[AttributeId], rng: &mut ChaCha8Rng) -> PairScores {
    let scored: Vec<_> = pairs(columns).into_iter().map(|pair| (pair, rng.random_range(-50.0..300.0))).collect();
    PairScores::new(columns.len(), 0.0, scored)
}

#[test]
fn rho_is_equation_8() {
    let scores = scores(4, &[(0, 1, 30.0), (0, 2, 20.0), (1, 2, 5.0), (0, 3, 4.0), (1, 3, -9.0)]);
    let is = |set: &[usize], expected: f64| {
        let found = rho(column(0), &clique(set), &scores);
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    };
    is(&[0], 0.0);
    is(&[0, 1], 30.0 / 2_f64.sqrt());
    // Three columns, and the relation of the other two from either end.
    is(&[0, 1, 2], 50.0 / (3.0 + 2.0 * 5.0_f64).sqrt());
    // 3 - 18 is no square: the denominator is one.
    is(&[0, 1, 3], 34.0);
}

#[test]
fn every_column_gets_the_candidate_with_the_largest_rho_that_is_left() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..40 {
        let domain = Domain::new((0..6).map(|_| rng.random_range(2..5)).collect()).unwrap();
        let columns: Vec<AttributeId> = domain.attributes().collect();
        let scores = random_scores(&columns, &mut rng);
        let cliques = [clique(&[0, 1, 2, 3]), clique(&[2, 3, 4]), clique(&[5])];
        let limits = SetLimits { cells: rng.random_range(5..40), columns: rng.random_range(1..5) };
        let mut candidates = Candidates::new(&domain, &cliques, limits);
        let mut left: Vec<Clique> = Candidates::new(&domain, &cliques, limits).draw(1_000, &mut rng, |_| true);
        let selection = InitialSelection { columns: &columns, scores: &scores, ruled: &[], model_cells: 1_000_000 };
        let chosen = selection.best_of_all(&mut candidates);
        assert_eq!(chosen.len(), 6);
        for (&column, chosen) in columns.iter().zip(&chosen) {
            let best = left
                .iter()
                .filter(|set| set.has(column))
                .max_by(|one, other| rho(column, one, &scores).total_cmp(&rho(column, other, &scores)));
            match best {
                Some(best) => {
                    assert!((rho(column, chosen, &scores) - rho(column, best, &scores)).abs() < 1e-9);
                    assert!(chosen.has(column) && left.contains(chosen));
                }
                None => assert_eq!(*chosen, Clique::single(column)),
            }
            left.retain(|set| set != chosen);
            assert!(!candidates.has(chosen));
        }
    }
}

#[test]
fn a_column_without_a_useful_table_gets_its_own() {
    let domain = Domain::new(vec![100, 2, 2]).unwrap();
    let columns: Vec<AttributeId> = domain.attributes().collect();
    let scores = random_scores(&columns, &mut ChaCha8Rng::seed_from_u64(2));
    let cliques = [Clique::new(domain.attributes())];
    let selection = InitialSelection { columns: &columns, scores: &scores, ruled: &[], model_cells: 1_000_000 };
    for networks in [false, true] {
        let mut candidates = Candidates::new(&domain, &cliques, SetLimits { cells: 10, columns: 9 });
        let chosen = if networks {
            selection.networks(&mut candidates, &mut ChaCha8Rng::seed_from_u64(3))
        } else {
            selection.best_of_all(&mut candidates)
        };
        assert!(chosen.contains(&clique(&[0])), "{chosen:?}");
    }
}

#[test]
fn the_model_stays_within_its_cells() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let domain = Domain::new(vec![4; 8]).unwrap();
    let columns: Vec<AttributeId> = domain.attributes().collect();
    let cliques = [Clique::new(domain.attributes())];
    for _ in 0..20 {
        let scores = random_scores(&columns, &mut rng);
        for model_cells in [50, 300, 100_000] {
            let selection = InitialSelection { columns: &columns, scores: &scores, ruled: &[], model_cells };
            let limits = SetLimits { cells: 64, columns: 9 };
            let best = selection.best_of_all(&mut Candidates::new(&domain, &cliques, limits));
            let networks = selection.networks(&mut Candidates::new(&domain, &cliques, limits), &mut rng);
            for chosen in [best, networks] {
                assert!(JunctionTree::predicted_cells(&domain, &chosen) <= model_cells);
                assert!(columns.iter().all(|&column| chosen.iter().any(|set| set.has(column))));
            }
        }
    }
}

#[test]
fn networks_give_as_many_tables_as_columns_and_no_table_twice() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let domain = Domain::new(vec![2; 10]).unwrap();
    let columns: Vec<AttributeId> = domain.attributes().collect();
    let scores = random_scores(&columns, &mut rng);
    let cliques = [clique(&[0, 1, 2, 3, 4, 5, 6]), clique(&[4, 5, 6, 7, 8]), clique(&[8, 9])];
    let mut candidates = Candidates::new(&domain, &cliques, SetLimits { cells: 16, columns: 3 });
    let selection = InitialSelection { columns: &columns, scores: &scores, ruled: &[], model_cells: 1_000_000 };
    let chosen = selection.networks(&mut candidates, &mut rng);
    assert!(chosen.len() <= 10 && chosen.len() >= 8, "{chosen:?}");
    assert_eq!(chosen.iter().collect::<BTreeSet<_>>().len(), chosen.len());
    assert!(chosen.iter().all(|set| set.len() <= 3 && cliques.iter().any(|clique| clique.holds(set))));
}
