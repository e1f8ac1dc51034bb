//! Distributions fitted to released tables, and rows sampled from them.
//!
//! This room refuses to know private data. It takes plain numbers that the vault released, and everything it does with
//! them is post-processing: no budget, no noise that protects anybody, and seeds are welcome.
//!
//! ```text
//!  Measurement ──▶ Estimator ──▶ TreeModel ──▶ Sampler ──▶ rows
//!  noisy tables    nearest         │    │
//!                  distribution    │    └────▶ marginal, given: any table, any condition
//!                                  └─────────▶ ErrorBars: how far off, or not measured
//! ```
//!
//! - A [`Factor`] is a table of numbers over a clique, a [`CliqueVector`] one for each of several cliques.
//! - A [`JunctionTree`] arranges cliques so that exact inference is possible; it says how large a model will be before
//!   anything is allocated, and refuses what is too large. [`infer`] leads from potentials to the distribution.
//! - An [`Estimator`] finds the distribution nearest to noisy [`Measurement`]s, under [`StructuralZeros`] if there are
//!   any: a [`TreeModel`]. Of its [searches](Search), two are for the nearest one, and the third holds potentials back where
//!   noise hides what they should be.
//! - A [`Sampler`] draws rows from it in chunks, any number in the memory of a few.
//! - [`ErrorBars`] answer questions with how far the answer may be off.
//! - [`network`] holds Bayesian networks over tables that contradict each other, as the PrivBayes papers use them.
//! - [`ProductModel`] is a distribution of independent columns; [`simplex`] turns noisy counts into probabilities, and
//!   [`total`] estimates the number of rows.
//!
//! ```
//! use scumble_pgm::{Estimator, Measurement, Sampler, Sampling};
//! use scumble_schema::{AttributeId, Clique, Domain};
//!
//! // Three columns, of which the vault released two pairs, with noise of standard deviation 10.
//! let domain = Domain::new(vec![2, 2, 3])?;
//! let pair = |first, second| Clique::new([AttributeId::new(first), AttributeId::new(second)]);
//! let released = [
//!     Measurement::new(&domain, pair(0, 1), vec![412.0, 85.0, 107.0, 390.0], 10.0)?,
//!     Measurement::new(&domain, pair(1, 2), vec![300.0, 195.0, 31.0, -4.0, 152.0, 330.0], 10.0)?,
//! ];
//! let model = Estimator::new(domain).estimate(&released)?.model;
//!
//! // The columns that were never released together are related through the one between them.
//! let outer = model.marginal(&pair(0, 2))?;
//! assert!(outer.values()[0] > 2.0 * outer.values()[3]);
//!
//! let rows: usize = Sampler::new(&model).sample(1_000, 7, Sampling::LowVariance).map(|chunk| chunk[0].len()).sum();
//! assert_eq!(rows, 1_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where the proofs are
//! Nothing here is a privacy claim. What is claimed is arithmetic, and it is compared with brute force over all cells in `tests`: marginals,
//! conditions, samples and the tree itself, on named shapes and on random models. Error bars are measured, not proved;
//! the page of [`ErrorBars`] says how, and `examples/pgm_figures` measures them again. `docs/explanation/models.md` explains the models.

mod answer;
mod error;
mod estimation;
mod inference;
mod measurement;
pub mod network;
mod parallel;
mod product;
mod sampling;
pub mod simplex;
mod table;
pub mod total;
mod tree;

pub use answer::{Answer, Bootstrap, ErrorBars, Measured, NotMeasured};
pub use error::ModelError;
pub use estimation::{Estimate, Estimator, Search, Stop, Stopped, Total};
pub use inference::given::Conditioned;
pub use inference::infer;
pub use inference::zeros::StructuralZeros;
pub use measurement::Measurement;
pub use product::ProductModel;
pub use sampling::{Chunks, Sampler, Sampling};
pub use table::clique_vector::CliqueVector;
pub use table::factor::Factor;
pub use tree::junction_tree::{JunctionTree, TreeClique};
pub use tree::tree_model::{Node, TreeModel};
