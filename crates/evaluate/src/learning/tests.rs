use super::*;
use crate::table::fixture::{KINDS, outcome, related, unrelated};

fn learning() -> Learning {
    Learning::new(KINDS.to_vec(), vec![outcome()], 1)
}

fn accuracies(scores: &LearningScores) -> [[f64; 2]; 2] {
    let TargetScores { linear, forest, .. } = scores.targets[0];
    [linear, forest].map(|learner| [learner.real_trained.accuracy, learner.synthetic_trained.accuracy])
}

/// Six standard deviations of a difference of accuracies on 3,000 rows of a test, each right about
/// two times in three.
const NOISE: f64 = 6.0 * 0.012;

#[test]
fn rows_of_the_same_population_teach_as_much_as_real_ones() {
    let scores = learning().score(&related(10_000, 1), &related(10_000, 2)).unwrap();
    let majority = scores.targets[0].majority;
    assert!((majority.balanced_accuracy - 0.5).abs() < 1e-12 && (majority.auc.unwrap() - 0.5).abs() < 1e-12);
    for [real, synthetic] in accuracies(&scores) {
        assert!((real - synthetic).abs() < NOISE, "{scores}");
        assert!(real > majority.accuracy + 0.05, "something is learnt: {scores}");
    }
    assert!(scores.targets[0].linear.synthetic_trained.auc.unwrap() > 0.7);
}

#[test]
fn columns_without_relations_teach_nothing() {
    let real = related(10_000, 1);
    let scores = learning().score(&real, &unrelated(&real, 2)).unwrap();
    let majority = scores.targets[0].majority.accuracy;
    for [real, synthetic] in accuracies(&scores) {
        assert!(synthetic < majority + 0.02 && real > majority + 0.05, "{scores}");
    }
    let TargetScores { linear, forest, .. } = scores.targets[0];
    for learner in [linear, forest] {
        // The standard deviation of the area is 0.011 for an outcome that a third of 3,000 rows
        // have.
        let auc = learner.synthetic_trained.auc.unwrap();
        assert!((auc - 0.5).abs() < 6.0 * 0.011, "{auc}");
    }
}

#[test]
fn rows_are_limited_and_counted() {
    let limits = Learning { training_rows: 500, test_rows: 200, ..learning() };
    let scores = limits.score(&related(2_000, 1), &related(300, 2)).unwrap();
    assert_eq!((scores.real_training_rows, scores.synthetic_training_rows, scores.test_rows), (500, 300, 200));
    let scores = learning().score(&related(1_000, 1), &related(3_000, 2)).unwrap();
    assert_eq!((scores.real_training_rows, scores.synthetic_training_rows, scores.test_rows), (700, 700, 300));
}

#[test]
fn targets_with_many_codes_are_grouped() {
    let every = (0..KINDS.len()).map(AttributeId::new).collect();
    let limits = Learning { max_classes: 4, targets: every, ..learning() };
    let scores = limits.score(&related(2_000, 1), &related(2_000, 2)).unwrap();
    let classes: Vec<(usize, bool)> = scores.targets.iter().map(|target| (target.classes, target.grouped)).collect();
    assert_eq!(classes, [(4, true), (3, false), (2, false), (2, false), (4, true)]);
    assert!(scores.targets[0].linear.real_trained.auc.is_none());
}

#[test]
fn the_same_seed_gives_the_same_scores() {
    let (real, synthetic) = (related(1_000, 1), related(1_000, 2));
    let scores = learning().score(&real, &synthetic).unwrap();
    assert_eq!(learning().score(&real, &synthetic).unwrap(), scores);
    let reseeded = Learning { seed: 2, ..learning() };
    assert_ne!(reseeded.score(&real, &synthetic).unwrap(), scores);
}

#[test]
fn tables_of_few_rows_and_one_column_are_scored() {
    let table =
        |codes: &[u32]| Columns::new(scumble_schema::Domain::new(vec![3]).unwrap(), vec![codes.to_vec()]).unwrap();
    let alone = Learning::new(vec![ColumnKind::Categorical], vec![AttributeId::new(0)], 1);
    let scores = alone.score(&table(&[1, 1]), &table(&[1, 1, 2])).unwrap();
    assert!((scores.targets[0].forest.real_trained.accuracy - 1.0).abs() < 1e-12);
    assert!(matches!(alone.score(&table(&[1]), &table(&[1, 1])), Err(EvaluateError::Config { parameter: "real", .. })));
}

#[test]
fn impossible_requests_are_refused() {
    let table = related(10, 1);
    let absent = vec![AttributeId::new(5)];
    for wrong in [
        Learning { targets: absent, ..learning() },
        Learning { max_classes: 1, ..learning() },
        Learning { training_rows: 0, ..learning() },
        Learning { kinds: KINDS[1..].to_vec(), ..learning() },
    ] {
        assert!(matches!(wrong.score(&table, &table), Err(EvaluateError::Config { .. })), "{wrong:?}");
    }
}

#[test]
fn no_scores_are_shown_without_the_stamp() {
    let scores = learning().score(&related(100, 1), &related(100, 2)).unwrap();
    assert!(scores.to_string().starts_with("NOT DIFFERENTIALLY PRIVATE"));
    assert_eq!(serde_json::to_value(&scores).unwrap()["stamp"], NOT_PRIVATE);
}
