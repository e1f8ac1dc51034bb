//! Quality measured against the real table. **NOT DIFFERENTIALLY PRIVATE.**
//!
//! What this room computes reads rows and costs no budget, so nothing of it may be published. Every result carries the
//! stamp [`NOT_PRIVATE`] and every [`Display`](std::fmt::Display) prints it. No room but the programs at the edge may
//! depend on it.
//!
//! | asked | by |
//! |---|---|
//! | all of it at once, each number beside what chance alone gives | [`Evaluation`]; [`steward_page`] is its page |
//! | what share of each column its schema covers | [`Coverage`] |
//! | how far single columns are, through the engine | [`OneWayDistances`] |
//! | how far the marginals over given sets of columns are | [`MarginalDistances`] over [`MarginalSets`] |
//! | how strongly pairs of columns go together | [`correlation`] |
//! | which groups of people are served worse | [`subgroup`] |
//! | what the NIST 2018 challenge would have scored | [`nist::Challenge`] |
//! | what learners trained on synthetic rows do on real ones | [`learning::Learning`] |
//! | whether learners tell real rows from synthetic ones | [`propensity::Propensity`] |
//! | whether tests of independence conclude the same | [`chi_square::ChiSquare`] |
//! | how far one gets with little thought or much noise | [`baseline`] |
//!
//! Tables are [`Columns`] of codes in memory: a [`CodedFile`] reads them from a benchmark's folder, a sampler's chunks
//! become them without a file, and a vault takes them as a source of counts.
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
//! // The first column agrees. Half the rows have another second code, and of the pairs only (0, 0) is shared.
//! assert_eq!(distances.order(1).unwrap().mean, 0.25);
//! assert_eq!(distances.order(2).unwrap().max, 0.75);
//! assert!(distances.to_string().starts_with("NOT DIFFERENTIALLY PRIVATE"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod baseline;
pub mod chi_square;
mod coded_file;
mod columns;
pub mod correlation;
mod coverage;
mod distance;
mod error;
pub mod evaluation;
#[cfg(test)]
mod fixture;
mod grouping;
mod kind;
pub mod learning;
mod marginal;
pub mod nist;
mod one_way;
mod page;
mod parallel;
pub mod propensity;
mod read;
mod sample;
pub mod subgroup;

pub use coded_file::CodedFile;
pub use columns::Columns;
pub use coverage::{ColumnCoverage, Coverage, RuleCoverage};
pub use error::EvaluateError;
pub use evaluation::{Evaluation, Settings};
pub use kind::ColumnKind;
pub use marginal::{MarginalDistances, MarginalSets, OrderDistance};
pub use one_way::{ColumnDistance, OneWayDistances};
pub use page::steward_page;

/// The stamp on every result.
pub const NOT_PRIVATE: &str = "NOT DIFFERENTIALLY PRIVATE: computed from the real rows, for their steward only";
