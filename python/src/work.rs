//! Long work: other Python threads run meanwhile, progress is told, and Ctrl-C ends it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use scumble::{Error, Progress, ProgressSink};
use scumble_stop::Stop;

use crate::failure::Failure;

/// How often Python is asked whether Ctrl-C was pressed.
const LISTENS_EVERY: Duration = Duration::from_millis(100);

/// How far work has come: what it is at, how much is done, and of how much.
type Told = (&'static str, u64, u64);

/// Whom work tells how far it has come.
#[derive(Clone)]
pub(crate) struct Reporter(Sender<Told>);

impl Reporter {
    pub(crate) fn tell(&self, stage: &'static str, done: u64, total: u64) {
        // Nobody listens any more after Ctrl-C.
        let _ = self.0.send((stage, done, total));
    }

    /// The same for a scan of files.
    pub(crate) fn of_scan(&self) -> ProgressSink {
        let reporter = self.clone();
        ProgressSink::new(move |Progress { bytes_read, bytes_total }| {
            // Nobody knows how long the rest will take, nor what is in memory already.
            if bytes_read < bytes_total {
                reporter.tell("reading", bytes_read, bytes_total);
            } else {
                reporter.tell("fitting", 0, 0);
            }
        })
    }

    /// The same for rows that are drawn, in the form that the library asks for.
    pub(crate) fn of_rows(&self, total: u64) -> impl FnMut(u64) -> bool + use<> {
        let reporter = self.clone();
        move |done| {
            reporter.tell("sampling", done, total);
            scumble_stop::is_wanted()
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
    let stop = Stop::new();
    py.detach(|| {
        thread::scope(|scope| {
            let (tell, told) = channel();
            let stopped = stop.clone();
            let worker = scope.spawn(move || {
                let work = || stopped.run(|| work(Reporter(tell))).unwrap_or_else(|_| Err(Error::Interrupted.into()));
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
                        progress.call1(py, last)?;
                    }
                    py.check_signals()
                });
                if let Err(error) = outcome {
                    stop.now();
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
