//! Errors of fits and model files.

use scumble_pgm::ModelError;
use scumble_schema::{Schema, printable};
use scumble_vault::{AccountingKind, VaultError};

use crate::marginals::error::MarginalsError;

/// An error of a fit or of a model file.
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
    /// External tables cannot be used.
    #[error(transparent)]
    Marginals(#[from] MarginalsError),
    /// The schema is for other data than the source.
    #[error("the source was counted by another schema")]
    OtherSchema,
    /// The method is unknown.
    #[error("no method `{name}`; there is {}", .known.join(", "))]
    NoSuchMethod {
        /// The name that was given.
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
    /// A method cannot run with a delta of 0.
    #[error("`{method}` needs a `delta` above 0")]
    NeedsDelta {
        /// The method.
        method: &'static str,
    },
    /// Categories cannot be learned with a delta of 0.
    #[error("categories that no schema declares can only be learned with a `delta` above 0")]
    CategoriesNeedDelta,
    /// What was learned is no schema.
    #[error("the columns could not be learned: {}", printable(problem))]
    Learned {
        /// What is wrong.
        problem: String,
    },
    /// A question needs a public number of rows.
    #[error("{what} needs neighbours that differ by a replaced row, and a public number of rows")]
    NeedsPublicRows {
        /// The method or score that asks it.
        what: &'static str,
    },
    /// An option of a method has an invalid value.
    #[error("option `{}` {}", printable(option), printable(problem))]
    Option {
        /// Its name.
        option: String,
        /// What is wrong.
        problem: String,
    },
    /// A figure of quality cannot be measured.
    #[error("the figure `{}` cannot be measured: {}", printable(figure), printable(problem))]
    Figure {
        /// The figure.
        figure: String,
        /// Why it cannot.
        problem: String,
    },
    /// Criteria cannot be used.
    #[error("the criteria cannot be used: {}", printable(problem))]
    Criteria {
        /// What is wrong.
        problem: String,
    },
    /// A method has no workload.
    #[error("`{method}` has no workload: it treats all tables alike")]
    NoWorkload {
        /// The method.
        method: &'static str,
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
    /// A model cannot be conditioned as requested.
    #[error("{problem}")]
    Condition {
        /// Why it cannot.
        problem: String,
        /// What to do about it.
        hint: String,
    },
    /// The schema cannot write the requested rows.
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
    /// The bytes are not a model file.
    #[error("not a model file: {problem}")]
    Format {
        /// What is wrong with them.
        problem: &'static str,
        /// What to do about it.
        hint: &'static str,
    },
}

/// Number of columns that the hint of [`MechanismError::TooLarge`] names.
const NAMED_COLUMNS: usize = 3;

impl MechanismError {
    /// Returns the error of a model file that is foreign or damaged.
    pub(crate) fn damaged(problem: &'static str) -> Self {
        Self::Format { problem, hint: "fit the model again, or fetch an undamaged copy" }
    }

    /// Names the columns with most codes in the hint, if the error says that something is too
    /// large.
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
        let named =
            columns.iter().take(NAMED_COLUMNS).map(|(size, name)| format!("`{}` ({size} codes)", printable(name)));
        let hint = format!("{hint}; the columns with most codes are {}", named.collect::<Vec<_>>().join(", "));
        Self::TooLarge { problem, hint }
    }

    /// Says what to do about the error.
    pub fn hint(&self) -> &str {
        match self {
            Self::Vault(error) => error.hint(),
            Self::Marginals(error) => error.hint(),
            Self::Model(_) => "fit the model again, or fetch an undamaged copy",
            Self::Format { hint, .. } => hint,
            Self::NoSuchMethod { .. } => "choose one of these",
            Self::OtherAccounting { .. } => "let the goal decide: give `--delta 0` for pure differential privacy only",
            Self::CategoriesNeedDelta => "add `--delta 1e-9`, or list the categories in a schema",
            Self::Learned { .. } => "declare these columns in a schema; `scumble schema draft` writes one",
            Self::NeedsDelta { .. } => {
                "choose one far below one over the number of people, or `pb-pgm` for a delta of 0"
            }
            Self::NeedsPublicRows { .. } => {
                "declare `dp: {adjacency: replace-one}` in the schema if the number of rows is public"
            }
            Self::Option { .. } => "leave the option out for its default",
            Self::Figure { .. } => {
                "`docs/reference/criteria.md` lists the figures; `scumble schema check` lists columns"
            }
            Self::Criteria { .. } => "`docs/reference/criteria.md` describes the file",
            Self::NoWorkload { .. } => "choose `auto`, `aim` or `mst`, or leave out `--workload` and `--target`",
            Self::TooLarge { hint, .. } | Self::Condition { hint, .. } => hint,
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
