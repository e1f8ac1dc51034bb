//! All processors on large work, with the same result whatever their number.
//!
//! Work is cut into pieces by its size alone, and results come back in the order of the pieces, so sums are always taken
//! in the same order.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use scumble_cancel::{checkpoint, current, share};

/// Below this a thread costs more than it saves.
const PIECE_CELLS: usize = 1 << 17;

/// How many threads this machine runs at once; asking the system costs as much as a small pass.
pub(crate) fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// The length of the pieces of a table: a multiple of `grain`, and large enough to be worth a thread.
pub(crate) fn piece_cells(grain: usize) -> usize {
    PIECE_CELLS.div_ceil(grain) * grain
}

/// Runs `work` on every piece of `length` cells, each with the position of its first cell.
pub(crate) fn on_pieces<T: Send>(
    cells: &mut [f64],
    length: usize,
    work: impl Fn(usize, &mut [f64]) -> T + Sync,
) -> Vec<T> {
    if cells.len() <= length {
        return vec![work(0, cells)];
    }
    let pieces: Vec<(usize, &mut [f64])> = (0..).step_by(length).zip(cells.chunks_mut(length)).collect();
    on_items(pieces, |(first, piece)| work(first, piece))
}

/// Runs `work` on every item, on all processors, and returns the results in the items' order.
pub(crate) fn on_items<I: Send, T: Send>(items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    let threads = processors().min(items.len());
    let work = |item| {
        checkpoint();
        work(item)
    };
    if threads < 2 {
        return items.into_iter().map(work).collect();
    }
    let length = items.len().div_ceil(threads);
    let mut items = items.into_iter();
    let mut parts: Vec<Vec<I>> = (0..threads).map(|_| items.by_ref().take(length).collect()).collect();
    let own = parts.pop().unwrap_or_default();
    let work = &work;
    thread::scope(|scope| {
        let others: Vec<_> = parts
            .into_iter()
            .map(|part| {
                let stop = current();
                scope.spawn(move || share(stop, || part.into_iter().map(work).collect::<Vec<T>>()))
            })
            .collect();
        let own: Vec<T> = own.into_iter().map(work).collect();
        let others = others.into_iter().flat_map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        others.chain(own).collect()
    })
}

/// `work` of every number below `count`, on `threads` threads, in order. Whoever is free takes the next, so that pieces of
/// unequal size leave nobody idle.
pub(crate) fn on_numbers<T: Send>(threads: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if threads.min(count) < 2 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return results;
            }
            checkpoint();
            results.push((number, work(number)));
        }
    };
    let (worker, stop) = (&worker, current());
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(count)).map(|_| scope.spawn(|| share(stop.clone(), worker))).collect();
        let mut results = worker();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_work() {
        for threads in [0, 1, 2, 5, 100] {
            assert_eq!(on_numbers(threads, 7, |number| number * number), [0, 1, 4, 9, 16, 25, 36]);
            assert!(on_numbers(threads, 0, |number| number).is_empty());
        }
        assert_eq!(on_items((0..7).collect(), |number: i32| number * number), [0, 1, 4, 9, 16, 25, 36]);
    }

    #[test]
    fn every_cell_is_in_one_piece() {
        let mut cells = vec![0.0; 1000];
        let firsts = on_pieces(&mut cells, 300, |first, piece| {
            for cell in piece {
                *cell += 1.0;
            }
            first
        });
        assert_eq!(firsts, [0, 300, 600, 900]);
        assert!(cells.iter().all(|cell| (cell - 1.0).abs() < f64::EPSILON));
    }
}
