#![doc = include_str!("marginals.md")]
//!
//! [`Model`]: crate::Model
//! [`Model::marginals`]: crate::Model::marginals
//! [`Origin`]: crate::Origin

pub(crate) mod error;
mod estimate;
mod export;
mod file;
pub(crate) mod statement;
pub(crate) mod tables;

pub use error::MarginalsError;
pub use estimate::fit;
pub use export::Exported;
pub use statement::{Loss, Statement};
pub use tables::{Marginal, Marginals, NoiseKind};
