//! Public facts about a table: its columns, what values they may take, and how values become codes and codes values.
//!
//! A [`SchemaSpec`] is the file as a person wrote it, a Frictionless Table Schema with `dp` blocks. A [`Schema`] is the
//! same after every rule was checked; all other rooms take only that. Its [`Domain`] says how many codes each column
//! has; a [`Clique`] names the columns of a table. An [`Encoder`] leads from any value to its one code, a [`Decoder`]
//! from codes back to typed columns.
//!
//! This room refuses to know rows. It sees one value at a time, keeps none, and draws no noise.
//!
//! ```
//! use scumble_schema::{Clique, Schema};
//!
//! let schema = Schema::parse(r#"
//! fields:
//!   - name: sex
//!     type: string
//!     constraints: {enum: [female, male], required: true}
//!     dp: {source: public}
//!   - name: income
//!     type: number
//!     constraints: {minimum: 0, maximum: 100000}
//!     dp: {source: public, bins: {count: 20}}
//! "#)?;
//! // Income has twenty bins and a code for a missing value.
//! assert_eq!(schema.domain().sizes(), [2, 21]);
//! assert_eq!(schema.domain().cells(&Clique::new(schema.domain().attributes())), 42);
//! assert_eq!(schema.attributes()[1].encoder().text(b"not a number"), 20);
//! # Ok::<(), scumble_schema::Problems>(())
//! ```

mod amounts;
mod attribute;
mod bins;
mod calendar;
pub mod cells;
mod check;
mod clique;
mod codes;
mod cut;
mod decode;
mod domain;
mod encode;
mod error;
mod file;
mod foreign;
mod generated;
mod hierarchy;
mod import;
pub mod limits;
mod missing;
mod observe;
mod privacy;
mod recoding;
mod rules;
mod schema;
mod select;
mod spec;
mod text;
mod whole_file;
mod written;
mod zone;

pub use attribute::{Attribute, FieldType};
pub use calendar::{CalendarUnit, Keep};
pub use clique::{AttributeId, Clique};
pub use codes::{CodeColumn, CodeWidth};
pub use decode::{DecodedRows, Decoder};
pub use domain::Domain;
pub use encode::Encoder;
pub use error::SchemaError;
pub use file::{ReadError, io_problem};
pub use foreign::{Exported, Foreign, Imported, Loss, LossKind, export_mbi};
pub use generated::{Generated, OutputColumn};
pub use hierarchy::{Hierarchies, HierarchySpec, Level};
pub use import::{draft, field_type_of};
pub use missing::{MissingKind, MissingValue};
pub use observe::{Observed, Observer};
pub use privacy::{AdjacencyKind, Privacy, RowCount, Unit};
pub use recoding::Recoding;
pub use rules::{Condition, RangeSpec, Rule, RuleSpec};
pub use schema::{Problems, Schema};
pub use spec::{
    BinsSpec, Constraints, FieldSpec, FieldTerms, GenerateSpec, Scalar, Scale, SchemaSpec, SequenceSpec, Source,
    TableTerms,
};
pub use whole_file::WholeFile;

/// A JSON Schema of the schema file, for editors.
pub const JSON_SCHEMA: &str = include_str!("../schema.json");
