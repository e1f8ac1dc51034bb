//! Every way to a marginal, beside the sum over all rows.

use scumble_pgm::{CliqueVector, infer};
use scumble_schema::{AttributeId, Clique, Domain};

use super::context::Context;
use crate::{brute_force, shapes};
use scumble_benchmarks::figure::{Bar, Figure};

/// How far any cell may be from the sum over all rows.
const TOLERANCE: f64 = 1e-9;
const RANDOM_MODELS: u64 = 500;
/// Potentials as far apart as a sum of exponentials in 64 bits could hold, and further.
const SPREADS: [f64; 3] = [1.0, 20.0, 700.0];

pub(crate) fn figures(_: &Context) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (name, sizes, lists) in shapes::named() {
        let domain = Domain::new(sizes).expect("small");
        let cliques: Vec<Clique> =
            lists.iter().map(|list| Clique::new(list.iter().map(|&index| AttributeId::new(index)))).collect();
        let models = SPREADS.map(|spread| shapes::potentials(&domain, cliques.clone(), spread, 1));
        figures.push(figure(&format!("inference: {name}"), models.iter()));
    }
    let models: Vec<CliqueVector> = (0..RANDOM_MODELS)
        .zip(SPREADS.iter().cycle())
        .map(|(seed, &spread)| {
            let (domain, cliques) = shapes::random(seed);
            shapes::potentials(&domain, cliques, spread, seed)
        })
        .collect();
    figures.push(figure(&format!("inference: {RANDOM_MODELS} random models"), models.iter()));
    figures
}

fn figure<'a>(name: &str, models: impl Iterator<Item = &'a CliqueVector>) -> Figure {
    let worst = models.map(worst_cell).fold(0.0, f64::max);
    Figure::new(name.to_owned(), worst, "largest difference to brute force", Bar::AtMost(TOLERANCE))
}

/// The largest difference of any cell, of marginals one by one and in one go, of rows, and of
/// marginals under a condition.
fn worst_cell(potentials: &CliqueVector) -> f64 {
    let domain = potentials.domain();
    let joint = shapes::joint(potentials, |_| true);
    let model = infer(potentials, &[], 1.0).expect("every row is possible");
    let queries = shapes::queries(domain);
    let together = model.marginals(&queries).expect("small");
    let mut worst: f64 = 0.0;
    for (query, table) in queries.iter().zip(&together) {
        let expected = brute_force::marginal(domain, &joint, query);
        let alone = model.marginal(query).expect("small");
        worst = worst.max(brute_force::distance(&expected, table.values()));
        worst = worst.max(brute_force::distance(&expected, alone.values()));
    }
    let mut expected = joint.iter();
    brute_force::for_rows(domain, |row| {
        worst = worst.max((model.probability(row) - expected.next().expect("one per row")).abs());
    });
    for attribute in domain.attributes() {
        let mut kept = joint.clone();
        let mut cells = kept.iter_mut();
        brute_force::for_rows(domain, |row| {
            let cell = cells.next().expect("one per row");
            if row[attribute.index()] != 0 {
                *cell = 0.0;
            }
        });
        let probability: f64 = kept.iter().sum();
        // At potentials of 700 a code may be too improbable for any number.
        if probability > 0.0 {
            let given = model.given(&[(attribute, &[0])]).expect("it has a probability");
            worst = worst.max((given.probability() - probability).abs());
            for query in &queries {
                let expected = brute_force::marginal(domain, &kept, query).into_iter().map(|sum| sum / probability);
                let table = given.model.marginal(query).expect("small");
                worst = worst.max(brute_force::distance(&expected.collect::<Vec<_>>(), table.values()));
            }
        }
    }
    worst
}
