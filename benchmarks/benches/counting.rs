//! Counting all pairs of columns in memory with the kernel of the engine.
#![allow(missing_docs, reason = "the macro of Criterion makes public functions")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use chacha20::ChaCha8Rng;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use scumble_engine::kernel::{Codes, CountPlan, Counter};
use scumble_schema::{AttributeId, Clique, Domain};

const ROWS: usize = 40_960;
const COLUMNS: usize = 16;
/// Codes of every column.
const SIZES: [u8; 3] = [2, 16, 100];

fn all_pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("count all pairs");
    for size in SIZES {
        let domain = Domain::new(vec![u32::from(size); COLUMNS]).expect("the sizes are small");
        let attributes: Vec<AttributeId> = domain.attributes().collect();
        let pairs = attributes.iter().flat_map(|&a| attributes.iter().filter(move |&&b| a < b).map(move |&b| [a, b]));
        let pairs: Vec<Clique> = pairs.map(Clique::new).collect();
        let plan = Arc::new(CountPlan::new(&domain, &pairs).expect("the tables are small"));
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let column = |_| (0..ROWS).map(|_| rng.random_range(0..size)).collect::<Vec<u8>>();
        let columns: Vec<Vec<u8>> = (0..COLUMNS).map(column).collect();
        group.throughput(Throughput::Elements((ROWS * pairs.len()) as u64));
        group.bench_function(format!("{size} codes"), |bencher| {
            bencher.iter(|| {
                let mut counter = Counter::new(Arc::clone(&plan));
                let codes = columns.iter().map(|codes| Codes::U8(codes)).collect();
                counter.add(&[codes]).expect("the codes are within the domain");
                black_box(counter.finish())
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = all_pairs
}
criterion_main!(benches);
