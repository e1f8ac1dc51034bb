//! `index.html`: the page for people who decide whether a release may be published or used. It
//! requires no knowledge of privacy or programming.

use maud::{Markup, html};
use scumble_mechanisms::{Model, Origin};
use scumble_report::page::{Column, Page, Table, details, facts, grouped, prose, text};
use scumble_report::{Explanation, PlainWords, guarantee, quality_section};

use super::checksums;
use super::contents::{CERTIFICATE_IN_WORDS, CSV, Contents, DECLARED_IN_WORDS, FILES, INDEX, PROGRAM, REPORT};
use super::release::placeholder;
use super::signature::SIGNATURE;

/// Returns the page for a bundle with these files.
pub(super) fn index(contents: &Contents<'_>, names: &[&str]) -> String {
    let release = contents.release;
    let publisher = &release.publisher;
    let lead = html! {
        p { (contents.about()) }
        p {
            (grouped(release.rows)) " synthetic rows, version " (publisher.version()) " of " (release.date.to_string()) ", published by "
            (publisher.curator()) "."
        }
    };
    let page = Page::new(contents.title(), lead).section("what", "What this is", what(contents.model)).section(
        "promise",
        "What is promised to the people in the real table",
        promise(contents.model),
    );
    let page = match release.checked(contents.model) {
        Some(checked) => {
            page.section("quality", "How good the rows are", quality_section(&checked, release.criteria.as_ref()))
        }
        None => page,
    };
    page.section("files", "What is in this folder", files(names))
        .section("ask", "Whom to ask, and the terms", terms(contents))
        .section("verify", "How to check it", verify(contents))
        .with_foot(
            html! { p { "Made by " (PROGRAM) " from the model in this folder, and from what the publisher says." } },
        )
        .to_html()
}

fn what(model: &Model) -> Markup {
    let words = PlainWords::new(model);
    let answers = words.answers().into_iter().filter(|(_, answer)| *answer != words.promise);
    html! {
        (facts(answers.map(|(question, answer)| (question, prose(answer)))))
        p { "Start with " a href=(CSV) { "the rows" } ", and with " a href=(REPORT) { "the report" } ", which shows every column." }
    }
}

fn promise(model: &Model) -> Markup {
    let in_words = match model.origin() {
        Origin::Measured { .. } => CERTIFICATE_IN_WORDS,
        Origin::External(_) => DECLARED_IN_WORDS,
    };
    let explanation = Explanation::new(model);
    html! {
        p { (prose(&PlainWords::new(model).promise)) }
        p { "In the words of the field: " (prose(&guarantee(model))) }
        (details(
            html! { "What is protected, what is not, and what rests on somebody’s word" },
            html! { @for paragraph in &explanation.paragraphs { h3 { (paragraph.heading) } p { (prose(&paragraph.text)) } } },
        ))
        p { "The same to be filed or signed: " a href=(in_words) { (in_words) } "." }
    }
}

fn files(names: &[&str]) -> Table {
    let list = (checksums::LIST, "SHA-256 of every other file");
    let mut table = Table::new("Files", [Column::text("file"), Column::sentences("what it is")]);
    for (name, what) in FILES.iter().filter(|(name, _)| names.contains(name) && *name != INDEX).chain([&list]) {
        table.row([html! { a href=(name) { (name) } }, prose(what)]);
    }
    table
}

fn terms(contents: &Contents<'_>) -> Markup {
    let publisher = &contents.release.publisher;
    let or_open = |said: &Option<String>, what: &str| text(said.clone().unwrap_or_else(|| placeholder(what)));
    let mut listed = vec![
        ("Published by", text(publisher.curator())),
        ("Questions to", or_open(&publisher.contact, "whom to ask")),
        ("Licence", or_open(&publisher.licence, "the licence")),
        ("Meant for", or_open(&publisher.intended_use, "what the rows are meant for")),
    ];
    listed.extend(publisher.url.as_ref().map(|url| ("Published at", text(url))));
    listed.push(("To be cited as", text(contents.citation())));
    facts(listed)
}

fn verify(contents: &Contents<'_>) -> Markup {
    let release = contents.release;
    html! {
        p {
            "Nobody has to take this page on trust. In this folder, " code { "sha256sum -c " (checksums::LIST) } " tells whether any file was \
             changed since it was made, and " code { "scumble bundle verify ." } " makes this page, every other document and every row again \
             from the model, adds up what the releases cost, and says what differs. The second needs " (PROGRAM) ". Rows were drawn with the seed "
            (release.seed) " (" (release.sampling.name()) ")."
        }
        p {
            "Neither can tell whether those who described the real table beforehand had looked at it. For that, ask the publisher. Who made \
             the folder is known only if there is a file " code { (SIGNATURE) } ": a signature, which is checked with the public key of \
             the publisher. " a href="README.md" { "README.md" } " has the command."
        }
    }
}
