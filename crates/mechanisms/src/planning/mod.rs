//! Plans of fits: outlines of their releases, forecasts, and error bounds.

pub mod forecast;
pub(crate) mod outline;
pub mod theory;
