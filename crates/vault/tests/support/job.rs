//! A job as the facade runs one, with a log line per step, for tests that kill it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use scumble_schema::AdjacencyKind;
use scumble_vault::account::ThresholdDelta;
use scumble_vault::ledger::{Ledger, LedgerError, Outcome, Reservation, ReservationRequest, Statement, Terms};
use scumble_vault::{AccountingKind, ApproxDp, Delta, Epsilon};

/// Amount that a job reserves, and amount that it spends.
pub(crate) const RESERVED: u128 = 10;
pub(crate) const SPENT: u128 = 7;
/// Number of releases of a job, and of values of a release.
pub(crate) const RELEASES: usize = 2;
const VALUES: usize = 5;

pub(crate) fn terms(cap: u128) -> Terms {
    let [dataset, privacy_unit] = ["people", "row"].map(str::to_owned);
    let (adjacency, max_contributions, accounting) = (AdjacencyKind::AddRemove, NonZeroU32::MIN, AccountingKind::Zcdp);
    Terms { dataset, adjacency, privacy_unit, max_contributions, accounting, goal: goal(), cap }
}

pub(crate) fn goal() -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() }
}

pub(crate) fn request(fingerprint: &str, quanta: u128) -> ReservationRequest {
    let (description, accounting) = ("a test".into(), AccountingKind::Zcdp);
    ReservationRequest {
        fingerprint: fingerprint.into(),
        description,
        accounting,
        goal: goal(),
        quanta,
        thresholds: ThresholdDelta::ZERO,
        command: None,
        anew: true,
    }
}

/// Runs or resumes the job, and reports each step on standard output as soon as it is durable.
pub(crate) fn run(ledger: &Path, artefacts: &Path, fingerprint: &str) -> Result<(), String> {
    let say = |line: String| {
        std::io::stdout().write_all(format!("{line}\n").as_bytes()).map_err(|error| format!("report: {error}"))
    };
    let mut job = begin(ledger, fingerprint).map_err(|error| explain(&error))?;
    let id = job.job().to_owned();
    say(format!("reserved {id}"))?;
    let mut values: Vec<i64> = Vec::new();
    for release in 0..RELEASES {
        let known = job.journalled().get(release).map(|entry| entry.values.clone());
        let word = if known.is_some() { "reused" } else { "drew" };
        let drawn = known.map_or_else(draw, Ok)?;
        if word == "drew" {
            let event = format!("{{\"id\":{release}}}");
            job.journal([(event.as_str(), drawn.as_slice())]).map_err(|error| explain(&error))?;
        }
        say(format!("{word} {id} {release} {drawn:?}"))?;
        values.extend(drawn);
    }
    let artefact = |error: std::io::Error| format!("artefact: {error}");
    let (temporary, name) = (artefacts.join("temporary"), artefacts.join(&id));
    let mut file = File::create(&temporary).map_err(artefact)?;
    file.write_all(format!("{values:?}").as_bytes()).map_err(artefact)?;
    file.sync_all().map_err(artefact)?;
    fs::rename(temporary, name).map_err(artefact)?;
    File::open(artefacts).and_then(|directory| directory.sync_all()).map_err(artefact)?;
    say(format!("released {id}"))?;
    job.commit(SPENT, ThresholdDelta::ZERO, RELEASES as u64).map_err(|error| explain(&error))?;
    say(format!("committed {id}"))
}

fn begin(ledger: &Path, fingerprint: &str) -> Result<Reservation, LedgerError> {
    let ledger = Ledger::open(ledger)?;
    match ledger.resume(fingerprint)? {
        Some(job) => Ok(job),
        None => ledger.reserve(&request(fingerprint, RESERVED)),
    }
}

fn draw() -> Result<Vec<i64>, String> {
    let mut bytes = [0; 8 * VALUES];
    getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes.as_chunks().0.iter().map(|value| i64::from_le_bytes(*value)).collect())
}

/// Formats the name of the variant and its text.
pub(crate) fn explain(error: &LedgerError) -> String {
    let variant: String = format!("{error:?}").chars().take_while(|letter| letter.is_alphanumeric()).collect();
    format!("{variant}: {error}")
}

/// Checks a ledger across jobs that are killed.
#[derive(Debug)]
pub(crate) struct Witness {
    pub(crate) ledger: PathBuf,
    opened: Ledger,
    pub(crate) artefacts: PathBuf,
    /// Reported values, by job and release.
    seen: HashMap<(String, String), String>,
    reserved: Vec<String>,
    committed: Vec<String>,
    pub(crate) lost_spends: usize,
    pub(crate) releases_without_a_spend: usize,
    pub(crate) redraws: usize,
    pub(crate) resumed: usize,
}

impl Witness {
    pub(crate) fn new(directory: &Path, cap: u128) -> Self {
        let (ledger, artefacts) = (directory.join("ledger"), directory.join("artefacts"));
        let opened = Ledger::create(&ledger, &terms(cap)).unwrap();
        fs::create_dir(&artefacts).unwrap();
        let (seen, reserved, committed) = (HashMap::new(), Vec::new(), Vec::new());
        let (lost_spends, releases_without_a_spend, redraws, resumed) = (0, 0, 0, 0);
        Self {
            ledger,
            opened,
            artefacts,
            seen,
            reserved,
            committed,
            lost_spends,
            releases_without_a_spend,
            redraws,
            resumed,
        }
    }

    /// Compares the output of a job with its ledger and artefacts.
    pub(crate) fn judge(&mut self, said: &str) -> Statement {
        // A line without its end was being written when the job was killed, and is incomplete.
        for line in said.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let words: Vec<&str> = line.splitn(4, ' ').collect();
            match words[..] {
                ["reserved", id] => self.reserved.push(id.to_owned()),
                ["committed", id] => self.committed.push(id.to_owned()),
                [word @ ("drew" | "reused"), id, release, values] => {
                    let key = (id.to_owned(), release.to_owned());
                    let known = self.seen.entry(key).or_insert_with(|| values.to_owned());
                    self.redraws += usize::from(known != values);
                    self.resumed += usize::from(word == "reused");
                }
                _ => {}
            }
        }
        let statement = self.opened.verify().unwrap();
        let outcomes: HashMap<&str, &Outcome> =
            statement.jobs.iter().map(|job| (job.id.as_str(), &job.outcome)).collect();
        let outcome = |id: &str| outcomes.get(id).copied();
        self.lost_spends += self.reserved.iter().filter(|id| outcome(id).is_none()).count();
        let is_committed = |id: &str| matches!(outcome(id), Some(Outcome::Committed { spent: SPENT, .. }));
        self.lost_spends += self.committed.iter().filter(|id| !is_committed(id)).count();
        let charged = statement.jobs.iter().map(|job| match job.outcome {
            Outcome::Open => RESERVED,
            Outcome::Committed { .. } => SPENT,
        });
        assert_eq!(statement.spent, charged.sum::<u128>());
        for entry in fs::read_dir(&self.artefacts).unwrap() {
            let path = entry.unwrap().path();
            let id = path.file_name().unwrap().to_str().unwrap();
            if id == "temporary" {
                continue;
            }
            self.releases_without_a_spend += usize::from(outcome(id).is_none());
            self.redraws += usize::from(self.differs(id, &path));
            if is_committed(id) {
                fs::remove_file(&path).unwrap();
            }
        }
        statement
    }

    /// Returns whether an artefact holds other values than the job reported.
    fn differs(&self, id: &str, artefact: &Path) -> bool {
        let mut text = String::new();
        File::open(artefact).unwrap().read_to_string(&mut text).unwrap();
        let seen = |release: usize| self.seen.get(&(id.to_owned(), release.to_string()));
        let reported: Option<Vec<&str>> =
            (0..RELEASES).map(|release| seen(release).map(|values| values.trim_matches(['[', ']']))).collect();
        // Without a complete report there is nothing to compare.
        reported.is_some_and(|reported| text != format!("[{}]", reported.join(", ")))
    }
}
