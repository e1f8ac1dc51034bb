//! An audit as plain text.

use std::fmt;

use super::{Allowed, AttributeInference, Claim, Estimate, FALSE_POSITIVE_RATES, Membership, ReleaseAudit, Structure};

impl fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.3} [{:.3}, {:.3}]", self.value, self.low, self.high)
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gaussian { mu } => write!(formatter, "mu {mu:.4}"),
            Self::Approximate { epsilon, delta } => write!(formatter, "epsilon {epsilon}, delta {delta}"),
        }
    }
}

/// Heading of a column of true positive rates.
pub(super) fn rate_heading(rate: f64) -> String {
    format!("found at {} %", 100.0 * rate)
}

/// The true positive rates of an attack, one per rate of false positives.
pub(super) fn rates(result: &Membership) -> [String; 2] {
    FALSE_POSITIVE_RATES.map(|rate| {
        let found = result.true_positives.iter().find(|found| found.false_positives.total_cmp(&rate).is_eq());
        found.map_or_else(|| "too few rows".to_owned(), |found| found.rate.to_string())
    })
}

/// Cells of an attack on membership.
pub(super) fn membership_row(result: &Membership) -> [String; 5] {
    let [one, other] = rates(result);
    let Membership { attack, auc, advantage, exceeds_claim, .. } = result;
    [marked(attack.name(), *exceeds_claim), auc.to_string(), advantage.to_string(), one, other]
}

/// Cells of what the claim allows any attack on membership.
pub(super) fn allowed_row(allowed: &Allowed) -> [String; 5] {
    let Allowed { claim, auc, advantage, true_positives: [one, other] } = allowed;
    let number = |value: &f64| format!("{value:.3}");
    [format!("allowed by {claim}"), number(auc), number(advantage), number(one), number(other)]
}

/// Cells of a guessed column.
pub(super) fn attribute_row(result: &AttributeInference) -> [String; 5] {
    let AttributeInference { name, predictor, members, control, leakage, exceeds_claim, .. } = result;
    let shares = [members, control, leakage].map(Estimate::to_string);
    let [members, control, leakage] = shares;
    [marked(name, *exceeds_claim), predictor.name().to_owned(), members, control, leakage]
}

/// Headings of attacks on membership.
pub(super) fn membership_headings() -> [String; 5] {
    let [one, other] = FALSE_POSITIVE_RATES.map(rate_heading);
    ["attack".into(), "AUC".into(), "advantage".into(), one, other]
}

/// Headings of attribute inference.
pub(super) fn attribute_headings() -> [String; 5] {
    ["column", "guessed by", "right for members", "right for control", "leakage"].map(str::to_owned)
}

/// How to read the last two columns of attacks on membership.
pub(super) const FOUND: &str =
    "Found at 1 %: the share of members found by a test that takes 1 % of the control rows for members.";

/// Marks a result that is above the claim.
fn marked(name: &str, exceeds_claim: Option<bool>) -> String {
    if exceeds_claim == Some(true) { format!("{name}: ABOVE THE CLAIM") } else { name.to_owned() }
}

/// A sentence about the rows.
pub(super) fn rows(audit: &ReleaseAudit) -> String {
    let rows = &audit.rows;
    let structure = match audit.structure {
        Structure::Model => "the model",
        Structure::LearnedTree => "a tree learned from the synthetic rows",
    };
    format!(
        "{} members against {} control rows; the attacker knows {} other control rows, {} synthetic rows and {structure}",
        rows.members, rows.control, rows.auxiliary, rows.synthetic
    )
}

/// A sentence about how to read the results.
pub(super) fn reading(audit: &ReleaseAudit) -> &'static str {
    match (audit.allowed.is_some(), audit.exceeds_claim()) {
        (_, true) => {
            "A result is above what the claim allows, beyond doubt: the claim does not hold, or members and control \
             differ in another way than by chance."
        }
        (true, false) => {
            "No result is beyond doubt above what the claim allows. That proves nothing about stronger attacks."
        }
        (false, false) => "No claim was given to compare with.",
    }
}

impl fmt::Display for ReleaseAudit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.stamp)?;
        writeln!(formatter, "{}", rows(self))?;
        let mut lines = vec![membership_headings()];
        lines.extend(self.membership.iter().map(membership_row));
        lines.extend(self.allowed.iter().map(allowed_row));
        write_table(formatter, &lines)?;
        writeln!(formatter, "{FOUND}")?;
        if !self.attributes.is_empty() {
            let mut lines = vec![attribute_headings()];
            lines.extend(self.attributes.iter().map(attribute_row));
            lines.extend(self.allowed.iter().map(|allowed| {
                let advantage = format!("{:.3}", allowed.advantage);
                [format!("allowed by {}", allowed.claim), String::new(), String::new(), String::new(), advantage]
            }));
            write_table(formatter, &lines)?;
        }
        formatter.write_str(reading(self))
    }
}

/// Writes lines of cells, each column as wide as its widest cell, after an empty line.
fn write_table(formatter: &mut fmt::Formatter<'_>, lines: &[[String; 5]]) -> fmt::Result {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(width);
    writeln!(formatter)?;
    for line in lines {
        let cells = line.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        writeln!(formatter, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}
