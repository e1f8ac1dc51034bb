//! What the schema declares about the table.

use maud::{Markup, html};
use scumble_mechanisms::Model;
use scumble_schema::{Attribute, Keep, Scalar, Source};

use crate::grouping::in_words;
use crate::page::{Column, Table, text};
use crate::words::grouped;

/// Maximum number of categories that are named.
const MAX_NAMED_CATEGORIES: usize = 6;

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
    for column in schema.generated() {
        listed.row([
            html! { (column.name()) },
            text(column.field_type()),
            text("none"),
            text(format!("{}{}", if column.is_derived() { "" } else { "made up, " }, column.in_words())),
            text("no code"),
            text("not in the data"),
        ]);
    }
    html! {
        p {
            "Which values a column may have, and how numbers are cut into bins, was declared in the schema and not learned from "
            "rows, unless its source says so. Every value of a row becomes one of these codes; values that were not declared "
            "are unknown, or count as a declared one."
        }
        (listed)
        @if !schema.rule_specs().is_empty() {
            p { "Rules between columns were declared too. They hold in every synthetic row, whether or not they do in all real ones:" }
            ol { @for rule in schema.rule_specs() { li { (rule) } } }
        }
    }
}

fn named(column: &Attribute) -> Markup {
    let spec = column.spec();
    let about: Vec<&str> = [&spec.title, &spec.description].into_iter().flatten().map(String::as_str).collect();
    html! { (column.name()) @if !about.is_empty() { br; small { (about.join(". ")) } } }
}

/// Summarises the values of a column.
fn values(column: &Attribute) -> String {
    if let Some(categories) = &column.spec().constraints.categories {
        let first: Vec<String> = categories.iter().take(MAX_NAMED_CATEGORIES).map(ToString::to_string).collect();
        let more = categories.len().saturating_sub(MAX_NAMED_CATEGORIES);
        let rest = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
        return first.join(", ") + &rest;
    }
    let bins: Vec<(Scalar, Scalar)> = (0..column.size()).filter_map(|code| column.bin(code)).collect();
    let (Some((first, first_last)), Some((_, last))) = (bins.first(), bins.last()) else {
        return "true, false".into();
    };
    let ends = format!("{} to {}", in_words(first.clone()), in_words(last.clone()));
    let cut = if first == first_last {
        "one by one".into()
    } else if let Some(keep) = column.spec().dp.keep {
        let part = if keep == Keep::Weekday { "weekday" } else { "month" };
        format!("in {} bins of a {part}", grouped(bins.len() as u64))
    } else {
        format!("in {} bins", grouped(bins.len() as u64))
    };
    // Values with codes of their own among the bins, the top code too.
    match column.declared_codes() as usize - bins.len() {
        0 => format!("{ends}, {cut}"),
        1 => format!("{ends}, {cut} and one value"),
        others => format!("{ends}, {cut} and {others} values"),
    }
}

fn others(column: &Attribute) -> String {
    let kinds = column.missing_kinds().count();
    if kinds > 1 {
        let unknown = if column.unknown_code().is_some() { ", one for unknown" } else { "" };
        return format!("{kinds} codes for missing{unknown}");
    }
    let others = match (column.missing_code(), column.unknown_code()) {
        (Some(_), Some(_)) => "a code each",
        (Some(_), None) => "a code for missing",
        (None, Some(_)) => "a code for unknown",
        (None, None) => "no code",
    };
    others.into()
}

fn source(column: &Attribute) -> &'static str {
    match column.spec().dp.source {
        _ if column.is_assumed() => "assumed, not confirmed",
        _ if column.is_read_off_data() => "read off the data, not covered by the guarantee",
        Source::Dp => "a private release",
        Source::Public | Source::Assumed | Source::Data => "public",
    }
}
