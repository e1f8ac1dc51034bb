//! `scumble report`: its output and its page.

use std::fmt::Write as _;

use crate::folder::{FIT, Folder, assert_output};
use crate::html::check_page;

#[test]
fn report_explains_itself() {
    assert_output!(Folder::new().run(&["report", "--help"]));
}

#[test]
fn report_says_what_it_wrote_and_why_it_could_not() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    folder.write("damaged.model", "no model");
    let texts = [
        folder.run(&["report", "a.model", "-o", "public.html"]),
        folder.run(&["report", "a.model", "-o", "public.html", "--force", "--json"]),
        folder.run(&["report", "a.model", "-o", "public.html", "--force", "--quiet"]),
        folder.run(&["report", "missing.model", "-o", "other.html"]),
        folder.run(&["report", "damaged.model", "-o", "other.html"]),
        folder.run(&["report", "a.model", "-o", "no/such/folder.html"]),
        folder.run(&["report", "a.model"]),
    ];
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"a report of \d+ KB", "a report of [SIZE] KB");
    settings.add_filter(r#""bytes":\d+"#, r#""bytes":[SIZE]"#);
    settings.add_filter(r"[0-9a-f]{64}", "[SHA-256]");
    settings.bind(|| {
        assert_output!(texts.concat());
    });
    assert!(!folder.names().contains(&"other.html".into()), "a report that fails leaves no file");
}

/// Returns the text of a page, one line per piece, without the explanation of the guarantee:
/// `inspect` prints it, and has its own tests.
fn words(html: &str) -> String {
    let body = html.split("</style>").nth(1).unwrap();
    let (before, rest) = body.split_once("<section id=\"guarantee\"").unwrap();
    let (_, after) = rest.split_once("<h3>The certificate</h3>").unwrap();
    let body = [before, after].concat();
    let mut words = String::new();
    for piece in body.split('<').filter_map(|piece| piece.split_once('>')) {
        let (tag, text) = piece;
        if !text.trim().is_empty() && !tag.starts_with("desc") {
            writeln!(words, "{}", text.trim()).unwrap();
        }
    }
    words
}

#[test]
fn a_published_page_is_whole_and_says_what_it_is_made_of() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    folder.output(&["report", "a.model", "-o", "public.html"]);
    folder.output(&["report", "a.model", "-o", "again.html"]);
    let [page, again] = ["public.html", "again.html"].map(|name| std::fs::read_to_string(folder.path(name)).unwrap());
    check_page(&page);
    assert_eq!(page, again, "the same model gives the same page");
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"[0-9a-f]{64}", "[SHA-256]");
    settings.add_filter(r"Model [0-9a-f]{16}", "Model [SHA-256]");
    settings.add_filter(r"\d+(,\d{3})*(\.\d+)?", "[N]");
    settings.bind(|| insta::assert_snapshot!(words(&page)));
}

#[test]
fn pages_of_all_methods_are_whole() {
    let folder = Folder::new();
    folder.output(&["demo", "--rows", "2000", "-o", "people"]);
    let fit = |method: &'static str| {
        let model: &'static str = "a.model";
        let goal = ["--epsilon", "1", "--delta", "1e-9", "--method", method, "--force", "-o", model];
        [&["fit", "people/people.csv", "--schema", "without-rules.schema.yaml"][..], &goal].concat()
    };
    // Not every method supports rules.
    let schema = std::fs::read_to_string(folder.path("people/people.schema.yaml")).unwrap();
    let (head, rest) = schema.split_once("  rules:").unwrap();
    folder.write("without-rules.schema.yaml", format!("{head}fields:{}", rest.split_once("fields:").unwrap().1));
    for method in ["independent", "mst", "privbayes", "privbayes-nist"] {
        let output = folder.output(&fit(method));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder.output(&["report", "a.model", "--force", "-o", "public.html"]);
        check_page(&std::fs::read_to_string(folder.path("public.html")).unwrap());
    }
}
