//! Reads values into codes, and writes codes as values.

pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod missing;
pub(crate) mod number_text;
mod select;
mod steps;
pub(crate) mod text;
pub(crate) mod text_form;
pub(crate) mod zone;
