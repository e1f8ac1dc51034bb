//! Invariants of junction trees, on the shapes that all oracles of this crate are tested on.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use scumble_pgm::{JunctionTree, ModelError};
use scumble_schema::{AttributeId, Clique, Domain, limits};

const LIMIT: u128 = 1_000_000;

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().map(|&attribute| AttributeId::new(attribute)))
}

fn cliques(of: &[&[usize]]) -> Vec<Clique> {
    of.iter().map(|attributes| clique(attributes)).collect()
}

fn domain(sizes: &[u32]) -> Domain {
    Domain::new(sizes.to_vec()).unwrap()
}

/// Returns the tree, after checking everything that must hold for any tree over these cliques.
fn checked(domain: &Domain, cliques: &[Clique]) -> JunctionTree {
    let tree = JunctionTree::new(domain, cliques, LIMIT).unwrap();
    let nodes = tree.cliques();
    assert_eq!(tree.cells(), JunctionTree::predicted_cells(domain, cliques));
    assert_eq!(tree.cells(), nodes.iter().map(|node| domain.cells(node.clique())).sum::<u128>());
    let mut residuals: Vec<AttributeId> = nodes.iter().flat_map(|node| node.residual().attributes()).copied().collect();
    residuals.sort();
    assert_eq!(residuals, domain.attributes().collect::<Vec<_>>(), "every attribute is in one residual");
    for (index, node) in nodes.iter().enumerate() {
        assert!(!node.residual().is_empty());
        let both = node.separator().attributes().iter().chain(node.residual().attributes());
        assert_eq!(&Clique::new(both.copied()), node.clique());
        assert_eq!(node.separator().len() + node.residual().len(), node.clique().len());
        match node.parent() {
            Some(parent) => {
                assert!(parent < index, "parents come first");
                // With every attribute in one residual this is the running intersection property:
                // from a clique upwards, an attribute is in all separators up to the clique that
                // has it in its residual.
                assert!(holds(nodes[parent].clique(), node.separator()));
                assert!(!node.separator().is_empty(), "cliques that share nothing are in separate trees");
            }
            None => assert!(node.separator().is_empty()),
        }
        for other in &nodes[..index] {
            assert!(!holds(other.clique(), node.clique()) && !holds(node.clique(), other.clique()), "maximal");
        }
    }
    for clique in cliques.iter().filter(|clique| !clique.is_empty()) {
        let home = tree.home(clique).expect("every given clique has a home");
        let holders = nodes.iter().filter(|node| holds(node.clique(), clique));
        assert_eq!(Some(nodes[home].cells()), holders.map(scumble_pgm::TreeClique::cells).min());
    }
    tree
}

fn holds(large: &Clique, small: &Clique) -> bool {
    small.attributes().iter().all(|attribute| large.attributes().contains(attribute))
}

/// Returns the width of the tree: the attributes of its largest clique, less one.
fn width(tree: &JunctionTree) -> usize {
    tree.cliques().iter().map(|node| node.clique().len()).max().unwrap() - 1
}

#[test]
fn a_chain_is_its_own_tree() {
    let pairs = cliques(&[&[0, 1], &[1, 2], &[2, 3]]);
    let tree = checked(&domain(&[2, 3, 4, 5]), &pairs);
    assert_eq!(tree.cells(), 6 + 12 + 20);
    assert_eq!(tree.cliques()[0].clique(), &clique(&[2, 3]), "the largest clique is the root");
}

#[test]
fn a_cycle_is_cut_where_it_is_cheapest() {
    let cycle = cliques(&[&[0, 1], &[1, 2], &[2, 3], &[0, 3]]);
    // Joining 0 with 2 gives {0, 1, 2} and {0, 2, 3}; joining 1 with 3 has the large 1 in both.
    let tree = checked(&domain(&[2, 9, 2, 2]), &cycle);
    assert_eq!(tree.cells(), 2 * 9 * 2 + 2 * 2 * 2);
}

#[test]
fn a_clique_of_everything_is_the_only_one() {
    let tree = checked(&domain(&[2, 3, 4]), &cliques(&[&[0, 1, 2], &[0, 1], &[2]]));
    assert_eq!((tree.cliques().len(), tree.cells()), (1, 24));
    assert_eq!(tree.home(&clique(&[0, 2])), Some(0));
}

#[test]
fn attributes_that_no_clique_joins_are_separate_trees() {
    let tree = checked(&domain(&[2, 3, 4, 5, 6]), &cliques(&[&[0, 1], &[2, 3]]));
    assert_eq!(tree.cliques().iter().filter(|node| node.parent().is_none()).count(), 3);
    assert_eq!(tree.cells(), 6 + 20 + 6);
    assert_eq!(tree.home(&clique(&[0, 2])), None);
}

#[test]
fn an_empty_domain_is_an_empty_tree() {
    let tree = checked(&domain(&[]), &[Clique::empty()]);
    assert_eq!((tree.cliques().len(), tree.cells()), (0, 0));
    assert_eq!(tree.home(&Clique::empty()), None);
    assert_eq!(tree.home(&clique(&[0])), None);
}

#[test]
fn the_empty_clique_is_at_home_in_the_smallest() {
    let tree = checked(&domain(&[5, 2, 3]), &cliques(&[&[0, 1], &[1, 2], &[]]));
    assert_eq!(tree.cliques()[tree.home(&Clique::empty()).unwrap()].clique(), &clique(&[1, 2]));
}

#[test]
fn small_graphs_get_their_known_width() {
    let grid = |rows: usize, columns: usize| {
        let at = |row: usize, column: usize| row * columns + column;
        let mut pairs = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                if row + 1 < rows {
                    pairs.push(clique(&[at(row, column), at(row + 1, column)]));
                }
                if column + 1 < columns {
                    pairs.push(clique(&[at(row, column), at(row, column + 1)]));
                }
            }
        }
        (rows * columns, pairs)
    };
    let wheel = (0..6).flat_map(|i| [clique(&[i, (i + 1) % 6]), clique(&[i, 6])]);
    let cube = (0..8_usize).flat_map(|i| [1, 2, 4].map(|bit| clique(&[i, i ^ bit])));
    let bipartite = (0..3).flat_map(|left| (3..7).map(move |right| clique(&[left, right])));
    let cycle = (0..9).map(|i| clique(&[i, (i + 1) % 9]));
    for (name, (attributes, pairs), known) in [
        ("grid of 3 x 3", grid(3, 3), 3),
        ("grid of 4 x 4", grid(4, 4), 4),
        ("wheel", (7, wheel.collect()), 3),
        ("cube", (8, cube.collect()), 3),
        ("bipartite 3, 4", (7, bipartite.collect()), 3),
        ("cycle", (9, cycle.collect()), 2),
    ] {
        assert_eq!(width(&checked(&domain(&vec![2; attributes]), &pairs)), known, "{name}");
    }
}

#[test]
fn unknown_attributes_are_refused() {
    let refused = JunctionTree::new(&domain(&[2]), &cliques(&[&[0, 1]]), LIMIT);
    assert_eq!(refused, Err(ModelError::UnknownAttribute { attribute: AttributeId::new(1) }));
}

#[test]
fn the_lower_of_two_limits_holds() {
    let pair = cliques(&[&[0, 1]]);
    let refused = |sizes: &[u32], limit| JunctionTree::new(&domain(sizes), &pair, limit).unwrap_err();
    assert_eq!(refused(&[3, 4], 11), ModelError::TooLarge { cells: 12, limit: 11 });
    assert!(JunctionTree::new(&domain(&[3, 4]), &pair, 12).is_ok());
    let cells = 10_000 * 10_000;
    assert_eq!(refused(&[10_000, 10_000], u128::MAX), ModelError::TooLarge { cells, limit: limits::CELLS_PER_MODEL });
}

/// Time limit of a refusal, on a busy machine; it usually takes milliseconds.
const IN_TIME: Duration = Duration::from_secs(1);

/// Returns the tree or the refusal, and checks the time.
fn at_once(domain: &Domain, cliques: &[Clique]) -> Result<JunctionTree, ModelError> {
    let started = Instant::now();
    let answer = JunctionTree::new(domain, cliques, LIMIT);
    assert!(started.elapsed() < IN_TIME, "{:?}", started.elapsed());
    answer
}

#[test]
fn trees_that_are_too_large_are_refused_at_once() {
    let twelve = (0..12).map(|left| clique(&[left, (left + 1) % 12, (left + 5) % 12])).collect::<Vec<_>>();
    let refused = at_once(&domain(&[1_000; 12]), &twelve).unwrap_err();
    assert!(matches!(refused, ModelError::TooLarge { cells: 1_000_000_000_000.., .. }), "{refused}");

    for columns in [110, 1_000] {
        let pairs = |far: usize| -> Vec<Clique> {
            let ahead = move |left: usize| (1..=far).map(move |step| clique(&[left, (left + step) % columns]));
            (0..columns).flat_map(ahead).collect()
        };
        let complete = pairs(columns / 2);
        let scattered: Vec<Clique> =
            (0..columns * 5).map(|i| clique(&[i % columns, (i * i + 7 * i / columns) % columns])).collect();
        for (cliques, sizes) in [(&complete, 2), (&complete, 1), (&scattered, 10), (&scattered, 1), (&pairs(40), 5)] {
            assert_eq!(at_once(&domain(&vec![sizes; columns]), cliques).is_ok(), sizes == 1);
        }
    }
}

/// Returns the weight of the heaviest spanning forest, with cliques as vertices and the number of
/// shared attributes as weights.
fn heaviest_forest(cliques: &[&Clique]) -> usize {
    let shared =
        |left: &Clique, right: &Clique| left.attributes().iter().filter(|a| right.attributes().contains(a)).count();
    let mut edges: Vec<(usize, usize, usize)> = (0..cliques.len())
        .flat_map(|left| (0..left).map(move |right| (left, right)))
        .map(|(left, right)| (shared(cliques[left], cliques[right]), left, right))
        .collect();
    edges.sort_by(|left, right| right.cmp(left));
    let mut tree: Vec<usize> = (0..cliques.len()).collect();
    let mut weight = 0;
    for (shared, left, right) in edges {
        let (from, to) = (tree[left], tree[right]);
        if from != to {
            tree.iter_mut().filter(|tree| **tree == from).for_each(|tree| *tree = to);
            weight += shared;
        }
    }
    weight
}

proptest! {
    #[test]
    fn any_cliques_get_a_sound_tree(
        sizes in prop::collection::vec(1..4_u32, 1..9),
        sets in prop::collection::vec(prop::collection::vec(0..9_usize, 0..4), 0..9),
        seed in any::<u64>(),
    ) {
        let domain = domain(&sizes);
        let sets: Vec<Clique> = sets
            .iter()
            .map(|set| clique(&set.iter().copied().filter(|&attribute| attribute < sizes.len()).collect::<Vec<_>>()))
            .collect();
        let tree = checked(&domain, &sets);

        // Junction trees of maximal cliques are exactly the heaviest spanning forests.
        let cliques: Vec<&Clique> = tree.cliques().iter().map(scumble_pgm::TreeClique::clique).collect();
        let separators: usize = tree.cliques().iter().map(|node| node.separator().len()).sum();
        prop_assert_eq!(separators, heaviest_forest(&cliques));

        let mut permuted = sets.clone();
        if !permuted.is_empty() {
            let by = usize::try_from(seed % permuted.len() as u64).unwrap();
            permuted.rotate_left(by);
            permuted.push(permuted[0].clone());
            permuted.reverse();
        }
        prop_assert_eq!(&checked(&domain, &permuted), &tree);

        // The cliques of a tree do not change: no edge is added to a chordal graph.
        let again: Vec<Clique> = cliques.into_iter().cloned().collect();
        prop_assert_eq!(JunctionTree::predicted_cells(&domain, &again), tree.cells());
        prop_assert!(again.iter().all(|clique| tree.home(clique).is_some()));
    }

    #[test]
    fn a_tree_with_one_more_pair_is_within_its_bound(
        sizes in prop::collection::vec(2..5_u32, 2..12),
        sets in prop::collection::vec(prop::collection::vec(0..12_usize, 2..4), 0..16),
    ) {
        let domain = domain(&sizes);
        let mut sets: Vec<Clique> = sets
            .iter()
            .map(|set| clique(&set.iter().copied().filter(|&attribute| attribute < sizes.len()).collect::<Vec<_>>()))
            .collect();
        let Ok(tree) = JunctionTree::new(&domain, &sets, LIMIT) else { return Ok(()) };
        for other in 1..sizes.len() {
            for one in 0..other {
                let pair = [one, other].map(AttributeId::new);
                let bound = tree.cells_with_pair(&domain, pair);
                sets.push(Clique::new(pair));
                let cells = JunctionTree::predicted_cells(&domain, &sets);
                sets.pop();
                if tree.home(&Clique::new(pair)).is_some() {
                    prop_assert_eq!(bound, tree.cells());
                } else {
                    // The search does not always find the tree of the bound.
                    prop_assert!(cells <= 2 * bound, "{} cells, bound {}", cells, bound);
                }
            }
        }
    }
}
