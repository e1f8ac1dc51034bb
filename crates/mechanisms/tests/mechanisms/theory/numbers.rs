//! Numbers computed by hand or by summing.

use std::f64::consts::LN_10;
use std::num::NonZeroU32;

use scumble_mechanisms::theory::{Conditional, Distance, FailureProbability, Network, Noise, Table};
use scumble_schema::{Clique, Domain};
use scumble_testing::RowSource;
use scumble_vault::{Accounting, AddRemove, Adjacency, ApproxDp, Gdp, Pure, ReplaceOne, Vault};

use super::{count, gaussian, goal, laplace};

#[test]
fn moments_of_noise_are_those_of_its_probabilities() {
    let sums = |probability: &dyn Fn(i32) -> f64| {
        let sum = |power: i32| (-4000..=4000_i32).map(|z| f64::from(z.abs()).powi(power) * probability(z)).sum::<f64>();
        [sum(0), sum(1), sum(2).sqrt()]
    };
    for scale in [0.2, 1.0, 30.0] {
        let ratio = (-1.0_f64 / scale).exp();
        let [all, absolute, root] = sums(&|z| (1.0 - ratio) / (1.0 + ratio) * ratio.powi(z.abs()));
        assert!((all - 1.0).abs() < 1e-12);
        assert!((laplace(scale).mean_absolute() / absolute - 1.0).abs() < 1e-9);
        assert!((laplace(scale).standard_deviation() / root - 1.0).abs() < 1e-9);
        assert!(absolute <= scale, "no more than that of continuous noise");
    }
    for sigma in [0.2, 0.5, 1.0, 30.0] {
        // The normal density over each unit interval, by the midpoint rule.
        let density = |x: f64| (-0.5 * (x / sigma).powi(2)).exp() / (sigma * std::f64::consts::TAU.sqrt());
        let unit = |z: i32| (0..100).map(|part| density(f64::from(z) - 0.495 + 0.01 * f64::from(part))).sum::<f64>();
        let [all, absolute, root] = sums(&|z| 0.01 * unit(z));
        assert!((all - 1.0).abs() < 1e-3);
        let claimed = [gaussian(sigma).mean_absolute(), gaussian(sigma).standard_deviation()];
        assert!(absolute <= 1.001 * claimed[0] && root <= 1.001 * claimed[1], "sigma {sigma}");
        // From a sigma of one on, rounding no longer shows.
        assert!(sigma < 1.0 || (absolute >= 0.95 * claimed[0] && root >= 0.99 * claimed[1]), "sigma {sigma}");
    }
}

#[test]
fn bounds_are_those_computed_by_hand() {
    let close = |left: f64, right: f64| assert!((left - right).abs() < 1e-3 * right, "{left} is not {right}");
    // Scale 20, 100 cells, 10,000 rows: E|Z| = 19.992, deviation 28.281.
    let table = Table { cells: count(100), rows: count(10_000), noise: laplace(20.0) };
    close(table.released().total_variation, 0.09996);
    close(table.released().l2, 0.02828);
    close(table.normalised().total_variation, 0.09996 + 0.01414);
    close(table.projected().l2, 0.02828 * 0.99_f64.sqrt());
    // A million cells: √((1 + 2 · 20 · (1 + ln 500,000)) / 10,000) instead of 2.8, which says
    // nothing.
    let large = Table { cells: count(1_000_000), ..table };
    close(large.projected().l2, 0.2379);
    close(large.normalised().total_variation, 1.0);
    // Two columns, the second with three values given the first's two: 2 + 2 · 3 cells.
    let conditionals =
        [(2, 1), (3, 2)].map(|(child, parents)| Conditional { child: count(child), parents: count(parents) });
    let network = Network { conditionals: &conditionals, rows: count(10_000), noise: laplace(20.0) };
    close(network.expected().total_variation, (8.0 * 19.992 + (2_f64.sqrt() + 2.0 * 3_f64.sqrt()) * 28.281) / 20_000.0);
    close(network.expected().l2, 2_f64.sqrt() * network.expected().total_variation);
    let tenth = FailureProbability::new(0.1).unwrap();
    close(network.within(tenth).total_variation, 20.0 * (8.0 + (16.0 * LN_10).sqrt() + LN_10) / 10_000.0);
    // With a hundred combinations of parents the sum of squares is the better way to L2.
    let conditionals = [Conditional { child: count(2), parents: count(100) }];
    let network = Network { conditionals: &conditionals, ..network };
    close(network.expected().l2, 2.4142 * 200_f64.sqrt() * 28.281 / 10_000.0);
    close(network.within(tenth).l2, 2.4142 * 200_f64.sqrt() * (0.5 + 20.0 * 2000_f64.ln()) / 10_000.0);
}

#[test]
fn a_column_of_one_value_has_no_error() {
    let table = Table { cells: count(1), rows: count(10), noise: laplace(1000.0) };
    let sure = Distance { total_variation: 0.0, l2: 0.0 };
    assert_eq!([table.normalised(), table.projected()], [sure, sure]);
    let conditionals = [Conditional { child: count(1), parents: count(7) }];
    let network = Network { conditionals: &conditionals, rows: count(10), noise: laplace(1000.0) };
    assert_eq!([network.expected(), network.within(FailureProbability::new(0.5).unwrap())], [sure, sure]);
}

#[test]
fn the_noise_of_a_plan_is_the_noise_that_the_vault_draws() {
    fn check<A: Adjacency, M: Accounting>(goal: ApproxDp) {
        let domain = Domain::new(vec![2, 3, 2]).unwrap();
        let cliques: Vec<Clique> = domain.one_way();
        let rows = RowSource::new(domain, vec![vec![0, 1, 1], vec![1, 2, 0]]);
        let most = NonZeroU32::new(2).unwrap();
        let (mut vault, budget) = Vault::<A, M>::open(Box::new(rows), goal, most).unwrap();
        let planned = Noise::for_tables::<A, M>(budget.amount(), NonZeroU32::new(3).unwrap(), most);
        let tables = vault.measure(&cliques, budget).unwrap();
        assert!(planned.is_some() && planned == Noise::of(&tables[0].mechanism()));
    }
    check::<AddRemove, Pure>(goal(0.7, 0.0));
    check::<ReplaceOne, Pure>(goal(0.7, 0.0));
    check::<AddRemove, Gdp>(goal(0.7, 1e-6));
    check::<ReplaceOne, Gdp>(goal(0.7, 1e-6));
}
