//! Public interface of the vault: releases, refusals, certificates.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::Ordering;

use crate::rows::{Rows, goal};
use proptest::prelude::*;
use scumble_schema::{AttributeId, Clique, Domain};
use scumble_vault::account::{Mechanism, Noise, Question, Selecting, Share, gdp};
use scumble_vault::score::{
    Candidate, HalfL1, L1Error, MaximalJoint, MutualInformation, Score, ScoreKind, TotalVariation,
};
use scumble_vault::{
    Accounting, AccountingKind, AddRemove, Adjacency, Certificate, Cost, CountTable, Delta, Gdp, MarginalSource,
    Private, Pure, ReplaceOne, SourceError, Vault, VaultError, Zcdp,
};

const ONE: NonZeroU32 = NonZeroU32::MIN;

fn three_columns() -> Rows {
    let rows = (0..1000_u32).map(|row| vec![row % 2, row % 3, row % 5]).collect();
    Rows::new(&[2, 3, 5], rows)
}

fn open<A: Adjacency>(epsilon: f64) -> (Vault<A>, scumble_vault::Budget<A>) {
    Vault::open(Box::new(three_columns()), goal(epsilon, 1e-9), ONE).unwrap()
}

#[test]
fn tables_come_back_in_order_with_noise_of_the_certified_scale() {
    let (mut vault, budget) = open::<AddRemove>(1.0);
    let cliques = [Clique::new([2, 0].map(AttributeId::new)), Clique::empty(), Clique::single(AttributeId::new(1))];
    let released = vault.measure(&cliques, budget).unwrap();
    assert_eq!(released.iter().map(|table| table.clique().clone()).collect::<Vec<_>>(), cliques);
    assert_eq!(released.iter().map(|table| table.values().len()).collect::<Vec<_>>(), [10, 1, 3]);
    assert_eq!(released.events().len(), 3);
    let certificate = vault.close();
    for (table, event) in released.iter().zip(certificate.events()) {
        assert_eq!(table.mechanism(), event.mechanism());
        assert_eq!(table.values().len() as u64, event.length());
        // mu 0.18197 for (1, 1e-9), three tables.
        assert!((table.standard_deviation() - 3_f64.sqrt() / 0.181_97).abs() < 1e-3);
    }
    let rows = released[1].values()[0];
    assert!((rows - 1000).abs() < 100, "noise of scale 9.5 stays within ten scales");
}

#[test]
fn a_huge_budget_gives_exact_counts() {
    let (mut vault, budget) = open::<AddRemove>(1e6);
    let released = vault.measure(&[Clique::empty(), Clique::single(AttributeId::new(2))], budget).unwrap();
    assert_eq!(released[0].values(), [1000]);
    assert_eq!(released[1].values(), [200; 5]);
    vault.close().verify().unwrap();
}

#[test]
fn the_certificate_reaches_the_goal_and_no_more() {
    for (epsilon, delta) in [(1.0, 1e-9), (0.01, 1e-6), (8.0, 1e-12), (1e-3, 1e-300), (100.0, 0.5), (1e6, 1e-5)] {
        let (mut vault, budget) =
            Vault::<AddRemove>::open(Box::new(three_columns()), goal(epsilon, delta), ONE).unwrap();
        vault.measure(&Domain::new(vec![2, 3, 5]).unwrap().one_way(), budget).unwrap();
        let certificate = vault.close();
        certificate.verify().unwrap();
        let reached = certificate.epsilon().get();
        let large_enough = epsilon >= 1e4 || reached > epsilon * (1.0 - 1e-8);
        assert!(reached <= epsilon && large_enough, "asked for {epsilon}, reached {reached}");
    }
}

#[test]
fn adaptive_questions_share_one_budget() {
    let (mut vault, budget) = open::<AddRemove>(1.0);
    let (first, rest) = budget.split(Share::of(1, 4).unwrap());
    let (second, unused) = rest.split(Share::of(1, 2).unwrap());
    let rows = vault.measure(&[Clique::empty()], first).unwrap();
    // The next question depends on the answer to the first.
    let column = AttributeId::new(usize::from(rows[0].values()[0] > 0));
    let table = vault.measure(&[Clique::single(column)], second).unwrap();
    assert_ne!(rows.events(), table.events());
    drop(unused);
    let certificate = vault.close();
    certificate.verify().unwrap();
    assert_eq!(certificate.events().len(), 2);
    let spent = certificate.total().to_f64() / gdp::largest_mu_squared(goal(1.0, 1e-9)).unwrap().to_f64();
    assert!((spent - 0.625).abs() < 1e-9);
    assert!(certificate.epsilon().get() < 0.8);
}

#[test]
fn a_vault_that_released_nothing_claims_epsilon_zero() {
    let (vault, _budget) = open::<AddRemove>(1.0);
    let certificate = vault.close();
    assert_eq!(certificate.epsilon().get().to_bits(), 0);
    certificate.verify().unwrap();
}

#[test]
fn under_replace_one_rows_are_public_and_tables_have_twice_the_squared_sensitivity() {
    let (mut vault, budget) = open::<ReplaceOne>(1.0);
    let rows = vault.row_count().unwrap();
    assert_eq!((*rows, rows.events().len()), (1000, 0));
    vault.measure(&[Clique::single(AttributeId::new(0))], budget).unwrap();
    let certificate = vault.close();
    certificate.verify().unwrap();
    let Mechanism::RoundedGaussian { squared_sensitivity: 2, sigma } = certificate.events()[0].mechanism() else {
        panic!("a table has Gaussian noise of squared sensitivity 2");
    };
    assert!((sigma.to_f64() - 2_f64.sqrt() / 0.181_97).abs() < 1e-3);
}

#[test]
fn contributions_multiply_the_noise() {
    let scale = |m| {
        let m = NonZeroU32::new(m).unwrap();
        let (mut vault, budget) = Vault::<AddRemove>::open(Box::new(three_columns()), goal(1.0, 1e-9), m).unwrap();
        vault.measure(&[Clique::empty()], budget).unwrap()[0].standard_deviation()
    };
    assert!((scale(7) / scale(1) - 7.0).abs() < 1e-9);
    assert!((scale(1_000_000) / scale(1) - 1e6).abs() < 1e-3);
}

#[test]
fn pure_jobs_have_laplace_noise_and_no_delta() {
    let (mut vault, budget) = Vault::<AddRemove, Pure>::open(Box::new(three_columns()), goal(1.5, 0.0), ONE).unwrap();
    let released = vault.measure(&[Clique::empty(), single(0), single(1)], budget).unwrap();
    // Three tables of epsilon 1/2: b is 2, up to one part in 2^47.
    let Mechanism::DiscreteLaplace { sensitivity: 1, scale } = released[0].mechanism() else {
        panic!("a table has Laplace noise");
    };
    assert!((scale.to_f64() - 2.0).abs() < 1e-12);
    // The variance is 2 q / (1 - q)² with q = e^(-1/2).
    assert!((released[0].standard_deviation() - 2.7992).abs() < 1e-4, "{}", released[0].standard_deviation());
    // Laplace noise of scale 2 is beyond 50 once in 10^11 runs.
    assert!((released[0].values()[0] - 1000).abs() < 50);
    let certificate = vault.close();
    certificate.verify().unwrap();
    assert_eq!((certificate.delta(), certificate.accounting()), (Delta::ZERO, AccountingKind::Pure));
    assert!(certificate.epsilon().get() <= 1.5 && certificate.epsilon().get() > 1.5 * (1.0 - 1e-12));
    assert!(certificate.events()[0].cost(AccountingKind::Gdp).is_none(), "Laplace noise has no mu");
    assert!(certificate.events()[0].cost(AccountingKind::Zcdp).is_some());

    // Under replace-one a table moves by two rows in L1.
    let (mut vault, budget) = Vault::<ReplaceOne, Pure>::open(Box::new(three_columns()), goal(1.0, 0.0), ONE).unwrap();
    vault.measure(&[single(0)], budget).unwrap();
    assert!(matches!(vault.close().events()[0].mechanism(), Mechanism::DiscreteLaplace { sensitivity: 2, .. }));
}

#[test]
fn gaussian_noise_without_a_delta_is_refused() {
    let refused = |error| assert!(matches!(error, VaultError::Config { parameter: "delta", .. }), "{error}");
    refused(Vault::<AddRemove, Gdp>::open(Box::new(three_columns()), goal(1.0, 0.0), ONE).unwrap_err());
    refused(Vault::<AddRemove, Zcdp>::open(Box::new(three_columns()), goal(1.0, 0.0), ONE).unwrap_err());
    let hopeless = Vault::<AddRemove, Pure>::open(Box::new(three_columns()), goal(1e-30, 0.0), ONE);
    assert!(matches!(hopeless.unwrap_err(), VaultError::Config { parameter: "epsilon", .. }));
}

fn single(index: usize) -> Clique {
    Clique::single(AttributeId::new(index))
}

/// Column 1 of these rows is a copy of column 0, columns 2 and 3 are unrelated.
fn related() -> Rows {
    Rows::new(&[2, 2, 2, 3], (0..6000_u32).map(|row| vec![row % 2, row % 2, row / 2 % 2, row / 4 % 3]).collect())
}

/// Selects a candidate, with a budget at which another one than the best has a probability of
/// e^-100.
fn select<A: Adjacency, M: Selecting, S: Score<A>>(candidates: &[S], delta: f64) -> (usize, Certificate) {
    let (mut vault, budget) = Vault::<A, M>::open(Box::new(related()), goal(20.0, delta), ONE).unwrap();
    let selected = vault.select(candidates, budget).unwrap();
    assert_eq!(selected.events().len(), 1);
    let certificate = vault.close();
    certificate.verify().unwrap();
    let event = &certificate.events()[0];
    assert!(event.length() == 1 && event.table().is_none() && event.mechanism().standard_deviation().is_none());
    (*selected, certificate)
}

#[test]
fn the_best_candidate_is_selected_by_every_score() {
    let pairs = [(0, 2), (0, 1), (1, 3)];
    let variation = pairs.map(|(left, right)| TotalVariation::between(single(left), single(right)).unwrap());
    let domain = Domain::new(vec![2, 2, 2, 3]).unwrap();
    let joint = pairs.map(|(left, right)| MaximalJoint::of(AttributeId::new(left), single(right), &domain).unwrap());
    let halves = |size: u32| vec![6000.0 / f64::from(size); size as usize];
    let product = pairs.map(|(left, right)| {
        let sides =
            [(left, 2), (right, if right == 3 { 3 } else { 2 })].map(|(index, size)| (single(index), halves(size)));
        let [(left, one), (right, other)] = sides;
        HalfL1::against_product((left, &one), (right, &other), 6000.0).unwrap()
    });
    let model = [([0, 2], 1500.0, 4), ([0, 1], 1500.0, 4), ([1, 3], 1000.0, 6)].map(|(columns, expected, cells)| {
        L1Error::against(Clique::new(columns.map(AttributeId::new)), &vec![expected; cells]).unwrap()
    });
    let information = pairs.map(|(left, right)| MutualInformation::between(single(left), single(right)).unwrap());

    assert_eq!(select::<AddRemove, Pure, _>(&variation, 0.0).0, 1);
    assert_eq!(select::<AddRemove, Zcdp, _>(&joint, 1e-9).0, 1);
    assert_eq!(select::<ReplaceOne, Zcdp, _>(&product, 1e-9).0, 1);
    assert_eq!(select::<AddRemove, Pure, _>(&model, 0.0).0, 1);
    assert_eq!(select::<AddRemove, Gdp, _>(&model, 1e-9).0, 1);
    assert_eq!(select::<ReplaceOne, Gdp, _>(&product, 1e-9).0, 1);
    let (selected, certificate) = select::<ReplaceOne, Pure, _>(&information, 0.0);
    assert_eq!(selected, 1);
    // Its sensitivity depends on the number of rows, which the certificate therefore states.
    assert!(matches!(certificate.events()[0].question(), Question::Scores { rows: Some(6000), .. }));
}

#[test]
fn noise_and_selections_add_up_to_one_goal_under_gdp() {
    let (mut vault, budget) = Vault::<AddRemove, Gdp>::open(Box::new(related()), goal(1.0, 1e-5), ONE).unwrap();
    let pairs =
        [(0, 2), (0, 1), (1, 3)].map(|(left, right)| TotalVariation::between(single(left), single(right)).unwrap());
    for (round, part) in budget.split_evenly(NonZeroUsize::new(4).unwrap()).into_iter().enumerate() {
        if round % 2 == 0 {
            vault.select(&pairs, part).unwrap();
        } else {
            vault.measure(&[single(0), single(3)], part).unwrap();
        }
    }
    let certificate = vault.close();
    certificate.verify().unwrap();
    assert_eq!(certificate.events().len(), 6);
    let total = certificate.total();
    assert_eq!(
        total.quanta,
        certificate.events().iter().map(|event| event.cost(AccountingKind::Gdp).unwrap().quanta).sum()
    );
    assert!(certificate.epsilon().get() <= 1.0 && certificate.epsilon().get() > 1.0 - 1e-6);
    // A selection that claims a larger epsilon than it was charged for.
    let text = serde_json::to_string(&certificate).unwrap();
    let (_, rest) = text.split_once("\"exponential\":{\"sensitivity\":\"2048\",\"epsilon\":\"").unwrap();
    let (numerator, _) = rest.split_once('/').unwrap();
    let larger = (numerator.parse::<u64>().unwrap() + 1).to_string();
    let changed: Certificate = serde_json::from_str(&text.replacen(numerator, &larger, 1)).unwrap();
    assert!(matches!(changed.verify(), Err(VaultError::Certificate { .. })));
}

#[test]
fn weights_and_penalties_affect_selections_and_weights_are_charged() {
    let pairs = [(0, 2), (0, 1), (1, 3)];
    let pair = |(left, right)| Candidate::new(TotalVariation::between(single(left), single(right)).unwrap());
    let candidates = pairs.map(pair).map(|candidate| candidate.with_penalty(0.0).unwrap());
    assert_eq!(select::<AddRemove, Pure, _>(&candidates, 0.0).0, 1);
    let [first, best, last] = candidates;
    let penalised = [first.clone(), best.with_penalty(4000.0).unwrap(), last.with_penalty(-9000.0).unwrap()];
    let heavy = penalised.map(|candidate| candidate.with_weight(NonZeroU32::new(3).unwrap()));
    let (selected, certificate) = select::<AddRemove, Zcdp, _>(&heavy, 1e-9);
    assert_eq!(selected, 2);
    let Mechanism::Exponential { sensitivity, .. } = certificate.events()[0].mechanism() else {
        panic!("a selection is an exponential mechanism");
    };
    assert_eq!(sensitivity, 3 * 2 * 1024);
    let Question::Scores { digest, heaviest, candidates, .. } = certificate.events()[0].question() else {
        panic!("scores were asked for");
    };
    assert_eq!((heaviest.get(), candidates.get(), digest.len()), (3, 3, 64));
    let (_, other) = select::<AddRemove, Zcdp, _>(&[first], 1e-9);
    assert_ne!(other.events()[0].question(), certificate.events()[0].question());
}

#[test]
fn scores_are_released_with_noise_of_the_certified_scale() {
    fn scores<M: Accounting>(delta: f64) -> [f64; 2] {
        let (mut vault, budget) = Vault::<AddRemove, M>::open(Box::new(related()), goal(2.0, delta), ONE).unwrap();
        let pairs = [(0, 1), (0, 2)].map(|(left, right)| TotalVariation::between(single(left), single(right)).unwrap());
        let released = vault.measure_scores(&pairs, budget).unwrap();
        let certificate = vault.close();
        certificate.verify().unwrap();
        // The lattice of scores is 1/1024 of a row.
        let certified = certificate.events()[0].mechanism().standard_deviation().unwrap() / 1024.0;
        assert!((released.standard_deviation() / certified - 1.0).abs() < 1e-12);
        // A copy is half of the rows away from independence, the other pair not at all.
        [(released.values()[0] - 3000.0) / certified, released.values()[1] / certified]
    }
    for noise in [scores::<Pure>(0.0), scores::<Gdp>(1e-6), scores::<Zcdp>(1e-6)].as_flattened() {
        // Laplace noise is beyond fifteen deviations once in 10^9 draws. `release_laws.rs` tests
        // the scale.
        assert!(noise.abs() < 15.0, "{noise} standard deviations");
    }
}

#[test]
fn parts_of_a_budget_join_to_the_whole_within_one_vault() {
    let open = || Vault::<AddRemove, Pure>::open(Box::new(related()), goal(1.0, 0.0), ONE).unwrap();
    let (mut vault, budget) = open();
    let whole = budget.amount();
    let mut parts = budget.split_evenly(NonZeroUsize::new(3).unwrap()).into_iter();
    let joined = parts.next().unwrap().join(parts.next().unwrap()).unwrap().join(parts.next().unwrap()).unwrap();
    assert_eq!(joined.amount(), whole);
    assert!(matches!(joined.join(open().1), Err(VaultError::ForeignBudget)));
    // What is lost cannot be spent, and nothing was.
    assert_eq!(
        vault.measure(&[Clique::empty()], open().1).unwrap_err().to_string(),
        "the budget belongs to another vault"
    );
}

#[test]
fn a_public_number_of_rows_is_counted_once() {
    let rows = related();
    let calls = rows.calls.clone();
    let (mut vault, budget) = Vault::<ReplaceOne, Pure>::open(Box::new(rows), goal(1.0, 0.0), ONE).unwrap();
    let mut halves = budget.split_evenly(NonZeroUsize::new(2).unwrap()).into_iter();
    assert_eq!(*vault.row_count().unwrap(), 6000);
    let pair = [MutualInformation::between(single(0), single(1)).unwrap()];
    vault.select(&pair, halves.next().unwrap()).unwrap();
    vault.select(&pair, halves.next().unwrap()).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2, "the rows, and one table for both selections");
}

#[test]
fn scores_of_large_tables_are_computed_in_batches() {
    // Four tables of 9 million cells do not fit one batch of 10 million; equal tables are counted
    // once.
    let rows = Rows::new(&[3000, 3000, 2], vec![vec![5, 7, 1]; 10]);
    let calls = rows.calls.clone();
    let (mut vault, budget) = Vault::<AddRemove, Pure>::open(Box::new(rows), goal(1.0, 0.0), ONE).unwrap();
    let wide = || TotalVariation::between(single(0), single(1)).unwrap();
    let narrow = || TotalVariation::between(single(0), single(2)).unwrap();
    vault.select(&[wide(), narrow(), wide(), TotalVariation::between(single(1), single(0)).unwrap()], budget).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[test]
fn invalid_questions_are_refused_before_anything_is_counted() {
    let rows = related();
    let calls = rows.calls.clone();
    let (mut vault, budget) = Vault::<AddRemove, Pure>::open(Box::new(rows), goal(1.0, 0.0), ONE).unwrap();
    let mut parts = budget.split_evenly(NonZeroUsize::new(4).unwrap()).into_iter();
    let none: [TotalVariation; 0] = [];
    assert!(matches!(vault.select(&none, parts.next().unwrap()), Err(VaultError::Config { .. })));
    let unknown = TotalVariation::between(single(0), single(9)).unwrap();
    assert!(matches!(vault.select(&[unknown], parts.next().unwrap()), Err(VaultError::NoSuchAttribute { .. })));
    let short = L1Error::against(single(0), &[1.0]).unwrap();
    assert!(matches!(vault.select(&[short], parts.next().unwrap()), Err(VaultError::Score { .. })));
    let (_other, foreign) = Vault::<AddRemove, Pure>::open(Box::new(related()), goal(1.0, 0.0), ONE).unwrap();
    let good = L1Error::against(single(0), &[1.0, 2.0]).unwrap();
    assert!(matches!(vault.select(std::slice::from_ref(&good), foreign), Err(VaultError::ForeignBudget)));
    let dust = (0..8).fold(parts.next().unwrap(), |budget, _| budget.split(Share::of(1, u32::MAX).unwrap()).0);
    assert!(matches!(vault.select(&[good], dust), Err(VaultError::BudgetTooSmall { .. })));
    assert_eq!(calls.load(Ordering::SeqCst), 0);
}

#[test]
fn nothing_is_counted_for_tables_that_are_refused() {
    let rows = Rows::new(&[1 << 20, 1 << 20, 5], Vec::new());
    let calls = rows.calls.clone();
    let (mut vault, budget) = Vault::<AddRemove>::open(Box::new(rows), goal(1.0, 1e-9), ONE).unwrap();
    let mut parts = budget.split_evenly(NonZeroUsize::new(5).unwrap()).into_iter();
    let mut refuse = |cliques: &[Clique]| vault.measure(cliques, parts.next().unwrap()).unwrap_err();
    let single = |index| Clique::single(AttributeId::new(index));

    assert!(matches!(refuse(&[]), VaultError::Config { .. }));
    assert!(matches!(refuse(&[Clique::new([0, 1].map(AttributeId::new))]), VaultError::Schema(_)));
    assert!(matches!(refuse(&[single(3)]), VaultError::NoSuchAttribute { attribute: 3, attributes: 3 }));
    assert!(matches!(refuse(&vec![single(0); 48]), VaultError::TooManyCells { tables: 48, .. }));
    let (_other, foreign) = open::<AddRemove>(10.0);
    assert!(matches!(vault.measure(&[single(2)], foreign).unwrap_err(), VaultError::ForeignBudget));
    assert_eq!(calls.load(Ordering::SeqCst), 0);
}

#[test]
fn a_budget_too_small_for_its_tables_is_refused() {
    let tiny = goal(1e-9, 1e-12);
    let (mut vault, budget) =
        Vault::<AddRemove>::open(Box::new(three_columns()), tiny, NonZeroU32::new(100).unwrap()).unwrap();
    let error = vault.measure(&vec![Clique::empty(); 10_000], budget).unwrap_err();
    assert!(matches!(error, VaultError::BudgetTooSmall { releases: 10_000, .. }), "{error}");

    let (mut vault, budget) = open::<AddRemove>(1.0);
    let dust = (0..8).fold(budget, |budget, _| budget.split(Share::of(1, u32::MAX).unwrap()).0);
    assert_eq!(dust.amount().quanta(), 0);
    assert!(matches!(vault.measure(&[Clique::empty()], dust).unwrap_err(), VaultError::BudgetTooSmall { .. }));
}

#[test]
fn ten_thousand_tables_share_a_small_budget() {
    let (mut vault, budget) = Vault::<AddRemove>::open(Box::new(three_columns()), goal(0.01, 1e-9), ONE).unwrap();
    vault.measure(&vec![Clique::empty(); 10_000], budget).unwrap();
    let certificate = vault.close();
    certificate.verify().unwrap();
    assert_eq!(certificate.events().len(), 10_000);
    assert!(certificate.epsilon().get() > 0.01 * (1.0 - 1e-8));
}

/// Source that answers with the tables of a function.
struct Fixed(Domain, fn(&[Clique]) -> Result<Vec<CountTable>, SourceError>);

impl MarginalSource for Fixed {
    fn domain(&self) -> &Domain {
        &self.0
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.1(cliques).map(Private::new)
    }
}

fn measure_fixed(answer: fn(&[Clique]) -> Result<Vec<CountTable>, SourceError>) -> Result<Vec<i64>, VaultError> {
    let domain = Domain::new(vec![3]).unwrap();
    let cliques = domain.one_way();
    let (mut vault, budget) = Vault::<AddRemove>::open(Box::new(Fixed(domain, answer)), goal(1.0, 1e-9), ONE)?;
    Ok(vault.measure(&cliques, budget)?[0].values().to_vec())
}

#[test]
fn a_source_that_answers_another_question_is_refused() {
    for answer in [
        (|_| Ok(vec![])) as fn(&[Clique]) -> _,
        |cliques| Ok(vec![CountTable::new(cliques[0].clone(), vec![0; 2])]),
        |cliques| Ok(vec![CountTable::new(cliques[0].clone(), vec![])]),
        |_| Ok(vec![CountTable::new(Clique::empty(), vec![0; 3])]),
        |cliques| Ok((0..2).map(|_| CountTable::new(cliques[0].clone(), vec![0; 3])).collect()),
    ] {
        assert!(matches!(measure_fixed(answer), Err(VaultError::SourceShape)));
    }
    let error = measure_fixed(|_| Err(SourceError::new("the file is gone"))).unwrap_err();
    assert!(matches!(&error, VaultError::Source(cause) if cause.to_string() == "the file is gone"));
}

#[test]
fn counts_beyond_an_i64_saturate_after_the_noise() {
    let values = measure_fixed(|cliques| Ok(vec![CountTable::new(cliques[0].clone(), vec![u64::MAX, 0, 1])])).unwrap();
    assert_eq!(values[0], i64::MAX);
    assert!(values[1].abs() < 1000);
}

#[test]
fn empty_cells_get_noise_too() {
    let sizes = [4096];
    let (mut vault, budget) =
        Vault::<AddRemove>::open(Box::new(Rows::new(&sizes, Vec::new())), goal(1.0, 1e-9), ONE).unwrap();
    let released = vault.measure(&Domain::new(sizes.to_vec()).unwrap().one_way(), budget).unwrap();
    let zeros = released[0].values().iter().filter(|value| **value == 0).count();
    // A cell is zero with probability 0.0726; 6 standard deviations of 4096 of them are 100.
    assert!((197..=397).contains(&zeros), "{zeros} of 4096 cells are zero");
}

/// T15, end to end: 64 cells at scale 5.5 are equal in two of 1,000 runs once in 10^70.
#[test]
fn a_thousand_runs_all_differ() {
    let run = || {
        let (mut vault, budget) =
            Vault::<AddRemove>::open(Box::new(Rows::new(&[64], Vec::new())), goal(1.0, 1e-9), ONE).unwrap();
        vault.measure(&[Clique::single(AttributeId::new(0))], budget).unwrap()[0].values().to_vec()
    };
    let mut runs: Vec<_> = (0..1000).map(|_| run()).collect();
    runs.sort_unstable();
    runs.dedup();
    assert_eq!(runs.len(), 1000);
}

#[test]
fn messages_hold_no_counts() {
    let (mut vault, budget) = open::<AddRemove>(1.0);
    let text = format!("{vault:?} {budget:?} {:?}", three_columns().count(&[Clique::empty()]).unwrap());
    assert!(!text.contains("1000"), "{text}");
    let error = vault.measure(&[Clique::single(AttributeId::new(9))], budget).unwrap_err();
    assert_eq!(error.to_string(), "a table asks for attribute 9, the domain has 3 attributes");
    assert!(!error.hint().is_empty());
}

#[test]
fn every_error_has_a_hint() {
    let cost = |quanta| Cost { accounting: AccountingKind::Zcdp, quanta };
    let errors = [
        (VaultError::Config { parameter: "delta", given: "2".into(), rule: "below 1" }, "scumble plan"),
        (VaultError::TooManyCells { tables: 2, cells: 9, limit: 8 }, "coarsen"),
        (
            Domain::new(vec![1 << 20; 3])
                .unwrap()
                .table_len(&Clique::new([0, 1, 2].map(AttributeId::new)))
                .unwrap_err()
                .into(),
            "coarsen",
        ),
        (VaultError::Score { score: ScoreKind::MaximalJoint, problem: "not binary" }, "total-variation"),
        (VaultError::Budget { asks: cost(3 << 95), left: cost(1 << 95) }, "fewer tables"),
        (VaultError::BudgetTooSmall { share: cost(1), releases: 2 }, "fewer tables"),
        (VaultError::ForeignBudget, "opened with it"),
        (SourceError::new("the file is gone").into(), "cause"),
        (VaultError::OtherJob { release: 3 }, "resume"),
        (VaultError::Certificate { disagreement: "a total" }, "do not rely"),
        (VaultError::Bug { what: "anything" }, "report"),
    ];
    for (error, hint) in errors {
        assert!(error.hint().contains(hint), "{error}: {}", error.hint());
        assert!(!error.to_string().ends_with('.'));
    }
    let budget = VaultError::Budget { asks: cost(3 << 95), left: cost(1 << 95) };
    assert_eq!(budget.to_string(), "budget exhausted: the release asks for rho 1.500000e0, rho 5.000000e-1 is left");
}

#[test]
fn accessors_return_what_was_released() {
    let cause = SourceError::new("the file is gone");
    assert_eq!(
        (cause.to_string(), cause.get_ref().to_string()),
        ("the file is gone".into(), "the file is gone".into())
    );
    assert!(std::error::Error::source(&cause).is_none());
    assert_eq!(cause.into_inner().to_string(), "the file is gone");
    let (mut vault, budget) = open::<AddRemove>(1.0);
    assert_eq!(format!("{:?}", three_columns().bound()), "None");
    let tables = vault.measure(&[single(1)], budget).unwrap().into_inner();
    assert_eq!(tables.len(), 1);
    let certificate = vault.close();
    let event = &certificate.events()[0];
    assert_eq!((event.adjacency(), event.lattice_log2()), (certificate.adjacency(), 0));
    assert_eq!((certificate.goal(), certificate.max_contributions()), (goal(1.0, 1e-9), ONE));
    assert!(certificate.total().to_string().starts_with("mu² 3.311"), "{}", certificate.total());
    assert_eq!(
        format!("{:?}", CountTable::new(single(1), vec![3])),
        "CountTable { clique: Clique([AttributeId(1)]), .. }"
    );
    for kind in AccountingKind::ALL {
        assert_eq!(kind.name().parse(), Ok(kind));
    }
    assert!("renyi".parse::<AccountingKind>().unwrap_err().contains("pure, gdp, zcdp"));
    let kinds = ["total-variation", "maximal-joint", "mutual-information", "l1-error", "half-l1"];
    for kind in kinds {
        let read: ScoreKind = serde_json::from_value(kind.into()).unwrap();
        assert_eq!(read.to_string(), kind);
    }
}

#[test]
fn parameters_outside_their_range_are_refused() {
    use scumble_vault::{Delta, Epsilon};
    for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY, 1.1e6] {
        assert!(Epsilon::new(epsilon).is_err(), "{epsilon}");
    }
    for delta in [-1e-9, 1.0, 2.0, f64::NAN, 1e-301] {
        assert!(Delta::new(delta).is_err(), "{delta}");
    }
    let error = Epsilon::new(-1.0).unwrap_err();
    assert_eq!(error.to_string(), "`epsilon` is -1, it must be positive and at most 1000000");
}

#[test]
fn a_certificate_verifies_after_serialization_and_an_altered_one_does_not() {
    let (mut vault, budget) = open::<ReplaceOne>(1.0);
    vault.measure(&Domain::new(vec![2, 3, 5]).unwrap().one_way(), budget).unwrap();
    let certificate = vault.close();
    assert_eq!(certificate.noise(), Noise::Fresh);
    let text = serde_json::to_string(&certificate).unwrap();
    let back: Certificate = serde_json::from_str(&text).unwrap();
    back.verify().unwrap();
    assert_eq!(back.events(), certificate.events());

    for (from, to) in [
        ("\"format\":1", "\"format\":2"),
        ("\"max_contributions\":1", "\"max_contributions\":2"),
        ("\"adjacency\":\"replace-one\",\"max", "\"adjacency\":\"add-remove\",\"max"),
        ("\"accounting\":\"gdp\"", "\"accounting\":\"zcdp\""),
        ("\"accounting\":\"gdp\"", "\"accounting\":\"pure\""),
        ("\"squared_sensitivity\":\"2\"", "\"squared_sensitivity\":\"1\""),
        ("\"lattice_log2\":0", "\"lattice_log2\":1"),
        ("\"id\":0", "\"id\":1"),
        ("\"id\":2", "\"id\":3"),
        ("\"goal\":{\"epsilon\":1.0", "\"goal\":{\"epsilon\":0.5"),
        ("\"delta\":1e-9}", "\"delta\":1e-10}"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from} is in the certificate");
        let changed: Certificate = serde_json::from_str(&changed).unwrap();
        assert!(matches!(changed.verify(), Err(VaultError::Certificate { .. })), "{to} is detected");
    }
    // A selection as the answer to a question about a table, at a cost that would fit.
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mechanism = value.pointer_mut("/events/0/mechanism").unwrap();
    *mechanism = serde_json::json!({"exponential": {"sensitivity": "2", "epsilon": "140737488355328/2^107"}});
    let verdict = serde_json::from_value::<Certificate>(value).unwrap().verify().unwrap_err().to_string();
    assert!(verdict.contains("not an answer to its question"), "{verdict}");
    let unknown = text.replacen("\"format\":1", "\"format\":1,\"comment\":\"trust me\"", 1);
    assert!(serde_json::from_str::<Certificate>(&unknown).is_err());
}

/// Replacing a row moves scores of binary columns by less. The event shows that it relies on one.
#[test]
fn the_sensitivity_of_binary_columns_differs_from_that_of_others() {
    for (left, right, is_binary) in [(0, 1, true), (1, 2, false)] {
        let (mut vault, budget) =
            Vault::<ReplaceOne, Pure>::open(Box::new(three_columns()), goal(1.0, 0.0), ONE).unwrap();
        vault.select(&[TotalVariation::between(single(left), single(right)).unwrap()], budget).unwrap();
        let certificate = vault.close();
        assert_eq!(certificate.events()[0].assumes_a_binary_column(ONE), is_binary, "{left} and {right}");
    }
    let (mut vault, budget) = open::<AddRemove>(1.0);
    vault.measure(&[Clique::empty()], budget).unwrap();
    assert!(!vault.close().events()[0].assumes_a_binary_column(ONE), "a table has one sensitivity");
}

/// A pure epsilon is an exact sum: one float less is too little.
#[test]
fn a_pure_claim_below_the_total_is_refused() {
    let (mut vault, budget) = Vault::<AddRemove, Pure>::open(Box::new(three_columns()), goal(0.7, 0.0), ONE).unwrap();
    vault.measure(&Domain::new(vec![2, 3, 5]).unwrap().one_way(), budget).unwrap();
    let mut value = serde_json::to_value(vault.close()).unwrap();
    let epsilon = value["epsilon"].as_f64().unwrap();
    let verdict = |value: &serde_json::Value| serde_json::from_value::<Certificate>(value.clone()).unwrap().verify();
    assert!(verdict(&value).is_ok());
    value["epsilon"] = serde_json::json!(epsilon.next_down());
    assert!(verdict(&value).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// However the budget is split and spent, the filter holds and the certificate verifies.
    #[test]
    fn the_goal_is_never_exceeded(epsilon in 0.01..20.0_f64, shares in prop::collection::vec((1..1000_u32, 1..4_usize), 1..12)) {
        let (mut vault, mut budget) = open::<AddRemove>(epsilon);
        for (share, tables) in shares {
            let (part, rest) = budget.split(Share::of(share, 1000).unwrap());
            budget = rest;
            vault.measure(&vec![Clique::empty(); tables], part).unwrap();
        }
        vault.measure(&[Clique::empty()], budget).unwrap();
        let certificate = vault.close();
        prop_assert!(certificate.verify().is_ok());
        prop_assert!(certificate.epsilon().get() <= epsilon);
        prop_assert!(certificate.epsilon().get() > epsilon * (1.0 - 1e-8));
    }
}
