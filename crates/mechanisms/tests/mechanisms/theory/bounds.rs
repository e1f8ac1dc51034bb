//! Bounds among bounds.

use std::num::NonZeroU32;

use scumble_mechanisms::theory::{Conditional, Distance, FailureProbability, Paper, Table};
use scumble_schema::{AdjacencyKind, Domain};
use scumble_vault::{AddRemove, Adjacency, Epsilon, Pure, ReplaceOne};

use super::{binary, count, gaussian, goal, laplace, lower, noise, upper};

#[test]
fn lower_bounds_are_below_upper_bounds_and_both_fall_with_rows_and_epsilon() {
    fn check<A: Adjacency>(delta: f64) {
        for (columns, degree) in [(1, 0), (2, 1), (4, 3), (16, 2), (60, 1)] {
            let domain = Domain::new(vec![2; columns]).unwrap();
            let conditionals = binary(u32::try_from(columns).unwrap(), degree);
            let pair = |epsilon, rows| {
                let goal = goal(epsilon, delta);
                let below = lower(A::KIND, goal, rows).network(&domain, &conditionals);
                (below, upper::<A>(goal, &conditionals, rows).expected())
            };
            for epsilon in [0.01, 0.1, 0.5, 1.0, 3.0, 10.0] {
                for rows in [1, 2, 10, 100, 10_000, 1_000_000] {
                    let (below, above) = pair(epsilon, rows);
                    let setting = format!("{} {delta} {columns} {degree} {epsilon} {rows}", A::KIND);
                    assert!((0.0..=0.5).contains(&below) && above.total_variation <= 1.0, "{setting}");
                    assert!(below <= above.total_variation, "{setting}: {below} > {above:?}");
                    assert!(above.l2 <= 2_f64.sqrt() * above.total_variation, "{setting}");
                    for (less_below, less_above) in [pair(epsilon * 1.5, rows), pair(epsilon, rows * 2)] {
                        assert!(less_above.total_variation <= above.total_variation && less_above.l2 <= above.l2);
                        assert!(less_below <= below + 1e-15, "{setting}: {less_below} > {below}");
                    }
                }
            }
        }
    }
    for delta in [0.0, 1e-6] {
        check::<AddRemove>(delta);
        check::<ReplaceOne>(delta);
    }
}

#[test]
fn one_table_is_measured_as_well_as_can_be_but_for_a_constant() {
    // Both are of order m / (n epsilon), so what is between them is a constant.
    for cells in [10, 100, 1000] {
        let goal = goal(0.1, 0.0);
        let rows = 10_000_000;
        for (neighbours, noise) in [
            (AdjacencyKind::AddRemove, noise::<AddRemove, Pure>(goal, 1)),
            (AdjacencyKind::ReplaceOne, noise::<ReplaceOne, Pure>(goal, 1)),
        ] {
            let above = Table { cells: count(cells), rows: count(rows), noise }.normalised().total_variation;
            let below = lower(neighbours, goal, rows).table(cells);
            assert!((11.0..21.0).contains(&(above / below)), "{neighbours:?} {cells}: {below} {above}");
        }
    }
}

#[test]
fn a_table_is_better_with_more_rows_fewer_cells_and_less_noise() {
    for noise in [laplace, gaussian] {
        for (cells, rows) in [(2, 50), (30, 1000), (5000, 40_000), (1_000_000, 40_000)] {
            let table = Table { cells: count(cells), rows: count(rows), noise: noise(10.0) };
            let better = [
                Table { rows: count(rows * 2), ..table },
                Table { cells: count(cells / 2), ..table },
                Table { noise: noise(7.0), ..table },
            ];
            for better in better {
                let treatments: [fn(&Table) -> Distance; 3] = [Table::released, Table::normalised, Table::projected];
                for treatment in treatments {
                    let (less, more) = (treatment(&better), treatment(&table));
                    assert!(less.total_variation <= more.total_variation && less.l2 <= more.l2, "{table:?} {better:?}");
                }
            }
            assert!(table.projected().l2 <= table.normalised().l2);
        }
    }
}

#[test]
fn the_papers_bounds_are_implied_and_double_if_rows_are_replaced() {
    for (columns, degree) in [(1, 0), (5, 0), (5, 2), (16, 2), (23, 4)] {
        let conditionals = vec![Conditional { child: count(2), parents: count(1 << degree) }; columns as usize];
        for probability in [0.5, 0.05, 1e-6] {
            for rows in [1000, 100_000_000, 10_000_000_000] {
                let failure = FailureProbability::new(probability).unwrap();
                let goal = goal(0.5, 0.0);
                let columns = NonZeroU32::new(columns).unwrap();
                let paper = Paper { columns, degree, rows: count(rows), epsilon: goal.epsilon, failure };
                let [once, twice] = [paper.within::<AddRemove>(), paper.within::<ReplaceOne>()];
                if twice.total_variation < 1.0 {
                    assert!((twice.total_variation / once.total_variation - 2.0).abs() < 1e-12);
                    assert!((twice.l2 / once.l2 - 2.0).abs() < 1e-12);
                }
                for (paper, ours) in [
                    (once, upper::<AddRemove>(goal, &conditionals, rows).within(failure)),
                    (twice, upper::<ReplaceOne>(goal, &conditionals, rows).within(failure)),
                ] {
                    assert!(ours.total_variation <= paper.total_variation && ours.l2 <= paper.l2, "{ours:?} {paper:?}");
                }
            }
        }
    }
    // d 2, k 1, p 1/2, n 10^6, epsilon 1: 12 · 4 · 4 · 2 · ln 8 / 10^6, and half of it in L2.
    let paper = Paper {
        columns: NonZeroU32::new(2).unwrap(),
        degree: 1,
        rows: count(1_000_000),
        epsilon: Epsilon::new(1.0).unwrap(),
        failure: FailureProbability::new(0.5).unwrap(),
    };
    let Distance { total_variation, l2 } = paper.within::<AddRemove>();
    assert!((total_variation - 384e-6 * 8_f64.ln()).abs() < 1e-12 && (2.0 * l2 - total_variation).abs() < 1e-15);
}
