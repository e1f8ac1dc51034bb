//! From data files and database tables to exact counts: sources, total encoding and counting on Apache DataFusion.
//!
//! A [`Schema`](scumble_schema::Schema) says what values each column may have. The engine reads CSV, TSV, Parquet, Arrow
//! and Excel files and tables of PostgreSQL, turns every value into a code in the scan, and counts rows over any cliques of
//! attributes. Where the schema names a column that says whose a row is, it keeps at most so many rows of each unit as the
//! schema says. It is deterministic: the same rows give the same counts, whatever their order, files, batches or threads.
//!
//! It refuses to know randomness, budgets and methods. What it counts is private, and goes to the vault sealed
//! ([`MarginalSource`](scumble_vault::MarginalSource)). Its errors hold nothing of the rows.
//!
//! * [`Input`]: a file, a directory, a glob or a database table; [`Format`] says how a file is written;
//! * [`TableScan`]: the rows where they are, counted by one scan per question;
//! * [`CodedTable`]: all rows as codes, in memory or in private files, for those who ask again and again;
//! * [`ReadOptions`]: threads, format, [`MemoryLimit`], and who is told about [`Progress`];
//! * [`kernel`] and [`CountCliques`]: how codes are counted, and how DataFusion runs that;
//! * [`TableWriter`]: synthetic rows into a file that is whole or not there;
//! * [`EngineError`]: what can go wrong, and whose fault it is;
//! * [`remote`]: counting somewhere else, on a cluster;
//! * [`column_types`]: the column names and types of a file, without a look at its rows;
//! * and [`remove_private_files`], for a program that must end in a hurry.
//!
//! ```
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
//! | keeping at most `m` rows of a unit is no more than `m` rows for the guarantee | the note `unit.md` beside the code of the bound |
//! | files made to harm are refused or read, never believed | `docs/explanation/hostile-files.md` |

mod aggregate;
mod code_column;
mod coded;
mod csv;
mod encode;
mod error;
mod guard;
mod indirect;
mod input;
mod inspect;
pub mod kernel;
mod memory;
mod objects;
mod packed;
mod postgres;
mod progress;
mod recode;
pub mod remote;
mod rows;
mod scan;
mod session;
mod spill;
mod table_scan;
mod udf;
mod unit;
mod whole;
mod write;

pub use aggregate::CountCliques;
pub use coded::CodedTable;
pub use error::{ClusterProblem, ColumnProblem, Damage, EngineError, IoProblem};
pub use input::{Format, Input};
pub use inspect::column_types;
pub use memory::MemoryLimit;
pub use postgres::DatabaseProblem;
pub use progress::{Progress, ProgressSink};
pub use remote::Remote;
pub use spill::{SpillRoom, remove_private_files};
pub use table_scan::{ReadOptions, TableScan};
pub use write::TableWriter;
