//! Propagation through the junction tree of measured tables: potentials in, a model with all its
//! marginals out.
#![allow(missing_docs, reason = "the macro of Criterion makes public functions")]

use std::hint::black_box;
use std::time::Duration;

use chacha20::ChaCha8Rng;
use criterion::{Criterion, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use scumble_benchmarks::measured::Measured;
use scumble_pgm::{CliqueVector, infer};
use scumble_schema::Clique;

fn propagation(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("infer");
    for name in ["nltcs-aim", "adult-mst", "adult-aim"] {
        let measured = Measured::read(&Measured::path(name)).expect("the file is in the repository");
        let cliques: Vec<Clique> = measured.measurements.iter().map(|table| table.clique.clone()).collect();
        let mut potentials = CliqueVector::zeros(&measured.domain(), cliques).expect("the tables are small");
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for potential in potentials.values_mut() {
            *potential = rng.random_range(-1.0..=1.0);
        }
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(infer(&potentials, &[], measured.total).expect("every row is possible")));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = propagation
}
criterion_main!(benches);
