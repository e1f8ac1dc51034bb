//! A schema that does not fit its data is detected from the released counts alone.

use crate::folder::Folder;

/// Amounts with decimal commas, read as if they had points.
const SCHEMA: &str = "\
fields:
  - name: amount
    type: number
    constraints: {minimum: 0, maximum: 100}
    dp: {source: public, bins: {count: 10}}
  - name: paid
    type: string
    constraints: {enum: [yes, no], required: true}
    dp: {source: public}
";

fn folder(separator: char) -> Folder {
    let folder = Folder::new();
    let row = |row: u32| {
        format!("\"{}{separator}{}\",{}\n", row % 97, row % 10, if row.is_multiple_of(3) { "yes" } else { "no" })
    };
    folder.write("table.csv", format!("amount,paid\n{}", (0..2_000).map(row).collect::<String>()));
    folder.write("table.schema.yaml", SCHEMA);
    folder
}

fn fit<'a>(verb: &'a str, output: &'a str) -> Vec<&'a str> {
    let goal = ["--method", "independent", "--epsilon", "1", "--delta", "1e-9", "-o", output];
    [&[verb, "table.csv", "--schema", "table.schema.yaml"][..], &goal].concat()
}

#[test]
fn a_fit_warns_of_a_column_that_could_not_be_read() {
    let folder = folder(',');
    for verb in ["fit", "synth"] {
        let output = if verb == "fit" { "a.model" } else { "synth.csv" };
        let run = folder.output(&fit(verb, output));
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.success(), "{said}");
        assert!(
            said.contains("warning: `amount`: about ") && said.contains("are missing or could not be read"),
            "{said}"
        );
        assert!(said.contains("scumble schema check SCHEMA DATA") && !said.contains("`paid`"), "{said}");
    }
    let inspected = folder.output(&["inspect", "a.model", "--json"]);
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).unwrap();
    assert_eq!(inspected["dead_columns"][0]["column"], "amount");
    assert_eq!(inspected["dead_columns"][0]["holds"], "missing");
    folder.output(&["report", "a.model", "-o", "public.html"]);
    let page = std::fs::read_to_string(folder.path("public.html")).unwrap();
    assert!(page.contains("<code>amount</code>: about "), "the page says it too");
}

#[test]
fn a_fit_of_a_readable_table_gives_no_warning() {
    let folder = folder('.');
    let run = folder.output(&fit("fit", "a.model"));
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success() && !said.contains("warning"), "{said}");
    let inspected = folder.output(&["inspect", "a.model", "--json"]);
    let inspected: serde_json::Value = serde_json::from_slice(&inspected.stdout).unwrap();
    assert!(inspected["dead_columns"].is_null());
}
