//! Audits as text.

use std::fmt::{self, Display, Formatter};

use crate::black_box::{ProgramAudit, Prospect};
use crate::statistic::Bound;
use crate::white_box::{MethodAudit, PhaseAudit};

/// What an audit says if no bound is above its claim.
pub(crate) const HOLDS: &str = "No attack proves more than is claimed.";
/// What it says otherwise.
pub(crate) const FALSE: &str = "AN ATTACK PROVES MORE THAN IS CLAIMED: the guarantee is false. Please report it.";

/// Formats a bound and its share of the claim. Where the runs on both tables released the same, as
/// far as the first of them show, there is no test and no bound.
pub(crate) fn bound(bound: Option<Bound>, claim: f64) -> String {
    match bound {
        None => "nothing".into(),
        Some(bound) if claim > 0.0 => format!("{:.3} ({:.0} %)", bound.value, 100.0 * bound.value / claim),
        Some(bound) => format!("{:.3}", bound.value),
    }
}

/// Formats a claim.
pub(crate) fn claim(claim: f64) -> String {
    if claim.is_finite() { format!("{claim:.3}") } else { "none".into() }
}

/// Returns the name of what a phase audit is about.
pub(crate) fn phase_name(audit: &PhaseAudit) -> &'static str {
    audit.phase.map_or("all releases", |phase| phase.name())
}

impl Display for MethodAudit {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if self.reads_real_rows {
            writeln!(formatter, "{}\n", crate::NOT_PRIVATE)?;
        }
        let Self { method, goal, accounting, .. } = self;
        writeln!(
            formatter,
            "Audit of `{method}` at epsilon {}, delta {}, under {accounting}: the likelihood ratio of all releases",
            goal.epsilon, goal.delta
        )?;
        for pair in &self.pairs {
            writeln!(formatter, "\n{} ({} fits of each of the two tables)", pair.pair, pair.runs)?;
            writeln!(
                formatter,
                "  {:<14} {:>10} {:>14} {:>12} {:>14} {:>10}",
                "", "claimed mu", "proved mu", "claimed eps", "proved eps", "at stake"
            )?;
            for audit in std::iter::once(&pair.whole).chain(&pair.phases) {
                let mu = |text: String| if audit.claim.mu.is_some() { text } else { "-".into() };
                writeln!(
                    formatter,
                    "  {:<14} {:>10} {:>14} {:>12} {:>14} {:>8.0} %",
                    phase_name(audit),
                    mu(claim(audit.claim.mu.unwrap_or_default())),
                    mu(bound(audit.mu, audit.claim.mu.unwrap_or_default())),
                    claim(audit.claim.epsilon),
                    bound(audit.epsilon, audit.claim.epsilon),
                    100.0 * audit.used
                )?;
            }
        }
        writeln!(formatter, "\nProved: lower bounds of 99.9 % confidence. At stake: the share of the cost that the")?;
        writeln!(formatter, "distance between the two tables uses; the rest pays for other tables.")?;
        formatter.write_str(if self.holds() { HOLDS } else { FALSE })
    }
}

impl Display for Prospect {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} runs on each table can prove at most mu {:.2} and epsilon {:.2}",
            self.runs, self.largest_mu, self.largest_epsilon
        )?;
        match self.expected_mu {
            Some(expected) => write!(formatter, "; a perfect attack on a tight guarantee would prove mu {expected:.3}"),
            None => Ok(()),
        }
    }
}

impl Display for ProgramAudit {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { method, goal, prospect, claimed_mu, .. } = self;
        writeln!(
            formatter,
            "Audit of the program, `{method}` at epsilon {}, delta {}: attacks on what it writes\n{prospect}\n",
            goal.epsilon, goal.delta
        )?;
        writeln!(formatter, "  {:<30} {:>14} {:>14}", "", "proved mu", "proved eps")?;
        for attack in &self.attacks {
            let mu = claimed_mu.map_or("-".into(), |claim| bound(attack.mu, claim));
            let epsilon = bound(attack.epsilon, goal.epsilon.get());
            writeln!(formatter, "  {:<30} {mu:>14} {epsilon:>14}", attack.attack.name())?;
        }
        let claimed = claimed_mu.map_or("-".into(), claim);
        writeln!(formatter, "  {:<30} {claimed:>14} {:>14}\n", "claimed", claim(goal.epsilon.get()))?;
        formatter.write_str(if self.holds { HOLDS } else { FALSE })
    }
}
