//! The battery of the toy mechanism: it passes without a bug and fails with any bug.

use std::num::{NonZeroU32, NonZeroUsize};

use scumble_schema::{AttributeId, Clique, Domain};
use scumble_testing::toy::{Bug, Toy};
use scumble_testing::{Alarm, BatteryAdjacency, Report, RowSource, Subject, battery, replay_battery};
use scumble_vault::score::{TotalVariation, Undercharged};
use scumble_vault::{Accounting, AddRemove, ApproxDp, Delta, Epsilon, Gdp, Pure, ReplaceOne, Vault, Zcdp};

replay_battery!(toy, Toy::clean(), [pure, gdp, zcdp]);

/// The message that reveals each bug.
fn mark(bug: Bug) -> &'static str {
    match bug {
        Bug::OutputRows => "the artefact `synthetic rows` differs",
        Bug::RowsInLog => "the artefact `log` differs",
        Bug::RawTable | Bug::ObservedCells => "the artefact `model` differs",
        Bug::DomainFromData | Bug::RawThreshold | Bug::TauFromRows | Bug::RowsInScore => {
            "another question was recorded"
        }
        Bug::HalfSensitivity => "exact answers are further apart than the sensitivity",
    }
}

#[expect(clippy::print_stdout, reason = "how each bug was caught")]
fn caught<A: BatteryAdjacency, M: Accounting>(bug: Bug)
where
    Toy: Subject<A, M>,
{
    let alarm = battery::<A, M>(&Toy::with(bug)).expect_err(&bug.to_string());
    println!("{bug}: {alarm}\n");
    assert!(alarm.difference.to_string().contains(mark(bug)), "{bug} was caught by something else");
}

#[test]
fn every_planted_bug_is_caught_under_zcdp_accounting() {
    for bug in Bug::ALL {
        caught::<AddRemove, Zcdp>(bug);
    }
}

#[test]
fn every_planted_bug_is_caught_under_gdp_accounting() {
    for bug in Bug::ALL {
        caught::<AddRemove, Gdp>(bug);
    }
}

#[test]
fn every_planted_bug_is_caught_under_pure_accounting() {
    for bug in Bug::ALL {
        caught::<AddRemove, Pure>(bug);
    }
}

/// Under replace-one the number of rows is public: using it is no bug.
#[test]
fn bugs_beyond_the_number_of_rows_are_caught_if_it_is_public() {
    for bug in Bug::ALL {
        match bug {
            Bug::OutputRows | Bug::RowsInLog | Bug::TauFromRows | Bug::RowsInScore => {
                reduced::<ReplaceOne, Zcdp>(&Toy::with(bug), 0).unwrap();
            }
            Bug::RawTable | Bug::DomainFromData | Bug::ObservedCells | Bug::RawThreshold | Bug::HalfSensitivity => {
                caught::<ReplaceOne, Zcdp>(bug);
            }
        }
    }
}

/// Replays one pair in sixty of the battery; a different one for each `first`.
fn reduced<A: BatteryAdjacency, M: Accounting>(
    subject: &impl Subject<A, M>,
    first: usize,
) -> Result<Report, Box<Alarm>> {
    let mut report = Report::default();
    for part in A::PARTS {
        report += part().thinned(NonZeroUsize::new(60).unwrap(), first).check(subject)?;
    }
    Ok(report)
}

#[test]
fn the_certificate_of_an_undercharged_score_does_not_verify() {
    let source = RowSource::new(Domain::new(vec![2, 2]).unwrap(), vec![]);
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::ZERO };
    let (mut vault, budget) = Vault::<AddRemove, Pure>::open(Box::new(source), goal, NonZeroU32::MIN).unwrap();
    let [a, b] = [0, 1].map(|column| Clique::single(AttributeId::new(column)));
    vault.select(&[Undercharged(TotalVariation::between(a, b).unwrap())], budget).unwrap();
    let fault = vault.close().verify().unwrap_err().to_string();
    assert!(fault.contains("another sensitivity than its question"), "{fault}");
}

#[test]
fn twenty_clean_runs_give_no_alarm() {
    for first in 0..20 {
        reduced::<AddRemove, Zcdp>(&Toy::clean(), first).unwrap();
        reduced::<AddRemove, Gdp>(&Toy::clean(), first).unwrap();
        reduced::<ReplaceOne, Pure>(&Toy::clean(), first).unwrap();
    }
}
