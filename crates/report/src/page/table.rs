//! Tables of text and numbers.
//!
//! On a phone a row is a card: its first cell is the heading, and every other cell has the heading of its column before it. So nothing is
//! cut, and nobody has to scroll sideways to learn what a number is.

use maud::{Markup, Render, html};

/// Tables up to this many rows are kept on one sheet of paper.
const SHORT: usize = 12;

/// A table with a caption, headed columns and rows whose first cell says what the row is about.
#[derive(Debug, Clone)]
pub struct Table {
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Markup>>,
}

/// What stands above a column, and how its cells are set.
#[derive(Debug, Clone)]
pub struct Column {
    heading: String,
    class: Option<&'static str>,
}

impl Column {
    /// A column of names and words.
    pub fn text(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), class: None }
    }

    /// A column of sentences and lists, which stays wide enough to be read where the table is scrolled.
    pub fn sentences(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), class: Some("sentences") }
    }

    /// A column of numbers, lined up on the right and never broken.
    pub fn number(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), class: Some("number") }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self { caption: caption.into(), columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row, one cell per column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Markup>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Render for Table {
    fn render(&self) -> Markup {
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table class=[(self.rows.len() <= SHORT).then_some("short")] {
                    caption { span { (self.caption) } }
                    thead {
                        tr { @for column in &self.columns { th scope="col" class=[column.class] { (column.heading) } } }
                    }
                    tbody { @for row in &self.rows { (self.cells(row)) } }
                }
            }
        }
    }
}

impl Table {
    fn cells(&self, row: &[Markup]) -> Markup {
        html! {
            tr {
                @for (place, (cell, column)) in row.iter().zip(&self.columns).enumerate() {
                    @if place == 0 {
                        th scope="row" class=[column.class] { (cell) }
                    } @else {
                        td class=[column.class] data-label=(column.heading) { (cell) }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::text;

    #[test]
    fn a_table_says_what_its_cells_are_about() {
        let mut table = Table::new("Ages & <rows>", [Column::text("age"), Column::number("rows")]);
        assert!(table.is_empty());
        table.row([text("0 < 10"), text(12)]);
        let html = table.render().into_string();
        assert!(html.contains("<caption><span>Ages &amp; &lt;rows&gt;</span></caption>"), "{html}");
        assert!(html.contains("aria-label=\"Ages &amp; &lt;rows&gt;\""));
        assert!(html.contains("<th scope=\"col\" class=\"number\">rows</th>"));
        assert!(html.contains("<th scope=\"row\">0 &lt; 10</th><td class=\"number\" data-label=\"rows\">12</td>"));
    }
}
