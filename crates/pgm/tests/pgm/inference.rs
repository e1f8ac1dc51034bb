//! Every method for marginals equals the sum over all rows.

use crate::brute_force;
use crate::shapes;
use scumble_pgm::{CliqueVector, ModelError, StructuralZeros, infer};
use scumble_schema::{AttributeId, Clique, Domain};

const TOLERANCE: f64 = 1e-9;

fn cliques(lists: &[Vec<usize>]) -> Vec<Clique> {
    lists.iter().map(|list| Clique::new(list.iter().map(|&index| AttributeId::new(index)))).collect()
}

/// Compares single marginals, marginals in one call and the probability of rows.
fn assert_equals_brute_force(
    potentials: &CliqueVector,
    zeros: &[StructuralZeros],
    possible: impl Fn(&[u32]) -> bool,
    name: &str,
) {
    let domain = potentials.domain();
    let joint = shapes::joint(potentials, possible);
    let model = infer(potentials, zeros, 1.0).expect("some row is possible");
    let queries = shapes::queries(domain);
    let together = model.marginals(&queries).expect("small");
    for (query, table) in queries.iter().zip(&together) {
        let expected = brute_force::marginal(domain, &joint, query);
        let alone = model.marginal(query).expect("small");
        assert!(brute_force::distance(&expected, alone.values()) < TOLERANCE, "{name}: {query:?}");
        assert!(brute_force::distance(&expected, table.values()) < TOLERANCE, "{name}: {query:?} in one call");
    }
    let mut expected = joint.iter();
    brute_force::for_rows(domain, |row| {
        assert!((model.probability(row) - expected.next().expect("one per row")).abs() < TOLERANCE, "{name}: {row:?}");
    });
}

#[test]
fn on_the_named_shapes() {
    for (name, sizes, lists) in shapes::named() {
        let domain = Domain::new(sizes).expect("small");
        for (seed, spread) in [(1, 0.0), (2, 1.0), (3, 10.0)] {
            let potentials = shapes::potentials(&domain, cliques(&lists), spread, seed);
            assert_equals_brute_force(&potentials, &[], |_| true, name);
        }
    }
}

#[test]
fn on_random_models() {
    for seed in 0..200 {
        let (domain, cliques) = shapes::random(seed);
        assert_equals_brute_force(
            &shapes::potentials(&domain, cliques, 5.0, seed),
            &[],
            |_| true,
            &format!("seed {seed}"),
        );
    }
}

#[test]
fn potentials_of_seven_hundred_neither_overflow_nor_underflow() {
    for (name, sizes, lists) in shapes::named() {
        let domain = Domain::new(sizes).expect("small");
        assert_equals_brute_force(&shapes::potentials(&domain, cliques(&lists), 700.0, 4), &[], |_| true, name);
    }
    // One table nearly rules out what the other restores: a plain sum of exponentials would lose
    // it.
    let domain = Domain::new(vec![2, 2]).expect("small");
    let mut potentials = CliqueVector::zeros(&domain, cliques(&[vec![0], vec![0, 1]])).expect("small");
    potentials.table_mut(0).copy_from_slice(&[700.0, -700.0]);
    potentials.table_mut(1).copy_from_slice(&[-700.0, -701.0, 700.0, 701.0]);
    assert_equals_brute_force(&potentials, &[], |_| true, "two tables against each other");
}

#[test]
fn structural_zeros_are_zero_and_the_rest_is_right() {
    let domain = Domain::new(vec![3, 3, 4, 2]).expect("small");
    let potentials = shapes::potentials(&domain, cliques(&[vec![0, 1], vec![1, 2], vec![2, 3]]), 3.0, 5);
    let ordered: Vec<bool> = (0..9).map(|cell| cell / 3 <= cell % 3).collect();
    let never: Vec<bool> = (0..8).map(|cell| cell != 2).collect();
    let [first, second] = [cliques(&[vec![0, 1]]), cliques(&[vec![2, 3]])].map(|mut list| list.remove(0));
    let zeros = [
        StructuralZeros::new(&domain, first, &ordered).expect("nine cells"),
        StructuralZeros::new(&domain, second, &never).expect("eight cells"),
    ];
    assert_equals_brute_force(&potentials, &zeros, |row| row[0] <= row[1] && (row[2], row[3]) != (1, 0), "two rules");
    let model = infer(&potentials, &zeros, 1.0).expect("some row is possible");
    assert!(model.probability(&[2, 1, 0, 0]) == 0.0);
}

#[test]
fn rules_that_leave_no_row_are_refused() {
    let domain = Domain::new(vec![2, 2]).expect("small");
    let zeros: Vec<StructuralZeros> = [[true, false], [false, true]]
        .iter()
        .map(|possible| {
            StructuralZeros::new(&domain, Clique::single(AttributeId::new(0)), possible).expect("two cells")
        })
        .collect();
    let potentials = CliqueVector::zeros(&domain, vec![]).expect("small");
    assert_eq!(infer(&potentials, &zeros, 1.0), Err(ModelError::Impossible));
    assert!(infer(&potentials, &zeros[..1], 1.0).is_ok());
    let nothing = StructuralZeros::new(&domain, Clique::empty(), &[false]).expect("one cell");
    assert_eq!(infer(&potentials, &[nothing], 1.0), Err(ModelError::Impossible));
}

#[test]
fn tables_large_enough_for_several_threads_are_right() {
    // One clique of 2^18 cells and its subsets: a root with a single long row. Then one behind a
    // separator.
    let sizes = vec![8; 6];
    let domain = Domain::new(sizes).expect("small");
    let large = cliques(&[(0..6).collect(), vec![0, 3, 5], vec![1]]);
    let potentials = shapes::potentials(&domain, large, 4.0, 6);
    let joint = shapes::joint(&potentials, |_| true);
    let model = infer(&potentials, &[], 1.0).expect("possible");
    for query in cliques(&[vec![0, 1], vec![2, 5], vec![0, 2, 4]]) {
        let expected = brute_force::marginal(&domain, &joint, &query);
        let table = model.marginal(&query).expect("small");
        assert!(brute_force::distance(&expected, table.values()) < TOLERANCE);
    }
}
