//! Overview: every score, and what to trust.

use maud::{Markup, html};
use scumble_report::page::{Column, Table, text};

use super::{decimal, verdict, whole};
use crate::evaluation::{Evaluation, Findings, Measured, Verdict, listed, mean};
use crate::{nist, subgroup};

/// Maximum number of names in a list.
const MAX_NAMES: usize = 6;

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
        "Every score, and the achievable one",
        [Column::text("what"), Column::text("difference"), Column::number("synthetic"), Column::number("achievable")],
    );
    for Line { name, link, shown: [value, achievable], verdict } in &lines {
        table.row([html! { a href={ "#" (link) } { (name) } }, verdict::show(*verdict), text(value), text(achievable)]);
    }
    html! {
        p {
            "No table equals another sample of itself. So every score is shown with the achievable one: the score of rows drawn \
             from the real table, as many as the synthetic table has. Where the difference beyond that is negligible or small, \
             results of the synthetic table can be used. Where it is moderate, they should be checked against the real table; \
             where it is large, they should not be relied on."
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

/// Returns the lines of learners and tests, if these were run.
fn later_lines(evaluation: &Evaluation) -> Vec<Line> {
    let mut lines = Vec::new();
    if let Some(scores) = &evaluation.learning {
        let learners = || scores.targets.iter().flat_map(|target| [&target.linear, &target.forest]);
        let value = mean(learners().map(|learner| learner.synthetic_trained.accuracy));
        let achievable = mean(learners().map(|learner| learner.real_trained.accuracy));
        lines.push(Line::share("predictions that are right", "learning", Measured { value, achievable }));
    }
    if let Some(tests) = &evaluation.chi_square {
        let same = tests.synthetic.agreeing.zip(tests.achievable.agreeing);
        let line = |(value, achievable)| {
            Line::share(
                "chi-square tests that conclude the same on both tables",
                "chi-square",
                Measured { value, achievable },
            )
        };
        lines.extend(same.map(line));
    }
    if let Some(scores) = &evaluation.propensity {
        // An area of 0.5 is guessing: 0.5 to 1 becomes 0 to 1.
        let scaled = |auc: f64| 2.0 * (auc - 0.5).max(0.0);
        let forest = &scores.forest;
        let auc = Measured { value: scaled(forest.auc), achievable: scaled(forest.achievable_auc) };
        lines.push(Line::distance("how well rows are distinguished (0 not, 1 always)".into(), "propensity", auc));
    }
    lines
}

impl Line {
    /// Returns the line of a share that should be large.
    fn share(name: &str, link: &'static str, Measured { value, achievable }: Measured) -> Self {
        let shown = [value, achievable].map(|number| decimal(number).into_string());
        Self { name: name.into(), link, shown, verdict: Verdict::of_excess(achievable - value) }
    }

    /// Returns the line of a distance, which should be small.
    fn distance(name: String, link: &'static str, Measured { value, achievable }: Measured) -> Self {
        let shown = [value, achievable].map(|number| decimal(number).into_string());
        Self { name, link, shown, verdict: Verdict::of_excess(value - achievable) }
    }

    /// Returns the line of a score that should be near `perfect`.
    fn score(name: String, link: &'static str, Measured { value, achievable }: Measured, perfect: f64) -> Self {
        let verdict = Verdict::of_excess((achievable - value) / perfect);
        Self { name, link, shown: [value, achievable].map(whole), verdict }
    }
}

/// Returns the advice on what to trust.
fn advice(evaluation: &Evaluation) -> Markup {
    let findings = Findings::of(evaluation);
    let Findings { columns: far, relations: lost, subgroups: groups, .. } = &findings;
    let far_groups = findings.far_subgroups();
    html! {
        h3 { "What to trust, and what not" }
        ul {
            li { (trusted(&findings)) }
            @if !far.is_empty() { li { "These columns by themselves differ: " (listed(far, MAX_NAMES)) "." } }
            @if !lost.is_empty() { li { "These relations are far from the real ones: " (listed(lost, MAX_NAMES)) "." } }
            @if !far_groups.is_empty() {
                li { "Of " (groups.len()) " subgroups " (far_groups.len()) " are far from the real ones, the worst first: "
                     (listed(&far_groups, MAX_NAMES)) "." }
            }
            li { "Single tables may be worse than the average; the worst are " a href="#tables" { "listed" } "." }
        }
    }
}

/// States up to which number of columns tables can be used.
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
            "Tables over up to {order} columns are near the real ones on average, and counts and shares over them can be used. \
             Tables over more columns are not."
        ),
    }
}
