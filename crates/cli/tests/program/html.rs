//! Checks of every page that the program writes, as far as possible without a browser.

use std::collections::BTreeSet;

/// Elements without content or end.
const VOID: [&str; 5] = ["meta", "link", "br", "hr", "img"];
/// The namespace of SVG is a name, not an address: nothing is loaded from it.
const NAMESPACE: &str = "xmlns=\"http://www.w3.org/2000/svg\"";

/// Fails unless the page is one file without scripts that loads nothing, all elements are closed in
/// order, every id is unique and every link has a target, every picture has a title, and nothing
/// can be wider than the screen: tables are in areas that scroll, and pictures can shrink.
#[track_caller]
pub(crate) fn check_page(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html><html lang=\"en\">"), "no HTML");
    let loaded = html.replace(NAMESPACE, "");
    for forbidden in
        ["http://", "https://", "<script", "<iframe", "<object", "<embed", "@import", "url(", "javascript:"]
    {
        assert!(!loaded.contains(forbidden), "a page holds `{forbidden}`");
    }
    assert!(html.contains("default-src 'none'"), "no policy");
    let mut open: Vec<&str> = Vec::new();
    // Whether each open element is an area that scrolls, or inside one.
    let mut scrolled: Vec<bool> = vec![false];
    let (mut ids, mut links) = (BTreeSet::new(), Vec::new());
    let mut rest = html.strip_prefix("<!DOCTYPE html>").unwrap();
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let (tag, after) = (&rest[start + 1..end], &rest[end + 1..]);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "an element ends that is not the last one opened");
            scrolled.pop();
            continue;
        }
        let name = tag.split([' ', '\n', '/']).next().unwrap();
        if let Some(id) = attribute(tag, "id") {
            assert!(ids.insert(id), "the id `{id}` is there twice");
        }
        links.extend(attribute(tag, "href").and_then(|target| target.strip_prefix('#')));
        links.extend(attribute(tag, "aria-labelledby"));
        assert!(name != "svg" || after.trim_start().starts_with("<title>"), "a picture has no title");
        let is_scrolled = scrolled.last() == Some(&true)
            || attribute(tag, "class").is_some_and(|classes| classes.split(' ').any(|class| class == "scroll"));
        assert!(name != "table" || is_scrolled, "a table may be wider than the screen");
        assert!(name != "svg" || attribute(tag, "viewBox").is_some(), "a picture cannot shrink");
        if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
            scrolled.push(is_scrolled);
        }
        if name == "style" {
            rest = &rest[rest.find("</style>").expect("a style ends")..];
        }
    }
    assert_eq!(open, [""; 0], "an element is never ended");
    for link in links {
        assert!(ids.contains(link), "nothing has the id `{link}`");
    }
}

/// Returns the value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}
