//! One file per method, each reading like its paper, and the model file that a fit leaves.
//!
//! A method asks questions of a [`Vault`](scumble_vault::Vault) and builds a distribution from the answers. It never
//! computes a scale or a cost, never adds up a budget, and never sees a count: only
//! [`Released`](scumble_vault::Released) values come back. A test reads `cargo metadata` and fails if this room could
//! reach the engine.
//!
//! | method | what it does |
//! |---|---|
//! | [`auto`] | chooses tables round by round, as large as the budget carries, and fits a Markov random field to them: the [recommended](Method::recommended) one |
//! | [`aim`] | chooses tables for a workload, as its paper does |
//! | [`mst`] | keeps a tree of the pairs of columns that tell most about each other |
//! | [`privmrf`] | a Markov random field, by the algorithms of its paper or by those of `auto` |
//! | [`privbayes`] | a Bayesian network, chosen by the exponential mechanism, with pure differential privacy |
//! | [`privbayes_nist`] | a Bayesian network over noisy scores of all pairs, as in the NIST challenge of 2018 |
//! | [`pb_pgm`] | the network of `privbayes`, fitted as a graphical model |
//! | [`smoothed_histogram`] | rows drawn from the table of all columns, for few columns and a public number of rows |
//! | [`independent`] | one table per column: the simplest there is |
//!
//! - [`Method`] lists all methods; each implements the trait `Mechanism` for its options.
//! - [`fit`] runs a method on a source of counts. [`plan`] is what it is about to do, for the ledger.
//! - [`Model`] is what comes out: schema, released tables, distribution, certificate. Its [`Origin`] says who vouches for it,
//!   [`Model::read`] and [`Model::write`] are its file.
//! - [`Model::part`] is the part of a model with the rows that are [`Wanted`], or with other [`Shares`].
//! - [`marginals`] are noisy tables made elsewhere, that a model is fitted to without a vault.
//! - [`forecast`] tells what a fit will ask and what it will cost; [`theory`] bounds errors before anything is measured.
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
//! The page of every method is the note that stands beside its code: what it does step by step, then neighbours, sensitivity, releases,
//! composition, and what is post-processing. What an answer costs is proved in the [vault](scumble_vault), not here. That a method learns about
//! rows through the vault alone is tested by replay, on all pairs of small neighbouring tables: `tests/replay.rs`.

pub mod aim;
pub mod auto;
mod budget_parts;
mod error;
mod expected;
mod fit;
mod fitted;
pub mod forecast;
pub mod independent;
pub mod marginals;
mod mechanism;
mod merging;
mod method;
mod model;
mod model_file;
mod model_fitter;
pub mod mst;
mod network_learning;
mod noisy;
mod option;
mod origin;
mod origin_file;
mod outline;
pub mod pb_pgm;
pub mod privbayes;
pub mod privbayes_nist;
pub mod privmrf;
mod round_learner;
mod rules;
mod shape;
pub mod smoothed_histogram;
mod table_bound;
mod terms;
pub mod theory;
mod union_find;
mod versions;
mod wanted;

pub use error::MechanismError;
pub use fit::{fit, fit_in, plan};
pub use fitted::{Consistency, Distribution, Fitted, NetworkTables, hierarchies};
pub use method::Method;
pub use model::Model;

pub use option::GaussianAccounting;
pub use origin::{Origin, TableFacts};
pub use table_bound::{Basis, TableBound};
pub use terms::{MethodAccounting, MethodAdjacency, PublicRows, RowTotal};
pub use wanted::{Part, Shares, Wanted};
