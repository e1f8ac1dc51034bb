//! What is good, what is not, and where not to trust the table.

use maud::{Markup, html};
use scumble_report::page::{Column, Table, text};

use super::{decimal, verdict, whole};
use crate::evaluation::{Beside, Evaluation, Findings, Verdict, mean};
use crate::{nist, subgroup};

/// One line of the overview.
struct Line {
    name: String,
    link: &'static str,
    shown: [String; 2],
    verdict: Verdict,
}

pub(super) fn section(evaluation: &Evaluation) -> Markup {
    let lines = lines(evaluation);
    let mut table = Table::new(
        "Every score beside what can be achieved",
        [Column::text("what"), Column::text("difference"), Column::number("synthetic"), Column::number("achievable")],
    );
    for Line { name, link, shown: [value, achievable], verdict } in &lines {
        table.row([html! { a href={ "#" (link) } { (name) } }, verdict::show(*verdict), text(value), text(achievable)]);
    }
    html! {
        p {
            "No table is equal to another sample of itself. So every score stands beside what can be achieved: the score of rows \
             drawn from the real table itself, as many as there are synthetic rows. Where the difference beyond \
             that is negligible or small, results of the synthetic table can be used. Where it is moderate, they should be checked \
             against the real table; where it is large, they should not be relied on."
        }
        (table)
        (advice(evaluation))
    }
}

fn lines(evaluation: &Evaluation) -> Vec<Line> {
    let mut lines = Vec::new();
    for order in &evaluation.marginals.orders {
        let name = match order.order {
            1 => "distance of single columns".into(),
            order => format!("distance of tables over {order} columns"),
        };
        lines.push(Line::distance(name, "tables", order.mean));
    }
    if let Some(difference) = evaluation.correlations.mean_difference {
        lines.push(Line::distance("difference of correlations".into(), "correlations", difference));
    }
    if let Some((scores, group)) = Findings::of(evaluation).subgroups.first() {
        let name = format!("score of the worst subgroup, {}: {}", scores.column, group.value);
        lines.push(Line::score(name, "subgroups", group.score, subgroup::PERFECT));
    }
    lines.extend(later_lines(evaluation));
    lines.push(Line::score("NIST: clustering".into(), "nist", evaluation.nist.clustering, nist::PERFECT));
    lines.push(Line::score("NIST: classification".into(), "nist", evaluation.nist.classification, nist::PERFECT));
    if let Some(regression) = &evaluation.nist.regression {
        lines.push(Line::score("NIST: regression".into(), "nist", regression.score, nist::PERFECT));
    }
    lines
}

/// Learners and tests, if they were asked for.
fn later_lines(evaluation: &Evaluation) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(scores) = &evaluation.learning {
        let learners = || scores.targets.iter().flat_map(|target| [&target.linear, &target.forest]);
        let value = mean(learners().map(|learner| learner.synthetic_trained.accuracy));
        let achievable = mean(learners().map(|learner| learner.real_trained.accuracy));
        lines.push(Line::share("predictions that are right", "learning", Beside { value, achievable }));
    }
    if let Some(tests) = &evaluation.chi_square {
        let same = tests.synthetic.agreeing.zip(tests.achievable.agreeing);
        let line = |(value, achievable)| {
            Line::share(
                "chi-square tests that conclude the same on both tables",
                "chi-square",
                Beside { value, achievable },
            )
        };
        lines.extend(same.map(line));
    }
    if let Some(scores) = &evaluation.propensity {
        // From one half, where nothing is told, to one.
        let told = |auc: f64| 2.0 * (auc - 0.5).max(0.0);
        let forest = &scores.forest;
        let told = Beside { value: told(forest.auc), achievable: told(forest.achievable_auc) };
        lines.push(Line::distance("how well rows are told apart (0 not, 1 always)".into(), "propensity", told));
    }
    lines
}

impl Line {
    /// Of a share that should be large.
    fn share(name: &str, link: &'static str, Beside { value, achievable }: Beside) -> Self {
        let shown = [value, achievable].map(|number| decimal(number).into_string());
        Self { name: name.into(), link, shown, verdict: Verdict::of_excess(achievable - value) }
    }

    /// Of something that should be small.
    fn distance(name: String, link: &'static str, Beside { value, achievable }: Beside) -> Self {
        let shown = [value, achievable].map(|number| decimal(number).into_string());
        Self { name, link, shown, verdict: Verdict::of_excess(value - achievable) }
    }

    /// Of something that should be near `perfect`.
    fn score(name: String, link: &'static str, Beside { value, achievable }: Beside, perfect: f64) -> Self {
        let verdict = Verdict::of_excess((achievable - value) / perfect);
        Self { name, link, shown: [value, achievable].map(whole), verdict }
    }
}

/// What to do with it, in sentences.
fn advice(evaluation: &Evaluation) -> Markup {
    let findings = Findings::of(evaluation);
    let Findings { columns: far, relations: lost, subgroups: groups, .. } = &findings;
    let far_groups = findings.far_subgroups();
    html! {
        h3 { "What to trust, and what not" }
        ul {
            li { (trusted(&findings)) }
            @if !far.is_empty() { li { "These columns by themselves differ: " (listed(far)) "." } }
            @if !lost.is_empty() { li { "These relations are far from the real ones: " (listed(lost)) "." } }
            @if !far_groups.is_empty() {
                li { "Of " (groups.len()) " subgroups " (far_groups.len()) " are far from the real ones, the worst first: "
                     (listed(&far_groups)) "." }
            }
            li { "Single tables may be worse than the average; the worst are " a href="#tables" { "listed" } "." }
        }
    }
}

/// Up to how many columns tables can be used.
fn trusted(findings: &Findings<'_>) -> String {
    let all = findings.compared;
    match findings.near {
        None => "Not even single columns are near the real ones on average: counts of the synthetic table should not be used."
            .into(),
        Some(1) if all != Some(1) => "Single columns are near the real ones on average, and tables over more columns are not: \
                                      only counts by one column should be used."
            .into(),
        Some(1) => "Single columns are near the real ones on average.".into(),
        order if order == all => "Tables over all numbers of columns that were compared are near the real ones on average.".into(),
        Some(order) => format!(
            "Tables over up to {order} columns are near the real ones on average: counts and shares of so many columns together \
             can be used. Those over more columns are not."
        ),
    }
}

/// The first few, and how many more there are.
fn listed<T: AsRef<str>>(names: &[T]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
