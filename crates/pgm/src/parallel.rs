//! An ordered parallel map.
//!
//! Results come back in the order of the items, so they do not depend on the number of threads,
//! nor do sums over them. Free threads take the next item, so items of unequal size keep all
//! threads busy.
//!
//! Workers share the caller's [cancellation token](scumble_cancel::CancelToken): the work ends at
//! the next item after a cancellation. A panic in the work reaches the caller.
//!
//! ```
//! use scumble_pgm::parallel;
//!
//! assert_eq!(parallel::map(0..5, |number| number * number), [0, 1, 4, 9, 16]);
//!
//! // A buffer that each thread allocates once and reuses.
//! let sorted = parallel::map_with(&["cab", "ba"], Vec::new, |buffer: &mut Vec<char>, word| {
//!     buffer.clear();
//!     buffer.extend(word.chars());
//!     buffer.sort_unstable();
//!     buffer.iter().collect::<String>()
//! });
//! assert_eq!(sorted, ["abc", "ab"]);
//! ```

use std::panic::resume_unwind;
use std::sync::{Mutex, OnceLock};
use std::thread;

use scumble_cancel::{checkpoint, current, share};

/// Returns the number of threads that this machine runs at once.
///
/// The number is cached: the system call takes as long as a pass over a small model.
pub fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Applies `work` to every item on all processors, and returns the results in the items' order.
pub fn map<I, R>(items: I, work: impl Fn(I::Item) -> R + Sync) -> Vec<R>
where
    I: IntoIterator<IntoIter: ExactSizeIterator + Send>,
    R: Send,
{
    map_on(processors(), items, work)
}

/// Applies `work` to every item on all processors, and returns the results in the items' order.
///
/// Each thread makes one workspace and passes it to all of its calls. Results do not depend on the
/// number of threads if no call depends on what an earlier call left in the workspace.
pub fn map_with<I, W, R>(
    items: I,
    workspace: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, I::Item) -> R + Sync,
) -> Vec<R>
where
    I: IntoIterator<IntoIter: ExactSizeIterator + Send>,
    R: Send,
{
    run(processors(), items.into_iter(), workspace, work)
}

/// Applies `work` to every item on at most `threads` threads, and returns the results in the
/// items' order.
pub fn map_on<I, R>(threads: usize, items: I, work: impl Fn(I::Item) -> R + Sync) -> Vec<R>
where
    I: IntoIterator<IntoIter: ExactSizeIterator + Send>,
    R: Send,
{
    run(threads, items.into_iter(), || (), |(), item| work(item))
}

fn run<I, W, R>(
    threads: usize,
    items: I,
    workspace: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, I::Item) -> R + Sync,
) -> Vec<R>
where
    I: ExactSizeIterator + Send,
    R: Send,
{
    let threads = threads.min(items.len());
    let queue = Mutex::new(items.enumerate());
    let worker = || {
        let mut workspace = workspace();
        let mut results = Vec::new();
        loop {
            let next = queue.lock().expect("no work is done under the lock").next();
            let Some((position, item)) = next else { return results };
            checkpoint();
            results.push((position, work(&mut workspace, item)));
        }
    };
    let (worker, token) = (&worker, current());
    let mut results = thread::scope(|scope| {
        // The calling thread is a worker too.
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| share(token.clone(), worker))).collect();
        let mut results = worker();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|&(position, _)| position);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for threads in [0, 1, 2, 5, 100] {
            assert_eq!(map_on(threads, 0..7, |number| number * number), [0, 1, 4, 9, 16, 25, 36]);
            assert!(map_on(threads, 0..0, |number: i32| number).is_empty());
        }
        let items: Vec<u64> = (0..1000).collect();
        let squares = map_with(
            &items,
            || 0_u64,
            |calls, item| {
                *calls += 1;
                item * item
            },
        );
        assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
    }
}
