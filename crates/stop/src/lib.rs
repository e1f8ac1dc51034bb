//! How work that nobody wants any more comes to its end.
//!
//! A program ends at Ctrl-C and takes its work with it. A library cannot: whoever called it in a notebook wants the prompt
//! back, and the processor, and goes on. So long loops ask, now and then, whether they are still wanted.
//!
//! The one who wants the work holds a [`Stop`] and runs it inside [`Stop::run`]. Work is synchronous and knows nothing of
//! that: it calls [`checkpoint`], which returns at once, or, after [`Stop::now`], unwinds to `run`, as a panic would but
//! without its message. Work that waits for other threads asks [`is_wanted`] and returns an error of its own.
//!
//! Nothing is released at a checkpoint and nothing is undone by one: to a ledger, work that was stopped is work that was
//! cut off.
//!
//! ```
//! use scumble_stop::{Stop, Stopped, checkpoint};
//!
//! let stop = Stop::new();
//! assert_eq!(stop.run(|| 6 * 7), Ok(42));
//! let outcome = stop.run(|| {
//!     stop.now();
//!     checkpoint();
//!     unreachable!("nobody wants it");
//! });
//! assert_eq!(outcome, Err(Stopped));
//! // Where nobody can stop anything, a checkpoint is nothing.
//! checkpoint();
//! ```

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Who can stop the work of this thread.
    static CURRENT: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Says that work is no longer wanted. Clones say it of the same work.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

/// Work ended because it was no longer wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the work was stopped")
    }
}

impl std::error::Error for Stopped {}

/// Puts back who could stop this thread before, however `run` ends.
struct Before(Option<Stop>);

impl Drop for Before {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl Stop {
    /// Of work that is wanted, so far.
    pub fn new() -> Self {
        Self::default()
    }

    /// From here on the work is not wanted. This cannot be taken back.
    pub fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work is still wanted.
    pub fn is_wanted(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }

    /// Does the work, or as much of it as is wanted. A panic in it stays a panic.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        let _before = Before(CURRENT.replace(Some(self.clone())));
        // What the work was at is lost with it, so nobody sees it half done.
        catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Stopped>() {
            Ok(stopped) => *stopped,
            Err(panic) => resume_unwind(panic),
        })
    }
}

/// Who can stop the work of this thread, for those who hand parts of it to others.
pub fn current() -> Option<Stop> {
    CURRENT.with_borrow(Clone::clone)
}

/// Does work as far as whoever can stop this thread wants it, and returns from there rather than unwind through the caller,
/// who may have something to put in order.
pub fn until_stopped<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    current().unwrap_or_default().run(work)
}

/// Does a part of another thread's work: what stops that stops this, and unwinds out of here. `stop` is what [`current`] was
/// there.
pub fn share<T>(stop: Option<Stop>, work: impl FnOnce() -> T) -> T {
    let _before = Before(CURRENT.replace(stop));
    work()
}

/// Whether the work of this thread is still wanted.
pub fn is_wanted() -> bool {
    CURRENT.with_borrow(|stop| stop.as_ref().is_none_or(Stop::is_wanted))
}

/// Ends the work of this thread if it is no longer wanted.
///
/// For loops that take long between one call of the vault or the engine and the next. Costs a look at a thread's own
/// variable and an atomic one.
pub fn checkpoint() {
    if !is_wanted() {
        resume_unwind(Box::new(Stopped));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn work_of_another_thread_is_stopped_at_its_next_checkpoint() {
        let stop = Stop::new();
        let (begun, wait) = mpsc::channel();
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                stop.run(|| {
                    begun.send(()).unwrap();
                    loop {
                        checkpoint();
                    }
                })
            });
            wait.recv().unwrap();
            stop.now();
            assert_eq!(worker.join().unwrap(), Err::<(), _>(Stopped));
        });
    }

    #[test]
    fn work_inside_work_is_stopped_by_its_own_and_leaves_the_outer_one_in_charge() {
        let (outer, inner) = (Stop::new(), Stop::new());
        let done = outer.run(|| {
            inner.now();
            assert_eq!(inner.run(checkpoint), Err(Stopped));
            assert!(is_wanted());
            outer.now();
            checkpoint();
        });
        assert_eq!(done, Err(Stopped));
        assert!(is_wanted() && current().is_none());
    }

    #[test]
    fn parts_of_the_work_on_other_threads_are_stopped_with_it() {
        let stop = Stop::new();
        let outcome = stop.run(|| {
            let shared = current();
            stop.now();
            thread::scope(|scope| {
                let part = scope.spawn(|| share(shared, checkpoint));
                part.join().unwrap_or_else(|payload| resume_unwind(payload));
            });
        });
        assert_eq!(outcome, Err(Stopped));
    }

    #[test]
    fn one_who_has_something_to_put_in_order_gets_to_do_so() {
        let stop = Stop::new();
        let outcome = stop.run(|| {
            stop.now();
            until_stopped(checkpoint)
        });
        assert_eq!(outcome, Ok(Err(Stopped)));
        assert_eq!(until_stopped(|| 1), Ok(1));
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let panic = catch_unwind(|| Stop::new().run(|| panic!("a bug"))).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"a bug"));
        assert!(current().is_none());
    }
}
