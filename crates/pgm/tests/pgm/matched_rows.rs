//! Matched sampling: rows are nearer to the model across cliques, and unchanged within them.

use chacha20::ChaCha8Rng;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use scumble_pgm::{CliqueVector, Factor, ProductModel, Sampler, Sampling, StructuralZeros, TreeModel, infer, parallel};
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain, cells};

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().copied().map(AttributeId::new))
}

/// Returns the model with random potentials between -1.5 and 1.5 on these cliques.
fn random_model(sizes: &[u32], cliques: &[Clique], zeros: &[StructuralZeros], seed: u64) -> TreeModel {
    let domain = Domain::new(sizes.to_vec()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let factor = |clique: &Clique| {
        let values = (0..domain.cells(clique)).map(|_| rng.random_range(-1.5..=1.5)).collect();
        Factor::new(&domain, clique.clone(), values).unwrap()
    };
    let factors = cliques.iter().map(factor).collect();
    infer(&CliqueVector::new(&domain, factors).unwrap(), zeros, 1.0).unwrap()
}

fn chain() -> TreeModel {
    let cliques: Vec<Clique> = (1..6).map(|column| clique(&[column - 1, column])).collect();
    random_model(&[3, 4, 2, 5, 3, 4], &cliques, &[], 3)
}

fn star() -> TreeModel {
    let cliques: Vec<Clique> = (1..7).map(|leaf| clique(&[0, leaf])).collect();
    random_model(&[3, 4, 2, 5, 3, 4, 3], &cliques, &[], 4)
}

fn chunk(model: &TreeModel, rows: u64, seed: u64, sampling: Sampling) -> Vec<CodeColumn> {
    Sampler::new(model).sample(rows, seed, sampling).next().unwrap()
}

fn counts(domain: &Domain, clique: &Clique, chunk: &[CodeColumn]) -> Vec<f64> {
    let strides = cells::strides(domain, clique);
    let mut counts = vec![0.0; domain.table_len(clique).unwrap()];
    for row in 0..chunk[0].len() {
        let part = |(attribute, stride): (&AttributeId, &usize)| chunk[attribute.index()].get(row) as usize * stride;
        counts[clique.attributes().iter().zip(&strides).map(part).sum::<usize>()] += 1.0;
    }
    counts
}

/// Returns the mean distance of all tables of three columns from the model, in rows.
fn distance_of_triples(model: &TreeModel, chunk: &[CodeColumn]) -> f64 {
    let columns = model.domain().len();
    let (mut sum, mut tables) = (0.0, 0.0);
    for first in 0..columns {
        for second in first + 1..columns {
            for third in second + 1..columns {
                let clique = clique(&[first, second, third]);
                let expected = model.marginal(&clique).unwrap();
                let found = counts(model.domain(), &clique, chunk);
                let rows = chunk[0].len() as f64;
                sum +=
                    found.iter().zip(expected.values()).map(|(count, share)| (count - share * rows).abs()).sum::<f64>();
                tables += 1.0;
            }
        }
    }
    sum / tables
}

#[test]
fn triples_are_nearer_to_the_model_and_cliques_as_near() {
    /// Most of the distance that may remain.
    const MAX_REMAINING: f64 = 0.7;
    for model in [chain(), star()] {
        for seed in 0..3 {
            let [matched, low_variance] =
                [Sampling::Matched, Sampling::LowVariance].map(|sampling| chunk(&model, 20_000, seed, sampling));
            let ratio = distance_of_triples(&model, &matched) / distance_of_triples(&model, &low_variance);
            assert!(ratio < MAX_REMAINING, "{ratio}");
            for node in model.nodes() {
                let clique = node.separator().union(node.residual());
                let [matched, low_variance] =
                    [&matched, &low_variance].map(|chunk| counts(model.domain(), &clique, chunk));
                assert_eq!(matched, low_variance);
            }
        }
    }
}

#[test]
fn independent_columns_are_matched_too() {
    let model = random_model(&[6, 5, 4, 7], &[clique(&[0, 1])], &[], 5);
    let [matched, low_variance] = [Sampling::Matched, Sampling::LowVariance]
        .map(|sampling| distance_of_triples(&model, &chunk(&model, 20_000, 1, sampling)));
    assert!(matched < 0.7 * low_variance, "{matched} {low_variance}");
}

/// Returns a chain whose second column has a coarser version, which depends on it alone and is the
/// parent of another column.
fn with_coarser_version() -> (TreeModel, StructuralZeros) {
    let domain = Domain::new(vec![3, 9, 4, 3]).unwrap();
    let possible: Vec<bool> = (0..9).flat_map(|code| (0..3).map(move |group| code / 3 == group)).collect();
    let zeros = StructuralZeros::new(&domain, clique(&[1, 3]), &possible).unwrap();
    (random_model(domain.sizes(), &[clique(&[0, 1]), clique(&[2, 3])], std::slice::from_ref(&zeros), 6), zeros)
}

#[test]
fn coarser_versions_stay_with_their_columns_whether_compared_or_not() {
    let (model, _) = with_coarser_version();
    let finest = [0, 1, 2].map(AttributeId::new);
    for sampler in [Sampler::new(&model), Sampler::new(&model).comparing(&finest)] {
        let [matched, low_variance] = [Sampling::Matched, Sampling::LowVariance]
            .map(|sampling| sampler.sample(20_000, 2, sampling).next().unwrap());
        assert!(matched != low_variance, "some rows were swapped");
        assert!(matched[1].iter().zip(matched[3].iter()).all(|(fine, coarse)| fine / 3 == coarse));
    }
}

#[test]
fn rows_depend_on_seed_and_chunk_alone() {
    let model = star();
    let sampler = Sampler::new(&model);
    let rows = || sampler.sample(140_000, 21, Sampling::Matched);
    let streamed: Vec<_> = rows().collect();
    assert_eq!(streamed.iter().map(|chunk| chunk[0].len()).collect::<Vec<_>>(), [65_536, 65_536, 8_928]);
    assert!(parallel::map_on(3, 0..3, |chunk| rows().nth(chunk).unwrap()) == streamed);
    let alone = Sampler::new(&model).sample(140_000, 21, Sampling::Matched).nth(2);
    assert!(alone.as_ref() == Some(&streamed[2]));
    assert!(sampler.sample(8_928, 22, Sampling::Matched).next().as_ref() != Some(&streamed[2]));
}

#[test]
fn pairs_are_compared_if_triples_are_too_large_and_nothing_if_pairs_are_too() {
    let changes = |sizes: &[u32]| {
        let model = random_model(sizes, &[clique(&[0, 1]), clique(&[1, 2])], &[], 7);
        chunk(&model, 2_000, 1, Sampling::Matched) != chunk(&model, 2_000, 1, Sampling::LowVariance)
    };
    assert!(changes(&[20, 4, 20]));
    assert!(changes(&[1_100, 4, 1_100]), "five million triples, one million pairs");
    assert!(!changes(&[2_100, 4, 2_100]), "four million pairs");
    let many = vec![2; 100];
    assert!(!changes(&many), "nearly five thousand pairs");
}

#[test]
fn models_without_branches_keep_their_rows() {
    let whole = random_model(&[3, 4, 2], &[clique(&[0, 1, 2])], &[], 8);
    let single = random_model(&[5], &[clique(&[0])], &[], 8);
    let constant = random_model(&[1, 4, 1], &[clique(&[0, 1]), clique(&[1, 2])], &[], 8);
    for model in [whole, single, constant] {
        for rows in [1, 2, 500] {
            assert_eq!(chunk(&model, rows, 1, Sampling::Matched), chunk(&model, rows, 1, Sampling::LowVariance));
        }
        assert_eq!(Sampler::new(&model).sample(0, 1, Sampling::Matched).count(), 0);
    }
    let none = infer(&CliqueVector::new(&Domain::new(vec![]).unwrap(), vec![]).unwrap(), &[], 1.0).unwrap();
    assert_eq!(chunk(&none, 10, 1, Sampling::Matched), []);
    let product = ProductModel::new(vec![vec![0.5, 0.5], vec![0.2, 0.8]]).unwrap();
    let [matched, low_variance] =
        [Sampling::Matched, Sampling::LowVariance].map(|sampling| product.sample(100, 1, sampling).next());
    assert_eq!(matched, low_variance);
}

#[test]
fn few_rows_are_matched_and_many_are_not() {
    assert_eq!(Sampling::for_rows(0), Sampling::Matched);
    assert_eq!(Sampling::for_rows(131_072), Sampling::Matched);
    assert_eq!(Sampling::for_rows(131_073), Sampling::LowVariance);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn cliques_of_any_tree_keep_their_tables(
        sizes in prop::collection::vec(1_u32..5, 2..7), parents: [prop::sample::Index; 6], seed: u64, rows in 1_u64..300
    ) {
        let cliques: Vec<Clique> =
            (1..sizes.len()).map(|column| clique(&[parents[column - 1].index(column), column])).collect();
        let model = random_model(&sizes, &cliques, &[], seed);
        let [matched, low_variance] =
            [Sampling::Matched, Sampling::LowVariance].map(|sampling| chunk(&model, rows, seed, sampling));
        for clique in &cliques {
            let [matched, low_variance] = [&matched, &low_variance].map(|chunk| counts(model.domain(), clique, chunk));
            prop_assert_eq!(matched, low_variance);
        }
    }
}
