//! An audit as a section of an HTML page, whose banner is the stamp.

use maud::{Markup, html};
use scumble_report::page::{Column, Table, text};

use super::{ReleaseAudit, text as words};

/// Renders the audit.
pub(crate) fn section(audit: &ReleaseAudit) -> Markup {
    html! {
        p { (words::rows(audit)) "." }
        p { (words::reading(audit)) }
        (membership(audit))
        p {
            "AUC is the probability that a member scores above a control row, with its 95 % interval; 0.5 is a coin. "
            "The advantage is the share of members less the share of control rows that are taken for members, by a "
            "threshold chosen on other rows. "
            (words::FOUND)
        }
        @if !audit.attributes.is_empty() {
            (attributes(audit))
            p {
                "What is right for control rows is what the release teaches about the population. Leakage is what is "
                "right for members beyond that."
            }
        }
    }
}

fn membership(audit: &ReleaseAudit) -> Table {
    let [attack, numbers @ ..] = words::membership_headings();
    let columns = std::iter::once(Column::text(attack)).chain(numbers.into_iter().map(Column::number));
    let mut table = Table::new("Attacks on membership", columns);
    for cells in audit.membership.iter().map(words::membership_row) {
        table.row(cells.map(text));
    }
    if let Some(allowed) = &audit.allowed {
        table.row(words::allowed_row(allowed).map(text));
    }
    table
}

fn attributes(audit: &ReleaseAudit) -> Table {
    let [column, predictor, numbers @ ..] = words::attribute_headings();
    let columns = [column, predictor].into_iter().map(Column::text).chain(numbers.into_iter().map(Column::number));
    let mut table = Table::new("Columns guessed from the others", columns);
    for cells in audit.attributes.iter().map(words::attribute_row) {
        table.row(cells.map(text));
    }
    table
}
