//! A vault on a ledger: reservations, journals, spends, and resumed jobs.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rows::{Rows, goal};
use scumble_schema::{AdjacencyKind, AttributeId, Clique};
use scumble_vault::account::{Share, ThresholdDelta};
use scumble_vault::ledger::{Job, JobPlan, Ledger, LedgerError, Outcome, Terms};
use scumble_vault::score::L1Error;
use scumble_vault::{
    AccountingKind, AddRemove, Certificate, Gdp, MarginalSource, Pure, ReplaceOne, Vault, VaultError, Zcdp,
};
use tempfile::TempDir;

const ONE: NonZeroU32 = NonZeroU32::MIN;

/// Creates a ledger with a cap of (3, 1e-6), or of (3, 0) under pure accounting.
fn ledger(accounting: AccountingKind) -> (TempDir, Ledger) {
    let directory = tempfile::tempdir().unwrap();
    let cap = goal(3.0, if accounting == AccountingKind::Pure { 0.0 } else { 1e-6 });
    let terms = Terms::new("people".into(), AdjacencyKind::AddRemove, "row".into(), ONE, accounting, cap).unwrap();
    let ledger = Ledger::create(&directory.path().join("people.ledger"), &terms).unwrap();
    (directory, ledger)
}

fn plan(accounting: AccountingKind) -> JobPlan {
    let goal = goal(1.0, if accounting == AccountingKind::Pure { 0.0 } else { 1e-6 });
    let [privacy_unit, description, request] = ["row", "a test", "its parameters"].map(str::to_owned);
    let adjacency = AdjacencyKind::AddRemove;
    JobPlan {
        adjacency,
        privacy_unit,
        max_contributions: ONE,
        accounting,
        goal,
        for_thresholds: ThresholdDelta::ZERO,
        description,
        request,
        command: None,
    }
}

/// Returns ten rows of two columns, and the counter of their counts.
fn source() -> (Box<dyn MarginalSource>, Arc<AtomicUsize>) {
    let rows = Rows::new(&[2, 3], (0..10).map(|row| vec![row % 2, row % 3]).collect());
    let calls = rows.calls.clone();
    (Box::new(rows), calls)
}

fn single(index: usize) -> Clique {
    Clique::single(AttributeId::new(index))
}

/// Releases two tables for a third of the budget and, if `all`, a selection and a table for a third
/// each.
fn run(job: &Job, all: bool) -> (Vec<Vec<i64>>, usize, Certificate) {
    let (source, calls) = source();
    let (values, certificate) = run_on(source, job, all).unwrap();
    (values, calls.load(Ordering::SeqCst), certificate)
}

fn run_on(source: Box<dyn MarginalSource>, job: &Job, all: bool) -> Result<(Vec<Vec<i64>>, Certificate), VaultError> {
    let (mut vault, budget) = Vault::<AddRemove, Zcdp>::open_on(job, source, goal(1.0, 1e-6), ONE)?;
    let mut thirds = budget.split_evenly(NonZeroUsize::new(3).unwrap()).into_iter();
    let tables = vault.measure(&[single(0), single(1)], thirds.next().unwrap())?;
    let mut values: Vec<_> = tables.iter().map(|table| table.values().to_vec()).collect();
    if all {
        let errors = [0, 1].map(|column| L1Error::against(single(column), &[5.0, 5.0, 0.0][..2 + column]).unwrap());
        let selected = vault.select(&errors, thirds.next().unwrap())?;
        let last = vault.measure(&[single(*selected)], thirds.next().unwrap())?;
        values.extend([vec![i64::try_from(*selected).unwrap()], last[0].values().to_vec()]);
    }
    Ok((values, vault.close()))
}

/// Lists the files in the private directory beside the ledger.
fn files_of_jobs(directory: &TempDir) -> Vec<String> {
    let names = std::fs::read_dir(directory.path().join("people.ledger.jobs")).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_job_that_is_resumed_on_another_table_is_refused() {
    let other = || {
        // One row more: the tables of single columns differ.
        let rows = (0..11).map(|row| vec![row % 2, row % 3]).collect();
        Box::new(Rows::new(&[2, 3], rows)) as Box<dyn MarginalSource>
    };
    let (directory, ledger) = ledger(AccountingKind::Zcdp);
    let job = ledger.begin(plan(AccountingKind::Zcdp)).unwrap();
    let (before, _, _) = run(&job, false);
    drop(job);

    let job = ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap().unwrap();
    let error = run_on(other(), &job, false).unwrap_err();
    assert!(matches!(error, VaultError::OtherTable { release: 0 }), "{error}");
    assert!(error.hint().contains("begun on"), "{}", error.hint());
    drop(job);

    // The refusal changed nothing: the job can still be resumed on its own table.
    let job = ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap().unwrap();
    assert_eq!(run(&job, false).0, before);
    assert_eq!(files_of_jobs(&directory).len(), 2, "a journal and a binding");
    job.commit().unwrap();
    assert_eq!(files_of_jobs(&directory), [""; 0], "both are removed with the job");
}

#[test]
fn a_binding_is_private_and_not_in_the_ledger() {
    let (directory, ledger) = ledger(AccountingKind::Zcdp);
    let job = ledger.begin(plan(AccountingKind::Zcdp)).unwrap();
    run(&job, false);
    let binding = files_of_jobs(&directory).into_iter().find(|name| name.contains(".table")).unwrap();
    let path = directory.path().join("people.ledger.jobs").join(binding);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len(), 32 * 3, "a key and a digest for each of two releases");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let record = std::fs::read(directory.path().join("people.ledger")).unwrap();
    let digit = |digit: u8| b"0123456789abcdef"[usize::from(digit)];
    let hex =
        |bytes: &[u8]| -> Vec<u8> { bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect() };
    for secret in bytes.chunks(32) {
        assert!(!record.windows(32).any(|window| window == secret));
        assert!(!record.windows(64).any(|window| window == hex(secret)));
    }
    // Without it the table of the releases is unknown.
    drop(job);
    std::fs::remove_file(path).unwrap();
    let error = ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap_err();
    assert!(matches!(error, VaultError::Ledger(LedgerError::Journal { .. })), "{error}");
}

#[test]
fn a_certificate_names_the_cap_of_its_ledger_and_older_ones_are_read() {
    let (_directory, ledger) = ledger(AccountingKind::Zcdp);
    let (_, _, certificate) = run(&ledger.begin(plan(AccountingKind::Zcdp)).unwrap(), false);
    assert_eq!(certificate.ledger().unwrap().cap, Some(goal(3.0, 1e-6)));
    let mut written = serde_json::to_value(&certificate).unwrap();
    assert_eq!(written["ledger"].as_object_mut().unwrap().remove("cap").unwrap()["epsilon"], 3.0);
    let older: Certificate = serde_json::from_value(written).unwrap();
    assert_eq!(older.ledger().unwrap().cap, None);
    older.verify().unwrap();
}

#[test]
fn a_finished_job_has_spent_what_its_certificate_says() {
    let (_directory, ledger) = ledger(AccountingKind::Zcdp);
    let job = ledger.begin(plan(AccountingKind::Zcdp)).unwrap();
    let reserved = ledger.verify().unwrap();
    assert_eq!(reserved.spent, AccountingKind::Zcdp.largest(goal(1.0, 1e-6)).unwrap().quanta);
    let (_, _, certificate) = run(&job, false);
    certificate.verify().unwrap();
    assert_eq!((job.releases(), certificate.events().len()), (2, 2));
    assert_eq!(certificate.ledger(), Some(&job.entry()));
    assert_eq!(certificate.ledger().unwrap().head, reserved.head);

    job.commit().unwrap();
    let statement = ledger.verify().unwrap();
    assert_eq!(statement.spent, certificate.total().quanta, "a third of what was reserved");
    assert!(statement.spent < reserved.spent / 2);
    assert!(matches!(statement.jobs[0].outcome, Outcome::Committed { events: 2, .. }));
    assert!(ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap().is_none(), "it is over");
}

#[test]
fn a_job_that_was_cut_off_releases_the_same_again_and_goes_on() {
    let (_directory, ledger) = ledger(AccountingKind::Zcdp);
    let job = ledger.begin(plan(AccountingKind::Zcdp)).unwrap();
    let (before, counted, _) = run(&job, false);
    assert_eq!(counted, 1);
    let spent = ledger.verify().unwrap().spent;
    drop(job);
    assert_eq!(ledger.verify().unwrap().spent, spent, "what was reserved stays spent");

    for _ in 0..2 {
        let job = ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap().unwrap();
        assert_eq!(job.releases(), 2);
        let (again, counted, _) = run(&job, false);
        assert_eq!((again, counted), (before.clone(), 1), "the answers are counted again and compared");
    }
    let job = ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap().unwrap();
    let (whole, counted, certificate) = run(&job, true);
    assert_eq!((&whole[..2], counted), (&before[..], 2), "two tables, and those of the selection");
    certificate.verify().unwrap();
    drop(job);
    // Interrupted again, after the last release and before the commit.
    let job = ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap().unwrap();
    let (again, counted, same) = run(&job, true);
    assert_eq!((again, counted, same.events()), (whole, 2, certificate.events()));
    job.commit().unwrap();
    assert_eq!(ledger.verify().unwrap().spent, certificate.total().quanta);
}

#[test]
fn a_resumed_job_that_asks_other_questions_is_refused() {
    let (_directory, ledger) = ledger(AccountingKind::Zcdp);
    let job = ledger.begin(plan(AccountingKind::Zcdp)).unwrap();
    run(&job, false);
    drop(job);
    let job = ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap().unwrap();
    let (mut vault, budget) = Vault::<AddRemove, Zcdp>::open_on(&job, source().0, goal(1.0, 1e-6), ONE).unwrap();
    let error = vault.measure(&[single(1)], budget).unwrap_err();
    assert!(matches!(error, VaultError::OtherJob { release: 0 }), "{error}");
    assert!(error.hint().contains("resume"));
}

#[test]
fn running_jobs_and_other_jobs_are_not_resumed() {
    let (_directory, ledger) = ledger(AccountingKind::Zcdp);
    let running = ledger.begin(plan(AccountingKind::Zcdp)).unwrap();
    let error = ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap_err();
    assert!(matches!(error, VaultError::Ledger(LedgerError::Running { .. })), "{error}");
    drop(running);
    let other = JobPlan { request: "other parameters".into(), ..plan(AccountingKind::Zcdp) };
    assert!(ledger.resume_job(other).unwrap().is_none());
    assert!(ledger.resume_job(plan(AccountingKind::Zcdp)).unwrap().is_some());
}

#[test]
fn jobs_of_other_accountings_are_bounded_where_a_bound_is_known() {
    let (_directory, zcdp) = ledger(AccountingKind::Zcdp);
    // mu² of (1, 1e-6) is 0.2367², and half of it is rho; epsilon 1 is rho 1/2.
    for (accounting, rho) in [(AccountingKind::Gdp, 0.23670_f64.powi(2) / 2.0), (AccountingKind::Zcdp, 0.02436)] {
        let before = zcdp.verify().unwrap().spent;
        drop(zcdp.begin_anew(plan(accounting)).unwrap());
        let reserved = scumble_vault::Rho::from_quanta(zcdp.verify().unwrap().spent - before).to_f64();
        assert!((reserved - rho).abs() < 1e-5, "{accounting}: {reserved}");
    }
    let small = JobPlan { goal: goal(0.25, 0.0), ..plan(AccountingKind::Pure) };
    let before = zcdp.verify().unwrap().spent;
    let job = zcdp.begin_anew(small.clone()).unwrap();
    assert_eq!(zcdp.verify().unwrap().spent - before, 1 << (96 - 5), "a sixteenth, halved");
    let (mut vault, budget) = Vault::<AddRemove, Pure>::open_on(&job, source().0, small.goal, ONE).unwrap();
    let (half, _) = budget.split(Share::of(1, 2).unwrap());
    vault.measure(&[single(0)], half).unwrap();
    vault.close().verify().unwrap();
    job.commit().unwrap();
    let spent = zcdp.verify().unwrap().spent - before;
    assert!(spent <= 1 << (96 - 7) && spent > (1 << (96 - 7)) - (1 << 60), "half the epsilon is a quarter of rho");

    // Noise and selections under GDP: reserved as half of mu², spent as the cost of each release in
    // rho, which is less.
    let before = zcdp.verify().unwrap().spent;
    let job = zcdp.begin_anew(plan(AccountingKind::Gdp)).unwrap();
    let reserved = zcdp.verify().unwrap().spent - before;
    let (mut vault, budget) = Vault::<AddRemove, Gdp>::open_on(&job, source().0, goal(1.0, 1e-6), ONE).unwrap();
    let (half, rest) = budget.split(Share::of(1, 2).unwrap());
    let errors = [0, 1].map(|column| L1Error::against(single(column), &[5.0, 5.0, 0.0][..2 + column]).unwrap());
    vault.select(&errors, half).unwrap();
    vault.measure(&[single(0)], rest).unwrap();
    let certificate = vault.close();
    certificate.verify().unwrap();
    job.commit().unwrap();
    let rho: u128 = certificate.events().iter().map(|event| event.cost(AccountingKind::Zcdp).unwrap().quanta).sum();
    let spent = zcdp.verify().unwrap().spent - before;
    assert_eq!(spent, rho);
    // A quarter of epsilon² where pi/8 was charged: of the half spent on the selection, 2/pi
    // remains.
    assert!(spent < reserved && spent.abs_diff(reserved / 1000 * 818) < reserved / 1000, "{spent} of {reserved}");

    for (kept, asked) in [
        (AccountingKind::Gdp, AccountingKind::Zcdp),
        (AccountingKind::Gdp, AccountingKind::Pure),
        (AccountingKind::Pure, AccountingKind::Gdp),
        (AccountingKind::Pure, AccountingKind::Zcdp),
    ] {
        let (_directory, ledger) = ledger(kept);
        let refused = ledger.begin(plan(asked)).unwrap_err();
        assert!(matches!(refused, VaultError::Ledger(LedgerError::Terms { what: "accounting", .. })), "{kept} {asked}");
        assert_eq!(ledger.verify().unwrap().records, 1, "nothing was written");
    }
}

#[test]
fn jobs_on_other_terms_are_refused() {
    let (_directory, ledger) = ledger(AccountingKind::Gdp);
    let plan = plan(AccountingKind::Gdp);
    let others = [
        ("adjacency", JobPlan { adjacency: AdjacencyKind::ReplaceOne, ..plan.clone() }),
        ("the privacy unit", JobPlan { privacy_unit: "person".into(), ..plan.clone() }),
        ("rows per unit", JobPlan { max_contributions: NonZeroU32::new(2).unwrap(), ..plan.clone() }),
    ];
    for (differs, other) in others {
        for refused in [ledger.begin(other.clone()).map(Some), ledger.resume_job(other)] {
            let error = refused.unwrap_err();
            assert!(matches!(error, VaultError::Ledger(LedgerError::Terms { what, .. }) if what == differs), "{error}");
        }
    }
    // Seven jobs of (1, 1e-6) are within (3, 1e-6): mu² adds up, epsilon does not.
    let mut jobs = 0;
    let refused = loop {
        match ledger.begin_anew(plan.clone()) {
            Ok(job) => drop(job),
            Err(error) => break error,
        }
        jobs += 1;
    };
    assert!(matches!(refused, VaultError::Ledger(LedgerError::OverCap { .. })), "{refused}");
    assert_eq!(jobs, 7);
}

#[test]
fn a_job_over_the_cap_is_offered_the_epsilon_that_fits() {
    for accounting in [AccountingKind::Gdp, AccountingKind::Zcdp, AccountingKind::Pure] {
        let (_directory, ledger) = ledger(AccountingKind::Zcdp);
        let most = JobPlan { goal: goal(2.6, 1e-6), request: "most".into(), ..plan(AccountingKind::Zcdp) };
        drop(ledger.begin(most).unwrap());
        let too_much = JobPlan { goal: goal(2.0, plan(accounting).goal.delta.get()), ..plan(accounting) };
        let refused = ledger.begin(too_much.clone()).unwrap_err();
        let VaultError::Ledger(LedgerError::OverCap { fits: Some(fits), .. }) = refused else { panic!("{refused}") };
        assert!(fits.get() > 0.1, "{accounting}: {fits}");
        let more = JobPlan { goal: goal(fits.get() + 1e-4, too_much.goal.delta.get()), ..too_much.clone() };
        assert!(matches!(ledger.begin(more), Err(VaultError::Ledger(LedgerError::OverCap { .. }))), "{accounting}");
        ledger.begin(JobPlan { goal: goal(fits.get(), too_much.goal.delta.get()), ..too_much }).unwrap();
    }
}

#[test]
fn an_open_job_is_begun_again_only_on_request() {
    let (_directory, ledger) = ledger(AccountingKind::Gdp);
    let plan = JobPlan { command: Some("scumble fit a.csv".into()), ..plan(AccountingKind::Gdp) };
    drop(ledger.begin(plan.clone()).unwrap());
    let before = ledger.verify().unwrap();
    let open = &before.jobs[0];
    let refused = ledger.begin(plan.clone()).unwrap_err();
    let VaultError::Ledger(LedgerError::Open { job, command, .. }) = &refused else { panic!("{refused}") };
    assert_eq!((job, command.as_deref()), (&open.id, Some("scumble fit a.csv")));
    assert_eq!(ledger.verify().unwrap(), before, "nothing was reserved");
    // Another request is another job, and the same one may be begun explicitly.
    drop(ledger.begin(JobPlan { request: "other".into(), ..plan.clone() }).unwrap());
    drop(ledger.begin_anew(plan).unwrap());
    assert_eq!(ledger.verify().unwrap().open_jobs().count(), 3);
}

#[test]
fn a_vault_is_opened_once_and_on_the_terms_of_its_job() {
    let (_directory, ledger) = ledger(AccountingKind::Gdp);
    let job = ledger.begin(plan(AccountingKind::Gdp)).unwrap();
    let is_bug = |error| assert!(matches!(error, VaultError::Bug { .. }), "{error}");
    let right = goal(1.0, 1e-6);
    is_bug(Vault::<AddRemove, Gdp>::open_on(&job, source().0, goal(2.0, 1e-6), ONE).unwrap_err());
    is_bug(Vault::<ReplaceOne, Gdp>::open_on(&job, source().0, right, ONE).unwrap_err());
    is_bug(Vault::<AddRemove, Zcdp>::open_on(&job, source().0, right, ONE).unwrap_err());
    is_bug(Vault::<AddRemove, Gdp>::open_on(&job, source().0, right, NonZeroU32::new(2).unwrap()).unwrap_err());
    let (mut vault, budget) = Vault::<AddRemove, Gdp>::open_on(&job, source().0, right, ONE).unwrap();
    is_bug(Vault::<AddRemove, Gdp>::open_on(&job, source().0, right, ONE).unwrap_err());
    // After the job has ended nothing can be released on it.
    job.clone().commit().unwrap();
    let error = vault.measure(&[single(0)], budget).unwrap_err();
    assert!(matches!(error, VaultError::Ledger(LedgerError::Stopped)), "{error}");
    assert!(matches!(job.commit().unwrap_err(), VaultError::Ledger(LedgerError::Stopped)));
    assert_eq!(ledger.verify().unwrap().spent, 0);
}
