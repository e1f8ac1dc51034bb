use scumble_schema::Schema;

use super::rows::CodedRows;
use super::*;

fn goal(epsilon: f64, delta: f64) -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
}

/// Audits a method that is named with its options, such as `privbayes degree=1`.
fn audited(method: &str, goal: ApproxDp, adjacency: AdjacencyKind, runs: u64) -> MethodAudit {
    let mut words = method.split(' ');
    let method = Method::named(words.next().unwrap()).unwrap().with_options(words).unwrap();
    let settings = Settings { method, goal, runs, journal: None };
    audit(&settings, &Pair::made_up(adjacency), &|_, _| ()).unwrap()
}

#[test]
fn gaussian_tables_are_attacked_to_their_claim() {
    let audit = audited("independent", goal(8.0, 1e-5), AdjacencyKind::AddRemove, 4_000);
    assert!(audit.holds() && !audit.reads_real_rows);
    let few = &audit.pairs[0];
    assert_eq!((few.runs, few.phases.len()), (4_000, 1));
    // The row of zeros is alone in its cell of every table.
    assert!((few.whole.used - 1.0).abs() < 1e-9, "{few:?}");
    let (claim, proved) = (few.whole.claim.mu.unwrap(), few.whole.mu.unwrap().value);
    assert!((1.5..1.8).contains(&claim), "{claim}");
    // The true claim is exceeded in one of a thousand runs of this test.
    assert!(proved > 0.75 * claim && proved <= claim, "{proved} of {claim}");
}

#[test]
fn every_kind_of_release_is_a_phase() {
    let phases = |method: &str, goal: ApproxDp, adjacency: AdjacencyKind, pair: usize| -> Vec<Phase> {
        let audit = audited(method, goal, adjacency, 20);
        audit.pairs[pair].phases.iter().filter_map(|phase| phase.phase).collect()
    };
    let gaussian = goal(8.0, 1e-5);
    assert_eq!(phases("mst", gaussian, AdjacencyKind::AddRemove, 1), [Phase::Tables, Phase::Selections]);
    // All columns are binary, so parities are measured.
    assert_eq!(phases("auto", gaussian, AdjacencyKind::AddRemove, 0), [Phase::Tables, Phase::Scores]);
    let pure = goal(2.0, 0.0);
    // By default few rows have networks without parents, which need no selection.
    assert_eq!(phases("privbayes degree=1", pure, AdjacencyKind::AddRemove, 1), [Phase::Tables, Phase::Selections]);
    assert_eq!(phases("smoothed-histogram", pure, AdjacencyKind::ReplaceOne, 1), [Phase::Rows]);
}

#[test]
fn made_up_pairs_are_of_an_adjacency_that_the_method_has() {
    for name in Method::NAMES {
        let delta = if name == "smoothed-histogram" { 0.0 } else { 1e-5 };
        let pairs = made_up_pairs(&Method::named(name).unwrap(), goal(8.0, delta)).unwrap();
        let replaces = pairs[0].schema().privacy().adjacency == AdjacencyKind::ReplaceOne;
        assert_eq!(replaces, name == "smoothed-histogram", "{name}");
    }
}

#[test]
fn pure_audits_have_no_mu_and_few_runs_prove_little() {
    let audit = audited("independent", goal(2.0, 0.0), AdjacencyKind::AddRemove, 500);
    let whole = &audit.pairs[0].whole;
    assert!(whole.mu.is_none() && whole.claim.mu.is_none());
    assert!((whole.claim.epsilon - 2.0).abs() < 1e-9, "{whole:?}");
    let proved = whole.epsilon.unwrap().value;
    assert!(proved > 0.5 && proved < 2.0, "{proved}");
}

#[test]
fn a_unit_with_more_rows_than_it_may_have_is_found() {
    let schema = Schema::parse("fields: [{name: a, type: boolean, constraints: {required: true}}]").unwrap();
    let domain = schema.domain().clone();
    let ask = |measured| {
        let rows = |rows| Box::new(CodedRows::new(domain.clone(), None, vec![vec![0]; rows]));
        let (goal, one_row) = (goal(8.0, 1e-5), std::num::NonZeroU32::MIN);
        let opened = scumble_vault::audit::open::<scumble_vault::AddRemove, scumble_vault::Gdp>(
            rows(4),
            rows(6),
            measured,
            goal,
            one_row,
        );
        let (mut vault, budget, losses) = opened?;
        vault.measure(&domain.one_way(), budget)?;
        Ok(losses.finish())
    };
    let audit = audit_questions("two rows", 2_000, AccountingKind::Gdp, goal(8.0, 1e-5).delta, ask).unwrap();
    assert!(!audit.whole.holds, "{audit:?}");
    assert!(audit.whole.mu.unwrap().value > 1.5 * audit.whole.claim.mu.unwrap());
}

#[test]
fn an_audit_that_was_cut_off_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let journal = Some(folder.path().join("runs.jsonl"));
    let pairs = Pair::made_up(AdjacencyKind::AddRemove);
    let settings = |runs| {
        let (method, goal) = (Method::INDEPENDENT, goal(8.0, 1e-5));
        Settings { method, goal, runs, journal: journal.clone() }
    };
    audit(&settings(10), &pairs, &|_, _| ()).unwrap();
    let lines = || std::fs::read_to_string(journal.as_ref().unwrap()).unwrap().lines().count();
    assert_eq!(lines(), 41);
    let first_done = std::cell::Cell::new(None);
    let again = audit(&settings(15), &pairs, &|done, all| {
        assert_eq!(all, 60);
        first_done.set(first_done.get().or(Some(done)));
    });
    assert_eq!((again.unwrap().pairs[1].runs, lines()), (15, 61));
    assert_eq!(first_done.get(), Some(10), "runs of the file are not repeated");
}

#[test]
fn planted_rows_are_those_of_one_unit_and_of_the_schema() {
    let schema = Schema::parse("fields: [{name: a, type: boolean, constraints: {required: true}}]").unwrap();
    let open = || shared(CodedRows::new(schema.domain().clone(), None, vec![vec![0]; 9]));
    let refused = |rows| Pair::with_planted(schema.clone(), open(), rows).unwrap_err().to_string();
    assert!(refused(vec![]).contains("at least one, and at most 1"));
    assert!(refused(vec![vec![0], vec![1]]).contains("at least one, and at most 1"));
    assert!(refused(vec![vec![2]]).contains("planted row"));
    let pair = Pair::with_planted(schema.clone(), open(), vec![vec![1]]).unwrap();
    let settings = Settings { method: Method::INDEPENDENT, goal: goal(8.0, 1e-5), runs: 300, journal: None };
    let audit = audit(&settings, &[pair], &|_, _| ()).unwrap();
    assert!(audit.reads_real_rows && audit.holds());
    assert!(audit.to_string().starts_with(crate::NOT_PRIVATE), "{audit}");
    assert!(crate::method_page(&audit).contains("NOT DIFFERENTIALLY PRIVATE"));
}

#[test]
fn a_schema_has_a_made_up_pair_with_its_own_unit() {
    let schema = "dp: {privacyUnit: person, maxContributions: 3}\nfields:\n  - {name: a, type: boolean, constraints: {required: true}}\n";
    let schema = Schema::parse(schema).unwrap();
    let settings = Settings { method: Method::INDEPENDENT, goal: goal(8.0, 1e-5), runs: 50, journal: None };
    let audit = audit(&settings, &[Pair::of_schema(schema).unwrap()], &|_, _| ()).unwrap();
    // Three rows of one unit, all in one cell.
    assert!((audit.pairs[0].whole.used - 1.0).abs() < 1e-9, "{audit}");
    let one_value =
        Schema::parse("fields: [{name: a, type: string, constraints: {enum: [x], required: true}}]").unwrap();
    assert!(Pair::of_schema(one_value).is_err());
}
