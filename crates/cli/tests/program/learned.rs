//! Raw files without a schema.

use std::fmt::Write as _;

use serde_json::Value;

use crate::folder::Folder;

/// An export of an office: semicolons, decimal commas, dates with dots, dashes for missing values,
/// an identifier and notes. Everybody has two rows.
fn export(rows: u32) -> String {
    let mut text = String::from("akte;person;ort;alter;gebuehr;eingang;mahnung;notiz\n");
    for row in 0..rows {
        let mix = row.wrapping_mul(2_654_435_761) >> 9;
        let town = ["Köln", "Bonn", "Köln", "Aachen"][(mix % 4) as usize];
        let fee = if mix % 3 == 0 { "0,00".to_owned() } else { format!("{},{:02}", 5 + mix % 900, mix % 100) };
        let age = if mix % 10 == 0 { "-".to_owned() } else { (18 + mix % 70).to_string() };
        let (day, month, year) = (1 + mix % 28, 1 + mix % 12, 2019 + mix % 3);
        let reminder = ["true", "false"][(mix % 2) as usize];
        writeln!(
            text,
            "A{row:06};{};{town};{age};{fee};{day:02}.{month:02}.{year};{reminder};Anruf von Herrn {row}",
            row / 2
        )
        .unwrap();
    }
    text
}

fn folder(rows: u32) -> Folder {
    let folder = Folder::new();
    folder.write("export.csv", export(rows));
    folder
}

/// Runs the program, which must succeed, and returns standard output and standard error.
fn run(folder: &Folder, arguments: &[&str]) -> (String, String) {
    let output = folder.output(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn amounts_are_learned_as_numbers_however_they_are_written() {
    let folder = Folder::new();
    let mut text = String::from("price;fee;share;visitors;balance;day;seen\n");
    for row in 0..20_000_u32 {
        let mix = row.wrapping_mul(2_654_435_761) >> 9;
        let thousands = |number: u32, group: char| match number / 1_000 {
            0 => number.to_string(),
            thousands => format!("{thousands}{group}{:03}", number % 1_000),
        };
        let (price, fee) = (thousands(900 + mix % 4_000, ','), thousands(500 + mix % 2_000, '.'));
        let balance = if mix % 2 == 0 { format!("({}.50)", 1 + mix % 90) } else { format!("{}.25", 1 + mix % 90) };
        let (share, visitors, month, day) = (mix % 101, thousands(mix % 20_000, ','), 1 + mix % 12, 1 + mix % 28);
        writeln!(
            text,
            "${price}.99;{fee},50 €;{share}%;{visitors};{balance};2024{month:02}{day:02};2024-{month:02}-{day:02} 10:15"
        )
        .unwrap();
    }
    folder.write("amounts.csv", text);
    let (_, notes) = run(&folder, &["synth", "amounts.csv", "--epsilon", "4", "--delta", "1e-9", "-o", "synth.csv"]);
    assert!(notes.contains("date from 2024-01-01"), "{notes}");
    assert!(notes.contains("T23:59:59, "), "the bound of instants is declared: {notes}");
    let synthetic = std::fs::read_to_string(folder.path("synth.csv")).unwrap();
    let rows: Vec<Vec<&str>> = synthetic.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let mean = |column: usize| {
        let values = rows.iter().map(|row| row[column].parse::<f64>().unwrap_or_else(|_| panic!("{row:?}")));
        values.sum::<f64>() / rows.len() as f64
    };
    for (column, due) in [(0, 2_900.0), (1, 1_500.0), (2, 50.0), (3, 10_000.0)] {
        let found = mean(column);
        assert!((0.8 * due..1.2 * due).contains(&found), "column {column} has the mean {found}");
    }
    assert!(rows.iter().any(|row| row[4].starts_with('-')), "parentheses are a minus");
    assert!(rows.iter().all(|row| row[5].len() == 8 && row[5].starts_with("2024")), "{:?}", rows[0]);
}

#[test]
fn times_of_day_are_learned() {
    let folder = Folder::new();
    let mut text = String::from("collision;opened;closed;score\n");
    for row in 0..20_000_u32 {
        let mix = row.wrapping_mul(2_654_435_761) >> 9;
        let (hour, minute) = (7 + mix % 3, mix / 3 % 60);
        writeln!(
            text,
            "{hour}:{minute:02};{:02}:00:30;{}:{minute:02} PM;{}:{}",
            9 + mix % 2,
            1 + mix % 4,
            mix % 5,
            mix % 4
        )
        .unwrap();
    }
    folder.write("times.csv", text);
    let (_, notes) = run(
        &folder,
        &["synth", "times.csv", "--epsilon", "4", "--delta", "1e-9", "-o", "synth.csv", "--model", "times.model"],
    );
    assert!(notes.contains("time from 00:00:00 to 24:00:00, 96 codes"), "{notes}");
    let synthetic = std::fs::read_to_string(folder.path("synth.csv")).unwrap();
    let rows: Vec<Vec<&str>> = synthetic.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let share = |column: usize, of: &[&str], suffix: &str, length: usize| {
        let is = |text: &&str| of.contains(&&text[..2]) && text.ends_with(suffix) && text.len() == length;
        rows.iter().filter(|row| is(&row[column])).count() as f64 / rows.len() as f64
    };
    assert!(share(0, &["07", "08", "09"], "", "07:05".len()) > 0.9, "{:?}", rows[0]);
    assert!(share(1, &["09", "10"], "", "09:00:30".len()) > 0.9, "{:?}", rows[0]);
    assert!(share(2, &["01", "02", "03", "04"], " PM", "01:05 PM".len()) > 0.9, "{:?}", rows[0]);
    assert!(rows.iter().all(|row| row[3].len() <= "other".len()), "a score is no time: {:?}", rows[0]);
    run(&folder, &["bundle", "times.model", "--rows", "50", "--title", "Times", "-o", "release"]);
    run(&folder, &["bundle", "verify", "release"]);
}

#[test]
fn a_column_without_a_name_is_left_out() {
    let folder = Folder::new();
    let rows = |mix: u32| format!("{};{}", ["north", "south"][(mix % 2) as usize], 20 + mix % 50);
    // As R and pandas write row numbers, and with a delimiter at the end of every line.
    let (mut numbered, mut trailing) = (String::from(";region;age\n"), String::from("region;age;\n"));
    for row in 0..4_000 {
        writeln!(numbered, "{row};{}", rows(row * 7)).unwrap();
        writeln!(trailing, "{};", rows(row * 7)).unwrap();
    }
    folder.write("numbered.csv", numbered);
    folder.write("trailing.csv", trailing);
    for (name, position) in [("numbered.csv", 1), ("trailing.csv", 3)] {
        let synth = [
            "synth",
            name,
            "--epsilon",
            "4",
            "--delta",
            "1e-9",
            "--method",
            "independent",
            "-o",
            "synth.csv",
            "--force",
        ];
        let (_, notes) = run(&folder, &synth);
        assert!(notes.contains(&format!("note: column {position} has no name, and is left out")), "{notes}");
        let synthetic = std::fs::read_to_string(folder.path("synth.csv")).unwrap();
        assert_eq!(synthetic.lines().next(), Some("region,age"));
        let (draft, _) = run(&folder, &["schema", "draft", name]);
        assert!(draft.contains(&format!("# left out: column {position}, which has no name")), "{draft}");
    }
}

#[test]
fn a_raw_file_becomes_a_synthetic_one() {
    let folder = folder(20_000);
    let (_, notes) = run(
        &folder,
        &["synth", "export.csv", "--epsilon", "4", "--delta", "1e-9", "-o", "synth.csv", "--model", "export.model"],
    );
    for found in ["categories of about", "Köln", "; may be missing", "boolean", "made up, and not modelled"] {
        assert!(notes.contains(found), "{found} is not in {notes}");
    }
    let synthetic = std::fs::read_to_string(folder.path("synth.csv")).unwrap();
    let mut lines = synthetic.lines();
    assert_eq!(lines.next(), Some("akte,person,ort,alter,gebuehr,eingang,mahnung,notiz"));
    let row: Vec<&str> = lines.next().unwrap().splitn(8, ',').collect();
    assert!(row[0].starts_with("ID-"), "an identifier is made up: {row:?}");
    assert!(row[4].parse::<f64>().is_ok(), "a fee was read by its decimal comma: {row:?}");
    assert!(!synthetic.contains("Herrn"), "a note of one person is not copied");

    let (summary, _) = run(&folder, &["inspect", "export.model"]);
    assert!(summary.contains("learned    ") && summary.contains(": within this budget"), "{summary}");
    let (summary, _) = run(&folder, &["inspect", "export.model", "--json"]);
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let questions = summary["certificate"]["events"].to_string();
    assert!(questions.contains("grid") && questions.contains("values"), "one certificate for both");
    // All rows can be read again by the schema that was learned.
    run(&folder, &["bundle", "export.model", "--rows", "50", "--title", "Fees", "-o", "release"]);
    run(&folder, &["bundle", "verify", "release"]);
}

#[test]
fn texts_in_another_encoding_are_noticed() {
    let folder = Folder::new();
    let latin: Vec<u8> = export(8_000).chars().map(|sign| u8::try_from(sign).unwrap()).collect();
    folder.write("export.csv", latin);
    let synth = ["synth", "export.csv", "--epsilon", "4", "--delta", "1e-9", "--method", "independent"];
    let (_, notes) = run(&folder, &[&synth[..], &["-o", "wrong.csv"]].concat());
    assert!(notes.contains("of the texts of column `ort` are not UTF-8"), "{notes}");
    let (_, notes) = run(&folder, &[&synth[..], &["--encoding", "windows-1252", "-o", "right.csv"]].concat());
    assert!(!notes.contains("are not UTF-8") && notes.contains("Köln"), "{notes}");
}

#[test]
fn a_schema_is_learned_with_a_certificate_on_a_ledger() {
    let folder = folder(20_000);
    let unit = ["--unit", "person", "--max-rows", "2"];
    let budget = ["--epsilon", "6", "--delta", "1e-9"];
    run(&folder, &[&["ledger", "init", "export.ledger", "--epsilon", "9", "--delta", "2e-9"], &unit[..]].concat());
    let learn = ["schema", "learn", "export.csv", "--ledger", "export.ledger", "-o", "export.schema.yaml"];
    let (learned, _) = run(&folder, &[&learn[..], &unit, &budget].concat());
    assert!(learned.contains("wrote the schema to export.schema.yaml"), "{learned}");

    let schema = std::fs::read_to_string(folder.path("export.schema.yaml")).unwrap();
    assert!(schema.contains("privacyUnit: person") && schema.contains("maxContributions: 2"), "{schema}");
    assert!(!schema.contains("name: person"), "the unit is not modelled");
    let certificate: Value =
        serde_json::from_slice(&std::fs::read(folder.path("export.certificate.json")).unwrap()).unwrap();
    assert_eq!(certificate["max_contributions"], 2);

    let (shown, _) = run(&folder, &["ledger", "show", "export.ledger"]);
    assert!(shown.contains("(6, 1e-9)") && shown.contains("columns learned"), "the job of learning: {shown}");
    let fit =
        ["fit", "export.csv", "--schema", "export.schema.yaml", "--ledger", "export.ledger", "-o", "export.model"];
    run(&folder, &[&fit[..], &["--epsilon", "1", "--delta", "1e-9"]].concat());
    // The schema lacks nothing now.
    let again = folder.run(
        &[&["schema", "learn", "export.csv", "--schema", "export.schema.yaml", "-o", "more.schema.yaml"], &budget[..]]
            .concat(),
    );
    assert!(again.contains("declares all columns") && again.contains("exit code 2"), "{again}");
}

#[test]
fn what_is_declared_stays_and_the_rest_is_learned() {
    let folder = folder(20_000);
    let partial = "fields:
  - {name: ort, type: string, constraints: {required: true}, dp: {source: public, hierarchy: {file: towns.csv}}}
  - {name: gebuehr, type: number, decimalChar: ',', dp: {source: dp, decimals: 1}}
  - {name: alter, dp: {source: dp}}
";
    folder.write("partial.schema.yaml", partial);
    folder.write("towns.csv", "town,district\nAachen,Aachen\nBonn,Köln\nKöln,Köln\nDüren,Aachen\n");
    let learn = ["schema", "learn", "export.csv", "--schema", "partial.schema.yaml", "-o", "export.schema.yaml"];
    let (learned, _) = run(&folder, &[&learn[..], &["--epsilon", "4", "--delta", "1e-9"]].concat());
    assert!(!learned.contains("Düren") && learned.contains("alter"), "only what was learned is listed: {learned}");
    let schema = std::fs::read_to_string(folder.path("export.schema.yaml")).unwrap();
    assert!(schema.contains("Düren") && schema.contains("decimals: 1"), "{schema}");
    run(&folder, &["schema", "check", "export.schema.yaml", "export.csv"]);
}

#[test]
fn derived_columns_are_computed_from_learned_and_declared_ones() {
    let folder = folder(20_000);
    let partial = "fields:
  - {name: alter, type: integer, dp: {source: dp}}
  - {name: eingang, type: date, format: '%d.%m.%Y', dp: {source: dp}}
  - {name: mahnung, type: boolean}
  - {name: jahr, dp: {derive: EXTRACT(YEAR FROM eingang)}}
  - {name: gruppe, dp: {derive: CASE WHEN alter >= 65 THEN 'alt' WHEN alter < 65 THEN 'jung' END}}
  - {name: frist, type: date, format: '%d.%m.%Y', dp: {derive: eingang + 30}}
";
    folder.write("partial.schema.yaml", partial);
    let arguments = ["synth", "export.csv", "-s", "partial.schema.yaml", "-o", "synth.csv", "--model", "export.model"];
    run(&folder, &[&arguments[..], &["--epsilon", "4", "--delta", "1e-9"]].concat());
    let synthetic = std::fs::read_to_string(folder.path("synth.csv")).unwrap();
    let mut rows = 0;
    for line in synthetic.lines().skip(1) {
        let [age, day, _, year, group, until] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let expected = age.parse::<i32>().map_or("", |age| if age >= 65 { "alt" } else { "jung" });
        assert_eq!(group, expected, "{line}");
        if !day.is_empty() {
            assert_eq!(day.split('.').next_back(), Some(year), "{line}");
            assert!(until.len() == 10 && until != day, "{line}");
        }
        rows += 1;
    }
    assert!(rows > 10_000, "{rows}");
    run(&folder, &["bundle", "export.model", "--rows", "50", "--title", "Fees", "-o", "release"]);
    run(&folder, &["bundle", "verify", "release"]);
    // What cannot be computed is found before anything is spent.
    for (column, hint) in [
        ("{name: x, dp: {derive: notiz || 'x'}}", "declare the `type`"),
        ("{name: x, dp: {derive: alter / 2}}", "DIV(a, b)"),
    ] {
        let columns = "{name: alter, type: integer, dp: {source: dp}}, {name: notiz, dp: {source: dp}}";
        let columns = if hint.contains("DIV") { &columns[..columns.find(", {name: n").unwrap()] } else { columns };
        folder.write("wrong.schema.yaml", format!("fields: [{columns}, {column}]\n"));
        let wrong = folder.run(&["synth", "export.csv", "-s", "wrong.schema.yaml", "-e", "1", "-o", "wrong.csv"]);
        assert!(wrong.contains(hint) && wrong.contains("exit code"), "{wrong}");
    }
}

#[test]
fn values_may_come_from_a_file_beside_the_schema() {
    let folder = folder(500);
    std::fs::create_dir(folder.path("book")).unwrap();
    folder.write("book/towns.csv", "town,district\nAachen,Aachen\nBonn,Köln\nKöln,Köln\n");
    let declared = "fields:
  - {name: ort, type: string, dp: {source: public, hierarchy: {file: towns.csv}}}
  - {name: mahnung, type: boolean}
";
    folder.write("book/export.schema.yaml", declared);
    let fit = ["fit", "export.csv", "--schema", "book/export.schema.yaml", "--epsilon", "1", "-o", "export.model"];
    run(&folder, &fit);
}

#[test]
fn what_cannot_be_learned_is_refused_before_anything_is_spent() {
    let folder = folder(200);
    let synth = |more: &[&str]| folder.run(&[&["synth", "export.csv", "-o", "synth.csv"], more].concat());
    let pure = synth(&["--epsilon", "1", "--delta", "0"]);
    assert!(pure.contains("hint: ") && pure.contains("exit code 2"), "{pure}");
    let unknown = synth(&["--epsilon", "1", "--unit", "persons"]);
    assert!(unknown.contains("`persons`") && unknown.contains("exit code 3"), "{unknown}");
    let both = synth(&["--epsilon", "1", "--schema", "export.schema.yaml", "--unit", "person"]);
    assert!(both.contains("cannot be used with") && both.contains("exit code 2"), "{both}");
    let stdin = folder.run(&["synth", "-", "-o", "synth.csv", "--epsilon", "1"]);
    assert!(stdin.contains("from files only") && stdin.contains("exit code 2"), "{stdin}");
    let share = synth(&["--epsilon", "1", "--learn-share", "1.5"]);
    assert!(share.contains("at most 0.999"), "{share}");
    assert_eq!(folder.names(), ["export.csv"]);
    // Twenty rows are too few to learn from, and that is said. Of two hundred, a column is found by
    // chance once in some fifty runs.
    folder.write("export.csv", export(20));
    let few = synth(&["--epsilon", "0.5", "--delta", "1e-9"]);
    assert!(few.contains("declare these columns") && few.contains("exit code 3"), "{few}");
}
