//! The HTML page for the steward of the real table.
//!
//! It is one file without scripts, built with `scumble_report::page`. The stamp stays visible on
//! the screen and is on every printed sheet.

mod bars;
mod correlations;
mod definitions;
mod distributions;
mod heat_map;
mod learners;
mod overview;
mod subgroups;
mod tables;
mod verdict;

use maud::{Markup, html};
use scumble_report::page::{Column, Page, Table, facts, grouped, text};

use crate::evaluation::{Evaluation, Measured, NistScores};

/// Renders an evaluation as an HTML page.
///
/// # Privacy
/// Not private, as everything in this crate. The page says so on every sheet.
pub fn steward_page(evaluation: &Evaluation) -> String {
    let lead = html! {
        p { strong { "Verdict: " } (evaluation.verdict) "." }
        p {
            "How near the synthetic table is to the real one, for the steward of the real one. All numbers were computed from \
             the real rows without noise, so this page must not be published or given to anyone who may not see these rows."
        }
    };
    let title = match &evaluation.title {
        Some(title) => format!("Evaluation: {title}"),
        None => "Evaluation of a synthetic table".into(),
    };
    Page::new(title, lead)
        .with_banner(evaluation.stamp())
        .section("columns", "Real beside synthetic, column by column", distributions::section(evaluation))
        .section("overview", "Overview", overview::section(evaluation))
        .section("tables", "Tables over one to five columns", tables::section(&evaluation.marginals))
        .section("correlations", "Relations of pairs of columns", correlations::section(evaluation))
        .section("subgroups", "Subgroups", subgroups::section(&evaluation.subgroups))
        .section("learning", "Predictions", learners::learning(evaluation))
        .section("chi-square", "Chi-square tests", learners::chi_square(evaluation))
        .section("propensity", "Distinguishing the tables", learners::propensity(evaluation))
        .section("nist", "Metrics of the NIST 2018 challenge", nist(&evaluation.nist))
        .section("definitions", "How everything is measured", definitions::section(evaluation))
        .section("facts", "Which rows, which program", about(evaluation))
        .with_foot(html! { p { (evaluation.stamp()) "." } })
        .to_html()
}

/// Formats a distance, a correlation or a share.
fn decimal(value: f64) -> Markup {
    text(format!("{value:.3}"))
}

/// Formats a count, or a score in whole points.
fn whole(value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts and scores are below 2^53 and not below zero"
    )]
    grouped(value.round() as u64)
}

fn nist(scores: &NistScores) -> Markup {
    let mut table = Table::new(
        "Scores of 1,000,000",
        [Column::text("metric"), Column::number("score"), Column::number("achievable")],
    );
    let mut add = |name: &str, score: Measured| {
        table.row([text(name), text(whole(score.value)), text(whole(score.achievable))]);
    };
    add("clustering: tables over three columns", scores.clustering);
    add("classification: frequencies of random conditions", scores.classification);
    if let Some(regression) = &scores.regression {
        add("regression: both of the following", regression.score);
        add("inequality of incomes, place by place", regression.inequality);
        add("ranks of places by the pay gap", regression.ranks);
    }
    html! {
        p { "The challenge of 2018 ranked methods by these. They allow a comparison with published results on other tables \
             only with care: the achievable scores depend on the table." }
        (table)
        @if scores.regression.is_none() {
            p { "The regression metric needs columns of income, sex and place; name them with " code { "--earnings" } "." }
        }
    }
}

fn about(evaluation: &Evaluation) -> Markup {
    let rows = &evaluation.rows;
    let sampled = if rows.real_sampled < rows.real || rows.synthetic_sampled < rows.synthetic {
        format!(
            "tables: all; the rest: {} real and {} synthetic rows, drawn at random",
            whole(rows.real_sampled.into()),
            whole(rows.synthetic_sampled.into())
        )
    } else {
        "all".into()
    };
    facts([
        ("Real rows", text(whole(rows.real.into()))),
        ("Synthetic rows", text(whole(rows.synthetic.into()))),
        ("Rows compared", text(sampled)),
        ("Columns", text(evaluation.columns.len())),
        ("Seed", text(evaluation.seed)),
        ("Program", text(format!("scumble {}", evaluation.scumble))),
        ("Private?", text(evaluation.stamp())),
    ])
}
