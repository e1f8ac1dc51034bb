//! Cooperative cancellation.
//!
//! A program ends at Ctrl-C and takes its work with it. A library cannot: whoever called it in a notebook wants the prompt and the
//! processor back, and goes on. So long loops check, now and then, whether they are cancelled.
//!
//! The caller holds a [`CancelToken`] and runs the work inside [`CancelToken::run`]. Work is synchronous and knows nothing of that: it
//! calls [`checkpoint`], which returns at once, or, after [`CancelToken::cancel`], unwinds to `run`, as a panic would but without its
//! message. Work that waits for other threads asks [`is_cancelled`] and returns an error of its own.
//!
//! A checkpoint releases nothing and undoes nothing: to a ledger, work that was cancelled is work that was cut off.
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
    /// The token of this thread's work.
    static CURRENT: RefCell<Option<CancelToken>> = const { RefCell::new(None) };
}

/// Cancels work. Clones cancel the same work.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

/// Work ended because it was cancelled.
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
    /// A token of work that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the work, for good.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does the work until it is cancelled. A panic in it stays a panic.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        let _before = Before(CURRENT.replace(Some(self.clone())));
        // What the work was at is lost with it, so nobody sees it half done.
        catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Cancelled>() {
            Ok(cancelled) => *cancelled,
            Err(panic) => resume_unwind(panic),
        })
    }
}

/// The token of this thread's work, for those who hand parts of it to other threads.
pub fn current() -> Option<CancelToken> {
    CURRENT.with_borrow(Clone::clone)
}

/// Does work until this thread's work is cancelled, and returns then rather than unwind through the caller, who may have to clean up.
pub fn until_cancelled<T>(work: impl FnOnce() -> T) -> Result<T, Cancelled> {
    current().unwrap_or_default().run(work)
}

/// Does a part of another thread's work, whose token is `token`: what cancels that unwinds out of here. See [`current`].
pub fn share<T>(token: Option<CancelToken>, work: impl FnOnce() -> T) -> T {
    let _before = Before(CURRENT.replace(token));
    work()
}

/// Whether the work of this thread is cancelled.
pub fn is_cancelled() -> bool {
    CURRENT.with_borrow(|token| token.as_ref().is_some_and(CancelToken::is_cancelled))
}

/// Unwinds if the work of this thread is cancelled.
///
/// For loops that run long between one call of the vault or the engine and the next. Reads a thread-local and an atomic variable.
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
    fn work_inside_work_is_cancelled_by_its_own_and_leaves_the_outer_one_in_charge() {
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
    fn one_who_has_something_to_put_in_order_gets_to_do_so() {
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
