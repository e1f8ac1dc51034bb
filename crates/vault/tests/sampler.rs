//! T3: the noise has the distribution we charge for.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    reason = "statistics of at most 10^9 draws"
)]

mod support;

use opendp::traits::CastInternalRational;
use opendp::traits::samplers::sample_discrete_gaussian;
use scumble_vault::Sigma;
use scumble_vault::noise::{JobKey, RoundedGaussian};
use support::{Bins, DRAWS, LEAST_P, SCALES, between, histogram, p_value, p_value_of_two, upper_gamma};

const THREADS: u32 = 2;

#[test]
fn noise_has_the_scale_we_charge_for() {
    for scale in SCALES {
        let sigma = Sigma::at_least(scale).unwrap();
        let scale = sigma.to_f64();
        let bins = Bins::new(scale, DRAWS);
        let counts = histogram(sigma, &bins, DRAWS, THREADS);
        let p = |factor: f64| p_value(&counts, &bins.probabilities(scale * factor));
        assert!(p(1.0) > LEAST_P, "scale {scale}: the truth has p {}", p(1.0));
        assert!(p(1.01) < LEAST_P, "scale {scale}: one percent more has p {}", p(1.01));
        assert!(p(0.99) < LEAST_P, "scale {scale}: one percent less has p {}", p(0.99));
    }
}

/// The integral of the normal density over each integer's interval, by Simpson's rule, which shares nothing with `erfc`.
#[test]
fn small_scales_have_the_integrated_probabilities() {
    const DRAWS: u64 = 2_000_000;
    for scale in [0.25, 0.7, 1.0, 1.9] {
        let sigma = Sigma::at_least(scale).unwrap();
        let scale = sigma.to_f64();
        let bins = Bins::new(scale, DRAWS);
        let density = |x: f64| (-(x / scale).powi(2) / 2.0).exp() / (scale * (2.0 * std::f64::consts::PI).sqrt());
        let integral = |from: f64, to: f64| {
            let steps = 2_000;
            let width = (to - from) / f64::from(steps);
            let weight = |step| if step == 0 || step == steps { 1.0 } else { f64::from(2 + 2 * (step % 2)) };
            (0..=steps).map(|step| weight(step) * density(from + width * f64::from(step))).sum::<f64>() * width / 3.0
        };
        let half = (bins.len() - 2) as f64 / 2.0;
        let far = half + 12.0 * scale;
        let edges: Vec<f64> =
            std::iter::once(-far).chain((0..=bins.len() - 2).map(|i| i as f64 - half)).chain([far]).collect();
        let integrated: Vec<f64> = edges.windows(2).map(|edge| integral(edge[0], edge[1])).collect();
        for (integrated, from_tails) in integrated.iter().zip(bins.probabilities(scale)) {
            assert!((integrated - from_tails).abs() < 1e-10, "the two ways to the probabilities agree");
        }
        assert!(p_value(&histogram(sigma, &bins, DRAWS, THREADS), &integrated) > LEAST_P);
    }
}

#[test]
fn extreme_scales_are_what_they_say() {
    const DRAWS: u64 = 200_000;
    for scale in [1e7, 1e9, 2_f64.powi(40) - 1.0] {
        let sigma = Sigma::at_least(scale).unwrap();
        let bins = Bins::new(sigma.to_f64(), DRAWS);
        let counts = histogram(sigma, &bins, DRAWS, THREADS);
        assert!(p_value(&counts, &bins.probabilities(sigma.to_f64())) > LEAST_P, "scale {scale}");
        assert!(p_value(&counts, &bins.probabilities(1.05 * sigma.to_f64())) < LEAST_P, "scale {scale}");
    }
    let key = JobKey::from_os().unwrap();
    let mut substream = key.substream(0, 0).unwrap();
    for scale in [0.0, 0.001, 0.01] {
        let noise = RoundedGaussian::new(Sigma::at_least(scale).unwrap());
        // A draw other than zero would be fifty standard deviations out.
        assert!((0..100_000).all(|_| noise.draw(&mut substream) == 0), "scale {scale}");
    }
}

/// Rounding to the nearest integer treats both sides alike, and neighbouring draws know nothing of each other.
#[test]
fn noise_is_symmetric_and_independent() {
    const DRAWS: u64 = 4_000_000;
    // Six standard deviations: a false alarm about once in 10^9.
    const BAND: f64 = 6.0;
    let noise = RoundedGaussian::new(Sigma::at_least(3.0).unwrap());
    let mut substream = JobKey::from_os().unwrap().substream(0, 0).unwrap();
    let (mut sum, mut lagged, mut signs, mut last) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..DRAWS {
        let draw = noise.draw(&mut substream) as f64;
        sum += draw;
        lagged += draw * last;
        signs += if draw == 0.0 { 0.0 } else { draw.signum() };
        last = draw;
    }
    let n = DRAWS as f64;
    let variance = 9.0 + 1.0 / 12.0;
    assert!(sum.abs() < BAND * (n * variance).sqrt(), "the mean is zero");
    assert!(signs.abs() < BAND * n.sqrt(), "both signs are as likely");
    assert!(lagged.abs() < BAND * n.sqrt() * variance, "neighbours are uncorrelated");
}

/// At a large scale the discrete Gaussian and the rounded one differ by less than a test of this size can see, so `OpenDP`'s
/// sampler, written by others in another way, has to agree with ours.
#[test]
fn opendp_agrees_at_a_large_scale() {
    const DRAWS: u64 = 100_000;
    const SCALE: f64 = 10_000.0;
    let bins = Bins::new(SCALE, DRAWS);
    let scale = SCALE.into_rational().unwrap();
    let mut theirs = vec![0; bins.len()];
    for _ in 0..DRAWS {
        let draw = sample_discrete_gaussian(scale.clone()).unwrap();
        theirs[bins.index(i64::try_from(draw).unwrap())] += 1;
    }
    let ours = |scale| histogram(Sigma::at_least(scale).unwrap(), &bins, 20 * DRAWS, THREADS);
    assert!(p_value_of_two(&ours(SCALE), &theirs) > LEAST_P);
    assert!(p_value_of_two(&ours(1.05 * SCALE), &theirs) < LEAST_P, "the test can see five percent");
}

#[test]
fn the_statistics_themselves_are_right() {
    // Upper 5 % and 0.1 % points of chi-square with 1, 10 and 100 degrees of freedom, from printed tables.
    for (degrees, point, p) in [
        (1.0, 3.841_459, 0.05),
        (10.0, 18.307_038, 0.05),
        (100.0, 124.342_11, 0.05),
        (10.0, 29.588_298, 0.001),
        (100.0, 149.449_25, 0.001),
        (10.0, 3.940_299, 0.95),
    ] {
        assert!((upper_gamma(degrees / 2.0, point / 2.0) / p - 1.0).abs() < 1e-5, "{degrees} degrees at {point}");
    }
    assert!((between(-1.959_963_985, 1.959_963_985, 1.0) - 0.95).abs() < 1e-9);
    for scale in SCALES {
        let total: f64 = Bins::new(scale, DRAWS).probabilities(scale).iter().sum();
        assert!((total - 1.0).abs() < 1e-12);
    }
}
