use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};

use super::*;

type Rng = chacha20::ChaCha8Rng;

fn ids(columns: usize) -> Vec<AttributeId> {
    (0..columns).map(AttributeId::new).collect()
}

fn random_scores(columns: &[AttributeId], rng: &mut Rng) -> PairScores {
    let scored: Vec<_> = pairs(columns).into_iter().map(|pair| (pair, rng.random_range(-100.0..1_000.0))).collect();
    PairScores::new(columns.len(), 0.0, scored)
}

/// The cells of the largest clique that eliminating in this order makes.
fn largest(domain: &Domain, edges: &[Clique], order: &[AttributeId]) -> u128 {
    let mut edges: Vec<Clique> = edges.to_vec();
    let mut largest = 0;
    for (done, &column) in order.iter().enumerate() {
        let meets = |other: &&AttributeId| edges.contains(&Clique::new([column, **other]));
        let neighbours: Vec<AttributeId> = order[done + 1..].iter().filter(meets).copied().collect();
        largest = largest.max(domain.cells(&Clique::new(neighbours.iter().copied().chain([column]))));
        edges.extend(pairs(&neighbours).into_iter().map(Clique::new));
    }
    largest
}

fn orders(columns: &[AttributeId]) -> Vec<Vec<AttributeId>> {
    if columns.is_empty() {
        return vec![Vec::new()];
    }
    let without = |out: AttributeId| columns.iter().copied().filter(|&column| column != out).collect::<Vec<_>>();
    let first = |&column: &AttributeId| {
        orders(&without(column)).into_iter().map(move |rest| [vec![column], rest].concat()).collect::<Vec<_>>()
    };
    columns.iter().flat_map(first).collect()
}

/// Lines 3 to 13 word by word: all pairs again after each insertion.
fn word_by_word(
    columns: &[AttributeId],
    scores: &PairScores,
    can_be_triangulated: impl Fn(&[Clique]) -> bool,
) -> Vec<Clique> {
    let mut left = pairs(columns);
    left.sort_by(|&[a, b], &[c, d]| scores.between(c, d).total_cmp(&scores.between(a, b)));
    let mut edges = Vec::new();
    loop {
        let fits = |pair: &[AttributeId; 2]| {
            let with: Vec<Clique> = edges.iter().cloned().chain([Clique::new(*pair)]).collect();
            can_be_triangulated(&with)
        };
        let Some(place) = left.iter().position(fits) else { return edges };
        edges.push(Clique::new(left.remove(place)));
    }
}

#[test]
fn the_graph_is_that_of_the_paper_word_by_word() {
    let mut rng = Rng::seed_from_u64(1);
    let columns = ids(5);
    let orders = orders(&columns);
    let (cases, mut refused, mut same, mut optimal) = (100, 0, 0, 0);
    for _ in 0..cases {
        let domain = Domain::new(columns.iter().map(|_| rng.random_range(2..6)).collect()).unwrap();
        let scores = random_scores(&columns, &mut rng);
        let max_cells = [12, 24, 40, 80][rng.random_range(0..4)];
        let graph = Graph::of_related(&domain, &columns, &scores, max_cells, Edges::Related);
        let searched = |edges: &[Clique]| JunctionTree::cliques_within(&domain, edges, max_cells).is_some();
        let sorted = |mut edges: Vec<Clique>| {
            edges.sort();
            edges
        };
        let edges = sorted(graph.edges.clone());
        same += usize::from(edges == sorted(word_by_word(&columns, &scores, searched)));
        assert!(graph.cliques.iter().all(|clique| domain.cells(clique) <= max_cells));
        assert!(graph.edges.iter().all(|edge| graph.cliques.iter().any(|clique| clique.holds(edge))));
        refused += pairs(&columns).len() - graph.edges.len();
        let any = |edges: &[Clique]| orders.iter().any(|order| largest(&domain, edges, order) <= max_cells);
        optimal += usize::from(edges == sorted(word_by_word(&columns, &scores, any)));
    }
    assert!(refused > cases, "a limit that refuses nothing tests nothing");
    // It goes through the pairs in fewer rounds than the text, and not every triangulation is
    // tried: both may miss a pair.
    assert!(same >= cases * 19 / 20, "{same} of {cases} graphs are those of the text");
    assert!(optimal >= cases * 9 / 10, "{optimal} of {cases} graphs are those of the best triangulations");
}

#[test]
fn every_column_is_in_a_clique_and_those_too_large_are_alone() {
    let domain = Domain::new(vec![2, 1, 50, 3, 2]).unwrap();
    let columns: Vec<AttributeId> = ids(5).into_iter().filter(|column| domain.size(*column) > 1).collect();
    let scores = random_scores(&ids(5), &mut Rng::seed_from_u64(2));
    for edges in [Edges::Related, Edges::RelatedWithFill] {
        let mut cliques = attribute_graph(&domain, &columns, &scores, 12, edges);
        cliques.sort();
        let together = Clique::new([0, 3, 4].map(AttributeId::new));
        assert_eq!(cliques, [together, Clique::single(AttributeId::new(2))]);
    }
}

#[test]
fn edges_by_sums_count_what_triangulation_adds() {
    // A ring 0-1-2-3 whose strongest pairs come first; then 0-2 is weak and 1-3 strong, and either
    // closes the ring.
    let domain = Domain::new(vec![2; 4]).unwrap();
    let pair = |a, b| [AttributeId::new(a), AttributeId::new(b)];
    let ring = [(pair(0, 1), 100.0), (pair(1, 2), 90.0), (pair(2, 3), 80.0), (pair(0, 3), 70.0)];
    let diagonals = [(pair(0, 2), 1.0), (pair(1, 3), 60.0)];
    let scores = PairScores::new(4, 0.0, ring.into_iter().chain(diagonals));
    let cliques = attribute_graph(&domain, &ids(4), &scores, 8, Edges::RelatedWithFill);
    let sum = sum_of_edges(&cliques, &scores);
    assert!((sum - 400.0).abs() < 1e-9, "all but the weak diagonal, not {sum}");
}

#[test]
fn a_hundred_columns_take_seconds_at_most() {
    let mut rng = Rng::seed_from_u64(3);
    let columns = ids(100);
    let domain = Domain::new(columns.iter().map(|_| rng.random_range(2..=100)).collect()).unwrap();
    let scores = random_scores(&columns, &mut rng);
    let start = Instant::now();
    let cliques = attribute_graph(&domain, &columns, &scores, 10_000_000, Edges::Related);
    let took = start.elapsed();
    assert!(cliques.len() > 20);
    // Ten times what it takes; with all pairs tried again after each insertion it would be minutes.
    assert!(took < Duration::from_secs(10), "{took:?}");
}
