//! Models and certificates in words, from released values and public facts only.
//!
//! Everything here may be published as it is. This room cannot reach a row: it takes a
//! [`Model`](scumble_mechanisms::Model), which holds none, a schema, or the statement of a ledger. It decides nothing and computes no
//! guarantee; it tells the one that is in the certificate.
//!
//! | asked | by | command |
//! |---|---|---|
//! | what a model promises, in a paragraph | [`guarantee`] | `fit`, `sample` |
//! | the same on a page, for readers who are no specialists | [`Explanation`], with the numbers of [`Odds`] | `report`, `bundle` |
//! | what a model holds | [`Summary`] | `inspect` |
//! | which columns hold next to nothing, so that the schema is probably wrong | [`dead_columns`] | `fit`, `synth`, `inspect`, `report` |
//! | which columns it ties together | [`picture`] | `inspect --svg` |
//! | what a release is, for whom, what for and how exact, without jargon | [`PlainWords`] | `report`, `bundle` |
//! | what was measured, how well, and what not to trust | [`public_page`] | `report` |
//! | where values are heaped on a round number | [`heaps`] | `fit` |
//! | what a budget would buy, before any row is read | [`Plan`] | `plan` |
//! | what was spent on a table, and what is left | [`LedgerSummary`] | `ledger show` |
//!
//! [`grouping`] says which values of a column are drawn, [`chart`] draws SVG and [`page`] makes HTML files, for these pages and for those of `scumble-evaluate`.
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
//! What odds and tests follow from epsilon, delta and `mu` is proved in the note `odds.md` beside the code of [`Odds`]. That nothing here looks
//! at more than released values is tested by replay: `tests/replay.rs`.

pub mod chart;
mod counts_of;
mod dead_column;
mod explained;
mod fit_clock;
mod group;
pub mod grouping;
mod guarantee;
mod ledger;
mod noisy_table;
mod odds;
pub mod page;
mod picture;
mod plain;
mod plan;
mod public_page;
mod summary;
mod tail;
mod weak_terms;
mod words;

pub use dead_column::{DeadColumn, Holds, dead_columns};
pub use explained::{Explanation, Paragraph};
pub use fit_clock::FitClock;
pub use group::{Group, SharedIdentifier};
pub use guarantee::{guarantee, shown_epsilon};
pub use ledger::{JobSummary, LedgerSummary};
pub use odds::{Curve, Exception, Odds, Suspicion};
pub use picture::picture;
pub use plain::PlainWords;
pub use plan::{Plan, Refusal};
pub use public_page::{Heap, heaps, public_page};
pub use summary::{BoundSummary, ColumnSummary, PairSummary, Share, Summary, TableSummary};
pub use weak_terms::weak_terms;
pub use words::{grouped, releases};
