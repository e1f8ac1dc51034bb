//! The error of this crate, and its cause.

#[cfg(feature = "cluster")]
use scumble_cluster::{ServerError, TlsError};
use scumble_engine::{Damage, EngineError};
use scumble_mechanisms::MechanismError;
use scumble_mechanisms::marginals::MarginalsError;
use scumble_schema::{Problems, ReadError, SchemaError};
use scumble_vault::VaultError;
use scumble_vault::ledger::LedgerError;
use serde::Serialize;

use crate::bundle::BundleError;
use crate::outputs::OutputError;
use crate::weak_terms::WeakTerms;

/// Any error between a table and a synthetic one.
///
/// No message depends on rows.
///
/// ```
/// use scumble::{Error, Fault, Schema};
///
/// let error = Error::from(Schema::parse("fields: []").expect_err("there is nothing to synthesise"));
/// assert_eq!(error.fault(), Fault::Data);
/// assert_eq!(error.hint().as_deref(), Some("list the columns to synthesise"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The schema cannot be read or breaks a rule.
    #[error(transparent)]
    Schema(#[from] ReadError),
    /// The data cannot be read, counted or written.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The fit or the model file failed.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A bundle cannot be written or read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A server of a cluster ended, or did not start.
    #[cfg(feature = "cluster")]
    #[error(transparent)]
    Server(#[from] ServerError),
    /// Certificates for a cluster cannot be used.
    #[cfg(feature = "cluster")]
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The privacy terms are weak, and nobody has accepted that.
    #[error(transparent)]
    WeakTerms(#[from] WeakTerms),
    /// An output would overwrite a needed file.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A workload file cannot be used.
    #[error("cannot use the workload file `{path}`: {problem}")]
    Workload {
        /// The file.
        path: String,
        /// Why.
        problem: String,
    },
    /// No interrupted job on the ledger has the same schema, method and goal.
    #[error("the ledger has no interrupted fit with this schema, method and budget")]
    NothingToResume,
    /// The schema declares every column.
    #[error("the schema declares all columns, so nothing has to be learned")]
    NothingToLearn,
    /// A database counts tables over declared columns only.
    #[error("a database that counts cannot tell what to learn")]
    NotLearnedInside,
    /// Fewer than one row of the model is expected to meet the conditions of a draw.
    #[error("the model expects less than one row that meets these conditions")]
    NoExpectedRows,
    /// A cluster cannot draw rows with a filter or other shares.
    #[cfg(feature = "cluster")]
    #[error("a cluster draws from the whole model only")]
    WholeModelOnly,
    /// The caller cancelled the work.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// The operating system provided no randomness.
    #[error("the operating system provided no randomness")]
    Entropy,
}

/// Cause of an error. The exit codes of the program and the exceptions of the Python package follow
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The arguments are invalid or contradict each other.
    Usage,
    /// The schema or the data is invalid.
    Data,
    /// The budget does not allow it.
    Budget,
    /// The work would exceed memory or a limit of the program.
    TooLarge,
    /// A file, disk or system operation failed.
    Engine,
    /// The caller cancelled the work.
    Interrupted,
    /// A bug in Scumble.
    Bug,
}

/// One problem and a hint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Description of the problem.
    pub message: String,
    /// What to do about it, if known.
    pub hint: Option<String>,
}

impl From<Problems> for Error {
    fn from(problems: Problems) -> Self {
        Self::Schema(problems.into())
    }
}

impl From<VaultError> for Error {
    fn from(error: VaultError) -> Self {
        Self::Mechanism(error.into())
    }
}

impl From<MarginalsError> for Error {
    fn from(error: MarginalsError) -> Self {
        Self::Mechanism(error.into())
    }
}

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Self {
        VaultError::from(error).into()
    }
}

impl Error {
    /// Returns the cause of the error.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Schema(ReadError::Problems(problems)) if problems.list().iter().any(SchemaError::is_too_large) => {
                Fault::TooLarge
            }
            Self::Engine(error) => engine_fault(error),
            Self::Mechanism(MechanismError::Vault(error)) => vault_fault(error),
            Self::Mechanism(MechanismError::Marginals(error)) => marginals_fault(error),
            Self::Mechanism(MechanismError::OtherSchema | MechanismError::OtherAccounting { .. }) => Fault::Bug,
            Self::Mechanism(MechanismError::TooLarge { .. }) => Fault::TooLarge,
            Self::Schema(ReadError::Io { .. })
            | Self::Mechanism(MechanismError::File { .. })
            | Self::Bundle(BundleError::Io { .. } | BundleError::Keygen { .. })
            | Self::Entropy => Fault::Engine,
            #[cfg(feature = "cluster")]
            Self::Server(_) | Self::Tls(_) => Fault::Engine,
            Self::Mechanism(
                MechanismError::Condition { .. }
                | MechanismError::Rows(_)
                | MechanismError::NoSuchMethod { .. }
                | MechanismError::Option { .. }
                | MechanismError::NeedsDelta { .. }
                | MechanismError::CategoriesNeedDelta
                | MechanismError::Figure { .. }
                | MechanismError::Criteria { .. }
                | MechanismError::NoRules { .. }
                | MechanismError::NoWorkload { .. },
            )
            | Self::Bundle(_)
            | Self::Output(_)
            | Self::WeakTerms(_)
            | Self::Workload { .. }
            | Self::NothingToResume
            | Self::NothingToLearn
            | Self::NotLearnedInside
            | Self::NoExpectedRows => Fault::Usage,
            #[cfg(feature = "cluster")]
            Self::WholeModelOnly => Fault::Usage,
            Self::Schema(_) | Self::Mechanism(_) => Fault::Data,
            Self::Interrupted => Fault::Interrupted,
        }
    }

    /// Returns whether a fit was refused because the same one is open on the ledger.
    pub fn is_open_fit(&self) -> bool {
        matches!(self, Self::Mechanism(MechanismError::Vault(VaultError::Ledger(LedgerError::Open { .. }))))
    }

    /// Returns the problems to show to a user: one, or several of a schema.
    pub fn problems(&self) -> Vec<Problem> {
        if let Self::Schema(ReadError::Problems(found)) = self {
            let problem = |problem: &SchemaError| Problem { message: problem.to_string(), hint: Some(problem.hint()) };
            return found.list().iter().map(problem).collect();
        }
        // The message of a source says more than that it failed.
        let cause = std::error::Error::source(self).map(|cause| format!(": {cause}")).unwrap_or_default();
        vec![Problem { message: format!("{self}{cause}"), hint: self.hint() }]
    }

    /// Returns the number of problems that are not listed.
    pub fn unlisted(&self) -> usize {
        match self {
            Self::Schema(ReadError::Problems(found)) => found.unlisted(),
            _ => 0,
        }
    }

    /// Returns what to do about it, if known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Schema(ReadError::Problems(problems)) => Some(problems.list()[0].hint()),
            Self::Schema(_) => Some("check the path and its permissions".into()),
            Self::Engine(error) => error.hint(),
            Self::Bundle(error) => Some(error.hint().into()),
            Self::Output(error) => Some(error.hint().into()),
            Self::Workload { .. } => {
                Some("write it as `tables: [{columns: [age, income], weight: 2}, {target: income}]`, in YAML or JSON".into())
            }
            Self::WeakTerms(_) => Some(
                "choose smaller values, such as `--epsilon 1 --delta 1e-9`; pass `--accept-weak-privacy` only if the people in the table would accept this".into(),
            ),
            #[cfg(feature = "cluster")]
            Self::Server(error) => error.hint(),
            #[cfg(feature = "cluster")]
            Self::Tls(error) => Some(error.hint().into()),
            Self::Mechanism(MechanismError::Vault(VaultError::Source(source))) => {
                source.get_ref().downcast_ref::<EngineError>().and_then(EngineError::hint)
            }
            Self::Mechanism(error) => Some(error.hint().into()),
            Self::NothingToLearn => {
                Some("fit it as it is, or leave out what is to be learned of a column and write `source: dp`".into())
            }
            Self::NotLearnedInside => {
                Some("declare all columns in a schema, or leave out `--push-down` and let rows be read".into())
            }
            Self::NothingToResume => Some("remove `--resume` to start a new fit; see `ledger show`".into()),
            Self::NoExpectedRows => Some("set the number of rows with `--rows`".into()),
            #[cfg(feature = "cluster")]
            Self::WholeModelOnly => Some("remove `--engine`: only this machine draws with conditions or shares".into()),
            Self::Interrupted | Self::Entropy => None,
        }
    }
}

fn engine_fault(error: &EngineError) -> Fault {
    match error {
        EngineError::Config { .. } => Fault::Usage,
        EngineError::Table(_) | EngineError::Engine { problem: Damage::Memory, .. } => Fault::TooLarge,
        EngineError::Schema { .. } | EngineError::Engine { .. } => Fault::Data,
        EngineError::Bug { .. } => Fault::Bug,
        EngineError::Stopped => Fault::Interrupted,
        _ => Fault::Engine,
    }
}

fn marginals_fault(error: &MarginalsError) -> Fault {
    match error {
        MarginalsError::File { .. } => Fault::Engine,
        MarginalsError::TooLarge { .. } => Fault::TooLarge,
        MarginalsError::OtherSchema => Fault::Bug,
        _ => Fault::Data,
    }
}

fn vault_fault(error: &VaultError) -> Fault {
    match error {
        VaultError::Config { .. } => Fault::Usage,
        VaultError::Schema(_) | VaultError::TooManyCells { .. } => Fault::TooLarge,
        VaultError::Budget { .. } | VaultError::BudgetTooSmall { .. } => Fault::Budget,
        VaultError::Source(source) => source.get_ref().downcast_ref().map_or(Fault::Engine, engine_fault),
        VaultError::Entropy(_) => Fault::Engine,
        VaultError::Certificate { .. } | VaultError::OtherJob { .. } | VaultError::OtherTable { .. } => Fault::Data,
        VaultError::Ledger(error) => ledger_fault(error),
        _ => Fault::Bug,
    }
}

fn ledger_fault(error: &LedgerError) -> Fault {
    match error {
        LedgerError::OverCap { .. } | LedgerError::Open { .. } => Fault::Budget,
        LedgerError::Exists { .. } => Fault::Usage,
        LedgerError::Missing { .. }
        | LedgerError::Journal { .. }
        | LedgerError::Linked
        | LedgerError::NotALedger { .. }
        | LedgerError::Damaged { .. }
        | LedgerError::Suspect { .. }
        | LedgerError::Terms { .. } => Fault::Data,
        LedgerError::AboveReservation { .. } => Fault::Bug,
        _ => Fault::Engine,
    }
}
