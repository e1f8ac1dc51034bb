//! Methods of fitting, one folder each, and the model file that a fit writes.
//!
//! A method asks questions of a [`Vault`](scumble_vault::Vault) and builds a distribution from the
//! answers. It never computes a scale or a cost, never adds up a budget, and never sees a count:
//! only [`Released`](scumble_vault::Released) values come back. A test reads `cargo metadata` and
//! fails if this crate depends on the engine.
//!
//! | method | what it does |
//! |---|---|
//! | [`auto`] | selects tables round by round, as large as the budget allows, and fits a Markov random field to them: the [recommended](Method::recommended) one |
//! | [`aim`] | selects tables for a workload, as its paper does |
//! | [`mst`] | measures a spanning tree of strongly related pairs of columns |
//! | [`privmrf`] | a Markov random field, by the algorithms of its paper or by those of `auto` |
//! | [`privbayes`] | a Bayesian network, selected by the exponential mechanism, with pure differential privacy |
//! | [`privbayes_nist`] | a Bayesian network over noisy scores of all pairs, as in the NIST challenge of 2018 |
//! | [`pb_pgm`] | the network of `privbayes`, fitted as a graphical model |
//! | [`smoothed_histogram`] | rows drawn from the table of all columns, for few columns and a public number of rows |
//! | [`independent`] | one table per column: the simplest method |
//!
//! - [`Method`] lists all methods; each implements the trait `Mechanism` for its options.
//! - [`fit`] runs a method on a source of counts. [`plan`] describes the fit for the ledger.
//! - [`Model`] is the result: schema, released tables, distribution, certificate. Its [`Origin`]
//!   states who vouches for it; [`Model::read`] and [`Model::write`] are its file.
//! - [`Model::conditioned`] restricts a model to rows that meet [`Conditions`], or sets [`Shares`]
//!   of values.
//! - [`marginals`] are external noisy tables, to which a model is fitted without a vault.
//! - [`forecast`] predicts releases, errors, time and memory of a fit; [`theory`] bounds errors.
//!
//! ```
//! use scumble_mechanisms::{Method, fit};
//! # use scumble_schema::{Clique, Domain, Schema};
//! # use scumble_vault::{ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError};
//! # struct Coins(Domain);
//! # impl MarginalSource for Coins {
//! #     fn domain(&self) -> &Domain { &self.0 }
//! #     fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
//! #         Ok(Private::new(cliques.iter().map(|clique| CountTable::new(clique.clone(), vec![40, 60])).collect()))
//! #     }
//! # }
//! let schema = Schema::parse("fields: [{name: heads, type: boolean, constraints: {required: true}}]")?;
//! # let source = Coins(schema.domain().clone());
//! let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
//! let model = fit(&schema, Box::new(source), &Method::INDEPENDENT, goal, None)?;
//! let certificate = model.certificate().expect("a vault measured it");
//! assert!(certificate.epsilon().get() <= 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where the proofs are
//! The page of every method is the note beside its code: its steps, then neighbours, sensitivity,
//! releases, composition and post-processing. The cost of a release is proved in the
//! [vault](scumble_vault), not here. That a method learns about rows through the vault alone is
//! tested by replay, on all pairs of small neighbouring tables: `tests/replay.rs`.

pub mod columns;
mod error;
mod learning;
pub mod marginals;
mod mechanism;
mod methods;
mod model;
mod planning;
pub mod quality;

pub use error::MechanismError;
#[cfg(feature = "audit")]
pub use mechanism::fit::fit_audited;
pub use mechanism::fit::{fit, fit_and_check, fit_and_check_in, fit_in, plan, request_with};
pub use mechanism::method::Method;
pub use mechanism::option::GaussianAccounting;
pub use mechanism::terms::{MethodAccounting, MethodAdjacency, PublicRows, RowTotal};
pub use mechanism::workload::{Workload, WorkloadColumn, WorkloadTable};
pub use methods::{aim, auto, independent, mst, pb_pgm, privbayes, privbayes_nist, privmrf, smoothed_histogram};
pub use model::Model;
pub use model::conditioning::{ConditionedModel, Conditions, Shares};
pub use model::fitted::{Consistency, Distribution, Fitted, NetworkTables, hierarchies};
pub use model::origin::{Origin, TableFacts};
pub use model::parity_tables::ParityTable;
pub use model::table_bound::{Basis, TableBound};
pub use planning::{forecast, theory};
