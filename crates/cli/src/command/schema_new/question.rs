//! The questions, with the reason for each.

use scumble::schema::{FieldType, Guess, Preset};

/// A question. Numbers are positions of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    Unit,
    MaxRows,
    /// Texts that mean "no value", in a text file.
    Missing,
    /// The decimal separator, in a text file.
    Decimals,
    /// Whether a column is like an earlier one whose name differs in digits only.
    Like(usize),
    Kind(usize),
    Format(usize),
    Minimum(usize),
    Maximum(usize),
    Categories(usize),
    Blank(usize),
    Source,
}

impl Question {
    /// Returns the column that it is about.
    pub(super) fn column(self) -> Option<usize> {
        match self {
            Self::Unit | Self::MaxRows | Self::Missing | Self::Decimals | Self::Source => None,
            Self::Like(column)
            | Self::Kind(column)
            | Self::Format(column)
            | Self::Minimum(column)
            | Self::Maximum(column)
            | Self::Categories(column)
            | Self::Blank(column) => Some(column),
        }
    }

    /// Returns the text of the question.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Unit => "Unit of privacy: `row`, or the column that identifies the person of each row",
            Self::MaxRows => "Maximum number of rows used per unit",
            Self::Missing => "Texts that mean \"no value\", separated by commas, such as -, NA",
            Self::Decimals => "Decimal separator: point or comma",
            Self::Like(_) => "the same, yes or no",
            Self::Kind(_) => "kind",
            Self::Format(_) => "  format",
            Self::Minimum(_) => "  least possible value",
            Self::Maximum(_) => "  greatest possible value",
            Self::Categories(_) => "  all categories, separated by commas, or @FILE with one per line",
            Self::Blank(_) => "  ever blank, yes or no",
            Self::Source => "All answers come from public knowledge, yes or no",
        }
    }

    /// Returns the reason for the question.
    pub(super) fn why(self) -> String {
        match self {
            Self::Unit => {
                "a person with several rows is protected as a whole only if the program knows the rows of each person. \
                           The column is read for that, and need not be in the output."
                    .into()
            }
            Self::MaxRows => {
                "noise grows with this number; further rows of a person are not used. Small numbers are better.".into()
            }
            Self::Missing => {
                "such a text counts as missing in every column, not as an unknown value. A blank always counts as missing.".into()
            }
            Self::Decimals => {
                "with a comma, 1.234,56 is a number, and 1234.56 is not. Synthetic rows always have a point.".into()
            }
            Self::Like(_) => "the names differ in digits only. `no` asks about this column too.".into(),
            Self::Kind(_) => format!("the kind decides how values are counted. Kinds:\n{}", kinds()),
            Self::Format(_) => {
                "a date in another form is unknown, and synthetic dates are written in this form. Write it as \
                                dd.mm.yyyy or dd.mm.yyyy hh:mm, as a pattern such as %d.%m.%Y, or as iso."
                    .into()
            }
            Self::Minimum(_) | Self::Maximum(_) => {
                "counts need a fixed range. Taken from the rows, it would reveal a \
                                                    person's value. Values outside count at its ends, so choose it rather too wide."
                    .into()
            }
            Self::Categories(_) => {
                "every category has its own count, whether it occurs or not. A list taken from the rows \
                                    would reveal rare answers. Other values become `other`."
                    .into()
            }
            Self::Blank(_) => "a column that is never blank needs one count fewer, and has no blanks in the synthetic table.".into(),
            Self::Source => {
                "`yes` marks your bounds and categories `source: public`. The guarantee assumes that none was \
                             read off the rows. `no` marks them `assumed`, and every report says so."
                    .into()
            }
        }
    }
}

/// Returns the list of kinds, one line each.
pub(super) fn kinds() -> String {
    let presets = Preset::ALL.map(|preset| format!("  {:12} {}\n", preset.name(), preset.in_words()));
    let types = TYPES.map(|(field_type, words)| format!("  {:12} {words}\n", field_type.name()));
    format!("{}{}  {:12} not in the synthetic table", presets.concat(), types.concat(), "skip")
}

/// Types offered besides the presets, which cover dates and booleans better.
const TYPES: [(FieldType, &str); 6] = [
    (FieldType::Integer, "whole numbers within bounds"),
    (FieldType::Number, "other numbers within bounds"),
    (FieldType::String, "text: one of a list of categories"),
    (FieldType::Datetime, "dates with a time"),
    (FieldType::Time, "times of day"),
    (FieldType::Year, "calendar years"),
];

/// Returns the kind with this name.
pub(super) fn kind(name: &str) -> Option<Guess> {
    let preset = Preset::ALL.into_iter().find(|preset| preset.name() == name).map(Guess::Preset);
    let by_type = || TYPES.into_iter().find(|(known, _)| known.name() == name).map(|(known, _)| Guess::Type(known));
    // Synonyms that people type.
    preset.or_else(by_type).or(match name {
        "text" | "category" | "categories" => Some(Guess::Type(FieldType::String)),
        "boolean" | "yes/no" => Some(Guess::Preset(Preset::YesNo)),
        "id" => Some(Guess::Preset(Preset::Identifier)),
        "money" => Some(Guess::Preset(Preset::Amount)),
        "timestamp" => Some(Guess::Type(FieldType::Datetime)),
        _ => None,
    })
}

/// Returns the name of a kind, as it is typed.
pub(super) fn kind_name(guess: Guess) -> &'static str {
    match guess {
        Guess::Preset(preset) => preset.name(),
        Guess::Type(FieldType::Date) => Preset::Date.name(),
        Guess::Type(FieldType::Boolean) => Preset::YesNo.name(),
        Guess::Type(field_type) => field_type.name(),
    }
}
