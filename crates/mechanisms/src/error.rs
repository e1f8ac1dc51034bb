//! Why a fit or a model file failed.

use scumble_pgm::ModelError;
use scumble_schema::Schema;
use scumble_vault::{AccountingKind, VaultError};

use crate::marginals::MarginalsError;

/// A fit or a model file that failed.
///
/// No message depends on rows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MechanismError {
    /// The vault refused.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The numbers of a model are no distribution.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Tables that were made elsewhere cannot be used.
    #[error(transparent)]
    Marginals(#[from] MarginalsError),
    /// The schema is for other data than the source.
    #[error("the source was counted by another schema")]
    OtherSchema,
    /// There is no such method.
    #[error("no method `{name}`; there is {}", .known.join(", "))]
    NoSuchMethod {
        /// What was asked for.
        name: String,
        /// The names of all methods.
        known: &'static [&'static str],
    },
    /// A method does not run under an accounting.
    #[error("`{method}` does not run under {accounting} accounting")]
    OtherAccounting {
        /// The method.
        method: &'static str,
        /// The accounting.
        accounting: AccountingKind,
    },
    /// A method has no form without a delta.
    #[error("`{method}` needs a `delta` above 0")]
    NeedsDelta {
        /// The method.
        method: &'static str,
    },
    /// The number of rows has to be public for this.
    #[error("{what} needs neighbours that differ by a replaced row, and a public number of rows")]
    NeedsPublicRows {
        /// What was asked for.
        what: &'static str,
    },
    /// An option of a method has a value that it cannot have.
    #[error("option `{option}` {problem}")]
    Option {
        /// Its name.
        option: String,
        /// What is wrong.
        problem: String,
    },
    /// The schema is too large for the method.
    #[error("{problem}")]
    TooLarge {
        /// What would be too large.
        problem: String,
        /// What to do about it.
        hint: String,
    },
    /// A method's model cannot keep the rules of the schema.
    #[error("the schema has rules between columns, and the model of `{method}` cannot keep them")]
    NoRules {
        /// The method.
        method: &'static str,
    },
    /// No row keeps all rules of the schema.
    #[error("no row can keep all rules of the schema together")]
    RulesContradict,
    /// A part of a model was asked for that it does not have.
    #[error("{problem}")]
    Part {
        /// What it does not have.
        problem: String,
        /// What to do about it.
        hint: String,
    },
    /// The rows asked for cannot be written by the schema.
    #[error(transparent)]
    Rows(scumble_schema::SchemaError),
    /// A model file cannot be read or written.
    #[error("cannot use the model file `{path}`: {problem}")]
    File {
        /// The file.
        path: String,
        /// Why.
        problem: String,
    },
    /// The bytes are no model of ours.
    #[error("not a model file: {problem}")]
    Format {
        /// What was met.
        problem: &'static str,
    },
}

/// How many columns are named where a schema is too large.
const NAMED_COLUMNS: usize = 3;

impl MechanismError {
    /// A model file that is not one of ours, or not as it was written.
    pub(crate) fn damaged(problem: &'static str) -> Self {
        Self::Format { problem }
    }

    /// The same, with the columns that have most codes named in the hint of what is too large.
    pub(crate) fn naming_columns(self, schema: &Schema) -> Self {
        let (problem, hint) = match self {
            Self::TooLarge { problem, hint } => (problem, hint),
            Self::Vault(error @ (VaultError::TooManyCells { .. } | VaultError::Schema(_))) => {
                (error.to_string(), error.hint().into())
            }
            other => return other,
        };
        let mut columns: Vec<_> = schema.attributes().iter().map(|column| (column.size(), column.name())).collect();
        columns.sort_by_key(|&(size, _)| std::cmp::Reverse(size));
        let named = columns.iter().take(NAMED_COLUMNS).map(|(size, name)| format!("`{name}` ({size} codes)"));
        let hint = format!("{hint}; the columns with most codes are {}", named.collect::<Vec<_>>().join(", "));
        Self::TooLarge { problem, hint }
    }

    /// What to do about it.
    pub fn hint(&self) -> &str {
        match self {
            Self::Vault(error) => error.hint(),
            Self::Marginals(error) => error.hint(),
            Self::Model(_) | Self::Format { .. } => "fit the model again, or fetch an undamaged copy",
            Self::NoSuchMethod { .. } => "choose one of these",
            Self::OtherAccounting { .. } => "let the goal decide: give `--delta 0` for pure differential privacy only",
            Self::NeedsDelta { .. } => {
                "choose one far below one over the number of people, or `pb-pgm` for a delta of 0"
            }
            Self::NeedsPublicRows { .. } => {
                "declare `dp: {adjacency: replace-one}` in the schema if the number of rows is public"
            }
            Self::Option { .. } => "leave the option out for its default",
            Self::TooLarge { hint, .. } | Self::Part { hint, .. } => hint,
            Self::Rows(_) => "draw fewer rows, or give the pattern of the column more places and fit the model again",
            Self::NoRules { .. } => {
                "choose `auto`, `aim`, `mst`, `privmrf`, or `pb-pgm` with `encoding=vanilla`, or drop `dp: {rules}` from the schema"
            }
            Self::RulesContradict => "leave out rules one by one until the others can be kept",
            Self::OtherSchema => "read the data with the schema that is fitted",
            Self::File { .. } => "check the path and its permissions",
        }
    }
}
