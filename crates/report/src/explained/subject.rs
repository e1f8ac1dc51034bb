//! What a guarantee protects, as phrases for sentences.

use scumble_mechanisms::Model;
use scumble_schema::{AdjacencyKind, Unit};

/// Phrases about what is protected.
pub(super) struct Subject {
    /// Paragraph on what is protected.
    pub(super) protected: String,
    /// `this row`, or `these rows`.
    pub(super) these: &'static str,
    /// Two protected units, such as `two rows`.
    pub(super) two: String,
    /// The neighbouring table, such as `without`.
    pub(super) otherwise: &'static str,
    /// The question of the attacker, such as `whether this row is in the table`.
    pub(super) secret: String,
    /// A true alarm of a test, such as `notices this row, if it is there,`.
    pub(super) notices: String,
    /// What the owner of the table vouches for, if anything.
    pub(super) promise: Option<String>,
    /// Column of the privacy unit, if there is one.
    pub(super) column: Option<String>,
}

impl Subject {
    pub(super) fn new(model: &Model) -> Self {
        let privacy = model.schema().privacy();
        let most = privacy.max_contributions.get();
        let (rows, person, two) = match (&privacy.unit, most) {
            (Unit::Row, 1) => (
                "One row".to_owned(),
                "Where a person has one row, that is one person.".to_owned(),
                "two rows".to_owned(),
            ),
            (Unit::Row, most) => {
                (format!("Up to {most} rows of one person"), "Every row was used.".to_owned(), "two people".to_owned())
            }
            (Unit::Column(column), most) => {
                let kept = if most == 1 { "one row".to_owned() } else { format!("{most} rows") };
                let person = format!(
                    "Whose a row is, `{column}` says: at most {kept} of each went into the model. A person with several such \
                     values is protected as a group of them."
                );
                (format!("All rows of one `{column}`"), person, format!("two `{column}`"))
            }
        };
        let one = privacy.unit == Unit::Row && most == 1;
        let [these, say, are, have] = if one {
            ["this row", "it says", "it is", "this row is replaced by another"]
        } else {
            ["these rows", "they say", "they are", "these rows are replaced by as many others"]
        };
        let (hidden, otherwise, secret, notices) = match privacy.adjacency {
            AdjacencyKind::AddRemove => (
                format!(
                    "both what {say} and whether {are} in the table at all. The guarantee compares the real table with the one \
                     that has {these} in addition, or lacks {}. The number of rows is protected as well: the one that is \
                     shown is an estimate.",
                    if one { "it" } else { "them" }
                ),
                "without",
                format!("whether {these} {} in the table", if one { "is" } else { "are" }),
                format!("notices {these}, if {are} there,"),
            ),
            AdjacencyKind::ReplaceOne => (
                format!(
                    "what {say}. The guarantee compares the real table with the one in which {have}. That there {} is not \
                     hidden: the number of rows is public.",
                    if one { "is such a row" } else { "are such rows" }
                ),
                "with others instead",
                format!("which of two things {these} {}", if one { "says" } else { "say" }),
                "notices the one of the two that it looks for, if it is true,".to_owned(),
            ),
        };
        let promise = match (&privacy.unit, most) {
            (Unit::Row, 2..) => {
                Some(format!("That nobody has more than {most} rows is the word of the owner of the table."))
            }
            _ => None,
        };
        let column = match &privacy.unit {
            Unit::Row => None,
            Unit::Column(column) => Some(column.clone()),
        };
        Self {
            protected: format!("{rows}: {hidden} {person}"),
            these,
            two,
            otherwise,
            secret,
            notices,
            promise,
            column,
        }
    }
}
