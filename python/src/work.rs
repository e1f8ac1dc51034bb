//! Long work: other Python threads run meanwhile, progress is told, and Ctrl-C ends it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use scumble::report::FitClock;
use scumble::{Error, Progress, ProgressSink};
use scumble_cancel::CancelToken;

use crate::failure::Failure;

/// How often Python is asked whether Ctrl-C was pressed.
const LISTENS_EVERY: Duration = Duration::from_millis(100);

/// How far work has come.
#[derive(Clone, Copy)]
enum Update {
    /// What it is at, how much is done, and of how much.
    Counted(&'static str, u64, u64),
    /// A fit, whose time passes by itself.
    Timed(FitClock),
}

impl Update {
    /// What a callback is told now. The time of a fit is in thousandths of a second.
    fn now(self) -> (&'static str, u64, u64) {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        match self {
            Self::Counted(stage, done, total) => (stage, done, total),
            Self::Timed(clock) => (FITTING, millis(clock.used()), millis(clock.forecast())),
        }
    }
}

/// The stage of a fit after the rows are read.
const FITTING: &str = "fitting";

/// Whom work tells how far it has come.
#[derive(Clone)]
pub(crate) struct Reporter(Sender<Update>);

impl Reporter {
    pub(crate) fn tell(&self, stage: &'static str, done: u64, total: u64) {
        // Nobody listens any more after Ctrl-C.
        let _ = self.0.send(Update::Counted(stage, done, total));
    }

    /// The same for a fit: what was read of files, then how much of the forecast was used. `clock` makes the forecast, for an
    /// input of so many bytes.
    pub(crate) fn of_fit(&self, clock: impl Fn(u64) -> Option<FitClock> + Send + Sync + 'static) -> ProgressSink {
        let (reporter, started) = (self.clone(), OnceLock::new());
        ProgressSink::new(move |Progress { bytes_read, bytes_total }| {
            // How large what is in memory is would tell the number of its rows.
            let clock = started.get_or_init(|| (bytes_total > 0).then(|| clock(bytes_total)).flatten());
            match clock {
                _ if bytes_read < bytes_total => reporter.tell("reading", bytes_read, bytes_total),
                Some(clock) => drop(reporter.0.send(Update::Timed(*clock))),
                None => reporter.tell(FITTING, 0, 0),
            }
        })
    }

    /// The same for rows that are drawn, in the form that the library asks for.
    pub(crate) fn of_rows(&self, total: u64) -> impl FnMut(u64) -> bool + use<> {
        let reporter = self.clone();
        move |done| {
            reporter.tell("sampling", done, total);
            !scumble_cancel::is_cancelled()
        }
    }
}

/// Does `work` on a thread of its own and waits for it here, where signals arrive.
///
/// `progress`, if there is one, is called with what work tells: a stage, how much is done, and of how much. An exception in it, or
/// Ctrl-C, stops the work, which ends at its next checkpoint, before the exception is raised: nothing goes on unseen.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(Reporter) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let token = CancelToken::new();
    py.detach(|| {
        thread::scope(|scope| {
            let (tell, told) = channel();
            let cancelled = token.clone();
            let worker = scope.spawn(move || {
                let work = || cancelled.run(|| work(Reporter(tell))).unwrap_or_else(|_| Err(Error::Interrupted.into()));
                catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Failure::bug()))
            });
            let (mut raised, mut last) = (None, None);
            loop {
                match told.recv_timeout(LISTENS_EVERY) {
                    // Whoever draws a bar wants to know where it is, not where it was.
                    Ok(first) => last = told.try_iter().last().or(Some(first)),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                let outcome = Python::attach(|py| {
                    if let (Some(progress), Some(last), None) = (progress, last, &raised) {
                        progress.call1(py, last.now())?;
                    }
                    py.check_signals()
                });
                if let Err(error) = outcome {
                    token.cancel();
                    raised.get_or_insert(error);
                }
            }
            let done = worker.join().unwrap_or_else(|_| Err(Failure::bug()));
            match raised {
                Some(error) => Err(error),
                None => Ok(done?),
            }
        })
    })
}
