//! What the classifiers of the 2014 paper are asked: four questions about each of two tables.

use std::collections::BTreeMap;
use std::path::Path;

use scumble_benchmarks::benchmark::{Benchmark, text};
use scumble_benchmarks::classifiers::Lesson;
use scumble_benchmarks::{Failure, Result};

/// A question with two answers about a column, from all others.
pub(crate) struct Question {
    pub(crate) table: &'static str,
    pub(crate) column: &'static str,
    /// What is asked, as charts have it.
    pub(crate) asked: &'static str,
    /// The codes that mean yes, if there are more than two.
    yes: Option<&'static [&'static str]>,
}

const fn question(
    table: &'static str,
    column: &'static str,
    asked: &'static str,
    yes: Option<&'static [&'static str]>,
) -> Question {
    Question { table, column, asked, yes }
}

/// Codes of the public table: two kinds of associate, bachelor, doctor, master, and professional
/// schools.
const POST_SECONDARY: &[&str] = &["7", "8", "9", "10", "12", "14"];
const NEVER_MARRIED: &[&str] = &["4"];

pub(crate) const QUESTIONS: [Question; 8] = [
    question("adult", "sex", "female", None),
    question("adult", "education", "post-secondary degree", Some(POST_SECONDARY)),
    question("adult", "income", "over 50,000 a year", None),
    question("adult", "marital-status", "never married", Some(NEVER_MARRIED)),
    question("nltcs", "getting_about_outside", "cannot get outside", None),
    question("nltcs", "managing_money", "cannot manage money", None),
    question("nltcs", "bathing", "cannot bathe", None),
    question("nltcs", "traveling", "cannot travel", None),
];

/// How often every question about the table is answered wrongly; none for questions about the other
/// one.
pub(crate) fn answers(benchmark: &Benchmark, lesson: &Lesson) -> Result<Vec<Option<f64>>, Failure> {
    let ours = || QUESTIONS.iter().filter(|question| question.table == benchmark.name);
    let mut wrong = BTreeMap::new();
    let binary: Vec<&str> = ours().filter(|question| question.yes.is_none()).map(|question| question.column).collect();
    let judged = lesson.judged(&benchmark.domain, &["--svm-targets", &binary.join(",")])?;
    for column in binary {
        wrong.insert(column, judged["per_target"][column].as_f64());
    }
    for Question { column, yes, .. } in ours() {
        let Some(yes) = yes else { continue };
        let folder = tempfile::tempdir()?;
        for file in Lesson::FILES {
            recode(&lesson.0.path().join(file), &folder.path().join(file), column, yes)?;
        }
        let mut sizes: BTreeMap<String, u32> = serde_json::from_str(&std::fs::read_to_string(&benchmark.domain)?)?;
        sizes.insert((*column).into(), 2);
        let domain = folder.path().join("domain.json");
        std::fs::write(&domain, serde_json::to_string(&sizes)?)?;
        let judged = Lesson(folder).judged(&domain, &["--svm-targets", column])?;
        wrong.insert(column, judged["per_target"][column].as_f64());
    }
    let answer = |question: &Question| match wrong.get(question.column).filter(|_| question.table == benchmark.name) {
        Some(None) => Err(format!("the judge gave no rate for {}", question.column).into()),
        answer => Ok(answer.copied().flatten()),
    };
    QUESTIONS.iter().map(answer).collect()
}

/// Writes the rows with 1 for yes and 0 for no in a column.
fn recode(from: &Path, to: &Path, column: &str, yes: &[&str]) -> Result<()> {
    let mut reader = csv::Reader::from_path(from)?;
    let header = reader.headers()?.clone();
    let place = header.iter().position(|name| name == column);
    let place = place.ok_or_else(|| format!("{} has no column {column}", text(from)))?;
    let mut writer = csv::Writer::from_path(to)?;
    writer.write_record(&header)?;
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row)? {
        let answer = if yes.contains(&&row[place]) { "1" } else { "0" };
        writer.write_record(row.iter().enumerate().map(|(index, code)| if index == place { answer } else { code }))?;
    }
    Ok(writer.flush()?)
}
