//! Exact integer noise and the randomness behind it.

mod exponential;
mod gaussian;
mod rng;
mod uniform;

pub use gaussian::RoundedGaussian;
pub use rng::{JobKey, Substream};

use crate::account::{EventId, Sigma};
use crate::error::VaultError;

/// Cells per sub-stream. Blocks are independent of each other, so the noise of a table does not depend on who draws which
/// block, or in what order.
const BLOCK: usize = 4096;

/// Adds fresh noise to every cell, zero or not.
///
/// # Privacy
/// The sum is taken in 128 bits and then cut to an `i64`. The cut comes after the noise, so it is post-processing; cutting
/// the count before would be as safe, but this keeps the count exact.
pub(crate) fn add(counts: &[u64], sigma: Sigma, key: &JobKey, release: EventId) -> Result<Vec<i64>, VaultError> {
    let noise = RoundedGaussian::new(sigma);
    let mut released = Vec::with_capacity(counts.len());
    for (block, counts) in (0..).zip(counts.chunks(BLOCK)) {
        let mut substream = key.substream(release.get(), block)?;
        released.extend(counts.iter().map(|&count| {
            let sum = i128::from(count) + i128::from(noise.draw(&mut substream));
            i64::try_from(sum).unwrap_or(if sum < 0 { i64::MIN } else { i64::MAX })
        }));
    }
    Ok(released)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_may_be_drawn_by_anyone_in_any_order() {
        let key = JobKey::from_os().unwrap();
        let sigma = Sigma::at_least(10.0).unwrap();
        let counts: Vec<u64> = (0..3 * BLOCK as u64 + 17).collect();
        let whole = add(&counts, sigma, &key, EventId(9)).unwrap();
        for block in [3, 0, 2, 1] {
            let cells = block * BLOCK..counts.len().min((block + 1) * BLOCK);
            let mut substream = key.substream(9, u32::try_from(block).unwrap()).unwrap();
            for cell in cells {
                let noise = RoundedGaussian::new(sigma).draw(&mut substream);
                assert_eq!(whole[cell], i64::try_from(counts[cell]).unwrap() + noise);
            }
        }
        assert_ne!(add(&counts, sigma, &key, EventId(10)).unwrap(), whole, "another release has other noise");
    }

    #[test]
    fn tables_of_no_cell_and_of_one_are_fine() {
        let key = JobKey::from_os().unwrap();
        let sigma = Sigma::at_least(0.0).unwrap();
        assert!(add(&[], sigma, &key, EventId(0)).unwrap().is_empty());
        assert_eq!(add(&[5], sigma, &key, EventId(0)).unwrap(), [5]);
    }
}
