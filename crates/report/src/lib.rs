//! Models and certificates in words, from released values and public facts only.
//!
//! Everything in this crate may be published as it is. It cannot read rows: its inputs are a
//! [`Model`](scumble_mechanisms::Model), which holds none, a schema, or the statement of a ledger.
//! It computes no guarantee; it states the one in the certificate.
//!
//! | content | item | command |
//! |---|---|---|
//! | the guarantee of a model, in a paragraph | [`guarantee`] | `fit`, `sample` |
//! | the guarantee explained to readers who are not specialists | [`Explanation`], with the numbers of [`Odds`] | `report`, `bundle` |
//! | the content of a model | [`Summary`] | `inspect` |
//! | columns of which nearly nothing was read, so that the schema is probably wrong | [`dead_columns`] | `fit`, `synth`, `inspect`, `report` |
//! | learned columns with many texts that were not read | [`unreadable_texts`] | `fit`, `synth` |
//! | the relations between columns in a model | [`picture`] | `inspect --svg` |
//! | purpose, audience and accuracy of a release, without jargon | [`PlainWords`] | `report`, `bundle` |
//! | what was measured, how well, and what not to trust | [`public_page`] | `report` |
//! | columns with values heaped on one number | [`heaps`] | `fit` |
//! | what a budget buys, before any row is read | [`FitPlan`] | `plan` |
//! | what was spent on a table, and what is left | [`LedgerSummary`] | `ledger show` |
//!
//! [`grouping`] selects the values of a column that are drawn, [`chart`] draws SVG, and [`page`]
//! writes HTML. `scumble-evaluate` uses them too.
//!
//! ```
//! use scumble_mechanisms::{Method, fit};
//! use scumble_report::{Summary, guarantee};
//! # use scumble_schema::{Clique, Domain, Schema};
//! # use scumble_vault::{ApproxDp, CountTable, Delta, Epsilon, MarginalSource, Private, SourceError};
//! # struct Coins(Domain);
//! # impl MarginalSource for Coins {
//! #     fn domain(&self) -> &Domain { &self.0 }
//! #     fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
//! #         Ok(Private::new(cliques.iter().map(|clique| CountTable::new(clique.clone(), vec![40_000, 60_000])).collect()))
//! #     }
//! # }
//! # let schema = Schema::parse("fields: [{name: heads, type: boolean, constraints: {required: true}}]")?;
//! # let source = Coins(schema.domain().clone());
//! # let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
//! let model = fit(&schema, Box::new(source), &Method::INDEPENDENT, goal, None)?;
//! assert!(guarantee(&model).starts_with("(1, 1e-9)-differentially private with respect to adding or removing one row"));
//!
//! let summary = Summary::new(&model);
//! assert_eq!((summary.method.as_str(), summary.columns[0].name.as_str()), ("independent", "heads"));
//! println!("{summary}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where the proofs are
//! `odds.md`, beside the code of [`Odds`], derives odds and tests from epsilon, delta and `mu`.
//! `tests/replay.rs` tests by replay that this crate uses released values only.

pub mod chart;
mod counts_of;
mod dead_column;
mod explained;
mod fit_clock;
mod group;
pub mod grouping;
mod guarantee;
mod learned;
mod ledger;
mod noisy_table;
mod odds;
pub mod page;
mod picture;
mod plain;
mod plan;
mod public_page;
mod quality;
mod summary;
mod tail;
mod unreadable_texts;
mod weak_terms;
mod words;

pub use dead_column::{DeadColumn, Holds, dead_columns};
pub use explained::{Explanation, Paragraph};
pub use fit_clock::FitClock;
pub use group::{Group, SharedIdentifier};
pub use guarantee::{certified, guarantee, shown_epsilon};
pub use learned::{LearnedColumn, LearnedColumns};
pub use ledger::{JobSummary, LedgerSummary};
pub use odds::{Curve, Exception, Odds, Suspicion};
pub use picture::picture;
pub use plain::PlainWords;
pub use plan::{FitPlan, Refusal};
pub use public_page::{Heap, heaps, public_page};
pub use quality::quality_section;
pub use summary::{BoundSummary, ColumnSummary, PairSummary, Share, Summary, TableSummary};
pub use unreadable_texts::{UnreadableTexts, unreadable_texts};
pub use weak_terms::weak_terms;
pub use words::{grouped, releases};
