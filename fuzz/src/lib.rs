//! Bodies of the fuzz targets: what is done with bytes of a stranger, and what must hold for it.
//!
//! Each target is a function of bytes that panics if a property fails. The programs in
//! `fuzz_targets/` give them to libFuzzer, and the test in `tests/` runs them on the seeds and on
//! every input that once failed, without libFuzzer. `README.md` says how to run both.
//!
//! A target may do more than its parser to reach it: it computes checksums and seals that a
//! stranger could compute as well, so that the search is not stopped by them.
//!
//! # Privacy
//! The targets count rows exactly. All of these rows are made up by the fuzzer.

mod arrow;
mod bundle;
mod certificate;
mod conditions;
mod csv;
mod ledger;
mod marginals;
mod message;
mod model;
mod model_text;
mod panics;
mod parquet;
mod postgres;
mod postgres_server;
mod rows;
mod schema;
mod seeds;

pub use arrow::arrow;
pub use bundle::bundle;
pub use certificate::certificate;
pub use conditions::conditions;
pub use csv::csv;
pub use ledger::{ledger, sealed_ledger};
pub use marginals::marginals;
pub use model::model;
pub use model_text::{file_of_text, text_of_file};
pub use panics::abort_on_our_panics;
pub use parquet::parquet;
pub use postgres::postgres;
pub use postgres_server::sound_answers;
pub use schema::schema;
pub use seeds::{FINDINGS, SEEDS, folder};

/// A fuzz target: panics if a property fails.
pub type Target = fn(&[u8]);

/// All targets by name. The program of each is `fuzz_` and its name.
pub const TARGETS: [(&str, Target); 11] = [
    ("arrow", arrow),
    ("bundle", bundle),
    ("certificate", certificate),
    ("conditions", conditions),
    ("csv", csv),
    ("ledger", ledger),
    ("marginals", marginals),
    ("model", model),
    ("parquet", parquet),
    ("postgres", postgres),
    ("schema", schema),
];
