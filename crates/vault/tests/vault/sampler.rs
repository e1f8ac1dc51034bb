//! T3: noise has the distribution we charge for.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    reason = "statistics of at most 10^9 draws"
)]

use crate::support::Law::{self, DiscreteLaplace as Laplace, RoundedGaussian as Gaussian};
use crate::support::{Bins, DRAWS, LEAST_P, SCALES, p_value, p_value_of_two, upper_gamma, upper_tail};
use opendp::traits::CastInternalRational;
use opendp::traits::samplers::{sample_discrete_gaussian, sample_discrete_laplace};
use scumble_vault::account::{LaplaceScale, Sigma};
use scumble_vault::noise::{DiscreteLaplace, JobKey, RoundedGaussian, Substream};

const THREADS: u32 = 2;

fn noise_has_the_scale(law: Law) {
    for scale in SCALES {
        let [truth, more, less] = law.p_values(scale, DRAWS, THREADS);
        assert!(truth > LEAST_P, "{law:?}, scale {scale}: the truth has p {truth}");
        assert!(more < LEAST_P, "{law:?}, scale {scale}: one percent more has p {more}");
        assert!(less < LEAST_P, "{law:?}, scale {scale}: one percent less has p {less}");
    }
}

#[test]
fn gaussian_noise_has_the_scale_we_charge_for() {
    noise_has_the_scale(Gaussian);
}

#[test]
fn laplace_noise_has_the_scale_we_charge_for() {
    noise_has_the_scale(Laplace);
}

/// Integrates the normal density over each integer's interval by Simpson's rule, independently of
/// `erfc`.
#[test]
fn small_scales_have_the_integrated_probabilities() {
    const DRAWS: u64 = 2_000_000;
    for scale in [0.25, 0.7, 1.0, 1.9] {
        let bins = Bins::new(Gaussian, scale, DRAWS);
        let density = |x: f64| (-(x / scale).powi(2) / 2.0).exp() / (scale * (2.0 * std::f64::consts::PI).sqrt());
        let integral = |from: f64, to: f64| {
            let steps = 2_000;
            let width = (to - from) / f64::from(steps);
            let weight = |step| if step == 0 || step == steps { 1.0 } else { f64::from(2 + 2 * (step % 2)) };
            (0..=steps).map(|step| weight(step) * density(from + width * f64::from(step))).sum::<f64>() * width / 3.0
        };
        let inner: Vec<f64> = (0..=bins.len() - 2).map(|index| bins.edge(index) as f64 - 0.5).collect();
        let far = inner[inner.len() - 1] + 12.0 * scale;
        let edges = [vec![-far], inner, vec![far]].concat();
        let integrated: Vec<f64> = edges.windows(2).map(|edge| integral(edge[0], edge[1])).collect();
        for (integrated, from_tails) in integrated.iter().zip(bins.probabilities(scale)) {
            assert!((integrated - from_tails).abs() < 1e-10, "the two ways to the probabilities agree");
        }
        assert!(p_value(&Gaussian.histogram(scale, &bins, DRAWS, THREADS), &integrated) > LEAST_P);
    }
}

/// Sums and normalises one term per integer, independently of the closed form of the tails.
#[test]
fn small_laplace_scales_have_the_summed_probabilities() {
    const DRAWS: u64 = 2_000_000;
    for scale in [0.25, 0.7, 1.0, 1.9] {
        let bins = Bins::new(Laplace, scale, DRAWS);
        let mut summed = vec![0.0; bins.len()];
        for value in -200..=200_i32 {
            summed[bins.index(value.into())] += (-f64::from(value.abs()) / scale).exp();
        }
        let total: f64 = summed.iter().sum();
        for weight in &mut summed {
            *weight /= total;
        }
        for (summed, from_tails) in summed.iter().zip(bins.probabilities(scale)) {
            assert!((summed - from_tails).abs() < 1e-14, "the two ways to the probabilities agree");
        }
        assert!(p_value(&Laplace.histogram(scale, &bins, DRAWS, THREADS), &summed) > LEAST_P);
    }
}

#[test]
fn extreme_scales_have_their_distribution() {
    const DRAWS: u64 = 200_000;
    for law in [Gaussian, Laplace] {
        for scale in [1e7, 1e9, 2_f64.powi(40) - 1.0] {
            let bins = Bins::new(law, scale, DRAWS);
            let counts = law.histogram(scale, &bins, DRAWS, THREADS);
            assert!(p_value(&counts, &bins.probabilities(scale)) > LEAST_P, "{law:?}, scale {scale}");
            assert!(p_value(&counts, &bins.probabilities(1.05 * scale)) < LEAST_P, "{law:?}, scale {scale}");
        }
    }
    let key = JobKey::from_os().unwrap();
    let mut substream = key.substream(0, 0).unwrap();
    for scale in [0.0, 0.001, 0.01] {
        let gaussian = RoundedGaussian::new(Sigma::at_least(scale).unwrap());
        let laplace = DiscreteLaplace::new(LaplaceScale::at_least(scale).unwrap());
        // A draw other than zero would be fifty standard deviations out, or have probability
        // e^(-100).
        assert!((0..100_000).all(|_| gaussian.draw(&mut substream) == 0), "scale {scale}");
        assert!((0..100_000).all(|_| laplace.draw(&mut substream) == 0), "scale {scale}");
    }
}

/// Checks that noise is symmetric about zero, and that consecutive draws are uncorrelated.
fn symmetric_and_independent(variance: f64, draw: impl Fn(&mut Substream) -> i64) {
    const DRAWS: u64 = 4_000_000;
    // Six standard deviations: a false alarm about once in 10^9.
    const BAND: f64 = 6.0;
    let mut substream = JobKey::from_os().unwrap().substream(0, 0).unwrap();
    let (mut sum, mut lagged, mut signs, mut last) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..DRAWS {
        let draw = draw(&mut substream) as f64;
        sum += draw;
        lagged += draw * last;
        signs += if draw == 0.0 { 0.0 } else { draw.signum() };
        last = draw;
    }
    let n = DRAWS as f64;
    assert!(sum.abs() < BAND * (n * variance).sqrt(), "the mean is zero");
    assert!(signs.abs() < BAND * n.sqrt(), "both signs are equally likely");
    assert!(lagged.abs() < BAND * n.sqrt() * variance, "consecutive draws are uncorrelated");
}

#[test]
fn noise_is_symmetric_and_independent() {
    let gaussian = RoundedGaussian::new(Sigma::at_least(3.0).unwrap());
    symmetric_and_independent(9.0 + 1.0 / 12.0, |substream| gaussian.draw(substream));
    // 2 c / (1 - c)² with c = e^(-1/3).
    let laplace = DiscreteLaplace::new(LaplaceScale::at_least(3.0).unwrap());
    symmetric_and_independent(17.834, |substream| laplace.draw(substream));
}

/// Checks that `OpenDP`'s independent sampler agrees with ours, and that the test rejects five
/// percent.
fn opendp_agrees(law: Law, scale: f64, draw: impl Fn() -> i64) {
    const DRAWS: u64 = 200_000;
    let bins = Bins::new(law, scale, DRAWS);
    let mut theirs = vec![0; bins.len()];
    for _ in 0..DRAWS {
        theirs[bins.index(draw())] += 1;
    }
    let ours = |scale| law.histogram(scale, &bins, 10 * DRAWS, THREADS);
    assert!(p_value_of_two(&ours(scale), &theirs) > LEAST_P, "{law:?}, scale {scale}");
    assert!(p_value_of_two(&ours(1.05 * scale), &theirs) < LEAST_P, "{law:?}, scale {scale}: five percent are seen");
}

/// At a large scale the discrete Gaussian and the rounded one differ by less than this test can
/// detect.
#[test]
fn opendp_agrees_on_a_large_gaussian_scale() {
    let scale = 10_000.0.into_rational().unwrap();
    opendp_agrees(Gaussian, 10_000.0, || i64::try_from(sample_discrete_gaussian(scale.clone()).unwrap()).unwrap());
}

#[test]
fn opendp_agrees_on_laplace_scales() {
    for scale in [0.75, 3.3, 10_000.0] {
        let rational = scale.into_rational().unwrap();
        opendp_agrees(Laplace, scale, || i64::try_from(sample_discrete_laplace(rational.clone()).unwrap()).unwrap());
    }
}

#[test]
fn the_statistics_themselves_are_right() {
    // Upper 5 % and 0.1 % points of chi-square with 1, 10 and 100 degrees of freedom, from printed
    // tables.
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
    assert!((upper_tail(1.959_963_985, 1.0) - 0.025).abs() < 1e-10);
    // (1 - c) / (1 + c) with c = e^(-1).
    assert!((Laplace.between(0, 1, 1.0) - 0.462_117_157_260).abs() < 1e-12);
    for (law, scale) in [Gaussian, Laplace].into_iter().flat_map(|law| SCALES.map(|scale| (law, scale))) {
        let total: f64 = Bins::new(law, scale, DRAWS).probabilities(scale).iter().sum();
        assert!((total - 1.0).abs() < 1e-12);
    }
}
