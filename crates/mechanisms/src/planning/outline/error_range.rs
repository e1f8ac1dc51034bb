//! Relation between errors on the benchmark tables and the noise of plans.
//!
//! For each method and each number of columns, the ranges come from the measured errors of nltcs,
//! acs, adult and br2000 at epsilons from 0.1 to 3.2 (delta 1e-5; the files
//! `docs/reproduction/*-utility.csv`) and the planned noise. A method that measures more tables
//! where there is more budget has errors that are a multiple of the noise. A method of a fixed
//! shape leaves the same relations out at any budget, so its errors are the noise plus a constant.
//! Where single columns were not measured, they have the range of pairs.

use super::step::Extent;

/// Range of measured errors relative to planned noise, over the benchmark tables.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ErrorRange {
    /// The noise times a factor.
    Times(f64, f64),
    /// The noise plus a constant.
    Beyond(f64, f64),
}

impl ErrorRange {
    /// Range where errors were not measured: the noise alone.
    pub(crate) const UNKNOWN: Self = Self::Times(1.0, 1.0);

    /// Returns the expected error of a plan with this noise.
    pub(crate) fn error(self, noise: f64) -> Extent<f64> {
        let (least, most) = match self {
            Self::Times(least, most) => (noise * least, noise * most),
            Self::Beyond(least, most) => (noise + least, noise + most),
        };
        Extent { least: least.min(1.0), most: most.min(1.0) }
    }
}
