//! Verdicts on single numbers, and the one-line verdict on the table.

use super::{Evaluation, GroupScore, OrderScore, SubgroupScores};
use crate::marginal::subgroup::PERFECT;

/// Size of a difference beyond what chance explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Negligible,
    Small,
    Moderate,
    Large,
}

/// Excess distances from which a difference is called small, moderate and large. They are rules of
/// thumb: a distance of 0.05 puts one row in twenty into a wrong cell.
pub(crate) const VERDICT_BOUNDS: [f64; 3] = [0.01, 0.05, 0.15];

/// Maximum number of names in a list within the one-line verdict.
const MAX_NAMES: usize = 3;

impl Verdict {
    /// Returns the verdict on a distance, or on a difference of shares or correlations, beyond
    /// chance.
    pub(crate) fn of_excess(excess: f64) -> Self {
        match VERDICT_BOUNDS.iter().filter(|&&bound| excess >= bound).count() {
            0 => Self::Negligible,
            1 => Self::Small,
            2 => Self::Moderate,
            _ => Self::Large,
        }
    }

    /// Returns the verdict on a subgroup.
    pub(crate) fn of_group(group: &GroupScore) -> Self {
        if group.synthetic_rows == 0 { Self::Large } else { Self::of_excess(lacking(group)) }
    }

    /// Returns the word for the size of the difference.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Negligible => "negligible",
            Self::Small => "small",
            Self::Moderate => "moderate",
            Self::Large => "large",
        }
    }
}

/// Returns the achievable part of the full score that a subgroup misses.
fn lacking(group: &GroupScore) -> f64 {
    (group.score.achievable - group.score.value) / PERFECT
}

/// What the synthetic table can and cannot be used for.
pub(crate) struct Findings<'a> {
    /// Largest order such that tables of it and of all lower orders are near the real ones on
    /// average.
    pub(crate) near: Option<usize>,
    /// Largest order that was compared.
    pub(crate) compared: Option<usize>,
    /// Columns whose own distribution differs.
    pub(crate) columns: Vec<&'a str>,
    /// Pairs whose correlation is far from the real one.
    pub(crate) relations: Vec<String>,
    /// All subgroups, the worst first.
    pub(crate) subgroups: Vec<(&'a SubgroupScores, &'a GroupScore)>,
}

impl<'a> Findings<'a> {
    pub(crate) fn of(evaluation: &'a Evaluation) -> Self {
        let orders = &evaluation.marginals.orders;
        let is_near =
            |order: &&OrderScore| Verdict::of_excess(order.mean.value - order.mean.achievable) <= Verdict::Small;
        let columns = evaluation.marginals.columns.iter();
        let relations = evaluation.correlations.worst.iter();
        let mut subgroups: Vec<(&SubgroupScores, &GroupScore)> = evaluation
            .subgroups
            .iter()
            .flat_map(|scores| scores.groups.iter().map(move |group| (scores, group)))
            .collect();
        subgroups.sort_by(|left, right| lacking(right.1).total_cmp(&lacking(left.1)));
        Self {
            near: orders.iter().take_while(is_near).last().map(|order| order.order),
            compared: orders.last().map(|order| order.order),
            columns: columns
                .filter(|column| Verdict::of_excess(column.excess()) >= Verdict::Moderate)
                .map(|column| column.columns[0].as_str())
                .collect(),
            relations: relations
                .filter(|pair| Verdict::of_excess((pair.synthetic - pair.real).abs()) == Verdict::Large)
                .map(|pair| pair.columns.join(" × "))
                .collect(),
            subgroups,
        }
    }

    /// Returns the subgroups that are far from the real ones, the worst first.
    pub(crate) fn far_subgroups(&self) -> Vec<String> {
        let far = self.subgroups.iter().filter(|(_, group)| Verdict::of_group(group) == Verdict::Large);
        far.map(|(scores, group)| format!("{}: {}", scores.column, group.value)).collect()
    }

    /// Returns the findings in one line.
    pub(crate) fn line(&self) -> String {
        let use_for = match (self.near, self.compared) {
            (None, _) => "not usable: not even single columns are near the real ones".to_owned(),
            (Some(near), Some(compared)) if near == compared => {
                format!("usable for counts by {}, the most that was compared", columns(near))
            }
            (Some(near), _) => format!("usable for counts by {}, not by more", columns(near)),
        };
        let subgroups = self.far_subgroups();
        let off = [
            (!self.columns.is_empty()).then(|| format!("off by themselves: {}", listed(&self.columns, MAX_NAMES))),
            (!self.relations.is_empty()).then(|| format!("relations far off: {}", listed(&self.relations, MAX_NAMES))),
            (!subgroups.is_empty())
                .then(|| format!("subgroups far off: {} of {}", subgroups.len(), self.subgroups.len())),
        ];
        std::iter::once(use_for).chain(off.into_iter().flatten()).collect::<Vec<_>>().join("; ")
    }
}

fn columns(order: usize) -> String {
    if order == 1 { "one column".into() } else { format!("up to {order} columns together") }
}

/// Lists the first `max` names, and states how many more there are.
pub(crate) fn listed<T: AsRef<str>>(names: &[T], max: usize) -> String {
    let shown: Vec<&str> = names.iter().take(max).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(max) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_excess_is_never_a_better_verdict() {
        let verdicts = [-1.0, 0.0, 0.01, 0.049, 0.05, 0.15, 1.0].map(Verdict::of_excess);
        assert!(verdicts.is_sorted());
        assert_eq!(
            (verdicts[1], verdicts[2], verdicts[4], verdicts[6]),
            (Verdict::Negligible, Verdict::Small, Verdict::Moderate, Verdict::Large)
        );
    }

    #[test]
    fn the_line_says_what_to_use_and_what_not() {
        let line = |near, columns: &[&'static str]| {
            let relations = vec!["a × b".to_owned()];
            Findings { near, compared: Some(5), columns: columns.to_vec(), relations, subgroups: Vec::new() }.line()
        };
        assert_eq!(
            line(None, &[]),
            "not usable: not even single columns are near the real ones; relations far off: a × b"
        );
        assert_eq!(
            line(Some(3), &["w", "x", "y", "z"]),
            "usable for counts by up to 3 columns together, not by more; off by themselves: w, x, y and 1 more; relations \
             far off: a × b"
        );
        assert!(
            line(Some(5), &[]).starts_with("usable for counts by up to 5 columns together, the most that was compared")
        );
        assert!(line(Some(1), &[]).starts_with("usable for counts by one column, not by more"));
    }
}
