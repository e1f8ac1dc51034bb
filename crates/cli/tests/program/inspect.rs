//! `scumble inspect`.

use crate::MARGINALS;
use crate::folder::{FIT, Folder, SCHEMA, assert_output};

#[test]
fn inspect_explains_itself() {
    assert_output!(Folder::new().run(&["inspect", "--help"]));
}

/// Compares the output for a fit of independent columns, whose certificate does not depend on
/// noise.
fn assert_inspected(folder: &Folder, arguments: &[&str]) {
    let text = folder.run(arguments);
    let mut settings = insta::Settings::clone_current();
    // The most frequent values depend on noise here; that they are shown does not.
    settings.add_filter(r"(?m)(  \d+\.\d  ).*$", "$1[MOST FREQUENT]");
    settings.add_filter(r#""most_frequent":\[.*?\]"#, r#""most_frequent":[SHARES]"#);
    settings.add_filter(r#""rows":\d+"#, r#""rows":[ROWS]"#);
    settings.set_snapshot_suffix(arguments.join(" ").replace([' ', '.'], "-"));
    settings.bind(|| {
        assert_output!(text);
    });
}

#[test]
fn inspect_shows_columns_noise_odds_and_certificate() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    assert_inspected(&folder, &["inspect", "a.model"]);
    assert_inspected(&folder, &["inspect", "a.model", "--explain"]);
    assert_inspected(&folder, &["inspect", "a.model", "--json"]);
    assert_inspected(&folder, &["inspect", "a.model", "--quiet"]);
}

#[test]
fn a_picture_is_written_whole_or_not_at_all() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    let texts = [
        folder.run(&["inspect", "a.model", "--explain", "--svg", "a.svg", "--quiet"]),
        folder.run(&["inspect", "a.model", "--svg", "nowhere/a.svg"]),
        folder.run(&["inspect", "table.csv", "--svg", "b.svg"]),
    ];
    assert_output!(texts.join("\n"));
    assert_output!(std::fs::read_to_string(folder.path("a.svg")).unwrap());
    assert_eq!(folder.names(), ["a.model", "a.svg", "table.csv", "table.schema.yaml"]);
    let noted = folder.output(&["inspect", "a.model", "--force", "--svg", "a.svg"]);
    assert_eq!(String::from_utf8(noted.stderr).unwrap(), "note: wrote a picture of the model to a.svg\n");
    let shown = folder.output(&["inspect", "a.model", "--force", "--svg", "a.svg", "--json"]);
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["svg"], "a.svg");
}

/// The page depends on the terms of the schema, on the origin of the noise and on the ledger.
#[test]
fn the_explanation_says_what_is_protected_and_who_says_so() {
    let folder = Folder::with_table();
    let with = |name: &str, terms: &str| {
        folder.write(name, format!("{terms}\n{}", SCHEMA.replace("source: public}", "source: assumed}")));
    };
    with("several.yaml", "dp: {maxContributions: 3}");
    folder.write(
        "unit.yaml",
        "dp: {privacyUnit: age, maxContributions: 2, adjacency: replace-one}\nfields:\n  - {name: smoker, type: string, \
         constraints: {enum: [yes, no], required: true}, dp: {source: public}}\n",
    );
    with("replaced.yaml", "dp: {adjacency: replace-one}");
    let budget = ["--epsilon", "0.5", "--delta", "1e-7"];
    folder.output(&[&["ledger", "init", "a.ledger", "--schema", "table.schema.yaml"][..], &budget].concat());
    let fit = |schema: &'static str| {
        ["fit", "table.csv", "--schema", schema, "--method", "independent", "--force", "-o", "a.model"]
    };
    folder.write("made.json", MARGINALS);
    folder.write("rho.json", MARGINALS.replace(r#""epsilon": 0.5, "delta": 1e-7"#, r#""rho": 0.02"#));
    let made = |file: &'static str| {
        ["fit", "--schema", "table.schema.yaml", "--from-marginals", file, "--force", "-o", "a.model"]
    };
    let fits: [&[&str]; 6] = [
        &[&fit("several.yaml")[..], &budget].concat(),
        &[&fit("unit.yaml")[..], &budget].concat(),
        &[&fit("replaced.yaml")[..], &["--epsilon", "0.5", "--delta", "0"]].concat(),
        &[&fit("table.schema.yaml")[..], &budget, &["--ledger", "a.ledger"]].concat(),
        &made("made.json"),
        &made("rho.json"),
    ];
    let texts: Vec<String> = fits
        .iter()
        .map(|fit| {
            let output = folder.output(fit);
            assert!(output.status.success(), "{fit:?}: {}", String::from_utf8_lossy(&output.stderr));
            format!("# {}\n{}", fit.join(" "), folder.run(&["inspect", "a.model", "--explain"]))
        })
        .collect();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter("[0-9a-f]{32}", "[JOB]");
    settings.bind(|| {
        assert_output!(texts.join("\n"));
    });
}

#[test]
fn names_in_a_model_cannot_control_the_terminal() {
    let folder = Folder::new();
    let name = r#""sex\x1b[2J\x07""#;
    folder.write(
        "a.schema.yaml",
        format!("title: {name}\nfields: [{{name: {name}, type: string, constraints: {{enum: [{name}, m], required: true}}}}]"),
    );
    let tables = r#"{"version": 1, "privacy": {"epsilon": 1, "delta": 0, "adjacency": "add-remove", "unit": "row", "maker": "x"},
        "tables": [{"columns": ["sex\u001b[2J\u0007"], "standard_deviation": 2, "counts": [10, 20]}]}"#;
    folder.write("a.json", tables);
    folder.output(&["fit", "--from-marginals", "a.json", "--schema", "a.schema.yaml", "-o", "a.model"]);
    for arguments in [
        &["inspect", "a.model"][..],
        &["inspect", "a.model", "--explain"],
        &["sample", "a.model", "--where", "x=1", "-o", "a.csv"],
    ] {
        let output = folder.output(arguments);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(!text.is_empty() && text.chars().all(|letter| letter == '\n' || !letter.is_control()), "{text:?}");
    }
    let shown = folder.output(&["inspect", "a.model"]);
    assert!(String::from_utf8(shown.stdout).unwrap().contains(r"sex\u{1b}[2J"));
}
