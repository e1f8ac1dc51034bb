//! The random generator of numpy.
//!
//! Published comparisons on the benchmark tables use the same sets of columns, drawn in Python with
//! `numpy.random.default_rng`. To draw them without Python, this module reproduces its stream: a
//! seed sequence that mixes several words, the permuted congruential generator PCG64, bounded
//! numbers by Lemire's method, and Floyd's sampling without replacement. Tests compare it with
//! numpy's output.
//!
//! # Reference
//! M. E. O'Neill 2014, PCG: a family of simple fast space-efficient statistically good algorithms
//! for random number generation; D. Lemire 2019, Fast random integer generation in an interval;
//! numpy, NEP 19 and `numpy.random`.

use std::collections::BTreeSet;

const POOL: usize = 4;

/// The stream of `numpy.random.default_rng(words)`.
pub(super) struct NumpyDice {
    state: u128,
    increment: u128,
    /// Upper half of the last 64 bits, if only the lower half was used.
    kept: Option<u32>,
}

impl NumpyDice {
    pub(super) fn new(words: &[u32]) -> Self {
        let [a, b, c, d] = seed(words);
        let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        let mut dice = Self { state: 0, increment: join(c, d) << 1 | 1, kept: None };
        dice.step();
        dice.state = dice.state.wrapping_add(join(a, b));
        dice.step();
        dice
    }

    /// Draws `count` different numbers below `population`:
    /// `choice(population, count, replace=False)` of numpy, sorted.
    ///
    /// Numpy draws differently from populations over 10,000, but no table has that many columns.
    pub(super) fn choose(&mut self, population: u32, count: u32) -> BTreeSet<u32> {
        let mut chosen = BTreeSet::new();
        for last in population - count..population {
            let number = self.up_to(last);
            if !chosen.insert(number) {
                chosen.insert(last);
            }
        }
        // Numpy shuffles the result. Only the numbers that this takes from the stream matter here.
        for last in (1..count).rev() {
            self.up_to(last);
        }
        chosen
    }

    /// Draws a number between zero and `last`, inclusive.
    fn up_to(&mut self, last: u32) -> u32 {
        if last == 0 {
            return 0;
        }
        let numbers = u64::from(last) + 1;
        let too_low = (1 << 32) % numbers;
        loop {
            let product = u64::from(self.next()) * numbers;
            if product & u64::from(u32::MAX) >= too_low {
                return u32::try_from(product >> 32).expect("a product with 32 bits, without the lower 32");
            }
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "only half of the bits are used")]
    fn next(&mut self) -> u32 {
        if let Some(upper) = self.kept.take() {
            return upper;
        }
        self.step();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        let bits = folded.rotate_right((self.state >> 122) as u32);
        self.kept = Some((bits >> 32) as u32);
        bits as u32
    }

    fn step(&mut self) {
        const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }
}

/// A hash whose constant changes with every word.
struct Hash {
    constant: u32,
    multiplier: u32,
}

impl Hash {
    fn of(&mut self, word: u32) -> u32 {
        let word = word ^ self.constant;
        self.constant = self.constant.wrapping_mul(self.multiplier);
        folded(word.wrapping_mul(self.constant))
    }
}

fn folded(word: u32) -> u32 {
    word ^ word >> 16
}

/// Returns the seed sequence of up to four words: state and increment of the generator, upper
/// halves first.
fn seed(words: &[u32]) -> [u64; POOL] {
    let mut hash = Hash { constant: 0x43B0_D7E5, multiplier: 0x931E_8875 };
    let mut pool: [u32; POOL] = std::array::from_fn(|place| hash.of(words.get(place).copied().unwrap_or(0)));
    for from in 0..POOL {
        for to in (0..POOL).filter(|&to| to != from) {
            let mixed = pool[to].wrapping_mul(0xCA01_F9DD).wrapping_sub(hash.of(pool[from]).wrapping_mul(0x4973_F715));
            pool[to] = folded(mixed);
        }
    }
    let mut hash = Hash { constant: 0x8B51_F9DD, multiplier: 0x58F3_8DED };
    let mut words = pool.iter().cycle().map(|&word| u64::from(hash.of(word)));
    std::array::from_fn(|_| {
        let low = words.next().expect("a cycle does not end");
        words.next().expect("a cycle does not end") << 32 | low
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: [u32; 6] = [4_140_415_376, 2_879_656_440, 3_746_571_515, 476_804_233, 2_117_216_691, 2_196_914_780];
    const CHOICES: [[u32; 5]; 4] = [[1, 7, 8, 9, 13], [0, 1, 9, 10, 11], [4, 5, 6, 8, 14], [1, 8, 10, 11, 14]];

    #[test]
    fn the_stream_is_that_of_numpy() {
        // list(np.random.default_rng([1, 2, 3]).integers(0, 2**32, 6, dtype=np.uint32))
        let mut dice = NumpyDice::new(&[1, 2, 3]);
        assert_eq!([(); 6].map(|()| dice.next()), STREAM);
    }

    #[test]
    fn choices_are_those_of_numpy() {
        // sorted(np.random.default_rng([20210811, 15, 5]).choice(15, 5, replace=False)), four times
        let mut dice = NumpyDice::new(&[20_210_811, 15, 5]);
        for due in CHOICES {
            assert_eq!(dice.choose(15, 5), BTreeSet::from(due));
        }
    }
}
