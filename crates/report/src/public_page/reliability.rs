//! The smallest reliable count, and error bounds of tables.

use std::collections::BTreeMap;

use maud::{Markup, html};
use scumble_mechanisms::{Basis, Model, TableBound};

use super::measured::{MAX_LISTED, names};
use super::number::{in_words, percent, range, rows};
use crate::noisy_table::NoisyTable;
use crate::page::{Column, Table, details, text};
use crate::words::{grouped, real};

/// Minimum ratio of a reliable count to its error.
const MIN_RATIO: f64 = 4.0;
/// Number of the best bounds in the unfolded list, and of the worst.
const SHOWN_BOUNDS: usize = 5;

/// Returns the smallest count of a table that noise moves by less than a quarter, 95 times in 100.
pub(crate) fn smallest_reliable(table: &NoisyTable<'_>) -> f64 {
    MIN_RATIO * table.error()
}

pub(super) fn section(model: &Model, tables: &[NoisyTable<'_>]) -> Markup {
    let mut by_columns: BTreeMap<usize, Vec<&NoisyTable<'_>>> = BTreeMap::new();
    for table in tables.iter().filter(|table| !table.clique.is_empty()) {
        by_columns.entry(table.clique.len()).or_default().push(table);
    }
    html! {
        @if by_columns.is_empty() {
            p {
                "No count was released, so there is no smallest reliable one. Shares of rare values are drawn towards those of "
                "all values alike by the smoothing."
            }
        } @else {
            p {
                "We call a count reliable if noise moves it by less than a quarter of itself in 95 of 100 releases. It follows "
                "from the noise alone: it is four times the 95 % error of a released count. Smaller counts, and groups in the "
                "synthetic rows that stand for smaller counts, should not be reported one by one."
            }
            (counts(model, &by_columns))
            p {
                "A sum of several counts of one table has the error of one count times the square root of their number. "
                "Tables over columns that were not measured together have errors that do not follow from the noise."
            }
        }
        (bounds(model))
    }
}

fn counts(model: &Model, by_columns: &BTreeMap<usize, Vec<&NoisyTable<'_>>>) -> Table {
    let mut listed = Table::new(
        "Smallest reliable count, by the number of columns of a measured table",
        [
            Column::text("columns"),
            Column::number("tables"),
            Column::number("noise"),
            Column::number("95 % error"),
            Column::number("smallest reliable count"),
            Column::number("as a share of rows"),
        ],
    );
    for (columns, tables) in by_columns {
        let all = tables.iter();
        let worst = tables.iter().map(|table| smallest_reliable(table)).fold(0.0, f64::max);
        let share = worst / real(model.rows().max(1));
        listed.row([
            text(in_words(*columns)),
            text(tables.len()),
            text(range(all.clone().map(|table| table.deviation))),
            text(range(all.clone().map(|table| table.error()))),
            text(range(all.map(|table| smallest_reliable(table)))),
            text(if share > 1.0 { "more than all".into() } else { percent(share) }),
        ]);
    }
    listed
}

/// Lists the bounds that the method proves, if any.
fn bounds(model: &Model) -> Markup {
    if model.bounds().is_empty() {
        return html! {};
    }
    let mut bounds: Vec<&TableBound> = model.bounds().iter().collect();
    bounds.sort_by(|left, right| left.rows.total_cmp(&right.rows));
    let few = bounds.len() <= 2 * SHOWN_BOUNDS;
    let ends: Vec<&TableBound> = if few {
        bounds.clone()
    } else {
        bounds[..SHOWN_BOUNDS].iter().chain(&bounds[bounds.len() - SHOWN_BOUNDS..]).copied().collect()
    };
    let level = TableBound::LEVEL * 100.0;
    let shown = if few { "Bounds" } else { "The bounds of the tables that are off least, and most" };
    html! {
        h3 { "How far tables of the model may be off" }
        p {
            "For " (grouped(bounds.len() as u64)) " tables, measured or not, the method bounds the share of rows that may be in "
            "another cell than in the real table. Each of these bounds holds with a probability of " (format!("{level:.0}"))
            " %; the probability that all hold at once is smaller."
        }
        (bound_table(model, shown, &ends))
        @if !few {
            (details(
                html! { "The bounds of all " (grouped(bounds.len().min(MAX_LISTED) as u64)) " tables" },
                bound_table(model, "Bounds", &bounds[..bounds.len().min(MAX_LISTED)]),
            ))
        }
    }
}

fn bound_table(model: &Model, caption: &str, bounds: &[&TableBound]) -> Table {
    let mut listed = Table::new(
        caption,
        [Column::text("columns"), Column::number("at most"), Column::number("rows"), Column::sentences("why")],
    );
    for bound in bounds {
        // A row in the wrong cell counts twice: it is missing in one cell and extra in another.
        let off = bound.rows / 2.0;
        listed.row([
            text(names(model, &bound.table)),
            text(percent((off / real(model.rows().max(1))).min(1.0))),
            text(rows(off.min(real(model.rows())))),
            text(match bound.basis {
                Basis::Measured => "measured",
                Basis::NotChosen => {
                    "was a candidate and not chosen, so its error was not much larger than that of the chosen one"
                }
            }),
        ]);
    }
    listed
}
