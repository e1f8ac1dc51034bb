//! Counts of the values present in columns, on their way into the vault.

use std::collections::BTreeMap;
use std::fmt;

use scumble_planted::Mutant;
use sha2::Digest;

use super::planted;
use crate::account::{Event, Mechanism};
use crate::error::VaultError;
use crate::ledger::{AnswerDigest, Job};
use crate::noise::{JobKey, Noise, RoundedGaussian, Substream};

/// Takes the counts of the values present in one or more columns.
///
/// Only the vault makes one, and nothing can be read from it. Every value gets its noise as it
/// arrives, and only those that pass the threshold are kept, so memory does not grow with the
/// number of values.
///
/// # Privacy
/// ```compile_fail,E0451
/// use scumble_vault::ValueSink;
/// let peeking = ValueSink { columns: Vec::new(), is_faulty: false };
/// ```
pub struct ValueSink<'a> {
    columns: Vec<ColumnValues<'a>>,
    /// Whether the source named a column that was not asked for, or a value twice.
    is_faulty: bool,
}

/// The values of one column.
pub(super) struct ColumnValues<'a> {
    event: &'a Event,
    /// Draws the noise; `None` if the values are those of an earlier run.
    draw: Option<DrawValues>,
    /// Digest of the exact counts, in any order, for a job with a ledger.
    binding: Option<(&'a Job, MultisetDigest)>,
    /// The exact counts, for the replay test.
    #[cfg(feature = "replay")]
    exact: Option<BTreeMap<Vec<u8>, u64>>,
}

/// Noise, threshold, and the values that passed so far.
struct DrawValues {
    noise: RoundedGaussian,
    substream: Substream,
    threshold: i128,
    passed: Passed,
}

/// Values that passed the threshold, with their noisy counts. The order of their bytes is that of
/// the release, whatever the order of arrival.
#[derive(Default)]
struct Passed {
    values: BTreeMap<Vec<u8>, i64>,
    /// Values in the order of arrival, and the number of those below the threshold, for planted
    /// bugs.
    arrived: Vec<Vec<u8>>,
    below: i64,
}

impl<'a> ColumnValues<'a> {
    /// Takes the values of the column of `event`, with fresh noise unless they are `resumed`.
    pub(super) fn new(event: &'a Event, resumed: bool, key: &JobKey, job: Option<&'a Job>) -> Result<Self, VaultError> {
        Ok(Self {
            event,
            draw: if resumed { None } else { Some(DrawValues::new(event, key)?) },
            binding: job.map(|job| (job, MultisetDigest::default())),
            #[cfg(feature = "replay")]
            exact: None,
        })
    }

    /// Keeps the exact counts, for the replay test.
    #[cfg(feature = "replay")]
    pub(super) fn recording(self, records: bool) -> Self {
        Self { exact: records.then(BTreeMap::new), ..self }
    }

    /// Takes the exact counts that were kept.
    #[cfg(feature = "replay")]
    pub(super) fn take_exact(&mut self) -> BTreeMap<Vec<u8>, u64> {
        self.exact.take().unwrap_or_default()
    }

    /// Adds a value; whether it had passed before.
    fn add(&mut self, value: &[u8], rows: u64) -> bool {
        if let Some((job, digest)) = &mut self.binding {
            digest.add(job.digest(self.event, |digest| {
                digest.update(rows.to_le_bytes());
                digest.update(value);
            }));
        }
        #[cfg(feature = "replay")]
        if let Some(exact) = &mut self.exact {
            exact.insert(value.to_vec(), rows);
        }
        self.draw.as_mut().is_some_and(|draw| draw.add(value, rows))
    }

    /// Returns the digest of the exact counts.
    pub(super) fn digest(&self) -> Option<AnswerDigest> {
        self.binding.as_ref().map(|(job, sum)| job.digest(self.event, |digest| digest.update(sum.bytes())))
    }

    /// Returns the values that passed, as the numbers of a release.
    pub(super) fn released(self) -> Vec<i64> {
        self.draw.map(|draw| draw.passed.packed()).unwrap_or_default()
    }
}

impl DrawValues {
    fn new(event: &Event, key: &JobKey) -> Result<Self, VaultError> {
        let Mechanism::ThresholdedGaussian { sigma, threshold, .. } = planted::mechanism(event) else {
            return Err(VaultError::Bug { what: "values without a threshold" });
        };
        let noise = RoundedGaussian::new(sigma);
        let substream = key.substream(planted::stream(event).get(), 0)?;
        Ok(Self { noise, substream, threshold: threshold.rows.into(), passed: Passed::default() })
    }

    fn add(&mut self, value: &[u8], rows: u64) -> bool {
        let noisy = i128::from(rows) + self.noise.draw_exact(&mut self.substream);
        if noisy < self.threshold {
            if Mutant::ValuesCountTheHidden.is_planted() {
                self.passed.below += 1;
            }
            return false;
        }
        let count = i64::try_from(noisy).unwrap_or(i64::MAX);
        if Mutant::ValuesInOrderOfAppearance.is_planted() {
            self.passed.arrived.push(value.to_vec());
        }
        self.passed.values.insert(value.to_vec(), count).is_some()
    }
}

impl Passed {
    fn packed(mut self) -> Vec<i64> {
        if Mutant::ValuesCountTheHidden.is_planted() {
            self.values.insert(b"(others)".to_vec(), self.below);
        }
        if Mutant::ValuesInOrderOfAppearance.is_planted() {
            let values = &self.values;
            return self.arrived.iter().flat_map(|value| packed(value, values[value])).collect();
        }
        self.values.iter().flat_map(|(value, &count)| packed(value, count)).collect()
    }
}

impl<'a> ValueSink<'a> {
    pub(super) fn new(columns: Vec<ColumnValues<'a>>) -> Self {
        Self { columns, is_faulty: false }
    }

    /// Adds a value of a column, given by its place in the list that was asked for, and the number
    /// of rows that hold it. Every value present is added once, in any order.
    pub fn add(&mut self, column: usize, value: &[u8], rows: u64) {
        match self.columns.get_mut(column) {
            None => self.is_faulty = true,
            // A value that no row holds is not present.
            Some(_) if rows == 0 => {}
            Some(column) => self.is_faulty |= column.add(value, rows),
        }
    }

    /// Returns the columns with what they took.
    ///
    /// # Errors
    /// If the source broke its contract.
    pub(super) fn finish(self) -> Result<Vec<ColumnValues<'a>>, VaultError> {
        if self.is_faulty { Err(VaultError::SourceShape) } else { Ok(self.columns) }
    }
}

impl fmt::Debug for ValueSink<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ValueSink(..)")
    }
}

/// Digest of a set of values, which does not depend on their order: the sum of their keyed digests,
/// in four parts of 64 bits.
#[derive(Default)]
struct MultisetDigest([u64; 4]);

impl MultisetDigest {
    fn add(&mut self, digest: AnswerDigest) {
        let (parts, _) = digest.as_chunks();
        for (sum, part) in self.0.iter_mut().zip(parts) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*part));
        }
    }

    fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (place, part) in bytes.chunks_exact_mut(8).zip(self.0) {
            place.copy_from_slice(&part.to_le_bytes());
        }
        bytes
    }
}

/// Packs a value and its noisy count into numbers: the count, the number of bytes, and the bytes,
/// eight in each number.
fn packed(value: &[u8], count: i64) -> impl Iterator<Item = i64> {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        i64::from_le_bytes(word)
    };
    let length = i64::try_from(value.len()).expect("a value fits in memory");
    [count, length].into_iter().chain(value.chunks(8).map(word))
}

/// Unpacks released numbers; `None` if they are not values in the order of their bytes.
pub(crate) fn unpacked(mut numbers: &[i64]) -> Option<Vec<(Vec<u8>, i64)>> {
    let mut values: Vec<(Vec<u8>, i64)> = Vec::new();
    while let [count, length, rest @ ..] = numbers {
        let length = usize::try_from(*length).ok()?;
        let (words, rest) = rest.split_at_checked(length.div_ceil(8))?;
        let mut value: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        value.truncate(length);
        if values.last().is_some_and(|(last, _)| *last >= value) {
            return None;
        }
        values.push((value, *count));
        numbers = rest;
    }
    numbers.is_empty().then_some(values)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn values_come_back_as_they_were_packed(values: BTreeMap<Vec<u8>, i64>) {
            let numbers: Vec<i64> = values.iter().flat_map(|(value, &count)| packed(value, count)).collect();
            prop_assert_eq!(unpacked(&numbers), Some(values.into_iter().collect()));
        }

        #[test]
        fn no_numbers_break_the_reader(numbers: Vec<i64>) {
            unpacked(&numbers);
        }
    }

    #[test]
    fn numbers_that_are_no_values_are_refused() {
        let of = |values: &[(&[u8], i64)]| -> Vec<i64> {
            values.iter().flat_map(|&(value, count)| packed(value, count)).collect()
        };
        assert!(unpacked(&of(&[(b"a", 1), (b"b", 2)])).is_some());
        assert!(unpacked(&of(&[(b"b", 1), (b"a", 2)])).is_none(), "not in order");
        assert!(unpacked(&of(&[(b"a", 1), (b"a", 2)])).is_none(), "twice");
        assert!(unpacked(&[7]).is_none() && unpacked(&[7, 9, 0]).is_none() && unpacked(&[7, -1]).is_none());
    }
}
