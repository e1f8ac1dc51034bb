//! The order of questions, and the parsing of answers.

use std::collections::HashMap;

use scumble::schema::{FieldType, Guess, Preset, guess, is_unit_by_name};

use super::answers::Answers;
use super::question::{Question, kind, kind_name};

/// A column of the data.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    /// `None` where the file does not state it.
    pub(super) field_type: Option<FieldType>,
}

/// Result of a line of input.
pub(super) enum Reply {
    Taken,
    /// A message; the same question is asked again, or the previous one.
    Shown(String),
}

/// The questions about a table, and the answers so far.
pub(super) struct Interview {
    columns: Vec<Column>,
    /// For each column, an earlier column whose name differs in digits only.
    twins: Vec<Option<usize>>,
    answers: Answers,
    /// In the order of the answers.
    answered: Vec<Question>,
}

impl Interview {
    pub(super) fn new(columns: Vec<Column>) -> Self {
        Self { twins: twins(&columns), columns, answers: Answers::default(), answered: Vec::new() }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns the first question without an answer.
    fn next(&self) -> Option<Question> {
        let is_open = |question: &Question| self.answers.get(*question).is_none();
        let mut of_table = vec![Question::Unit];
        if self.answers.get(Question::Unit).is_some_and(|unit| unit != "row") {
            of_table.push(Question::MaxRows);
        }
        if self.is_text_file() {
            of_table.extend([Question::Missing, Question::Decimals]);
        }
        let of_columns = (0..self.columns.len()).flat_map(|column| self.questions(column));
        of_table.into_iter().chain(of_columns).chain([Question::Source]).find(is_open)
    }

    /// Returns whether values are text, so that missing values and decimals need questions.
    fn is_text_file(&self) -> bool {
        self.columns.iter().any(|column| column.field_type.is_none())
    }

    /// Removes all answers about a column.
    fn forget_column(&mut self, column: usize) {
        for question in self.questions(column) {
            self.answers.forget(question);
        }
    }

    /// Returns the questions about a column, as far as its kind is known.
    fn questions(&self, column: usize) -> Vec<Question> {
        let mut questions: Vec<Question> = self.twins[column].map(|_| Question::Like(column)).into_iter().collect();
        questions.push(Question::Kind(column));
        let Some(kind) = self.answers.kind(column) else { return questions };
        let is_text_file = self.columns[column].field_type.is_none();
        match kind {
            Guess::Preset(Preset::Identifier | Preset::FreeText | Preset::Postcode) => return questions,
            Guess::Preset(Preset::Sex) | Guess::Type(FieldType::String) => questions.push(Question::Categories(column)),
            Guess::Preset(Preset::Amount | Preset::Count) => questions.push(Question::Maximum(column)),
            Guess::Preset(Preset::Date) => {
                questions.extend(is_text_file.then_some(Question::Format(column)));
                questions.extend([Question::Minimum(column), Question::Maximum(column)]);
            }
            Guess::Preset(_) | Guess::Type(FieldType::Time) => {}
            Guess::Type(field_type) => {
                let has_format = field_type == FieldType::Datetime && is_text_file;
                questions.extend(has_format.then_some(Question::Format(column)));
                questions.extend([Question::Minimum(column), Question::Maximum(column)]);
            }
        }
        questions.push(Question::Blank(column));
        questions
    }

    /// Returns the answer that Enter gives.
    fn suggestion(&self, question: Question) -> Option<String> {
        let text = |text: &str| Some(text.to_owned());
        match question {
            Question::Unit => {
                let unit = self.columns.iter().find(|column| is_unit_by_name(&column.name));
                unit.map(|column| column.name.clone()).or_else(|| text("row"))
            }
            Question::MaxRows => text("1"),
            Question::Missing => text("none"),
            Question::Decimals => text("point"),
            Question::Kind(column) => {
                // The unit column is read even if it is not in the output.
                let Column { name, field_type } = &self.columns[column];
                // Text without further information is most likely a category.
                let guess = guess(name, *field_type).unwrap_or(Guess::Type(FieldType::String));
                Some(kind_name(guess).to_owned())
            }
            Question::Format(column) => Some(self.likely_format(column)),
            Question::Minimum(column) => match self.answers.kind(column)? {
                Guess::Preset(Preset::Date) => text("1900-01-01"),
                Guess::Type(FieldType::Year) => text("1900"),
                Guess::Type(FieldType::Datetime) => text("2000-01-01"),
                _ => None,
            },
            Question::Maximum(column) => match self.answers.kind(column)? {
                Guess::Preset(Preset::Date) => text("2099-12-31"),
                Guess::Preset(Preset::Amount) => text("1000000"),
                Guess::Preset(Preset::Count) => text("100"),
                Guess::Type(FieldType::Year) => text("2099"),
                Guess::Type(FieldType::Datetime) => text("2049-12-31"),
                _ => None,
            },
            Question::Categories(column) => match self.answers.kind(column)? {
                Guess::Preset(Preset::Sex) => text("female, male, other"),
                _ => None,
            },
            Question::Like(_) | Question::Blank(_) => text("yes"),
            Question::Source => text("no"),
        }
    }

    /// Returns the last date format that was given, with a time if the column has one.
    fn likely_format(&self, column: usize) -> String {
        let earlier = (0..column).rev().find_map(|earlier| self.answers.get(Question::Format(earlier)));
        let has_time = |format: &str| format.contains("%H");
        match (earlier, self.answers.kind(column)) {
            (Some(format), Some(Guess::Type(FieldType::Datetime))) if format != ISO && !has_time(format) => {
                format!("{format} %H:%M")
            }
            (Some(format), Some(Guess::Preset(Preset::Date))) if has_time(format) => {
                format.split_once(" %H").map_or(format, |(date, _)| date).to_owned()
            }
            (Some(format), _) => format.to_owned(),
            (None, _) => ISO.into(),
        }
    }

    /// Returns the prompt of the next question; `None` if all are answered.
    pub(super) fn prompt(&self) -> Option<String> {
        let question = self.next()?;
        let place = match question {
            Question::Like(column) => {
                let twin = self.twins[column].map_or("", |twin| &self.columns[twin].name);
                format!("{}as `{twin}`, ", self.heading(column))
            }
            Question::Kind(column) if self.twins[column].is_none() => self.heading(column),
            Question::Kind(_) => "  ".into(),
            _ => String::new(),
        };
        let suggestion = self.suggestion(question).map(|text| format!(" [{text}]")).unwrap_or_default();
        Some(format!("{place}{}{suggestion}: ", question.text()))
    }

    fn heading(&self, column: usize) -> String {
        format!("\n{} of {}  {}: ", column + 1, self.columns.len(), self.columns[column].name)
    }

    /// Returns the next question, for a message.
    pub(super) fn asked(&self) -> String {
        let Some(question) = self.next() else { return "the end".into() };
        let column = question.column().map(|column| format!("column `{}`, ", self.columns[column].name));
        format!("{}{}", column.unwrap_or_default(), question.text().trim())
    }

    /// Handles a line of input for the next question.
    pub(super) fn reply(&mut self, line: &str) -> Reply {
        let Some(question) = self.next() else { return Reply::Taken };
        match line {
            "?" => return Reply::Shown(format!("Why: {}", question.why())),
            "b" => {
                if let Some(last) = self.answered.pop() {
                    // The answer to `Like` decides all answers about the column.
                    if let Question::Like(column) = last {
                        self.forget_column(column);
                    }
                    self.answers.forget(last);
                    return Reply::Taken;
                }
                return Reply::Shown("this is the first question".into());
            }
            _ => {}
        }
        if let ("skip", Some(column)) = (line, question.column()) {
            self.forget_column(column);
            self.answered.retain(|answered| answered.column() != Some(column));
            if self.twins[column].is_some() {
                self.answers.keep(Question::Like(column), "no".into());
            }
            return self.take(Question::Kind(column), "skip".into());
        }
        let answer = if line.is_empty() { self.suggestion(question) } else { Some(line.to_owned()) };
        let Some(answer) = answer else {
            return Reply::Shown("there is no suggestion: type an answer, `skip` or `?`".into());
        };
        match self.understood(question, &answer) {
            Ok(answer) => self.take(question, answer),
            Err(problem) => Reply::Shown(problem),
        }
    }

    /// Keeps an answer, unless it makes the column invalid.
    fn take(&mut self, question: Question, answer: String) -> Reply {
        if let (Question::Like(column), "yes", Some(twin)) =
            (question, answer.as_str(), question.column().and_then(|column| self.twins[column]))
        {
            self.answers.copy(twin, column);
        }
        self.answers.keep(question, answer);
        self.answered.push(question);
        let Some(column) = question.column() else { return Reply::Taken };
        let is_complete = self.questions(column).iter().all(|question| self.answers.get(*question).is_some());
        // The last question is `Blank`, so bounds and categories are checked before it.
        let only_blank_is_left = self.next() == Some(Question::Blank(column));
        if (is_complete || only_blank_is_left)
            && let Err(problem) = self.answers.check(column, &self.columns[column].name)
        {
            self.answered.pop();
            self.answers.forget(question);
            return Reply::Shown(problem);
        }
        Reply::Taken
    }

    /// Parses an answer; the error says what is wrong with it.
    fn understood(&self, question: Question, answer: &str) -> Result<String, String> {
        let yes_or_no = |answer: &str| match answer.to_lowercase().as_str() {
            "y" | "yes" | "ja" | "j" => Ok("yes".to_owned()),
            "n" | "no" | "nein" => Ok("no".to_owned()),
            _ => Err(format!("`{answer}` is neither yes nor no")),
        };
        match question {
            Question::Unit => {
                let is_known = answer == "row" || self.columns.iter().any(|column| column.name == answer);
                is_known
                    .then(|| answer.to_owned())
                    .ok_or_else(|| format!("there is no column `{answer}`; write `row`?"))
            }
            Question::MaxRows => match answer.parse::<u32>() {
                Ok(rows) if rows > 0 => Ok(answer.to_owned()),
                _ => Err(format!("`{answer}` is not a whole number above 0")),
            },
            Question::Kind(_) => kind(answer)
                .map(|kind| kind_name(kind).to_owned())
                .ok_or_else(|| format!("`{answer}` is not a kind of column; `?` lists them")),
            Question::Missing => Ok(answer.to_owned()),
            Question::Decimals => match answer {
                "point" | "." => Ok("point".into()),
                "comma" | "," => Ok("comma".into()),
                _ => Err(format!("`{answer}` is neither point nor comma")),
            },
            Question::Format(_) => Ok(strptime(answer)),
            Question::Minimum(column) | Question::Maximum(column) => {
                let is_time = matches!(
                    self.answers.kind(column),
                    Some(Guess::Type(FieldType::Datetime) | Guess::Preset(Preset::Date))
                );
                if is_time && answer.len() == 4 && answer.bytes().all(|digit| digit.is_ascii_digit()) {
                    let has_time = self.answers.kind(column) == Some(Guess::Type(FieldType::Datetime));
                    let end = match question {
                        Question::Minimum(_) => "01-01",
                        _ if has_time => "12-31T23:59:59",
                        _ => "12-31",
                    };
                    return Ok(format!("{answer}-{end}"));
                }
                let is_real = matches!(
                    self.answers.kind(column),
                    Some(Guess::Type(FieldType::Number) | Guess::Preset(Preset::Amount))
                );
                let is_whole = matches!(
                    self.answers.kind(column),
                    Some(Guess::Type(FieldType::Integer | FieldType::Year) | Guess::Preset(Preset::Count))
                );
                let is_finite = answer.parse::<f64>().is_ok_and(f64::is_finite);
                match (is_real, is_whole) {
                    (true, _) if !is_finite => Err(format!("`{answer}` is not a number; write it as 1234.5")),
                    (_, true) if answer.parse::<i64>().is_err() => Err(format!("`{answer}` is not a whole number")),
                    _ => Ok(answer.to_owned()),
                }
            }
            Question::Categories(_) => {
                if let Some(path) = answer.strip_prefix('@') {
                    return listed(path);
                }
                let is_some = answer.split(',').any(|category| !category.trim().is_empty());
                is_some.then(|| answer.to_owned()).ok_or_else(|| "the answer has no category".to_owned())
            }
            Question::Like(_) | Question::Blank(_) | Question::Source => yes_or_no(answer),
        }
    }

    /// Returns the schema made from the answers.
    pub(super) fn to_yaml(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        self.answers.to_yaml(&names)
    }
}

/// Answer that means dates and times in ISO 8601.
pub(super) const ISO: &str = "iso";

/// Reads the categories of a file, one on each line, in the form of a typed answer.
fn listed(path: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read `{path}`: {}", scumble::schema::io_problem(&error)))?;
    let categories: Vec<&str> = text.lines().map(str::trim).filter(|category| !category.is_empty()).collect();
    match categories.iter().find(|category| category.contains(',')) {
        _ if categories.is_empty() => Err(format!("`{path}` has no category")),
        Some(_) => Err(format!("a category in `{path}` has a comma: write it into the schema by hand")),
        None => Ok(categories.join(", ")),
    }
}

/// Finds, for each column, the first column whose name differs in digits only.
fn twins(columns: &[Column]) -> Vec<Option<usize>> {
    let mut first = HashMap::new();
    let twin = |(place, column): (usize, &Column)| {
        let earlier = *first.entry(without_digits(&column.name)?).or_insert(place);
        (earlier < place).then_some(earlier)
    };
    columns.iter().enumerate().map(twin).collect()
}

/// Returns a name without its digits; `None` if it has none.
fn without_digits(name: &str) -> Option<String> {
    name.contains(|letter: char| letter.is_ascii_digit())
        .then(|| name.split(|letter: char| letter.is_ascii_digit()).filter(|part| !part.is_empty()).collect())
}

/// Converts a date format in letters, such as `dd.mm.yyyy`, to one of `strptime`.
fn strptime(format: &str) -> String {
    if matches!(format, "%Y-%m-%d" | "yyyy-mm-dd") || format.eq_ignore_ascii_case(ISO) {
        return ISO.into();
    }
    if format.contains('%') {
        return format.to_owned();
    }
    format
        .to_lowercase()
        .replace("hh:mm:ss", "%H:%M:%S")
        .replace("hh:mm", "%H:%M")
        .replace("yyyy", "%Y")
        .replace("jjjj", "%Y")
        .replace("yy", "%y")
        .replace("mm", "%m")
        .replace("dd", "%d")
        .replace("tt", "%d")
}
