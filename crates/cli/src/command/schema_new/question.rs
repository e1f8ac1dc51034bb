//! The questions, with the reason for each.

use scumble::schema::{FieldType, Guess, Preset};

/// One question. Numbers are places of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    Unit,
    MaxRows,
    /// Texts that mean "no value", in a text file.
    Missing,
    /// What stands before decimals, in a text file.
    Decimals,
    /// Whether a column is as an earlier one whose name differs in digits only.
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
    /// The column that it is about.
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

    /// The question itself.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Unit => "Whose privacy is protected: `row`, or the column that says whose a row is",
            Self::MaxRows => "Most rows of one of them that are used",
            Self::Missing => "Texts that mean \"no value\", with commas between them, such as -, NA",
            Self::Decimals => "Decimals follow a point or a comma",
            Self::Like(_) => "the same, yes or no",
            Self::Kind(_) => "kind",
            Self::Format(_) => "  written as",
            Self::Minimum(_) => "  least possible value",
            Self::Maximum(_) => "  greatest possible value",
            Self::Categories(_) => "  all categories, with commas between them, or @FILE with one on each line",
            Self::Blank(_) => "  ever blank, yes or no",
            Self::Source => "All answers come from public knowledge, yes or no",
        }
    }

    /// Why it is asked.
    pub(super) fn why(self) -> String {
        match self {
            Self::Unit => {
                "a person with several rows is protected as a whole only if the program knows which rows are hers. \
                           The column is read for that, and need not be in the output."
                    .into()
            }
            Self::MaxRows => {
                "noise grows with this number; rows of one person beyond it are left out. Few is better.".into()
            }
            Self::Missing => {
                "such a text counts as missing in every column, and not as a value that is unknown. A blank does in any case.".into()
            }
            Self::Decimals => {
                "with a comma, 1.234,56 is a number, and 1234.56 is none. Synthetic rows have a point in any case.".into()
            }
            Self::Like(_) => "the names differ in digits only. `no` asks about this column too.".into(),
            Self::Kind(_) => format!("it decides how values become counts. Kinds:\n{}", kinds()),
            Self::Format(_) => {
                "a date in another form is unknown, and synthetic dates are written in this form. Write it as \
                                dd.mm.yyyy or dd.mm.yyyy hh:mm, as a pattern such as %d.%m.%Y, or as iso."
                    .into()
            }
            Self::Minimum(_) | Self::Maximum(_) => {
                "counts need a fixed range. Taken from the rows it would show somebody's \
                                                    value. Values beyond it count at the end, so rather too wide."
                    .into()
            }
            Self::Categories(_) => {
                "every category is a count of its own, whether it occurs or not. A list out of the rows \
                                    would show rare answers. Others come back as `other`."
                    .into()
            }
            Self::Blank(_) => "a column that is never blank saves a count, and comes back without blanks.".into(),
            Self::Source => {
                "`yes` marks your bounds and categories `source: public`. The guarantee assumes that none was \
                             read off the rows. `no` marks them `assumed`, and every report says so."
                    .into()
            }
        }
    }
}

/// The kinds of columns, a line each.
pub(super) fn kinds() -> String {
    let presets = Preset::ALL.map(|preset| format!("  {:12} {}\n", preset.name(), preset.in_words()));
    let types = TYPES.map(|(field_type, words)| format!("  {:12} {words}\n", field_type.name()));
    format!("{}{}  {:12} not in the synthetic table", presets.concat(), types.concat(), "skip")
}

/// Types that are offered beside the presets, which have a better one for dates, and for true and false.
const TYPES: [(FieldType, &str); 5] = [
    (FieldType::Integer, "whole numbers within bounds"),
    (FieldType::Number, "other numbers within bounds"),
    (FieldType::String, "text: one of a list of categories"),
    (FieldType::Datetime, "days with a time"),
    (FieldType::Year, "calendar years"),
];

/// The kind of that name.
pub(super) fn kind(name: &str) -> Option<Guess> {
    let preset = Preset::ALL.into_iter().find(|preset| preset.name() == name).map(Guess::Preset);
    let by_type = || TYPES.into_iter().find(|(known, _)| known.name() == name).map(|(known, _)| Guess::Type(known));
    // What people write.
    preset.or_else(by_type).or(match name {
        "text" | "category" | "categories" => Some(Guess::Type(FieldType::String)),
        "boolean" | "yes/no" => Some(Guess::Preset(Preset::YesNo)),
        "id" => Some(Guess::Preset(Preset::Identifier)),
        "money" => Some(Guess::Preset(Preset::Amount)),
        "timestamp" => Some(Guess::Type(FieldType::Datetime)),
        _ => None,
    })
}

/// The name of a kind, as it is typed.
pub(super) fn kind_name(guess: Guess) -> &'static str {
    match guess {
        Guess::Preset(preset) => preset.name(),
        Guess::Type(FieldType::Date) => Preset::Date.name(),
        Guess::Type(FieldType::Boolean) => Preset::YesNo.name(),
        Guess::Type(field_type) => field_type.name(),
    }
}
