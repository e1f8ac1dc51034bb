//! Learners and tests: whether work with the synthetic table leads to the same results.

use maud::{Markup, html};
use scumble_report::page::{Column, Table, details, grouped, text};

use super::decimal;
use crate::evaluation::{ColumnFacts, Evaluation};
use crate::learning::propensity::PropensityScores;
use crate::learning::{LearningScores, Score};
use crate::relation::chi_square::{Agreement, ChiSquareTests, PowerCurve};

/// States that a section was not measured.
fn not_measured() -> Markup {
    html! { p { "Not measured, because of " code { "--quick" } "." } }
}

pub(super) fn learning(evaluation: &Evaluation) -> Markup {
    let Some(scores) = &evaluation.learning else { return not_measured() };
    html! {
        p {
            "Classifiers were trained to predict a column from all others, once on " (whole_of(scores.real_training_rows)) " real \
             rows and once on " (whole_of(scores.synthetic_training_rows)) " synthetic rows, and both were tested on the same "
            (whole_of(scores.test_rows)) " other real rows. The accuracy of the one trained on real rows is the achievable one; the \
             share of the most frequent value needs no learning."
        }
        (accuracies("Share of test rows that are predicted right", scores, &evaluation.columns, |score| score.accuracy))
        (details(
            text("Accuracy with every value weighted alike"),
            accuracies("Mean share over the values", scores, &evaluation.columns, |score| score.balanced_accuracy),
        ))
    }
}

fn accuracies(caption: &str, scores: &LearningScores, columns: &[ColumnFacts], of: fn(&Score) -> f64) -> Table {
    let mut table = Table::new(
        caption,
        [
            Column::text("predicted column"),
            Column::number("most frequent"),
            Column::number("linear, real"),
            Column::number("linear, synthetic"),
            Column::number("forest, real"),
            Column::number("forest, synthetic"),
        ],
    );
    for target in &scores.targets {
        let name = &columns[target.target.index()].name;
        let name = if target.grouped { format!("{name}, in {} groups", target.classes) } else { name.clone() };
        let learners = [&target.linear, &target.forest];
        let scores = learners.iter().flat_map(|learner| [&learner.real_trained, &learner.synthetic_trained]);
        let cells = std::iter::once(&target.majority).chain(scores).map(|score| decimal(of(score)));
        table.row(std::iter::once(text(name)).chain(cells));
    }
    table
}

pub(super) fn propensity(evaluation: &Evaluation) -> Markup {
    let Some(scores) = &evaluation.propensity else { return not_measured() };
    html! {
        p {
            "Learners were trained to distinguish " (whole_of(scores.real_rows)) " real from " (whole_of(scores.synthetic_rows)) " \
             synthetic rows. The area under the curve is 0.5 if they cannot, and 1 if they are always right. The pMSE is the mean \
             squared distance of their probabilities from the share of synthetic rows; divided by that of rows drawn from the \
             real table, it is near 1 if the tables cannot be distinguished."
        }
        (distinguished(scores))
        p { "That rows can be distinguished says nothing about the privacy of persons. It says that something about the rows \
             differs; the linear learner sees single columns, the forest also their relations." }
    }
}

fn distinguished(scores: &PropensityScores) -> Table {
    let mut table = Table::new(
        "How well real and synthetic rows are distinguished",
        [
            Column::text("learner"),
            Column::number("area under the curve"),
            Column::number("achievable"),
            Column::number("pMSE"),
            Column::number("expected"),
            Column::number("ratio"),
        ],
    );
    for (name, score) in [("logistic regression", &scores.linear), ("forest of trees", &scores.forest)] {
        let ratio = score.ratio.map_or_else(|| "none".into(), |ratio| format!("{ratio:.2}"));
        table.row([
            text(name),
            decimal(score.auc),
            decimal(score.achievable_auc),
            text(format!("{:.5}", score.pmse)),
            text(format!("{:.5}", score.expected)),
            text(ratio),
        ]);
    }
    table
}

pub(super) fn chi_square(evaluation: &Evaluation) -> Markup {
    let Some(tests) = &evaluation.chi_square else { return not_measured() };
    html! {
        p {
            "Chi-square tests ask whether two columns are independent. Of " (whole_of(tests.possible_pairs)) " pairs, "
            (whole_of(tests.synthetic.tested)) " were tested on " (whole_of(tests.real_rows)) " real and "
            (whole_of(tests.synthetic_rows)) " synthetic rows, at level " (tests.level) ". A relation that is real and not found in \
             the synthetic table is power lost; one that is found and not real is a false alarm."
        }
        p {
            "The achievable agreement is that of rows drawn from the real table, as many as the synthetic table has. By chance they \
             miss some relations that are just significant, and show some that do not exist, so even they do not agree with the real \
             table in every test."
        }
        (agreement(tests))
        p {
            "Rows drawn from the real table repeat its chance relations and add others, so they show more relations than the real \
             table has. The false alarms of such rows are no goal; they show how little weight a weak relation can bear."
        }
        (curves(&tests.curves, &evaluation.columns))
    }
}

/// One of the shares of tests.
type Share = fn(&Agreement) -> Option<f64>;

fn agreement(tests: &ChiSquareTests) -> Table {
    let mut table = Table::new(
        "Conclusions from the synthetic table",
        [Column::text("share of tests"), Column::number("synthetic"), Column::number("achievable")],
    );
    let significant = tests.synthetic.significant;
    let rows: [(String, Share); 3] = [
        (format!("same conclusion, of {} pairs", whole_of(tests.synthetic.tested)), |agreement| agreement.agreeing),
        (format!("power that is kept, of {} pairs that are related", whole_of(significant)), |agreement| {
            agreement.kept
        }),
        (
            format!("false alarms, of {} pairs that are not", whole_of(tests.synthetic.tested - significant)),
            |agreement| agreement.false_alarms,
        ),
    ];
    for (name, of) in rows {
        let shown = |agreement| of(agreement).map_or_else(|| text("–"), decimal);
        table.row([text(name), shown(&tests.synthetic), shown(&tests.achievable)]);
    }
    table
}

fn curves(curves: &[PowerCurve], columns: &[ColumnFacts]) -> Markup {
    let mut table = Table::new(
        "Power of a test by number of rows: the share of tests that find the relation",
        [Column::text("columns"), Column::number("rows"), Column::number("real"), Column::number("synthetic")],
    );
    for curve in curves {
        let pair = curve.columns.map(|column| columns[column.index()].name.as_str()).join(" × ");
        for point in &curve.points {
            table.row([text(&pair), text(whole_of(point.rows)), decimal(point.real), decimal(point.synthetic)]);
        }
    }
    html! { @if !table.is_empty() { (details(text("Power on few rows, from the strongest relation to the weakest"), table)) } }
}

fn whole_of(count: usize) -> String {
    grouped(count as u64)
}
