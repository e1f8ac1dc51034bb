//! The plans of `scumble-engine` on a cluster of Apache DataFusion Ballista.
//!
//! A table that lives in a lake is counted where it is. The coordinator, which is the process that fits a model, plans as it does
//! for its own threads and sends the plan to a [scheduler](serve_scheduler); [executors](run_executor) read the files, encode and
//! count, and one of them adds the counts of all parts up. What comes back is one row of exact counts, which goes to the vault
//! sealed, as the counts of the embedded engine do.
//!
//! ```text
//!  coordinator                    scheduler                   executors
//!  schema, vault, noise  ──plan──▶  parts, retries  ──task──▶  files, codes, exact counts
//!         ▲                                                          │
//!         └──────────────── one row of exact counts ◀────────────────┘
//! ```
//!
//! The scheduler is no party to that: what an executor reports about a task holds nothing that depends on rows.
//!
//! Nothing random happens on a cluster. A part that was lost is counted again, a question that was lost is asked again, and the
//! counts are the same; noise is drawn by the coordinator alone, once per release, after all of them have arrived. So this room may know
//! rows and exact counts, and may not know budgets, noise and the vault: a test of the workspace fails if it names `rand`.
//!
//! * [`Cluster`]: the client, a [`Remote`](scumble_engine::Remote) of the engine, at an [`Address`] and with [`ClusterOptions`];
//! * [`SampleOrder`]: rows of a model, drawn and written by all executors together;
//! * [`Security`]: mutual TLS, or none where somebody asks for that;
//! * [`serve_scheduler`] and [`run_executor`]: the two servers;
//! * [`Stores`]: object stores by their URLs, for coordinator and executors alike;
//! * [`cancel_jobs`], for a program that must end in a hurry;
//! * [`log_to_stderr`]: what the servers say about themselves.
//!
//! ```no_run
//! use std::sync::Arc;
//! use scumble_cluster::{Cluster, ClusterOptions, Security, Stores};
//! use scumble_engine::{Input, ReadOptions, TableScan};
//! use scumble_schema::Schema;
//!
//! let asked_by = ClusterOptions::new(Security::read("/etc/scumble/client".as_ref())?);
//! let cluster = Cluster::new("ballista://scheduler:50050".parse()?, asked_by);
//! let options = ReadOptions {
//!     remote: Some(Arc::new(cluster)),
//!     stores: Some(Arc::new(Stores::default())),
//!     ..ReadOptions::default()
//! };
//! let schema = Schema::read("people.schema.yaml".as_ref())?;
//! // From here on a source of counts like any other, for the vault.
//! let scan = TableScan::open(&[Input::new("s3://lake/people/")], &schema, &options)?;
//! assert!(scan.is_remote());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a cluster has to be trusted with is in `docs/decisions/0020-cluster.md`, how to run one in `docs/how-to/run-a-cluster.md`. The tests that
//! kill and cut off executors are those of `scumble-cli`, in `tests/cluster`.

mod address;
mod client;
mod codec;
mod connections;
mod executor;
mod failure;
mod guarded;
mod log;
mod sample;
mod scheduler;
mod sealed;
mod stores;
mod tls;

pub use address::{Address, AddressError};
pub use client::{Cluster, ClusterOptions, cancel_jobs};
pub use executor::{ExecutorOptions, run_executor};
pub use failure::ServerError;
pub use log::{LogLevel, log_to_stderr};
pub use sample::SampleOrder;
pub use scheduler::{SchedulerOptions, serve_scheduler};
pub use stores::Stores;
pub use tls::{Security, TlsError};

/// The largest message between machines. All counts of one part are one message, and the engine asks for at most 16 million
/// cells at once.
const MESSAGE_BYTES: u32 = 1 << 30;
