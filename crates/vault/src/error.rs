//! Errors of the vault.

use scumble_schema::{Clique, SchemaError};

use crate::account::Cost;
use crate::ledger::LedgerError;
use crate::score::ScoreKind;
use crate::source::SourceError;

/// An error of the vault.
///
/// # Privacy
/// The guarantee covers error texts. No variant holds a count, a value or anything else that
/// depends on rows. Their fields come from the schema, the parameters and the certificate, which
/// are public.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// A parameter breaks a rule.
    #[error("`{parameter}` is {given}, it must be {rule}")]
    Config {
        /// Name of the parameter.
        parameter: &'static str,
        /// Value that was given.
        given: String,
        /// Rule that the value breaks.
        rule: &'static str,
    },
    /// The schema does not have the requested table, or the table is too large to hold.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A requested table ranges over an attribute that the domain does not have.
    #[error("a table asks for attribute {attribute}, the domain has {attributes} attributes")]
    NoSuchAttribute {
        /// Index of the requested attribute.
        attribute: usize,
        /// Number of attributes of the domain.
        attributes: usize,
    },
    /// The tables of one call have too many cells in total.
    #[error("{tables} tables would have {cells} cells together, at most {limit} are possible")]
    TooManyCells {
        /// Number of requested tables.
        tables: usize,
        /// Total number of their cells.
        cells: u128,
        /// Largest total allowed.
        limit: u128,
    },
    /// A score is not defined for the given attributes or expected values.
    #[error("the score `{score}` is not defined: {problem}")]
    Score {
        /// Which score.
        score: ScoreKind,
        /// Why it is not defined.
        problem: &'static str,
    },
    /// A release costs more than is left of the budget.
    #[error("budget exhausted: the release asks for {asks}, {left} is left")]
    Budget {
        /// Cost of the release.
        asks: Cost,
        /// Remaining budget.
        left: Cost,
    },
    /// The share of one release is so small that its noise would be above the largest supported
    /// scale.
    #[error("budget too small: {share} for one of {releases} releases leaves no usable answer")]
    BudgetTooSmall {
        /// Share of one release.
        share: Cost,
        /// Number of releases that share the budget.
        releases: usize,
    },
    /// A budget was spent in a vault that did not issue it.
    #[error("the budget belongs to another vault")]
    ForeignBudget,
    /// The source failed to count.
    #[error("the tables could not be counted")]
    Source(#[from] SourceError),
    /// The source returned tables other than the requested ones.
    #[error("the source returned other tables than it was asked for")]
    SourceShape,
    /// The operating system gave no randomness. Nothing was released.
    #[error("the operating system gave no randomness")]
    Entropy(#[source] getrandom::Error),
    /// The ledger returned an error.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// An interrupted job is resumed on another table.
    #[error("the job was begun on another table: the answer behind release {release} differs")]
    OtherTable {
        /// The first release whose exact answer differs.
        release: u32,
    },
    /// A resumed job asks a question other than the one it journalled.
    #[error("the resumed job asks another question than before, at release {release}")]
    OtherJob {
        /// The first release that differs.
        release: u32,
    },
    /// A certificate does not follow from its events.
    #[error("the certificate does not follow from its events: {disagreement}")]
    Certificate {
        /// What differs.
        disagreement: &'static str,
    },
    /// A replayed run asks other questions than the recorded one.
    #[cfg(feature = "replay")]
    #[error("the replay diverged: {divergence} at release {release}")]
    Replay {
        /// What differs.
        divergence: &'static str,
        /// The first release that differs.
        release: u32,
    },
    /// An internal invariant was violated; please report it.
    #[error("bug in the vault: {what}")]
    Bug {
        /// What happened.
        what: &'static str,
    },
}

impl VaultError {
    /// Returns advice on how to fix the problem.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Config { .. } => "choose another value; `scumble plan` shows what a budget buys",
            Self::Schema(_) | Self::TooManyCells { .. } => "measure fewer columns together, or coarsen them",
            Self::Score { .. } => "`total-variation` takes any two disjoint sets of attributes and no expected values",
            Self::Budget { .. } | Self::BudgetTooSmall { .. } => "ask for fewer tables, or raise `epsilon` or `delta`",
            Self::ForeignBudget => "spend each budget in the vault that was opened with it",
            Self::Source(_) => "see the cause for what the source reports",
            Self::Entropy(_) => "check that the sandbox allows `getrandom`; nothing was released",
            Self::Ledger(error) => error.hint(),
            Self::OtherTable { .. } => {
                "resume on the table that the job was begun on, unchanged; otherwise start a new fit on its own ledger"
            }
            Self::OtherJob { .. } => "resume with the same program, schema and method; otherwise start a new fit",
            Self::Certificate { .. } => "do not rely on this certificate; it was changed or made by a faulty program",
            #[cfg(feature = "replay")]
            Self::Replay { .. } => "the method asked a question that depends on rows: this is a privacy fault",
            Self::NoSuchAttribute { .. } | Self::SourceShape | Self::Bug { .. } => "please report this",
        }
    }

    /// Returns a [`VaultError::Config`].
    pub(crate) fn config(parameter: &'static str, given: &impl ToString, rule: &'static str) -> Self {
        Self::Config { parameter, given: given.to_string(), rule }
    }

    /// Returns a [`VaultError::NoSuchAttribute`] for the highest attribute of `clique`.
    pub(crate) fn no_such_attribute(clique: &Clique, attributes: usize) -> Self {
        let attribute = clique.attributes().last().map_or(0, |attribute| attribute.index());
        Self::NoSuchAttribute { attribute, attributes }
    }
}
