//! Answers, and the schema file made from them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use scumble::Schema;
use scumble::schema::{FieldType, Guess, Preset, rules_by_names};
use serde_json::Value;

use super::interview::ISO;
use super::question::{Question, kind};

/// A range with more whole numbers is divided into bins.
const MAX_SINGLE_VALUES: u64 = 256;

const HEADER: &str = "\
# Written by `scumble schema new`: names and types of columns were read, and no value.
# Check it with `scumble schema check`, and change whatever you know better.
";

/// The answers so far, in parsed form.
#[derive(Debug, Default)]
pub(super) struct Answers(BTreeMap<Question, String>);

impl Answers {
    pub(super) fn get(&self, question: Question) -> Option<&str> {
        self.0.get(&question).map(String::as_str)
    }

    pub(super) fn keep(&mut self, question: Question, answer: String) {
        self.0.insert(question, answer);
    }

    pub(super) fn forget(&mut self, question: Question) {
        self.0.remove(&question);
    }

    /// Copies the answers about a column to another column.
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        let all = [
            Question::Kind,
            Question::Format,
            Question::Minimum,
            Question::Maximum,
            Question::Categories,
            Question::Blank,
        ];
        for question in all {
            if let Some(answer) = self.get(question(from)).map(str::to_owned) {
                self.keep(question(to), answer);
            }
        }
    }

    /// Returns the kind of a column; `None` if it is unknown yet, or if the column is skipped.
    pub(super) fn kind(&self, column: usize) -> Option<Guess> {
        self.get(Question::Kind(column)).and_then(kind)
    }

    /// Checks the answers about a column so far.
    pub(super) fn check(&self, column: usize, name: &str) -> Result<(), String> {
        let Some(field) = self.field(column, name) else { return Ok(()) };
        // A second column is modelled, so that a generated column can be checked alone.
        let beside = if name == "x" { "y" } else { "x" };
        let schema = format!("fields:\n{field}  - {{name: {beside}, type: boolean}}\n");
        Schema::parse(&schema).map(|_| ()).map_err(|problems| {
            let problem = &problems.list()[0];
            format!("{problem}: {}", problem.hint())
        })
    }

    pub(super) fn to_yaml(&self, names: &[&str]) -> String {
        let unit = self.get(Question::Unit).unwrap_or("row");
        let rows = self.get(Question::MaxRows).unwrap_or("1");
        let missing = self.get(Question::Missing).filter(|texts| *texts != "none").unwrap_or_default();
        let missing: Vec<String> = std::iter::once("")
            .chain(missing.split(',').map(str::trim).filter(|text| !text.is_empty()))
            .map(quoted)
            .collect();
        let mut yaml = format!(
            "{HEADER}missingValues: [{}]   # texts that mean \"no value\"\ndp:\n  privacyUnit: {}   # what the guarantee protects: a row, or all rows of one value of a column\n  \
             maxContributions: {rows}   # noise grows with it\n",
            missing.join(", "),
            quoted(unit)
        );
        let written =
            names.iter().enumerate().filter(|(column, _)| self.kind(*column).is_some()).map(|(_, name)| *name);
        let rules = rules_by_names(&written.collect::<Vec<_>>());
        if !rules.is_empty() {
            yaml.push_str("  # Facts that hold in every row, by the names of columns perhaps:\n  # rules:\n");
            for rule in rules {
                let _ = writeln!(yaml, "  #   - {rule}");
            }
        }
        yaml.push_str("fields:\n");
        for (column, name) in names.iter().enumerate() {
            match self.field(column, name) {
                Some(field) => yaml.push_str(&field),
                None => {
                    let _ = writeln!(yaml, "  # left out: {}", quoted(name));
                }
            }
        }
        yaml
    }

    /// Returns the lines of a column; `None` if it is skipped.
    fn field(&self, column: usize, name: &str) -> Option<String> {
        let kind = self.kind(column)?;
        let mut yaml = format!("  - name: {}\n", quoted(name));
        let mut line = |property: &str, value: String| {
            let _ = writeln!(yaml, "    {property}: {value}");
        };
        if let Guess::Type(field_type) = kind {
            line("type", field_type.name().into());
        }
        if let Some(format) = self.get(Question::Format(column)).filter(|format| *format != ISO) {
            line("format", quoted(format));
        }
        if self.get(Question::Decimals) == Some("comma") {
            let is_number = matches!(
                kind,
                Guess::Preset(Preset::Amount | Preset::Percentage | Preset::Count)
                    | Guess::Type(FieldType::Number | FieldType::Integer)
            );
            if is_number {
                line("decimalChar", quoted(","));
                line("groupChar", quoted("."));
            }
        }
        let constraints = self.constraints(column, kind);
        if !constraints.is_empty() {
            line("constraints", format!("{{{}}}", constraints.join(", ")));
        }
        let (terms, comment) = self.terms(column, kind);
        if !terms.is_empty() {
            line("dp", format!("{{{}}}{comment}", terms.join(", ")));
        }
        Some(yaml)
    }

    fn constraints(&self, column: usize, kind: Guess) -> Vec<String> {
        let mut constraints = Vec::new();
        // Numbers are written without quotes, dates with quotes.
        let value = |text: &str| if text.parse::<f64>().is_ok() { text.to_owned() } else { quoted(text) };
        for (property, question) in [("minimum", Question::Minimum(column)), ("maximum", Question::Maximum(column))] {
            if let Some(answer) = self.get(question).filter(|answer| !is_of_preset(kind, property, answer)) {
                constraints.push(format!("{property}: {}", value(answer)));
            }
        }
        if let Some(list) = self.get(Question::Categories(column)) {
            let categories = list.split(',').map(str::trim).filter(|category| !category.is_empty()).map(quoted);
            constraints.push(format!("enum: [{}]", categories.collect::<Vec<_>>().join(", ")));
        }
        if self.get(Question::Blank(column)) == Some("no") {
            constraints.push("required: true".into());
        }
        constraints
    }

    /// Returns the `dp` block, and a comment after it.
    fn terms(&self, column: usize, kind: Guess) -> (Vec<String>, String) {
        let declares = self.constraints(column, kind).iter().any(|constraint| !constraint.starts_with("required"));
        let source = if self.get(Question::Source) == Some("yes") { "public" } else { "assumed" };
        let source = declares.then(|| format!("source: {source}"));
        match kind {
            Guess::Preset(preset) => {
                let terms = [Some(format!("preset: {}", preset.name())), source].into_iter().flatten().collect();
                (terms, format!("   # {}", preset.in_words()))
            }
            Guess::Type(field_type) => {
                let bins = match field_type {
                    FieldType::String => Some("open: true"),
                    FieldType::Number => Some("bins: {count: 32}"),
                    FieldType::Datetime => Some("bins: {by: month}"),
                    FieldType::Integer if self.is_long(column) => Some("bins: {count: 32}"),
                    _ => None,
                };
                (source.into_iter().chain(bins.map(Into::into)).collect(), String::new())
            }
        }
    }

    fn is_long(&self, column: usize) -> bool {
        let bound = |question| self.get(question).and_then(|text| text.parse::<i64>().ok());
        let bounds = bound(Question::Minimum(column)).zip(bound(Question::Maximum(column)));
        bounds.is_some_and(|(low, high)| high.abs_diff(low) >= MAX_SINGLE_VALUES)
    }
}

/// Returns whether a bound is the preset's default.
fn is_of_preset(kind: Guess, property: &str, answer: &str) -> bool {
    matches!(
        (kind, property, answer),
        (Guess::Preset(Preset::Date), "minimum", "1900-01-01")
            | (Guess::Preset(Preset::Date), "maximum", "2099-12-31")
            | (Guess::Preset(Preset::Amount), "maximum", "1000000")
            | (Guess::Preset(Preset::Count), "maximum", "100")
    )
}

/// Quotes a text as a JSON string, which is also a YAML string.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
