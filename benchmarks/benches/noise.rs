//! Drawing noise, and selecting by the exponential mechanism, in the vault.
#![allow(missing_docs, reason = "the macro of Criterion makes public functions")]

use std::hint::black_box;
use std::num::NonZeroU128;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use scumble_vault::Sigma;
use scumble_vault::account::{LaplaceScale, SelectionEpsilon};
use scumble_vault::noise::{DiscreteLaplace, ExponentialMechanism, JobKey, RoundedGaussian};

/// Draws of one iteration.
const DRAWS: u64 = 1_000;
const SCALE: f64 = 100.0;
const CANDIDATES: i128 = 1_000;

fn draws(criterion: &mut Criterion) {
    let key = JobKey::from_os().expect("the operating system has randomness");
    let mut substream = key.substream(0, 0).expect("this process was not forked");
    let mut group = criterion.benchmark_group("draw noise");
    group.throughput(Throughput::Elements(DRAWS));
    let gaussian = RoundedGaussian::new(Sigma::at_least(SCALE).expect("the scale is within limits"));
    group.bench_function("rounded Gaussian", |bencher| {
        bencher.iter(|| (0..DRAWS).map(|_| black_box(gaussian.draw(&mut substream))).fold(0, i64::wrapping_add));
    });
    let laplace = DiscreteLaplace::new(LaplaceScale::at_least(SCALE).expect("the scale is within limits"));
    group.bench_function("discrete Laplace", |bencher| {
        bencher.iter(|| (0..DRAWS).map(|_| black_box(laplace.draw(&mut substream))).fold(0, i64::wrapping_add));
    });
    group.finish();

    let sensitivity = NonZeroU128::new(1 << 20).expect("not zero");
    let mechanism = ExponentialMechanism::new(sensitivity, SelectionEpsilon::at_most(0.75).expect("it is positive"));
    // Multiples of a large odd number, modulo forty sensitivities, are spread evenly.
    let scores: Vec<i128> = (0..CANDIDATES).map(|i| i * 0x9e37_79b9 % (40 << 20)).collect();
    criterion.bench_function("select from 1,000 candidates", |bencher| {
        bencher.iter(|| black_box(mechanism.select(&scores, &mut substream)));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = draws
}
criterion_main!(benches);
