//! Why the ledger refuses.

use std::error::Error;
use std::path::PathBuf;

use crate::account::amount::to_f64;
use crate::account::{ApproxDp, Epsilon};

/// A refusal of the ledger. In every case nothing was spent that the ledger does not show.
///
/// # Privacy
/// The ledger holds public facts only, so its errors do too: names of files, amounts of budget, ids of jobs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// A ledger is never written over.
    #[error("`{}` exists already", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// There is no file.
    #[error("there is no ledger `{}`", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("`{}` is not a ledger", .path.display())]
    NotALedger {
        /// The file.
        path: PathBuf,
    },
    /// The ledger or a journal of it is not what was written.
    #[error("the ledger is damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
    /// It cannot be told what a job that was cut off has released.
    #[error("the job cannot be resumed: {what}")]
    Journal {
        /// What is wrong.
        what: &'static str,
    },
    /// The rollback journal is found by the name of the file. Under another name an unfinished write would be taken for a
    /// finished one, and undone later.
    #[error("the file of the ledger has a second name (a hard link)")]
    Linked,
    /// Storage failed under the ledger, and nobody has looked at it since.
    #[error("the ledger is suspect: storage failed while it was written, see `{}`", .mark.display())]
    Suspect {
        /// The file that says so.
        mark: PathBuf,
    },
    /// The job asks for more than is left of the dataset's cap.
    #[error("the fit asks for {}, and what is left of the ledger's cap allows {}", promise(*goal), allowed(*fits))]
    OverCap {
        /// What the job promises.
        goal: ApproxDp,
        /// The epsilon of the largest job of this kind that there is room for, with the same delta.
        fits: Option<Epsilon>,
        /// What the job asks for, in quanta of 2^-96.
        asked: u128,
        /// What is left, in quanta of 2^-96.
        left: u128,
    },
    /// A job with the same request was begun and never ended.
    #[error("a fit of the same schema, method and budget, which reserved {}, was begun on this ledger and never ended", promise(*goal))]
    Open {
        /// Its id.
        job: String,
        /// What it promises.
        goal: ApproxDp,
        /// The command that began it, if there was one.
        command: Option<String>,
    },
    /// A job claims to have spent more than it reserved.
    #[error("bug in the vault: the job spent {:.6e} and had reserved {:.6e}", to_f64(*spent), to_f64(*reserved))]
    AboveReservation {
        /// What it spent, in quanta of 2^-96.
        spent: u128,
        /// What it reserved, in quanta of 2^-96.
        reserved: u128,
    },
    /// The terms of the ledger are not terms.
    #[error("`{parameter}` of the ledger must be {rule}")]
    Config {
        /// The parameter.
        parameter: &'static str,
        /// What is possible.
        rule: &'static str,
    },
    /// The job counts privacy loss in another way than the ledger does.
    #[error("the ledger is kept for {what} `{ledger}`, the job has `{job}`")]
    Terms {
        /// Which of the terms differs.
        what: &'static str,
        /// What the ledger says.
        ledger: String,
        /// What the job says.
        job: String,
    },
    /// The same request is being run by a process that is alive.
    #[error("job {job} has the same request and is still running")]
    Running {
        /// Its id.
        job: String,
    },
    /// The job went on after a failure that stopped it.
    #[error("the job was stopped by an earlier failure of its journal")]
    Stopped,
    /// Another process kept the ledger locked for too long.
    #[error("another process holds the ledger")]
    Busy,
    /// There is no room left. Nothing was written.
    #[error("there is no space left for the ledger")]
    Full,
    /// Storage failed. What is on disk is uncertain, so the ledger is marked suspect.
    #[error("storage failed while {during}; the ledger is marked suspect")]
    Storage {
        /// What was done.
        during: &'static str,
        /// What the system says.
        #[source]
        cause: Box<dyn Error + Send + Sync>,
    },
    /// A file cannot be opened or read.
    #[error("{during} failed")]
    Io {
        /// What was done.
        during: &'static str,
        /// What the system says.
        #[source]
        cause: Box<dyn Error + Send + Sync>,
    },
    /// The operating system gave no randomness for the id of a job.
    #[error("the operating system gave no randomness")]
    Entropy(#[source] getrandom::Error),
}

/// A promise as it is written on a command line.
fn promise(goal: ApproxDp) -> String {
    match goal.delta.get() {
        0.0 => format!("epsilon {}", goal.epsilon.get()),
        delta => format!("epsilon {} with delta {delta:e}", goal.epsilon.get()),
    }
}

fn allowed(fits: Option<Epsilon>) -> String {
    match fits {
        Some(epsilon) => format!("at most epsilon {}", epsilon.get()),
        None => "none like it".into(),
    }
}

impl LedgerError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "choose another name; an unfinished file of a failed `ledger init` may be deleted",
            Self::Missing { .. } => "make one with `ledger init`",
            Self::NotALedger { .. } => "check the name; a file that `ledger init` left unfinished may be deleted",
            Self::Damaged { .. } => "nothing can be spent; keep the file, and restore a copy that has every spend",
            Self::Journal { .. } => "what it reserved stays spent; start a new one if there is budget left",
            Self::Linked => "remove the second name, or copy the file",
            Self::Suspect { .. } => "check the disk, run `ledger verify`, and delete the mark if you trust the ledger",
            Self::OverCap { fits: Some(_), .. } => {
                "ask for at most that `--epsilon`; `ledger show` lists what was spent"
            }
            Self::OverCap { fits: None, .. } => "`ledger show` lists what was spent; a cap cannot be raised",
            Self::Open { .. } => {
                "to go on with it and spend nothing more, repeat the command with `--resume`; to leave what it reserved spent and \
                 reserve as much again, `--anew`"
            }
            Self::Config { .. } => "choose another value; `scumble plan` shows what a budget buys",
            Self::Terms { what: "accounting", .. } => {
                "a `gdp` ledger takes fits that add up by `gdp`, a `pure` one pure fits, a `zcdp` one takes all"
            }
            Self::Terms { .. } => "run the job on the terms of the ledger; one dataset has one ledger",
            Self::Running { .. } => "wait for it, or stop it and resume",
            Self::Stopped => "start again: the job is resumed with what it had journalled",
            Self::Busy => "try again when the other job has written its record",
            Self::Full => "make room and start again; the job is resumed if it had begun",
            Self::Storage { .. } => "the job stays spent; check the disk, then run `ledger verify`",
            Self::Io { .. } => "see the cause for what the system reports",
            Self::Entropy(_) => "check that the sandbox allows `getrandom`; nothing was reserved",
            Self::AboveReservation { .. } => "please report this",
        }
    }
}
