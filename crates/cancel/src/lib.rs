//! Cooperative cancellation.
//!
//! Ctrl-C ends a program. It must not end a library: a caller in a notebook expects the prompt back
//! and continues. So long loops check regularly whether they are cancelled.
//!
//! The caller holds a [`CancelToken`] and runs the work inside [`CancelToken::run`]. The work is
//! synchronous and needs no access to the token: it calls [`checkpoint`], which returns at once or,
//! after [`CancelToken::cancel`], unwinds to `run` like a panic but without a message. Work that
//! waits for other threads checks [`is_cancelled`] and returns an error of its own.
//!
//! A checkpoint releases nothing and undoes nothing: to a ledger, cancelled work is interrupted
//! work.
//!
//! ```
//! use scumble_cancel::{CancelToken, Cancelled, checkpoint};
//!
//! let token = CancelToken::new();
//! assert_eq!(token.run(|| 6 * 7), Ok(42));
//! let outcome = token.run(|| {
//!     token.cancel();
//!     checkpoint();
//!     unreachable!("it is cancelled");
//! });
//! assert_eq!(outcome, Err(Cancelled));
//! // Without a token, a checkpoint does nothing.
//! checkpoint();
//! ```

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Token of the work of this thread.
    static CURRENT: RefCell<Option<CancelToken>> = const { RefCell::new(None) };
}

/// Cancels work. Clones cancel the same work.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

/// Error of work that was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the work was cancelled")
    }
}

impl std::error::Error for Cancelled {}

/// Restores the earlier token of this thread, however `run` ends.
struct Before(Option<CancelToken>);

impl Drop for Before {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the work, permanently.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the work is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Runs the work until it is cancelled. A panic in it stays a panic.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        let _before = Before(CURRENT.replace(Some(self.clone())));
        // Unwinding drops the state of the work, so nothing observes it half done.
        catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Cancelled>() {
            Ok(cancelled) => *cancelled,
            Err(panic) => resume_unwind(panic),
        })
    }
}

/// Returns the token of the work of this thread, for passing to other threads.
pub fn current() -> Option<CancelToken> {
    CURRENT.with_borrow(Clone::clone)
}

/// Runs work until the work of this thread is cancelled, and then returns an error instead of
/// unwinding through the caller, which may have to clean up.
pub fn until_cancelled<T>(work: impl FnOnce() -> T) -> Result<T, Cancelled> {
    current().unwrap_or_default().run(work)
}

/// Runs part of the work of another thread, with its token, see [`current`]. Cancelling that work
/// unwinds out of this call.
pub fn share<T>(token: Option<CancelToken>, work: impl FnOnce() -> T) -> T {
    let _before = Before(CURRENT.replace(token));
    work()
}

/// Returns whether the work of this thread is cancelled.
pub fn is_cancelled() -> bool {
    CURRENT.with_borrow(|token| token.as_ref().is_some_and(CancelToken::is_cancelled))
}

/// Unwinds if the work of this thread is cancelled.
///
/// For long loops between calls of the vault or the engine. Costs the read of a thread-local and of
/// an atomic variable.
pub fn checkpoint() {
    if is_cancelled() {
        resume_unwind(Box::new(Cancelled));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn work_of_another_thread_is_cancelled_at_its_next_checkpoint() {
        let token = CancelToken::new();
        let (begun, wait) = mpsc::channel();
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                token.run(|| {
                    begun.send(()).unwrap();
                    loop {
                        checkpoint();
                    }
                })
            });
            wait.recv().unwrap();
            token.cancel();
            assert_eq!(worker.join().unwrap(), Err::<(), _>(Cancelled));
        });
    }

    #[test]
    fn nested_work_is_cancelled_by_its_own_token_and_restores_the_outer_one() {
        let (outer, inner) = (CancelToken::new(), CancelToken::new());
        let done = outer.run(|| {
            inner.cancel();
            assert_eq!(inner.run(checkpoint), Err(Cancelled));
            assert!(!is_cancelled());
            outer.cancel();
            checkpoint();
        });
        assert_eq!(done, Err(Cancelled));
        assert!(!is_cancelled() && current().is_none());
    }

    #[test]
    fn parts_of_the_work_on_other_threads_are_cancelled_with_it() {
        let token = CancelToken::new();
        let outcome = token.run(|| {
            let shared = current();
            token.cancel();
            thread::scope(|scope| {
                let part = scope.spawn(|| share(shared, checkpoint));
                part.join().unwrap_or_else(|payload| resume_unwind(payload));
            });
        });
        assert_eq!(outcome, Err(Cancelled));
    }

    #[test]
    fn until_cancelled_returns_to_a_caller_that_cleans_up() {
        let token = CancelToken::new();
        let outcome = token.run(|| {
            token.cancel();
            until_cancelled(checkpoint)
        });
        assert_eq!(outcome, Ok(Err(Cancelled)));
        assert_eq!(until_cancelled(|| 1), Ok(1));
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let panic = catch_unwind(|| CancelToken::new().run(|| panic!("a bug"))).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"a bug"));
        assert!(current().is_none());
    }
}
