//! From data files and database tables to exact counts, on Apache DataFusion.
//!
//! A [`Schema`](scumble_schema::Schema) declares the values of each column. The engine reads CSV,
//! TSV, Parquet, Arrow and Excel files and tables of PostgreSQL, encodes every value during the
//! scan, and counts rows over any cliques of attributes. If the schema names a unit column, it
//! keeps at most the declared number of rows of each unit. It is deterministic: the same rows give
//! the same counts, whatever their order, files, batches or threads.
//!
//! It knows no randomness, budgets or methods. Its counts are private, and go to the vault sealed
//! ([`MarginalSource`](scumble_vault::MarginalSource)). Its errors hold nothing of the rows.
//!
//! * [`Input`]: a file, a directory, a glob or a database table; [`Format`] is how a file is
//!   written;
//! * [`TableScan`]: rows where they are, counted by one scan per query;
//! * [`DatabaseTable`]: rows in a database, counted there by statements of SQL;
//! * [`CodedTable`]: all rows as codes, in memory or in private files, for repeated queries;
//! * [`ReadOptions`]: threads, format, [`MemoryLimit`] and [`Progress`];
//! * [`kernel`] and [`CountCliques`]: how codes are counted, and how DataFusion runs that;
//! * [`TableWriter`]: synthetic rows into a file that is complete or not there;
//! * [`EngineError`]: what can go wrong;
//! * [`remote`]: counting on other machines;
//! * `Stores`: object stores by their URLs, with the feature `object-store`;
//! * [`exact`]: exact counts in the open, for evaluation and tests;
//! * [`column_types`]: the column names and types of a file, without reading its rows;
//! * [`remove_private_files`]: cleans up when a program ends early.
//!
//! ```
//! use scumble_engine::exact::ExactCounts;
//! use scumble_engine::{CodedTable, Input, ReadOptions};
//! use scumble_schema::{Clique, Schema};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("people.csv");
//! std::fs::write(&path, "name,sex,age\nAda,f,36\nAlan,m,41\nGrace,f,\nKurt,m,beyond counting\n")?;
//! let schema = Schema::parse(r"
//! fields:
//!   - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 40}}}
//!   - {name: sex, type: string, constraints: {enum: [f, m], required: true}}
//! ")?;
//! let table = CodedTable::read(&[Input::new(&path)], &schema, &ReadOptions::default())?;
//! let counts = table.count_tables(&[Clique::empty(), Clique::new(schema.domain().attributes())])?;
//! assert_eq!(counts[0], [4]);
//! // Ages 0-39, 40-79, 80-119 and missing, each for f and m: every row is in one cell.
//! assert_eq!(counts[1], [1, 0, 0, 1, 0, 0, 1, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where the proofs are
//!
//! | claim | where |
//! |---|---|
//! | a table over any clique adds up from the tables that were counted | `docs/explanation/counting.md`, and the tests of [`kernel`] |
//! | a bound of `m` rows per unit multiplies every sensitivity by at most `m` | the note `unit.md` beside the code of the bound |
//! | files made to harm are refused or read, never believed | `docs/explanation/hostile-files.md` |

mod codes;
mod count;
mod error;
mod push_down;
mod run;
mod source;
mod table;
mod unit;
mod values;
mod write;

pub use count::aggregate::CountCliques;
pub use count::kernel;
pub use error::{ClusterProblem, ColumnProblem, Damage, EngineError, IoProblem};
pub use push_down::DatabaseTable;
pub use run::memory::MemoryLimit;
pub use run::progress::{Progress, ProgressSink};
pub use run::read_options::ReadOptions;
pub use run::remote::{self, KeptRows, Remote};
pub use run::spill::{SpillDirectory, remove_private_files};
pub use source::column_types::{ColumnTypes, LeftOut, NamedBy};
pub use source::database_problem::DatabaseProblem;
pub use source::delta_table::pinned;
pub use source::input::{Format, Input};
pub use source::inspect::{check_names, column_types};
#[cfg(feature = "object-store")]
pub use source::stores::Stores;
pub use table::coded::CodedTable;
pub use table::exact;
pub use table::table_scan::TableScan;
pub use write::TableWriter;
