//! Rows sampled from tree models follow them.

use chacha20::ChaCha8Rng;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use scumble_pgm::{CliqueVector, Factor, Sampler, Sampling, StructuralZeros, TreeModel, infer, parallel};
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain, cells};

const BOTH: [Sampling; 2] = [Sampling::LowVariance, Sampling::Independent];

fn clique<const N: usize>(attributes: [usize; N]) -> Clique {
    Clique::new(attributes.map(AttributeId::new))
}

/// Returns the model with random potentials between `-spread` and `spread` on these cliques.
fn random_model(sizes: &[u32], cliques: &[Clique], spread: f64, seed: u64) -> TreeModel {
    let domain = Domain::new(sizes.to_vec()).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let factor = |clique: &Clique| {
        let values = (0..domain.cells(clique)).map(|_| rng.random_range(-spread..=spread)).collect();
        Factor::new(&domain, clique.clone(), values).unwrap()
    };
    let factors = cliques.iter().map(factor).collect();
    infer(&CliqueVector::new(&domain, factors).unwrap(), &[], 1.0).unwrap()
}

/// Returns a model of two cliques of three attributes that share two, a child of them, and one
/// independent attribute.
fn mixed_model() -> TreeModel {
    let cliques = [clique([0, 1, 2]), clique([1, 2, 3]), clique([3, 4]), clique([5])];
    random_model(&[3, 4, 2, 5, 3, 4], &cliques, 2.0, 3)
}

fn add_counts(domain: &Domain, clique: &Clique, chunk: &[CodeColumn], counts: &mut [f64]) {
    let strides = cells::strides(domain, clique);
    for row in 0..chunk[0].len() {
        let part = |(attribute, stride): (&AttributeId, &usize)| chunk[attribute.index()].get(row) as usize * stride;
        counts[clique.attributes().iter().zip(&strides).map(part).sum::<usize>()] += 1.0;
    }
}

fn counts(domain: &Domain, clique: &Clique, chunks: impl Iterator<Item = Vec<CodeColumn>>) -> Vec<f64> {
    let mut counts = vec![0.0; domain.table_len(clique).unwrap()];
    chunks.for_each(|chunk| add_counts(domain, clique, &chunk, &mut counts));
    counts
}

fn distance(counts: &[f64], probabilities: &[f64]) -> f64 {
    let rows: f64 = counts.iter().sum();
    counts.iter().zip(probabilities).map(|(count, probability)| (count / rows - probability).abs()).sum::<f64>() / 2.0
}

#[test]
fn both_methods_keep_every_expected_count() {
    const SAMPLES: u64 = 3_000;
    const ROWS: u64 = 40;
    let model = mixed_model();
    let sampler = Sampler::new(&model);
    for sampling in BOTH {
        for clique in [clique([0, 1, 2]), clique([1, 2, 3]), clique([3, 4]), clique([0, 4]), clique([2, 5])] {
            let chunks = (0..SAMPLES).flat_map(|seed| sampler.sample(ROWS, seed, sampling));
            let counts = counts(model.domain(), &clique, chunks);
            let largest_score = |shift: f64| {
                let score = |(count, probability): (&f64, &f64)| {
                    let probability = probability + shift;
                    let variance = (SAMPLES * ROWS) as f64 * probability * (1.0 - probability);
                    ((count - (SAMPLES * ROWS) as f64 * probability) / variance.sqrt()).abs()
                };
                counts.iter().zip(model.marginal(&clique).unwrap().values()).map(score).fold(0.0, f64::max)
            };
            // Of at most 40 cells, above 6 in 1e-7 of all runs; low-variance counts vary less than
            // that.
            assert!(largest_score(0.0) < 6.0, "{sampling:?} {clique:?} {}", largest_score(0.0));
            assert!(largest_score(0.02) > 6.0, "the test sees two rows in a hundred");
        }
    }
}

#[test]
fn low_variance_rows_are_many_times_nearer_to_the_cliques_than_independent_ones() {
    let model = mixed_model();
    let sampler = Sampler::new(&model);
    for clique in [clique([0, 1, 2]), clique([1, 2, 3]), clique([3, 4]), clique([3]), clique([4])] {
        let [low_variance, independent] = BOTH.map(|sampling| {
            let error = |seed| {
                let counts = counts(model.domain(), &clique, sampler.sample(45_222, seed, sampling));
                distance(&counts, model.marginal(&clique).unwrap().values())
            };
            (0..10).map(error).sum::<f64>()
        });
        assert!(low_variance < independent / 8.0, "{clique:?} {low_variance} {independent}");
    }
}

/// Returns a star of a centre of three codes and eight leaves of two to four codes, with the
/// distribution of the centre and those of each leaf given the centre.
fn star() -> (Domain, [f64; 3], Vec<[Vec<f64>; 3]>, TreeModel) {
    let sizes: Vec<u32> = [3].into_iter().chain((0..8).map(|leaf| 2 + leaf % 3)).collect();
    let domain = Domain::new(sizes.clone()).unwrap();
    let centre = [0.5, 0.3, 0.2];
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut row = |size: u32| {
        let weights: Vec<f64> = (0..size).map(|_| rng.random_range(0.1..1.0)).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect::<Vec<f64>>()
    };
    let leaves: Vec<[Vec<f64>; 3]> = sizes[1..].iter().map(|&size| [row(size), row(size), row(size)]).collect();
    let mut factors: Vec<Factor> = (1..)
        .zip(&leaves)
        .map(|(leaf, rows)| {
            let logs = rows.concat().into_iter().map(f64::ln).collect();
            Factor::new(&domain, clique([0, leaf]), logs).unwrap()
        })
        .collect();
    factors.push(Factor::new(&domain, clique([0]), centre.map(f64::ln).to_vec()).unwrap());
    let model = infer(&CliqueVector::new(&domain, factors).unwrap(), &[], 1.0).unwrap();
    (domain, centre, leaves, model)
}

/// Returns the largest distance of any pair of leaves from its distribution in the star.
fn worst_pair(domain: &Domain, centre: &[f64; 3], leaves: &[[Vec<f64>; 3]], chunks: &[Vec<CodeColumn>]) -> f64 {
    let mut worst: f64 = 0.0;
    for left in 1..leaves.len() {
        for right in left + 1..=leaves.len() {
            let mut exact = Vec::new();
            for left_code in 0..leaves[left - 1][0].len() {
                for right_code in 0..leaves[right - 1][0].len() {
                    let given = |code: usize| {
                        centre[code] * leaves[left - 1][code][left_code] * leaves[right - 1][code][right_code]
                    };
                    exact.push((0..3).map(given).sum::<f64>());
                }
            }
            let counts = counts(domain, &clique([left, right]), chunks.iter().cloned());
            worst = worst.max(distance(&counts, &exact));
        }
    }
    worst
}

#[test]
fn siblings_are_independent_given_their_separator() {
    const CLOSE: f64 = 0.005;
    let (domain, centre, leaves, model) = star();
    let sampler = Sampler::new(&model);
    for sampling in BOTH {
        let chunks: Vec<_> = sampler.sample(1_000_000, 5, sampling).collect();
        let worst = worst_pair(&domain, &centre, &leaves, &chunks);
        assert!(worst < CLOSE, "{sampling:?} {worst}");
    }
    // Without the shuffle within groups, each group's codes would be in order.
    let mut chunks: Vec<_> = sampler.sample(200_000, 5, Sampling::LowVariance).collect();
    for chunk in &mut chunks {
        sort_within_groups(chunk);
    }
    let worst = worst_pair(&domain, &centre, &leaves, &chunks);
    assert!(worst > 20.0 * CLOSE, "the test sees a missing shuffle: {worst}");
}

/// Sorts every leaf's codes within the rows of each code of the centre. This changes no leaf's
/// distribution given the centre.
fn sort_within_groups(chunk: &mut [CodeColumn]) {
    let (centre, leaves) = chunk.split_first_mut().unwrap();
    for leaf in leaves {
        let CodeColumn::U8(codes) = leaf else { panic!("a leaf has few codes") };
        for group in 0..3 {
            let rows: Vec<usize> = (0..codes.len()).filter(|&row| centre.get(row) == group).collect();
            let mut sorted: Vec<u8> = rows.iter().map(|&row| codes[row]).collect();
            sorted.sort_unstable();
            rows.into_iter().zip(sorted).for_each(|(row, code)| codes[row] = code);
        }
    }
}

#[test]
fn impossible_cells_are_never_drawn() {
    let domain = Domain::new(vec![3, 3, 3]).unwrap();
    let possible: Vec<bool> = (0..9).map(|cell| cell % 4 != 0).collect();
    let zeros = StructuralZeros::new(&domain, clique([1, 2]), &possible).unwrap();
    let potentials = CliqueVector::zeros(&domain, vec![clique([0, 1]), clique([1, 2])]).unwrap();
    let model = infer(&potentials, &[zeros], 1.0).unwrap();
    let sampler = Sampler::new(&model);
    for sampling in BOTH {
        let counts = counts(&domain, &clique([1, 2]), sampler.sample(200_000, 1, sampling));
        for (cell, count) in counts.into_iter().enumerate() {
            assert_eq!(count == 0.0, cell % 4 == 0, "{sampling:?} {cell}");
        }
    }
}

#[test]
fn tables_too_wide_to_balance_are_rounded_group_by_group() {
    for (first, second) in [(300, 1000), (20_000, 6), (2, 70_000)] {
        let model = random_model(&[first, second], &[clique([0, 1])], 1.0, 6);
        let chunk = Sampler::new(&model).sample(60_000, 2, Sampling::LowVariance).next().unwrap();
        let [groups, pairs] = [clique([0]), clique([0, 1])].map(|clique| {
            let mut counts = vec![0.0; model.domain().table_len(&clique).unwrap()];
            add_counts(model.domain(), &clique, &chunk, &mut counts);
            (counts, model.marginal(&clique).unwrap().into_values())
        });
        for (cell, (count, probability)) in pairs.0.iter().zip(&pairs.1).enumerate() {
            let group = cell / second as usize;
            let expected = groups.0[group] * probability / groups.1[group];
            assert!((count - expected).abs() < 1.0 + 1e-6, "{first} {second} {cell}: {count} {expected}");
        }
    }
}

#[test]
fn siblings_with_wide_tables_are_independent_too() {
    let domain = Domain::new(vec![400, 200, 200]).unwrap();
    let star = CliqueVector::zeros(&domain, vec![clique([0, 1]), clique([0, 2])]).unwrap();
    let model = infer(&star, &[], 1.0).unwrap();
    for sampling in BOTH {
        let mut halves = [0.0; 4];
        for chunk in Sampler::new(&model).sample(100_000, 8, sampling) {
            let pairs = chunk[1].iter().zip(chunk[2].iter());
            pairs.for_each(|(left, right)| halves[(left / 100 * 2 + right / 100) as usize] += 1.0);
        }
        // Leaves in the same order of codes would give 0.5 and 0. Chance exceeds this bound once in
        // a million.
        assert!(distance(&halves, &[0.25; 4]) < 0.01, "{sampling:?} {halves:?}");
    }
}

#[test]
fn rows_are_the_same_whatever_the_number_of_threads() {
    let model = mixed_model();
    let sampler = Sampler::new(&model);
    for sampling in BOTH {
        let rows = || sampler.sample(500_000, 21, sampling);
        let streamed: Vec<_> = rows().collect();
        assert_eq!(
            streamed.iter().map(|chunk| chunk[0].len()).collect::<Vec<_>>(),
            [65_536, 65_536, 65_536, 65_536, 65_536, 65_536, 65_536, 41_248]
        );
        for threads in [1, 2, 5, 20] {
            let drawn = parallel::map_on(threads, 0..8, |chunk| rows().nth(chunk).unwrap());
            assert!(drawn == streamed, "{threads} threads");
        }
        let mut alone = rows();
        assert_eq!(alone.nth(5).as_ref(), Some(&streamed[5]));
        assert_eq!(alone.size_hint(), (2, Some(2)));
        assert_eq!(alone.nth(1).as_ref(), Some(&streamed[7]));
        assert_eq!((alone.next(), rows().nth(usize::MAX)), (None, None));
        assert!(
            sampler.sample(500_000, 22, sampling).next().as_ref() != Some(&streamed[0]),
            "another seed, other rows"
        );
    }
}

#[test]
fn a_billion_rows_are_drawn_chunk_by_chunk() {
    let model = mixed_model();
    let sampler = Sampler::new(&model);
    let mut chunks = sampler.sample(1_000_000_000, 1, Sampling::LowVariance);
    assert_eq!(chunks.size_hint(), (15_259, Some(15_259)));
    assert_eq!(chunks.next().unwrap()[0].len(), 65_536);
}

#[test]
fn edge_cases_give_valid_rows() {
    let none = infer(&CliqueVector::new(&Domain::new(vec![]).unwrap(), vec![]).unwrap(), &[], 1.0).unwrap();
    let single = random_model(&[1, 3, 1, 1, 2, 1], &[clique([0, 1, 2]), clique([2, 3, 4])], 1.0, 2);
    for sampling in BOTH {
        assert_eq!(Sampler::new(&none).sample(10, 1, sampling).collect::<Vec<_>>(), [vec![]]);
        let sampler = Sampler::new(&single);
        assert_eq!(sampler.sample(0, 1, sampling).count(), 0);
        for rows in [1, 2, 1_000] {
            let chunks: Vec<_> = sampler.sample(rows, 1, sampling).collect();
            assert_eq!(chunks.len(), 1);
            for (column, &size) in chunks[0].iter().zip(single.domain().sizes()) {
                assert_eq!(column.len() as u64, rows);
                assert!(column.iter().all(|code| code < size));
            }
        }
    }
}

proptest! {
    #[test]
    fn codes_are_valid_and_possible(
        sizes in prop::collection::vec(1_u32..6, 4..7), spread in 0.0_f64..600.0, seed: u64, rows in 1_u64..300
    ) {
        let cliques = [clique([0, 1]), clique([1, 2, 3]), clique([0, 2])];
        let model = random_model(&sizes, &cliques, spread, seed);
        let sampler = Sampler::new(&model);
        for sampling in BOTH {
            for chunk in sampler.sample(rows, seed, sampling) {
                for row in 0..chunk[0].len() {
                    let codes: Vec<u32> = chunk.iter().map(|column| column.get(row)).collect();
                    prop_assert!(model.probability(&codes) > 0.0);
                }
            }
        }
    }
}
