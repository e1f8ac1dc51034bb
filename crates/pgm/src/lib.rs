//! Distributions fitted to released tables, and rows sampled from them.
//!
//! This crate sees no private data. It takes plain numbers that the vault released, and everything
//! it does with them is post-processing: it spends no budget, its random numbers protect nobody,
//! and callers may seed them.
//!
//! ```text
//!  Measurement ──▶ Estimator ──▶ TreeModel ──▶ Sampler ──▶ rows
//!  noisy tables    nearest         │    │
//!                  distribution    │    └────▶ marginal, given: any table, any condition
//!                                  └─────────▶ ErrorBars: error of each answer
//! ```
//!
//! - A [`Factor`] is a table of numbers over a clique, a [`CliqueVector`] one for each of several
//!   cliques.
//! - A [`JunctionTree`] arranges cliques for exact inference. It predicts the size of a model
//!   before anything is allocated, and refuses a model that is too large. [`infer`] turns
//!   potentials into a distribution.
//! - An [`Estimator`] finds the [`TreeModel`] nearest to noisy [`Measurement`]s, under optional
//!   [`StructuralZeros`]. Two of its [searches](Search) minimise the loss; the third shrinks
//!   potentials where noise hides them. [`estimate_forest`] needs no search where the measured
//!   pairs have no cycle, and [`estimate_interactions`] takes parities of binary columns instead of
//!   tables.
//! - A [`Sampler`] draws any number of rows from a model in chunks, in constant memory.
//! - [`ErrorBars`] give marginals with error bars.
//! - [`network`] holds Bayesian networks over tables that contradict each other, as the PrivBayes
//!   papers use them.
//! - [`ProductModel`] is a distribution of independent columns; [`simplex`] turns noisy counts into
//!   probabilities, and [`total`] estimates the number of rows.
//! - [`parallel`] is the ordered parallel map behind all of these.
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
//! // Columns that were never released together are related through the column between them.
//! let outer = model.marginal(&pair(0, 2))?;
//! assert!(outer.values()[0] > 2.0 * outer.values()[3]);
//!
//! let sampler = Sampler::new(&model);
//! let rows: usize = sampler.sample(1_000, 7, Sampling::LowVariance).map(|chunk| chunk[0].len()).sum();
//! assert_eq!(rows, 1_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where the proofs are
//! Nothing here is a privacy claim. The claims are arithmetic, and `tests` compares them with brute
//! force over all cells: marginals, conditions, samples and the tree itself, on named shapes and on
//! random models. Error bars are measured, not proved; the page of [`ErrorBars`] explains how, and
//! `figures pgm` of `benchmarks/` measures them again. `docs/explanation/models.md` explains the
//! models.

mod answer;
mod error;
mod estimation;
mod inference;
mod measurement;
pub mod network;
pub mod parallel;
mod product;
mod sampling;
mod table;
mod tree;

pub use answer::{Answer, Bootstrap, ErrorBars, Measured, NotMeasured};
pub use error::ModelError;
pub use estimation::{
    Estimate, Estimator, Interaction, Search, Stop, Stopped, Total, estimate_forest, estimate_interactions,
};
pub use inference::given::Conditioned;
pub use inference::infer;
pub use inference::zeros::StructuralZeros;
pub use measurement::{Measurement, simplex, total};
pub use product::ProductModel;
pub use sampling::{Chunks, RowTarget, Sampler, Sampling, UnknownSampling};
pub use table::clique_vector::CliqueVector;
pub use table::factor::Factor;
pub use tree::junction_tree::{JunctionTree, TreeClique};
pub use tree::parity_potentials::ParityPotentials;
pub use tree::tree_model::{Node, TreeModel};
