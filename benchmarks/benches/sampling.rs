//! Sampling rows from a model of measured tables, on one thread.
#![allow(missing_docs, reason = "the macro of Criterion makes public functions")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use scumble_benchmarks::measured::Measured;
use scumble_pgm::{Estimator, Sampler, Sampling};

const ROWS: u64 = 50_000;

fn rows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sample");
    group.throughput(Throughput::Elements(ROWS));
    let measured = Measured::read(&Measured::path("adult-mst")).expect("the file is in the repository");
    let estimate = Estimator::new(measured.domain()).estimate(&measured.measurements());
    let model = estimate.expect("the tables are fitted").model;
    for (name, sampling) in [("low-variance", Sampling::LowVariance), ("independent", Sampling::Independent)] {
        let sampler = Sampler::new(&model);
        group.bench_function(name, |bencher| {
            bencher.iter(|| sampler.sample(ROWS, 1, sampling).for_each(|chunk| drop(black_box(chunk))));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = rows
}
criterion_main!(benches);
