//! What came of plans on the benchmark tables.
//!
//! For each method and each order, the measured error of nltcs, acs, adult and br2000 at epsilons from 0.1 to 3.2 (delta 1e-5; the files
//! `docs/reproduction/*-utility.csv`), set against the noise that the plan has for them. A method that measures more where there is more
//! budget leaves out the less the less noise there is, so its errors are a multiple of the noise. A method of a fixed shape leaves out as
//! much at any budget, so its errors are the noise and a constant. Ranges hold all of these tables and epsilons.

use self::Reference::{Beyond, Times};
use super::step::Extent;
use crate::method::Method;
use crate::privmrf;

/// How measured errors relate to planned noise, from the best to the worst.
#[derive(Debug, Clone, Copy)]
enum Reference {
    /// Noise times this.
    Times(f64, f64),
    /// Noise and this.
    Beyond(f64, f64),
}

/// Nobody measured it: noise is all that can be told.
const UNKNOWN: Reference = Times(1.0, 1.0);

/// For tables over one column, two, and so on. Where nobody measured single columns, they have the range of pairs.
fn references(method: &Method) -> [Reference; 5] {
    match method {
        Method::Independent => {
            [Times(0.7, 1.8), Beyond(0.023, 0.17), Beyond(0.048, 0.26), Beyond(0.092, 0.33), Beyond(0.14, 0.38)]
        }
        Method::Mst(_) => {
            [Times(0.7, 1.8), Beyond(0.011, 0.088), Beyond(0.024, 0.15), Beyond(0.041, 0.19), Beyond(0.07, 0.22)]
        }
        Method::Auto(_) | Method::PrivMrf(privmrf::Options::Best(_)) => {
            [Times(0.8, 2.3), Times(0.6, 1.5), Times(0.5, 1.3), Times(0.5, 1.5), Times(0.5, 1.7)]
        }
        Method::Aim(_) => [Times(1.0, 2.6), Times(1.3, 2.9), Times(1.4, 3.7), Times(1.2, 5.0), Times(1.4, 7.0)],
        Method::PrivMrf(privmrf::Options::Paper(_)) => {
            [Times(0.6, 3.5), Times(0.7, 2.0), Times(0.7, 2.3), Times(0.7, 2.7), Times(0.8, 3.1)]
        }
        Method::PrivBayes(_) => [Times(1.4, 5.7), Times(1.4, 5.7), Times(1.4, 5.3), Times(1.2, 4.9), Times(1.3, 4.7)],
        Method::PbPgm(_) => [Times(1.3, 4.2), Times(1.3, 4.2), Times(1.4, 5.0), Times(1.1, 5.4), Times(1.2, 6.0)],
        Method::PrivBayesNist(_) => {
            [Times(1.4, 4.1), Times(1.4, 4.1), Times(1.4, 3.5), Times(1.3, 3.3), Times(1.3, 3.2)]
        }
        Method::SmoothedHistogram(_) => [UNKNOWN; 5],
    }
}

/// What a plan with this noise came to, from the best to the worst of the benchmark tables.
pub(super) fn expected(method: &Method, columns: usize, noise: f64) -> Extent<f64> {
    let references = references(method);
    let (least, most) = match references[columns.clamp(1, references.len()) - 1] {
        Times(least, most) => (noise * least, noise * most),
        Beyond(least, most) => (noise + least, noise + most),
    };
    Extent { least: least.min(1.0), most: most.min(1.0) }
}
