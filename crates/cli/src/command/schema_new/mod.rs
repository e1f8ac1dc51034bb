//! `scumble schema new`: writes a schema by asking questions, column by column.
//!
//! Only the names and types of columns are read, and no value. They are public, and so are all
//! suggestions.

mod answers;
mod interview;
mod question;

use std::io::{BufRead, Write};

use scumble::engine::column_types;
use scumble::schema::{FieldType, field_type_of};
use scumble::{Fault, Schema};

use self::interview::{Column, Interview, Reply};
use crate::arguments::{New, is_standard_input};
use crate::command::foreign::write_description;
use crate::command::header::warn_of_names;
use crate::command::schema::with_dialect;
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

const GREETING: &str = "\
A schema for {columns} columns. Only their names and types were read, and no value. Answer from public knowledge (a code book, a
questionnaire, a law), never by looking at the data.
Enter accepts the suggestion in [brackets], `?` explains the question, `b` goes back, `skip` omits the column.
";

pub(crate) fn run(arguments: &New, terminal: &Terminal) -> Result<(), Failure> {
    output::check([&arguments.data], &arguments.output, arguments.overwriting.force)?;
    if is_standard_input(&arguments.data) {
        let hint = "give a file: the answers come from standard input";
        return Err(Failure::new(Fault::Usage, "the data cannot be read from standard input", Some(hint.into())));
    }
    let (input, dialect) = (arguments.text_files.input(&arguments.data, None)?, arguments.text_files.dialect()?);
    let found = column_types(&input, arguments.format.map(Into::into), &dialect)?;
    warn_of_names(&found, terminal);
    let named = found.types.fields().iter().filter(|field| !field.name().trim().is_empty());
    let columns = named.map(|field| Column {
        name: field.name().clone(),
        // Text may hold values of any type, and in a CSV file it does.
        field_type: field_type_of(field.data_type()).filter(|known| *known != FieldType::String),
    });
    let columns: Vec<Column> = columns.collect();
    let mut interview = Interview::new(columns);
    // Questions go to standard error, so that standard output holds only the schema.
    ask(&mut interview, &mut std::io::stdin().lock(), &mut std::io::stderr().lock())?;
    let yaml = with_dialect(&interview.to_yaml(), &dialect);
    Schema::parse(&yaml)?;
    write_description(&yaml, &[], arguments.output.as_deref(), terminal)?;
    terminal.note("next: `scumble schema check SCHEMA DATA` shows the share of each column that the schema covers");
    Ok(())
}

/// Asks until all questions are answered.
fn ask(interview: &mut Interview, input: &mut impl BufRead, output: &mut impl Write) -> Result<(), Failure> {
    // Failing to show a question is not reported: without output there are no answers either.
    let mut show = |text: &str| {
        let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    };
    show(&GREETING.replace("{columns}", &interview.columns().to_string()));
    while let Some(prompt) = interview.prompt() {
        show(&prompt);
        let mut line = String::new();
        let read = input.read_line(&mut line).unwrap_or(0);
        if read == 0 {
            show("\n");
            return Err(Failure::new(
                Fault::Usage,
                format!("the answers ended at: {}", interview.asked()),
                Some("nothing was written; answer every question, or start from `scumble schema draft`".into()),
            ));
        }
        match interview.reply(line.trim()) {
            Reply::Taken => {}
            Reply::Shown(text) => show(&format!("{text}\n")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(columns: &[&str], answers: &str) -> (Result<String, Failure>, String) {
        let columns = columns.iter().map(|name| Column { name: (*name).into(), field_type: None }).collect();
        let (mut interview, mut shown) = (Interview::new(columns), Vec::new());
        let result = ask(&mut interview, &mut answers.as_bytes(), &mut shown).map(|()| interview.to_yaml());
        (result, String::from_utf8(shown).unwrap())
    }

    #[test]
    fn suggestions_alone_make_a_schema_of_well_named_columns() {
        let (yaml, _) = asked(&["person_id", "alter", "geschlecht", "Geburtsdatum", "bemerkung"], &"\n".repeat(40));
        let yaml = yaml.unwrap();
        let schema = Schema::parse(&yaml).unwrap();
        assert_eq!(schema.privacy().unit.column(), Some("person_id"));
        assert_eq!((schema.attributes().len(), schema.generated().len()), (3, 2), "{yaml}");
        assert!(yaml.contains("# rules:"), "{yaml}");
    }

    #[test]
    fn a_wrong_answer_is_asked_again_and_b_goes_back() {
        let answers = "row\n\n\nint\ninteger\nten\n10\n5\nb\n0\n9\nno\nno\n";
        let (yaml, shown) = asked(&["level of x"], answers);
        let yaml = yaml.unwrap();
        assert!(yaml.contains("minimum: 0, maximum: 9, required: true"), "{yaml}");
        assert!(shown.contains("`int` is not a kind"), "{shown}");
        assert!(shown.contains("`ten` is not a whole number"), "{shown}");
        assert!(shown.contains("`minimum` above its `maximum`"), "{shown}");
    }

    #[test]
    fn answers_that_end_early_write_nothing_and_name_the_question() {
        let (result, _) = asked(&["age"], "row\n\n\n");
        let failure = result.unwrap_err();
        assert_eq!(failure.exit_code(), 2);
        assert!(failure.problems[0].message.contains("age"), "{:?}", failure.problems);
    }

    #[test]
    fn columns_whose_names_differ_in_digits_are_answered_at_once() {
        let answers = "row\n-, NA\ncomma\namount\n500\nno\n\nno\ninteger\n0\n9\n\n\nb\n\nyes\n";
        let (yaml, shown) = asked(&["fee 01/2024", "fee 02/2024", "fee 03/2024", "fee 04/2024"], answers);
        let yaml = yaml.unwrap();
        assert!(shown.contains("2 of 4  fee 02/2024: as `fee 01/2024`, the same, yes or no [yes]: "), "{shown}");
        assert!(yaml.contains(r#"missingValues: ["", "-", "NA"]"#), "{yaml}");
        assert_eq!(yaml.matches("maximum: 500").count(), 3, "{yaml}");
        assert_eq!(yaml.matches("decimalChar: \",\"\n    groupChar: \".\"").count(), 4, "{yaml}");
        assert_eq!(yaml.matches("maximum: 9").count(), 1, "{yaml}");
        Schema::parse(&yaml).unwrap();
    }

    #[test]
    fn dates_are_written_as_those_before_and_bounds_may_be_years() {
        let answers = "row\n\n\ndate\ndd.mm.yyyy\n1930\n2005\nno\ntimestamp\n\n2015\n2024\n\ndate\n\n\n\n\n\n";
        let (yaml, shown) = asked(&["born", "seen", "left"], answers);
        let yaml = yaml.unwrap();
        assert!(shown.contains("format [%d.%m.%Y %H:%M]"), "{shown}");
        assert_eq!(yaml.matches("format: \"%d.%m.%Y\"\n").count(), 2, "{yaml}");
        assert!(yaml.contains(r#"minimum: "1930-01-01", maximum: "2005-12-31", required: true"#), "{yaml}");
        Schema::parse(&yaml).unwrap();
    }

    #[test]
    fn categories_may_come_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("places.txt");
        std::fs::write(&path, "Ulm\n\n Bonn \n").unwrap();
        let path = path.display();
        let (yaml, _) = asked(&["place"], &format!("row\n\n\n\n@{path}.gone\n@{path}\n\n\n"));
        assert!(yaml.unwrap().contains(r#"enum: ["Ulm", "Bonn"]"#));
    }

    #[test]
    fn every_question_explains_itself() {
        let answers = "?\npatient\n?\n3\n?\n\n?\n\n?\nskip\n?\nstring\n?\nred, green\n?\n\n?\nyes\n";
        let (yaml, shown) = asked(&["patient", "colour"], answers);
        let yaml = yaml.unwrap();
        assert!(yaml.contains(r#"enum: ["red", "green"]"#), "{yaml}");
        assert!(yaml.contains("source: public") && yaml.contains("maxContributions: 3"), "{yaml}");
        assert_eq!(shown.matches("Why: ").count(), 9, "{shown}");
        assert!(!yaml.contains("name: \"patient\""), "left out:\n{yaml}");
    }
}
