//! Ctrl-C: ends the program at once, or after the current batch while a file is written, so that no
//! partial file remains. Reports the state of the reserved budget.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use scumble::{Fault, Job};

use crate::failure::Failure;
use crate::terminal::Terminal;

static WRITING: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);
/// The fit with reserved budget.
static FIT: Mutex<Option<OpenFit>> = Mutex::new(None);
/// The file of runs of an audit, and the command that continues it.
static AUDIT: Mutex<Option<(PathBuf, String)>> = Mutex::new(None);

/// An open fit on a ledger.
struct OpenFit {
    job: Job,
    ledger: PathBuf,
    /// The command that resumes it.
    resume: String,
}

/// Starts to listen. Without the handler Ctrl-C still ends the program, but removes no private
/// files.
pub(crate) fn listen(terminal: &Terminal) {
    let terminal = terminal.clone();
    let _ = ctrlc::set_handler(move || {
        if !WRITING.load(Ordering::SeqCst) || ASKED.swap(true, Ordering::SeqCst) {
            let failure = interrupted();
            terminal.fail(&failure);
            // Exiting runs no destructors, and private files must not outlive the process.
            scumble::engine::remove_private_files();
            #[cfg(feature = "cluster")]
            scumble::cluster::cancel_jobs();
            std::process::exit(failure.exit_code().into());
        }
    });
}

/// Records that a fit has reserved budget.
pub(crate) fn fit_began(job: &Job, ledger: &Path, resume: String) {
    *open_fit() = Some(OpenFit { job: job.clone(), ledger: ledger.to_owned(), resume });
}

/// Records that an audit keeps its runs in a file.
pub(crate) fn audit_began(journal: &Path, command: &str) {
    *AUDIT.lock().unwrap_or_else(PoisonError::into_inner) = Some((journal.to_owned(), command.to_owned()));
}

/// Records that the reserved budget of the fit is settled.
pub(crate) fn fit_ended() {
    *open_fit() = None;
}

/// Returns the failure of an interrupted command: the budget reserved, the releases made, and how
/// to resume.
pub(crate) fn interrupted() -> Failure {
    if let Some((journal, command)) = AUDIT.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let message = format!("interrupted; the runs so far are in `{}`", journal.display());
        return Failure::new(Fault::Interrupted, message, Some(format!("to continue the audit: {command}")));
    }
    match open_fit().take() {
        None => Failure::new(Fault::Interrupted, "interrupted; nothing was written", None),
        Some(OpenFit { job, ledger, .. }) if job.releases() == 0 => {
            // Nothing was released, so nothing is spent: committing now prevents the job from
            // releasing anything.
            let budget = match job.commit() {
                Ok(()) => "the reserved budget was returned to the ledger",
                Err(_) => "the reserved budget still counts as spent on the ledger",
            };
            let message = format!("interrupted; nothing was released, and {budget}: `{}`", ledger.display());
            Failure::new(Fault::Interrupted, message, None)
        }
        Some(open) => {
            let message = format!("interrupted; {}", open.in_words());
            Failure::new(Fault::Interrupted, message, Some(open.hint()))
        }
    }
}

/// Returns a warning after a failure, if an open fit had released something.
pub(crate) fn left_open() -> Option<String> {
    let open = open_fit().take().filter(|open| open.job.releases() > 0)?;
    Some(format!("{}; {}", open.in_words(), open.hint()))
}

impl OpenFit {
    fn in_words(&self) -> String {
        let goal = self.job.goal();
        format!(
            "the fit reserved epsilon {} with delta {} on `{}`, made {} releases, and counts as spent in full until it ends",
            goal.epsilon,
            goal.delta,
            self.ledger.display(),
            self.job.releases()
        )
    }

    fn hint(&self) -> String {
        format!("to resume it without spending more: {}", self.resume)
    }
}

fn open_fit() -> MutexGuard<'static, Option<OpenFit>> {
    FIT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it lives, Ctrl-C does not end the program; [`Writing::stop_requested`] reports it.
pub(crate) struct Writing;

impl Writing {
    pub(crate) fn begin() -> Self {
        WRITING.store(true, Ordering::SeqCst);
        Self
    }

    #[expect(clippy::unused_self, reason = "only a writer needs to ask; Ctrl-C ends everything else at once")]
    pub(crate) fn stop_requested(&self) -> bool {
        ASKED.load(Ordering::SeqCst)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITING.store(false, Ordering::SeqCst);
    }
}
