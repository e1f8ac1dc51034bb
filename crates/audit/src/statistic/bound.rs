//! What the error rates of a test prove about privacy.

use scumble_vault::Delta;
use serde::Serialize;

use super::{binomial, normal};

/// Probability with which a bound is above the truth: 99.9 % confidence.
pub const LEVEL: f64 = 0.001;
/// One of this many runs of each table is used to choose the test, and not to count its errors.
const PILOT: usize = 10;
/// Level of the error rates by which the pilot runs choose. A test with few errors in the pilot
/// runs is often chosen for its luck; at this level, a simulation with normal statistics proves 98
/// to 99.8 % of what the best test would.
const PILOT_LEVEL: f64 = 0.001;
/// Number of thresholds that the pilot runs choose among.
const THRESHOLDS: usize = 64;

/// Values of one statistic in independent runs on two neighbouring tables. Larger values speak for
/// the neighbour.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcomes {
    /// In runs on the table.
    pub table: Vec<f64>,
    /// In runs on its neighbour.
    pub neighbour: Vec<f64>,
}

/// A test between two tables: it says "neighbour" where the statistic is above a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Errors {
    /// The threshold.
    pub threshold: f64,
    /// Whether it says "neighbour" below the threshold instead.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub turned: bool,
    /// Number of runs on the table.
    pub table_runs: u64,
    /// Number of those in which the test says "neighbour".
    pub false_alarms: u64,
    /// Number of runs on the neighbour.
    pub neighbour_runs: u64,
    /// Number of those in which the test says "table".
    pub misses: u64,
}

/// A lower bound on a privacy parameter, and the test that proves it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bound {
    /// The bound; 0 if nothing is proved.
    pub value: f64,
    /// The test, counted on runs that did not choose it.
    pub errors: Errors,
}

/// A point of an empirical trade-off curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// Share of runs on the table in which the test says "neighbour".
    pub false_alarms: f64,
    /// Share of runs on the neighbour in which it says "table".
    pub misses: f64,
}

impl Outcomes {
    /// Returns a lower bound on `mu`, for a statistic that is one of several tried on the same
    /// runs: each bound then has a part of the level.
    pub fn mu(&self, tried: usize) -> Option<Bound> {
        self.bound(tried, |false_alarms, misses| normal::quantile(1.0 - false_alarms) - normal::quantile(misses))
    }

    /// Returns a lower bound on the epsilon that holds with `delta`, as for [`Outcomes::mu`].
    pub fn epsilon(&self, delta: Delta, tried: usize) -> Option<Bound> {
        let delta = delta.get();
        self.bound(tried, |false_alarms, misses| {
            let forth = (1.0 - misses - delta).max(0.0) / false_alarms;
            let back = (1.0 - false_alarms - delta).max(0.0) / misses;
            forth.max(back).ln()
        })
    }

    /// Returns `proved` of upper bounds on both error rates, for the test that is best in the pilot
    /// runs; `None` if these do not differ.
    fn bound(&self, tried: usize, proved: impl Fn(f64, f64) -> f64) -> Option<Bound> {
        let (pilot, rest) = self.split();
        let level = LEVEL / tried.max(1) as f64;
        let sizes = [rest.table.len(), rest.neighbour.len()].map(|size| size as u64);
        // The pilot runs are few: a test without errors in them will have some in the rest. So it
        // is judged by upper bounds on its error rates, in the number of runs of the rest.
        let expected = |test: &(f64, bool)| {
            let errors = pilot.errors(*test);
            let worse = |wrong: u64, of: u64, size: u64| {
                let rate = binomial::upper_bound(wrong, of, PILOT_LEVEL);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the runs")]
                let worse = (rate * size as f64).ceil() as u64;
                worse.min(size)
            };
            let false_alarms = worse(errors.false_alarms, errors.table_runs, sizes[0]);
            let misses = worse(errors.misses, errors.neighbour_runs, sizes[1]);
            let [table_runs, neighbour_runs] = sizes;
            value(&Errors { table_runs, false_alarms, neighbour_runs, misses, ..errors }, level, &proved)
        };
        let tests = pilot.thresholds(THRESHOLDS).into_iter().flat_map(|at| [(at, false), (at, true)]);
        let best = tests.max_by(|one, other| expected(one).total_cmp(&expected(other)))?;
        let errors = rest.errors(best);
        Some(Bound { value: value(&errors, level, &proved).max(0.0), errors })
    }

    /// Returns the pilot runs, and the others.
    fn split(&self) -> (Self, Self) {
        let part = |values: &[f64], pilot: bool| {
            let at = |(index, value): (usize, &f64)| (index.is_multiple_of(PILOT) == pilot).then_some(*value);
            values.iter().enumerate().filter_map(at).collect()
        };
        let part = |pilot| Self { table: part(&self.table, pilot), neighbour: part(&self.neighbour, pilot) };
        (part(true), part(false))
    }

    /// Returns at most `number` thresholds between the values that occur, evenly over both tables.
    fn thresholds(&self, number: usize) -> Vec<f64> {
        let mut values: Vec<f64> = self.table.iter().chain(&self.neighbour).copied().collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let between: Vec<f64> = values.windows(2).map(|pair| f64::midpoint(pair[0], pair[1])).collect();
        if between.len() <= number {
            return between;
        }
        (0..number).map(|place| between[(2 * place + 1) * between.len() / (2 * number)]).collect()
    }

    /// Counts the errors of the test that says "neighbour" above a threshold, or below it if it is
    /// turned around.
    fn errors(&self, (threshold, turned): (f64, bool)) -> Errors {
        let says_neighbour = |value: &&f64| (**value > threshold) != turned;
        let alarms = |values: &[f64]| values.iter().filter(says_neighbour).count() as u64;
        let neighbour_runs = self.neighbour.len() as u64;
        Errors {
            threshold,
            turned,
            table_runs: self.table.len() as u64,
            false_alarms: alarms(&self.table),
            neighbour_runs,
            misses: neighbour_runs - alarms(&self.neighbour),
        }
    }

    /// Returns the empirical trade-off curve over all runs, of at most `points` points, without
    /// bounds.
    pub fn curve(&self, points: usize) -> Vec<Point> {
        let point = |threshold| {
            let errors = self.errors((threshold, false));
            Point {
                false_alarms: errors.false_alarms as f64 / errors.table_runs.max(1) as f64,
                misses: errors.misses as f64 / errors.neighbour_runs.max(1) as f64,
            }
        };
        self.thresholds(points).into_iter().map(point).collect()
    }
}

/// Evaluates `proved` at upper bounds on both error rates, which share the level.
fn value(errors: &Errors, level: f64, proved: &impl Fn(f64, f64) -> f64) -> f64 {
    let upper = |wrong, runs| binomial::upper_bound(wrong, runs, level / 2.0);
    proved(upper(errors.false_alarms, errors.table_runs), upper(errors.misses, errors.neighbour_runs))
}

/// Returns the largest `mu` and the largest epsilon at `delta` that `runs` runs on each table could
/// prove: those of an attack that is never wrong.
pub fn provable(runs: u64, delta: Delta) -> (f64, f64) {
    let counted = runs - runs.div_ceil(PILOT as u64);
    let errors = Errors {
        threshold: 0.0,
        turned: false,
        table_runs: counted,
        false_alarms: 0,
        neighbour_runs: counted,
        misses: 0,
    };
    let mu = |false_alarms: f64, misses: f64| normal::quantile(1.0 - false_alarms) - normal::quantile(misses);
    let epsilon = |false_alarms: f64, misses: f64| ((1.0 - misses - delta.get()).max(0.0) / false_alarms).ln();
    (value(&errors, LEVEL, &mu).max(0.0), value(&errors, LEVEL, &epsilon).max(0.0))
}

/// Returns the bound on `mu` that a test between two normal distributions `mu` apart is expected to
/// prove with `runs` runs on each table.
pub fn expected_mu(mu: f64, runs: u64) -> f64 {
    let counted = runs - runs.div_ceil(PILOT as u64);
    let wrong = (normal::distribution(-mu / 2.0) * counted as f64).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the runs")]
    let wrong = wrong as u64;
    let errors = Errors {
        threshold: mu / 2.0,
        turned: false,
        table_runs: counted,
        false_alarms: wrong,
        neighbour_runs: counted,
        misses: wrong,
    };
    let proved = |false_alarms: f64, misses: f64| normal::quantile(1.0 - false_alarms) - normal::quantile(misses);
    value(&errors, LEVEL, &proved).max(0.0)
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// Runs of a test whose statistic is normal, `mu` apart.
    fn normal_runs(mu: f64, runs: usize) -> Outcomes {
        let mut rng = SmallRng::seed_from_u64(7);
        let mut draw = |mean: f64| -> Vec<f64> {
            (0..runs).map(|_| mean + normal::quantile(rng.random_range(1e-12..1.0))).collect()
        };
        Outcomes { table: draw(0.0), neighbour: draw(mu) }
    }

    #[test]
    fn the_bound_on_mu_is_below_it_and_near_it() {
        for mu in [0.5, 1.5, 3.0] {
            let bound = normal_runs(mu, 20_000).mu(1).unwrap();
            assert!(bound.value < mu && bound.value > 0.85 * mu - 0.02, "{mu}: {bound:?}");
        }
    }

    #[test]
    fn a_statistic_that_speaks_for_the_other_table_proves_as_much() {
        let Outcomes { table, neighbour } = normal_runs(1.5, 10_000);
        let turned = Outcomes { table: neighbour, neighbour: table }.mu(1).unwrap();
        assert!(turned.value > 1.2, "{turned:?}");
    }

    #[test]
    fn nothing_is_proved_where_the_tables_do_not_differ() {
        let outcomes = normal_runs(0.0, 10_000);
        assert!(outcomes.mu(1).unwrap().value.abs() < f64::EPSILON);
        let delta = Delta::new(1e-9).unwrap();
        assert!(outcomes.epsilon(delta, 1).unwrap().value.abs() < f64::EPSILON);
        assert_eq!(Outcomes::default().mu(1), None);
    }

    #[test]
    fn randomized_response_proves_its_epsilon() {
        // Says the truth with probability e / (1 + e).
        let mut rng = SmallRng::seed_from_u64(3);
        let mut draw =
            |share: f64| -> Vec<f64> { (0..40_000).map(|_| f64::from(u8::from(rng.random_bool(share)))).collect() };
        let truth = 1.0 / (1.0 + (-1.0_f64).exp());
        let outcomes = Outcomes { table: draw(1.0 - truth), neighbour: draw(truth) };
        let bound = outcomes.epsilon(Delta::ZERO, 1).unwrap().value;
        assert!((0.93..1.0).contains(&bound), "{bound}");
    }

    #[test]
    fn many_statistics_share_the_level() {
        let outcomes = normal_runs(1.0, 2_000);
        assert!(outcomes.mu(20).unwrap().value < outcomes.mu(1).unwrap().value);
    }

    #[test]
    fn a_perfect_attack_proves_what_is_provable() {
        let outcomes = Outcomes { table: vec![0.0; 1000], neighbour: vec![1.0; 1000] };
        let (mu, epsilon) = provable(1000, Delta::ZERO);
        assert!((outcomes.mu(1).unwrap().value - mu).abs() < 1e-9);
        assert!((outcomes.epsilon(Delta::ZERO, 1).unwrap().value - epsilon).abs() < 1e-9);
        assert!((4.0..6.0).contains(&mu) && (4.0..5.0).contains(&epsilon), "{mu} {epsilon}");
    }
}
