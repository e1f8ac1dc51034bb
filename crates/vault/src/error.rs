//! What can go wrong in the vault, and whose fault it is.

use scumble_schema::{Clique, SchemaError};

use crate::account::Cost;
use crate::ledger::LedgerError;
use crate::score::ScoreKind;
use crate::source::SourceError;

/// A refusal of the vault.
///
/// # Privacy
/// Errors are artefacts: the guarantee covers them. No variant holds a count, a value or anything else that depends
/// on rows. What they do hold comes from the schema, the parameters and the certificate, which are public.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// A parameter breaks a rule.
    #[error("`{parameter}` is {given}, it must be {rule}")]
    Config {
        /// The parameter.
        parameter: &'static str,
        /// What was given.
        given: String,
        /// What is possible.
        rule: &'static str,
    },
    /// A table was asked for that the schema does not have, or that is too large to hold.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A table was asked for over an attribute that the domain does not have.
    #[error("a table asks for attribute {attribute}, the domain has {attributes} attributes")]
    NoSuchAttribute {
        /// The attribute asked for.
        attribute: usize,
        /// How many there are.
        attributes: usize,
    },
    /// The tables of one call have too many cells together.
    #[error("{tables} tables would have {cells} cells together, at most {limit} are possible")]
    TooManyCells {
        /// How many tables were asked for.
        tables: usize,
        /// How many cells they have together.
        cells: u128,
        /// How many are possible.
        limit: u128,
    },
    /// A score was asked for attributes or expected values that it is not defined for.
    #[error("the score `{score}` cannot be asked: {problem}")]
    Score {
        /// The score.
        score: ScoreKind,
        /// What is wrong.
        problem: &'static str,
    },
    /// More was asked for than is left.
    #[error("budget exhausted: the release asks for {asks}, {left} is left")]
    Budget {
        /// What the release costs.
        asks: Cost,
        /// What is left.
        left: Cost,
    },
    /// The share of one release is so small that its answer would tell nothing.
    #[error("budget too small: {share} for one of {releases} releases would drown it in noise")]
    BudgetTooSmall {
        /// The share of one release.
        share: Cost,
        /// How many releases share the budget.
        releases: usize,
    },
    /// A budget was spent in a vault that did not issue it.
    #[error("the budget belongs to another vault")]
    ForeignBudget,
    /// The source could not count.
    #[error("the tables could not be counted")]
    Source(#[from] SourceError),
    /// The source returned other tables than it was asked for.
    #[error("the source returned other tables than it was asked for")]
    SourceShape,
    /// The operating system gave no randomness. Nothing was released.
    #[error("the operating system gave no randomness")]
    Entropy(#[source] getrandom::Error),
    /// The ledger refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A job that was cut off is run again on another table.
    #[error("the job was begun on another table: the answer behind release {release} differs")]
    OtherTable {
        /// The first release whose exact answer differs.
        release: u32,
    },
    /// A job that was cut off is run again, and asks something else.
    #[error("the job asks something else than before it was cut off, at release {release}")]
    OtherJob {
        /// The release at which it differs.
        release: u32,
    },
    /// A certificate does not follow from its events.
    #[error("the certificate does not follow from its events: {disagreement}")]
    Certificate {
        /// What differs.
        disagreement: &'static str,
    },
    /// A recorded run was forced onto a run that asks other questions.
    #[cfg(feature = "replay")]
    #[error("the replay diverged: {divergence} at release {release}")]
    Replay {
        /// What differs.
        divergence: &'static str,
        /// The release at which it differs.
        release: u32,
    },
    /// This cannot happen; please report it.
    #[error("bug in the vault: {what}")]
    Bug {
        /// What happened.
        what: &'static str,
    },
}

impl VaultError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Config { .. } => "choose another value; `scumble plan` shows what a budget buys",
            Self::Schema(_) | Self::TooManyCells { .. } => "measure fewer columns together, or coarsen them",
            Self::Score { .. } => "`total-variation` takes any two disjoint sets of attributes and no expected values",
            Self::Budget { .. } | Self::BudgetTooSmall { .. } => "ask for fewer tables, or raise `epsilon` or `delta`",
            Self::ForeignBudget => "spend each budget in the vault that was opened with it",
            Self::Source(_) => "see the cause for what the source reports",
            Self::Entropy(_) => "check that the sandbox allows `getrandom`; nothing was released and nothing may be",
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

    /// A parameter that breaks a rule.
    pub(crate) fn config(parameter: &'static str, given: &impl ToString, rule: &'static str) -> Self {
        Self::Config { parameter, given: given.to_string(), rule }
    }

    /// A table over an attribute that does not exist.
    pub(crate) fn no_such_attribute(clique: &Clique, attributes: usize) -> Self {
        let attribute = clique.attributes().last().map_or(0, |attribute| attribute.index());
        Self::NoSuchAttribute { attribute, attributes }
    }
}
