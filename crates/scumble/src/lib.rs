//! Differentially private synthetic tables.
//!
//! Scumble turns a sensitive table into a synthetic one that anybody may see. Everything that leaves it is either declared
//! public by the table's owner or paid for out of a privacy budget, and a certificate says what was paid.
//!
//! ```no_run
//! use scumble::{ApproxDp, Delta, Epsilon, Input, Method, Sampling, Schema};
//!
//! let schema = Schema::read("people.schema.yaml".as_ref())?;
//! let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
//! let model = scumble::fit(&[Input::new("people.csv")], &schema, &Method::Independent, goal, &Default::default())?;
//! println!("{}", scumble::report::guarantee(&model));
//! let sampling = Sampling::for_rows(model.rows());
//! scumble::sample(&model, model.rows(), scumble::fresh_seed()?, sampling, "synth.parquet".as_ref(), |_| true)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Architecture
//!
//! A table walks through rooms, and each room is a crate that refuses to know what it does not need.
//!
//! ```text
//!             public facts        exact counts          the only room with both         no private data from here on
//!  schema  ──────▶  engine  ──────────▶  vault  ──Released──▶  mechanisms ◀──▶ pgm ──▶ schema::decode ──▶ report
//!  domains,         DataFusion scan,     budget, noise,        one file per      distributions,             certificate,
//!  codes, bins      exact counting       scores, ledger        method            sampling                   summary
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
//! | [`report`] | models and certificates in words | no | no |
//! | `scumble-evaluate` | quality against the real rows, stamped NOT DIFFERENTIALLY PRIVATE; only programs use it | yes | no |
//! | `scumble-stop` | how work that nobody wants any more comes to its end | no | no |
//! | `scumble-cli`, `scumble-python` | the program, and the Python package, which holds the program too | through the others | no |
//! | `scumble-testing` | the replay battery that every method passes; only tests use it | made-up ones | seeds |
//! | this crate | the rooms put together, release bundles, and the demo table | | |
//!
//! What keeps the rooms apart is checked, not asked for:
//!
//! - The engine hands counts over as `Private`, which only the vault opens; the vault lets nothing out but `Released`.
//! - A `Budget` cannot be copied, made or spent twice; examples that try do not compile.
//! - `schema`, `vault`, `pgm`, `mechanisms` and `report` build without DataFusion, and a test that reads `cargo metadata`
//!   (`crates/scumble/tests/rooms.rs`) fails, with the reason, on an edge that is not allowed.
//! - Methods are plain synchronous code; only the engine has an async runtime inside.
//!
//! Why things are as they are is written down in `docs/decisions/`.

pub mod bundle;
pub mod demo;
mod error;
mod pipeline;

pub use error::{Error, Fault, Problem};
pub use pipeline::{Start, fit, fit_marginals, fit_on, fresh_seed, sample, sample_part};

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
