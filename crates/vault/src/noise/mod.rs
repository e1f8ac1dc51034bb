//! Exact integer noise and the randomness behind it.

mod decay;
mod exponential;
mod gaussian;
mod laplace;
mod rng;
mod scaling;
mod selection;
mod smoothed;
mod uniform;

use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

use scumble_planted::Mutant;

pub use gaussian::RoundedGaussian;
pub use laplace::DiscreteLaplace;
pub use rng::{JobKey, Substream};
pub use selection::ExponentialMechanism;
pub use smoothed::SmoothedHistogram;
use uniform::Digits;

use crate::account::EventId;
use crate::error::VaultError;

/// Cells per sub-stream. Blocks are independent, so the noise of a table does not depend on which
/// thread draws which block, or in what order.
const BLOCK: usize = 4096;
/// Minimum number of blocks per thread. Drawing fewer takes less time than starting a thread.
const MIN_BLOCKS_PER_THREAD: usize = 4;

/// Returns the number of threads that this machine runs at once. It is cached: to ask the system
/// takes as long as to draw the noise of a small table.
pub(crate) fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Integer noise of one scale.
pub(crate) trait Noise: Sync {
    /// Draws one number, without clamping it to an `i64`.
    fn draw_exact(&self, digits: &mut impl Digits) -> i128;
}

/// Clamps a number to the range of `i64`.
#[inline]
fn clamp_to_i64(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

/// Adds fresh noise to every value, zeros included. Counts and scores are in units of their
/// lattice.
///
/// # Privacy
/// The sum is computed in 128 bits and then clamped to an `i64`. Clamping comes after the noise and
/// depends on the sum alone, so it is post-processing. Clamping the noise first would not be: a
/// value plus the largest noise that fits reveals the value.
///
/// # Errors
/// If there is no randomness, or a thread panicked. Then nothing is released.
pub(crate) fn add<T: Into<i128> + Copy + Sync>(
    exact: &[T],
    noise: &impl Noise,
    key: &JobKey,
    release: EventId,
) -> Result<Vec<i64>, VaultError> {
    let threads = processors().min(exact.len() / (MIN_BLOCKS_PER_THREAD * BLOCK)).max(1);
    add_on(threads, exact, noise, key, release)
}

/// Adds noise to a value, unless a bug is planted.
#[inline]
fn add_one(exact: i128, noise: i128) -> i128 {
    if Mutant::EmptyCellsWithoutNoise.is_planted() && exact == 0 {
        return 0;
    }
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "that is the planted bug")]
    let noise = if Mutant::FloatNoise.is_planted() { noise as f32 as i128 } else { noise };
    exact.saturating_add(noise)
}

/// Adds fresh noise to every value on `threads` threads. The result does not depend on their
/// number.
fn add_on<T: Into<i128> + Copy + Sync>(
    threads: usize,
    exact: &[T],
    noise: &impl Noise,
    key: &JobKey,
    release: EventId,
) -> Result<Vec<i64>, VaultError> {
    let mut released = vec![0; exact.len()];
    let blocks_each = exact.len().div_ceil(BLOCK).div_ceil(threads).max(1);
    // Each thread gets consecutive blocks with their numbers.
    let shares = exact.chunks(blocks_each * BLOCK).zip(released.chunks_mut(blocks_each * BLOCK));
    let shares = (0_usize..).step_by(blocks_each).zip(shares);
    let add = |first_block: usize, exact: &[T], released: &mut [i64]| {
        for (block, (exact, released)) in (first_block..).zip(exact.chunks(BLOCK).zip(released.chunks_mut(BLOCK))) {
            let block = u32::try_from(block).expect("2^44 cells do not fit a machine");
            let block = if Mutant::BlocksShareAStream.is_planted() { 0 } else { block };
            let mut substream = key.substream(release.get(), block)?;
            for (&exact, released) in exact.iter().zip(released) {
                *released = clamp_to_i64(add_one(exact.into(), noise.draw_exact(&mut substream)));
            }
        }
        Ok(())
    };
    if threads == 1 {
        for (block, (exact, released)) in shares {
            add(block, exact, released)?;
        }
    } else {
        thread::scope(|scope| {
            let add = &add;
            let start = |(block, (exact, released))| scope.spawn(move || add(block, exact, released));
            let started: Vec<_> = shares.map(start).collect();
            let panicked = |_| Err(VaultError::Bug { what: "a thread panicked while it drew noise" });
            // Joins all threads. One failure fails the whole release.
            started.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).fold(Ok(()), Result::and)
        })?;
    }
    Ok(released)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::account::{LaplaceScale, Sigma};

    #[test]
    fn blocks_may_be_drawn_in_any_order() {
        let key = JobKey::from_os().unwrap();
        let noise = RoundedGaussian::new(Sigma::at_least(10.0).unwrap());
        let counts: Vec<u64> = (0..3 * BLOCK as u64 + 17).collect();
        let whole = add(&counts, &noise, &key, EventId(9)).unwrap();
        for block in [3, 0, 2, 1] {
            let cells = block * BLOCK..counts.len().min((block + 1) * BLOCK);
            let mut substream = key.substream(9, u32::try_from(block).unwrap()).unwrap();
            for cell in cells {
                assert_eq!(whole[cell], i64::try_from(counts[cell]).unwrap() + noise.draw(&mut substream));
            }
        }
        assert_ne!(add(&counts, &noise, &key, EventId(10)).unwrap(), whole, "another release has other noise");
    }

    fn same_on_any_number_of_threads(noise: &impl Noise) {
        let key = JobKey::from_os().unwrap();
        for cells in [1, BLOCK - 1, BLOCK, 4 * BLOCK, 13 * BLOCK + 5] {
            let scores: Vec<i128> = (-5..).take(cells).collect();
            let alone = add_on(1, &scores, noise, &key, EventId(2)).unwrap();
            for threads in [2, 3, 8, 64] {
                assert_eq!(add_on(threads, &scores, noise, &key, EventId(2)).unwrap(), alone, "{threads} threads");
            }
            assert_eq!(add(&scores, noise, &key, EventId(2)).unwrap(), alone);
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_value() {
        same_on_any_number_of_threads(&RoundedGaussian::new(Sigma::at_least(10.0).unwrap()));
        same_on_any_number_of_threads(&DiscreteLaplace::new(LaplaceScale::at_least(10.0).unwrap()));
    }

    /// Noise of which one draw fails.
    struct FailsOnce(AtomicU32);

    impl Noise for FailsOnce {
        fn draw_exact(&self, _: &mut impl Digits) -> i128 {
            assert_ne!(self.0.fetch_add(1, Ordering::Relaxed), 10_000, "planted failure");
            0
        }
    }

    #[test]
    fn a_thread_that_panics_fails_the_release() {
        let key = JobKey::from_os().unwrap();
        let counts = vec![0_u64; 16 * BLOCK];
        let outcome = add_on(4, &counts, &FailsOnce(AtomicU32::new(0)), &key, EventId(0));
        assert!(matches!(outcome, Err(VaultError::Bug { .. })));
    }

    /// Noise that is always the same.
    struct Fixed(i128);

    impl Noise for Fixed {
        fn draw_exact(&self, _: &mut impl Digits) -> i128 {
            self.0
        }
    }

    #[test]
    fn sums_that_do_not_fit_are_clamped_after_adding() {
        let key = JobKey::from_os().unwrap();
        let add = |exact: i128, noise| super::add(&[exact], &Fixed(noise), &key, EventId(0)).unwrap()[0];
        assert_eq!(add(0, i128::from(i64::MAX) + 1), i64::MAX);
        assert_eq!(add(-7, i128::from(i64::MAX) + 1), i64::MAX - 6, "noise beyond an `i64` is not clamped first");
        assert_eq!(add(0, i128::from(i64::MIN) - 1), i64::MIN);
        assert_eq!(add(i128::MAX, 1), i64::MAX);
        assert_eq!(add(i128::MIN, -1), i64::MIN);
    }

    #[test]
    fn tables_of_zero_cells_and_of_one_cell_work() {
        let key = JobKey::from_os().unwrap();
        let noise = RoundedGaussian::new(Sigma::at_least(0.0).unwrap());
        assert!(add::<u64>(&[], &noise, &key, EventId(0)).unwrap().is_empty());
        assert_eq!(add(&[5_u64], &noise, &key, EventId(0)).unwrap(), [5]);
    }
}
