//! Distances of tables over few columns.

use maud::{Markup, html};
use scumble_report::page::{Column, Figure, Table, details, text};

use super::bars::{Bar, bars};
use super::{decimal, verdict};
use crate::evaluation::{MarginalScores, OrderScore, TableScore, Verdict};

/// Number of columns that are listed outside the folded part.
const UNFOLDED_COLUMNS: usize = 10;

pub(super) fn section(scores: &MarginalScores) -> Markup {
    html! {
        p {
            "A table counts how many rows have each combination of values of its columns. The distance of two tables is the \
             share of rows that are in another cell: 0 if they agree, 1 if they have nothing in common."
        }
        (Figure::new(by_order(scores), html! {
            "Mean distance of tables, by number of columns. The black mark is the distance that rows drawn from the real table \
             have by chance; the thin line goes on to the largest distance. A table over many columns has many cells with few \
             rows, so chance alone puts it farther away."
        }))
        (orders(scores))
        (worst(scores))
        (columns(scores))
    }
}

fn columns_of(order: usize) -> String {
    if order == 1 { "1 column".into() } else { format!("{order} columns") }
}

fn by_order(scores: &MarginalScores) -> String {
    let bar = |order: &OrderScore| Bar {
        label: columns_of(order.order),
        value: order.mean,
        largest: Some(order.largest.value),
    };
    bars("Mean distance of tables, by the number of their columns", &scores.orders.iter().map(bar).collect::<Vec<_>>())
}

fn orders(scores: &MarginalScores) -> Markup {
    let mut table = Table::new(
        "Distances by the number of columns",
        [
            Column::text("tables over"),
            Column::number("tables"),
            Column::number("mean"),
            Column::number("by chance"),
            Column::number("largest"),
            Column::text("largest of"),
        ],
    );
    for order in &scores.orders {
        table.row([
            text(columns_of(order.order)),
            text(order.tables),
            decimal(order.mean.value),
            decimal(order.mean.achievable),
            decimal(order.largest.value),
            text(order.largest_of.join(" × ")),
        ]);
    }
    html! { (table) }
}

fn distances(caption: &str, heading: &str, scores: &[&TableScore]) -> Table {
    let mut table = Table::new(
        caption,
        [Column::text(heading), Column::text("difference"), Column::number("distance"), Column::number("by chance")],
    );
    for score in scores {
        let verdict = Verdict::of_excess(score.excess());
        table.row([
            text(score.columns.join(" × ")),
            verdict::show(verdict),
            decimal(score.distance.value),
            decimal(score.distance.achievable),
        ]);
    }
    table
}

fn worst(scores: &MarginalScores) -> Markup {
    let orders: Vec<&OrderScore> = scores.orders.iter().filter(|order| order.order > 1).collect();
    html! {
        @if !orders.is_empty() {
            h3 { "Worst tables" }
            p { "Those whose distance is farthest beyond what chance explains. Questions about these columns together should not be \
                 answered from the synthetic table." }
            @for order in orders {
                @let of_order: Vec<&TableScore> = scores.worst.iter().filter(|table| table.columns.len() == order.order).collect();
                @let table = distances(&format!("Over {}", columns_of(order.order)), "columns", &of_order);
                @if order.order == 2 { (table) } @else { (details(text(format!("Worst tables over {}", columns_of(order.order))), table)) }
            }
        }
    }
}

fn columns(scores: &MarginalScores) -> Markup {
    let mut sorted: Vec<&TableScore> = scores.columns.iter().collect();
    sorted.sort_by(|left, right| right.excess().total_cmp(&left.excess()));
    let (first, rest) = sorted.split_at(sorted.len().min(UNFOLDED_COLUMNS));
    html! {
        @if !first.is_empty() {
            h3 { "Single columns" }
            (distances("Columns by themselves, the farthest first", "column", first))
            @if !rest.is_empty() { (details(text("The other columns"), distances("The other columns", "column", rest))) }
        }
    }
}
