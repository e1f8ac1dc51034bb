//! Independent work on all processors, with results in the order of the work.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use scumble_cancel::{checkpoint, current, share};

/// `work` on every item, each thread with a workspace of its own. The results do not depend on the number of threads,
/// provided that no result depends on what an earlier one left in the workspace.
pub(crate) fn map<T: Sync, R: Send, W: Default>(items: &[T], work: impl Fn(&mut W, &T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(items.len());
    let next = AtomicUsize::new(0);
    let run = || {
        let mut workspace = W::default();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            checkpoint();
            done.push((index, work(&mut workspace, item)));
        }
    };
    let (run, stop) = (&run, current());
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| share(stop.clone(), run))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    done.sort_unstable_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_work() {
        let items: Vec<u64> = (0..1000).collect();
        let squares = map(&items, |used: &mut u64, &item| {
            *used += 1;
            item * item
        });
        assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
        assert_eq!(map(&[], |(): &mut (), &(): &()| 1), [0; 0]);
    }
}
