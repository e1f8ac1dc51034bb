//! The plans of `scumble-engine` on a cluster of Apache DataFusion Ballista.
//!
//! A table in a data lake is counted where it is. The coordinator, which is the process that fits a
//! model, plans as it does for its own threads and sends the plan to a
//! [scheduler](serve_scheduler); [executors](run_executor) read the files, encode and count, and
//! one of them adds the counts of all partitions. The result is one row of exact counts, which goes
//! to the vault sealed, like the counts of the embedded engine.
//!
//! ```text
//!  coordinator                    scheduler                   executors
//!  schema, vault, noise  ──plan──▶  parts, retries  ──task──▶  files, codes, exact counts
//!         ▲                                                          │
//!         └──────────────── one row of exact counts ◀────────────────┘
//! ```
//!
//! The scheduler sees no counts: what an executor reports about a task holds nothing that depends
//! on rows.
//!
//! Nothing random happens on a cluster. A lost partition is counted again, a lost query is
//! submitted again, and the counts are the same; noise is drawn by the coordinator alone, once per
//! release, after all counts have arrived. So this crate may handle rows and exact counts, but not
//! budgets, noise or the vault: a test of the workspace fails if it names `rand`.
//!
//! * [`Cluster`]: the client, a [`Remote`](scumble_engine::Remote) of the engine, at an [`Address`]
//!   and with [`ClusterOptions`];
//! * [`SampleOrder`]: rows of a model, sampled and written by all executors together;
//! * [`Security`]: mutual TLS, or none on request;
//! * [`serve_scheduler`] and [`run_executor`]: the two servers;
//! * [`cancel_jobs`]: for a program that must exit quickly;
//! * [`log_to_stderr`]: the log of the servers.
//!
//! ```no_run
//! use std::sync::Arc;
//! use scumble_cluster::{Cluster, ClusterOptions, Security};
//! use scumble_engine::{Input, ReadOptions, Stores, TableScan};
//! use scumble_schema::Schema;
//!
//! let client = ClusterOptions::new(Security::read("/etc/scumble/client".as_ref())?);
//! let cluster = Cluster::new("ballista://scheduler:50050".parse()?, client);
//! let options = ReadOptions {
//!     remote: Some(Arc::new(cluster)),
//!     stores: Some(Arc::new(Stores::default())),
//!     ..ReadOptions::default()
//! };
//! let schema = Schema::read("people.schema.yaml".as_ref())?;
//! // From here on, a source of counts like any other, for the vault.
//! let scan = TableScan::open(&[Input::new("s3://lake/people/")], &schema, &options)?;
//! assert!(scan.is_remote());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/decisions/0020-cluster.md` states what a cluster must be trusted with, and
//! `docs/how-to/run-a-cluster.md` how to run one. The tests that kill and disconnect executors are
//! in `scumble-cli`, in `tests/cluster`.

mod address;
mod client;
mod codec;
mod connections;
mod executor;
mod failure;
mod guarded;
mod kept;
mod log;
mod sample;
mod scheduler;
mod sealed;
mod tls;

pub use address::{Address, AddressError};
pub use client::{Cluster, ClusterOptions, cancel_jobs};
pub use executor::{ExecutorOptions, run_executor};
pub use failure::ServerError;
pub use log::{LogLevel, log_to_stderr};
pub use sample::SampleOrder;
pub use scheduler::{SchedulerOptions, serve_scheduler};
pub use tls::{Security, TlsError};

/// Maximum size of a message between machines. All counts of one partition are one message, and the
/// engine requests at most 16 million cells at once.
const MESSAGE_BYTES: u32 = 1 << 30;
