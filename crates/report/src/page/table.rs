//! Tables of text and numbers.
//!
//! On a phone a row is a card: its first cell is the heading, and every other cell is preceded by
//! the heading of its column. So nothing is cut, and no sideways scrolling is needed.

use maud::{Markup, Render, html};

/// Maximum number of rows of a table that is kept on one sheet of paper.
const MAX_SHORT_ROWS: usize = 12;

/// A table with a caption, column headings and row headings in the first cells.
#[derive(Debug, Clone)]
pub struct Table {
    caption: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Markup>>,
}

/// Heading and style of a column.
#[derive(Debug, Clone)]
pub struct Column {
    heading: String,
    class: Option<&'static str>,
}

impl Column {
    /// Creates a column of names and words.
    pub fn text(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), class: None }
    }

    /// Creates a column of sentences and lists, which stays wide enough to read.
    pub fn sentences(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), class: Some("sentences") }
    }

    /// Creates a column of numbers, right-aligned and never wrapped.
    pub fn number(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), class: Some("number") }
    }
}

impl Table {
    /// Creates a table without rows.
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self { caption: caption.into(), columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row, one cell per column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Markup>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Render for Table {
    fn render(&self) -> Markup {
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.caption) {
                table class=[(self.rows.len() <= MAX_SHORT_ROWS).then_some("short")] {
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
    fn cells_have_the_headings_of_rows_and_columns() {
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
