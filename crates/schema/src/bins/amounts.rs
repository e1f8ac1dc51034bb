//! Bins for amounts: single values with their own code (points), a top code, and logarithmic bins.
//!
//! The code of a point comes just before that of the bin around it. A bin of whole numbers that are
//! all points is dropped, so that every code has a value.

use crate::bins::{RealBins, WholeBins};
use crate::values::encode::real_key;

/// The order of the codes of points and bins.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Order {
    /// The bin around each point, ascending.
    point_bins: Box<[u32]>,
    /// The code of each point, ascending.
    point_codes: Box<[u32]>,
    /// Dropped bins, ascending.
    dropped: Box<[u32]>,
    /// Number of bins, including dropped ones.
    bins: u32,
}

/// The meaning of a code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Piece<T> {
    /// One value.
    Point(T),
    /// This value and everything above it.
    Top(T),
    /// A bin, by its index.
    Bin(u32),
}

impl Order {
    fn new(point_bins: Vec<u32>, dropped: Vec<u32>, bins: u32) -> Self {
        let before = |bin: u32| dropped.partition_point(|&gone| gone < bin);
        let codes = point_bins.iter().zip(0..).map(|(&bin, points)| bin + points - index(before(bin)));
        let point_codes = codes.collect();
        Self { point_codes, point_bins: point_bins.into(), dropped: dropped.into(), bins }
    }

    /// Number of codes of points and bins.
    fn len(&self) -> u32 {
        self.bins - index(self.dropped.len()) + index(self.point_bins.len())
    }

    /// The code of a bin; for a dropped bin, the code of the next one.
    fn bin_code(&self, bin: u32) -> u32 {
        let points = self.point_bins.partition_point(|&of_point| of_point <= bin);
        let gone = self.dropped.partition_point(|&gone| gone < bin);
        bin + index(points) - index(gone)
    }

    /// The point or bin of a code: `Ok` holds the index of a point, `Err` that of a bin.
    fn piece(&self, code: u32) -> Result<usize, u32> {
        let points = match self.point_codes.binary_search(&code) {
            Ok(point) => return Ok(point),
            Err(points) => points,
        };
        // The bin's rank among the kept bins. Its index is higher by the dropped bins before it.
        let rank = code - index(points);
        let (mut from, mut to) = (0, self.dropped.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            if self.dropped[middle] - index(middle) <= rank {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        Err(rank + index(from))
    }
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("a checked column has at most limits::CATEGORIES codes")
}

/// Points, bins and a top code over whole numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct WholeAmounts {
    pub(crate) bins: WholeBins,
    low: i64,
    points: Box<[i64]>,
    top: Option<i64>,
    order: Order,
}

impl WholeAmounts {
    /// Amounts from `low` on. Points are ascending and distinct; all values from `top` on share one
    /// code. `None` if every bin would be dropped.
    pub(crate) fn new(bins: WholeBins, low: i64, points: Vec<i64>, top: Option<i64>) -> Option<Self> {
        let (lowest, _) = bins.bounds();
        let point_bins: Vec<u32> = points.iter().map(|&point| bins.index(point.max(lowest))).collect();
        let mut dropped = Vec::new();
        for held in point_bins.chunk_by(|left, right| left == right) {
            let (first, last) = bins.members(held[0]);
            let within = points.iter().filter(|point| (first..=last).contains(point)).count();
            if within as u128 == u128::from(last.abs_diff(first)) + 1 {
                dropped.push(held[0]);
            }
        }
        let count = u32::try_from(bins.count()).expect("the count was checked");
        let order = Order::new(point_bins, dropped, count);
        (order.dropped.len() < count as usize).then(|| Self { bins, low, points: points.into(), top, order })
    }

    pub(crate) fn count(&self) -> u32 {
        self.order.len() + u32::from(self.top.is_some())
    }

    /// The least and the greatest value. With a top code, everything above has the code of the
    /// greatest.
    pub(crate) fn bounds(&self) -> (i64, i64) {
        (self.low, self.top.unwrap_or(self.bins.bounds().1))
    }

    pub(crate) fn has_top(&self) -> bool {
        self.top.is_some()
    }

    /// The code of a value within the bounds.
    pub(crate) fn code(&self, value: i64) -> u32 {
        if self.top.is_some_and(|top| value >= top) {
            return self.order.len();
        }
        match self.points.binary_search(&value) {
            Ok(point) => self.order.point_codes[point],
            // Values between the lowest point and the first bin count in that bin.
            Err(_) => self.order.bin_code(self.bins.index(value.max(self.bins.bounds().0))),
        }
    }

    pub(crate) fn piece(&self, code: u32) -> Piece<i64> {
        match (self.top, self.order.piece(code)) {
            (Some(top), _) if code >= self.order.len() => Piece::Top(top),
            (_, Ok(point)) => Piece::Point(self.points[point]),
            (_, Err(bin)) => Piece::Bin(bin),
        }
    }

    /// Points, which are never drawn from a bin.
    pub(crate) fn points(&self) -> &[i64] {
        &self.points
    }
}

/// Points, bins and a top code over real numbers, stored as bits so that equality is exact.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct RealAmounts {
    pub(crate) bins: RealBins,
    low: u64,
    points: Box<[u64]>,
    top: Option<u64>,
    order: Order,
}

impl RealAmounts {
    /// Amounts from `low` on. See [`WholeAmounts::new`].
    pub(crate) fn new(bins: RealBins, low: f64, points: &[f64], top: Option<f64>) -> Self {
        let (lowest, _) = bins.bounds();
        let point_bins = points.iter().map(|&point| bins.index(point.max(lowest))).collect();
        let order = Order::new(point_bins, Vec::new(), bins.count());
        let points = points.iter().copied().map(real_key).collect();
        Self { bins, low: real_key(low), points, top: top.map(real_key), order }
    }

    pub(crate) fn count(&self) -> u32 {
        self.order.len() + u32::from(self.top.is_some())
    }

    pub(crate) fn bounds(&self) -> (f64, f64) {
        (f64::from_bits(self.low), self.top.map_or(self.bins.bounds().1, f64::from_bits))
    }

    pub(crate) fn has_top(&self) -> bool {
        self.top.is_some()
    }

    /// The code of a value within the bounds.
    pub(crate) fn code(&self, value: f64) -> u32 {
        if self.top.is_some_and(|top| value >= f64::from_bits(top)) {
            return self.order.len();
        }
        match self.points.binary_search_by(|&point| f64::from_bits(point).total_cmp(&(value + 0.0))) {
            Ok(point) => self.order.point_codes[point],
            Err(_) => self.order.bin_code(self.bins.index(value.max(self.bins.bounds().0))),
        }
    }

    pub(crate) fn piece(&self, code: u32) -> Piece<f64> {
        match (self.top, self.order.piece(code)) {
            (Some(top), _) if code >= self.order.len() => Piece::Top(f64::from_bits(top)),
            (_, Ok(point)) => Piece::Point(f64::from_bits(self.points[point])),
            (_, Err(bin)) => Piece::Bin(bin),
        }
    }

    pub(crate) fn points(&self) -> impl Iterator<Item = f64> {
        self.points.iter().map(|&point| f64::from_bits(point))
    }

    /// Whether a value has its own code: a point, or the top code.
    pub(crate) fn is_point(&self, value: f64) -> bool {
        let key = real_key(value);
        self.top == Some(key) || self.points.contains(&key)
    }

    /// The value itself, or the next float above it that is not a point.
    pub(crate) fn skip_points(&self, mut value: f64) -> f64 {
        while self.is_point(value) {
            value = value.next_up();
        }
        value
    }
}

/// `count` + 1 edges from `low` > 0 to `high`, with a constant ratio between neighbours.
pub(crate) fn log_edges(low: f64, high: f64, count: u32) -> Vec<f64> {
    let edge = |index: u32| match index {
        0 => low,
        index if index == count => high,
        // By logarithms: `high / low` may overflow.
        index => (low.ln() + (high.ln() - low.ln()) * (f64::from(index) / f64::from(count))).exp(),
    };
    (0..=count).map(edge).collect()
}

/// Lower bounds of `count` logarithmic bins over `low ..= high`. No bin is empty; the range must
/// have at least `count` values.
#[expect(clippy::cast_possible_truncation, reason = "held between the neighbours")]
pub(crate) fn whole_log_bins(low: i64, high: i64, count: u32) -> Vec<i64> {
    let edges = log_edges(low as f64, high as f64 + 1.0, count);
    let mut lower: Vec<i64> = Vec::with_capacity(count as usize);
    for (edge, index) in edges.into_iter().take(count as usize).zip(0..) {
        // Leave at least one value for every later bin, and one for the bin before.
        let highest = high - i64::from(count - 1 - index);
        lower.push(lower.last().map_or(low, |last| (edge.round() as i64).max(last + 1)).min(highest));
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_before_the_bin_around_them() {
        let bins = WholeBins::Stepped { low: 0, high: 9, width: 5 };
        let amounts = WholeAmounts::new(bins, 0, vec![0, 7], Some(10)).unwrap();
        let codes: Vec<u32> = (0..=10).map(|value| amounts.code(value)).collect();
        assert_eq!(codes, [0, 1, 1, 1, 1, 3, 3, 2, 3, 3, 4]);
        assert_eq!(amounts.count(), 5);
        let pieces: Vec<Piece<i64>> = (0..5).map(|code| amounts.piece(code)).collect();
        assert_eq!(pieces, [Piece::Point(0), Piece::Bin(0), Piece::Point(7), Piece::Bin(1), Piece::Top(10)]);
    }

    #[test]
    fn a_bin_of_points_alone_is_dropped() {
        let bins = WholeBins::Stepped { low: 0, high: 5, width: 1 };
        let amounts = WholeAmounts::new(bins, 0, vec![0, 3, 4], None).unwrap();
        assert_eq!((0..=5).map(|value| amounts.code(value)).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        let pieces: Vec<Piece<i64>> = (0..6).map(|code| amounts.piece(code)).collect();
        let points = [Piece::Point(0), Piece::Bin(1), Piece::Bin(2), Piece::Point(3), Piece::Point(4), Piece::Bin(5)];
        assert_eq!(pieces, points);
        assert!(WholeAmounts::new(WholeBins::Equal { low: 0, high: 1, count: 1 }, 0, vec![0, 1], None).is_none());
    }

    #[test]
    fn log_bins_grow_and_none_is_empty() {
        assert_eq!(
            log_edges(1.0, 1000.0, 3)[0..=3].iter().map(|edge| edge.round()).collect::<Vec<_>>(),
            [1.0, 10.0, 100.0, 1000.0]
        );
        assert_eq!(whole_log_bins(1, 999, 3), [1, 10, 100]);
        assert_eq!(whole_log_bins(1, 5, 5), [1, 2, 3, 4, 5]);
        assert_eq!(whole_log_bins(1, 100, 10), [1, 2, 3, 4, 6, 10, 16, 25, 40, 64]);
        assert_eq!(whole_log_bins(i64::MAX - 2, i64::MAX, 3), [i64::MAX - 2, i64::MAX - 1, i64::MAX]);
    }
}
