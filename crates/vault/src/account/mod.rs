//! What privacy costs: units, budgets, events, and the certificate that adds them up.

mod adjacency;
mod budget;
mod certificate;
mod event;
pub mod gdp;
mod sigma;
mod unit;

pub use adjacency::{AddRemove, Adjacency, ReplaceOne};
pub(crate) use budget::Issuer;
pub use budget::{Accounting, Budget, Gdp, Share};
pub use certificate::{Certificate, Noise};
pub use event::{Event, EventId, EventKind};
pub use sigma::Sigma;
pub use unit::{ApproxDp, Delta, Epsilon, MuSquared, Sensitivity};
