//! What was declared about the table before anything was measured.

use maud::{Markup, html};
use scumble_mechanisms::Model;
use scumble_schema::{Attribute, Source};

use super::groups::in_words;
use crate::page::{Column, Table, text};
use crate::words::grouped;

/// How many categories are named.
const NAMED: usize = 6;

pub(super) fn section(model: &Model) -> Markup {
    let schema = model.schema();
    let mut listed = Table::new(
        "Columns as they were declared",
        [
            Column::text("column"),
            Column::text("type"),
            Column::number("codes"),
            Column::sentences("values"),
            Column::text("missing, unknown"),
            Column::text("source"),
        ],
    );
    for column in schema.attributes() {
        listed.row([
            named(column),
            text(column.field_type()),
            text(grouped(column.size().into())),
            text(values(column)),
            text(others(column)),
            text(source(column)),
        ]);
    }
    html! {
        p {
            "Which values a column may have, and how numbers are cut into bins, was declared in the schema and not learned from "
            "rows, unless its source says so. Every value of a row becomes one of these codes; values that were not declared "
            "are unknown, or count as a declared one."
        }
        (listed)
    }
}

fn named(column: &Attribute) -> Markup {
    let spec = column.spec();
    let about: Vec<&str> = [&spec.title, &spec.description].into_iter().flatten().map(String::as_str).collect();
    html! { (column.name()) @if !about.is_empty() { br; small { (about.join(". ")) } } }
}

/// The values of a column in a few words.
fn values(column: &Attribute) -> String {
    if let Some(categories) = &column.spec().constraints.categories {
        let first: Vec<String> = categories.iter().take(NAMED).map(ToString::to_string).collect();
        let more = categories.len().saturating_sub(NAMED);
        let rest = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
        return first.join(", ") + &rest;
    }
    let bins = (0..column.size()).filter(|&code| column.bin(code).is_some()).count();
    match (column.bin(0), bins.checked_sub(1).and_then(|last| column.bin(u32::try_from(last).ok()?))) {
        (Some((first, _)), Some((_, last))) => {
            let ends = format!("{} to {}", in_words(first), in_words(last));
            if column.bin(0).is_some_and(|(first, last)| first == last) {
                format!("{ends}, one by one")
            } else {
                format!("{ends}, in {} bins", grouped(bins as u64))
            }
        }
        _ => "true, false".into(),
    }
}

fn others(column: &Attribute) -> &'static str {
    match (column.missing_code(), column.unknown_code()) {
        (Some(_), Some(_)) => "a code each",
        (Some(_), None) => "a code for missing",
        (None, Some(_)) => "a code for unknown",
        (None, None) => "no code",
    }
}

fn source(column: &Attribute) -> &'static str {
    match column.spec().dp.source {
        _ if column.is_assumed() => "assumed, not confirmed",
        Source::Dp => "a private release",
        Source::Public | Source::Assumed => "public",
    }
}
