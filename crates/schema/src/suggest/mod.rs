//! Suggestions from the names of columns. Names and types are public; no value is read.

mod draft;
mod names;

use std::fmt::Write as _;

pub use self::draft::{draft, field_type_of};
use self::names::has_word;
pub use self::names::{Guess, guess_by_name, is_unit_by_name};
use crate::file::preset::Preset;
use crate::schema::attribute::FieldType;

/// Words of dates that come before those of `ENDS`.
const BEGINS: [&str; 14] = [
    "start",
    "begin",
    "beginn",
    "from",
    "von",
    "admitted",
    "admission",
    "aufnahme",
    "aufnahmedatum",
    "entry",
    "eintritt",
    "eintrittsdatum",
    "opened",
    "anfang",
];
const ENDS: [&str; 13] = [
    "end",
    "ende",
    "until",
    "to",
    "bis",
    "discharged",
    "discharge",
    "entlassung",
    "entlassungsdatum",
    "exit",
    "austritt",
    "austrittsdatum",
    "closed",
];
const BIRTH: [&str; 7] = ["birth", "dob", "birthday", "born", "geburt", "geburtsdatum", "geburtstag"];
const MARRIED: [&str; 6] = ["married", "marital", "verheiratet", "familienstand", "marriage", "spouse"];

/// Guesses a preset that fits the type, if it is known, or else the type.
pub fn guess(name: &str, field_type: Option<FieldType>) -> Option<Guess> {
    let by_name = guess_by_name(name);
    let Some(field_type) = field_type else { return by_name };
    match by_name {
        Some(Guess::Preset(preset)) if preset.types().contains(&field_type) => by_name,
        _ => Some(Guess::Type(field_type)),
    }
}

/// Comments for a drafted column: what its name suggests, and the question whether it can be blank.
pub(crate) fn column_comment(name: &str, field_type: FieldType) -> String {
    let mut text = String::new();
    let by_name = guess_by_name(name);
    match by_name {
        // A text column of a CSV file can be of any type.
        Some(Guess::Preset(preset)) if field_type == FieldType::String || preset.types().contains(&field_type) => {
            let _ = writeln!(
                text,
                "    # Suggested by the name, in place of all lines below `name`:\n    #   dp: {{preset: {}}}   # {}",
                preset.name(),
                preset.in_words()
            );
        }
        Some(Guess::Type(likely)) if field_type == FieldType::String => {
            let _ = writeln!(text, "    # Suggested by the name: `type: {likely}`, {}", needs(likely));
        }
        _ if field_type == FieldType::String => {
            text.push_str("    # Text with a list of categories, or another `type`: integer, number, boolean, date, datetime, time, year\n");
        }
        _ => {}
    }
    if by_name == Some(Guess::Preset(Preset::Amount)) {
        text.push_str("    # Many values of exactly 0, or of round numbers? Then list them in the bins, such as `points: [0]`: each gets its own code.\n");
    }
    text.push_str("    # Never blank? Then add `required: true` under `constraints`.\n");
    text
}

fn needs(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::Time => "in bins of an hour; others with `dp: {bins: {width: 900}}`, in seconds",
        FieldType::Number => "with `constraints: {minimum: ..., maximum: ...}` and `dp: {bins: {count: 32}}`",
        FieldType::Datetime => "with `constraints: {minimum: ..., maximum: ...}` and `dp: {bins: {by: day}}`",
        _ => "with `constraints: {minimum: ..., maximum: ...}`",
    }
}

/// Suggests rules from the names of columns, as lines of a schema file.
pub fn rules_by_names(names: &[&str]) -> Vec<String> {
    let quoted = |name: &str| serde_json::Value::from(name).to_string();
    let is_date = |name: &str| matches!(guess_by_name(name), Some(Guess::Preset(Preset::Date)));
    let is_age = |name: &str| guess_by_name(name) == Some(Guess::Preset(Preset::Age));
    let find = |is: &dyn Fn(&str) -> bool| names.iter().copied().find(|name| is(name));
    let mut rules = Vec::new();
    let age = find(&is_age);
    let birth = find(&|name| has_word(name, &BIRTH) && (is_date(name) || !is_age(name)));
    if let (Some(age), Some(birth)) = (age, birth) {
        let day = "\"2024-12-31\"";
        rules.push(format!(
            "{{years: {}, since: {}, until: {day}}}   # completed years on that day; or write the column with the day",
            quoted(age),
            quoted(birth)
        ));
    }
    if let (Some(age), Some(married)) = (age, find(&|name| has_word(name, &MARRIED))) {
        rules.push(format!(
            "forbid: {{{}: {{below: 16}}, {}: ...}}   # no child is married",
            quoted(age),
            quoted(married)
        ));
    }
    let begin = find(&|name| has_word(name, &BEGINS));
    let end = find(&|name| has_word(name, &ENDS));
    let ordered: Vec<String> = match (begin, end) {
        (Some(begin), Some(end)) if begin != end => {
            birth.filter(|birth| is_date(birth) && is_date(begin)).into_iter().chain([begin, end]).map(quoted).collect()
        }
        _ => Vec::new(),
    };
    if !ordered.is_empty() {
        rules.push(format!("order: [{}]   # each is at or after the one to its left", ordered.join(", ")));
    }
    rules
}

/// The suggested rules as comments in the `dp` block of a draft.
pub(crate) fn rules_comment(names: &[&str]) -> String {
    let rules = rules_by_names(names);
    if rules.is_empty() {
        return String::new();
    }
    let mut text = String::from("  # Rules that hold in every row, suggested by the names of columns:\n  # rules:\n");
    for rule in rules {
        let _ = writeln!(text, "  #   - {rule}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_suggested_by_names() {
        let rules = rules_by_names(&["alter", "geburtsdatum", "familienstand", "Aufnahmedatum", "Entlassungsdatum"]);
        assert_eq!(rules.len(), 3, "{rules:?}");
        assert!(rules[0].starts_with(r#"{years: "alter", since: "geburtsdatum""#), "{}", rules[0]);
        assert!(rules[1].contains(r#""familienstand""#));
        assert!(
            rules[2].starts_with(r#"order: ["geburtsdatum", "Aufnahmedatum", "Entlassungsdatum"]"#),
            "{}",
            rules[2]
        );
        assert!(rules_by_names(&["region", "income"]).is_empty());
    }

    #[test]
    fn a_known_type_rules_out_presets_of_another() {
        assert_eq!(guess("age", Some(FieldType::Integer)), Some(Guess::Preset(Preset::Age)));
        assert_eq!(guess("age", Some(FieldType::String)), Some(Guess::Type(FieldType::String)));
        assert_eq!(guess("colour", None), None);
    }
}
