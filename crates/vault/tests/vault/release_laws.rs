//! Real releases of the vault follow the distribution that the event in the certificate states.
//!
//! Replay tests compare neighbours and ignore noise; sampler tests use noise without an event.
//! Neither would notice an event that states one scale while its noise has another. These tests
//! draw every kind of release, under every accounting and adjacency it has and for units of one row
//! and of three, and compare. Each law is accepted with one false alarm in 10^9, and the same draws
//! reject a scale that is 2 percent off: a test that cannot detect the error would prove nothing.
#![allow(clippy::disallowed_methods, reason = "statistics of about 10^6 draws")]

use crate::release_law;
use std::collections::HashSet;
use std::num::{NonZeroU32, NonZeroUsize};

use crate::release_law::{FAR, Lawful, candidates, column, correlation, open, score_noise, table_noise};
use crate::rows::{Rows, goal};
use scumble_schema::{AttributeId, Domain};
use scumble_vault::account::{Mechanism, Share};
use scumble_vault::score::{HalfL1, L1Error, MaximalJoint, Score, TotalVariation};
use scumble_vault::{Accounting, AddRemove, Adjacency, Gdp, Pure, ReplaceOne, Vault, Zcdp};

/// Errors of scale that the test of every law must reject.
const WRONG: [f64; 2] = [0.98, 1.02];

fn assert_law(what: &str, drawn: &impl Lawful) {
    assert!(drawn.agrees(1.0), "{what}: what was released does not follow the law of its event");
    for factor in WRONG {
        assert!(!drawn.agrees(factor), "{what}: a scale that is {factor} times as large would not be detected");
    }
}

/// Tests releases of a kind against their law, under both adjacencies and for units of one row and
/// of three.
macro_rules! assert_laws {
    ($release:ident, [$($accounting:ident),+]) => {
        $(for m in [1, 3] {
            let what = |adjacency: &str| format!("{adjacency}, {}, m = {m}", stringify!($accounting));
            assert_law(&what("add-remove"), &release_law::$release::<AddRemove, $accounting>(m));
            assert_law(&what("replace-one"), &release_law::$release::<ReplaceOne, $accounting>(m));
        })+
    };
}

#[test]
fn tables_follow_the_law_of_their_event() {
    assert_laws!(tables, [Pure, Gdp, Zcdp]);
}

#[test]
fn scores_follow_the_law_of_their_event() {
    assert_laws!(scores, [Pure, Gdp, Zcdp]);
}

#[test]
fn selections_follow_the_law_of_their_event() {
    assert_laws!(selections, [Pure, Gdp, Zcdp]);
}

#[test]
fn rows_follow_the_law_of_their_event() {
    for m in [1, 3] {
        assert_law(&format!("pure, m = {m}"), &release_law::rows::<Pure>(m));
        assert_law(&format!("zcdp, m = {m}"), &release_law::rows::<Zcdp>(m));
    }
}

#[test]
fn selections_are_independent_of_each_other() {
    let far = release_law::selections::<AddRemove, Gdp>(1).dependence();
    assert!(far.abs() < FAR, "successive selections agree too often or too seldom: {far} standard deviations");
    let far = release_law::rows::<Pure>(1).dependence();
    assert!(far.abs() < FAR, "successive rows agree too often or too seldom: {far} standard deviations");
}

fn assert_independent<M: Accounting>() {
    let noise = || {
        let (mut vault, budget) = open::<AddRemove, M>(10.0, 1);
        let mut parts = budget.split_evenly(NonZeroUsize::new(4).unwrap()).into_iter();
        let mut part = || parts.next().unwrap();
        let tables = [table_noise(&mut vault, part()), table_noise(&mut vault, part())];
        let scores = [score_noise(&mut vault, part()), score_noise(&mut vault, part())];
        (tables, scores)
    };
    let ((tables, scores), (others, _)) = (noise(), noise());
    let far = |what: &str, left: &[i64], right: &[i64]| {
        let far = correlation(left, right);
        assert!(far.abs() < FAR, "{what} under {}: correlated by {far} standard deviations", M::KIND);
    };
    far("two tables", &tables[0], &tables[1]);
    far("two releases of scores", &scores[0], &scores[1]);
    far("a table and scores", &tables[1], &scores[0]);
    far("two jobs", &tables[0], &others[0]);
    // Sub-streams cover blocks of 4,096 cells, and threads draw several blocks each: distances of
    // both kinds.
    for apart in [1, 2, 4096, 2 * 4096, 64 * 4096, super_block()] {
        far(&format!("cells {apart} apart"), &tables[0], &tables[0][apart..]);
    }
}

/// Returns the distance of cells that two threads draw at the same time.
fn super_block() -> usize {
    release_law::DRAWS / std::thread::available_parallelism().map_or(2, |threads| threads.get().max(2))
}

#[test]
fn noise_is_independent_across_events_blocks_and_jobs() {
    assert_independent::<Pure>();
    assert_independent::<Gdp>();
}

/// Number of jobs. A key of 32 bits would repeat among them about nineteen times: it passes once in
/// 10^8 runs.
const JOBS: usize = 400_000;

#[test]
fn no_two_jobs_share_their_noise() {
    let mut released = HashSet::with_capacity(JOBS);
    for _ in 0..JOBS {
        let source = Box::new(Rows::new(&[2], Vec::new()));
        // Two numbers of a scale of 2^38: two jobs release the same by chance once in 2^40 runs.
        let (mut vault, budget) = Vault::<AddRemove, Pure>::open(source, goal(0.01, 0.0), NonZeroU32::MAX).unwrap();
        let tables = vault.measure(&[column(0)], budget).unwrap();
        assert!(released.insert(tables[0].values().to_vec()), "two jobs released the same noise");
    }
}

#[test]
fn noise_of_a_large_scale_reaches_odd_and_even_numbers() {
    fn far<M: Accounting>() -> f64 {
        let (mut vault, budget) = open::<AddRemove, M>(1.0, u32::MAX);
        let noise = table_noise(&mut vault, budget);
        assert!(noise.iter().any(|number| number.abs() > 1 << 30), "the scale is large");
        let odd = noise.iter().filter(|number| *number % 2 != 0).count() as f64;
        let all = noise.len() as f64;
        (odd - all / 2.0) / (all / 4.0).sqrt()
    }
    for far in [far::<Pure>(), far::<Gdp>(), far::<Zcdp>()] {
        assert!(far.abs() < FAR, "odd numbers are too rare or too frequent: {far} standard deviations");
    }
}

/// Returns the stated sensitivity: L1 for Laplace noise and selections, squared L2 for Gaussian
/// noise.
fn stated(mechanism: Mechanism) -> u128 {
    match mechanism {
        Mechanism::RoundedGaussian { squared_sensitivity, .. } => squared_sensitivity,
        Mechanism::DiscreteLaplace { sensitivity, .. } | Mechanism::Exponential { sensitivity, .. } => sensitivity,
        mechanism => panic!("no sensitivity: {mechanism:?}"),
    }
}

/// Returns the stated sensitivities of a table, of two noisy scores and of a selection, with
/// Laplace and with Gaussian noise.
fn of_events<A: Adjacency, S: Score<A>>(pair: &[S; 2], m: u32) -> [[u128; 3]; 2] {
    fn under<A: Adjacency, M: scumble_vault::Selecting, S: Score<A>>(pair: &[S; 2], m: u32, delta: f64) -> [u128; 3] {
        let rows = Rows::new(&[2, 2], (0..100).map(|row| vec![row % 2, row / 2 % 2]).collect());
        let unit = NonZeroU32::new(m).unwrap();
        let (mut vault, budget) = Vault::<A, M>::open(Box::new(rows), goal(1.0, delta), unit).unwrap();
        let (first, rest) = budget.split(Share::of(1, 3).unwrap());
        let (second, third) = rest.split(Share::of(1, 2).unwrap());
        vault.measure(&[column(0)], first).unwrap();
        vault.measure_scores(pair, second).unwrap();
        vault.select(pair, third).unwrap();
        let certificate = vault.close();
        certificate.verify().unwrap();
        let events = certificate.events();
        [0, 1, 2].map(|event: usize| stated(events[event].mechanism()))
    }
    [under::<A, Pure, S>(pair, m, 0.0), under::<A, Gdp, S>(pair, m, 1e-9)]
}

/// The table of the privacy rules, in numbers: one row moves a table by 1 (2 if replaced), and a
/// score by the given number of units of 1/1024.
#[test]
fn events_state_the_sensitivity_of_the_privacy_rules() {
    let pair = || candidates([5, 7].into_iter()).try_into().unwrap();
    let errors: [L1Error; 2] = pair();
    let domain = Domain::new(vec![2, 2]).unwrap();
    let variation = [(0, 1), (1, 0)].map(|(left, right)| TotalVariation::between(column(left), column(right)).unwrap());
    let joint =
        [(0, 1), (1, 0)].map(|(left, right)| MaximalJoint::of(AttributeId::new(left), column(right), &domain).unwrap());
    let product = [(0, 1), (1, 0)].map(|(left, right)| {
        HalfL1::against_product((column(left), &[50.0, 50.0]), (column(right), &[50.0, 50.0]), 100.0).unwrap()
    });
    for m in [1_u32, 3, 7] {
        let unit = u128::from(m);
        let expected = |table: [u128; 2], row: u128| {
            let one = row * unit;
            [[table[0] * unit, 2 * one, one], [table[1] * unit * unit, 2 * one * one, one]]
        };
        let (add_remove, replace_one) = ([1, 1], [2, 2]);
        assert_eq!(of_events::<AddRemove, _>(&errors, m), expected(add_remove, 1024), "L1 error, add/remove");
        assert_eq!(of_events::<ReplaceOne, _>(&errors, m), expected(replace_one, 2048), "L1 error, replace-one");
        assert_eq!(of_events::<AddRemove, _>(&product, m), expected(add_remove, 512), "half L1, add/remove");
        assert_eq!(of_events::<ReplaceOne, _>(&product, m), expected(replace_one, 1024), "half L1, replace-one");
        assert_eq!(of_events::<AddRemove, _>(&variation, m), expected(add_remove, 2048), "R, add/remove");
        assert_eq!(of_events::<ReplaceOne, _>(&variation, m), expected(replace_one, 2048), "R of two binary columns");
        assert_eq!(of_events::<AddRemove, _>(&joint, m), expected(add_remove, 1024), "n F, add/remove");
        assert_eq!(of_events::<ReplaceOne, _>(&joint, m), expected(replace_one, 1024), "n F, replace-one");
    }
}
