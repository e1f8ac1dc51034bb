//! Scales of noise and `epsilon` of selections, as exact binary fractions.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

use dashu_int::UBig;
use dashu_int::ops::{BitTest, DivRem, SquareRootRem};
use serde::{Deserialize, Serialize};

use crate::error::VaultError;

/// Number of bits of the numerator. The relative error of rounding is at most 2^-47, and the
/// products of the samplers fit 128 bits.
const NUMERATOR_BITS: u32 = 48;

/// Quantity that a [`Dyadic`] measures.
pub trait Measured: fmt::Debug + Copy + Eq + std::hash::Hash + Send + Sync + 'static {
    /// Valid exponents of the denominator.
    const DENOMINATORS: RangeInclusive<u32>;
}

/// `σ` of Gaussian noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfGaussian {}
/// `b` of Laplace noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfLaplace {}
/// `epsilon` of an exponential mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfSelection {}

/// Exponents for scales from 2^-10 to below 2^40. Below that range, noise is zero in all but one
/// draw in e^1000. Above it, noise exceeds any real count, and sums of a few noisy counts would
/// overflow an `i64`.
const SCALES: RangeInclusive<u32> = 8..=57;

/// A [`Measured`] that is the scale of noise.
pub trait NoiseScale: Measured {}

impl Measured for OfGaussian {
    const DENOMINATORS: RangeInclusive<u32> = SCALES;
}
impl Measured for OfLaplace {
    const DENOMINATORS: RangeInclusive<u32> = SCALES;
}
impl NoiseScale for OfGaussian {}
impl NoiseScale for OfLaplace {}

impl Measured for OfSelection {
    /// Exponents for an `epsilon` from 2^-60, below which a selection is uniform, to below 2^20,
    /// above which it is the best candidate.
    const DENOMINATORS: RangeInclusive<u32> = 28..=107;
}

/// A positive number `p / 2^s` with `p` of 48 bits.
///
/// Costs are computed from this exact number, so a rounded scale causes no error of its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Dyadic<U: Measured> {
    numerator: u64,
    denominator_log2: u32,
    unit: PhantomData<fn() -> U>,
}

/// The scale of Gaussian noise, in units of the lattice: from 2^-10 to below 2^40.
pub type Sigma = Dyadic<OfGaussian>;
/// The scale of Laplace noise, in units of the lattice: from 2^-10 to below 2^40.
pub type LaplaceScale = Dyadic<OfLaplace>;
/// The `epsilon` of an exponential mechanism: from 2^-60 to below 2^20.
pub type SelectionEpsilon = Dyadic<OfSelection>;

/// Direction of rounding to a [`Dyadic`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Up,
    Down,
}

impl<U: Measured> Dyadic<U> {
    const SMALLEST: Self = Self::of(1 << (NUMERATOR_BITS - 1), *U::DENOMINATORS.end());
    const LARGEST: Self = Self::of((1 << NUMERATOR_BITS) - 1, *U::DENOMINATORS.start());

    const fn of(numerator: u64, denominator_log2: u32) -> Self {
        Self { numerator, denominator_log2, unit: PhantomData }
    }

    /// Returns the square root of `numerator / denominator`, rounded.
    ///
    /// # Errors
    /// If the root is outside the range.
    fn root(numerator: &UBig, denominator: &UBig, rounding: Rounding) -> Result<Self, OutOfRange> {
        let rounded = |s: u32| {
            let (quotient, remainder) = (numerator << (2 * s as usize)).div_rem(denominator);
            let (root, rest) = quotient.sqrt_rem();
            let exact = remainder.is_zero() && rest.is_zero();
            if exact || rounding == Rounding::Down { root } else { root + 1_u8 }
        };
        let enough = |s: u32| rounded(s).bit_len() >= NUMERATOR_BITS as usize;
        // Bisection for the first `s` at which the numerator has all its bits: they grow with `s`.
        let (mut too_small, mut large_enough) = (*U::DENOMINATORS.start() - 1, *U::DENOMINATORS.end());
        if !enough(large_enough) {
            return Err(OutOfRange::Below);
        }
        if enough(too_small) {
            return Err(OutOfRange::Above);
        }
        while too_small + 1 < large_enough {
            let middle = u32::midpoint(too_small, large_enough);
            if enough(middle) { large_enough = middle } else { too_small = middle }
        }
        let numerator = u64::try_from(rounded(large_enough)).expect("one more place adds at most one bit");
        Ok(Self::of(numerator, large_enough))
    }

    /// Returns `p` of `p / 2^s`.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// Returns `s` of `p / 2^s`.
    pub fn denominator_log2(self) -> u32 {
        self.denominator_log2
    }

    /// Returns the square, as numerator and denominator.
    pub(crate) fn squared(self) -> (UBig, UBig) {
        (UBig::from(self.numerator).pow(2), UBig::ONE << (2 * self.denominator_log2 as usize))
    }

    /// Converts to a float, exactly: 48 bits fit its mantissa.
    #[expect(clippy::cast_precision_loss, reason = "the numerator has 48 bits")]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 * 2_f64.powi(-i32::try_from(self.denominator_log2).expect("at most 107"))
    }
}

/// Side of the range on which a number lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutOfRange {
    Below,
    Above,
}

/// Returns the smallest scale whose square is not below `numerator / denominator`; `None` if the
/// scale is not below 2^40.
///
/// Rounded up: too much noise costs accuracy, too little costs privacy.
pub(crate) fn scale_of_square<U: NoiseScale>(numerator: &UBig, denominator: &UBig) -> Option<Dyadic<U>> {
    match Dyadic::root(numerator, denominator, Rounding::Up) {
        Ok(scale) => Some(scale),
        Err(OutOfRange::Below) => Some(Dyadic::SMALLEST),
        Err(OutOfRange::Above) => None,
    }
}

impl SelectionEpsilon {
    /// Returns the largest value that is not above `epsilon`; `None` if `epsilon` is not a number
    /// or below 2^-60.
    pub fn at_most(epsilon: f64) -> Option<Self> {
        if epsilon.is_nan() || epsilon <= 0.0 {
            return None;
        }
        // Digits below 2^-107 are never used, and numbers above 2^20 end at the largest value
        // anyway.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 < epsilon 2^107 <= 2^127")]
        let scaled = UBig::from((epsilon.min(2_f64.powi(20)) * 2_f64.powi(107)) as u128);
        Self::of_square(&scaled.pow(2), &(UBig::ONE << 214))
    }

    /// Returns the largest value whose square is not above `numerator / denominator`; `None` if the
    /// value is below 2^-60.
    ///
    /// Rounded down: a smaller `epsilon` costs accuracy, a larger one costs privacy.
    pub(crate) fn of_square(numerator: &UBig, denominator: &UBig) -> Option<Self> {
        match Self::root(numerator, denominator, Rounding::Down) {
            Ok(epsilon) => Some(epsilon),
            Err(OutOfRange::Below) => None,
            Err(OutOfRange::Above) => Some(Self::LARGEST),
        }
    }
}

impl<U: NoiseScale> Dyadic<U> {
    /// Returns the smallest scale that is not below `scale`; `None` if `scale` is not a number or
    /// not below 2^40.
    pub fn at_least(scale: f64) -> Option<Self> {
        // The bound keeps the integer below small, and is far above the largest scale.
        if !(scale >= 0.0 && scale <= 2_f64.powi(60)) {
            return None;
        }
        // Every float of at least 2^-10 is an integer over 2^62. Smaller ones end at the smallest
        // scale.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= scale 2^62 <= 2^122")]
        let scaled = UBig::from(libm::ceil(scale * 2_f64.powi(62)) as u128);
        scale_of_square(&scaled.pow(2), &(UBig::ONE << 124))
    }
}

impl<U: Measured> From<Dyadic<U>> for String {
    /// Writes the exact fraction, such as `"140737488355328/2^47"`.
    fn from(number: Dyadic<U>) -> Self {
        format!("{}/2^{}", number.numerator, number.denominator_log2)
    }
}

impl<U: Measured> TryFrom<String> for Dyadic<U> {
    type Error = VaultError;

    fn try_from(text: String) -> Result<Self, VaultError> {
        let parsed = text.split_once("/2^").and_then(|(numerator, denominator_log2)| {
            let (numerator, denominator_log2) = (numerator.parse::<u64>().ok()?, denominator_log2.parse().ok()?);
            // The numerator has exactly 48 bits, so that each number has one form.
            let normal = numerator.checked_ilog2() == Some(NUMERATOR_BITS - 1);
            (normal && U::DENOMINATORS.contains(&denominator_log2)).then(|| Self::of(numerator, denominator_log2))
        });
        parsed
            .ok_or(VaultError::Certificate { disagreement: "a scale is not written as `<48-bit integer>/2^<integer>`" })
    }
}

impl<U: Measured> fmt::Display for Dyadic<U> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_f64().fmt(formatter)
    }
}
