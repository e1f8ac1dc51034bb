//! Caches of the vault: tables and scores are computed once, and answers do not change.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;

use crate::rows::{Rows, goal};
use scumble_schema::{AttributeId, Clique, Domain, Recoding};
use scumble_vault::score::{Candidate, L1Error, TotalVariation};
use scumble_vault::{AddRemove, Budget, Pure, Vault};

fn rows() -> Rows {
    Rows::new(&[2, 3, 4], (0..500_u32).map(|row| vec![row % 2, row / 7 % 3, row * row % 4]).collect())
}

/// A vault whose noise is zero in every draw but one in e^1000, and parts of its budget.
fn open(source: Rows) -> (Vault<AddRemove, Pure>, impl Iterator<Item = Budget<AddRemove, Pure>>) {
    let (vault, budget) = Vault::open(Box::new(source), goal(900_000.0, 0.0), NonZeroU32::MIN).unwrap();
    (vault, budget.split_evenly(20.try_into().unwrap()).into_iter())
}

fn clique(columns: &[usize]) -> Clique {
    Clique::new(columns.iter().copied().map(AttributeId::new))
}

/// Returns L1 errors of the tables over these columns, with other expected counts in every round.
fn errors(domain: &Domain, columns: &[&[usize]], round: u32) -> Vec<Candidate<L1Error>> {
    let error = |columns: &&[usize]| {
        let clique = clique(columns);
        let cells = u32::try_from(domain.table_len(&clique).unwrap()).unwrap();
        let expected: Vec<f64> = (0..cells).map(|cell| f64::from(cell * 7 + round * 13) / 3.0).collect();
        Candidate::new(L1Error::against(clique, &expected).unwrap()).with_penalty(f64::from(round)).unwrap()
    };
    columns.iter().map(error).collect()
}

#[test]
fn a_table_compared_with_one_model_is_not_counted_again_for_the_next() {
    let source = rows();
    let calls = source.calls.clone();
    let (mut vault, mut budgets) = open(source);
    let domain = vault.domain().clone();
    let pairs: [&[usize]; 3] = [&[0, 1], &[1, 2], &[0, 2]];
    let all: [&[usize]; 4] = [&[0, 1, 2], &[0, 1], &[1, 2], &[0, 2]];
    for (round, columns, counted) in [(0, &pairs[..], 1), (1, &pairs[1..], 1), (2, &all[..], 2), (3, &all[..], 2)] {
        let candidates = errors(&domain, columns, round);
        let scores = vault.measure_scores(&candidates, budgets.next().unwrap()).unwrap();
        vault.select(&candidates, budgets.next().unwrap()).unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), counted, "round {round}");
        // Compared with a vault that has counted nothing yet.
        let (mut fresh, mut others) = open(rows());
        assert_eq!(scores.values(), fresh.measure_scores(&candidates, others.next().unwrap()).unwrap().values());
    }
    assert!(format!("{vault:?}").contains("TableCache(..)"), "nothing exact is printed");
}

#[test]
fn a_table_compared_with_a_model_is_not_counted_again_when_measured() {
    let source = rows();
    let calls = source.calls.clone();
    let (mut vault, mut budgets) = open(source);
    let candidates = errors(vault.domain(), &[&[0, 1], &[1, 2]], 0);
    vault.select(&candidates, budgets.next().unwrap()).unwrap();
    // A cached table lies between two others.
    let cliques = [clique(&[2]), clique(&[0, 1]), clique(&[0, 2]), clique(&[1, 2]), clique(&[0, 1])];
    let (mut fresh, mut others) = open(rows());
    let measured = vault.measure(&cliques, budgets.next().unwrap()).unwrap();
    let anew = fresh.measure(&cliques, others.next().unwrap()).unwrap();
    assert_eq!(*measured, *anew);
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    vault.measure(&cliques[3..], budgets.next().unwrap()).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2, "both were cached");
    vault.measure(&cliques[2..], budgets.next().unwrap()).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 3, "tables that were only measured are not cached");
}

#[test]
fn tables_behind_scores_that_do_not_depend_on_a_model_are_not_cached() {
    let source = rows();
    let calls = source.calls.clone();
    let (mut vault, mut budgets) = open(source);
    let pair = [TotalVariation::between(clique(&[0]), clique(&[1])).unwrap()];
    vault.select(&pair, budgets.next().unwrap()).unwrap();
    vault.select(&pair, budgets.next().unwrap()).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 1, "the score was cached");
    vault.measure(&[clique(&[0, 1])], budgets.next().unwrap()).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[test]
fn tables_of_recoded_columns_are_cached() {
    let recoding = Recoding::with_coarser(&Domain::new(vec![2, 3, 4]).unwrap(), 2, 2).unwrap();
    let (mut vault, mut budgets) = open(rows());
    vault.recode(recoding.clone()).unwrap();
    let last = recoding.domain().len() - 1;
    for round in 0..3 {
        let candidates = errors(recoding.domain(), &[&[0, last], &[1]], round);
        let scores = vault.measure_scores(&candidates, budgets.next().unwrap()).unwrap();
        let (mut fresh, mut others) = open(rows());
        fresh.recode(recoding.clone()).unwrap();
        assert_eq!(scores.values(), fresh.measure_scores(&candidates, others.next().unwrap()).unwrap().values());
    }
}

#[test]
fn tables_counted_ahead_are_not_counted_again() {
    let source = rows();
    let calls = source.calls.clone();
    let (mut vault, mut budgets) = open(source);
    let cliques = [clique(&[0, 1]), clique(&[2]), clique(&[1, 2]), clique(&[0, 1])];
    vault.count_ahead(&cliques[..2]).unwrap();
    vault.count_ahead(&cliques).unwrap();
    vault.count_ahead(&cliques).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2, "once for the first two, once for the third");
    assert_eq!(vault.released_values().len(), 0, "nothing is released");
    let candidates = errors(vault.domain(), &[&[0, 1], &[1, 2]], 0);
    let scores = vault.measure_scores(&candidates, budgets.next().unwrap()).unwrap();
    let measured = vault.measure(&cliques, budgets.next().unwrap()).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    let (mut fresh, mut others) = open(rows());
    assert_eq!(scores.values(), fresh.measure_scores(&candidates, others.next().unwrap()).unwrap().values());
    assert_eq!(*measured, *fresh.measure(&cliques, others.next().unwrap()).unwrap());
}

#[test]
fn tables_for_which_there_is_no_room_are_left_to_their_questions() {
    // Three tables of 9.6 million cells fit, and a small one.
    let source = Rows::new(&[3_100, 3_100, 3_100, 3_100, 2], vec![vec![7, 9, 11, 13, 1]; 3]);
    let calls = source.calls.clone();
    let (mut vault, mut budgets) = open(source);
    let cliques = [clique(&[0, 1]), clique(&[0, 2]), clique(&[0, 3]), clique(&[1, 2]), clique(&[0, 4])];
    vault.count_ahead(&cliques).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2, "a scan counts two of the large ones");
    vault.measure(&cliques[4..], budgets.next().unwrap()).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2, "the small one was counted ahead");
    vault.count_ahead(&cliques[3..4]).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2, "the fourth large one is not counted in vain");
}
