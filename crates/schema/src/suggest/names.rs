//! English and German words in the names of columns.

use crate::file::preset::Preset;
use crate::schema::attribute::FieldType;

/// The likely meaning of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// A preset.
    Preset(Preset),
    /// Only a type.
    Type(FieldType),
}

/// A meaning, its words, and endings of longer words.
struct Entry(Guess, &'static [&'static str], &'static [&'static str]);

/// The first matching entry wins, so more specific words come first.
const ENTRIES: [Entry; 16] = [
    Entry(
        Guess::Preset(Preset::Identifier),
        &["id", "ids", "uuid", "guid", "key", "nr", "nummer", "kennung", "ssn", "iban"],
        &["nummer", "kennung", "nr", "uuid"],
    ),
    Entry(
        Guess::Preset(Preset::FreeText),
        &[
            "comment",
            "comments",
            "kommentar",
            "bemerkung",
            "bemerkungen",
            "note",
            "notes",
            "notiz",
            "remark",
            "remarks",
            "freitext",
            "freetext",
            "text",
            "description",
            "beschreibung",
            "address",
            "adresse",
            "street",
            "strasse",
            "email",
            "mail",
            "phone",
            "telefon",
            "vorname",
            "nachname",
            "surname",
            "firstname",
            "lastname",
        ],
        &["kommentar", "bemerkung", "strasse", "beschreibung"],
    ),
    Entry(Guess::Preset(Preset::Postcode), &["zip", "zipcode", "plz", "postcode", "postal", "postleitzahl"], &["plz"]),
    Entry(
        Guess::Type(FieldType::Datetime),
        &["timestamp", "datetime", "zeitpunkt", "zeitstempel"],
        &["zeitpunkt", "timestamp"],
    ),
    // A "time" alone may be a duration.
    Entry(Guess::Type(FieldType::Time), &["uhrzeit", "clock", "heure", "hora"], &["uhrzeit"]),
    Entry(Guess::Preset(Preset::Date), &["date", "datum", "dob", "birthday", "geburtstag", "born"], &["datum", "date"]),
    Entry(Guess::Type(FieldType::Year), &["year", "jahr"], &["jahr"]),
    Entry(Guess::Preset(Preset::Age), &["age", "alter", "ages"], &["lebensalter"]),
    Entry(Guess::Preset(Preset::Sex), &["sex", "gender", "geschlecht"], &["geschlecht"]),
    Entry(
        Guess::Preset(Preset::Percentage),
        &["percent", "percentage", "pct", "prozent", "anteil", "share", "rate", "quote"],
        &["anteil", "quote", "prozent"],
    ),
    Entry(
        Guess::Preset(Preset::Count),
        &["count", "anzahl", "num", "number", "children", "kinder", "visits", "besuche", "haushaltsgroesse"],
        &["anzahl"],
    ),
    Entry(
        Guess::Preset(Preset::Amount),
        &[
            "income",
            "salary",
            "wage",
            "wages",
            "amount",
            "price",
            "cost",
            "costs",
            "revenue",
            "balance",
            "rent",
            "fee",
            "einkommen",
            "gehalt",
            "lohn",
            "betrag",
            "preis",
            "kosten",
            "umsatz",
            "miete",
            "beitrag",
        ],
        &["einkommen", "gehalt", "lohn", "betrag", "preis", "kosten", "umsatz", "miete", "beitrag"],
    ),
    Entry(
        Guess::Preset(Preset::Country),
        &["country", "land", "nation", "nationality", "citizenship", "staat", "staatsangehoerigkeit"],
        &["staat"],
    ),
    Entry(
        Guess::Preset(Preset::YesNo),
        &[
            "is",
            "has",
            "ist",
            "hat",
            "flag",
            "smoker",
            "raucher",
            "married",
            "verheiratet",
            "employed",
            "erwerbstaetig",
            "active",
            "aktiv",
        ],
        &[],
    ),
    Entry(
        Guess::Type(FieldType::Number),
        &["height", "weight", "bmi", "temperature", "groesse", "gewicht", "temperatur", "length", "laenge", "score"],
        &["gewicht", "groesse", "temperatur"],
    ),
    Entry(Guess::Type(FieldType::Integer), &["size", "rank", "level", "months", "days", "monate", "tage"], &[]),
];

/// Words in the name of an identifier of a person or household.
const UNIT_WORDS: [&str; 16] = [
    "person",
    "patient",
    "patienten",
    "customer",
    "kunde",
    "kunden",
    "user",
    "nutzer",
    "member",
    "mitglied",
    "mitglieds",
    "client",
    "household",
    "haushalt",
    "versicherten",
    "subject",
];

/// Guesses the meaning of a column from its name.
///
/// ```
/// use scumble_schema::{Guess, Preset, guess_by_name};
/// assert_eq!(guess_by_name("geburtsDatum"), Some(Guess::Preset(Preset::Date)));
/// assert_eq!(guess_by_name("house colour"), None);
/// ```
pub fn guess_by_name(name: &str) -> Option<Guess> {
    let words = words(name);
    let is = |word: &String, Entry(_, exact, endings): &Entry| {
        exact.contains(&word.as_str())
            || endings.iter().any(|ending| word.len() > ending.len() && word.ends_with(ending))
    };
    ENTRIES.iter().find(|entry| words.iter().any(|word| is(word, entry))).map(|entry| entry.0)
}

/// Whether the name suggests an identifier of a person or household: a privacy unit.
pub fn is_unit_by_name(name: &str) -> bool {
    let words = words(name);
    guess_by_name(name) == Some(Guess::Preset(Preset::Identifier))
        && words.iter().any(|word| UNIT_WORDS.iter().any(|unit| word == unit || word.starts_with(unit)))
}

/// Whether one of `wanted` is a word of the name, or the ending of one.
pub(super) fn has_word(name: &str, wanted: &[&str]) -> bool {
    words(name)
        .iter()
        .any(|word| wanted.iter().any(|wanted| word == wanted || word.ends_with(wanted) && wanted.len() > 4))
}

/// The words of a name, in lower case and without umlauts, split at capitals and at non-letters.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for character in name.chars() {
        if !character.is_alphabetic() || (character.is_uppercase() && before_is_lower) {
            words.push(String::new());
        }
        before_is_lower = character.is_lowercase();
        let word = words.last_mut().expect("there is always one");
        match character {
            'ä' | 'Ä' => word.push_str("ae"),
            'ö' | 'Ö' => word.push_str("oe"),
            'ü' | 'Ü' => word.push_str("ue"),
            'ß' => word.push_str("ss"),
            _ if character.is_alphabetic() => word.extend(character.to_lowercase()),
            _ => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(words("BirthDate_2 (JAHR)"), ["birth", "date", "jahr"]);
        assert_eq!(words("Körpergröße"), ["koerpergroesse"]);
        assert!(words("42").is_empty());
    }

    #[test]
    fn english_and_german_names_are_understood() {
        for (names, preset) in [
            (["person_id", "KundenNr"], Preset::Identifier),
            (["age", "ALTER"], Preset::Age),
            (["gender", "geschlecht"], Preset::Sex),
            (["zip code", "PLZ"], Preset::Postcode),
            (["income", "jahresEinkommen"], Preset::Amount),
            (["birth_date", "Geburtsdatum"], Preset::Date),
            (["country", "Staatsangehörigkeit"], Preset::Country),
            (["is_smoker", "verheiratet"], Preset::YesNo),
            (["num_children", "anzahl_kinder"], Preset::Count),
            (["pct_paid", "Fehlerquote"], Preset::Percentage),
            (["remarks", "Bemerkung"], Preset::FreeText),
        ] {
            for name in names {
                assert_eq!(guess_by_name(name), Some(Guess::Preset(preset)), "{name}");
            }
        }
        assert_eq!(guess_by_name("Baujahr"), Some(Guess::Type(FieldType::Year)));
        assert_eq!(guess_by_name("Unfalluhrzeit"), Some(Guess::Type(FieldType::Time)));
        for name in ["region", "colour", "manager", "Sprache", "image", "paragraph", "waiting_time"] {
            assert_eq!(guess_by_name(name), None, "{name}");
        }
        assert!(is_unit_by_name("patient_id") && is_unit_by_name("KundenNr") && !is_unit_by_name("order_id"));
    }
}
