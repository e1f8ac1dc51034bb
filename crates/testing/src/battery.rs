//! Replays of one part of the battery, and of all.

use std::ops::AddAssign;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble_vault::{Accounting, AccountingKind, ApproxDp, Delta, Epsilon};

use crate::alarm::{Alarm, Difference};
use crate::part::{BatteryAdjacency, Part};
use crate::replay::{Replay, compare};
use crate::subject::Subject;
use crate::tables::Table;

/// The goals of the runs: from noise far above small tables to noise of less than a row, so that a
/// mechanism that decides on released values decides both ways.
const EPSILONS: [f64; 4] = [0.5, 20.0, 100.0, 1000.0];
const DELTA: f64 = 1e-9;

/// Counts of the checks, if there was no difference.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of pairs of neighbouring tables.
    pub pairs: usize,
    /// Number of replays.
    pub replays: usize,
    /// Number of releases in them, each of the same question on both tables.
    pub releases: usize,
    /// Number of replays in which both runs failed, in the same way.
    pub failures: usize,
}

impl AddAssign for Report {
    fn add_assign(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.replays += other.replays;
        self.releases += other.releases;
        self.failures += other.failures;
    }
}

impl<A: BatteryAdjacency> Part<A> {
    /// Replays every pair.
    ///
    /// # Errors
    /// The first difference, or [`Difference::NothingShown`] if nothing was released or every run
    /// failed.
    pub fn check<M: Accounting>(&self, subject: &impl Subject<A, M>) -> Result<Report, Box<Alarm>> {
        let mut report = Report { pairs: self.pairs.len(), ..Report::default() };
        let mut last_failure = None;
        for replay in self.replays::<M>(subject) {
            let Replay { releases, failure } = replay?;
            report.replays += 1;
            report.releases += releases;
            report.failures += usize::from(failure.is_some());
            last_failure = failure.or(last_failure);
        }
        if report.releases == 0 || report.failures == report.replays {
            let difference = Difference::NothingShown { failure: last_failure };
            return Err(self.alarm::<M>(goal::<M>(EPSILONS[0]), [vec![], vec![]], difference));
        }
        Ok(report)
    }

    /// Replays every pair, and continues after a difference.
    pub fn replays<M: Accounting>(
        &self,
        subject: &impl Subject<A, M>,
    ) -> impl Iterator<Item = Result<Replay, Box<Alarm>>> {
        // Random, so that neither follows a pattern in the order of the pairs; seeded, so that
        // every run is the same.
        let mut rng = SmallRng::seed_from_u64(20_260_102);
        let turns = self.pairs.iter().flat_map(move |pair| {
            let (first, turned): (usize, bool) = (rng.random_range(0..EPSILONS.len()), rng.random());
            (0..self.runs).map(move |run| (pair, EPSILONS[(first + run) % EPSILONS.len()], turned ^ (run % 2 == 1)))
        });
        turns.map(|([one, other], epsilon, turned)| {
            // Both directions: the released values may be those of either table.
            let [table, neighbour] = if turned { [other, one] } else { [one, other] };
            let goal = goal::<M>(epsilon);
            compare(subject, &self.schema, goal, table, neighbour)
                .map_err(|difference| self.alarm::<M>(goal, [table.clone(), neighbour.clone()], difference))
        })
    }

    fn alarm<M: Accounting>(&self, goal: ApproxDp, tables: [Table; 2], difference: Difference) -> Box<Alarm> {
        let (part, adjacency, accounting) = (self.name, A::KIND, M::KIND);
        Box::new(Alarm { part, adjacency, accounting, goal, tables, difference })
    }
}

fn goal<M: Accounting>(epsilon: f64) -> ApproxDp {
    let delta = match M::KIND {
        AccountingKind::Pure => Delta::ZERO,
        AccountingKind::Gdp | AccountingKind::Zcdp => Delta::new(DELTA).expect("between zero and one"),
    };
    ApproxDp { epsilon: Epsilon::new(epsilon).expect("positive"), delta }
}

/// Replays all parts of the battery for adjacency `A`.
///
/// # Errors
/// The first difference.
pub fn battery<A: BatteryAdjacency, M: Accounting>(subject: &impl Subject<A, M>) -> Result<Report, Box<Alarm>> {
    let mut report = Report::default();
    for part in A::PARTS {
        report += part().check(subject)?;
    }
    Ok(report)
}

/// Replays one part, for a test.
///
/// # Panics
/// With the first difference.
pub fn assert_part<A: BatteryAdjacency, M: Accounting>(part: &Part<A>, subject: &impl Subject<A, M>) {
    if let Err(alarm) = part.check::<M>(subject) {
        panic!("the mechanism distinguishes neighbours: {alarm}");
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use scumble_schema::Schema;
    use scumble_vault::{AddRemove, Budget, Pure, Vault};

    use super::*;
    use crate::artefacts::Artefacts;

    struct Idle(Option<&'static str>);

    impl Subject<AddRemove, Pure> for Idle {
        fn run(
            &self,
            _: Vault<AddRemove, Pure>,
            _: Budget<AddRemove, Pure>,
            _: &Schema,
        ) -> Result<Artefacts, Box<dyn Error>> {
            self.0.map_or(Ok(Artefacts::new()), |text| Err(text.into()))
        }
    }

    #[test]
    fn a_battery_without_releases_does_not_pass() {
        let alarm = battery(&Idle(None)).unwrap_err();
        assert!(matches!(alarm.difference, Difference::NothingShown { failure: None }), "{alarm}");
        let alarm = battery(&Idle(Some("out of order"))).unwrap_err().to_string();
        assert!(alarm.starts_with("nothing was shown: every run failed, the last with: out of order"), "{alarm}");
    }

    #[test]
    #[should_panic(expected = "the mechanism distinguishes neighbours: nothing was shown")]
    fn an_alarm_fails_the_test_of_its_part() {
        assert_part(&Part::<AddRemove>::rows_of_missing_and_unknown_values_added(), &Idle(None));
    }
}
