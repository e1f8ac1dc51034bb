//! The scale of Gaussian noise, as an exact binary fraction.

use std::fmt;

use dashu_int::UBig;
use dashu_int::ops::{BitTest, DivRem, SquareRootRem};
use serde::{Deserialize, Serialize};

use super::{MuSquared, Sensitivity};
use crate::error::VaultError;

/// The bits of the numerator. Rounding up wastes at most 2^-47 of the scale, and the sampler's products fit 128 bits.
const NUMERATOR_BITS: u32 = 48;
/// `σ >= 2^-10`: below, noise is zero but for one draw in 2^180,000, and a smaller scale would give nothing more.
const MOST_DENOMINATOR_LOG2: u32 = 57;
/// `σ < 2^40`: above, a noisy count tells nothing about any table on earth and sums of a few would leave an `i64`.
const LEAST_DENOMINATOR_LOG2: u32 = 8;

/// The scale of Gaussian noise in rows: `p / 2^s`, exactly, from 2^-10 to below 2^40.
///
/// The certificate is computed from this very number, so a rounded scale is no approximation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Sigma {
    numerator: u64,
    denominator_log2: u32,
}

impl Sigma {
    /// The smallest scale.
    const SMALLEST: Self = Self { numerator: 1 << (NUMERATOR_BITS - 1), denominator_log2: MOST_DENOMINATOR_LOG2 };

    /// The smallest scale with which a release of this sensitivity costs at most `budget`; `None` if it is not below 2^40.
    pub fn for_budget(sensitivity: Sensitivity, budget: MuSquared) -> Option<Self> {
        if budget == MuSquared::ZERO {
            return None;
        }
        // σ² = Δ² / mu², as the fraction Δ² 2^96 / quanta.
        Self::root_of(&(UBig::from(sensitivity.squared()) << MuSquared::FRACTION_BITS), &UBig::from(budget.quanta()))
    }

    /// The smallest scale that is not below `sigma`; `None` if that is not a number or not below 2^40.
    pub fn at_least(sigma: f64) -> Option<Self> {
        // The bound keeps the integer below small and is far above what `root_of` takes.
        if !(sigma >= 0.0 && sigma <= 2_f64.powi(60)) {
            return None;
        }
        // Every float of at least 2^-10 is an integer over 2^62; smaller ones end at the smallest scale anyway.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= sigma 2^62 <= 2^122")]
        let scaled = UBig::from(libm::ceil(sigma * 2_f64.powi(62)) as u128);
        Self::root_of(&scaled.pow(2), &(UBig::ONE << 124))
    }

    /// The smallest scale whose square is not below `numerator / denominator`.
    fn root_of(numerator: &UBig, denominator: &UBig) -> Option<Self> {
        // `p = ceil(sqrt(σ² 4^s))` is rounded up: too much noise costs accuracy, too little costs privacy.
        let rounded_up = |s: u32| {
            let (quotient, remainder) = (numerator << (2 * s as usize)).div_rem(denominator);
            let (root, rest) = quotient.sqrt_rem();
            if remainder.is_zero() && rest.is_zero() { root } else { root + 1_u8 }
        };
        let enough = |s: u32| rounded_up(s).bit_len() >= NUMERATOR_BITS as usize;
        // The first `s` that gives the numerator all its bits, by bisection: more binary places, more bits.
        if !enough(MOST_DENOMINATOR_LOG2) {
            return Some(Self::SMALLEST);
        }
        let (mut too_small, mut large_enough) = (0, MOST_DENOMINATOR_LOG2);
        while too_small + 1 < large_enough {
            let middle = u32::midpoint(too_small, large_enough);
            if enough(middle) { large_enough = middle } else { too_small = middle }
        }
        let numerator = u64::try_from(rounded_up(large_enough)).ok()?;
        Self::checked(numerator, large_enough)
    }

    /// A scale within the limits, or none. One number, one form: the numerator has exactly 48 bits.
    fn checked(numerator: u64, denominator_log2: u32) -> Option<Self> {
        let normal = numerator.checked_ilog2() == Some(NUMERATOR_BITS - 1);
        let in_range = (LEAST_DENOMINATOR_LOG2..=MOST_DENOMINATOR_LOG2).contains(&denominator_log2);
        (normal && in_range).then_some(Self { numerator, denominator_log2 })
    }

    /// `p` of `p / 2^s`.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// `s` of `p / 2^s`.
    pub fn denominator_log2(self) -> u32 {
        self.denominator_log2
    }

    /// The number. Exact: 48 bits fit a float.
    #[expect(clippy::cast_precision_loss, reason = "the numerator has 48 bits")]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / (1_u64 << self.denominator_log2) as f64
    }
}

impl From<Sigma> for String {
    /// Exact, whatever reads it: `"140737488355328/2^47"`.
    fn from(sigma: Sigma) -> Self {
        format!("{}/2^{}", sigma.numerator, sigma.denominator_log2)
    }
}

impl TryFrom<String> for Sigma {
    type Error = VaultError;

    fn try_from(text: String) -> Result<Self, VaultError> {
        let parsed = text.split_once("/2^").and_then(|(numerator, denominator_log2)| {
            Self::checked(numerator.parse().ok()?, denominator_log2.parse().ok()?)
        });
        parsed
            .ok_or(VaultError::Certificate { disagreement: "a scale is not written as `<48-bit integer>/2^<8 to 57>`" })
    }
}

impl fmt::Display for Sigma {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_f64().fmt(formatter)
    }
}
