//! Bars hold about as often as their level says, and bounds whenever the bars do.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_schema::{AttributeId, Clique, Domain};

use super::{Answer, Bootstrap, ErrorBars, Measured, NotMeasured, gaussian_reach};
use crate::{Estimate, Estimator, Measurement, ModelError};

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().map(|&attribute| AttributeId::new(attribute)))
}

/// Rows of three attributes of 2, 3 and 2 codes, by cell; two cells are empty.
const COUNTS: [f64; 12] = [300.0, 100.0, 0.0, 200.0, 50.0, 250.0, 400.0, 10.0, 20.0, 0.0, 70.0, 600.0];

fn domain() -> Domain {
    Domain::new(vec![2, 3, 2]).unwrap()
}

fn exact(of: &Clique) -> Vec<f64> {
    let domain = domain();
    let all = crate::Factor::new(&domain, Clique::new(domain.attributes()), COUNTS.to_vec()).unwrap();
    all.project(of).into_values()
}

/// The counts over these cliques, with noise of this deviation.
fn measurements(cliques: &[Clique], deviation: f64, seed: u64) -> Vec<Measurement> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // The sum of twelve uniform numbers: another way to Gaussian noise than the one that is tested.
    let mut noise = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let table = |clique: &Clique| exact(clique).iter().map(|count| count + deviation * noise()).collect::<Vec<_>>();
    let tables: Vec<Vec<f64>> = cliques.iter().map(table).collect();
    let tables = cliques.iter().zip(tables);
    tables.map(|(clique, values)| Measurement::new(&domain(), clique.clone(), values, deviation).unwrap()).collect()
}

fn with_bars<T>(measurements: &[Measurement], bootstrap: Bootstrap, ask: impl FnOnce(&ErrorBars) -> T) -> T {
    let estimator = Estimator::new(domain());
    let estimate: Estimate = estimator.estimate(measurements).unwrap();
    ask(&ErrorBars::new(&estimator, measurements, &estimate, bootstrap).unwrap())
}

fn measured(bars: &ErrorBars, of: &Clique) -> Measured {
    match bars.answer(of).unwrap() {
        Answer::Measured(answer) => answer,
        Answer::NotMeasured(_) => panic!("{of:?} was measured"),
    }
}

fn not_measured(bars: &ErrorBars, of: &Clique) -> NotMeasured {
    match bars.answer(of).unwrap() {
        Answer::NotMeasured(answer) => answer,
        Answer::Measured(_) => panic!("{of:?} was not measured"),
    }
}

#[test]
fn bars_hold_as_often_as_their_level_says_and_half_bars_do_not() {
    let cliques = [clique(&[0, 1]), clique(&[1, 2])];
    let asked = [clique(&[0, 1]), clique(&[0]), clique(&[1]), clique(&[1, 2]), clique(&[])];
    let (mut cells, mut held, mut held_by_half) = (0.0, 0.0, 0.0);
    let (mut tables, mut near, mut half_as_near) = (0.0, 0.0, 0.0);
    for draw in 0..100 {
        let measurements = measurements(&cliques, 8.0, draw);
        with_bars(&measurements, Bootstrap { seed: draw, ..Bootstrap::default() }, |bars| {
            for of in &asked {
                let answer = measured(bars, of);
                let truth = exact(of);
                let mut distance = 0.0;
                let (rows, all) = (answer.estimate().sum(), truth.iter().sum::<f64>());
                for ((count, estimate), bar) in truth.iter().zip(answer.estimate().values()).zip(answer.bars()) {
                    cells += 1.0;
                    held += f64::from(u8::from((count - estimate).abs() <= *bar));
                    held_by_half += f64::from(u8::from((count - estimate).abs() <= bar / 2.0));
                    distance += 0.5 * (count / all - estimate / rows).abs();
                }
                if !of.is_empty() {
                    tables += 1.0;
                    near += f64::from(u8::from(distance <= answer.total_variation()));
                    half_as_near += f64::from(u8::from(distance <= answer.total_variation() / 2.0));
                }
            }
        });
    }
    // 1,800 cells, 18 of a draw, which depend on each other: the share has a standard deviation of
    // about 0.01.
    assert!((0.91..0.99).contains(&(held / cells)), "{}", held / cells);
    assert!(held_by_half / cells < 0.80, "{}", held_by_half / cells);
    assert!((0.90..=1.0).contains(&(near / tables)), "{}", near / tables);
    assert!(half_as_near / tables < 0.80, "{}", half_as_near / tables);
}

#[test]
fn the_same_seed_gives_the_same_bars_and_another_others() {
    let measurements = measurements(&[clique(&[0, 1])], 8.0, 1);
    let bars = |seed| {
        with_bars(&measurements, Bootstrap { seed, ..Bootstrap::default() }, |bars| measured(bars, &clique(&[0, 1])))
    };
    assert_eq!(bars(1), bars(1));
    assert_ne!(bars(1).bars(), bars(2).bars());
}

#[test]
fn bounds_without_noise_are_those_of_frechet() {
    let measurements = measurements(&[clique(&[0, 1]), clique(&[1, 2])], 1e-3, 1);
    with_bars(&measurements, Bootstrap::default(), |bars| {
        let answer = not_measured(bars, &clique(&[0, 1, 2]));
        let (left, right, shared) = (exact(&clique(&[0, 1])), exact(&clique(&[1, 2])), exact(&clique(&[1])));
        for (cell, &(low, high)) in answer.bounds().iter().enumerate() {
            let (first, second, third) = (cell / 6, cell / 2 % 3, cell % 2);
            let (left, right) = (left[first * 3 + second], right[second * 2 + third]);
            assert!((low - (left + right - shared[second]).max(0.0)).abs() < 0.1, "cell {cell}: {low}");
            assert!((high - left.min(right)).abs() < 0.1, "cell {cell}: {high}");
            assert!((low - 0.1..=high + 0.1).contains(&COUNTS[cell]));
            assert!((low..=high).contains(&answer.estimate().values()[cell]));
        }
    });
}

#[test]
fn cliques_that_share_nothing_are_bounded_by_the_number_of_rows() {
    let measurements = measurements(&[clique(&[0]), clique(&[1])], 1e-3, 1);
    with_bars(&measurements, Bootstrap::default(), |bars| {
        let answer = not_measured(bars, &clique(&[0, 1]));
        let (left, right) = (exact(&clique(&[0])), exact(&clique(&[1])));
        for (cell, &(low, high)) in answer.bounds().iter().enumerate() {
            let (left, right) = (left[cell / 3], right[cell % 3]);
            assert!((low - (left + right - 2_000.0).max(0.0)).abs() < 0.1, "cell {cell}: {low}");
            assert!((high - left.min(right)).abs() < 0.1, "cell {cell}: {high}");
        }
    });
}

#[test]
fn an_unmeasured_attribute_has_zero_as_lower_bound_and_the_others_as_upper() {
    let measurements = measurements(&[clique(&[0])], 1e-3, 1);
    with_bars(&measurements, Bootstrap::default(), |bars| {
        let first = exact(&clique(&[0]));
        for (cell, (low, high)) in not_measured(bars, &clique(&[0, 2])).bounds().iter().enumerate() {
            assert!(low.abs() < f64::EPSILON && (high - first[cell / 2]).abs() < 0.1);
        }
        for (low, high) in not_measured(bars, &clique(&[1])).bounds() {
            assert!(low.abs() < f64::EPSILON && (high - 2_000.0).abs() < 0.1);
        }
    });
}

#[test]
fn without_measurements_nothing_is_bounded() {
    with_bars(&[], Bootstrap::default(), |bars| {
        for of in [clique(&[0, 1]), Clique::empty()] {
            let answer = not_measured(bars, &of);
            assert!(answer.bounds().iter().all(|&(low, high)| low.abs() < f64::EPSILON && high == f64::INFINITY));
        }
    });
}

#[test]
fn a_level_that_the_replicates_do_not_reach_is_refused() {
    let measurements = measurements(&[clique(&[0])], 1.0, 1);
    let estimator = Estimator::new(domain());
    let estimate = estimator.estimate(&measurements).unwrap();
    let error = |level, replicates| {
        let bootstrap = Bootstrap { level, replicates, seed: 1 };
        ErrorBars::new(&estimator, &measurements, &estimate, bootstrap).err()
    };
    for (level, replicates) in [(0.95, 18), (1.0, 40), (f64::NAN, 40), (0.0, 40), (0.5, 0)] {
        assert_eq!(error(level, replicates), Some(ModelError::TooFewReplicates { replicates }), "{level}");
    }
    assert_eq!(error(0.95, 19), None);
}

#[test]
fn a_gaussian_number_is_within_known_reach() {
    for (level, reach) in [(0.95, 1.959_964), (0.9, 1.644_854), (0.5, 0.674_490), (0.999, 3.290_527)] {
        assert!((gaussian_reach(level) - reach).abs() < 2e-4, "{level}");
    }
}
