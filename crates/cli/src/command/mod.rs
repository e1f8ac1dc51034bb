//! The commands, one file per verb.

pub(crate) mod audit;
pub(crate) mod bundle;
pub(crate) mod checks;
#[cfg(feature = "cluster")]
pub(crate) mod cluster;
mod columns;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod fit;
pub(crate) mod foreign;
pub(crate) mod header;
pub(crate) mod inspect;
pub(crate) mod ledger;
pub(crate) mod marginals;
pub(crate) mod plan;
pub(crate) mod private_evaluation;
pub(crate) mod release;
pub(crate) mod report;
pub(crate) mod sample;
pub(crate) mod schema;
pub(crate) mod schema_learn;
pub(crate) mod schema_new;
pub(crate) mod shell;
pub(crate) mod synth;
