//! How values of a number, date, datetime or time column are divided among codes, and how they are
//! drawn.

use std::cmp::Ordering;

use rand::{Rng, RngExt};

use crate::bins::amounts::{Piece, RealAmounts, WholeAmounts};
use crate::bins::calendar::Keep;
use crate::bins::step::Step;
use crate::bins::{RealBins, WholeBins};
use crate::values::encode::{Lookup, WholeLine, real_key};
use crate::values::missing::MissingTexts;
use crate::values::text;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// Codes over whole numbers, days or instants.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum WholeCut {
    Bins(WholeBins),
    Categories(Lookup<i64>),
    /// Days: one code for every kept part of every bin.
    Kept(WholeBins, Keep),
    Amounts(WholeAmounts),
}

/// Codes over real numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RealCut {
    Bins(RealBins),
    /// Keyed by [`real_key`].
    Categories(Lookup<u64>),
    Amounts(RealAmounts),
}

/// The values of a code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Held<T> {
    /// One declared value.
    Value(T),
    /// A value and all above it.
    AndAbove(T),
    /// A bin: its first and last whole number, or its edges for real numbers.
    Bin(T, T),
    /// The days of a bin that belong to one part: a weekday or a month.
    Kept(T, T, Keep, u32),
}

impl WholeCut {
    /// Number of codes, before any limit is applied.
    pub(crate) fn count(&self) -> u128 {
        match self {
            Self::Bins(bins) => bins.count(),
            Self::Categories(categories) => categories.len() as u128,
            Self::Kept(bins, keep) => bins.count() * u128::from(keep.count()),
            Self::Amounts(amounts) => amounts.count().into(),
        }
    }

    /// The least and the greatest value; `None` for categories.
    pub(crate) fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            Self::Bins(bins) | Self::Kept(bins, _) => Some(bins.bounds()),
            Self::Amounts(amounts) => Some(amounts.bounds()),
            Self::Categories(_) => None,
        }
    }

    /// Whether values above the greatest one have a top code.
    pub(crate) fn has_top(&self) -> bool {
        matches!(self, Self::Amounts(amounts) if amounts.has_top())
    }

    /// The code of a value within the bounds, or of a category.
    pub(crate) fn code(&self, value: i64) -> Option<u32> {
        Some(match self {
            Self::Bins(bins) => bins.index(value),
            Self::Kept(bins, keep) => bins.index(value) * keep.count() + keep.part(value),
            Self::Amounts(amounts) => amounts.code(value),
            Self::Categories(categories) => return categories.get(&value),
        })
    }

    /// The code of a declared value; `None` if it is out of bounds or not a category.
    pub(crate) fn declared_code(&self, value: i64) -> Option<u32> {
        let is_within = self.bounds().is_none_or(|(low, high)| (low..=high).contains(&value));
        is_within.then(|| self.code(value)).flatten()
    }

    pub(crate) fn held(&self, code: u32) -> Held<i64> {
        let bin = |bins: &WholeBins, index: u32| {
            let (first, last) = bins.members(index);
            Held::Bin(first, last)
        };
        match self {
            Self::Bins(bins) => bin(bins, code),
            Self::Categories(categories) => Held::Value(*categories.by_code()[code as usize]),
            Self::Kept(bins, keep) => {
                let (first, last) = bins.members(code / keep.count());
                Held::Kept(first, last, *keep, code % keep.count())
            }
            Self::Amounts(amounts) => match amounts.piece(code) {
                Piece::Point(value) => Held::Value(value),
                Piece::Top(value) => Held::AndAbove(value),
                Piece::Bin(index) => bin(&amounts.bins, index),
            },
        }
    }
}

impl RealCut {
    /// Number of codes.
    pub(crate) fn count(&self) -> u128 {
        match self {
            Self::Bins(bins) => bins.count().into(),
            Self::Categories(categories) => categories.len() as u128,
            Self::Amounts(amounts) => amounts.count().into(),
        }
    }

    /// The least and the greatest value; `None` for categories.
    pub(crate) fn bounds(&self) -> Option<(f64, f64)> {
        match self {
            Self::Bins(bins) => Some(bins.bounds()),
            Self::Amounts(amounts) => Some(amounts.bounds()),
            Self::Categories(_) => None,
        }
    }

    /// Whether values above the greatest one have a top code.
    pub(crate) fn has_top(&self) -> bool {
        matches!(self, Self::Amounts(amounts) if amounts.has_top())
    }

    /// The code of a value within the bounds, or of a category.
    pub(crate) fn code(&self, value: f64) -> Option<u32> {
        Some(match self {
            Self::Bins(bins) => bins.index(value),
            Self::Amounts(amounts) => amounts.code(value),
            Self::Categories(categories) => return categories.get(&real_key(value)),
        })
    }

    /// The code of a declared value; `None` if it is out of bounds or not a category.
    pub(crate) fn declared_code(&self, value: f64) -> Option<u32> {
        let is_within = self.bounds().is_none_or(|(low, high)| (low..=high).contains(&value));
        is_within.then(|| self.code(value)).flatten()
    }

    pub(crate) fn held(&self, code: u32) -> Held<f64> {
        let bin = |bins: &RealBins, index: u32| {
            let (from, to) = bins.interval(index);
            Held::Bin(from, to)
        };
        match self {
            Self::Bins(bins) => bin(bins, code),
            Self::Categories(categories) => Held::Value(f64::from_bits(*categories.by_code()[code as usize])),
            Self::Amounts(amounts) => match amounts.piece(code) {
                Piece::Point(value) => Held::Value(value),
                Piece::Top(value) => Held::AndAbove(value),
                Piece::Bin(index) => bin(&amounts.bins, index),
            },
        }
    }

    /// Whether a value among the bins has its own code.
    pub(crate) fn is_point(&self, value: f64) -> bool {
        matches!(self, Self::Amounts(amounts) if amounts.is_point(value))
    }
}

/// Draws values of codes.
pub(crate) trait Draw<T> {
    /// The least and the greatest value that can be drawn for a code.
    fn ends(&self, code: u32) -> (T, T);

    /// Draws a value of the code's bin uniformly from `low` to `high`, which must overlap the bin.
    fn draw_within(&self, code: u32, low: T, high: T, rng: &mut impl Rng) -> T;

    /// Draws a value uniformly from the code's bin.
    fn draw(&self, code: u32, rng: &mut impl Rng) -> T {
        let (low, high) = self.ends(code);
        self.draw_within(code, low, high, rng)
    }
}

/// Draws real numbers.
#[derive(Debug)]
pub(crate) struct RealDraw {
    cut: RealCut,
    /// Numbers that mean a missing value, as their [`real_key`].
    missing: Box<[u64]>,
    /// For every code, the power of ten whose inverse divides its values.
    scales: Box<[f64]>,
    /// The declared step of values drawn from bins.
    step: Option<Step>,
}

impl RealDraw {
    /// Draws from `cut`, never a number that means a missing value.
    pub(crate) fn new(cut: &RealCut, codes: u32, missing: &MissingTexts, step: Option<Step>) -> Self {
        let missing = missing.reals().map(real_key).collect();
        let mut draw = Self { cut: cut.clone(), missing, scales: Box::default(), step };
        draw.scales = (0..codes).map(|code| draw.ends(code)).map(|(low, high)| scale(high - low)).collect();
        draw
    }

    /// Whether the value is neither a point nor a missing value.
    fn is_ordinary(&self, value: f64) -> bool {
        !self.cut.is_point(value) && !self.missing.contains(&real_key(value))
    }
}

impl Draw<f64> for RealDraw {
    fn ends(&self, code: u32) -> (f64, f64) {
        match self.cut.held(code) {
            Held::Value(value) | Held::AndAbove(value) => (value, value),
            // The upper edge belongs to the next bin.
            Held::Bin(low, high) | Held::Kept(low, high, ..) => {
                (if self.cut.is_point(low) { low.next_up() } else { low }, high.next_down())
            }
        }
    }

    fn draw_within(&self, code: u32, low: f64, high: f64, rng: &mut impl Rng) -> f64 {
        // Rounding may exceed `high`.
        let value = (low + (high - low) * rng.random::<f64>()).min(high);
        let is_drawn = |short: &f64| low <= *short && *short <= high && self.is_ordinary(*short);
        let scale = self.scales[code as usize];
        let short = (value * scale).floor() / scale;
        let on_step = self.step.and_then(|step| step.around(value).into_iter().find(is_drawn));
        if let Some(short) = on_step.or(Some(short).filter(is_drawn)) {
            return short;
        }
        match &self.cut {
            RealCut::Amounts(amounts) => amounts.skip_points(value).min(high),
            _ => value,
        }
    }
}

/// The smallest power of ten, at least one, whose inverse divides a bin of this width into a
/// thousand values or more. Further digits would carry no information.
fn scale(width: f64) -> f64 {
    let digits = (3.0 - width.log10().floor()).clamp(0.0, 15.0);
    10_f64.powf(digits)
}

/// Draws whole numbers, days or instants.
#[derive(Debug)]
pub(crate) struct WholeDraw {
    cut: WholeCut,
    /// Categories in code order, looked up once per column and not once per row.
    categories: Box<[i64]>,
    /// Values that are never drawn from a bin, ascending: points, and numbers that mean a missing
    /// value.
    excluded: Box<[i64]>,
    /// The declared step of values drawn from bins; 1 by default.
    step: i64,
    /// The excluded multiples of the step, divided by it.
    excluded_steps: Box<[i64]>,
    /// Whether values are instants, in microseconds.
    are_instants: bool,
}

impl WholeDraw {
    /// Draws from `cut`, never a number that means a missing value.
    pub(crate) fn new(line: &WholeLine, cut: &WholeCut, missing: &MissingTexts, step: Option<Step>) -> Self {
        let categories = match cut {
            WholeCut::Categories(categories) => categories.by_code().into_iter().copied().collect(),
            _ => Box::default(),
        };
        // The text of a missing value can be a number, but not a day or an instant.
        let is_number = matches!(line, WholeLine::Integer | WholeLine::Year);
        let missing = missing.reals().filter(|_| is_number);
        let missing = missing.filter_map(|real| i64::try_from(text::whole_of_real(real)?).ok());
        let points = if let WholeCut::Amounts(amounts) = cut { amounts.points() } else { &[] };
        let mut excluded: Vec<i64> = missing.chain(points.iter().copied()).collect();
        excluded.sort_unstable();
        excluded.dedup();
        let are_instants = matches!(line, WholeLine::Datetime(..));
        let step = match line {
            WholeLine::Time(format) => format.clock_step(),
            _ => step.and_then(Step::whole).unwrap_or(1),
        };
        let excluded_steps = excluded.iter().filter(|value| *value % step == 0).map(|value| value / step).collect();
        Self { cut: cut.clone(), categories, excluded: excluded.into(), step, excluded_steps, are_instants }
    }

    /// Draws a multiple of the step from `low` to `high` that is not excluded, or any whole number
    /// if there is none.
    fn uniform_step(&self, low: i64, high: i64, rng: &mut impl Rng) -> i64 {
        let (first, last) = self.steps(low, high);
        if first > last {
            return uniform_except(low, high, &self.excluded, rng);
        }
        uniform_except(first, last, &self.excluded_steps, rng) * self.step
    }

    /// The first and the last multiple of the step from `low` to `high`, divided by it. The first
    /// is above the last if there is none.
    fn steps(&self, low: i64, high: i64) -> (i64, i64) {
        (low.div_euclid(self.step) + i64::from(low.rem_euclid(self.step) != 0), high.div_euclid(self.step))
    }

    fn held(&self, code: u32) -> Held<i64> {
        match self.cut {
            WholeCut::Categories(_) => Held::Value(self.categories[code as usize]),
            _ => self.cut.held(code),
        }
    }
}

impl Draw<i64> for WholeDraw {
    fn ends(&self, code: u32) -> (i64, i64) {
        match self.held(code) {
            Held::Value(value) | Held::AndAbove(value) => (value, value),
            Held::Bin(first, last) => {
                let (low, high) = self.steps(first, last);
                let is_drawn = |steps: &i64| self.excluded_steps.binary_search(steps).is_err();
                let ends = (low..=high).find(is_drawn).zip((low..=high).rev().find(is_drawn));
                ends.map_or((first, last), |(low, high)| (low * self.step, high * self.step))
            }
            Held::Kept(first, last, keep, part) => keep.ends(first, last, part).unwrap_or((first, last)),
        }
    }

    fn draw_within(&self, code: u32, low: i64, high: i64, rng: &mut impl Rng) -> i64 {
        let (value, width) = match self.held(code) {
            Held::Value(value) | Held::AndAbove(value) => return value,
            Held::Bin(first, last) => (self.uniform_step(low, high, rng), last - first),
            // The first or last bin may lack a part, but noise can still give it a positive count.
            Held::Kept(first, last, keep, part) => {
                (keep.draw(low, high, part, rng).unwrap_or_else(|| uniform(low, high, rng)), last - first)
            }
        };
        // In bins much wider than a second, fractions of a second carry no information.
        let second = value.div_euclid(MICROS_PER_SECOND) * MICROS_PER_SECOND;
        let is_short = self.are_instants && width >= 1000 * MICROS_PER_SECOND && second >= low;
        if is_short { second } else { value }
    }
}

/// Draws uniformly from `first ..= last`.
fn uniform(first: i64, last: i64, rng: &mut impl Rng) -> i64 {
    if first == last { first } else { rng.random_range(first..=last) }
}

/// Draws uniformly from `first ..= last` without `excluded`, which is ascending; from the whole
/// range if all of it is excluded.
fn uniform_except(first: i64, last: i64, excluded: &[i64], rng: &mut impl Rng) -> i64 {
    let from = excluded.partition_point(|&value| value < first);
    let within = &excluded[from..from + excluded[from..].partition_point(|&value| value <= last)];
    let left = u128::from(last.abs_diff(first)) + 1;
    match (within.len() as u128).cmp(&left) {
        Ordering::Less if !within.is_empty() => {}
        _ => return uniform(first, last, rng),
    }
    let shorter = last - i64::try_from(within.len()).expect("no longer than the bin");
    // The n-th value that is left: shifted by one for each excluded value at or before it.
    within.iter().fold(uniform(first, shorter, rng), |value, &gone| if gone <= value { value + 1 } else { value })
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    use super::*;
    use crate::bins::edges::Edges;

    #[test]
    fn excluded_values_are_never_drawn_and_all_others_are() {
        let mut rng = SmallRng::seed_from_u64(3);
        let mut drawn = [0; 10];
        for _ in 0..1000 {
            drawn[usize::try_from(uniform_except(2, 8, &[0, 2, 3, 6, 9], &mut rng)).unwrap()] += 1;
        }
        for (value, &times) in drawn.iter().enumerate() {
            // Each of four: a hundred fewer than expected is eight standard deviations.
            assert_eq!(times > 150, [4, 5, 7, 8].contains(&value), "{value}: {times}");
        }
        assert!((4..=5).contains(&uniform_except(4, 5, &[4, 5], &mut rng)));
    }

    #[test]
    fn values_of_bins_are_multiples_of_the_step() {
        let missing = MissingTexts::new(&[], |_| 0);
        let step = |step: f64| Step::of(&crate::FieldTerms { step: Some(step), ..crate::FieldTerms::default() });
        let mut rng = SmallRng::seed_from_u64(7);
        let cut = RealCut::Bins(RealBins::Edges(Edges::new(&[-3.0, 0.2, 10.0])));
        let draw = RealDraw::new(&cut, 2, &missing, step(0.5));
        for code in (0..2).cycle().take(1000) {
            let (value, (low, high)) = (draw.draw(code, &mut rng), draw.ends(code));
            assert!((value * 2.0).fract() == 0.0 && low <= value && value <= high, "{value}");
        }
        let amounts = WholeAmounts::new(WholeBins::Equal { low: -250, high: 1000, count: 3 }, -250, vec![0], None);
        let cut = WholeCut::Amounts(amounts.unwrap());
        let draw = WholeDraw::new(&WholeLine::Integer, &cut, &missing, step(100.0));
        let drawn: Vec<i64> = (0..4).cycle().take(1000).map(|code| draw.draw(code, &mut rng)).collect();
        assert!(drawn.iter().all(|value| value % 100 == 0));
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&-200), Some(&1000)));
    }

    #[test]
    fn drawn_numbers_have_no_more_digits_than_the_bin_width_needs() {
        for (width, expected) in [(5.0, 1e3), (0.02, 1e5), (999.0, 10.0), (1000.0, 1.0), (1e9, 1.0), (0.0, 1e15)] {
            assert!((scale(width) / expected - 1.0).abs() < 1e-9, "{width}: {}", scale(width));
        }
        let missing = MissingTexts::new(&[], |_| 0);
        let cut = RealCut::Bins(RealBins::Edges(Edges::new(&[70.0, 70.123_456, 75.0])));
        let (draw, mut rng) = (RealDraw::new(&cut, 2, &missing, None), SmallRng::seed_from_u64(5));
        for code in (0..2).cycle().take(10_000) {
            let (low, high) = draw.ends(code);
            let value = draw.draw(code, &mut rng);
            assert!(low <= value && value <= high, "{value} is not from {low} to {high}");
            // Values below the first rounded number of a bin keep their digits.
            let (digits, first) = if code == 0 { (4, low) } else { (3, 70.124) };
            assert!(value < first || value.to_string().len() <= 3 + digits, "{value}");
        }
    }
}
