//! The noisy tables that were measured.

use std::collections::BTreeMap;

use maud::{Markup, html};
use scumble_mechanisms::{Model, Origin};
use scumble_schema::Clique;
use scumble_vault::Event;
use scumble_vault::account::{Mechanism, Question};

use super::number::{in_words, rows};
use crate::noisy_table::NoisyTable;
use crate::page::{Column, Table, details, text};
use crate::words::{grouped, real};

/// Maximum number of tables or releases in a list. A page with more is too large to open.
pub(super) const MAX_LISTED: usize = 1_000;
/// Maximum number of tables in a list that is not folded.
const MAX_UNFOLDED: usize = 20;

pub(super) fn section(model: &Model, tables: &[NoisyTable<'_>]) -> Markup {
    if tables.is_empty() {
        return html! {
            p {
                "No table was measured. Rows were drawn from the smoothed table over all columns, and these rows are the model."
            }
        };
    }
    let mut by_columns: BTreeMap<usize, usize> = BTreeMap::new();
    for table in tables {
        *by_columns.entry(table.clique.len()).or_default() += 1;
    }
    let listed = list(model, tables);
    let left_out = tables.len().saturating_sub(MAX_LISTED);
    html! {
        p {
            "The model is made from these noisy tables: " (kinds(&by_columns)) ". A table holds a count of rows for every "
            "combination of values of its columns. Noise was added to every count, whether it was zero or not; a table whose "
            "counts are small against their noise says little."
        }
        (choices(model))
        @if tables.len() > MAX_UNFOLDED {
            (details(html! { "All " (grouped(tables.len() as u64)) " tables" }, listed))
        } @else {
            (listed)
        }
        @if left_out > 0 { p { (grouped(left_out as u64)) " more are left out here; " code { "scumble marginals" } " writes all." } }
    }
}

/// States the number of tables by the number of their columns.
fn kinds(by_columns: &BTreeMap<usize, usize>) -> String {
    let kinds: Vec<String> = by_columns
        .iter()
        .map(|(columns, tables)| match columns {
            0 => "the number of rows".into(),
            1 => format!("{tables} of one column"),
            _ => format!("{tables} of {} columns", in_words(*columns)),
        })
        .collect();
    kinds.join(", ")
}

/// States the other releases: parities, selections and scores.
fn choices(model: &Model) -> Markup {
    let events = match model.origin() {
        Origin::Measured { certificate, .. } => certificate.events(),
        Origin::External(_) => &[],
    };
    let asked = |chosen: bool| {
        let scores = events.iter().filter(|event| matches!(event.question(), Question::Scores { .. }));
        let is_other = |event: &&Event| event.question().is_of_parities() || event.question().is_comparison();
        let scores = scores.filter(|event| !is_other(event));
        scores.filter(|event| matches!(event.mechanism(), Mechanism::Exponential { .. }) == chosen).count()
    };
    let parities: u64 = events.iter().filter(|event| event.question().is_of_parities()).map(Event::length).sum();
    let (choices, scores) = (asked(true), asked(false));
    html! {
        @if parities > 0 {
            p {
                "All columns have two values, and what was measured of a set of columns is its parity: the number of rows with an "
                "even number of second values, less that of the others. " (grouped(parities)) " parities, of all sets of up to three "
                "columns, were measured. The tables above follow from them and share their noise."
            }
        }
        @if choices + scores > 0 {
            p {
                "Which tables to measure was itself learned from the rows, under the same guarantee: "
                @if choices > 0 { (choices) @if choices == 1 { " choice" } @else { " choices" } " among candidates, made at random in favour of the better ones" }
                @if choices > 0 && scores > 0 { ", and " }
                @if scores > 0 { (scores) @if scores == 1 { " list" } @else { " lists" } " of noisy scores" }
                "."
            }
        }
    }
}

fn list(model: &Model, tables: &[NoisyTable<'_>]) -> Table {
    let mut listed = Table::new(
        "Measured tables. Noise is the standard deviation of each count, in rows",
        [Column::text("columns"), Column::number("counts"), Column::number("rows per count"), Column::number("noise")],
    );
    for table in tables.iter().take(MAX_LISTED) {
        listed.row([
            text(names(model, &table.clique)),
            text(grouped(table.cells)),
            text(rows(real(model.rows()) / real(table.cells.max(1)))),
            text(rows(table.deviation)),
        ]);
    }
    listed
}

/// Lists the columns of a table.
pub(super) fn names(model: &Model, clique: &Clique) -> String {
    if clique.is_empty() {
        return "(number of rows)".into();
    }
    let names: Vec<String> = clique.attributes().iter().map(|&column| model.column_name(column)).collect();
    names.join(", ")
}
