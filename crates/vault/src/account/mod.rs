//! Privacy accounting: sensitivities, costs, budgets, events, and the certificate that sums them.

mod accounting;
mod adjacency;
pub(crate) mod amount;
mod budget;
mod certificate;
mod event;
pub mod gdp;
mod invert;
mod logarithm;
mod mechanism;
pub mod pure;
mod scale;
pub mod sensitivity;
mod smoothing;
mod threshold;
mod unit;
mod weak;
pub mod zcdp;

pub use accounting::{Accounting, AccountingKind, Gdp, Pure, RowDrawing, Selecting, Thresholding, Zcdp};
pub use adjacency::{AddRemove, Adjacency, ReplaceOne};
pub use amount::{Amount, Cost, MuSquared, Rho};
pub(crate) use budget::Issuer;
pub use budget::{Budget, Share, Spendable};
pub use certificate::{Certificate, LedgerEntry, Noise};
pub(crate) use certificate::{sum_of_costs, sum_of_deltas};
pub use event::{Event, EventId, Question};
pub use mechanism::Mechanism;
pub use scale::{
    Dyadic, LaplaceScale, Measured, NoiseScale, OfGaussian, OfLaplace, OfSelection, SelectionEpsilon, Sigma,
};
pub use sensitivity::{RowUnits, ScoreUnits, Sensitivity, Unit};
pub use smoothing::Smoothing;
pub use threshold::{Threshold, ThresholdDelta};
pub use unit::{ApproxDp, Delta, Epsilon};
pub use weak::WeakTerm;
