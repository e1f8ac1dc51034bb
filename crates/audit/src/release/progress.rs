//! Progress of an audit.

use std::cell::Cell;

use scumble_cancel::checkpoint;

/// Number of targets that are one step of the progress.
pub(super) const TARGETS_PER_STEP: usize = 100;

/// Reports progress, and ends cancelled work.
pub(super) struct Progress<'a> {
    done: Cell<usize>,
    of: usize,
    report: &'a dyn Fn(usize, usize),
}

impl<'a> Progress<'a> {
    pub(super) fn new(of: usize, report: &'a dyn Fn(usize, usize)) -> Self {
        report(0, of);
        Self { done: Cell::new(0), of, report }
    }

    /// Completes a step.
    pub(super) fn step(&self) {
        checkpoint();
        self.done.set((self.done.get() + 1).min(self.of));
        (self.report)(self.done.get(), self.of);
    }

    /// Completes a step if this target is the first of one.
    pub(super) fn target(&self, target: usize) {
        if target.is_multiple_of(TARGETS_PER_STEP) {
            self.step();
        }
    }
}
