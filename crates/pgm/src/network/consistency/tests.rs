//! Consistency against brute force, the paper's example, and noise of known size.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::network::{Coarsening, make_consistent_and_positive};
use crate::simplex;
use crate::table::factor::Factor;

/// A domain with hierarchies, and how coarser codes of a tuple follow from its independent ones.
struct Setting {
    domain: Domain,
    hierarchies: Hierarchies,
    /// For every attribute, its finest version and the group of each of that version's codes.
    sources: Vec<(usize, Vec<u32>)>,
}

impl Setting {
    fn plain(sizes: &[u32]) -> Self {
        let domain = Domain::new(sizes.to_vec()).unwrap();
        let sources = sizes.iter().enumerate().map(|(attribute, &size)| (attribute, (0..size).collect())).collect();
        Self { hierarchies: Hierarchies::none(&domain), domain, sources }
    }

    /// Attributes 0 (eight codes), 1 and 2 (its versions of four and two codes), 3 (three codes)
    /// and 4 (two codes).
    fn hierarchical() -> Self {
        let domain = Domain::new(vec![8, 4, 2, 3, 2]).unwrap();
        let step = |fine, coarse| Coarsening::every(2, &domain, id(fine), id(coarse));
        let hierarchies = Hierarchies::new(&domain, vec![step(0, 1), step(1, 2)]).unwrap();
        let sources = vec![
            (0, (0..8).collect()),
            (0, vec![0, 0, 1, 1, 2, 2, 3, 3]),
            (0, vec![0, 0, 0, 0, 1, 1, 1, 1]),
            (3, vec![0, 1, 2]),
            (4, vec![0, 1]),
        ];
        Self { domain, hierarchies, sources }
    }

    /// Groups of different sizes: seven codes in groups of 3, 3 and 1, and these in groups of 2 and
    /// 1.
    fn uneven() -> Self {
        let domain = Domain::new(vec![7, 3, 2, 3]).unwrap();
        let steps = vec![Coarsening::every(3, &domain, id(0), id(1)), Coarsening::every(2, &domain, id(1), id(2))];
        let hierarchies = Hierarchies::new(&domain, steps).unwrap();
        let sources = vec![
            (0, (0..7).collect()),
            (0, vec![0, 0, 0, 1, 1, 1, 2]),
            (0, vec![0, 0, 0, 0, 0, 0, 1]),
            (3, vec![0, 1, 2]),
        ];
        Self { domain, hierarchies, sources }
    }

    /// Returns the codes of every attribute, for all tuples.
    fn tuples(&self) -> Vec<Vec<u32>> {
        let independent: Vec<bool> = self.sources.iter().enumerate().map(|(at, (source, _))| at == *source).collect();
        let mut tuples = vec![vec![0; self.domain.len()]];
        for attribute in (0..self.domain.len()).filter(|&attribute| independent[attribute]) {
            let set = |tuple: &Vec<u32>, code| {
                let mut tuple = tuple.clone();
                for (version, (source, groups)) in self.sources.iter().enumerate() {
                    if *source == attribute {
                        tuple[version] = groups[code as usize];
                    }
                }
                tuple
            };
            let size = self.domain.sizes()[attribute];
            tuples = tuples.iter().flat_map(|tuple| (0..size).map(move |code| set(tuple, code))).collect();
        }
        tuples
    }

    /// Returns the cell of every tuple in the table over a clique.
    fn cells(&self, clique: &Clique) -> Vec<usize> {
        let strides = cells::strides(&self.domain, clique);
        let cell = |tuple: &Vec<u32>| {
            clique.attributes().iter().zip(&strides).map(|(id, step)| tuple[id.index()] as usize * step).sum()
        };
        self.tuples().iter().map(cell).collect()
    }

    /// Returns a few tables over random cliques with random counts and variances, with at most one
    /// version of an attribute in each.
    fn random_tables(&self, rng: &mut ChaCha8Rng) -> Vec<Measurement> {
        (0..rng.random_range(2..6)).map(|_| self.random_table(rng)).collect()
    }

    fn random_table(&self, rng: &mut ChaCha8Rng) -> Measurement {
        let mut sources_taken = Vec::new();
        let mut attributes = Vec::new();
        for (attribute, (source, _)) in self.sources.iter().enumerate() {
            if !sources_taken.contains(source) && rng.random_bool(0.5) {
                sources_taken.push(*source);
                attributes.push(id(attribute));
            }
        }
        let clique = Clique::new(attributes);
        let cells = self.domain.table_len(&clique).unwrap();
        let counts = (0..cells).map(|_| rng.random_range(-20.0..100.0)).collect();
        let counts = Factor::new(&self.domain, clique, counts).unwrap();
        Measurement::of(counts, rng.random_range(0.7..2.0)).unwrap()
    }

    /// Returns the marginals, over the tables' cliques, of a random distribution of `total` rows.
    fn random_distribution(&self, tables: &[Measurement], total: f64, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let weights: Vec<f64> = self.tuples().iter().map(|_| rng.random::<f64>().powi(20)).collect();
        let sum: f64 = weights.iter().sum();
        let marginal = |table: &Measurement| {
            let mut marginal = vec![0.0; table.counts.values().len()];
            let cells = self.cells(table.counts.clique());
            cells.into_iter().zip(&weights).for_each(|(cell, weight)| marginal[cell] += total * weight / sum);
            marginal
        };
        tables.iter().map(marginal).collect()
    }

    fn make_consistent(&self, tables: &[Measurement]) -> Vec<Measurement> {
        let mut tables = tables.to_vec();
        make_consistent(&self.domain, &self.hierarchies, &mut tables).unwrap();
        tables
    }

    /// Returns a table's marginal on a set, from one tuple per cell of the table.
    fn marginal(&self, table: &Measurement, set: &Clique) -> Vec<f64> {
        let mut marginal = vec![0.0; self.domain.table_len(set).unwrap()];
        let mut seen = vec![false; table.counts.values().len()];
        for (cell, onto) in self.cells(table.counts.clique()).into_iter().zip(self.cells(set)) {
            if !std::mem::replace(&mut seen[cell], true) {
                marginal[onto] += table.counts.values()[cell];
            }
        }
        marginal
    }

    /// Returns the largest difference between two tables on a set.
    fn disagreement_on(&self, set: &Clique, tables: &[Measurement]) -> f64 {
        let holders = tables.iter().filter(|table| self.hierarchies.meet(table.counts.clique(), set) == *set);
        let marginals: Vec<Vec<f64>> = holders.map(|table| self.marginal(table, set)).collect();
        let difference =
            |left: &[f64], right: &[f64]| left.iter().zip(right).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        marginals.windows(2).map(|pair| difference(&pair[0], &pair[1])).fold(0.0, f64::max)
    }

    /// Returns the largest difference between any two tables on the attributes they share.
    fn disagreement(&self, tables: &[Measurement]) -> f64 {
        let mut largest = 0.0_f64;
        for left in tables {
            for right in tables {
                let common = self.hierarchies.meet(left.counts.clique(), right.counts.clique());
                largest = largest.max(self.disagreement_on(&common, &[left.clone(), right.clone()]));
            }
        }
        largest
    }

    /// Returns the nearest consistent tables in weighted least squares: the marginals of the joint
    /// table, negative cells allowed, that fits them best. Uses conjugate gradients on the joint
    /// table.
    fn brute_force(&self, tables: &[Measurement]) -> Vec<Vec<f64>> {
        let maps: Vec<Vec<usize>> = tables.iter().map(|table| self.cells(table.counts.clique())).collect();
        let marginals = |joint: &[f64]| -> Vec<Vec<f64>> {
            let mut all: Vec<Vec<f64>> = tables.iter().map(|table| vec![0.0; table.counts.values().len()]).collect();
            for (marginal, map) in all.iter_mut().zip(&maps) {
                map.iter().zip(joint).for_each(|(&cell, value)| marginal[cell] += value);
            }
            all
        };
        let back = |marginals: &[Vec<f64>]| -> Vec<f64> {
            let mut joint = vec![0.0; maps[0].len()];
            for ((marginal, map), table) in marginals.iter().zip(&maps).zip(tables) {
                joint.iter_mut().zip(map).for_each(|(value, &cell)| *value += marginal[cell] / table.variance());
            }
            joint
        };
        let dot = |left: &[f64], right: &[f64]| left.iter().zip(right).map(|(a, b)| a * b).sum::<f64>();
        let noisy: Vec<Vec<f64>> = tables.iter().map(|table| table.counts.values().to_vec()).collect();
        let mut residual = back(&noisy);
        let mut joint = vec![0.0; residual.len()];
        let mut direction = residual.clone();
        let start = dot(&residual, &residual);
        let mut square = start;
        while square > 1e-26 * start {
            let image = back(&marginals(&direction));
            let step = square / dot(&direction, &image);
            joint.iter_mut().zip(&direction).for_each(|(value, along)| *value += step * along);
            residual.iter_mut().zip(&image).for_each(|(value, along)| *value -= step * along);
            let next = dot(&residual, &residual);
            direction.iter_mut().zip(&residual).for_each(|(along, value)| *along = value + next / square * *along);
            square = next;
        }
        marginals(&joint)
    }
}

fn id(index: usize) -> AttributeId {
    AttributeId::new(index)
}

fn table(domain: &Domain, attributes: &[usize], counts: &[f64], variance: f64) -> Measurement {
    let clique = Clique::new(attributes.iter().copied().map(id));
    Measurement::of(Factor::new(domain, clique, counts.to_vec()).unwrap(), variance.sqrt()).unwrap()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (value, expected_value) in found.iter().zip(expected) {
        assert!((value - expected_value).abs() < tolerance, "{found:?} is not {expected:?}");
    }
}

/// Tables 3 and 4 of the paper. It shows three of twenty ages; the other seventeen are one row
/// here.
#[test]
fn the_papers_example_is_reproduced() {
    let setting = Setting::plain(&[4, 2]);
    let age = table(&setting.domain, &[0], &[0.05, 0.0, 0.85, 0.1], 1.0);
    let age_grade = table(&setting.domain, &[0, 1], &[0.025, 0.025, 0.0, 0.0, 0.475, 0.475, 0.0, 0.0], 1.0);
    let after = setting.make_consistent(&[age, age_grade]);
    // "The weights are 0.67 and 0.33": two thirds of 0.1 for the last row, half of it for each
    // grade.
    let other = 0.85 + 0.1 / 3.0;
    assert_near(after[0].counts.values(), &[0.05, 0.0, other, 0.2 / 3.0], 1e-12);
    let expected = [0.025, 0.025, 0.0, 0.0, other / 2.0, other / 2.0, 0.1 / 3.0, 0.1 / 3.0];
    assert_near(after[1].counts.values(), &expected, 1e-12);
}

#[test]
fn one_pass_is_the_least_squares_optimum() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for setting in [Setting::plain(&[2, 3, 2, 3, 2]), Setting::hierarchical()] {
        for _ in 0..60 {
            let noisy = setting.random_tables(&mut rng);
            let after = setting.make_consistent(&noisy);
            for (table, expected) in after.iter().zip(setting.brute_force(&noisy)) {
                assert_near(table.counts.values(), &expected, 1e-6);
            }
        }
    }
}

#[test]
fn tables_agree_on_all_they_share_after_one_pass() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for setting in [Setting::plain(&[2, 3, 2, 3, 2]), Setting::hierarchical(), Setting::uneven()] {
        for _ in 0..60 {
            let noisy = setting.random_tables(&mut rng);
            assert!(setting.disagreement(&setting.make_consistent(&noisy)) < 1e-9);
        }
    }
}

#[test]
fn a_later_step_does_not_undo_an_earlier_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for setting in [Setting::plain(&[2, 3, 2, 3, 2]), Setting::hierarchical(), Setting::uneven()] {
        for _ in 0..20 {
            let mut tables = setting.random_tables(&mut rng);
            let cliques: Vec<Clique> = tables.iter().map(|table| table.counts.clique().clone()).collect();
            let mut settled: Vec<Clique> = Vec::new();
            for set in common_sets(&setting.hierarchies, &cliques) {
                agree_on(&set, &setting.domain, &setting.hierarchies, &mut tables);
                settled.push(set);
                assert!(settled.iter().all(|set| setting.disagreement_on(set, &tables) < 1e-9));
            }
        }
    }
}

/// Why Algorithm 5 as printed is not enough.
#[test]
fn intersections_of_pairs_of_tables_are_not_enough() {
    let setting = Setting::plain(&[2; 4]);
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let noisy: Vec<Measurement> = [[0, 1, 2], [0, 1, 3], [0, 2, 3]]
        .iter()
        .map(|attributes| {
            let counts: Vec<f64> = (0..8).map(|_| rng.random_range(0.0..100.0)).collect();
            table(&setting.domain, attributes, &counts, 1.0)
        })
        .collect();
    let set = |attributes: &[usize]| Clique::new(attributes.iter().copied().map(id));
    let mut pairwise = noisy.clone();
    for common in [set(&[]), set(&[0, 1]), set(&[0, 2]), set(&[0, 3])] {
        agree_on(&common, &setting.domain, &setting.hierarchies, &mut pairwise);
    }
    assert!(setting.disagreement(&pairwise) > 1.0);
    assert!(setting.disagreement(&setting.make_consistent(&noisy)) < 1e-9);
    let cliques: Vec<Clique> = noisy.iter().map(|table| table.counts.clique().clone()).collect();
    let closed = [set(&[]), set(&[0]), set(&[0, 1]), set(&[0, 2]), set(&[0, 3])];
    assert_eq!(common_sets(&setting.hierarchies, &cliques), closed);
}

#[test]
fn consistent_tables_do_not_change() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for setting in [Setting::plain(&[2, 3, 2, 3, 2]), Setting::hierarchical(), Setting::uneven()] {
        let joint: Vec<f64> = setting.tuples().iter().map(|_| f64::from(rng.random_range(0..50))).collect();
        let mut tables = setting.random_tables(&mut rng);
        for table in &mut tables {
            let cells = setting.cells(table.counts.clique());
            table.counts.values_mut().fill(0.0);
            cells.into_iter().zip(&joint).for_each(|(cell, count)| table.counts.values_mut()[cell] += count);
        }
        for (after, before) in setting.make_consistent(&tables).iter().zip(&tables) {
            assert_near(after.counts.values(), before.counts.values(), 1e-9);
        }
    }
}

/// A sum of twelve uniform numbers: mean 0, variance 1, near enough to a Gaussian.
fn noise(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// Noise of variance 1 in a table over A (4 codes) and variance 1 in one over A and B (3 codes).
#[test]
fn consistency_reduces_the_noise_as_the_weights_predict() {
    const RUNS: u32 = 4_000;
    let setting = Setting::plain(&[4, 3]);
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let (mut shared, mut fine, mut before) = (0.0, 0.0, 0.0);
    for _ in 0..RUNS {
        let first: Vec<f64> = (0..4).map(|_| noise(&mut rng)).collect();
        let second: Vec<f64> = (0..12).map(|_| noise(&mut rng)).collect();
        before += second.iter().map(|value| value * value).sum::<f64>() / 12.0;
        let noisy = [table(&setting.domain, &[0], &first, 1.0), table(&setting.domain, &[0, 1], &second, 1.0)];
        let after = setting.make_consistent(&noisy);
        shared += after[0].counts.values().iter().map(|value| value * value).sum::<f64>() / 4.0;
        fine += after[1].counts.values().iter().map(|value| value * value).sum::<f64>() / 12.0;
    }
    let [shared, fine, before] = [shared, fine, before].map(|sum| sum / f64::from(RUNS));
    // Weights 3 : 1 give the shared marginal variance 3 / 4. A cell keeps 2 / 3 of its own variance
    // and gets 1 / 9 of that. The mean of 16,000 squares has a standard deviation below 0.0085,
    // that of 48,000 below 0.005: six of them, false alarm 2e-9.
    assert!((shared - 0.75).abs() < 0.05, "{shared}");
    assert!((fine - (2.0 / 3.0 + 0.75 / 9.0)).abs() < 0.03, "{fine}");
    // The test can see that the original tables have more noise.
    assert!((before - 1.0).abs() < 0.03, "{before}");
}

/// The order that this crate uses where the paper is ambiguous.
#[test]
fn consistency_before_clipping_is_nearer_than_after() {
    let setting = Setting::plain(&[10, 10, 2]);
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let cliques = [Clique::new([id(0)]), Clique::new([id(0), id(1)]), Clique::new([id(1), id(2)])];
    // A sparse truth: most of the mass in a tenth of the cells.
    let joint: Vec<f64> = setting.tuples().iter().map(|_| if rng.random_bool(0.1) { 50.0 } else { 0.0 }).collect();
    let total: f64 = joint.iter().sum();
    let clipped = |tables: &[Measurement]| -> Vec<Vec<f64>> {
        let scaled = |table: &Measurement| {
            simplex::clip_and_normalise(table.counts.values()).iter().map(|share| share * total).collect()
        };
        tables.iter().map(scaled).collect()
    };
    let (mut first, mut last) = (0.0, 0.0);
    for _ in 0..200 {
        let mut truth = Vec::new();
        let mut noisy = Vec::new();
        for clique in &cliques {
            let mut counts = vec![0.0; setting.domain.table_len(clique).unwrap()];
            setting.cells(clique).into_iter().zip(&joint).for_each(|(cell, count)| counts[cell] += count);
            truth.push(counts.clone());
            for count in &mut counts {
                *count += 10.0 * noise(&mut rng);
            }
            noisy.push(Measurement::of(Factor::new(&setting.domain, clique.clone(), counts).unwrap(), 10.0).unwrap());
        }
        let distance = |tables: &[Vec<f64>]| -> f64 {
            tables.iter().flatten().zip(truth.iter().flatten()).map(|(value, exact)| (value - exact).abs()).sum()
        };
        first += distance(&clipped(&setting.make_consistent(&noisy)));
        let mut clipped_first = noisy.clone();
        for (table, counts) in clipped_first.iter_mut().zip(clipped(&noisy)) {
            table.counts.values_mut().copy_from_slice(&counts);
        }
        last += distance(&clipped(&setting.make_consistent(&clipped_first)));
    }
    assert!(first < 0.98 * last, "{first} {last}");
}

/// The variational inequality of a projection: from the nearest point of a convex set, no other
/// point of the set is in the direction of the projected one.
#[test]
fn no_consistent_positive_tables_are_nearer() {
    const ROUNDS: u32 = 2_000;
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let total = 300.0;
    let mut worst_without_memory = 0.0_f64;
    for setting in [Setting::plain(&[2, 3, 2, 3, 2]), Setting::hierarchical()] {
        let (domain, hierarchies) = (&setting.domain, &setting.hierarchies);
        for _ in 0..20 {
            let noisy = setting.random_tables(&mut rng);
            let mut nearest = noisy.clone();
            make_consistent_and_positive(domain, hierarchies, &mut nearest, total, ROUNDS).unwrap();
            assert!(setting.disagreement(&nearest) < 1e-9);
            assert!(nearest.iter().flat_map(|table| table.counts.values()).all(|&count| count > -0.01));
            // Alternating projections without memory also end at such tables, but not at the
            // nearest.
            let mut without_memory = noisy.clone();
            for _ in 0..ROUNDS {
                for table in &mut without_memory {
                    let probabilities = simplex::project(table.counts.values(), total);
                    table
                        .counts
                        .values_mut()
                        .iter_mut()
                        .zip(probabilities)
                        .for_each(|(count, share)| *count = total * share);
                }
                make_consistent(domain, hierarchies, &mut without_memory).unwrap();
            }
            for _ in 0..50 {
                let other = setting.random_distribution(&noisy, total, &mut rng);
                let behind = |tables: &[Measurement]| -> f64 {
                    let sum = |((table, noisy), other): ((&Measurement, &Measurement), &Vec<f64>)| {
                        let values = table.counts.values().iter().zip(noisy.counts.values()).zip(other);
                        values.map(|((at, noisy), other)| (at - noisy) * (other - at)).sum::<f64>() / noisy.variance()
                    };
                    tables.iter().zip(&noisy).zip(&other).map(sum).sum()
                };
                assert!(behind(&nearest) > -1.0, "{}", behind(&nearest));
                worst_without_memory = worst_without_memory.min(behind(&without_memory));
            }
        }
    }
    assert!(worst_without_memory < -100.0, "{worst_without_memory}");
}

#[test]
fn tables_that_cannot_be_compared_are_refused() {
    let setting = Setting::hierarchical();
    let both_versions = table(&setting.domain, &[0, 1], &[0.0; 32], 1.0);
    let refused = make_consistent(&setting.domain, &setting.hierarchies, &mut [both_versions]);
    assert_eq!(refused, Err(ModelError::TwoVersions { attribute: id(0) }));
    let other = Setting::plain(&[3, 4]);
    let mut of_other_domain = [table(&other.domain, &[0], &[1.0, 2.0, 3.0], 1.0)];
    let refused = make_consistent(&setting.domain, &setting.hierarchies, &mut of_other_domain);
    assert_eq!(refused, Err(ModelError::WrongLength { attributes: 1, expected: 8, found: 3 }));
    let counts = Factor::new(&other.domain, Clique::single(id(0)), vec![1.0; 3]).unwrap();
    assert!(matches!(Measurement::of(counts.clone(), 0.0), Err(ModelError::NotFinite { .. })));
    assert!(matches!(Measurement::of(counts, f64::NAN), Err(ModelError::NotFinite { .. })));
}
