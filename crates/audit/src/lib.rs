//! Attacks on releases, to hold what an attacker can prove beside what a certificate claims.
//!
//! | question | answered by |
//! |---|---|
//! | how near does the best possible attack on a method come to its claim | [`white_box`] |
//! | what do attacks prove that see only what the program writes | [`black_box`] |
//! | what do known attacks gain on a release | [`release`] |
//! | which bounds do error rates prove | [`statistic`] |
//!
//! Audits on made-up tables reveal nothing about anybody. Audits that read real rows spend no
//! budget and are **NOT DIFFERENTIALLY PRIVATE**; their results carry the stamp [`NOT_PRIVATE`].
//! Only programs may depend on this crate.
//!
//! ```
//! use scumble_audit::white_box::{Pair, Settings, audit};
//! use scumble_mechanisms::Method;
//! use scumble_schema::AdjacencyKind;
//! use scumble_vault::{ApproxDp, Delta, Epsilon};
//!
//! let goal = ApproxDp { epsilon: Epsilon::new(8.0)?, delta: Delta::new(1e-9)? };
//! let settings = Settings { method: Method::INDEPENDENT, goal, runs: 200, journal: None };
//! let audit = audit(&settings, &Pair::made_up(AdjacencyKind::AddRemove), &|_, _| ())?;
//! assert!(audit.holds());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod black_box;
mod error;
mod journal;
mod page;
pub mod release;
pub mod statistic;
mod text;
pub mod white_box;

pub use error::AuditError;
pub use page::{method_page, program_page, release_page};

/// Stamp on every result that reads real rows.
pub const NOT_PRIVATE: &str = "NOT DIFFERENTIALLY PRIVATE: computed from the real rows, for their steward only";
