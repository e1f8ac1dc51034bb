//! Common variants of files, on the command line.

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::folder::{Folder, archive};

const SCHEMA: &str = "\
missingValues: ['', '-']
fields:
  - {name: ort, type: string, constraints: {enum: [Köln, Rom], required: true}, dp: {source: public, open: true}}
  - {name: lohn, type: number, decimalChar: ',', groupChar: '.', constraints: {minimum: 0, maximum: 4000}, dp: {source: public, bins: {width: 1000}}}
  - {name: geboren, type: date, format: '%d.%m.%Y', constraints: {minimum: 01.01.1990, maximum: 31.12.1999}, dp: {source: public, bins: {by: year}}}
";

/// Rows with declared values only.
const ROWS: &str = "ort;lohn;geboren\r\nKöln;1.234,50;31.12.1995\r\nRom;-;01.02.1990\r\n";

fn folder(rows: impl AsRef<[u8]>) -> Folder {
    let folder = Folder::new();
    folder.write("rows.csv", rows);
    folder.write("rows.schema.yaml", SCHEMA);
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the shares of missing and of unknown values in all columns, by `schema check`.
fn shares(output: &Output) -> Vec<(f64, f64)> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    let checked: Value = serde_json::from_slice(&output.stdout).unwrap();
    let columns = checked["coverage"]["columns"].as_array().unwrap();
    columns.iter().map(|column| (column["missing"].as_f64().unwrap(), column["unknown"].as_f64().unwrap())).collect()
}

fn check(folder: &Folder, data: &str, flags: &[&str]) -> Vec<(f64, f64)> {
    shares(&folder.output(&[&["schema", "check", "rows.schema.yaml", data, "--json"], flags].concat()))
}

/// Runs the program with `input` on its standard input.
fn with_input(folder: &Folder, arguments: &[&str], input: &[u8]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"));
    program.args(arguments).current_dir(folder.root()).env("TMPDIR", folder.root());
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
    child.wait_with_output().unwrap()
}

const ALL_READ: [(f64, f64); 3] = [(0.0, 0.0), (0.5, 0.0), (0.0, 0.0)];

#[test]
fn semicolons_decimal_commas_and_german_dates_are_read_as_they_are() {
    let folder = folder(ROWS);
    assert_eq!(check(&folder, "rows.csv", &[]), ALL_READ);
    folder.write("rows.csv", ROWS.replace(';', "|"));
    assert_eq!(check(&folder, "rows.csv", &[]), ALL_READ);
    folder.write("rows.csv", ROWS.replace(';', "!"));
    assert_eq!(check(&folder, "rows.csv", &["--delimiter", "!"]), ALL_READ);
    folder.write("rows.csv", "'ort';'lohn';'geboren'\n#\n'Köln';1;'31.12.1995'\nRom;;01.02.1990\n");
    assert_eq!(check(&folder, "rows.csv", &["--quote-char", "'", "--comment-char", "#"]), ALL_READ);
}

#[test]
fn a_title_above_the_header_is_skipped_if_the_line_of_the_header_is_named() {
    let folder = folder(format!("Löhne 2026;;\r\n\r\n{ROWS}"));
    let learn = ["synth", "rows.csv", "--epsilon", "1", "--delta", "1e-9", "-o", "synth.csv"];
    let refused = folder.run(&learn);
    assert!(refused.contains("hint: every column needs a name; if lines such as a title"), "{refused}");
    assert!(refused.contains("exit code 3"), "{refused}");
    let warned = folder.run(&["schema", "draft", "rows.csv"]);
    assert!(warned.contains("warning: 2 columns have no name: if lines such as a title precede"), "{warned}");
    assert_eq!(check(&folder, "rows.csv", &["--header-row", "3"]), ALL_READ);
    // A draft keeps what the command line said of the file, so that later commands need not.
    let drafted = folder.run(&["schema", "draft", "rows.csv", "--header-row", "3", "--delimiter", ";"]);
    assert!(drafted.contains("\ndialect: {\"delimiter\":\";\",\"headerRows\":[3]}\nmissingValues:"), "{drafted}");
    folder.write("rows.schema.yaml", format!("dialect: {{headerRows: [3]}}\n{SCHEMA}"));
    assert_eq!(check(&folder, "rows.csv", &[]), ALL_READ);

    folder.write("rows.csv", "Löhne 2026\n\nort,lohn\nRom,1\n");
    let warned = folder.run(&["schema", "draft", "rows.csv"]);
    assert!(warned.contains("warning: the table has one column, `Löhne 2026`: if that is a title"), "{warned}");
    let refused = folder.run(&["schema", "draft", "rows.csv", "--header-row", "0"]);
    assert!(refused.contains("`0` is not a number from 1 to 65535"), "{refused}");
}

#[test]
fn latin_1_is_read_if_declared_and_hinted_at_otherwise() {
    let folder = folder("ort;größe\nKöln;1\n".chars().map(|letter| u8::try_from(letter).unwrap()).collect::<Vec<_>>());
    folder.write(
        "rows.schema.yaml",
        "fields: [{name: ort, type: string, constraints: {enum: [Köln, Rom]}, dp: {open: true}}]",
    );
    assert_eq!(check(&folder, "rows.csv", &["--encoding", "latin-1"]), [(0.0, 0.0)]);
    let refused = folder.run(&["schema", "check", "rows.schema.yaml", "rows.csv"]);
    assert!(refused.contains("is not UTF-8") && refused.contains("--encoding windows-1252"), "{refused}");
}

#[test]
fn utf_16_is_read_if_declared_and_hinted_at_otherwise() {
    let wide: Vec<u8> =
        format!("\u{FEFF}{}", ROWS.replace(';', "\t")).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let folder = folder(&wide);
    folder.write("rows.txt", &wide);
    let refused = folder.run(&["schema", "check", "rows.schema.yaml", "rows.csv"]);
    assert!(refused.contains("error: `rows.csv` is UTF-16\nhint: add `--encoding utf-16`"), "{refused}");
    assert_eq!(check(&folder, "rows.csv", &["--encoding", "utf-16"]), ALL_READ);
    assert_eq!(check(&folder, "rows.txt", &["--encoding", "utf-16"]), ALL_READ);
    // Its rows would be one line, and the names of columns.
    folder.write("rows.csv", ROWS);
    let refused = folder.run(&["schema", "draft", "rows.csv", "--encoding", "utf-16"]);
    assert!(refused.contains("error: `rows.csv` is not UTF-16: it does not begin with a byte order mark"), "{refused}");
    assert!(!refused.contains("Rom"), "{refused}");
}

#[test]
fn a_file_without_a_header_is_read_by_the_names_that_are_given() {
    let rows: String = ["39,f,77516\n", "50,m,83311\n", "38,f,215646\n"].repeat(200).concat();
    let folder = Folder::new();
    folder.write("adult.data", &rows);
    let budget = ["--epsilon", "1", "--delta", "1e-9", "-o", "adult.model"];
    // Its first row would be the names of columns, and public.
    let refused = folder.run(&[&["fit", "adult.data"], &budget[..]].concat());
    assert!(refused.contains("the header of `adult.data` may be a row: the name of column 1 is a number"), "{refused}");
    assert!(
        refused.contains("`--delimiter , --column-names age,sex,region`") && !refused.contains("77516"),
        "{refused}"
    );
    let names = ["--column-names", "age,sex,weight"];
    let refused = folder.run(&[&["fit", "adult.data"], &names[..], &budget].concat());
    assert!(refused.contains("the delimiter of `adult.data` is not known") && refused.contains("--delimiter ,"));
    assert_eq!(folder.names(), ["adult.data"], "nothing is spent");
    let fitted = folder.run(&[&["fit", "adult.data", "--delimiter", ","], &names[..], &budget].concat());
    assert!(fitted.ends_with("exit code 0\n"), "{fitted}");
    let drawn = folder.run(&["sample", "adult.model", "--rows", "5", "-o", "rows.csv"]);
    assert!(drawn.ends_with("exit code 0\n"), "{drawn}");
    assert!(fs::read_to_string(folder.path("rows.csv")).unwrap().starts_with("age,sex,weight\n"));

    let drafted = folder.run(&["schema", "draft", "adult.data"]);
    assert!(drafted.contains("warning: the name of column 1 is a number"), "{drafted}");
    let drafted =
        folder.run(&[&["schema", "draft", "adult.data", "--delimiter", ",", "-o", "a.yaml"], &names[..]].concat());
    assert!(drafted.ends_with("exit code 0\n"), "{drafted}");
    let written = fs::read_to_string(folder.path("a.yaml")).unwrap();
    assert!(written.contains(r#"dialect: {"delimiter":",","columnNames":["age","sex","weight"]}"#), "{written}");
}

#[test]
fn a_draft_warns_of_repeated_names_and_reads_semicolons() {
    let folder = folder("ort;lohn;lohn\nRom;1;2\n");
    let drafted = folder.run(&["schema", "draft", "rows.csv"]);
    assert!(drafted.contains("warning: the header has `lohn` 2 times"), "{drafted}");
    assert!(drafted.contains("name: \"ort\"\n"), "{drafted}");
    let refused = folder.run(&["schema", "check", "rows.schema.yaml", "rows.csv"]);
    assert!(refused.contains("error: column `lohn` is in the data more than once"), "{refused}");
    assert!(refused.ends_with("exit code 3\n"), "{refused}");
}

#[test]
fn standard_input_is_a_table_and_leaves_nothing_behind() {
    let folder = folder(ROWS);
    let checked = with_input(&folder, &["schema", "check", "rows.schema.yaml", "-", "--json"], ROWS.as_bytes());
    assert_eq!(shares(&checked), ALL_READ);
    let drafted = with_input(&folder, &["schema", "draft", "-"], ROWS.as_bytes());
    assert!(text(&drafted.stdout).contains("name: \"geboren\""), "{}", text(&drafted.stderr));
    let rows: String =
        ROWS.lines().take(1).chain(ROWS.lines().skip(1).cycle().take(600)).flat_map(|line| [line, "\n"]).collect();
    let fit = ["fit", "-", "--schema", "rows.schema.yaml", "--epsilon", "1", "--delta", "1e-9", "-o", "a.model"];
    let fitted = with_input(&folder, &fit, rows.as_bytes());
    assert!(fitted.status.success(), "{}", text(&fitted.stderr));
    assert_eq!(folder.names(), ["a.model", "rows.csv", "rows.schema.yaml"], "the copy is gone");
    let twice = with_input(&folder, &["schema", "check", "rows.schema.yaml", "-", "-"], ROWS.as_bytes());
    assert_eq!(twice.status.code(), Some(2));
    assert!(text(&twice.stderr).contains("standard input is named twice"));
    assert_eq!(folder.names(), ["a.model", "rows.csv", "rows.schema.yaml"]);
}

/// Writes 1,200 rows in directories of their towns and years.
fn hive_folder() -> Folder {
    let folder = Folder::new();
    for (town, rows) in [("K%C3%B6ln", 900), ("Rom", 300)] {
        for year in [2023, 2024] {
            let path = folder.path(&format!("fees/ort={town}/jahr={year}"));
            fs::create_dir_all(&path).unwrap();
            let ages: Vec<String> = (0..rows / 2).map(|row| (row * 37 % 90).to_string()).collect();
            fs::write(path.join("part-0.csv"), format!("alter\n{}\n", ages.join("\n"))).unwrap();
        }
    }
    folder
}

#[test]
fn directories_of_a_column_are_read_with_and_without_a_schema() {
    let folder = hive_folder();
    let drafted = folder.run(&["schema", "draft", "fees"]);
    let place = |name: &str| drafted.find(&format!("name: \"{name}\"")).unwrap_or_else(|| panic!("{drafted}"));
    assert!(place("alter") < place("ort") && place("ort") < place("jahr"), "columns of the file come first");
    folder.write(
        "fees.yaml",
        "fields:\n  - {name: alter, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {source: public, bins: {width: 10}}}\n  \
         - {name: jahr, type: integer, constraints: {minimum: 2023, maximum: 2024}, dp: {source: public}}\n  \
         - {name: ort, type: string, constraints: {enum: [Köln, Rom]}, dp: {source: public, open: true}}\n",
    );
    let checked = folder.output(&["schema", "check", "fees.yaml", "fees", "--json"]);
    assert_eq!(shares(&checked), [(0.0, 0.0); 3]);
    let goal = ["--epsilon", "8", "--delta", "1e-9"];
    let declared = folder.output(&[&["synth", "fees", "--schema", "fees.yaml", "-o", "a.csv"], &goal[..]].concat());
    assert!(declared.status.success(), "{}", text(&declared.stderr));
    let learned = folder.output(&[&["synth", "fees", "-o", "b.csv"], &goal[..]].concat());
    assert!(learned.status.success(), "{}", text(&learned.stderr));
    for (name, header) in [("a.csv", "alter,jahr,ort\n"), ("b.csv", "alter,ort,jahr\n")] {
        let rows = fs::read_to_string(folder.path(name)).unwrap();
        assert!(rows.starts_with(header), "{rows:.200}");
        let lines = |word: &str| rows.lines().filter(|line| line.split(',').any(|field| field == word)).count();
        assert!(lines("Köln") > 600 && lines("Rom") > 150 && lines("2023") > 400, "{name}:\n{rows:.400}");
    }
    let evaluated =
        folder.output(&["evaluate", "--real", "fees", "--synth", "a.csv", "--schema", "fees.yaml", "--quick"]);
    assert!(evaluated.status.success(), "{}", text(&evaluated.stderr));
}

#[test]
fn no_message_shows_the_value_of_a_directory() {
    let folder = hive_folder();
    folder.write("fees.yaml", "fields: [{name: preis, type: boolean, dp: {source: public}}]");
    let refused = folder.run(&["schema", "check", "fees.yaml", "fees"]);
    assert!(refused.contains("column `preis` is not in the data (`fees/ort=…/jahr=…/part-0.csv`)"), "{refused}");
    folder.write("fees.yaml", "fields: [{name: ort, type: boolean, dp: {source: public}}]");
    let refused = folder.run(&["schema", "check", "fees.yaml", "fees/ort=Rom"]);
    assert!(refused.contains("column `ort` is not in the data, but in the path of the input"), "{refused}");
    assert!(refused.contains("hint: ") && refused.ends_with("exit code 3\n"), "{refused}");
}

#[test]
fn an_archive_with_one_table_is_a_table() {
    let folder = folder(ROWS);
    folder.write("rows.zip", archive(&[("export/rows.csv", ROWS)]));
    assert_eq!(check(&folder, "rows.zip", &[]), ALL_READ);
    folder.write("rows.xlsx", "no workbook");
    let refused = folder.run(&["schema", "check", "rows.schema.yaml", "rows.xlsx"]);
    assert!(refused.contains("error: `rows.xlsx` is not an Excel workbook"), "{refused}");
    assert!(refused.contains("hint: ") && refused.ends_with("exit code 3\n"), "{refused}");
}

#[test]
fn a_missing_table_and_a_missing_schema_have_one_exit_code() {
    let folder = folder(ROWS);
    for arguments in
        [["schema", "check", "rows.schema.yaml", "absent.csv"], ["schema", "check", "absent.yaml", "rows.csv"]]
    {
        let refused = folder.run(&arguments);
        assert!(refused.contains("error: cannot read ") && refused.contains("hint: check the path"), "{refused}");
        assert!(refused.ends_with("exit code 6\n"), "{refused}");
    }
}

/// Runs as a user who may not read the file: this user, or `nobody` if root runs the tests.
#[cfg(unix)]
#[test]
fn a_table_that_may_not_be_read_is_not_called_damaged() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = folder(ROWS);
    let permit = |name: &str, mode| fs::set_permissions(folder.path(name), fs::Permissions::from_mode(mode)).unwrap();
    permit("rows.csv", 0o000);
    let is_root = fs::metadata(folder.root()).unwrap().uid() == 0;
    let mut program = if is_root {
        // The program may be in a folder that only root can enter.
        let link = folder.path("scumble");
        let built = env!("CARGO_BIN_EXE_scumble");
        fs::hard_link(built, &link).or_else(|_| fs::copy(built, &link).map(drop)).unwrap();
        fs::set_permissions(folder.root(), fs::Permissions::from_mode(0o755)).unwrap();
        let mut program = Command::new("setpriv");
        program.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(link);
        program
    } else {
        Command::new(env!("CARGO_BIN_EXE_scumble"))
    };
    let output = program.args(["schema", "check", "rows.schema.yaml", "rows.csv"]).current_dir(folder.root()).output();
    let output = output.expect("setpriv of util-linux, if root runs the tests");
    let shown = text(&output.stderr);
    assert!(shown.contains("error: cannot read `rows.csv`: permission denied"), "{shown}");
    assert_eq!(output.status.code(), Some(6), "{shown}");
}

#[test]
fn properties_of_the_standard_that_would_change_values_are_refused() {
    let folder = Folder::new();
    for (property, words) in [
        ("categories: [1, 2]", "has `categories`"),
        ("format: '#.##0', constraints: {minimum: 0, maximum: 9}", "has `format: #.##0`"),
        ("constraints: {exclusiveMinimum: 0, maximum: 9}", "has `exclusiveMinimum`"),
    ] {
        folder.write("a.yaml", format!("fields: [{{name: x, type: integer, {property}}}]"));
        let refused = folder.run(&["schema", "check", "a.yaml"]);
        assert!(refused.contains(&format!("error: column `x` {words}")) && refused.contains("hint: "), "{refused}");
        assert!(refused.ends_with("exit code 3\n"), "{refused}");
    }
}
