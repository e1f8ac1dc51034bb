//! From data files to exact counts: sources, total encoding and counting on Apache DataFusion.
//!
//! A [`Schema`](scumble_schema::Schema) says what values each column may have. The engine reads CSV, TSV, Parquet and
//! Arrow files, turns every value into a code in the scan, and counts rows over any cliques of attributes. It is
//! deterministic: the same rows give the same counts, whatever their order, files, batches or threads.
//!
//! It refuses to know randomness, budgets and methods. What it counts is private, and goes to the vault sealed
//! ([`MarginalSource`](scumble_vault::MarginalSource)). Its errors hold nothing of the rows.
//!
//! * [`Input`]: a file, a directory or a glob; [`Format`] says how it is written;
//! * [`CodedTable`]: all rows as codes, in memory, and their counts;
//! * [`ReadOptions`]: threads, format, and who is told about [`Progress`];
//! * [`TableWriter`]: synthetic rows into a file that is whole or not there;
//! * [`EngineError`]: what can go wrong, and whose fault it is;
//! * and [`column_types`]: the column names and types of a file, without a look at its rows.
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

mod coded;
mod count;
mod csv;
mod encode;
mod error;
mod guard;
mod input;
mod inspect;
mod progress;
mod read;
mod scan;
mod udf;
mod write;

pub use coded::CodedTable;
pub use error::{ColumnProblem, Damage, EngineError, IoProblem};
pub use input::{Format, Input};
pub use inspect::column_types;
pub use progress::{Progress, ProgressSink};
pub use read::ReadOptions;
pub use write::TableWriter;
