//! Correlations of pairs of columns.

use maud::{Markup, html};
use scumble_report::page::{Column, Figure, Table, gallery, text};
use scumble_schema::AttributeId;

use super::decimal;
use super::heat_map::{DIFFERENCES, HeatMap, Scale, VALUES};
use crate::evaluation::{CorrelationScores, Evaluation, Measured};
use crate::relation::correlation::{Measure, PairCorrelation};

/// Maximum number of columns for which the three maps are side by side.
const MAX_SMALL_MAP_COLUMNS: usize = 24;

pub(super) fn section(evaluation: &Evaluation) -> Markup {
    let scores = &evaluation.correlations;
    html! {
        (summary(scores))
        p {
            "Each square is a pair of columns. The name of a column stands at the end of its row: its pairs with the columns \
             before it are to the left of the name, those with the columns after it below."
        }
        (maps(evaluation))
        (worst(scores))
    }
}

fn summary(scores: &CorrelationScores) -> Markup {
    match scores.mean_difference {
        None => html! { p { "No pair of columns varies in both tables, so there are no relations to compare." } },
        Some(Measured { value, achievable }) => html! {
            p {
                "The correlation of a pair differs by " strong { (decimal(value)) } " on average; between the real table and \
                 rows drawn from it, by " (decimal(achievable)) "."
            }
        },
    }
}

fn maps(evaluation: &Evaluation) -> Markup {
    let names: Vec<&str> = evaluation.columns.iter().map(|column| column.name.as_str()).collect();
    let pairs = &evaluation.correlations.pairs;
    let shown = pairs.iter().map(|pair| pair.columns[1].index() + 1).max().unwrap_or(0);
    let map = |title: &'static str, caption: &str, scale: &Scale, of: &dyn Fn(&PairCorrelation) -> Option<f64>| {
        let pairs = pairs.iter().map(|pair| (pair.columns.map(AttributeId::index), of(pair))).collect();
        let svg = HeatMap { title, names: &names[..shown], pairs, scale }.to_svg();
        let caption = html! { strong { (title) } " " (caption) (scale.legend()) };
        if shown <= MAX_SMALL_MAP_COLUMNS { Figure::new(svg, caption) } else { Figure::wide(svg, title, caption) }
    };
    let figures = [
        map("Real.", "Relations in the real table.", &VALUES, &|pair| pair.real),
        map("Synthetic.", "Relations in the synthetic table.", &VALUES, &|pair| pair.synthetic),
        map("Difference.", "Synthetic less real.", &DIFFERENCES, &PairCorrelation::difference),
    ];
    html! {
        @if shown <= MAX_SMALL_MAP_COLUMNS { (gallery(figures)) } @else { @for figure in figures { (figure) } }
        @if shown < names.len() { p { "Only the first " (shown) " columns are compared in pairs." } }
    }
}

fn worst(scores: &CorrelationScores) -> Markup {
    let mut table = Table::new(
        "Pairs with the largest differences",
        [
            Column::text("columns"),
            Column::text("measure"),
            Column::number("real"),
            Column::number("synthetic"),
            Column::number("difference"),
        ],
    );
    for pair in &scores.worst {
        let measure = match pair.measure {
            Measure::Spearman => "rank correlation",
            Measure::CramersV => "Cramér’s V",
        };
        let difference = text(format!("{:+.3}", pair.synthetic - pair.real));
        table.row([
            text(pair.columns.join(" × ")),
            text(measure),
            decimal(pair.real),
            decimal(pair.synthetic),
            difference,
        ]);
    }
    html! { @if !table.is_empty() { (table) } }
}
