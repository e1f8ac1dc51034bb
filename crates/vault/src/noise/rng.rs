//! Random number generators of noise, keyed by the operating system and never by a caller.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use scumble_planted::Mutant;

use super::uniform::Digits;
use crate::error::VaultError;

/// Key of one job, from which the noise of all its releases is derived.
///
/// # Privacy
/// A caller cannot choose the key: it comes from the operating system. A forked process draws a new
/// key, so that two processes never use the same noise. `Debug` does not print it.
pub struct JobKey(Mutex<Keyed>);

struct Keyed {
    key: [u8; 32],
    process: u32,
}

impl JobKey {
    /// Draws a fresh key.
    ///
    /// # Errors
    /// If the operating system gives no randomness. There is no fallback.
    pub fn from_os() -> Result<Self, VaultError> {
        Ok(Self(Mutex::new(Keyed { key: key_from_os()?, process: std::process::id() })))
    }

    /// Returns the sub-stream of one block of one release. All sub-streams are independent.
    ///
    /// # Errors
    /// If the process was forked and the operating system gives no randomness for a new key.
    pub fn substream(&self, release: u32, block: u32) -> Result<Substream, VaultError> {
        self.substream_in(std::process::id(), key_from_os, release, block)
    }

    /// Returns a sub-stream, with the process id and the source of keys as parameters for tests.
    fn substream_in(
        &self,
        process: u32,
        fresh_key: fn() -> Result<[u8; 32], VaultError>,
        release: u32,
        block: u32,
    ) -> Result<Substream, VaultError> {
        // A thread that panicked cannot have left half a key: both fields are written together
        // below.
        let mut keyed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if keyed.process != process {
            // The parent process holds the same key and may use it at any time.
            *keyed = Keyed { key: fresh_key()?, process };
        }
        #[expect(clippy::disallowed_methods, reason = "this is the one place, and the key is the operating system's")]
        let mut rng = ChaCha20Rng::from_seed(keyed.key);
        rng.set_stream((u64::from(release) << 32) | u64::from(block));
        Ok(Substream(rng))
    }
}

fn key_from_os() -> Result<[u8; 32], VaultError> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(VaultError::Entropy)?;
    if Mutant::JobKeyOf32Bits.is_planted() {
        key[4..].fill(0);
    }
    if Mutant::FixedKey.is_planted() {
        key.fill(0);
    }
    Ok(key)
}

impl fmt::Debug for JobKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JobKey(..)")
    }
}

/// Random digits for one block of one release.
pub struct Substream(ChaCha20Rng);

impl Digits for Substream {
    #[inline]
    fn digit(&mut self) -> u32 {
        self.0.next_u32()
    }
}

impl fmt::Debug for Substream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Substream(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn words(substream: &mut Substream, count: usize) -> Vec<u32> {
        (0..count).map(|_| substream.digit()).collect()
    }

    /// Copies the key as a fork copies memory.
    fn forked(key: &JobKey) -> JobKey {
        let keyed = key.0.lock().unwrap();
        JobKey(Mutex::new(Keyed { key: keyed.key, process: keyed.process }))
    }

    /// T15: eight forks of one job, eight threads each, 10^5 draws a thread, the same release and
    /// block numbers in each.
    #[test]
    fn forks_and_threads_never_draw_the_same_block() {
        const DRAWS: usize = 100_000;
        let job = JobKey::from_os().unwrap();
        let forks: Vec<JobKey> = (0..8).map(|_| forked(&job)).collect();
        let mut blocks: Vec<[u32; 4]> = thread::scope(|scope| {
            let draw = |process: u32, block: u32| {
                let key = &forks[process as usize];
                let process = std::process::id().wrapping_add(process);
                let mut substream = key.substream_in(process, key_from_os, 7, block).unwrap();
                words(&mut substream, DRAWS)
            };
            let all: Vec<_> = (0..64).map(|job| scope.spawn(move || draw(job / 8, job % 8))).collect();
            let drawn = all.into_iter().map(|handle| handle.join().unwrap());
            drawn.flat_map(|words| words.as_chunks().0.to_vec()).collect()
        });
        assert_eq!(blocks.len(), 64 * DRAWS / 4);
        blocks.sort_unstable();
        // 1.6 million blocks of 128 bits: two are equal by chance once in 10^26 runs.
        assert!(blocks.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_thousand_jobs_all_differ() {
        let mut first: Vec<_> =
            (0..1000).map(|_| words(&mut JobKey::from_os().unwrap().substream(0, 0).unwrap(), 4)).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 1000);
    }

    #[test]
    fn a_substream_depends_only_on_its_release_and_block() {
        let job = JobKey::from_os().unwrap();
        let draw = |release, block| words(&mut job.substream(release, block).unwrap(), 100);
        let (once, other_block, other_release) = (draw(3, 5), draw(3, 6), draw(4, 5));
        assert_eq!(draw(3, 5), once);
        assert_ne!(other_block, once);
        assert_ne!(other_release, once);
        assert_ne!(draw(5, 3), once, "release and block do not trade places");
    }

    #[test]
    fn no_entropy_after_a_fork_means_no_noise() {
        let job = JobKey::from_os().unwrap();
        let child = std::process::id().wrapping_add(1);
        let failing = || Err(VaultError::Entropy(getrandom::Error::UNSUPPORTED));
        for _ in 0..2 {
            let refused = job.substream_in(child, failing, 0, 0);
            assert!(matches!(refused, Err(VaultError::Entropy(_))), "the old key is not used");
        }
    }

    #[test]
    fn a_child_keeps_its_new_key() {
        let job = JobKey::from_os().unwrap();
        let parent = words(&mut job.substream(0, 0).unwrap(), 8);
        let child = std::process::id().wrapping_add(1);
        let draw = || words(&mut job.substream_in(child, key_from_os, 0, 0).unwrap(), 8);
        let first = draw();
        assert_ne!(first, parent);
        assert_eq!(draw(), first);
    }

    #[test]
    fn debug_shows_no_key() {
        let job = JobKey::from_os().unwrap();
        assert_eq!(format!("{job:?} {:?}", job.substream(0, 0).unwrap()), "JobKey(..) Substream(..)");
    }
}
