//! Tests of the program from the outside: whole outputs and exit codes, as snapshots.
//!
//! Noise is never seeded, so everything that depends on it is replaced by a placeholder before the
//! comparison.

mod audit;
mod bundle;
mod canaries;
#[path = "../canary/mod.rs"]
mod canary;
mod dead_column;
mod evaluate;
mod folder;
mod habits;
mod html;
mod inspect;
mod learned;
mod messages;
mod multiline;
mod older_models;
mod ordinary_files;
mod plan;
mod release;
mod report;
mod sample;
mod schema;
mod schema_new;
mod signed;
mod slips;

use std::fmt::Write as _;
use std::process::Command;

use crate::folder::{FIT, Folder, SCHEMA, assert_output};

#[test]
fn every_verb_explains_itself() {
    let folder = Folder::new();
    let verbs: [&[&str]; 17] = [
        &["--help"],
        &["demo", "--help"],
        &["schema", "--help"],
        &["schema", "draft", "--help"],
        &["schema", "import", "--help"],
        &["schema", "check", "--help"],
        &["schema", "json-schema", "--help"],
        &["fit", "--help"],
        &["sample", "--help"],
        &["synth", "--help"],
        &["marginals", "--help"],
        &["ledger", "--help"],
        &["ledger", "init", "--help"],
        &["ledger", "show", "--help"],
        &["ledger", "verify", "--help"],
        &["scheduler", "--help"],
        &["executor", "--help"],
    ];
    let texts: Vec<String> = verbs.into_iter().map(|verb| folder.run(verb)).collect();
    assert_output!(texts.join("\n"));
}

#[test]
fn a_demo_can_be_checked() {
    let folder = Folder::new();
    let texts = [
        folder.run(&["demo", "--rows", "1000", "-o", "people"]),
        folder.run(&["schema", "check", "people/people.schema.yaml"]),
    ];
    assert_output!(texts.concat());
    assert_eq!(std::fs::read_to_string(folder.path("people/people.csv")).unwrap().lines().count(), 1001);
}

#[test]
fn fit_and_sample_say_what_they_did() {
    let folder = Folder::with_table();
    let texts = [
        folder.run(&[&FIT[..], &["a.model"]].concat()),
        folder.run(&["sample", "a.model", "--rows", "70000", "--seed", "3", "-o", "a.csv"]),
        folder.run(&["sample", "a.model", "-o", "b.parquet"]),
    ];
    assert_output!(texts.concat());
    assert_eq!(std::fs::read_to_string(folder.path("a.csv")).unwrap().lines().count(), 70_001);
    assert_eq!(folder.names(), ["a.csv", "a.model", "b.parquet", "table.csv", "table.schema.yaml"]);
}

#[test]
fn people_with_many_rows_are_protected_as_a_whole() {
    let folder = Folder::new();
    let mut visits = String::from("person_id,ward,note\n");
    for visit in 0..2_000 {
        writeln!(visits, "p{},{},", visit % 90, visit % 7 % 3).unwrap();
    }
    folder.write("visits.csv", visits);
    folder.write(
        "visits.schema.yaml",
        "dp: {privacyUnit: person_id, maxContributions: 3}\nfields:\n  - {name: ward, type: integer, \
         constraints: {minimum: 0, maximum: 2, required: true}, dp: {source: public}}\n",
    );
    folder.write(
        "names.schema.yaml",
        "dp: {privacyUnit: name}\nfields:\n  - {name: ward, type: boolean, dp: {source: public}}\n",
    );
    let fit = |schema: &'static str| {
        [
            "fit",
            "visits.csv",
            "--schema",
            schema,
            "--method",
            "independent",
            "--epsilon",
            "1",
            "--delta",
            "1e-9",
            "--force",
            "-o",
            "visits.model",
        ]
    };
    let texts = [
        folder.run(&["schema", "check", "visits.schema.yaml"]),
        folder.run(&["schema", "check", "visits.schema.yaml", "--json"]),
        folder.run(&fit("visits.schema.yaml")),
        folder.run(&["inspect", "visits.model"]),
        folder.run(&["sample", "visits.model", "--rows", "5", "-o", "rows.csv"]),
        folder.run(&fit("names.schema.yaml")),
    ];
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(  \d+\.\d  ).*", "$1[MOST FREQUENT]");
    settings.bind(|| {
        assert_output!(texts.concat());
    });
    assert!(
        std::fs::read_to_string(folder.path("rows.csv")).unwrap().starts_with("ward\n"),
        "no identifier comes back"
    );
}

const INIT: [&str; 5] = ["ledger", "init", "table.ledger", "--schema", "table.schema.yaml"];

#[test]
fn a_ledger_keeps_count_and_refuses_what_is_over_its_cap() {
    let folder = Folder::with_table();
    let init = [&INIT[..], &["--epsilon", "1.5", "--delta", "1e-9"]].concat();
    let fit = |model: &'static str| [&FIT[..], &[model, "--ledger", "table.ledger"]].concat();
    let (first, second, third) = (fit("a.model"), fit("b.model"), fit("c.model"));
    let pure = ["--epsilon", "1", "--delta", "0", "--ledger", "table.ledger", "-o", "d.model"];
    let pure = [&["fit", "table.csv", "--schema", "table.schema.yaml"][..], &pure].concat();
    let resume = [&third[..], &["--resume"]].concat();
    let runs: [&[&str]; 14] = [
        &init,
        &init,
        &["ledger", "show", "table.ledger"],
        &first,
        &second,
        &third,
        &pure,
        &resume,
        &["ledger", "show", "table.ledger"],
        &["ledger", "show", "table.ledger", "--json"],
        &["ledger", "verify", "table.ledger"],
        &["inspect", "a.model"],
        &["ledger", "show", "no.ledger"],
        &["ledger", "verify", "table.csv"],
    ];
    let texts: Vec<String> = runs.into_iter().map(|run| folder.run(run)).collect();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter("[0-9a-f]{64}", "[HASH]");
    settings.add_filter("[0-9a-f]{32}", "[JOB]");
    settings.add_filter("(?m)^[0-9a-f]{12}  20[-0-9]{8} [0-9:]{8}", "[JOB]         [TIME]             ");
    settings.add_filter(r#""time":\d+"#, r#""time":[TIME]"#);
    settings.add_filter(r"(  \d+\.\d  ).*(yes|no|\d|missing).*", "$1[MOST FREQUENT]");
    settings.bind(|| {
        assert_output!(texts.join("\n"));
    });
    assert!(!folder.path("c.model").exists() && !folder.path("d.model").exists());
}

#[test]
fn a_fit_that_was_killed_goes_on_with_what_it_released() {
    let folder = Folder::with_table();
    folder.output(&[&INIT[..], &["--epsilon", "1", "--delta", "1e-9"]].concat());
    // The cap covers one run, which draws rows for hours once it has measured its tables.
    let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"));
    let synth = [
        "synth",
        "table.csv",
        "--schema",
        "table.schema.yaml",
        "--method",
        "independent",
        "--epsilon",
        "1",
        "--delta",
        "1e-9",
    ];
    program.args(synth).args(["--ledger", "table.ledger", "--rows", "1000000000000", "-o", "rows.csv"]);
    let mut running = program.current_dir(folder.root()).stdout(std::process::Stdio::null()).spawn().unwrap();
    let journalled = || {
        let jobs = std::fs::read_dir(folder.path("table.ledger.jobs")).into_iter().flatten();
        jobs.map(|job| job.unwrap().metadata().unwrap().len()).sum::<u64>()
    };
    let started = std::time::Instant::now();
    let fit = |model: &'static str| [&FIT[..], &[model, "--ledger", "table.ledger"]].concat();
    // Two tables of 12 and 2 numbers, with their events.
    while journalled() < 14 * 8 + 2 * 100 {
        assert!(started.elapsed().as_secs() < 60, "the tables were not measured");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(folder.output(&[&fit("a.model")[..], &["--resume"]].concat()).status.code(), Some(6), "it still runs");
    running.kill().unwrap();
    running.wait().unwrap();

    assert_eq!(folder.output(&fit("a.model")).status.code(), Some(4), "what it reserved is spent");
    // The same job, resumed at two places: both must release the journalled values, so they cannot
    // differ.
    let copy = Folder::with_table();
    std::fs::create_dir(copy.path("table.ledger.jobs")).unwrap();
    for entry in std::fs::read_dir(folder.path("table.ledger.jobs")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path("table.ledger.jobs").join(entry.file_name())).unwrap();
    }
    std::fs::copy(folder.path("table.ledger"), copy.path("table.ledger")).unwrap();
    let rows = [&folder, &copy].map(|folder| {
        let resumed = folder.output(&[&fit("a.model")[..], &["--resume"]].concat());
        assert_eq!(resumed.status.code(), Some(0), "{}", String::from_utf8_lossy(&resumed.stderr));
        folder.output(&["sample", "a.model", "--rows", "1000", "--seed", "1", "-o", "a.csv"]);
        std::fs::read(folder.path("a.csv")).unwrap()
    });
    assert_eq!(rows[0], rows[1]);
    assert_eq!(folder.output(&fit("b.model")).status.code(), Some(4), "nothing was given back");
    let shown = folder.output(&["ledger", "show", "table.ledger", "--json"]).stdout;
    let shown: serde_json::Value = serde_json::from_slice(&shown).unwrap();
    assert_eq!((shown["jobs"].as_array().unwrap().len(), &shown["jobs"][0]["releases"]), (1, &serde_json::json!(2)));
}

#[test]
fn a_fit_that_read_nothing_spends_nothing() {
    let folder = Folder::with_table();
    folder.output(&[&INIT[..], &["--epsilon", "1", "--delta", "1e-9"]].concat());
    folder.write("torn.parquet", b"PAR1 and then nothing");
    let torn = [
        "fit",
        "torn.parquet",
        "--schema",
        "table.schema.yaml",
        "--method",
        "independent",
        "--epsilon",
        "1",
        "--delta",
        "1e-9",
    ];
    let failed = folder.output(&[&torn[..], &["--ledger", "table.ledger", "-o", "a.model"]].concat());
    assert_eq!(failed.status.code(), Some(3));
    let fit = [&FIT[..], &["a.model", "--ledger", "table.ledger"]].concat();
    assert_eq!(folder.output(&fit).status.code(), Some(0));
}

#[test]
fn json_is_one_object_also_when_a_command_fails() {
    let folder = Folder::with_table();
    let runs: [&[&str]; 4] = [
        &["schema", "check", "table.schema.yaml", "--json"],
        &[
            "synth",
            "table.csv",
            "--schema",
            "table.schema.yaml",
            "--method",
            "independent",
            "--epsilon",
            "1",
            "--delta",
            "1e-9",
            "--force",
            "-o",
            "s.csv",
            "--json",
        ],
        &["inspect", "nothing.model", "--json"],
        &["schema", "draft", "table.csv", "--json"],
    ];
    for arguments in runs {
        let output = folder.output(arguments);
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(value.is_object());
        assert_eq!(value.get("error").is_some(), !output.status.success(), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let output = folder.output(runs[1]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(value["summary"]["certificate"]["epsilon"].as_f64().unwrap() <= 1.0);
    assert_eq!(value["summary"]["certificate"]["events"].as_array().unwrap().len(), 2);
}

#[test]
fn errors_name_the_problem_and_the_fix_and_have_their_exit_codes() {
    let folder = Folder::with_table();
    folder.write("broken.schema.yaml", "fields:\n  - {name: age, type: integer}\n  - {name: where, type: string}\n");
    folder.write("other.schema.yaml", SCHEMA.replace("smoker", "smokes"));
    folder.write("huge.schema.yaml", huge_schema());
    folder.write("not.model", "SCUMBLE\nnot really, but it goes on for long enough to have a checksum");
    folder.write("not.parquet", "PAR1 not really");
    let fit = |data: &'static str, schema: &'static str| {
        [
            "fit",
            data,
            "--schema",
            schema,
            "--method",
            "independent",
            "--epsilon",
            "1",
            "--delta",
            "1e-9",
            "-o",
            "x.model",
        ]
    };
    let runs: [&[&str]; 12] = [
        &["schema", "check", "broken.schema.yaml"],
        &["schema", "check", "absent.schema.yaml"],
        &["schema", "check", "huge.schema.yaml"],
        &fit("table.csv", "other.schema.yaml"),
        &fit("absent.csv", "table.schema.yaml"),
        &fit("not.parquet", "table.schema.yaml"),
        &["fit", "table.csv", "--schema", "table.schema.yaml", "--epsilon", "0", "--delta", "1e-9", "-o", "x.model"],
        &[
            "fit",
            "table.csv",
            "--schema",
            "table.schema.yaml",
            "--epsilon",
            "1e-13",
            "--delta",
            "1e-300",
            "-o",
            "x.model",
        ],
        &[
            "fit",
            "table.csv",
            "--schema",
            "table.schema.yaml",
            "--method",
            "independent",
            "--epsilon",
            "1",
            "--delta",
            "1e-9",
            "-o",
            "no/such/x.model",
        ],
        &["sample", "not.model", "-o", "x.csv"],
        &["sample", "table.csv", "-o", "x.csv"],
        &["frobnicate"],
    ];
    let texts: Vec<String> = runs.into_iter().map(|arguments| folder.run(arguments)).collect();
    assert_output!(texts.join("\n"));
    assert!(!folder.names().iter().any(|name| name.starts_with("x.")), "a command that fails leaves no file");
}

/// Returns a schema of two hundred columns with half a million codes each.
fn huge_schema() -> String {
    let fields: Vec<String> = (0..200)
        .map(|column| format!("  - {{name: c{column}, type: integer, constraints: {{minimum: 1, maximum: 500000}}}}\n"))
        .collect();
    format!("fields:\n{}", fields.concat())
}

#[test]
fn a_draft_holds_nothing_of_the_data_and_says_what_to_fill_in() {
    let folder = Folder::new();
    folder.write("t.csv", "name,income: EUR\nCANARY-7731,918273\n");
    assert_output!(folder.run(&["schema", "draft", "t.csv"]));
}

#[test]
fn an_import_of_an_mbi_domain_can_be_used_as_it_is() {
    let folder = Folder::new();
    folder.write("domain.json", "{\"sex\": 2, \"age\": 4}");
    folder.write("data.csv", "age,sex\n3,1\n0,0\n");
    let texts = [
        folder.run(&["schema", "import", "--from", "mbi", "domain.json"]),
        folder.run(&["schema", "import", "--from", "mbi", "domain.json", "-o", "s.yaml"]),
        folder.run(&[
            "synth",
            "data.csv",
            "--schema",
            "s.yaml",
            "--method",
            "independent",
            "--epsilon",
            "1",
            "--delta",
            "1e-9",
            "--rows",
            "5",
            "-o",
            "s.csv",
        ]),
    ];
    assert_output!(texts.concat());
}

#[test]
fn an_import_of_a_typed_file_takes_names_and_types_and_assumes_the_rest() {
    let folder = Folder::new();
    folder.output(&["demo", "--rows", "100", "-o", "."]);
    let fit = [
        "synth",
        "people.csv",
        "--schema",
        "people.schema.yaml",
        "--method",
        "mst",
        "--epsilon",
        "1",
        "--delta",
        "1e-9",
        "-o",
    ];
    for (format, name) in [("parquet", "a.parquet"), ("arrow", "a.arrow")] {
        assert!(folder.output(&[&fit[..], &[name]].concat()).status.success());
        let text = folder.run(&["schema", "import", "--from", format, name]);
        assert_output!(text.split_once('\n').unwrap().1);
    }
}

#[test]
fn quiet_prints_nothing() {
    let folder = Folder::with_table();
    let output = folder.output(&[&FIT[..], &["a.model", "--quiet"]].concat());
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
}

#[test]
fn columns_that_nobody_vouched_for_are_named() {
    let folder = Folder::with_table();
    folder.write("table.schema.yaml", SCHEMA.replacen("source: public, ", "", 1));
    assert_output!(folder.run(&[&FIT[..], &["a.model"]].concat()));
}

#[test]
fn two_fits_of_one_table_have_different_noise_and_no_seed_changes_that() {
    let folder = Folder::with_table();
    for name in ["a.model", "b.model"] {
        assert!(folder.output(&[&FIT[..], &[name]].concat()).status.success());
    }
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_ne!(read("a.model"), read("b.model"));
    let seeded = folder.output(&[&FIT[..], &["c.model", "--seed", "1"]].concat());
    assert_eq!(seeded.status.code(), Some(2), "a fit takes no seed");
}

#[test]
fn the_same_seed_draws_the_same_rows_in_every_format() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    for name in ["a.csv", "b.csv"] {
        assert!(folder.output(&["sample", "a.model", "--seed", "9", "-o", name]).status.success());
    }
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(read("a.csv"), read("b.csv"));
}

#[test]
fn every_method_fits_and_its_model_is_shown_and_sampled() {
    let folder = Folder::with_table();
    let public = format!("dp: {{adjacency: replace-one}}\n{SCHEMA}");
    folder.write("public.schema.yaml", public);
    let run = |schema: &str, method: &[&str], delta: &str| {
        let fit = [
            "fit",
            "table.csv",
            "--schema",
            schema,
            "--epsilon",
            "5",
            "--delta",
            delta,
            "--force",
            "-o",
            "a.model",
            "--quiet",
        ];
        let fitted = folder.output(&[&fit[..], method].concat());
        assert!(fitted.status.success(), "{method:?}: {}", String::from_utf8_lossy(&fitted.stderr));
        let shown = folder.run(&["inspect", "a.model"]);
        assert!(folder.output(&["sample", "a.model", "--force", "-o", "a.csv"]).status.success());
        shown
    };
    assert!(run("table.schema.yaml", &[], "1e-9").contains("method     auto"));
    assert!(run("table.schema.yaml", &[], "0").contains("method     pb-pgm"));
    for profile in ["best", "paper"] {
        let field = run("table.schema.yaml", &["--method", "privmrf", "--profile", profile], "1e-9");
        assert!(field.contains("method     privmrf"), "{field}");
    }
    for method in ["independent", "privbayes", "pb-pgm"] {
        assert!(run("table.schema.yaml", &["--method", method], "0").contains("5-differentially private"));
    }
    let network = run("table.schema.yaml", &["--method", "privbayes", "--option", "degree=1"], "0");
    assert!(network.contains("drawn in this order") && network.contains("measured together"), "{network}");
    let bits = run("table.schema.yaml", &["--method", "privbayes", "--option", "encoding=binary"], "0");
    assert!(bits.contains("age, binary digit"), "{bits}");
    run("public.schema.yaml", &["--method", "smoothed-histogram"], "1e-9");
    run("public.schema.yaml", &["--method", "privbayes", "--option", "score=i", "--option", "degree=1"], "0");
}

#[test]
fn a_method_that_cannot_do_what_was_asked_says_what_can() {
    let folder = Folder::with_table();
    let fit = |arguments: &[&str]| {
        let fit = ["fit", "table.csv", "--schema", "table.schema.yaml", "--epsilon", "1", "-o", "a.model"];
        folder.run(&[&fit[..], arguments].concat())
    };
    let runs = [
        fit(&["--delta", "0", "--method", "privbayes-nist"]),
        fit(&["--delta", "0", "--method", "smoothed-histogram"]),
        fit(&["--delta", "0", "--method", "privbayes", "--option", "gamma=1"]),
        fit(&["--delta", "0", "--method", "privbayes", "--option", "beta=2"]),
        fit(&["--delta", "1e-9", "--method", "privmrf", "--profile", "fastest"]),
        fit(&["--delta", "1e-9", "--method", "privmrf", "--profile", "paper", "--option", "profile=best"]),
        fit(&["--delta", "0", "--method", "privbays"]),
        fit(&["--delta", "1e-9", "--method", "mst", "--effort", "low"]),
        fit(&["--delta", "1e-9", "--effort", "hihg"]),
    ];
    assert_output!(runs.join("\n"));
}

/// Tables of the two columns, as another party could release them.
const MARGINALS: &str = r#"{
"version": 1,
"privacy": {"epsilon": 0.5, "delta": 1e-7, "adjacency": "add-remove", "unit": "row", "maker": "the warehouse of a test", "note": "noise by a vetted library"},
"tables": [
{"columns": ["smoker"], "standard_deviation": 4, "noise": "geometric", "counts": [252, 249]},
{"columns": ["smoker", "age"], "standard_deviation": 8.5, "counts": [125.5, 0, 3, 121, -2, 0, 1, 0, 0, 0, 1, -6, 1, 0, 118, 2, -1, 0, 7, 0, 0, 130]}
]
}
"#;

#[test]
fn tables_made_elsewhere_become_a_model_that_says_who_vouches_for_it() {
    let folder = Folder::with_table();
    folder.write("made.json", MARGINALS);
    let fit = ["fit", "--schema", "table.schema.yaml", "--from-marginals", "made.json", "-o"];
    let runs: [&[&str]; 9] = [
        &[&fit[..], &["made.model"]].concat(),
        &["inspect", "made.model"],
        &["inspect", "made.model", "--json"],
        &["sample", "made.model", "--seed", "1", "-o", "made.csv"],
        &["sample", "made.model", "--rows", "7", "-o", "made.parquet", "--json"],
        &["synth", "--schema", "table.schema.yaml", "--from-marginals", "made.json", "-o", "synth.csv"],
        &["marginals", "made.model", "-o", "again.json"],
        &[&fit[..], &["quiet.model", "--quiet"]].concat(),
        &["marginals", "made.model", "-o", "again.json", "--force", "--json"],
    ];
    let texts: Vec<String> = runs.into_iter().map(|run| folder.run(run)).collect();
    let mut settings = insta::Settings::clone_current();
    // Estimates may differ in their last digits between machines.
    settings.add_filter(r#""share":[-.e0-9]+"#, r#""share":[SHARE]"#);
    settings.bind(|| {
        assert_output!(texts.join("\n"));
    });
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(read("made.model"), read("quiet.model"), "no noise is drawn");
    folder.output(&["fit", "--schema", "table.schema.yaml", "--from-marginals", "again.json", "-o", "again.model"]);
    assert_eq!(read("again.model"), read("made.model"), "the tables come out as they went in");
}

#[test]
fn external_tables_are_refused_with_a_hint() {
    let folder = Folder::with_table();
    let fit = ["fit", "--schema", "table.schema.yaml", "-o", "x.model", "--from-marginals"];
    let refused = |content: &str| {
        folder.write("made.json", content);
        folder.run(&[&fit[..], &["made.json"]].concat())
    };
    let (alone, _) = MARGINALS.split_once(",\n{\"columns\": [\"smoker\", \"age\"]").unwrap();
    let all = "[".to_owned() + &"0,".repeat(10_000_001) + "0]";
    let texts = [
        refused("age,smoker\n1,yes\n"),
        refused(&MARGINALS.replace("\"maker\"", "\"makers\"")),
        refused(&MARGINALS.replace("\"epsilon\": 0.5, ", "")),
        refused(&MARGINALS.replace("add-remove", "replace-one")),
        refused(&MARGINALS.replace("\"smoker\", \"age\"", "\"smoker\", \"height\"")),
        refused(&MARGINALS.replace("\"smoker\", \"age\"", "\"smoker\"")),
        refused(&MARGINALS.replace("\"standard_deviation\": 4, ", "")),
        refused(&MARGINALS.replace("\"standard_deviation\": 4", "\"standard_deviation\": 0")),
        refused(&MARGINALS.replace("[252, 249]", "[252, null]")),
        refused(&format!("{alone}]}}")),
        refused(&MARGINALS.replace("[252, 249]", &all)),
        folder.run(&[&fit[..], &["absent.json"]].concat()),
        folder.run(&[&fit[..], &["made.json", "table.csv"]].concat()),
        folder
            .run(&[&fit[..], &["made.json", "--epsilon", "1", "--delta", "1e-9", "--method", "independent"]].concat()),
        folder.run(&[&fit[..], &["made.json", "--ledger", "table.ledger"]].concat()),
        folder.run(&["marginals", "table.csv", "-o", "x.json"]),
    ];
    assert_output!(texts.join("\n"));
    assert_eq!(folder.names(), ["made.json", "table.csv", "table.schema.yaml"]);
}

#[test]
fn tables_of_a_model_can_be_given_to_others_and_fitted_again() {
    let folder = Folder::with_table();
    let fit = [
        "fit",
        "table.csv",
        "--schema",
        "table.schema.yaml",
        "--epsilon",
        "5",
        "--delta",
        "1e-9",
        "--force",
        "-o",
        "a.model",
    ];
    for method in ["independent", "privbayes-nist", "auto"] {
        for arguments in [
            &[&fit[..], &["--method", method]].concat()[..],
            &["marginals", "a.model", "--force", "-o", "a.json"],
            &["fit", "--schema", "table.schema.yaml", "--from-marginals", "a.json", "--force", "-o", "b.model"],
            &["sample", "b.model", "--rows", "50", "--force", "-o", "b.csv"],
        ] {
            let output = folder.output(arguments);
            assert!(output.status.success(), "{method}: {}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(std::fs::read_to_string(folder.path("b.csv")).unwrap().lines().count(), 51);
        assert!(folder.run(&["inspect", "b.model"]).contains("not accounted for by this program"));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_half_written_file() {
    let folder = Folder::with_table();
    folder.output(&[&FIT[..], &["a.model"]].concat());
    let mut child = Command::new(env!("CARGO_BIN_EXE_scumble"))
        .args(["sample", "a.model", "--rows", "100000000", "-o", "endless.csv"])
        .current_dir(folder.root())
        .spawn()
        .unwrap();
    // A file is being written once the folder has a new file.
    within_a_minute(|| (folder.names().len() > 3).then_some(()));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let ended = within_a_minute(|| child.try_wait().unwrap());
    assert_eq!(ended.code(), Some(130));
    assert_eq!(folder.names(), ["a.model", "table.csv", "table.schema.yaml"]);
}

/// Starts a fit that keeps its private files in `spill`, and waits until it has some.
#[cfg(unix)]
fn fit_with_private_files(folder: &Folder) -> std::process::Child {
    let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"));
    program.args([
        "fit",
        "visits.csv",
        "--schema",
        "visits.schema.yaml",
        "--method",
        "independent",
        "--epsilon",
        "1",
        "--delta",
        "1e-9",
    ]);
    program.args(["--spill-dir", "spill", "--memory-limit", "256MiB", "-o", "visits.model"]);
    let child = program.current_dir(folder.root()).stderr(std::process::Stdio::null()).spawn().unwrap();
    within_a_minute(|| (private_files(folder) > 0).then_some(()));
    child
}

#[cfg(unix)]
fn private_files(folder: &Folder) -> usize {
    let rooms = std::fs::read_dir(folder.path("spill")).unwrap();
    // A directory that is being created has another name, and is still empty.
    rooms.filter(|room| room.as_ref().unwrap().file_name().to_string_lossy().starts_with("scumble-spill-")).count()
}

#[cfg(unix)]
#[test]
fn private_files_go_with_ctrl_c_and_after_a_kill_at_the_next_start() {
    let folder = Folder::new();
    // Enough rows to interrupt a fit while it sorts them by person, also on a busy machine.
    let rows = (0..3_000_000_u64).fold(String::from("person,age\n"), |mut rows, row| {
        writeln!(rows, "{},{}", row * 7_919 % 100_003, row % 90).unwrap();
        rows
    });
    folder.write("visits.csv", rows);
    folder.write(
        "visits.schema.yaml",
        "dp: {privacyUnit: person, maxContributions: 2}\nfields:\n  - {name: age, type: integer, constraints: {minimum: 0, maximum: 89}, dp: {source: public}}\n",
    );
    std::fs::create_dir(folder.path("spill")).unwrap();

    let mut interrupted = fit_with_private_files(&folder);
    assert!(Command::new("kill").args(["-INT", &interrupted.id().to_string()]).status().unwrap().success());
    assert_eq!(interrupted.wait().unwrap().code(), Some(130));
    assert_eq!(private_files(&folder), 0, "an interrupted run removes its files");

    let mut killed = fit_with_private_files(&folder);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(private_files(&folder), 1, "a killed run cannot remove anything");
    let mut next = fit_with_private_files(&folder);
    assert!(next.wait().unwrap().success());
    assert_eq!(private_files(&folder), 0, "the next run removed both");
    assert_eq!(folder.names(), ["spill", "visits.csv", "visits.model", "visits.schema.yaml"]);
}

/// Waits up to a minute until `look` returns a value.
fn within_a_minute<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = std::time::Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(start.elapsed().as_secs() < 60, "a minute has passed");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn no_message_shows_the_password_of_a_database() {
    let folder = Folder::with_table();
    let fit = |data: &str| {
        let mut arguments = FIT.to_vec();
        arguments[1] = data;
        folder.run(&[&arguments[..], &["m.model"]].concat()).replacen(data, "[DATA]", 1)
    };
    // No server is needed for errors before the connection: a wrong address, and a port without a
    // server.
    for (data, exit_code, words) in [
        ("postgresql://ann:SECRET@127.0.0.1/d", 2, "it names no table"),
        ("postgres://ann:SECRET/x@127.0.0.1/d?table=t", 2, "the port is not a number"),
        ("postgresql://ann:SECRET@127.0.0.1:1/d?table=t", 6, "`postgresql://ann@127.0.0.1:1/d?table=t`: the database"),
    ] {
        for shown in [fit(data), folder.run(&["schema", "draft", data]).replacen(data, "[DATA]", 1)] {
            assert!(shown.contains(words) && shown.contains("hint: "), "{shown}");
            assert!(shown.contains(&format!("exit code {exit_code}")) && !shown.contains("SECRET"), "{shown}");
        }
    }
    assert_eq!(folder.names(), ["table.csv", "table.schema.yaml"]);
}
