//! Every marginal of small models, against the sum over all rows.

use chacha20::ChaCha8Rng;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use scumble_schema::{AttributeId, Clique, Domain};

use crate::{Factor, JunctionTree, ModelError, Node, TreeModel};

/// Rounding error in sums of a few thousand products of probabilities.
const TOLERANCE: f64 = 1e-12;

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().map(|&attribute| AttributeId::new(attribute)))
}

/// Returns a model over the tree of these cliques. About one in `zeros` cells is impossible; rows
/// of impossible separators are zero.
fn random_model(sizes: &[u32], cliques: &[Clique], zeros: Option<u32>, seed: u64) -> TreeModel {
    let domain = Domain::new(sizes.to_vec()).unwrap();
    let tree = JunctionTree::new(&domain, cliques, 10_000_000).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut model = TreeModel { domain, total: 1.0, nodes: Vec::new() };
    for node in tree.cliques() {
        let separators = match node.parent() {
            Some(parent) if zeros.is_some() => separator_probabilities(&model, parent, node.separator()),
            _ => vec![1.0; usize::try_from(model.domain.cells(node.separator())).unwrap()],
        };
        let columns = usize::try_from(model.domain.cells(node.residual())).unwrap();
        let mut conditional = Vec::new();
        for separator in separators {
            let possible = rng.random_range(0..columns);
            let mut row: Vec<f64> = (0..columns)
                .map(|column| {
                    let zero = zeros.is_some_and(|zeros| rng.random_range(0..zeros) == 0) && column != possible;
                    if zero || separator == 0.0 { 0.0 } else { rng.random::<f64>() + 1e-3 }
                })
                .collect();
            let sum: f64 = row.iter().sum();
            row.iter_mut().filter(|value| **value > 0.0).for_each(|value| *value /= sum);
            conditional.extend(row);
        }
        let (parent, separator, residual) = (node.parent(), node.separator().clone(), node.residual().clone());
        model.nodes.push(Node::new(parent, separator, residual, conditional));
    }
    model
}

/// Returns the probabilities of a separator in its parent, from the parent's ancestors alone.
fn separator_probabilities(model: &TreeModel, parent: usize, separator: &Clique) -> Vec<f64> {
    let mut path = vec![parent];
    while let Some(above) = model.nodes[path[path.len() - 1]].parent {
        path.push(above);
    }
    let nodes: Vec<&Node> = path.iter().rev().map(|&index| &model.nodes[index]).collect();
    let known = Clique::new(nodes.iter().flat_map(|node| node.residual.attributes()).copied());
    let mut probabilities = vec![0.0; usize::try_from(model.domain.cells(separator)).unwrap()];
    for row in rows(&model.domain, &known) {
        let probability: f64 = nodes
            .iter()
            .map(|node| {
                let columns = usize::try_from(model.domain.cells(&node.residual)).unwrap();
                let (row_index, column) =
                    (cell(&model.domain, &node.separator, &row), cell(&model.domain, &node.residual, &row));
                node.conditional[row_index * columns + column]
            })
            .product();
        probabilities[cell(&model.domain, separator, &row)] += probability;
    }
    probabilities
}

/// Returns every combination of codes of some attributes; the others are zero.
fn rows(domain: &Domain, of: &Clique) -> Vec<Vec<u32>> {
    let mut rows = vec![vec![0; domain.len()]];
    for &attribute in of.attributes() {
        let with = |row: &Vec<u32>, code| {
            let mut row = row.clone();
            row[attribute.index()] = code;
            row
        };
        rows = rows.iter().flat_map(|row| (0..domain.size(attribute)).map(move |code| with(row, code))).collect();
    }
    rows
}

fn cell(domain: &Domain, clique: &Clique, row: &[u32]) -> usize {
    let attributes = clique.attributes().iter();
    attributes.fold(0, |cell, &attribute| cell * domain.size(attribute) as usize + row[attribute.index()] as usize)
}

fn brute_force(model: &TreeModel, clique: &Clique) -> Vec<f64> {
    let mut probabilities = vec![0.0; usize::try_from(model.domain.cells(clique)).unwrap()];
    for row in rows(&model.domain, &Clique::new(model.domain.attributes())) {
        probabilities[cell(&model.domain, clique, &row)] += model.probability(&row);
    }
    probabilities
}

/// Returns every subset of the domain's attributes.
fn every_clique(domain: &Domain) -> Vec<Clique> {
    let subset = |set: usize| clique(&(0..domain.len()).filter(|bit| set >> bit & 1 == 1).collect::<Vec<_>>());
    (0..1 << domain.len()).map(subset).collect()
}

fn assert_all_marginals_are_right(model: &TreeModel) {
    let cliques = every_clique(&model.domain);
    let together = model.marginals(&cliques).unwrap();
    for (clique, answer) in cliques.iter().zip(&together) {
        assert_eq!(answer.clique(), clique);
        assert_eq!(answer, &model.marginal(clique).unwrap(), "alone as with others");
        for (value, expected) in answer.values().iter().zip(brute_force(model, clique)) {
            assert!((value - expected).abs() < TOLERANCE, "{clique:?}: {value} is not {expected}");
        }
    }
    for threads in [1, 2, 5] {
        assert_eq!(model.marginals_on(&cliques, threads).unwrap(), together);
    }
}

#[test]
fn every_marginal_of_every_shape_is_the_sum_over_rows() {
    let shapes: [(&str, &[u32], Vec<Clique>); 9] = [
        ("chain", &[2, 3, 4, 2, 3], [[0, 1], [1, 2], [2, 3], [3, 4]].map(|pair| clique(&pair)).into()),
        ("cycle", &[2, 3, 2, 4, 2], (0..5).map(|i| clique(&[i, (i + 1) % 5])).collect()),
        ("missing node", &[2, 3, 4, 2], vec![clique(&[0, 1]), clique(&[1, 3])]),
        ("full", &[2, 3, 4], vec![clique(&[0, 1, 2])]),
        ("single", &[5], vec![clique(&[0])]),
        ("permuted", &[3, 2, 4, 2, 3], [[4, 1], [0, 2], [3, 0], [2, 4]].map(|pair| clique(&pair)).into()),
        ("disconnected", &[2, 3, 2, 3, 2], vec![clique(&[0, 4]), clique(&[1, 2])]),
        ("empty", &[], vec![]),
        ("one code", &[2, 1, 3, 1], vec![clique(&[0, 1]), clique(&[1, 2]), clique(&[2, 3])]),
    ];
    for (name, sizes, cliques) in shapes {
        for (seed, zeros) in [(1, None), (2, Some(2)), (3, Some(3))] {
            let model = random_model(sizes, &cliques, zeros, seed);
            let all: f64 = brute_force(&model, &Clique::empty())[0];
            assert!((all - 1.0).abs() < TOLERANCE, "{name}");
            assert_all_marginals_are_right(&model);
        }
    }
}

#[test]
fn projections_of_a_large_clique_through_smaller_ones_are_right() {
    let cliques = [clique(&[0, 1, 2, 3, 4]), clique(&[3, 5])];
    let model = random_model(&[6, 5, 7, 6, 6, 2], &cliques, Some(9), 7);
    assert!(model.nodes[0].conditional.len() > super::MIN_STEPWISE_CELLS);
    assert_all_marginals_are_right(&model);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn every_marginal_of_a_random_tree_is_the_sum_over_rows(
        sizes in prop::collection::vec(1..4_u32, 1..8),
        sets in prop::collection::vec(prop::collection::vec(0..8_usize, 1..4), 0..8),
        zeros in prop::option::of(2..5_u32), seed in any::<u64>(),
    ) {
        let sets: Vec<Clique> = sets
            .iter()
            .map(|set| clique(&set.iter().map(|attribute| attribute % sizes.len()).collect::<Vec<_>>()))
            .collect();
        assert_all_marginals_are_right(&random_model(&sizes, &sets, zeros, seed));
    }
}

#[test]
fn the_ends_of_a_long_chain_meet_through_all_of_it() {
    // As many columns as a schema may have: recursion would overflow the stack.
    let pairs: Vec<Clique> = (1..10_000).map(|right| clique(&[right - 1, right])).collect();
    let domain = Domain::new(vec![2; 10_000]).unwrap();
    let tree = JunctionTree::new(&domain, &pairs, 100_000).unwrap();
    // Every attribute equals the one before it, except for one row in ten thousand.
    let conditional = |node: &crate::TreeClique| match (node.separator().len(), node.residual().len()) {
        (0, _) => vec![0.49995, 0.00005, 0.00005, 0.49995],
        _ => vec![0.9999, 0.0001, 0.0001, 0.9999],
    };
    let node = |node: &crate::TreeClique| {
        Node::new(node.parent(), node.separator().clone(), node.residual().clone(), conditional(node))
    };
    let nodes = tree.cliques().iter().map(node).collect();
    let model = TreeModel { domain, total: 1.0, nodes };
    let ends = model.marginal(&clique(&[0, 9_999])).unwrap();
    let expected = 0.25 * (1.0 + (1.0_f64 - 0.0002).powi(9_999));
    assert!((ends.values()[0] - expected).abs() < 1e-9, "{} is not {expected}", ends.values()[0]);
}

#[test]
fn queries_that_are_too_large_or_unknown_are_refused() {
    let pairs: Vec<Clique> = (1..9).map(|right| clique(&[right - 1, right])).collect();
    let model = random_model(&[10; 9], &[], None, 1);
    assert!(matches!(model.marginal(&clique(&[0, 1, 2, 3, 4, 5, 6, 7])), Err(ModelError::TooLarge { .. })));
    assert_eq!(
        model.marginals(&[clique(&[0]), clique(&[9])]),
        Err(ModelError::UnknownAttribute { attribute: AttributeId::new(9) })
    );
    // The answer would fit, but an intermediate table does not: a star of leaves round a centre of
    // many codes.
    let leaves: Vec<Clique> = (1..9).map(|leaf| clique(&[0, leaf])).collect();
    let mut sizes = [8; 9];
    sizes[0] = 30;
    let star = random_model(&sizes, &leaves, None, 1);
    assert!(star.marginal(&clique(&[1, 2, 3, 4, 5, 6, 7])).is_ok());
    assert!(matches!(star.marginal(&clique(&[1, 2, 3, 4, 5, 6, 7, 8])), Err(ModelError::TooLarge { .. })));
    let chain = random_model(&[8; 9], &pairs, None, 1);
    assert!(chain.marginal(&clique(&[0, 2, 4, 6, 8])).is_ok());
}

#[test]
fn the_sum_of_any_marginal_is_one() {
    let model =
        random_model(&[16, 7, 16, 5, 2, 9], &[clique(&[0, 1, 2]), clique(&[2, 3]), clique(&[3, 4, 5])], None, 4);
    let pairs: Vec<Clique> = (0..6).flat_map(|left| (0..left).map(move |right| clique(&[left, right]))).collect();
    let sums = model.marginals(&pairs).unwrap();
    assert!(sums.iter().map(Factor::sum).all(|sum| (sum - 1.0).abs() < TOLERANCE));
}
