//! The vault as its users see it: releases, their laws, certificates and ledgers.
//!
//! One program: every file of its own would compile the vault's generic code again.

mod audit;
mod cache;
mod certificate;
mod compare;
mod gdp_selections;
mod job;
mod ledger;
mod privacy_loss;
mod recode;
mod release_laws;
mod releases;
mod replay;
mod sampler;
mod selection;
mod smooth;
mod values;
mod zcdp;

// Shared with the programs of `benchmarks/`.
#[path = "../support/job.rs"]
mod one_job;
#[path = "../support/release_law.rs"]
mod release_law;
#[path = "../support/rows.rs"]
mod rows;
#[path = "../support/mod.rs"]
mod support;
