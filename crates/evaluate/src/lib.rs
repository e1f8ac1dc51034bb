//! Quality measured against the real table. **NOT DIFFERENTIALLY PRIVATE.**
//!
//! This crate reads rows and spends no budget, so its results must not be published. Every result
//! carries the stamp [`NOT_PRIVATE`] and every [`Display`](std::fmt::Display) prints it. Only the
//! programs, the command line and the Python module, may depend on this crate.
//!
//! | question | answered by |
//! |---|---|
//! | all metrics, each with its achievable value | [`Evaluation`], as a page by [`steward_page`] |
//! | what share of each column does the schema cover | [`Coverage`] |
//! | how far are single columns, for tables larger than memory | [`OneWayDistances`] |
//! | how far are the marginals over given sets of columns | [`MarginalDistances`] over [`MarginalSets`] |
//! | how strongly are pairs of columns correlated | [`correlation`] |
//! | which subgroups are represented worse | [`subgroup`] |
//! | what would the NIST 2018 challenge have scored | [`nist::Challenge`] |
//! | how well do learners trained on synthetic rows predict real ones | [`learning::Learning`] |
//! | can learners distinguish real rows from synthetic ones | [`propensity::Propensity`] |
//! | do tests of independence conclude the same | [`chi_square::ChiSquare`] |
//!
//! Tables are [`Columns`] of codes in memory. They come from files and databases through a schema,
//! from the folder of a benchmark ([`CodedFile`]), or from the chunks of a sampler. A vault accepts
//! them as a source of counts.
//!
//! ```
//! use scumble_evaluate::{Columns, MarginalDistances, MarginalSets};
//! use scumble_schema::{Clique, Domain};
//!
//! let domain = Domain::new(vec![2, 3])?;
//! let real = Columns::new(domain.clone(), vec![vec![0, 0, 1, 1], vec![0, 1, 2, 2]])?;
//! let synthetic = Columns::new(domain.clone(), vec![vec![0, 1], vec![0, 1]])?;
//! let sets = MarginalSets::new(domain.one_way().into_iter().chain([Clique::new(domain.attributes())]));
//!
//! let distances = MarginalDistances::between(&real, &synthetic, &sets)?;
//! // The first column agrees. Half the rows differ in the second. Of the pairs, (0, 0) is shared.
//! assert_eq!(distances.order(1).unwrap().mean, 0.25);
//! assert_eq!(distances.order(2).unwrap().max, 0.75);
//! assert!(distances.to_string().starts_with("NOT DIFFERENTIALLY PRIVATE"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
pub mod evaluation;
pub mod learning;
mod marginal;
pub mod nist;
mod page;
mod relation;
mod sample;
mod table;

pub use error::EvaluateError;
pub use evaluation::{Evaluation, Settings};
pub use learning::propensity;
pub use marginal::one_way::{ColumnDistance, OneWayDistances};
pub use marginal::{MarginalDistances, MarginalSets, OrderDistance, subgroup};
pub use page::steward_page;
pub use relation::{chi_square, correlation};
pub use table::coded_file::CodedFile;
pub use table::coverage::{ColumnCoverage, Coverage, RuleCoverage};
pub use table::{ColumnKind, Columns};

/// Stamp on every result.
pub const NOT_PRIVATE: &str = "NOT DIFFERENTIALLY PRIVATE: computed from the real rows, for their steward only";
