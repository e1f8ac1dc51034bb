//! Reads a bundle with other tools: Frictionless, Croissant, Arrow, a YAML reader and `sha256sum`.
//!
//! They are in a Python environment that `.ci/bundle-peers` creates. Without it the test is
//! skipped, and says so; with `SCUMBLE_REQUIRE_PEERS` set, as in the nightly run, it fails.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support;
use scumble::bundle::{self, Publisher, Release};

fn python() -> Option<PathBuf> {
    let peers = std::env::var_os("SCUMBLE_PEERS").map(PathBuf::from);
    let peers = peers.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/scumble-peers")));
    peers.map(|peers| peers.join("bundle/bin/python")).filter(|python| python.exists())
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that was skipped says so")]
fn other_tools_read_a_bundle_without_errors() {
    let Some(python) = python() else {
        assert!(std::env::var_os("SCUMBLE_REQUIRE_PEERS").is_none(), "run .ci/bundle-peers first");
        eprintln!("SKIPPED: no Python environment with other tools; .ci/bundle-peers creates it");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library/bundle_peers.py");
    let everything = Publisher {
        title: Some("Visits: a \"quoted\" title, 100 % made up".into()),
        description: Some("It's # all: 'made up'".into()),
        version: Some("2.0.0".into()),
        licence: Some("https://creativecommons.org/licenses/by/4.0/".into()),
        contact: Some("data@office.example".into()),
        url: Some("https://office.example/visits".into()),
        intended_use: Some("yes".into()),
        region: Some("no".into()),
        ..support::release().publisher
    };
    let model = support::model("mst");
    for publisher in [support::release().publisher, Publisher::default(), everything] {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("bundle");
        bundle::create(&model, &Release { publisher, ..support::release() }, &folder, |_| true).unwrap();
        let output = Command::new(&python).arg(&script).arg(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
    }
}
