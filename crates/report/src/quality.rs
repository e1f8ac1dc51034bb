//! Released figures of the quality of rows, as a table.

use maud::{Markup, html};
use scumble_mechanisms::quality::{Checked, CheckedFigure, Criteria, Judged};

use crate::page::{Column, Table, grouped, prose, text};

/// Renders released figures, and whether they meet criteria.
pub fn quality_section(checked: &Checked, criteria: Option<&Criteria>) -> Markup {
    let judged = criteria.map(|criteria| criteria.judge(checked)).unwrap_or_default();
    let is_judged = |figure: &CheckedFigure| judged.iter().any(|judged| judged.measured == *figure);
    let others: Vec<&CheckedFigure> = checked.figures.iter().filter(|figure| !is_judged(figure)).collect();
    html! {
        p {
            "These figures compare " (grouped(checked.rows)) " synthetic rows with the real ones. They were released with noise, within the "
            "guarantee of this release, so they may be published. Each has a 95 % interval, which is due to that noise. An error of a table is the share "
            "of rows in the wrong cell: 0 is perfect, 1 means that nothing agrees."
        }
        @if let (Some(criteria), false) = (criteria, judged.is_empty()) {
            p {
                "The program had these criteria before it read a row. A bound is met if it holds with a confidence of "
                (format!("{} %", criteria.confidence * 100.0)) ", given the noise of its figure."
            }
            (of_criteria(&judged))
        }
        @if !others.is_empty() { (of_figures(&others)) }
    }
}

fn of_figures(figures: &[&CheckedFigure]) -> Table {
    let mut table = Table::new(
        "Quality of the rows, with 95 % intervals",
        [Column::text("figure"), Column::number("value"), Column::number("interval"), Column::number("tables")],
    );
    for figure in figures {
        let (value, half_width) = figure.shown();
        table.row([
            prose(&figure.name),
            text(value),
            text(format!("± {half_width}")),
            text(grouped(figure.tables.into())),
        ]);
    }
    table
}

fn of_criteria(judged: &[Judged]) -> Table {
    let mut table = Table::new(
        "Criteria",
        [Column::text("figure"), Column::number("value"), Column::text("bound"), Column::text("outcome")],
    );
    for judged in judged {
        let (value, half_width) = judged.measured.shown();
        let optional = if judged.criterion.mandatory { "" } else { " (not mandatory)" };
        table.row([
            prose(&judged.measured.name),
            text(format!("{value} ± {half_width}")),
            text(judged.criterion.bound.to_string()),
            text(format!("{}{optional}", judged.outcome)),
        ]);
    }
    table
}
