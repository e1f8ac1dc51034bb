//! Reads `cargo metadata` and fails on a dependency that would give a crate access that it must not
//! have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Crates that must not depend on each other, directly or indirectly, in the built program, with
/// the reason.
const MUST_NOT_REACH: [(&str, &str, &str); 19] = [
    ("scumble-schema", "datafusion", "a browser or R build of the schema must stay possible"),
    ("scumble-vault", "datafusion", "a reviewer reads all of the vault in a day, and an engine is not part of it"),
    ("scumble-pgm", "datafusion", "models are fitted in a browser too"),
    ("scumble-mechanisms", "datafusion", "methods run wherever counts come from"),
    ("scumble-pgm", "scumble-vault", "pgm takes plain numbers, so that it cannot hold a budget or a private count"),
    ("scumble-pgm", "scumble-engine", "pgm must not be able to see a row"),
    ("scumble-mechanisms", "scumble-engine", "a method that reaches the engine could count without paying"),
    ("scumble-report", "scumble-engine", "a report is made of released values, so it must not be able to see a row"),
    ("scumble-vault", "scumble-engine", "the vault trusts no engine: it takes any source of counts"),
    ("scumble-schema", "scumble-vault", "the schema is public facts and knows nothing of budgets"),
    ("scumble-engine", "rand", "the engine is deterministic: noise is drawn once, in the vault"),
    ("scumble-cluster", "rand", "a part of a plan may run twice on a cluster, and noise must not"),
    ("scumble-engine", "scumble-cluster", "the engine plans, and whoever runs the plan is handed in"),
    ("scumble-vault", "scumble-cluster", "the vault trusts no cluster: it takes any source of counts"),
    ("scumble", "scumble-evaluate", "evaluation reads rows without paying; only programs at the edge may call it"),
    ("scumble", "scumble-audit", "audits read privacy losses without paying; only programs at the edge may call them"),
    ("scumble-audit", "datafusion", "audits of methods run wherever methods do"),
    ("scumble-testing", "datafusion", "the vault and the methods are tested without an engine"),
    ("scumble-testing", "scumble-mechanisms", "the battery is the same for every method, so it knows none"),
];

/// Crates that only the listed crates may name as a dependency, tests included.
const ONLY_BY: [(&str, &[&str], &str); 6] = [
    (
        "scumble-audit",
        &["scumble-benchmarks", "scumble-cli"],
        "audits read rows and privacy losses without paying; only programs at the edge may call them",
    ),
    (
        "pyo3",
        &["scumble-python"],
        "nothing but the Python package needs an interpreter, or code that is unsafe for its sake",
    ),
    (
        "ballista-core",
        &["scumble-cluster", "ballista-executor", "ballista-scheduler"],
        "what counts on a cluster is a plan of the engine, which knows no cluster",
    ),
    ("scumble-fuzz", &[], "fuzzing counts made-up rows exactly and links libFuzzer; it is a program of its own"),
    ("opendp", &["scumble-vault"], "OpenDP is the cross-check of our samplers, and samplers live in the vault"),
    (
        "scumble-evaluate",
        &["scumble-benchmarks", "scumble-cli", "scumble-examples", "scumble-python"],
        "evaluation reads rows without paying; only programs at the edge may call it",
    ),
];

/// Features for tests only: of the vault, and of the planted bugs.
const FOR_TESTS: [&str; 2] = ["replay", "planted-bugs"];

fn metadata() -> Value {
    // Only packages for this machine: those for other systems were never fetched.
    let host = cargo(&["-vV"]);
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("cargo prints its host");
    let text = cargo(&["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", host]);
    serde_json::from_str(&text).expect("cargo prints JSON")
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo prints text")
}

/// Returns direct dependencies by package name; with `tests`, also those of tests.
fn direct(metadata: &Value, tests: bool) -> BTreeMap<String, BTreeSet<String>> {
    let name_of: BTreeMap<&str, &str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| (package["id"].as_str().unwrap(), package["name"].as_str().unwrap()))
        .collect();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in metadata["resolve"]["nodes"].as_array().unwrap() {
        let from = name_of[node["id"].as_str().unwrap()];
        let used = |dependency: &&Value| {
            dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].is_null() || tests)
        };
        let to = node["deps"].as_array().unwrap().iter().filter(used);
        edges
            .entry(from.into())
            .or_default()
            .extend(to.map(|dependency| name_of[dependency["pkg"].as_str().unwrap()].into()));
    }
    edges
}

/// Returns a path from one package to another, if there is one.
fn way(edges: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![from.to_owned()]];
    let mut seen = BTreeSet::from([from.to_owned()]);
    while let Some(way) = ways.pop() {
        let here = way.last().expect("a way has a start");
        if here == to {
            return Some(way);
        }
        for next in edges.get(here).into_iter().flatten() {
            if seen.insert(next.clone()) {
                ways.push([way.clone(), vec![next.clone()]].concat());
            }
        }
    }
    None
}

#[test]
fn no_room_reaches_what_it_must_not_know() {
    let edges = direct(&metadata(), false);
    for (room, forbidden, why) in MUST_NOT_REACH {
        assert!(edges.contains_key(room), "`{room}` is gone: update the list of rules");
        // DataFusion itself uses `rand`; the rule is about our own code.
        let found = match forbidden {
            "rand" => edges[room].contains("rand").then(|| vec![room.to_owned(), forbidden.to_owned()]),
            _ => way(&edges, room, forbidden),
        };
        assert!(
            found.is_none(),
            "`{room}` must not reach `{forbidden}`, because {why}; it does, by {}",
            found.unwrap().join(" -> ")
        );
    }
}

#[test]
fn restricted_crates_are_used_by_listed_crates_only() {
    let edges = direct(&metadata(), true);
    for (target, allowed, why) in ONLY_BY {
        for (room, targets) in &edges {
            let allowed = allowed.contains(&room.as_str());
            assert!(allowed || !targets.contains(target), "`{room}` must not depend on `{target}`, because {why}");
        }
    }
}

#[test]
fn the_testing_crate_is_used_by_tests_only() {
    for (room, targets) in direct(&metadata(), false) {
        assert!(
            !targets.contains("scumble-testing"),
            "`{room}` must not depend on `scumble-testing` outside its tests"
        );
    }
}

#[test]
fn only_tests_enable_the_features_for_tests() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let mut tests_do = 0;
    for package in packages.filter(|package| package["name"] != "scumble-testing") {
        for dependency in package["dependencies"].as_array().unwrap() {
            let features = dependency["features"].as_array().unwrap();
            if (dependency["name"] == "scumble-vault" || dependency["name"] == "scumble-planted")
                && features.iter().any(|feature| FOR_TESTS.iter().any(|one| feature == one))
            {
                assert_eq!(dependency["kind"], "dev", "`{}` turns on what is not private", package["name"]);
                tests_do += 1;
            }
        }
    }
    assert!(tests_do > 0, "no test replays anything: update this rule");
}

#[test]
fn only_the_feature_of_fuzzing_links_its_runtime() {
    let metadata = metadata();
    // The graph of a build with default features, in which the programs that fuzz are not built.
    assert!(!direct(&metadata, true).contains_key("libfuzzer-sys"), "a build without `fuzzing` links libFuzzer");
    let packages = metadata["packages"].as_array().unwrap();
    let named = |package: &&Value| {
        package["dependencies"].as_array().unwrap().iter().any(|dependency| dependency["name"] == "libfuzzer-sys")
    };
    let users: Vec<&Value> = packages.iter().filter(named).map(|package| &package["name"]).collect();
    assert_eq!(users, ["scumble-fuzz"], "another crate names libFuzzer");
}

/// Crates that may enable the vaults of audits, which compute exact privacy losses.
const AUDITS_IN: [&str; 2] = ["scumble-audit", "scumble-benchmarks"];

#[test]
fn only_audits_enable_vaults_that_compute_privacy_losses() {
    let metadata = metadata();
    let mut users = 0;
    for package in metadata["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            let features = dependency["features"].as_array().unwrap();
            let is_room = dependency["name"].as_str().is_some_and(|name| name.starts_with("scumble-"));
            if is_room && features.iter().any(|feature| feature == "audit") {
                let name = package["name"].as_str().unwrap();
                assert!(AUDITS_IN.contains(&name), "`{name}` must not open vaults of audits");
                users += 1;
            }
        }
    }
    assert!(users > 0, "no audit opens a vault: update this rule");
}

/// Product code that may access exact counts: evaluation, and verification of published rows.
const EXACT_COUNTS_IN: [&str; 2] = ["crates/evaluate/src/", "crates/scumble/src/bundle/verify/rows.rs"];

#[test]
fn exact_counts_are_used_only_where_rows_may_be_seen() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("python/src")];
    folders.extend(std::fs::read_dir(root.join("crates")).unwrap().map(|room| room.unwrap().path().join("src")));
    let mut users = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let path = entry.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            let is_source =
                entry.extension().is_some_and(|extension| extension == "rs") && !path.starts_with("crates/engine/");
            if is_source && std::fs::read_to_string(&entry).unwrap().contains("scumble_engine::exact") {
                let allowed = EXACT_COUNTS_IN.iter().any(|allowed| path.starts_with(allowed));
                assert!(allowed, "`{path}` accesses exact counts; ask the vault instead");
                users += 1;
            }
        }
    }
    assert!(users > 0, "nothing uses exact counts: update this rule");
}

#[test]
fn a_forbidden_way_would_be_found() {
    let edges = direct(&metadata(), false);
    let found = way(&edges, "scumble-cli", "scumble-vault").expect("the program reaches the vault");
    assert!(found.len() > 1 && found[0] == "scumble-cli" && found.last().unwrap() == "scumble-vault");
}
