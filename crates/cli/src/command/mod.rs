//! One file per verb.

pub(crate) mod demo;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod ledger;
pub(crate) mod marginals;
pub(crate) mod sample;
pub(crate) mod schema;
pub(crate) mod synth;
