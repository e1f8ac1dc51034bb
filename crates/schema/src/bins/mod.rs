//! Bins over whole and real numbers.
//!
//! Equal-width bins are stored as a formula, so ten thousand columns of a million bins need no
//! memory. Every bin is half-open, `[lower, upper)`; for whole numbers the greatest value is a
//! member, so the last bin ends one past it.

pub(crate) mod amounts;
pub(crate) mod calendar;
pub(crate) mod cut;
pub(crate) mod edges;
pub(crate) mod step;

use std::hash::{Hash, Hasher};

use self::edges::Edges;

/// Bins of whole numbers: integers, years, days, microseconds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum WholeBins {
    /// `count` bins over `low ..= high`, as equal as whole numbers allow.
    Equal {
        /// The least value.
        low: i64,
        /// The greatest value.
        high: i64,
        /// Number of bins.
        count: u32,
    },
    /// Bins of `width` values from `low` on; the last may be shorter.
    Stepped {
        /// The least value.
        low: i64,
        /// The greatest value.
        high: i64,
        /// Number of values in a bin.
        width: u64,
    },
    /// Lower edges, ascending, and the greatest value.
    Edges {
        /// The least value of each bin.
        lower: Box<[i64]>,
        /// The greatest value of the last bin.
        high: i64,
    },
}

impl WholeBins {
    /// The least and the greatest value.
    pub(crate) fn bounds(&self) -> (i64, i64) {
        match self {
            Self::Equal { low, high, .. } | Self::Stepped { low, high, .. } => (*low, *high),
            Self::Edges { lower, high } => (lower[0], *high),
        }
    }

    /// Number of bins, before any limit is applied.
    pub(crate) fn count(&self) -> u128 {
        match self {
            Self::Equal { count, .. } => (*count).into(),
            Self::Stepped { low, high, width } => values_between(*low, *high).div_ceil((*width).into()),
            Self::Edges { lower, .. } => lower.len() as u128,
        }
    }

    /// The bin of a value within the bounds.
    pub(crate) fn index(&self, value: i64) -> u32 {
        let index = match self {
            Self::Equal { low, high, count } => offset(*low, value) * u128::from(*count) / values_between(*low, *high),
            Self::Stepped { low, width, .. } => offset(*low, value) / u128::from(*width),
            Self::Edges { lower, .. } => (lower.partition_point(|&edge| edge <= value) - 1) as u128,
        };
        u32::try_from(index).expect("a checked column has at most limits::CATEGORIES bins")
    }

    /// The least and the greatest value of bin `index`.
    pub(crate) fn members(&self, index: u32) -> (i64, i64) {
        let (low, high) = self.bounds();
        let (first, next) = match self {
            Self::Equal { count, .. } => {
                let values = values_between(low, high);
                let start = |bin: u32| (u128::from(bin) * values).div_ceil((*count).into());
                (start(index), start(index + 1))
            }
            Self::Stepped { width, .. } => {
                let width = u128::from(*width);
                (u128::from(index) * width, (u128::from(index + 1) * width).min(values_between(low, high)))
            }
            Self::Edges { lower, .. } => {
                let end = lower.get(index as usize + 1).map_or(high, |next| next - 1);
                return (lower[index as usize], end);
            }
        };
        // Offsets are below `high - low + 1`, so the sums stay within `low ..= high`.
        let at = |offset: u128| i64::try_from(i128::from(low) + offset.cast_signed()).expect("within the bounds");
        (at(first), at(next - 1))
    }
}

fn offset(low: i64, value: i64) -> u128 {
    value.abs_diff(low).into()
}

fn values_between(low: i64, high: i64) -> u128 {
    u128::from(high.abs_diff(low)) + 1
}

/// Bins of real numbers.
#[derive(Debug, Clone)]
pub(crate) enum RealBins {
    /// `count` bins of equal width over `[low, high]`.
    Equal {
        /// The least value.
        low: f64,
        /// The greatest value.
        high: f64,
        /// Number of bins.
        count: u32,
    },
    /// Bins of `width` from `low` on; the last may be narrower.
    Stepped {
        /// The least value.
        low: f64,
        /// The greatest value.
        high: f64,
        /// Width of a bin.
        width: f64,
        /// The resulting number of bins.
        count: u32,
    },
    /// All edges, ascending.
    Edges(Edges),
}

impl RealBins {
    /// The least and the greatest value.
    pub(crate) fn bounds(&self) -> (f64, f64) {
        match self {
            Self::Equal { low, high, .. } | Self::Stepped { low, high, .. } => (*low, *high),
            Self::Edges(edges) => (edges[0], edges[edges.len() - 1]),
        }
    }

    /// Number of bins.
    pub(crate) fn count(&self) -> u32 {
        match self {
            Self::Equal { count, .. } | Self::Stepped { count, .. } => *count,
            Self::Edges(edges) => edges.bins(),
        }
    }

    /// The lower edge of bin `index`; `index == count` gives the upper edge of the last bin.
    fn edge(&self, index: u32) -> f64 {
        match self {
            Self::Equal { high, count, .. } | Self::Stepped { high, count, .. } if index == *count => *high,
            Self::Equal { low, high, count } => low + (high - low) * (f64::from(index) / f64::from(*count)),
            Self::Stepped { low, width, .. } => low + width * f64::from(index),
            Self::Edges(edges) => edges[index as usize],
        }
    }

    /// The lower and the upper edge of bin `index`.
    pub(crate) fn interval(&self, index: u32) -> (f64, f64) {
        (self.edge(index), self.edge(index + 1))
    }

    /// The bin of a value within the bounds.
    pub(crate) fn index(&self, value: f64) -> u32 {
        let last = self.count() - 1;
        // Rounding may put the quotient one bin off. Decoding draws between the edges, so they
        // decide.
        let guess = match self {
            Self::Equal { low, high, count } => (value - low) / (high - low) * f64::from(*count),
            Self::Stepped { low, width, .. } => (value - low) / width,
            Self::Edges(edges) => return edges.bin(value),
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0 ..= last, a u32")]
        let mut index = guess.clamp(0.0, f64::from(last)) as u32;
        while index > 0 && value < self.edge(index) {
            index -= 1;
        }
        while index < last && value >= self.edge(index + 1) {
            index += 1;
        }
        index
    }

    /// Bits that identify the bins, for equality and hashing.
    fn key(&self) -> Vec<u64> {
        match self {
            Self::Equal { low, high, count } => vec![0, low.to_bits(), high.to_bits(), (*count).into()],
            Self::Stepped { low, high, width, count } => {
                vec![1, low.to_bits(), high.to_bits(), width.to_bits(), (*count).into()]
            }
            Self::Edges(edges) => std::iter::once(2).chain(edges.iter().map(|edge| edge.to_bits())).collect(),
        }
    }
}

// Bits, because float equality is no equivalence relation.
impl PartialEq for RealBins {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for RealBins {}

impl Hash for RealBins {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_every_value_is_in_its_bin(bins: &WholeBins) {
        let (low, high) = bins.bounds();
        let mut next = low;
        for bin in 0..u32::try_from(bins.count()).unwrap() {
            let (first, last) = bins.members(bin);
            assert_eq!(first, next, "bins leave no gap: {bins:?}");
            for value in first..=last {
                assert_eq!(bins.index(value), bin, "{bins:?} at {value}");
            }
            next = last + 1;
        }
        assert_eq!(next, high + 1, "bins end at the greatest value: {bins:?}");
    }

    #[test]
    fn whole_bins_partition_their_range() {
        for count in 1..=13 {
            assert_every_value_is_in_its_bin(&WholeBins::Equal { low: -5, high: 7, count });
            assert_every_value_is_in_its_bin(&WholeBins::Stepped { low: -5, high: 7, width: count.into() });
        }
        assert_every_value_is_in_its_bin(&WholeBins::Edges { lower: [0, 1, 18, 65].into(), high: 99 });
    }

    #[test]
    fn whole_bins_reach_the_ends_of_the_integers() {
        let bins = WholeBins::Equal { low: i64::MIN, high: i64::MAX, count: 3 };
        assert_eq!(bins.index(i64::MIN), 0);
        assert_eq!(bins.index(i64::MAX), 2);
        assert_eq!(bins.members(2).1, i64::MAX);
        assert_eq!(WholeBins::Stepped { low: i64::MIN, high: i64::MAX, width: 1 }.count(), 1 << 64);
    }

    #[test]
    fn a_real_value_lies_between_the_edges_of_its_bin() {
        let cuts = [
            RealBins::Equal { low: 0.1, high: 0.7, count: 6 },
            RealBins::Equal { low: -1e9, high: 1e-9, count: 1 << 20 },
            RealBins::Stepped { low: 0.0, high: 1.0, width: 0.3, count: 4 },
            RealBins::Edges(Edges::new(&[0.0, 0.1, 10.0, 1e6])),
        ];
        for bins in &cuts {
            let (low, high) = bins.bounds();
            for step in 0..=1000 {
                let value = low + (high - low) * (f64::from(step) / 1000.0);
                let index = bins.index(value.min(high));
                let (from, to) = bins.interval(index);
                assert!(from <= value && (value < to || index == bins.count() - 1), "{value} is not in [{from}, {to})");
            }
            for index in 0..bins.count().min(5000) {
                assert_eq!(bins.index(bins.interval(index).0), index, "an edge belongs to the bin it opens: {bins:?}");
            }
        }
    }
}
