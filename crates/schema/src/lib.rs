//! Public facts about a table: its columns, their possible values, and how values are encoded.
//!
//! A [`SchemaSpec`] is a schema file as written: a Frictionless Table Schema with `dp` blocks. A
//! [`Schema`] is the checked form that all other crates use. Its [`Domain`] has the number of codes
//! of each column; a [`Clique`] is the set of columns of a table. An [`Encoder`] maps any value to
//! its code, and a [`Decoder`] maps codes to typed columns.
//!
//! ```text
//!  schema.yaml ──▶ SchemaSpec ──▶ Schema ──▶ Attribute ──▶ Encoder ──▶ code    of any value
//!                  as written     checked        └───────▶ Decoder ──▶ value   of any code
//! ```
//!
//! This crate knows no rows: it sees one value at a time, keeps none, and draws no noise. It knows
//! no budget either: the protected unit is declared here ([`Privacy`]) and accounted for in the
//! vault.
//!
//! | folder | about | items |
//! |---|---|---|
//! | `file` | the schema file | [`SchemaSpec`], [`FieldSpec`], [`TableTerms`], [`Preset`], [`Dialect`] of text files, [`JSON_SCHEMA`] for editors |
//! | `schema` | the checked schema | [`Schema`], [`Attribute`], [`FieldType`], [`Generated`] columns, [`Level`] of a hierarchy, [`Privacy`], [`Assumption`], [`Observer`] |
//! | `values` | encoding and decoding | [`Encoder`], [`Decoder`], [`MissingKind`], [`TextForm`] |
//! | `derived` | columns that are computed from others | |
//! | `bins` | bins of numbers and dates | [`CalendarUnit`], [`Keep`] |
//! | `domain` | sizes and codes | [`Domain`], [`AttributeId`], [`Clique`], [`CodeColumn`], [`Recoding`] to derived columns, [`cells`] for the order of cells |
//! | `rules` | rules between columns | [`Rule`], [`RuleSpec`], [`Condition`] |
//! | `learn` | columns learned from released counts | [`learn::Class`], [`learn::LearnedKind`], [`learn::class_grid`] |
//! | `suggest` | drafts and guesses | [`draft()`], [`guess()`], [`rules_by_names`] |
//! | `foreign` | schemas of other tools | [`Foreign`], [`export_mbi`], with every [`Loss`] reported |
//!
//! Errors are [`Problems`], [`SchemaError`] and [`ReadError`]; [`limits`] has the limits on sizes.
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
//! # Tests
//! `tests/round_trip.rs` checks on random columns that encoding never panics, that every code is in
//! the domain, and that every code is restored. `tests/rules_between_columns.rs` checks what rules
//! forbid and that values are in order. `docs/reference/schema.md` documents the schema file.

mod bins;
mod derived;
mod domain;
mod error;
mod file;
mod foreign;
pub mod learn;
pub mod limits;
mod rules;
mod schema;
mod suggest;
mod values;

pub use bins::calendar::{CalendarUnit, Keep};
pub use domain::clique::{AttributeId, Clique};
pub use domain::codes::{CodeColumn, CodeWidth};
pub use domain::drawn_sets::drawn_sets;
pub use domain::recoding::Recoding;
pub use domain::{Domain, cells};
pub use error::{SchemaError, printable};
pub use file::atomic_file::AtomicFile;
pub use file::column_names::ColumnNames;
pub use file::dialect::{AsciiSymbol, Dialect, Encoding, HeaderRow};
pub use file::preset::Preset;
pub use file::similar::similar;
pub use file::spec::{
    BinsSpec, Constraints, FieldSpec, FieldTerms, GenerateSpec, Grid, Scalar, Scale, SchemaSpec, SequenceSpec, Source,
    TableTerms,
};
pub use file::{ReadError, io_hint, io_problem};
pub use foreign::{Exported, Foreign, Imported, Loss, LossKind, export_mbi};
pub use rules::{Condition, RangeSpec, Rule, RuleSpec};
pub use schema::assumption::Assumption;
pub use schema::attribute::{Attribute, FieldType};
pub use schema::generated::{Generated, OutputColumn};
pub use schema::hierarchy::{Hierarchies, HierarchySpec, Level};
pub use schema::observe::{Observed, Observer};
pub use schema::privacy::{AdjacencyKind, Privacy, RowCount, Unit};
pub use schema::{Problems, Schema};
pub use suggest::{Guess, draft, field_type_of, guess, guess_by_name, is_unit_by_name, rules_by_names};
pub use values::decode::{DecodedRows, Decoder};
pub use values::encode::Encoder;
pub use values::missing::{MissingKind, MissingValue};
pub use values::text_form::TextForm;

/// The JSON Schema of the schema file, for editors.
pub const JSON_SCHEMA: &str = include_str!("../schema.json");
