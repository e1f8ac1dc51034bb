//! Checks that the page of the privacy tests lists every mutant with the test that catches it.

use std::path::Path;

use scumble_planted::{CaughtBy, Facts, Mutant};

#[test]
fn the_page_of_privacy_tests_lists_every_mutant() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/privacy-tests.md");
    let page = std::fs::read_to_string(path).unwrap();
    let listed: Vec<&str> = page.lines().skip_while(|line| !line.starts_with("| mutant |")).skip(2).collect();
    let listed: Vec<&str> = listed.into_iter().take_while(|line| line.starts_with('|')).collect();
    let expected = Mutant::ALL.map(|mutant| {
        let Facts { name, room, mistake, caught_by: CaughtBy { target, test, .. } } = mutant.facts();
        format!("| `{name}` | {room} | {mistake} | `{target}`: `{test}` |")
    });
    assert_eq!(listed, expected, "the table should read:\n{}", expected.join("\n"));
}
