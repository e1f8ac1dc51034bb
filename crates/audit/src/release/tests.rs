//! Attacks on releases that leak, and on releases that cannot.

use std::cell::RefCell;

use scumble_vault::{Delta, Epsilon};

use super::fixture::{self, Tables, id};
use super::*;

/// Number of audits in a test of coverage.
const AUDITS: u64 = 20;
const ATTACKS: [Attack; 4] = [Attack::MamaMia, Attack::Tamis, Attack::ExactMatch, Attack::NearestRow];

fn run(tables: &Tables, model: Option<&Model>, settings: &Settings) -> ReleaseAudit {
    audit(&tables.inputs(model), settings, &|_, _| ()).unwrap()
}

fn with_claim(epsilon: f64) -> Settings {
    let claim = Claim::Approximate { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(1e-6).unwrap() };
    Settings { claim: Some(claim), ..Settings::default() }
}

fn auc(audit: &ReleaseAudit, attack: Attack) -> Estimate {
    audit.membership(attack).unwrap().auc
}

#[test]
fn every_attack_finds_members_that_are_released_as_they_are() {
    let mut tables = fixture::tables(1, 500, 500, 0);
    tables.synthetic = tables.members.clone();
    let audit = run(&tables, None, &with_claim(1.0));
    // Frequencies of 500 rows say little of each; copies say all.
    for (attack, least) in ATTACKS.into_iter().zip([0.55, 0.55, 0.9, 0.9]) {
        assert!(auc(&audit, attack).low > least, "{audit}");
    }
    for attack in [Attack::ExactMatch, Attack::NearestRow] {
        assert_eq!(audit.membership(attack).unwrap().exceeds_claim, Some(true), "{audit}");
    }
    let leakage = |column: usize, predictor| {
        let result =
            audit.attributes.iter().find(|result| result.column == id(column) && result.predictor == predictor);
        result.unwrap().leakage
    };
    // The last column is unrelated to the others, so all that is known of it is leaked.
    assert!(leakage(6, Predictor::NearestRows).low > 0.6, "{audit}");
    assert!(leakage(1, Predictor::NearestRows).low > 0.2, "{audit}");
    assert!(leakage(6, Predictor::Likelihood).low > 0.0, "{audit}");
    assert!(audit.exceeds_claim());
}

#[test]
fn no_attack_finds_members_that_the_release_never_saw() {
    let mut covered = [0; 4];
    let mut leaks = (0, 0);
    for seed in 0..AUDITS {
        let tables = fixture::tables(10 + seed, 400, 800, 1_000);
        let audit = run(&tables, None, &Settings { seed, ..with_claim(0.01) });
        for (covered, attack) in covered.iter_mut().zip(ATTACKS) {
            let Estimate { low, high, .. } = auc(&audit, attack);
            *covered += u32::from(low <= 0.5 && 0.5 <= high);
        }
        leaks.0 += audit.attributes.iter().filter(|result| result.leakage.low > 0.0).count();
        leaks.1 += audit.attributes.len();
        assert!(!audit.exceeds_claim(), "{audit}");
    }
    // 95 % of 20, less four standard deviations of 0.97.
    assert!(covered.iter().all(|&covered| covered >= 15), "{covered:?}");
    // 2.5 % of 200 guesses that depend on each other.
    assert!(leaks.1 == 200 && leaks.0 <= 20, "{leaks:?}");
}

/// A method of each kind of distribution and of columns.
const METHODS: [&str; 7] = [
    "auto",
    "independent",
    "mst",
    "privbayes encoding=binary",
    "privbayes encoding=hierarchical",
    "privbayes-nist",
    "smoothed-histogram rows=600",
];

#[test]
fn a_model_without_noise_is_recognised_by_its_cells() {
    let mut tables = fixture::tables(2, 300, 2_000, 0);
    let model = fixture::model(&tables.members, "auto", 1e4);
    tables.synthetic = fixture::sample(&model, 300);
    let audit = run(&tables, Some(&model), &with_claim(1.0));
    assert_eq!((audit.structure, audit.tables > 0), (Structure::Model, true));
    for (attack, least) in [(Attack::Tamis, 0.6), (Attack::MamaMia, 0.7), (Attack::NoisyCounts, 0.8)] {
        assert!(auc(&audit, attack).low > least, "{audit}");
    }
    assert!(audit.exceeds_claim(), "{audit}");
    assert_eq!(audit.attributes[0].name, "c0");
}

#[test]
fn noisy_counts_leak_more_than_the_rows_drawn_from_them() {
    let mut tables = fixture::tables(8, 300, 2_000, 0);
    let model = fixture::model(&tables.members, "auto", 10.0);
    tables.synthetic = fixture::sample(&model, 300);
    let audit = run(&tables, Some(&model), &Settings::default());
    let [counts, ratios] = [Attack::NoisyCounts, Attack::MamaMia].map(|attack| auc(&audit, attack));
    assert!(counts.low > 0.6 && counts.value > ratios.value, "{audit}");
}

#[test]
fn a_private_model_is_not_above_its_claim() {
    for method in METHODS {
        let mut tables = fixture::tables(3, 600, 600, 0);
        let model = fixture::model(&tables.members, method, 1.0);
        tables.synthetic = fixture::sample(&model, 600);
        let claim = Claim::of_certificate(model.certificate().unwrap());
        let audit = run(&tables, Some(&model), &Settings { claim: Some(claim), ..Settings::default() });
        assert!(!audit.exceeds_claim(), "{method}: {audit}");
        assert_eq!(audit.structure, Structure::Model, "{method}");
        for Membership { attack, auc, .. } in &audit.membership {
            // The standard deviation is 0.02, and the claim allows 0.56.
            assert!((0.38..0.68).contains(&auc.value), "{method}, {attack:?}: {audit}");
        }
        let counts = audit.membership(Attack::NoisyCounts);
        assert_eq!(counts.is_some(), !method.starts_with("smoothed"), "{method}");
    }
}

#[test]
fn equal_seeds_give_equal_audits() {
    let tables = fixture::tables(4, 300, 300, 300);
    let settings = Settings { targets: 50, ..Settings::default() };
    let [one, other] = [0, 0].map(|_| run(&tables, None, &settings));
    assert_eq!(one, other);
    assert_eq!((one.rows.members, one.rows.control, one.rows.auxiliary), (50, 50, 150));
    assert_ne!(one, run(&tables, None, &Settings { seed: 1, ..settings }));
}

#[test]
fn progress_counts_up_to_its_end() {
    let tables = fixture::tables(5, 250, 120, 100);
    let steps = RefCell::new(Vec::new());
    audit(&tables.inputs(None), &Settings::default(), &|done, of| steps.borrow_mut().push((done, of))).unwrap();
    let steps = steps.into_inner();
    let of = steps[0].1;
    assert_eq!(steps, (0..=of).map(|done| (done, of)).collect::<Vec<_>>());
}

#[test]
fn work_ends_when_it_is_cancelled() {
    let tables = fixture::tables(5, 250, 120, 100);
    let token = scumble_cancel::CancelToken::new();
    let outcome = token.run(|| {
        let cancel = |done: usize, _| {
            if done == 3 {
                token.cancel();
            }
        };
        audit(&tables.inputs(None), &Settings::default(), &cancel)
    });
    assert_eq!(outcome, Err(scumble_cancel::Cancelled));
}

#[test]
fn text_page_and_json_carry_the_stamp() {
    let tables = fixture::tables(6, 120, 120, 100);
    let names: Vec<String> = (0..7).map(|column| format!("<{column}>")).collect();
    let inputs = Inputs { names: &names, ..tables.inputs(None) };
    let audit = audit(&inputs, &with_claim(1.0), &|_, _| ()).unwrap();
    let text = audit.to_string();
    assert!(text.starts_with(NOT_PRIVATE) && text.contains("allowed by epsilon 1, delta 1e-6"), "{text}");
    assert!(text.contains("too few rows") && text.contains("<6>"), "{text}");
    let page = crate::release_page(&audit);
    assert!(page.contains(NOT_PRIVATE) && page.contains("&lt;6&gt;") && !page.contains("<6>"), "{page}");
    let json: serde_json::Value = serde_json::to_value(&audit).unwrap();
    assert_eq!(json["stamp"], NOT_PRIVATE);
    assert_eq!(json["membership"][0]["attack"], "mama-mia");
    assert!(json["allowed"]["claim"]["approximate"]["epsilon"].is_number(), "{json}");
}

#[test]
fn a_single_column_has_attacks_but_nothing_to_guess_from() {
    let domain = scumble_schema::Domain::new(vec![5]).unwrap();
    let table = |rows: u32| CodedTable::new(domain.clone(), vec![(0..rows).map(|row| row % 5).collect()]).unwrap();
    let tables = Tables { members: table(50), control: table(40), synthetic: table(30) };
    let audit = run(&tables, None, &Settings::default());
    assert!(audit.attributes.is_empty() && audit.tables == 1);
    assert!((auc(&audit, Attack::ExactMatch).value - 0.5).abs() < 1e-12);
}
