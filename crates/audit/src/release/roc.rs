//! How well a score separates members from control rows.

use serde::Serialize;

use super::claim::Claim;
use crate::statistic::{LEVEL, binomial, normal};

/// Probability that an interval misses the truth: 95 % confidence.
const MISS: f64 = 0.05;
/// False positive rates at which true positives are counted.
pub const FALSE_POSITIVE_RATES: [f64; 2] = [0.01, 0.001];

/// An estimate with its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// True positive rate of an attack that may raise few false alarms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TruePositives {
    /// Maximum share of control rows taken for members.
    pub false_positives: f64,
    /// Share of members that are found. Its interval allows for chance in the false alarms, too.
    pub rate: Estimate,
}

/// Rows of both sides that a test takes for members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// Number of members.
    pub members: u64,
    /// Number of those that are hit.
    pub member_hits: u64,
    /// Number of control rows.
    pub control: u64,
    /// Number of those that are hit.
    pub control_hits: u64,
}

/// Scores of targets. A large score speaks for a member.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Scores {
    pub(super) members: Vec<f64>,
    pub(super) control: Vec<f64>,
}

impl Scores {
    /// Splits the scores of the members followed by the control rows.
    pub(super) fn split(mut scores: Vec<f64>, members: usize) -> Self {
        let control = scores.split_off(members);
        Self { members: scores, control }
    }

    /// Returns the area under the curve: the probability that a member scores above a control row,
    /// with ties as one half.
    ///
    /// # Reference
    /// `DeLong`, `DeLong`, Clarke-Pearson, Comparing the areas under two or more correlated
    /// receiver operating characteristic curves, Biometrics 44, 1988; computed from ranks as in
    /// Sun, Xu, Fast implementation of `DeLong`'s algorithm, IEEE Signal Processing Letters 21,
    /// 2014.
    pub(super) fn auc(&self) -> Estimate {
        let both: Vec<f64> = self.members.iter().chain(&self.control).copied().collect();
        let ranks = ranks(&both);
        let (of_members, of_control) = ranks.split_at(self.members.len());
        let [members, control] = [self.members.len(), self.control.len()].map(|rows| rows as f64);
        // Share of the other side that each target beats.
        let beaten = |among_all: &[f64], among_own: &[f64], others: f64| -> Vec<f64> {
            among_all.iter().zip(among_own).map(|(all, own)| (all - own) / others).collect()
        };
        let wins = beaten(of_members, &self::ranks(&self.members), control);
        let losses = beaten(of_control, &self::ranks(&self.control), members);
        let value = mean(&wins);
        let deviation = (variance(&wins) / members + variance(&losses) / control).sqrt();
        let reach = -normal::quantile(MISS / 2.0) * deviation;
        let (mut low, mut high) = ((value - reach).max(0.0), (value + reach).min(1.0));
        // Perfect separation has no variance. Still, pairs of different targets are independent, so
        // as many trials as the smaller side has targets came out the same.
        let pairs = self.members.len().min(self.control.len()) as u64;
        if value >= 1.0 {
            low = binomial::lower_bound(pairs, pairs, MISS / 2.0);
        } else if value <= 0.0 {
            high = binomial::upper_bound(0, pairs, MISS / 2.0);
        }
        Estimate { value, low, high }
    }

    /// Returns the true positive rates at [`FALSE_POSITIVE_RATES`], where one false positive is not
    /// too many.
    pub(super) fn true_positives(&self) -> Vec<TruePositives> {
        FALSE_POSITIVE_RATES.into_iter().filter_map(|rate| self.true_positives_at(rate)).collect()
    }

    /// Chance has a part in both rates: how many control rows are above a threshold, and how many
    /// members. Each gets half of what the interval may miss.
    fn true_positives_at(&self, false_positives: f64) -> Option<TruePositives> {
        let allowed = largest_count(self.control.len(), false_positives);
        if allowed == 0 {
            return None;
        }
        let mut control = self.control.clone();
        control.sort_by(|one, other| other.total_cmp(one));
        // Everything above the first control row that is one too many.
        let hits = |alarms: usize| {
            let threshold = control.get(alarms).copied().unwrap_or(f64::NEG_INFINITY);
            above(&self.members, threshold)
        };
        let (members, rows, level) = (self.members.len() as u64, control.len(), MISS / 4.0);
        // Numbers of alarms of thresholds that surely raise no more false alarms, and of those that
        // may.
        let last = |bound: fn(u64, u64, f64) -> f64| {
            (0..=rows).take_while(|&alarms| bound(alarms as u64, rows as u64, level) <= false_positives).last()
        };
        let low = last(binomial::upper_bound).map_or(0.0, |alarms| binomial::lower_bound(hits(alarms), members, level));
        let high =
            last(binomial::lower_bound).map_or(1.0, |alarms| binomial::upper_bound(hits(alarms), members, level));
        let value = hits(allowed) as f64 / members.max(1) as f64;
        Some(TruePositives { false_positives, rate: Estimate { value, low, high } })
    }

    /// Counts the hits of the threshold with the largest advantage. It is chosen on every other
    /// target, and judged on the rest: chosen and judged on the same ones, it would find an
    /// advantage in noise.
    pub(super) fn best_threshold(&self) -> Hits {
        let half = |parity: usize| {
            let part = |scores: &[f64]| scores.iter().skip(parity).step_by(2).copied().collect();
            Self { members: part(&self.members), control: part(&self.control) }
        };
        let (choosing, judged) = (half(0), half(1));
        let threshold = choosing.threshold();
        Hits {
            members: judged.members.len() as u64,
            member_hits: above(&judged.members, threshold),
            control: judged.control.len() as u64,
            control_hits: above(&judged.control, threshold),
        }
    }

    /// Returns the threshold with the largest advantage: halfway between two scores, so that it
    /// separates other scores too.
    fn threshold(&self) -> f64 {
        let labelled = |scores: &[f64], weight: f64| scores.iter().map(|&score| (score, weight)).collect::<Vec<_>>();
        let [members, control] = [&self.members, &self.control].map(|scores| 1.0 / scores.len().max(1) as f64);
        let mut all = [labelled(&self.members, members), labelled(&self.control, -control)].concat();
        all.sort_by(|one, other| other.0.total_cmp(&one.0));
        let (mut best, mut threshold, mut advantage) = (f64::NEG_INFINITY, f64::INFINITY, 0.0);
        for (position, &(score, weight)) in all.iter().enumerate() {
            advantage += weight;
            let Some(&(next, _)) = all.get(position + 1) else { break };
            if next < score && advantage > best {
                (best, threshold) = (advantage, f64::midpoint(score, next));
            }
        }
        threshold
    }
}

impl Hits {
    /// Returns the share of members that are hit, with the interval of Clopper and Pearson.
    pub fn of_members(&self) -> Estimate {
        rate(self.member_hits, self.members)
    }

    /// Returns the share of control rows that are hit, with the interval of Clopper and Pearson.
    pub fn of_control(&self) -> Estimate {
        rate(self.control_hits, self.control)
    }

    /// Returns the share of members less that of control rows.
    ///
    /// # Reference
    /// Newcombe, Interval estimation for the difference between independent proportions, Statistics
    /// in Medicine 17, 1998: method 10.
    pub fn difference(&self) -> Estimate {
        let [members, control] = [(self.member_hits, self.members), (self.control_hits, self.control)]
            .map(|(hits, rows)| wilson(hits, rows));
        let value = members.value - control.value;
        let below = (members.value - members.low).hypot(control.high - control.value);
        let above = (members.high - members.value).hypot(control.value - control.low);
        Estimate { value, low: value - below, high: value + above }
    }

    /// Returns whether the claim allows no test with these rates: neither, within bounds of 99.9 %
    /// confidence, which `tried` tests share.
    pub fn exceed(&self, claim: Claim, tried: usize) -> bool {
        let level = LEVEL / (2.0 * tried.max(1) as f64);
        let found = binomial::lower_bound(self.member_hits, self.members, level);
        found > claim.true_positives(binomial::upper_bound(self.control_hits, self.control, level))
    }
}

/// Returns the largest number of `rows` whose share is at most `rate`.
fn largest_count(rows: usize, rate: f64) -> usize {
    // 0.001 of 1,000 rows is slightly below one in floating point.
    (0..=rows).take_while(|&count| count as f64 <= rate * rows as f64 * (1.0 + 1e-9)).last().unwrap_or(0)
}

fn above(scores: &[f64], threshold: f64) -> u64 {
    scores.iter().filter(|&&score| score > threshold).count() as u64
}

/// Returns a share with the interval of Clopper and Pearson.
fn rate(hits: u64, rows: u64) -> Estimate {
    let [low, high] = [binomial::lower_bound, binomial::upper_bound].map(|bound| bound(hits, rows, MISS / 2.0));
    Estimate { value: hits as f64 / rows.max(1) as f64, low, high }
}

/// Returns a share with the score interval of Wilson.
fn wilson(hits: u64, rows: u64) -> Estimate {
    let (rows, square) = (rows.max(1) as f64, normal::quantile(MISS / 2.0).powi(2));
    let value = hits as f64 / rows;
    let middle = (value + square / (2.0 * rows)) / (1.0 + square / rows);
    let reach = (square * (value * (1.0 - value) + square / (4.0 * rows)) / rows).sqrt() / (1.0 + square / rows);
    Estimate { value, low: middle - reach, high: middle + reach }
}

/// Returns the rank of each value, from one up; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for group in order.chunk_by(|&one, &other| values[one] >= values[other]) {
        for &place in group {
            ranks[place] = before as f64 + (group.len() + 1) as f64 / 2.0;
        }
        before += group.len();
    }
    ranks
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns the variance of a sample; zero for one value.
fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / values.len().saturating_sub(1).max(1) as f64
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};
    use scumble_vault::{Delta, Epsilon};

    use super::*;

    /// Number of simulated audits in a test of coverage.
    const AUDITS: u64 = 400;
    /// Smallest share of intervals that must cover the truth: 95 % less 4.6 standard deviations of
    /// 400 draws, a false alarm below 1e-5.
    const COVERED: f64 = 0.90;

    fn scores(members: &[f64], control: &[f64]) -> Scores {
        Scores { members: members.to_vec(), control: control.to_vec() }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 5e-5, "{found} instead of {expected}");
    }

    fn normal_scores(mu: f64, rows: usize, seed: u64) -> Scores {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut draw =
            |mean: f64| (0..rows).map(|_| mean + normal::quantile(rng.random_range(1e-12..1.0))).collect::<Vec<_>>();
        Scores { members: draw(mu), control: draw(0.0) }
    }

    #[test]
    fn the_area_counts_pairs_and_half_of_the_ties() {
        // Of nine pairs members win seven and tie one. Variances 1/12 and 1/36, over three each.
        let auc = scores(&[3.0, 5.0, 6.0], &[1.0, 3.0, 4.0]).auc();
        near(auc.value, 7.5 / 9.0);
        near(auc.low, 7.5 / 9.0 - 1.959_96 * (1.0_f64 / 27.0).sqrt());
        near(auc.high, 1.0);
        near(scores(&[1.0, 1.0], &[1.0, 1.0, 1.0]).auc().value, 0.5);
    }

    #[test]
    fn perfect_separation_proves_no_certainty() {
        let [low, high] = [vec![0.0; 100], vec![1.0; 200]];
        let auc = scores(&high, &low).auc();
        // 100 independent pairs: 0.025^(1/100).
        assert!((auc.value - 1.0).abs() < 1e-12 && (auc.low - 0.963_78).abs() < 1e-5, "{auc:?}");
        let turned = scores(&low, &high).auc();
        assert!(turned.value.abs() < 1e-12 && (turned.high - 0.036_22).abs() < 1e-5, "{turned:?}");
    }

    #[test]
    fn intervals_of_the_area_cover_it() {
        // The area of two normal numbers one apart is Phi(1 / sqrt 2).
        for (mu, truth) in [(0.0, 0.5), (1.0, 0.760_25)] {
            let covers = |seed: &u64| {
                let auc = normal_scores(mu, 60, *seed).auc();
                auc.low <= truth && truth <= auc.high
            };
            let covered = (0..AUDITS).filter(covers).count() as f64 / AUDITS as f64;
            assert!((COVERED..0.99).contains(&covered), "{covered}");
        }
    }

    #[test]
    fn the_interval_of_a_difference_is_that_of_the_paper() {
        // Table II, row a: 56 of 70 and 48 of 80.
        let hits = Hits { members: 70, member_hits: 56, control: 80, control_hits: 48 };
        let Estimate { value, low, high } = hits.difference();
        near(value, 0.2);
        assert!((low - 0.0524).abs() < 1e-4 && (high - 0.3339).abs() < 1e-4, "{low} {high}");
    }

    #[test]
    fn intervals_of_the_advantage_cover_it() {
        // The best threshold of two normal numbers one apart is 1/2.
        let truth = 2.0 * normal::distribution(0.5) - 1.0;
        let covers = |seed: &u64| {
            let advantage = normal_scores(1.0, 2_000, 1_000 + *seed).best_threshold().difference();
            advantage.low <= truth && truth <= advantage.high
        };
        let covered = (0..100).filter(covers).count();
        // A threshold that is a little wrong costs a little advantage.
        assert!(covered >= 85, "{covered}");
    }

    #[test]
    fn a_threshold_is_not_judged_on_the_targets_that_chose_it() {
        // Noise has an advantage where it was chosen: 60 targets, 64 thresholds.
        let mean = (0..AUDITS).map(|seed| normal_scores(0.0, 60, seed).best_threshold().difference().value);
        let mean = mean.sum::<f64>() / AUDITS as f64;
        // The standard deviation of the mean is 0.13 / 20.
        assert!(mean.abs() < 0.03, "{mean}");
        let constant = scores(&[0.0; 10], &[0.0; 10]).best_threshold();
        assert_eq!((constant.member_hits, constant.control_hits), (0, 0));
    }

    #[test]
    fn true_positives_leave_few_control_rows_above() {
        let control: Vec<f64> = (0..1000).map(f64::from).collect();
        let members: Vec<f64> = (500..1500).map(f64::from).collect();
        let found = scores(&members, &control).true_positives();
        // 10 of 1,000 control rows are above 989, one is above 998.
        assert_eq!(found.iter().map(|found| found.rate.value).collect::<Vec<_>>(), [0.51, 0.501]);
        assert!(found[0].rate.low > 0.46 && found[0].rate.high < 0.56, "{found:?}");
        // Without a single alarm in 1,000, the rate may still be above 0.1 %.
        assert!(found[1].rate.low.abs() < f64::EPSILON);
        // Ties are not broken in favour of the attack.
        let tied = scores(&[1.0; 100], &[vec![0.0; 98], vec![1.0; 2]].concat()).true_positives();
        assert_eq!((tied.len(), tied[0].rate.value), (1, 0.0));
        assert!(scores(&members, &control[..99]).true_positives().is_empty());
    }

    #[test]
    fn intervals_of_true_positives_cover_them() {
        // 1 % false alarms of a normal number, and one that is a half larger.
        let truth = normal::distribution(normal::quantile(0.01) + 0.5);
        let covers = |seed: &u64| {
            let rate = normal_scores(0.5, 1_000, 5_000 + *seed).true_positives()[0].rate;
            rate.low <= truth && truth <= rate.high
        };
        let covered = (0..AUDITS).filter(covers).count() as f64 / AUDITS as f64;
        assert!(covered >= COVERED, "{covered}");
    }

    #[test]
    fn a_claim_is_exceeded_only_beyond_doubt() {
        let claim = Claim::Approximate { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::ZERO };
        // Randomized response with the epsilon of the claim, and with three times as much.
        let fair = Hits { members: 2_000, member_hits: 1_462, control: 2_000, control_hits: 538 };
        assert!(!fair.exceed(claim, 1));
        let unfair = Hits { member_hits: 1_905, control_hits: 95, ..fair };
        assert!(unfair.exceed(claim, 10));
        let few = Hits { members: 4, member_hits: 4, control: 4, control_hits: 0 };
        assert!(!few.exceed(claim, 1));
    }
}
