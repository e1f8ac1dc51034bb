//! Public facts about a table: its columns, what values they may take, and how values become codes and codes values.
//!
//! A [`SchemaSpec`] is the file as a person wrote it, a Frictionless Table Schema with `dp` blocks. A [`Schema`] is the
//! same after every rule was checked; all other rooms take only that. Its [`Domain`] says how many codes each column
//! has; a [`Clique`] names the columns of a table. An [`Encoder`] leads from any value to its one code, a [`Decoder`]
//! from codes back to typed columns.
//!
//! ```text
//!  schema.yaml ──▶ SchemaSpec ──▶ Schema ──▶ Attribute ──▶ Encoder ──▶ code    of any value
//!                  as written     checked        └───────▶ Decoder ──▶ value   of any code
//! ```
//!
//! This room refuses to know rows. It sees one value at a time, keeps none, and draws no noise. It knows no budget either: whose privacy is
//! protected is declared here ([`Privacy`]) and paid for elsewhere.
//!
//! | about | items |
//! |---|---|
//! | the file | [`SchemaSpec`], [`FieldSpec`], [`TableTerms`], [`JSON_SCHEMA`] for editors, [`draft`] for a first one, [`Preset`] for columns of common kinds |
//! | what may be wrong with it | [`Problems`], [`SchemaError`], [`ReadError`] |
//! | columns | [`Attribute`], [`FieldType`], [`MissingKind`], [`Generated`] for those that are made up |
//! | codes | [`Encoder`], [`Decoder`], [`CodeColumn`], [`Recoding`] for columns as a method sees them, [`Observer`] for what a schema does not cover |
//! | tables | [`Domain`], [`AttributeId`], [`Clique`], [`cells`]: the one place that fixes the order of cells |
//! | what is declared besides | [`Privacy`], [`Rule`], [`Level`] of a hierarchy, [`Dialect`] of text files, [`Assumption`]s that follow |
//! | sizes | [`limits`]: what is refused before it is allocated |
//! | other tools' schemas | [`Foreign`], [`export_mbi`], with every [`Loss`] named |
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
//!
//! # Where the proofs are
//! That no bytes raise, that every code is in the domain and that every code comes back is tested on drawn columns in `tests/round_trip.rs`; what a
//! rule forbids, and that values come out in the order that it asks for, in `tests/rules_between_columns.rs`. What each property of the file
//! means is in `docs/reference/schema.md`.

mod amounts;
mod assumption;
mod atomic_file;
mod attribute;
mod bins;
mod calendar;
pub mod cells;
mod check;
mod clique;
mod codes;
mod cut;
mod decode;
mod dialect;
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
mod number_text;
mod observe;
mod preset;
mod privacy;
mod recoding;
mod rules;
mod schema;
mod select;
mod similar;
mod spec;
mod standard;
mod step;
mod suggest;
mod text;
mod text_form;
mod written;
mod zone;

pub use assumption::Assumption;
pub use atomic_file::AtomicFile;
pub use attribute::{Attribute, FieldType};
pub use calendar::{CalendarUnit, Keep};
pub use clique::{AttributeId, Clique};
pub use codes::{CodeColumn, CodeWidth};
pub use decode::{DecodedRows, Decoder};
pub use dialect::{AsciiSymbol, Dialect, Encoding};
pub use domain::Domain;
pub use encode::Encoder;
pub use error::SchemaError;
pub use file::{ReadError, io_hint, io_problem};
pub use foreign::{Exported, Foreign, Imported, Loss, LossKind, export_mbi};
pub use generated::{Generated, OutputColumn};
pub use hierarchy::{Hierarchies, HierarchySpec, Level};
pub use import::{draft, field_type_of};
pub use missing::{MissingKind, MissingValue};
pub use observe::{Observed, Observer};
pub use preset::Preset;
pub use privacy::{AdjacencyKind, Privacy, RowCount, Unit};
pub use recoding::Recoding;
pub use rules::{Condition, RangeSpec, Rule, RuleSpec};
pub use schema::{Problems, Schema};
pub use similar::similar;
pub use spec::{
    BinsSpec, Constraints, FieldSpec, FieldTerms, GenerateSpec, Scalar, Scale, SchemaSpec, SequenceSpec, Source,
    TableTerms,
};
pub use suggest::{Guess, guess, guess_by_name, is_unit_by_name, rules_by_names};
pub use text_form::TextForm;

/// A JSON Schema of the schema file, for editors.
pub const JSON_SCHEMA: &str = include_str!("../schema.json");
