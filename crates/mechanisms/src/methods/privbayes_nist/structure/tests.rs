use proptest::prelude::*;
use scumble_schema::{Domain, Recoding};

use super::*;

fn id(index: usize) -> AttributeId {
    AttributeId::new(index)
}

fn versions(sizes: &[u32], width: u32) -> Versions {
    let base = Domain::new(sizes.to_vec()).unwrap();
    Versions::of_recoding(&Recoding::with_coarser(&base, width, width * width).unwrap())
}

/// Scores of the given pairs; zero for the others that may be scored.
fn scores(versions: &Versions, given: &[(usize, usize, f64)]) -> PairScores {
    let score = |pair: &[AttributeId; 2]| {
        let found = given.iter().find(|(left, right, _)| [id(*left), id(*right)] == *pair);
        (*pair, found.map_or(0.0, |(_, _, score)| *score))
    };
    PairScores::new(versions.domain().len(), UNSCORED, versions.pairs().iter().map(score).collect::<Vec<_>>())
}

/// Scores in the order of the pairs.
fn scores_in_order(versions: &Versions, values: &[f64]) -> PairScores {
    PairScores::new(versions.domain().len(), UNSCORED, versions.pairs().into_iter().zip(values.iter().copied()))
}

#[test]
fn the_head_starts_with_the_largest_normalised_score() {
    // 0 and 1 have the largest score, 2 and 3 the largest per cell: 12 / 4 against 40 / 16.
    let versions = versions(&[4, 4, 2, 2], 7);
    let scores = scores(&versions, &[(0, 1, 40.0), (2, 3, 12.0), (0, 2, 8.0), (0, 3, 7.0)]);
    let head = |tau| Learner::new(&versions, &scores, tau).first_pair();
    assert_eq!(head(4), [2, 3].map(id));
    assert_eq!(head(15), [2, 3].map(id), "column 0 makes sixteen cells");
    assert_eq!(head(16), [2, 3, 0].map(id));
    assert_eq!(head(64), [2, 3, 0, 1].map(id));
    assert!(head(3).is_empty(), "no two columns fit");
}

#[test]
fn noise_below_zero_is_no_relation() {
    let versions = versions(&[2, 2, 2], 7);
    let scores = scores_in_order(&versions, &[-1.0, -5.0, -2.0]);
    let network = Learner::new(&versions, &scores, 1_000).network();
    assert_eq!(network.len(), 3);
    assert!(network.iter().all(|drawn| drawn.table.len() == 1));
}

#[test]
fn a_child_takes_the_parents_with_the_largest_scores_that_fit() {
    let versions = versions(&[2, 3, 5, 2, 4], 7);
    let scores = scores(&versions, &[(0, 4, 9.0), (1, 4, 5.0), (2, 4, 7.0), (3, 4, 6.0)]);
    let known = [true, true, true, true, false];
    let parents = |tau| Learner::new(&versions, &scores, tau).subsequent_pair(&known).unwrap().parents().clone();
    assert_eq!(parents(7), Clique::empty());
    assert_eq!(parents(8), Clique::new([id(0)]));
    // Column 2 would make forty cells, so column 3 is next.
    assert_eq!(parents(39), Clique::new([0, 3].map(id)));
    assert_eq!(parents(40), Clique::new([0, 2].map(id)));
    assert_eq!(parents(240), Clique::new([0, 1, 2, 3].map(id)));
}

#[test]
fn the_child_with_the_largest_sum_of_scores_comes_first() {
    let versions = versions(&[2, 2, 2, 2], 7);
    let scores = scores(&versions, &[(0, 1, 50.0), (0, 2, 10.0), (1, 2, 11.0), (0, 3, 20.0), (2, 3, 90.0)]);
    let learner = Learner::new(&versions, &scores, 8);
    let pair = learner.subsequent_pair(&[true, true, false, false]).unwrap();
    assert_eq!(pair, Pair::new(id(2), [0, 1].map(id)), "21 against 20: column 2 is no parent yet");
    let pair = learner.subsequent_pair(&[true, true, true, false]).unwrap();
    assert_eq!(pair, Pair::new(id(3), [0, 2].map(id)));
    assert_eq!(learner.subsequent_pair(&[true; 4]), None);
}

#[test]
fn a_column_too_large_for_parents_is_drawn_by_its_coarser_version_first() {
    // Forty codes in groups of three: fourteen, then five. Column 0 is binary.
    let versions = versions(&[2, 40], 3);
    assert_eq!(versions.domain().sizes(), [2, 40, 14, 5]);
    let scores = scores(&versions, &[(0, 1, 9.0), (0, 2, 8.0), (0, 3, 7.0)]);
    let network = |tau| {
        let learner = Learner::new(&versions, &scores, tau);
        learner.network().into_iter().map(|drawn| (drawn.pair, drawn.table)).collect::<Vec<_>>()
    };
    let single = |column| (Pair::head([id(column)]), Clique::single(id(column)));
    assert_eq!(network(80), [(Pair::head([0, 1].map(id)), Clique::new([0, 1].map(id)))]);
    // Columns without parents come in order.
    assert_eq!(network(9), [single(0), single(1)], "not even five codes fit beside two");
    let three = scores_of_three();
    let learner = Learner::new(&three.0, &three.1, 28);
    let expected = [
        Drawn { pair: Pair::head([0, 2].map(id)), table: Clique::new([0, 2].map(id)) },
        Drawn { pair: Pair::new(id(3), [id(0)]), table: Clique::new([0, 3].map(id)) },
        Drawn { pair: Pair::new(id(1), [id(3)]), table: Clique::single(id(1)) },
    ];
    assert_eq!(learner.network(), expected);
}

/// Two binary columns that belong together, and one of forty codes between them.
fn scores_of_three() -> (Versions, PairScores) {
    let versions = versions(&[2, 40, 2], 3);
    let scores = scores(&versions, &[(0, 2, 30.0), (0, 1, 9.0), (0, 3, 8.0), (0, 4, 7.0)]);
    (versions, scores)
}

#[test]
fn a_column_of_one_code_is_never_scored_and_needs_no_table() {
    let versions = versions(&[1, 2, 2], 7);
    assert_eq!(versions.pairs(), [[1, 2].map(id)]);
    let related = scores(&versions, &[(1, 2, 3.0)]);
    let network = Learner::new(&versions, &related, 4).network();
    assert_eq!(network.len(), 1);
    assert_eq!(network[0].pair, Pair::head([0, 1, 2].map(id)));
}

/// Algorithm 2 as it is written, looking at all columns in every round.
fn literal_first_pair(versions: &Versions, scores: &PairScores, tau: u128) -> Vec<AttributeId> {
    let columns: Vec<AttributeId> = versions.finest().collect();
    let normalised = |left: AttributeId, right: AttributeId| {
        scores.between(left, right) / f64::from(versions.domain().size(left)) / f64::from(versions.domain().size(right))
    };
    let cells = |set: &[AttributeId]| versions.domain().cells(&Clique::new(set.iter().copied()));
    let mut head: Vec<AttributeId> = Vec::new();
    let mut best = 0.0;
    for (index, &left) in columns.iter().enumerate() {
        for &right in &columns[index + 1..] {
            if normalised(left, right) > best && cells(&[left, right]) <= tau {
                best = normalised(left, right);
                head = vec![left, right];
            }
        }
    }
    let mut looked_at = head.clone();
    while !head.is_empty() && looked_at.len() < columns.len() {
        let sum = |column: AttributeId| head.iter().map(|&member| normalised(member, column)).sum::<f64>();
        let left = columns.iter().copied().filter(|column| !looked_at.contains(column));
        let next = left.reduce(|best, next| if sum(next) > sum(best) { next } else { best }).unwrap();
        if sum(next) > 0.0 && cells(&[&head[..], &[next]].concat()) <= tau {
            head.push(next);
        }
        looked_at.push(next);
    }
    head
}

proptest! {
    #[test]
    fn algorithm_2_is_its_text(
        sizes in prop::collection::vec(1..6_u32, 2..7), values in prop::collection::vec(-20..80_i32, 21), tau in 1..200_u128
    ) {
        let versions = versions(&sizes, 7);
        // Roots keep sums of scores per cell from being equal, which rounding would decide one way
        // or the other.
        let values: Vec<f64> = values.into_iter().zip(1_u8..).map(|(value, n)| f64::from(value) + f64::from(n).sqrt() / 1e3).collect();
        let scores = scores_in_order(&versions, &values);
        let head = Learner::new(&versions, &scores, tau).first_pair();
        prop_assert_eq!(head, literal_first_pair(&versions, &scores, tau));
    }

    #[test]
    fn parents_of_one_size_are_the_best_of_all_sets(
        size in 2..4_u32, values in prop::collection::vec(-20..80_i32, 21), tau in 1..250_u128
    ) {
        // Six known columns and a child, all of one size: then the greedy choice is the best one.
        let versions = versions(&[size; 7], 7);
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let scores = scores_in_order(&versions, &values);
        let known = [true, true, true, true, true, true, false];
        let pair = Learner::new(&versions, &scores, tau).subsequent_pair(&known).unwrap();
        let sum = |set: &[AttributeId]| set.iter().map(|&parent| scores.between(id(6), parent)).sum::<f64>();
        let sets = (0..64_usize).map(|bits| (0..6).filter(|bit| bits >> bit & 1 == 1).map(id).collect::<Vec<_>>());
        let fitting = sets.filter(|set| set.is_empty() || u128::from(size).pow(1 + u32::try_from(set.len()).unwrap()) <= tau);
        let best = fitting.map(|set| sum(&set)).fold(0.0, f64::max);
        prop_assert!((sum(pair.parents().attributes()) - best).abs() < 1e-9);
    }

    #[test]
    fn every_network_is_whole_and_within_tau(
        sizes in prop::collection::vec(1..60_u32, 1..7), values in prop::collection::vec(-20..80_i32, 200), tau in 1..2_000_u128
    ) {
        let versions = versions(&sizes, 3);
        let values: Vec<f64> = values.into_iter().cycle().map(f64::from).take(versions.pairs().len()).collect();
        let scores = scores_in_order(&versions, &values);
        let network = Learner::new(&versions, &scores, tau).network();
        prop_assert!(network.len() <= versions.max_tables());
        let mut children: Vec<AttributeId> = Vec::new();
        for Drawn { pair, table } in &network {
            let cells = versions.domain().cells(table);
            prop_assert!(cells <= tau || versions.domain().cells(table) == u128::from(table.attributes().iter()
                .map(|&column| versions.domain().size(column)).max().unwrap()), "a large table is of one column");
            let mut bases: Vec<usize> = table.attributes().iter().map(|&column| versions.of(column)).collect();
            bases.sort_unstable();
            bases.dedup();
            prop_assert_eq!(bases.len(), table.len(), "one version of a column per table");
            // Parents are known: drawn, or versions of what was drawn.
            for &parent in pair.parents().attributes() {
                prop_assert!(children.contains(&parent) || children.contains(&versions.finest_of(parent)));
            }
            children.extend(pair.children().attributes());
        }
        for column in versions.finest() {
            prop_assert_eq!(children.iter().filter(|&&child| child == column).count(), 1);
        }
    }
}
