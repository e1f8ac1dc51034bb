//! Long work: lets other Python threads run, reports progress, and stops at Ctrl-C.

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

/// Interval of checks for Ctrl-C.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Progress of the work.
#[derive(Clone, Copy)]
enum Update {
    /// Stage, amount done, and total.
    Counted(&'static str, u64, u64),
    /// Progress of a fit, which advances with time.
    Timed(FitClock),
}

impl Update {
    /// Returns the current arguments of the progress callback. The time of a fit is in
    /// milliseconds.
    fn now(self) -> (&'static str, u64, u64) {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        match self {
            Self::Counted(stage, done, total) => (stage, done, total),
            Self::Timed(clock) => (FITTING, millis(clock.used()), millis(clock.forecast())),
        }
    }
}

/// Stage of a fit after the rows are read.
const FITTING: &str = "fitting";

/// Sends progress from the worker thread to the waiting one.
#[derive(Clone)]
pub(crate) struct Reporter(Sender<Update>);

impl Reporter {
    pub(crate) fn report(&self, stage: &'static str, done: u64, total: u64) {
        // After Ctrl-C the receiver may be gone.
        let _ = self.0.send(Update::Counted(stage, done, total));
    }

    /// Returns a sink that reports a fit: bytes read, then the time used of the forecast. `clock`
    /// computes the forecast from the number of input bytes.
    pub(crate) fn of_fit(&self, clock: impl Fn(u64) -> Option<FitClock> + Send + Sync + 'static) -> ProgressSink {
        let (reporter, started) = (self.clone(), OnceLock::new());
        ProgressSink::new(move |Progress { bytes_read, bytes_total }| {
            // The size of a table in memory would reveal its number of rows.
            let clock = started.get_or_init(|| (bytes_total > 0).then(|| clock(bytes_total)).flatten());
            match clock {
                _ if bytes_read < bytes_total => reporter.report("reading", bytes_read, bytes_total),
                Some(clock) => drop(reporter.0.send(Update::Timed(*clock))),
                None => reporter.report(FITTING, 0, 0),
            }
        })
    }

    /// Reports rows drawn so far and their total, and returns whether to go on.
    pub(crate) fn of_rows(&self) -> impl FnMut(u64, u64) -> bool + use<> {
        let reporter = self.clone();
        move |done, total| {
            reporter.report("sampling", done, total);
            !scumble_cancel::is_cancelled()
        }
    }
}

/// Runs `work` on its own thread and waits for it here, where signals arrive.
///
/// `progress`, if given, is called with a stage, the amount done, and the total. An exception in
/// it, or Ctrl-C, cancels the work. The exception is raised after the work has stopped at its next
/// checkpoint, so that nothing runs in the background.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(Reporter) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let token = CancelToken::new();
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, updates) = channel();
            let cancelled = token.clone();
            let worker = scope.spawn(move || {
                let work =
                    || cancelled.run(|| work(Reporter(sender))).unwrap_or_else(|_| Err(Error::Interrupted.into()));
                catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Failure::bug()))
            });
            let (mut raised, mut last) = (None, None);
            loop {
                match updates.recv_timeout(POLL_INTERVAL) {
                    // Only the latest update matters to a progress bar.
                    Ok(first) => last = updates.try_iter().last().or(Some(first)),
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
