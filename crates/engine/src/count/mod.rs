//! Codes to exact counts.

pub(crate) mod aggregate;
pub mod kernel;
pub(crate) mod slices;
