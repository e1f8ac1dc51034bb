//! Errors of the ledger.

use std::error::Error;
use std::path::PathBuf;

use scumble_schema::printable;

use crate::account::amount::to_f64;
use crate::account::{ApproxDp, Epsilon};

/// An error of the ledger. In every case the ledger shows all that was spent.
///
/// # Privacy
/// The ledger holds public facts only, so its errors do too: file names, amounts of budget, job
/// ids.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The file exists. Creating a ledger never overwrites a file.
    #[error("`{}` exists already", .path.display())]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file does not exist.
    #[error("there is no ledger `{}`", .path.display())]
    Missing {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file is not a ledger.
    #[error("`{}` is not a ledger", .path.display())]
    NotALedger {
        /// Path of the file.
        path: PathBuf,
    },
    /// The ledger is not what was written: bytes, chain or records are inconsistent.
    #[error("the ledger is damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
    /// The releases of an interrupted job are unknown.
    #[error("the job cannot be resumed: {what}")]
    Journal {
        /// What is wrong.
        what: &'static str,
    },
    /// The file has a second name. SQLite finds its rollback journal by the name of the file: under
    /// another name an unfinished write would count as finished, and be undone later.
    #[error("the file of the ledger has a second name (a hard link)")]
    Linked,
    /// Storage failed under the ledger, and the mark has not been removed since.
    #[error("the ledger is suspect: storage failed while it was written, see `{}`", .mark.display())]
    Suspect {
        /// File that marks the ledger as suspect.
        mark: PathBuf,
    },
    /// The job asks for more than the remainder of the cap.
    #[error("the fit asks for {}, and what is left of the ledger's cap allows {}", promise(*goal), allowed(*fits))]
    OverCap {
        /// Goal of the job.
        goal: ApproxDp,
        /// Largest epsilon with which such a job would fit, with the same delta.
        fits: Option<Epsilon>,
        /// Amount that the job asks for, in quanta of 2^-96.
        asked: u128,
        /// Remainder of the cap, in quanta of 2^-96.
        left: u128,
    },
    /// A job with the same request is open: it never committed.
    #[error("a fit of the same schema, method and budget, which reserved {}, was begun on this ledger and never ended", promise(*goal))]
    Open {
        /// Id of the open job.
        job: String,
        /// Goal of the open job.
        goal: ApproxDp,
        /// Command that began it, if there was one.
        command: Option<String>,
    },
    /// A job spent more than it reserved.
    #[error("bug in the vault: the job spent {:.6e} and had reserved {:.6e}", to_f64(*spent), to_f64(*reserved))]
    AboveReservation {
        /// Spent amount, in quanta of 2^-96.
        spent: u128,
        /// Reserved amount, in quanta of 2^-96.
        reserved: u128,
    },
    /// A parameter of the terms is invalid.
    #[error("`{parameter}` of the ledger must be {rule}")]
    Config {
        /// Name of the parameter.
        parameter: &'static str,
        /// Rule that it breaks.
        rule: &'static str,
    },
    /// The job has other terms than the ledger.
    #[error("the ledger is kept for {what} `{}`, the job has `{}`", printable(ledger), printable(job))]
    Terms {
        /// Name of the term that differs.
        what: &'static str,
        /// Value of the ledger.
        ledger: String,
        /// Value of the job.
        job: String,
    },
    /// A running process has a job with the same request.
    #[error("job {job} has the same request and is still running")]
    Running {
        /// Id of the running job.
        job: String,
    },
    /// The job was used after a failure that stopped it.
    #[error("the job was stopped by an earlier failure of its journal")]
    Stopped,
    /// Another process kept the ledger locked for too long.
    #[error("another process holds the ledger")]
    Busy,
    /// There is no disk space left. Nothing was written.
    #[error("there is no space left for the ledger")]
    Full,
    /// Storage failed. The bytes on disk are uncertain, so the ledger is marked suspect.
    #[error("storage failed while {during}; the ledger is marked suspect")]
    Storage {
        /// Operation that failed.
        during: &'static str,
        /// Error of the system.
        #[source]
        cause: Box<dyn Error + Send + Sync>,
    },
    /// A file cannot be opened or read.
    #[error("{during} failed")]
    Io {
        /// Operation that failed.
        during: &'static str,
        /// Error of the system.
        #[source]
        cause: Box<dyn Error + Send + Sync>,
    },
    /// The operating system gave no randomness for the id of a job.
    #[error("the operating system gave no randomness")]
    Entropy(#[source] getrandom::Error),
}

/// Formats a goal as on a command line.
fn promise(goal: ApproxDp) -> String {
    match goal.delta.get() {
        0.0 => format!("epsilon {}", goal.epsilon.get()),
        delta => format!("epsilon {} with delta {delta:e}", goal.epsilon.get()),
    }
}

fn allowed(fits: Option<Epsilon>) -> String {
    match fits {
        Some(epsilon) => format!("at most epsilon {}", epsilon.get()),
        None => "no such fit".into(),
    }
}

impl LedgerError {
    /// Returns advice on how to fix the problem.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "choose another name; an unfinished file of a failed `ledger init` may be deleted",
            Self::Missing { .. } => "make one with `ledger init`",
            Self::NotALedger { .. } => "check the name; a file that `ledger init` left unfinished may be deleted",
            Self::Damaged { .. } => "nothing can be spent; keep the file, and restore a copy that has every spend",
            Self::Journal { .. } => "its reservation stays spent; start a new job if there is budget left",
            Self::Linked => "remove the second name, or copy the file",
            Self::Suspect { .. } => "check the disk, run `ledger verify`, and delete the mark if you trust the ledger",
            Self::OverCap { fits: Some(_), .. } => {
                "ask for at most that `--epsilon`; `ledger show` lists what was spent"
            }
            Self::OverCap { fits: None, .. } => "`ledger show` lists what was spent; a cap cannot be raised",
            Self::Open { .. } => {
                "to resume it and spend nothing more, repeat the command with `--resume`; to reserve the same amount again \
                 and leave the first reservation spent, use `--anew`"
            }
            Self::Config { .. } => "choose another value; `scumble plan` shows what a budget buys",
            Self::Terms { what: "accounting", .. } => {
                "a `gdp` ledger takes fits that add up by `gdp`, a `pure` one pure fits, a `zcdp` one takes all"
            }
            Self::Terms { .. } => "run the job on the terms of the ledger; one dataset has one ledger",
            Self::Running { .. } => "wait for it, or stop it and resume it",
            Self::Stopped => "start again: the job is resumed with what it had journalled",
            Self::Busy => "try again when the other job has written its record",
            Self::Full => "free disk space and start again; the job is resumed if it had begun",
            Self::Storage { .. } => "the job stays spent; check the disk, then run `ledger verify`",
            Self::Io { .. } => "see the cause for what the system reports",
            Self::Entropy(_) => "check that the sandbox allows `getrandom`; nothing was reserved",
            Self::AboveReservation { .. } => "please report this",
        }
    }
}
