//! Distribution of every column, with both tables in one picture.

use maud::{Markup, html};
use scumble_report::chart::{Bar, Bars, Columns, FIRST_COLOUR, SECOND_COLOUR};
use scumble_report::grouping::{Density, Shown, marks};
use scumble_report::page::{Figure, gallery, text};

use super::verdict;
use crate::evaluation::{Distribution, Evaluation, TableScore, ValueShares, Verdict};

/// Maximum number of columns that are drawn. A page with more is too large to open.
const MAX_DRAWN_COLUMNS: usize = 200;

pub(super) fn section(evaluation: &Evaluation) -> Markup {
    let distributions = &evaluation.distributions;
    let left_out = distributions.len().saturating_sub(MAX_DRAWN_COLUMNS);
    html! {
        p {
            "Every column by itself, in both tables: " (named(FIRST_COLOUR, "real rows")) ", " (named(SECOND_COLOUR, "synthetic rows")) ". \
             Few values are bars, one pair each, with the share of real and of synthetic rows in per cent; many are columns for real \
             rows, with the outline of the synthetic ones over them."
        }
        @if left_out > 0 {
            p { "The first " (MAX_DRAWN_COLUMNS) " columns are drawn; " (left_out) " more are not drawn, and are in the output of " code { "--json" } "." }
        }
        (gallery(distributions.iter().take(MAX_DRAWN_COLUMNS).map(|distribution| {
            let column = evaluation.marginals.columns.iter().find(|score| score.columns == [distribution.column.as_str()]);
            figure(distribution, column)
        })))
    }
}

/// Shows the meaning of a colour, with a square of it.
fn named(colour: &str, name: &str) -> Markup {
    html! {
        span style="white-space:nowrap" {
            span style={ "display:inline-block;width:.9em;height:.9em;vertical-align:-.1em;background:" (colour) } aria-hidden="true" {}
            " " (name)
        }
    }
}

fn figure(distribution: &Distribution, score: Option<&TableScore>) -> Markup {
    html! {
        div {
            h3 { (distribution.column) }
            @if let Some(score) = score {
                p style="margin:0 0 .3rem" {
                    "difference " (verdict::show(Verdict::of_excess(score.excess())))
                }
            }
            (Figure::new(svg(distribution), caption(distribution)))
        }
    }
}

fn svg(distribution: &Distribution) -> String {
    let title = format!("{}: real beside synthetic rows", distribution.column);
    match &distribution.shown {
        Shown::Bars { .. } => {
            let bar = |shares: &ValueShares| Bar {
                label: shares.value.clone(),
                value: shares.real,
                second: Some(shares.synthetic),
                range: None,
                text: format!("{} | {}", percent(shares.real), percent(shares.synthetic)),
                spoken: spoken(shares),
            };
            Bars { title, bars: distribution.values.iter().map(bar).collect() }.to_svg()
        }
        Shown::Columns { columns, density, .. } => {
            let height = |place: usize, share: f64| {
                density.as_ref().map_or(share, |density| density.height(&columns[place], share))
            };
            let read_out: Vec<String> =
                distribution.values.iter().map(|shares| format!("{}: {}", shares.value, spoken(shares))).collect();
            let heights = |of: fn(&ValueShares) -> f64| {
                distribution.values.iter().enumerate().map(move |(place, shares)| height(place, of(shares)))
            };
            Columns {
                title,
                description: read_out.join("; "),
                axis: density.as_ref().map(Density::axis),
                heights: heights(|shares| shares.real).map(|height| (height, None)).collect(),
                outline: Some(heights(|shares| shares.synthetic).collect()),
                marks: marks(columns),
            }
            .to_svg()
        }
    }
}

fn caption(distribution: &Distribution) -> Markup {
    let besides: Vec<String> =
        distribution.besides.iter().map(|shares| format!("{}: {}", shares.value, spoken(shares))).collect();
    let density = matches!(distribution.shown, Shown::Columns { density: Some(_), .. });
    html! {
        @if density { "Bins differ in width, so heights are densities. " }
        @if let Some(codes) = distribution.shown.together() { "A column is " (codes) " neighbouring codes. " }
        @if !besides.is_empty() { "Besides, " (text(besides.join("; "))) "." }
    }
}

fn spoken(shares: &ValueShares) -> String {
    format!("{} % real, {} % synthetic", percent(shares.real), percent(shares.synthetic))
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}
