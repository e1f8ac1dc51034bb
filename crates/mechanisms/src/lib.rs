//! One file per method, each reading like its paper, and the model file that a fit leaves.
//!
//! A method asks questions of a [`Vault`](scumble_vault::Vault) and builds a distribution from the answers. It never
//! computes a scale or a cost, never adds up a budget, and never sees a count: only
//! [`Released`](scumble_vault::Released) values come back. A test reads `cargo metadata` and fails if this room could
//! reach the engine.
//!
//! - [`fit`] runs a [`Method`] on a source of counts.
//! - [`Model`] is what comes out: schema, released tables, distribution, certificate.
//! - [`Model::read`] and [`Model::write`] are its file.
//! - [`independent`] is the simplest method.
//! - [`privbayes`] and [`privbayes_nist`] keep relations between columns in a Bayesian network, [`pb_pgm`] in a graphical
//!   model.
//! - [`privmrf`] chooses tables round by round and fits a Markov random field to them.
//! - [`smoothed_histogram`] draws rows from the table of all columns.
//! - [`theory`] bounds errors before anything is measured.
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
//! let model = fit(&schema, Box::new(source), &Method::Independent, goal, None)?;
//! assert!(model.certificate().epsilon().get() <= 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod fitted;
pub mod independent;
mod method;
mod model;
mod model_file;
mod neighbours;
mod network_learning;
mod noisy;
pub mod pb_pgm;
pub mod privbayes;
pub mod privbayes_nist;
pub mod privmrf;
mod shape;
pub mod smoothed_histogram;
pub mod theory;

pub use error::MechanismError;
pub use fitted::{Consistency, Distribution, Fitted, NetworkTables, hierarchies};
pub use method::{Fitting, Method, fit, fit_in, plan};
pub use model::Model;
pub use neighbours::{Neighbours, RowTotal};
