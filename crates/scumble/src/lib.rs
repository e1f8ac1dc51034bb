//! Differentially private synthetic tables.
//!
//! Scumble turns a sensitive table into a synthetic one that anybody may see. Everything that leaves it is either declared
//! public by the table's owner or paid for out of a privacy budget, and a certificate says what was paid.
//!
//! ```
//! use scumble::{ApproxDp, Delta, Epsilon, Input, Method, ReadOptions, Sampling, Schema, demo};
//!
//! // A made-up survey. A table of yours is `Input::new("people.parquet")`, or batches.
//! let people = demo::people(1_000, 1);
//! let table = Input::of_batches(people.arrow_schema().clone(), people.collect());
//! // What is public about it; usually a file: `Schema::read("people.schema.yaml".as_ref())`.
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
//! // The one step that reads rows, and the one that costs privacy.
//! let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
//! let (method, options) = (Method::recommended(goal), ReadOptions::default());
//! let model = scumble::fit(&[table], &schema, &method, goal, &options)?;
//! println!("{}", scumble::report::guarantee(&model));
//!
//! // Any number of rows, any number of times. `scumble::sample` writes them to a file.
//! for batch in model.sample(500, scumble::fresh_seed()?, Sampling::for_rows(500)) {
//!     assert_eq!(batch.num_columns(), 2);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | there is |
//! |---|---|
//! | say what is public about a table | [`Schema`] |
//! | see what a budget buys, before any row is read | [`report::Plan`] |
//! | fit a model | [`fit`], or [`fit_on`] a [`Ledger`] that caps all fits of a table, made by [`create_ledger`] |
//! | draw rows, into a file or as Arrow batches | [`sample`], [`Model::sample`] |
//! | draw only some rows, or with other shares | [`Model::part`], [`sample_part`] |
//! | keep a model, and say what it promises | [`Model::write`], [`report::guarantee`], [`report::Summary`] |
//! | publish a release, or check one | [`bundle::create`], [`bundle::verify()`] |
//! | fit to noisy tables that somebody else made | [`fit_marginals`] |
//! | have a cluster count | [`cluster::Cluster`], as the `remote` of [`ReadOptions`] |
//! | try all this | [`demo`], and the programs in `examples/` of the repository |
//!
//! Functions return when the work is done. An [`Error`] says whose [`Fault`] it is and what to do about it, and holds nothing of the rows.
//!
//! # Architecture
//!
//! A table walks through rooms, and each room is a crate that refuses to know what it does not need.
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
//! | [`cluster`] | the same plans on Ballista: scheduler, executors, and the client that asks them | yes | no |
//! | [`vault`] | `Private`, `Budget`, events, scores, exact noise, `Released`, the certificate, the ledger | counts | yes |
//! | [`pgm`] | distributions fitted to released numbers, rows sampled from them | no | seeds |
//! | [`mechanisms`] | one file per method, noisy tables made elsewhere, the model file | no | through the vault |
//! | [`report`] | models, certificates, plans and ledgers in words and pictures | no | no |
//! | `scumble-evaluate` | quality against the real rows, stamped NOT DIFFERENTIALLY PRIVATE; only programs use it | yes | seeds |
//! | `scumble-planted` | bugs that tests switch on to show that they notice; none in a release build | no | no |
//! | `scumble-cancel` | cooperative cancellation of long computations | no | no |
//! | `scumble-cli`, `scumble-python` | the program, and the Python package, which holds the program too | through the others | no |
//! | `scumble-testing` | the replay battery that every method passes; only tests use it | made-up ones | seeds |
//! | `scumble-examples` | programs to read, and programs that measure what the documentation claims | public and made-up ones | seeds |
//! | this crate | the rooms put together, release bundles, and the demo table | | |
//!
//! What keeps the rooms apart is checked, not asked for:
//!
//! - The engine hands counts over as `Private`, which only the vault opens; the vault lets nothing out but `Released`.
//! - A `Budget` cannot be copied, made or spent twice; examples that try do not compile.
//! - `schema`, `vault`, `pgm`, `mechanisms` and `report` build without DataFusion, and a test that reads `cargo metadata`
//!   (`crates/scumble/tests/rooms.rs`) fails, with the reason, on an edge that is not allowed.
//! - Methods are plain synchronous code; only the engine and the cluster have an async runtime inside.
//!
//! Why things are as they are is written down in `docs/decisions/`, the way of the data through the rooms in
//! `docs/explanation/how-it-works.md`, and what is proved where on the front page of the [`vault`].

pub mod bundle;
pub mod demo;
mod error;
mod on_ledger;
mod outputs;
mod pipeline;
mod weak_terms;

pub use error::{Error, Fault, Problem};
pub use on_ledger::{ReservedFit, Start, create_ledger, fit_on};
pub use outputs::{OutputError, Outputs};
pub use pipeline::{RowTarget, fit, fit_marginals, fresh_seed, sample, sample_part};
pub use weak_terms::{WeakTerms, refuse_weak_terms};

#[doc(inline)]
pub use scumble_engine::{Format, Input, MemoryLimit, Progress, ProgressSink, ReadOptions, TableWriter};
#[doc(inline)]
pub use scumble_mechanisms::{Method, Model, Part, Shares, Wanted};
#[doc(inline)]
pub use scumble_pgm::Sampling;
#[doc(inline)]
pub use scumble_schema::{Schema, SchemaSpec};
#[doc(inline)]
pub use scumble_vault::ledger::{Job, Ledger, Terms};
#[doc(inline)]
pub use scumble_vault::{AccountingKind, ApproxDp, Certificate, Delta, Epsilon};

pub use scumble_cluster as cluster;
pub use scumble_engine as engine;
pub use scumble_mechanisms as mechanisms;
pub use scumble_pgm as pgm;
pub use scumble_report as report;
pub use scumble_schema as schema;
pub use scumble_vault as vault;
