//! Distributions fitted to released tables, and rows sampled from them.
//!
//! This room refuses to know private data. It takes plain numbers that the vault released, and everything it does with
//! them is post-processing: no budget, no noise, and seeds are welcome.
//!
//! - [`ProductModel`] is a distribution in which columns are independent.
//! - [`simplex`] turns noisy counts, some of them negative, into probabilities; each way has a name.
//! - [`total`] estimates the number of rows from noisy tables.
//! - [`Sampling`] says how rows are drawn: low-variance or independent.
//!
//! ```
//! use scumble_pgm::{ProductModel, Sampling, simplex};
//!
//! let noisy_counts = [70.0, 34.0, -4.0];
//! let model = ProductModel::new(vec![simplex::project(&noisy_counts, 100.0)])?;
//! assert_eq!(model.probabilities()[0].as_ref(), [0.68, 0.32, 0.0]);
//!
//! let rows: usize = model.sample(1_000, 7, Sampling::LowVariance).map(|chunk| chunk[0].len()).sum();
//! assert_eq!(rows, 1_000);
//! # Ok::<(), scumble_pgm::ModelError>(())
//! ```

mod product;
mod sample;
pub mod simplex;
pub mod total;

pub use product::{ModelError, ProductModel};
pub use sample::{Chunks, Sampling};
