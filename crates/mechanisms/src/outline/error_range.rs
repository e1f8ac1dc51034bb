//! How errors on the benchmark tables relate to the noise of plans.
//!
//! For each method and each order, the measured error of nltcs, acs, adult and br2000 at epsilons from 0.1 to 3.2 (delta 1e-5; the files
//! `docs/reproduction/*-utility.csv`), set against the noise that the plan has for them. A method that measures more where there is more
//! budget leaves out the less the less noise there is, so its errors are a multiple of the noise. A method of a fixed shape leaves out as
//! much at any budget, so its errors are the noise and a constant. Ranges hold all of these tables and epsilons; each method has its own, and
//! where single columns were not measured they have the range of pairs.

use super::step::Extent;

/// How measured errors relate to planned noise, from the best to the worst.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ErrorRange {
    /// Noise times this.
    Times(f64, f64),
    /// Noise and this.
    Beyond(f64, f64),
}

impl ErrorRange {
    /// Of what was not measured: noise is all that is known.
    pub(crate) const UNKNOWN: Self = Self::Times(1.0, 1.0);

    /// The error of a plan with this noise, from the best to the worst of the benchmark tables.
    pub(crate) fn error(self, noise: f64) -> Extent<f64> {
        let (least, most) = match self {
            Self::Times(least, most) => (noise * least, noise * most),
            Self::Beyond(least, most) => (noise + least, noise + most),
        };
        Extent { least: least.min(1.0), most: most.min(1.0) }
    }
}
