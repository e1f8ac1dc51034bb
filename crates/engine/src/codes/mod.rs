//! Values to codes, and codes to other codes.

pub(crate) mod code_column;
pub(crate) mod encode;
pub(crate) mod recode;
pub(crate) mod udf;
