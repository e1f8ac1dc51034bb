//! Ctrl-C: at once while nothing is being written, after the current batch while something is, so that no half-written
//! file stays behind; and what became of the budget.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use scumble::{Fault, Job};

use crate::failure::Failure;
use crate::terminal::Terminal;

static WRITING: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);
/// The fit that has budget reserved.
static FIT: Mutex<Option<OpenFit>> = Mutex::new(None);

/// A fit on a ledger that has not ended.
struct OpenFit {
    job: Job,
    ledger: PathBuf,
    /// The command that goes on with it.
    resume: String,
}

/// Starts to listen. Without a handler Ctrl-C still ends the program, only less tidily.
pub(crate) fn listen(terminal: &Terminal) {
    let terminal = terminal.clone();
    let _ = ctrlc::set_handler(move || {
        if !WRITING.load(Ordering::SeqCst) || ASKED.swap(true, Ordering::SeqCst) {
            let failure = interrupted();
            terminal.fail(&failure);
            // Exiting drops nothing, and private files must not outlive us.
            scumble::engine::remove_private_files();
            scumble::cluster::cancel_jobs();
            std::process::exit(failure.exit_code().into());
        }
    });
}

/// From here on a fit has budget reserved.
pub(crate) fn fit_began(job: &Job, ledger: &Path, resume: String) {
    *open_fit() = Some(OpenFit { job: job.clone(), ledger: ledger.to_owned(), resume });
}

/// What the fit reserved is settled.
pub(crate) fn fit_ended() {
    *open_fit() = None;
}

/// What is said of a command that was interrupted: what was reserved, what was released, and how to go on.
pub(crate) fn interrupted() -> Failure {
    match open_fit().take() {
        None => Failure::new(Fault::Interrupted, "interrupted; nothing was written", None),
        Some(OpenFit { job, ledger, .. }) if job.releases() == 0 => {
            // Nothing was released, so nothing is spent: from here on the job can release nothing.
            let given_back = match job.commit() {
                Ok(()) => "what the fit had reserved there is given back",
                Err(_) => "what the fit had reserved there still counts as spent",
            };
            let message = format!("interrupted; nothing was released, and {given_back}: `{}`", ledger.display());
            Failure::new(Fault::Interrupted, message, None)
        }
        Some(open) => {
            let message = format!("interrupted; {}", open.in_words());
            Failure::new(Fault::Interrupted, message, Some(open.hint()))
        }
    }
}

/// What to know after a failure that left a fit open which had released something.
pub(crate) fn left_open() -> Option<String> {
    let open = open_fit().take().filter(|open| open.job.releases() > 0)?;
    Some(format!("{}; {}", open.in_words(), open.hint()))
}

impl OpenFit {
    fn in_words(&self) -> String {
        let goal = self.job.goal();
        format!(
            "the fit reserved epsilon {} with delta {} on `{}`, made {} releases, and counts as spent in full until it has ended",
            goal.epsilon,
            goal.delta,
            self.ledger.display(),
            self.job.releases()
        )
    }

    fn hint(&self) -> String {
        format!("to go on with it and spend nothing more: {}", self.resume)
    }
}

fn open_fit() -> MutexGuard<'static, Option<OpenFit>> {
    FIT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it lives, Ctrl-C is left to [`Writing::asked_to_stop`].
pub(crate) struct Writing;

impl Writing {
    pub(crate) fn begin() -> Self {
        WRITING.store(true, Ordering::SeqCst);
        Self
    }

    #[expect(clippy::unused_self, reason = "only one who writes is asked to stop; anyone else is stopped")]
    pub(crate) fn asked_to_stop(&self) -> bool {
        ASKED.load(Ordering::SeqCst)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITING.store(false, Ordering::SeqCst);
    }
}
