//! The public report. Each module is a section of the page.

mod certificate;
mod distributions;
mod heaps;
mod measured;
mod method;
mod number;
mod relations;
mod reliability;
mod schema_facts;
#[cfg(test)]
mod tests;

use maud::{Markup, html};
use scumble_mechanisms::{Model, Origin};
use scumble_vault::account::Noise;

pub use self::heaps::{Heap, heaps};
pub(crate) use self::number::rows_in_words;
use self::number::{in_words, range};
pub(crate) use self::reliability::smallest_reliable;
use crate::dead_column::dead_columns;
use crate::guarantee::guarantee;
use crate::noisy_table::{NoisyTable, noisy_tables};
use crate::page::{Figure, Page, facts, note, prose, text};
use crate::picture::picture;
use crate::plain::PlainWords;
use crate::quality::quality_section;
use crate::words::grouped;

/// Renders a model as a self-contained HTML page, from released values and public facts. The same
/// model and title give the same bytes. Without a title, the page has that of the schema.
///
/// # Privacy
/// Post-processing of the model, which holds no rows. The page may be published if the model may.
pub fn public_page(model: &Model, title: Option<&str>) -> String {
    let tables = noisy_tables(model);
    let spec = model.schema().to_spec();
    let title = title
        .or(spec.title.as_deref())
        .map_or_else(|| "Synthetic data: what may be known".into(), |title| format!("Synthetic data: {title}"));
    let picture = Figure::wide(
        picture(model),
        "Picture of the model",
        text("Which columns the model ties together. It follows from the released tables alone."),
    );
    let page = Page::new(title, lead(spec.description.as_deref()))
        .section("glance", "At a glance", glance(model))
        .section("figures", "In figures", figures(model, &tables));
    let page = match model.checked() {
        Some(checked) => page.section("quality", "Quality of the rows", quality_section(&checked, None)),
        None => page,
    };
    let page = page
        .section("measured", "What was measured", measured::section(model, &tables))
        .section("distributions", "Columns one by one", distributions::section(model, &tables))
        .section("relations", "Relations, and which not to trust", relations::section(model, &tables))
        .section("model", "The model as a picture", picture)
        .section("reliability", "Smallest reliable count", reliability::section(model, &tables))
        .section("guarantee", "The guarantee", certificate::section(model))
        .section("schema", "What was declared", schema_facts::section(model))
        .section("method", "Method and versions", method::section(model))
        .with_foot(
            html! { p { "Made by Scumble from released values and public facts. It may be published as it is." } },
        );
    let is_test = model.certificate().is_some_and(|certificate| certificate.noise() == Noise::Forced);
    let page = if is_test { page.with_banner("NOT PRIVATE: the noise was forced by a test") } else { page };
    page.to_html()
}

fn lead(description: Option<&str>) -> Markup {
    html! {
        @if let Some(description) = description { p { (description) } }
        p {
            "What the synthetic rows of this table are, what they can be used for, and what must not be read into them. No row of the "
            "real table was read to make this page."
        }
    }
}

/// Answers common questions, and warns of dead columns.
fn glance(model: &Model) -> Markup {
    let words = PlainWords::new(model);
    let dead = dead_columns(model);
    html! {
        (facts(words.answers().map(|(question, answer)| (question, prose(answer)))))
        @if !dead.is_empty() {
            (note(html! {
                p { "By the released counts, these columns hold next to nothing, or the schema does not fit the data:" }
                ul { @for column in &dead { li { (prose(&column.to_string())) } } }
            }))
        }
    }
}

fn figures(model: &Model, tables: &[NoisyTable<'_>]) -> Markup {
    let rows = if model.origin().has_public_rows() {
        format!("{}, which is public", grouped(model.rows()))
    } else {
        format!("about {}, estimated from noisy tables", grouped(model.rows()))
    };
    let method = model.method();
    let method =
        method.map_or("none of ours: the tables were made elsewhere".into(), |method| format!("`{}`", method.name()));
    let of_columns = |columns: usize| tables.iter().filter(move |table| table.clique.len() == columns);
    let several = tables.iter().filter(|table| table.clique.len() > 1).count();
    let mut listed = vec![
        (promise(model), guarantee(model)),
        ("Rows of the real table", rows),
        ("Columns", grouped(model.schema().attributes().len() as u64)),
        ("Method", method),
        ("Tables measured", format!("{} of one column, {several} of two or more", of_columns(1).count())),
    ];
    if let Some(columns) = (1..=model.recoding().domain().len()).find(|&columns| of_columns(columns).next().is_some()) {
        let smallest = range(of_columns(columns).map(smallest_reliable));
        let columns = if columns == 1 { "one column".into() } else { format!("{} columns", in_words(columns)) };
        listed.push(("Smallest reliable count", format!("{smallest} rows, in measured tables of {columns}")));
    }
    let assumed: Vec<String> = model.schema().assumed().map(|column| column.name().into()).collect();
    html! {
        p {
            "Rows are drawn from a model of the table, which was fitted to noisy counts. This is the guarantee in the words of the "
            "field, and what it bought; " a href="#guarantee" { "below" } " it is explained."
        }
        (facts(listed.into_iter().map(|(name, value)| (name, prose(&value)))))
        @if !assumed.is_empty() {
            (note(html! {
                p {
                    "The guarantee holds if the bounds, bins and categories of these columns were declared without looking at "
                    "the data, which nobody has confirmed: " (assumed.join(", ")) "."
                }
            }))
        }
    }
}

/// Returns the name of the guarantee: proved, or declared.
fn promise(model: &Model) -> &'static str {
    match model.origin() {
        Origin::Measured { .. } => "Guarantee",
        Origin::External(_) => "Declared guarantee",
    }
}
