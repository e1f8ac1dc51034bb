//! `scumble audit`: bounds beside claims, stamps where real rows are read, and slips.

use serde_json::Value;

use crate::folder::Folder;
use crate::html::check_page;

const STAMP: &str = "NOT DIFFERENTIALLY PRIVATE: computed from the real rows, for their steward only";
/// A claim that a few dozen fits say something about.
const GOAL: [&str; 4] = ["--epsilon", "8", "--delta", "1e-5"];
const METHOD: [&str; 4] = ["audit", "method", "--method", "independent"];

/// Runs with `--json`, and returns the exit code and the object.
fn json(folder: &Folder, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = folder.output(&[arguments, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), serde_json::from_str(text.lines().next().unwrap_or_default()).unwrap_or_default())
}

/// Writes members and held-out rows of three columns.
fn with_halves() -> Folder {
    let folder = Folder::new();
    folder.write(
        "s.yaml",
        "fields:\n\
         \x20 - {name: a, type: integer, constraints: {minimum: 0, maximum: 9, required: true}}\n\
         \x20 - {name: b, type: integer, constraints: {minimum: 0, maximum: 9, required: true}}\n\
         \x20 - {name: c, type: integer, constraints: {minimum: 0, maximum: 9, required: true}}\n",
    );
    // Digits of the middle of a product: rows have little in common.
    let rows = |first: usize| {
        let row = |row: usize| {
            let digits = (row * 2_654_435_761 % (1 << 32)) >> 12;
            format!("{},{},{}\n", digits % 10, digits / 10 % 10, digits / 100 % 10)
        };
        let rows: String = (first..first + 300).map(row).collect();
        format!("a,b,c\n{rows}")
    };
    folder.write("members.csv", rows(1_000));
    folder.write("held-out.csv", rows(9_000));
    folder
}

#[test]
fn a_method_is_attacked_on_made_up_tables() {
    let folder = Folder::new();
    let (code, audit) = json(&folder, &[&METHOD[..], &GOAL, &["--runs", "120", "-o", "audit.html"]].concat());
    assert_eq!((code, &audit["reads_real_rows"]), (Some(0), &Value::Bool(false)));
    let pairs = audit["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 2);
    for pair in pairs {
        let (proved, claimed) = (pair["whole"]["mu"]["value"].as_f64(), pair["whole"]["claim"]["mu"].as_f64());
        assert!(proved.unwrap() <= claimed.unwrap(), "{pair}");
    }
    let page = std::fs::read_to_string(folder.path("audit.html")).unwrap();
    check_page(&page);
    assert!(!page.contains(STAMP), "made-up rows are no secret");
}

#[test]
fn an_audit_of_real_rows_is_stamped() {
    let folder = with_halves();
    folder.write("one.csv", "a,b,c\n9,9,9\n");
    let real = ["members.csv", "--schema", "s.yaml", "--plant", "one.csv"];
    let text = folder.run(&[&METHOD[..], &real, &GOAL, &["--runs", "20", "-o", "audit.html"]].concat());
    assert!(text.lines().nth(1) == Some(STAMP) && text.ends_with("exit code 0\n"), "{text}");
    let page = std::fs::read_to_string(folder.path("audit.html")).unwrap();
    check_page(&page);
    assert!(page.contains(STAMP));
}

#[test]
fn an_audit_that_was_cut_off_is_continued() {
    let folder = Folder::new();
    let audit = |runs: &str| {
        let output = json(&folder, &[&METHOD[..], &GOAL, &["--runs", runs, "--journal", "runs.jsonl"]].concat());
        (output.1["pairs"][0]["runs"].clone(), std::fs::read_to_string(folder.path("runs.jsonl")).unwrap())
    };
    let (runs, first) = audit("70");
    assert_eq!(runs, 70);
    // As if the program had been killed in the middle of a line.
    folder.write("runs.jsonl", &first[..first.len() * 2 / 3]);
    let (runs, second) = audit("80");
    assert_eq!(runs, 80);
    let kept = first[..first.len() * 2 / 3].rfind('\n').unwrap();
    assert_eq!(&second[..kept], &first[..kept], "runs that were made are not made again");
    assert_eq!(second.lines().count(), 1 + 2 * 2 * 80);

    let other = folder.run(&[&METHOD[..], &["--epsilon", "2", "--runs", "5", "--journal", "runs.jsonl"]].concat());
    assert!(other.contains("the file of runs is of another audit") && other.ends_with("exit code 3\n"), "{other}");
}

#[test]
fn the_program_is_attacked_from_outside() {
    let folder = Folder::new();
    let outside = ["audit", "program", "--method", "independent", "--runs", "6", "-o", "audit.html"];
    let text = folder.run(&[&outside[..], &GOAL].concat());
    // What the runs can prove is known before they are made.
    assert!(text.contains("6 runs on each table can prove at most") && text.ends_with("exit code 0\n"), "{text}");
    check_page(&std::fs::read_to_string(folder.path("audit.html")).unwrap());
    assert_eq!(folder.names(), ["audit.html"], "what the runs wrote is removed");
}

#[test]
fn a_release_is_attacked_with_rows_that_were_held_out() {
    let folder = with_halves();
    let synth =
        ["synth", "members.csv", "--schema", "s.yaml", "--epsilon", "1", "--delta", "1e-9", "--model", "m.model"];
    let fitted = folder.run(&[&synth[..], &["-o", "synth.csv"]].concat());
    assert!(fitted.ends_with("exit code 0\n"), "{fitted}");
    let tables = ["--model", "m.model", "--members", "members.csv", "--control", "held-out.csv", "--schema", "s.yaml"];
    let audit = [&["audit", "release", "synth.csv"], &tables[..]].concat();
    let text = folder.run(&[&audit[..], &["-o", "audit.html"]].concat());
    assert!(text.lines().nth(1) == Some(STAMP) && text.ends_with("exit code 0\n"), "{text}");
    let page = std::fs::read_to_string(folder.path("audit.html")).unwrap();
    check_page(&page);
    assert!(page.contains(STAMP));
    let (_, honest) = json(&folder, &audit);
    assert_eq!(honest["stamp"], STAMP);
    assert_eq!(honest["seed"], 0);

    // Members in place of synthetic rows: the guarantee of the model allows nothing of the kind.
    let copies = [&["audit", "release", "members.csv"], &tables[..]].concat();
    let text = folder.run(&copies);
    assert!(text.contains("ABOVE THE CLAIM") && text.ends_with("exit code 3\n"), "{text}");
    assert!(text.contains("hint: check that members and held-out rows were divided at random"), "{text}");
}

#[test]
fn slips_are_refused_before_anything_runs() {
    let folder = with_halves();
    folder.write("many.csv", "a,b,c\n9,9,9\n8,8,8\n");
    folder.write("runs.jsonl", "\"of another program\"\n");
    let before = folder.contents();
    let real = |plant: &'static str| [&METHOD[..], &["members.csv", "--schema", "s.yaml", "--plant", plant]].concat();
    let slips: [(Vec<&str>, &str); 5] = [
        (
            [&real("many.csv")[..], &GOAL].concat(),
            "the planted rows must be those of one unit: at least one, and at most 1",
        ),
        ([&real("members.csv")[..], &GOAL, &["-o", "members.csv"]].concat(), "members.csv"),
        ([&METHOD[..], &GOAL, &["--journal", "runs.jsonl"]].concat(), "the file of runs is of another audit"),
        ([&METHOD[..], &GOAL, &["--journal", "a.html", "-o", "a.html"]].concat(), "a.html"),
        (
            vec![
                "audit",
                "release",
                "members.csv",
                "--members",
                "members.csv",
                "--control",
                "many.csv",
                "--schema",
                "s.yaml",
            ],
            "the control has fewer than 20 rows",
        ),
    ];
    for (arguments, message) in slips {
        let text = folder.run(&arguments);
        assert!(text.contains(message) && text.contains("hint: ") && !text.ends_with("exit code 0\n"), "{text}");
    }
    assert!(folder.contents() == before, "a refused audit writes nothing");
}
