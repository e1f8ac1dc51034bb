//! Self-contained HTML pages: one file without scripts that loads nothing.
//!
//! A page has a title, a lead, an optional banner, and sections with a table of contents. It works
//! on a screen, on a phone, on paper and with a screen reader: tables and pictures wider than the
//! screen scroll on their own and can be reached by keyboard, a banner stays visible and is on
//! every sheet, and folded parts are printed in full.
//!
//! All text is escaped by `maud`. A content security policy in the page forbids loading and
//! scripts.
//!
//! ```
//! use scumble_report::page::{Column, Page, Table, text};
//!
//! let mut table = Table::new("Rivers", [Column::text("river"), Column::number("km")]);
//! table.row([text("Gudenå"), text(149)]);
//! let page = Page::new("Rivers & lakes", text("How long they are.")).section("lengths", "Lengths", table);
//! assert!(page.to_html().contains("<title>Rivers &amp; lakes</title>"));
//! ```

mod figure;
mod table;

use std::fmt::Display;

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

pub use figure::{Figure, gallery};
pub use table::{Column, Table};

pub use crate::words::grouped;

/// Style of all pages.
const STYLE: &str = include_str!("style.css");
/// Content security policy: only the style and the pictures within the page are allowed.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// An HTML page.
#[derive(Debug, Clone)]
pub struct Page {
    title: String,
    lead: Markup,
    banner: Option<String>,
    sections: Vec<Section>,
    foot: Option<Markup>,
}

#[derive(Debug, Clone)]
struct Section {
    id: String,
    heading: String,
    body: Markup,
}

impl Page {
    /// Creates a page with a title and a lead.
    pub fn new(title: impl Into<String>, lead: impl Render) -> Self {
        Self { title: title.into(), lead: lead.render(), banner: None, sections: Vec::new(), foot: None }
    }

    /// Adds a banner, which stays at the top of the screen and of every sheet.
    #[must_use]
    pub fn with_banner(self, banner: impl Into<String>) -> Self {
        Self { banner: Some(banner.into()), ..self }
    }

    /// Adds a footer, such as the name of the program.
    #[must_use]
    pub fn with_foot(self, foot: impl Render) -> Self {
        Self { foot: Some(foot.render()), ..self }
    }

    /// Adds a section. Its `id`, the target of links, must be unique on the page.
    #[must_use]
    pub fn section(mut self, id: &str, heading: &str, body: impl Render) -> Self {
        self.sections.push(Section { id: id.into(), heading: heading.into(), body: body.render() });
        self
    }

    /// Renders the page as an HTML file.
    pub fn to_html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="referrer" content="no-referrer";
                    title { (self.title) }
                    // Without it, a browser asks the server for an icon.
                    link rel="icon" href="data:,";
                    style { (PreEscaped(STYLE)) }
                }
                body class=[self.banner.is_some().then_some("with-banner")] {
                    a.skip href="#content" { "Skip to the content" }
                    @if let Some(banner) = &self.banner {
                        div.banner role="note" aria-label="Warning" { p { (banner) } }
                    }
                    div.page {
                        header { h1 { (self.title) } div.lead { (self.lead) } }
                        (self.contents())
                        main #content tabindex="-1" {
                            @for section in &self.sections {
                                section #(section.id) aria-labelledby={ (section.id) "-heading" } {
                                    h2 #{ (section.id) "-heading" } { (section.heading) }
                                    (section.body)
                                }
                            }
                        }
                        @if let Some(foot) = &self.foot { footer { (foot) } }
                    }
                }
            }
        };
        page.into_string()
    }

    fn contents(&self) -> Markup {
        html! {
            nav.contents aria-label="Contents" {
                ol { @for section in &self.sections { li { a href={ "#" (section.id) } { (section.heading) } } } }
            }
        }
    }
}

/// Escapes text.
pub fn text(text: impl Display) -> Markup {
    html! { (text.to_string()) }
}

/// Renders sentences, with text between backticks as code.
pub fn prose(sentences: &str) -> Markup {
    let parts: Vec<&str> = sentences.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text(sentences);
    }
    html! {
        @for (place, part) in parts.into_iter().enumerate() {
            @if place % 2 == 0 { (part) } @else { code { (part) } }
        }
    }
}

/// Renders a list of names and values.
pub fn facts<N: Render, V: Render>(facts: impl IntoIterator<Item = (N, V)>) -> Markup {
    html! {
        dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } }
    }
}

/// Renders a part that is folded on the screen and shown on paper.
pub fn details(summary: impl Render, body: impl Render) -> Markup {
    html! { details { summary { (summary) } div { (body) } } }
}

/// Renders a highlighted note.
pub fn note(body: impl Render) -> Markup {
    html! { div.note role="note" { (body) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_loads_nothing_and_escapes_what_it_is_given() {
        let page = Page::new("a < b", text("<script>alert(1)</script>")).with_banner("\"quoted\" & <b>").section(
            "first",
            "First & foremost",
            facts([("a", text("1 < 2"))]),
        );
        let html = page.to_html();
        assert!(!html.contains("<script") && !html.contains("http:") && !html.contains("https:"), "{html}");
        assert!(html.contains("&lt;script&gt;") && html.contains("&quot;quoted&quot; &amp; &lt;b&gt;"));
        assert!(html.contains("<a href=\"#first\">First &amp; foremost</a>") && html.contains("<section id=\"first\""));
        assert!(html.contains("default-src 'none'"));
    }

    #[test]
    fn text_between_backticks_is_code() {
        assert_eq!(prose("use `a < b`, twice").into_string(), "use <code>a &lt; b</code>, twice");
        assert_eq!(prose("a tick ` alone").into_string(), "a tick ` alone");
    }

    #[test]
    fn only_a_page_with_a_banner_makes_room_for_one() {
        let page = Page::new("title", text("lead"));
        assert!(!page.to_html().contains("<body class"));
        assert!(page.with_banner("mind").to_html().contains("<body class=\"with-banner\">"));
    }
}
