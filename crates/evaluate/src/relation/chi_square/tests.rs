use super::*;
use crate::table::fixture::{KINDS, related, unrelated};

fn chi_square() -> ChiSquare {
    ChiSquare::new(KINDS.to_vec(), 1)
}

/// Age with region, and each of age, region and sex with the outcome.
const RELATIONS: [[usize; 2]; 4] = [[0, 1], [0, 3], [1, 3], [2, 3]];

fn pair(test: &PairTest) -> [usize; 2] {
    test.columns.map(AttributeId::index)
}

#[test]
fn the_real_table_leads_to_the_same_conclusions() {
    let real = related(5_000, 1);
    let tests = chi_square().compare(&real, &real).unwrap();
    assert_eq!((tests.possible_pairs, tests.pairs.len(), tests.synthetic.tested), (10, 10, 10));
    assert!(tests.pairs.iter().all(|test| test.real.unwrap() == test.synthetic.unwrap()));
    assert_eq!((tests.synthetic.agreeing, tests.synthetic.kept), (Some(1.0), Some(1.0)));
    assert_eq!(tests.synthetic.false_alarms, Some(0.0));
}

#[test]
fn relations_of_the_population_are_kept_in_a_fresh_sample() {
    let tests = chi_square().compare(&related(5_000, 1), &related(5_000, 2)).unwrap();
    let known: Vec<_> = tests.pairs.iter().filter(|test| RELATIONS.contains(&pair(test))).collect();
    assert_eq!(known.len(), 4);
    assert!(known.iter().all(|test| test.real.unwrap().significant && test.synthetic.unwrap().significant));
    assert!(tests.synthetic.kept.unwrap() > 0.75 && tests.achievable.kept.unwrap() > 0.75, "{tests}");
}

#[test]
fn shuffled_columns_lose_the_relations() {
    let real = related(5_000, 1);
    let tests = chi_square().compare(&real, &unrelated(&real, 1)).unwrap();
    assert!(tests.synthetic.significant >= 4 && tests.synthetic.kept.unwrap() < 0.5, "{tests}");
    assert!(tests.achievable.kept.unwrap() > 0.75, "{tests}");
}

#[test]
fn relations_that_are_not_real_are_false_alarms() {
    let real = related(5_000, 1);
    let tests = chi_square().compare(&unrelated(&real, 1), &real).unwrap();
    assert!(tests.synthetic.significant <= 3 && tests.synthetic.false_alarms.unwrap() >= 0.4, "{tests}");
}

#[test]
fn the_test_has_its_level() {
    // 300 tables of ten pairs without relations.
    let tests: Vec<_> = (0..300)
        .flat_map(|seed| {
            let table = unrelated(&related(500, seed), seed + 1_000);
            let few = ChiSquare { curves: 0, seed, ..chi_square() };
            few.compare(&table, &table).unwrap().pairs
        })
        .filter_map(|test| test.real)
        .collect();
    let share = number(tests.iter().filter(|test| test.significant).count()) / number(tests.len());
    // A standard deviation of 0.4 %: five of them, and a level of 7.5 % or 2.5 % would be seen.
    assert!(tests.len() == 3_000 && (share - LEVEL).abs() < 0.02, "{share} of {}", tests.len());
}

#[test]
fn power_grows_with_rows_and_is_lost_without_relations() {
    let real = related(20_000, 1);
    let every = ChiSquare { curves: 10, ..chi_square() };
    let tests = every.compare(&real, &unrelated(&real, 1)).unwrap();
    assert_eq!(tests.curves.len(), 10);
    for curve in &tests.curves {
        let points: Vec<f64> = curve.points.iter().map(|point| point.real).collect();
        assert_eq!(curve.points.iter().map(|point| point.rows).collect::<Vec<_>>(), [200, 1_000, 5_000]);
        if RELATIONS.contains(&curve.columns.map(AttributeId::index)) {
            assert!(points.is_sorted() && points[2] > 0.95, "{curve:?}");
            // The level is 5 %, and 5,000 of 20,000 rows add a quarter of the table's sampling
            // error.
            assert!(curve.points.iter().all(|point| point.synthetic < 0.35), "{curve:?}");
        } else {
            assert!(points[0] < 0.2, "{curve:?}");
        }
    }
}

#[test]
fn curves_are_spread_from_the_strongest_relation_to_the_weakest() {
    let real = related(5_000, 1);
    let few = ChiSquare { curves: 3, ..chi_square() };
    let tests = few.compare(&real, &real).unwrap();
    let strength = |columns| tests.pairs.iter().find(|test| test.columns == columns).unwrap().real.unwrap().cramers_v;
    let shown: Vec<f64> = tests.curves.iter().map(|curve| strength(curve.columns)).collect();
    let all = tests.pairs.iter().map(|test| test.real.unwrap().cramers_v);
    assert!(shown.len() == 3 && shown.is_sorted_by(|a, b| a >= b));
    assert!((shown[0] - all.clone().fold(0.0, f64::max)).abs() < 1e-15);
    assert!((shown[2] - all.fold(1.0, f64::min)).abs() < 1e-15);
    assert_eq!(tests.curves[0].points.len(), 3, "5,000 rows of 5,000 are possible");
    let small = few.compare(&real, &related(999, 2)).unwrap();
    assert_eq!(small.curves[0].points.len(), 1, "more rows than the smaller table has are not");
}

#[test]
fn pairs_and_rows_are_limited() {
    let real = related(5_000, 1);
    let few = ChiSquare { max_pairs: 4, rows: 1_000, ..chi_square() };
    let tests = few.compare(&real, &related(700, 2)).unwrap();
    assert_eq!((tests.possible_pairs, tests.pairs.len()), (10, 4));
    assert_eq!((tests.real_rows, tests.synthetic_rows), (1_000, 700));
    let pairs: Vec<_> = tests.pairs.iter().map(pair).collect();
    assert!(pairs.is_sorted() && pairs.iter().all(|[a, b]| a < b), "{pairs:?}");
    let others = ChiSquare { seed: 2, ..few }.compare(&real, &real).unwrap();
    assert_ne!(others.pairs.iter().map(pair).collect::<Vec<_>>(), pairs);
}

#[test]
fn pairs_that_cannot_be_tested_are_none() {
    let domain = scumble_schema::Domain::new(vec![2, 2, 2]).unwrap();
    let halves: Vec<u32> = (0..100).map(|row| row % 2).collect();
    // The second column is constant; the third has a value that one row has.
    let codes = vec![halves.clone(), vec![0; 100], (0..100).map(|row| u32::from(row == 0)).collect()];
    let real = Columns::new(domain.clone(), codes).unwrap();
    let tests = ChiSquare::new(vec![ColumnKind::Categorical; 3], 1).compare(&real, &real).unwrap();
    assert!(tests.pairs.iter().all(|test| test.real.is_none() && test.synthetic.is_none()));
    assert_eq!((tests.synthetic.tested, tests.synthetic.agreeing, tests.curves.len()), (0, None, 0));
    // Constant in the synthetic table only: not significant there.
    let related = Columns::new(domain, vec![halves.clone(), halves.clone(), halves]).unwrap();
    let tests = ChiSquare::new(vec![ColumnKind::Categorical; 3], 1).compare(&related, &real).unwrap();
    assert_eq!((tests.synthetic.significant, tests.synthetic.kept), (3, Some(0.0)));
}

#[test]
fn the_same_seed_gives_the_same_results_with_a_stamp() {
    let (real, synthetic) = (related(1_000, 1), related(1_000, 2));
    let tests = chi_square().compare(&real, &synthetic).unwrap();
    assert_eq!(chi_square().compare(&real, &synthetic).unwrap(), tests);
    assert!(tests.to_string().starts_with("NOT DIFFERENTIALLY PRIVATE"));
    assert_eq!(serde_json::to_value(&tests).unwrap()["stamp"], NOT_PRIVATE);
    let none = ChiSquare { rows: 0, ..chi_square() };
    assert!(matches!(none.compare(&real, &synthetic), Err(EvaluateError::Config { .. })));
}
