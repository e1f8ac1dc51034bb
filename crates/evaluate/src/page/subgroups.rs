//! Scores of subgroups.

use maud::{Markup, html};
use scumble_report::page::{Column, Table, grouped, text};

use super::{verdict, whole};
use crate::evaluation::{SubgroupScores, Verdict};

pub(super) fn section(subgroups: &[SubgroupScores]) -> Markup {
    html! {
        p {
            "The rows of a subgroup are compared by themselves, on a hundred tables over three columns. The score is 1,000 if \
             the tables of both subgroups agree. Small subgroups score less even by chance; what counts is how far a score is \
             below the achievable one."
        }
        @if subgroups.is_empty() {
            p { "No column has few enough values to make subgroups; name one with " code { "--subgroup" } "." }
        }
        @for scores in subgroups { (table(scores)) }
    }
}

fn table(scores: &SubgroupScores) -> Table {
    let mut table = Table::new(
        format!("By {}", scores.column),
        [
            Column::text(&scores.column),
            Column::text("difference"),
            Column::number("score"),
            Column::number("achievable"),
            Column::number("real rows"),
            Column::number("synthetic rows"),
        ],
    );
    for group in &scores.groups {
        table.row([
            text(&group.value),
            if group.synthetic_rows == 0 { text("all missing") } else { verdict::show(Verdict::of_group(group)) },
            text(whole(group.score.value)),
            text(whole(group.score.achievable)),
            text(grouped(group.real_rows.into())),
            text(grouped(group.synthetic_rows.into())),
        ]);
    }
    table
}
