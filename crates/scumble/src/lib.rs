//! Differentially private synthetic tables.
//!
//! Scumble turns a sensitive table into a synthetic one that may be published. Everything that it
//! releases is either declared public by the owner of the table or charged to a privacy budget, and
//! a certificate states the total.
//!
//! ```
//! use scumble::{ApproxDp, Delta, Draw, Epsilon, Fit, Input, Schema, demo};
//!
//! // A made-up survey. A table of yours is `Input::new("people.parquet")`, or batches.
//! let people = demo::people(1_000, 1);
//! let table = Input::of_batches(people.arrow_schema().clone(), people.collect());
//! // Its public facts, usually from a file: `Schema::read("people.schema.yaml".as_ref())`.
//! let schema = Schema::parse("
//! fields:
//!   - name: sex
//!     type: string
//!     constraints: {enum: [female, male, other]}
//!     dp: {source: public}
//!   - name: age
//!     type: integer
//!     constraints: {minimum: 0, maximum: 85}
//!     dp: {source: public, bins: {width: 10}}
//! ")?;
//!
//! // The only step that reads rows, and the only one that spends budget.
//! let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
//! let model = Fit::new(&schema, goal).run(&[table])?;
//! println!("{}", scumble::report::guarantee(&model));
//!
//! // Any number of rows, any number of times. `write` writes them to a file.
//! for batch in Draw::from(&model).rows(500).collect()? {
//!     assert_eq!(batch.num_columns(), 2);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | task | item |
//! |---|---|
//! | declare what is public about a table | [`Schema`] |
//! | predict error and cost of a fit, before any row is read | [`report::FitPlan`] |
//! | learn a schema from rows, or leave its columns to the fit | [`undeclared`], [`Fit::reserve_learning`], [`Fit::undeclared`] |
//! | fit a model, within a cap on all fits of a table | [`Fit`], [`Ledger`], [`create_ledger`] |
//! | draw rows, all or selected ones, into a file or as Arrow batches | [`Draw`] |
//! | save a model, and state its guarantee | [`Model::write`], [`report::guarantee`], [`report::Summary`] |
//! | release the quality of rows, and judge it by criteria | [`Fit::check_rows`], [`RowCheck`], [`read_criteria`] |
//! | publish a release, or verify one | [`bundle::create`], [`bundle::verify()`] |
//! | fit to noisy tables that another party released | [`fit_marginals`] |
//! | count on a cluster | `cluster::Cluster`, as the `remote` of [`ReadOptions`] |
//! | try it | [`demo`], and the programs in `examples/` of the repository |
//!
//! Functions return when the work is done. An [`Error`] has a [`Fault`] and a hint, and contains
//! nothing of the rows.
//!
//! # Features
//!
//! By default, the crate reads files and tables in memory. These cargo features add to it:
//!
//! | feature | adds |
//! |---|---|
//! | `postgres` | tables of PostgreSQL as inputs |
//! | `adbc` | tables of databases with an ADBC driver as inputs |
//! | `object-store` | Parquet files in the object stores of Amazon, Google and Microsoft as inputs |
//! | `cluster` | counting and sampling on a cluster of Ballista, and its servers; `object-store` with it |
//!
//! # Architecture
//!
//! The work is divided into crates, called rooms. Each has access only to the data that it needs.
//!
//! ```text
//!  public facts      exact counts      counts and noise    no private data from here on
//!  schema ─────────▶ engine ─────────▶ vault ──Released──▶ mechanisms ◀──▶ pgm
//!  domains, codes,   DataFusion scan,  budget, noise,      one file        distributions,
//!  bins              exact counting    scores, ledger      per method      sampling
//!                                                             │
//!               certificate, pages, charts   report ◀─────────┴─────────▶ schema::decode   rows
//! ```
//!
//! | room | holds | sees rows | random |
//! |---|---|---|---|
//! | [`schema`] | attributes, domains, cliques, the order of cells, bins, encoding and decoding rules, the schema file | no | no |
//! | [`engine`] | files in and out, total encoding in the scan, exact counts | yes | no |
//! | `cluster` | the same plans on Ballista: scheduler, executors, and the client that asks them | yes | no |
//! | [`vault`] | `Private`, `Budget`, events, scores, exact noise, `Released`, the certificate, the ledger | counts | yes |
//! | [`pgm`] | distributions fitted to released numbers, rows sampled from them | no | seeds |
//! | [`mechanisms`] | one file per method, noisy tables of other parties, the model file | no | through the vault |
//! | [`report`] | models, certificates, plans and ledgers in words and pictures | no | no |
//! | `scumble-evaluate` | quality against the real rows, stamped NOT DIFFERENTIALLY PRIVATE; only programs use it | yes | seeds |
//! | `scumble-audit` | attacks on methods, programs and releases; only programs use it | yes | noise of the vault, seeds |
//! | `scumble-planted` | bugs that tests plant to show that they detect them; none in a release build | no | no |
//! | `scumble-cancel` | cooperative cancellation of long computations | no | no |
//! | `scumble-cli`, `scumble-python` | the program, and the Python package, which contains the program | through the others | no |
//! | `scumble-testing` | the replay battery that every method passes; only tests use it | made-up ones | seeds |
//! | `scumble-examples` | programs to read | made-up ones | seeds |
//! | `scumble-benchmarks` | programs that measure what the documentation claims | public and made-up ones | seeds |
//! | this crate | the rooms combined, release bundles, and the demo table | | |
//!
//! The separation of the rooms is checked:
//!
//! - The engine returns counts as `Private`, which only the vault opens; the vault returns only
//!   `Released` values. [`engine`] does not export exact counts.
//! - A `Budget` cannot be copied, constructed or spent twice; `compile_fail` examples check it.
//! - `schema`, `vault`, `pgm`, `mechanisms` and `report` build without DataFusion. A test that
//!   reads `cargo metadata` (`crates/scumble/tests/library/rooms.rs`) fails on a dependency that is
//!   not allowed, and gives the reason.
//! - Methods are plain synchronous code; only the engine and the cluster use an async runtime.
//!
//! The reasons for the design are in `docs/decisions/`, the flow of data through the rooms is in
//! `docs/explanation/how-it-works.md`, and the front page of the [`vault`] lists the proofs.

pub mod bundle;
pub mod demo;
mod draw;
pub mod engine;
mod error;
mod fit;
mod ledger;
mod outputs;
mod quality;
mod raw_table;
mod settings_file;
mod weak_terms;
mod workload;

pub use draw::{Draw, Drawn, fresh_seed};
pub use error::{Error, Fault, Problem};
pub use fit::{Fit, LearnedSchema, ReservedFit, ReservedLearning, Start, fit_marginals};
pub use ledger::create_ledger;
pub use outputs::{OutputError, Outputs};
pub use quality::{RowCheck, parse_criteria, read_criteria};
pub use raw_table::{undeclared, undeclared_of};
pub use weak_terms::{WeakTerms, refuse_weak_terms};
pub use workload::read_workload;

#[doc(inline)]
pub use scumble_engine::{Format, Input, MemoryLimit, Progress, ProgressSink, ReadOptions, TableWriter};
#[doc(inline)]
pub use scumble_mechanisms::{ConditionedModel, Conditions, Method, Model, Shares, Workload};
#[doc(inline)]
pub use scumble_pgm::Sampling;
#[doc(inline)]
pub use scumble_schema::{Schema, SchemaSpec};
#[doc(inline)]
pub use scumble_vault::ledger::{Job, Ledger, Terms};
#[doc(inline)]
pub use scumble_vault::{AccountingKind, ApproxDp, Certificate, Delta, Epsilon};

#[cfg(feature = "cluster")]
pub use scumble_cluster as cluster;
pub use scumble_mechanisms as mechanisms;
pub use scumble_pgm as pgm;
pub use scumble_report as report;
pub use scumble_schema as schema;
pub use scumble_vault as vault;
