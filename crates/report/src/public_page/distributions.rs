//! Distribution of every column in the model, with the range of the real shares by the released
//! counts.

use maud::{Markup, Render, html};
use scumble_mechanisms::Model;
use scumble_schema::{Attribute, AttributeId};

use super::number::{percent, percent_in_range, rows};
use crate::chart::{Bar, Bars, Columns};
use crate::counts_of::CountsOf;
use crate::grouping::{Density, Group, Shown, marks};
use crate::noisy_table::NoisyTable;
use crate::page::{Figure, gallery};
use crate::words::{grouped, real};

/// Maximum number of columns that are drawn. A page with more is too large to open.
const MAX_DRAWN_COLUMNS: usize = 200;

pub(super) fn section(model: &Model, tables: &[NoisyTable<'_>]) -> Markup {
    let schema = model.schema();
    let shares = model.shares();
    let drawn = schema.attributes().iter().zip(schema.domain().attributes()).take(MAX_DRAWN_COLUMNS);
    let figures = drawn.map(|(attribute, id)| {
        let (has_tables, counts) = (!tables.is_empty(), CountsOf::column(model, tables, id));
        let groups = Shown::new(attribute, &shares[id.index()]);
        Distribution { model, attribute, has_tables, counts, groups }.render()
    });
    let left_out = schema.attributes().len().saturating_sub(MAX_DRAWN_COLUMNS);
    html! {
        @if tables.is_empty() {
            p {
                "Bars are shares among the rows that were drawn. Smoothing has moved all of them towards each other, and drawing has "
                "moved them at random. No count was released that would show how far, so there are no lines for the real shares."
            }
        } @else {
            p {
                "Bars are shares of the model, from which synthetic rows are drawn. The thin line is where the share in the real "
                "table is, in 95 of 100 releases: the released count with its noise to both sides, of " (grouped(model.rows()))
                " rows. A line that begins at zero may stand for no row at all. Where a bar ends beside its line, the model is off: "
                "it was fitted to other tables as well, and cannot have shares below zero, as noisy counts can."
            }
        }
        @if left_out > 0 {
            p { "The first " (MAX_DRAWN_COLUMNS) " columns are drawn; " (left_out) " more are left out here. " code { "scumble marginals" } " writes all tables." }
        }
        (gallery(figures))
    }
}

struct Distribution<'a> {
    model: &'a Model,
    attribute: &'a Attribute,
    /// Whether any table was measured.
    has_tables: bool,
    counts: Option<CountsOf<'a>>,
    groups: Shown,
}

impl Distribution<'_> {
    /// Returns the range of the real share, 95 times in 100.
    fn range(&self, group: &Group) -> Option<(f64, f64)> {
        let (least, most) = self.counts.as_ref()?.range(&group.codes);
        let rows = real(self.model.rows().max(1));
        Some(((least / rows).min(1.0), (most / rows).min(1.0)))
    }

    fn spoken(&self, group: &Group) -> String {
        percent_in_range(group.share, self.range(group))
    }

    fn svg(&self) -> String {
        let title = format!("Shares of the values of {}", self.attribute.name());
        let bar = |group: &Group| Bar {
            label: group.label(),
            value: group.share,
            range: self.range(group),
            text: percent(group.share),
            spoken: self.spoken(group),
            second: None,
        };
        match &self.groups {
            Shown::Bars { bars, .. } => Bars { title, bars: bars.iter().map(bar).collect() }.to_svg(),
            Shown::Columns { columns, density, .. } => {
                let height =
                    |group: &Group, share| density.as_ref().map_or(share, |density| density.height(group, share));
                let bounds =
                    |group: &Group| self.range(group).map(|(least, most)| (height(group, least), height(group, most)));
                let read_out: Vec<String> =
                    columns.iter().map(|group| format!("{}: {}", group.label(), self.spoken(group))).collect();
                Columns {
                    title,
                    description: read_out.join("; "),
                    axis: density.as_ref().map(Density::axis),
                    heights: columns.iter().map(|group| (height(group, group.share), bounds(group))).collect(),
                    outline: None,
                    marks: marks(columns),
                }
                .to_svg()
            }
        }
    }

    fn caption(&self) -> Markup {
        let together = self.groups.together();
        let noise = match &self.counts {
            None if self.has_tables => "No table holds it whole, so there is no line.".to_owned(),
            None => String::new(),
            Some(counts) => {
                let error = counts.error_of(together.unwrap_or(1));
                let share = percent((error / real(self.model.rows().max(1))).min(1.0));
                let from = if counts.each <= 1.0 { "its own table".to_owned() } else { self.table_of(counts) };
                format!("Lines: ± {} rows ({share}), from {from}.", rows(error))
            }
        };
        let aside: Vec<String> =
            self.groups.aside().iter().map(|group| format!("{} {}", group.label(), self.spoken(group))).collect();
        html! {
            @if matches!(self.groups, Shown::Columns { density: Some(_), .. }) { "Bins differ in width, so heights are densities. " }
            @if let Some(codes) = together { "A column is " (codes) " neighbouring codes. " }
            @if !aside.is_empty() { "Besides: " (aside.join(", ")) ". " }
            (noise)
        }
    }

    /// Describes the table whose counts were summed.
    fn table_of(&self, counts: &CountsOf<'_>) -> String {
        let is_other = |column: &&AttributeId| {
            let of = self.model.recoding().of(**column);
            self.model.schema().attribute(of).name() != self.attribute.name()
        };
        let others: Vec<String> =
            counts.table.clique.attributes().iter().filter(is_other).map(|&id| self.model.column_name(id)).collect();
        format!("its table with {}, summed over {} cells", others.join(", "), rows(counts.each))
    }
}

impl Render for Distribution<'_> {
    fn render(&self) -> Markup {
        html! {
            div {
                h3 { (self.attribute.name()) }
                (Figure::new(self.svg(), self.caption()))
            }
        }
    }
}
