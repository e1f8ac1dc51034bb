//! The schema file as written, before any check.
//!
//! It is a Frictionless Table Schema with `dp` blocks. Properties of that standard that Scumble has no use for are passed
//! over, unless they would change values; a `dp` block with a property we do not know is refused, because a typing error there
//! would change the guarantee.

use serde::{Deserialize, Serialize};

use crate::calendar::{CalendarUnit, Keep};
use crate::dialect::Dialect;
use crate::hierarchy::HierarchySpec;
use crate::missing::MissingValue;
use crate::preset::Preset;
use crate::privacy::{AdjacencyKind, RowCount};
use crate::rules::RuleSpec;

/// A schema file as it was written. [`Schema::new`](crate::Schema::new) checks it.
///
/// It can be changed before that: a column left out, a bound moved, another unit named.
///
/// ```
/// use scumble_schema::{Schema, SchemaSpec};
///
/// let mut spec = SchemaSpec::parse("
/// fields:
///   - {name: id, type: integer, constraints: {minimum: 1, maximum: 1000}}
///   - {name: smoker, type: boolean, constraints: {required: true}}
/// ")?;
/// spec.fields.retain(|field| field.name != "id");
/// assert_eq!(Schema::new(spec)?.domain().sizes(), [2]);
/// # Ok::<(), scumble_schema::Problems>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SchemaSpec {
    /// A short title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the table holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Texts that stand for a missing value in every column, with the kind each belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_values: Option<Vec<MissingValue>>,
    /// How text files of the table are written.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dialect: Dialect,
    /// The privacy terms of the table.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dp: TableTerms,
    /// The columns to synthesise, in output order. Of the other columns of the data only the privacy unit is read.
    pub fields: Vec<FieldSpec>,
}

/// The `dp` block of the table: whose privacy is protected, what may be told, and rules between columns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableTerms {
    /// What is protected: `row`, or the name of the column of the data that says whose a row is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy_unit: Option<String>,
    /// Most rows that one unit contributes: declared for `row`, kept by the engine for a column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_contributions: Option<u32>,
    /// Which tables are neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjacency: Option<AdjacencyKind>,
    /// Whether the number of rows may be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_count: Option<RowCount>,
    /// Rules between columns, which every synthetic row keeps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleSpec>,
}

/// One column of a schema file as it was written. Checked, it is an [`Attribute`](crate::Attribute), or, if it is made up,
/// [`Generated`](crate::Generated).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSpec {
    /// The column's name in the data.
    pub name: String,
    /// The type's name: see [`crate::FieldType`]. Empty if the column's preset says it.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub field_type: String,
    /// A short title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the column holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How dates and datetimes are written in text, as a `strptime` pattern; ISO 8601 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// What stands before the decimals of numbers in text; a point without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal_char: Option<String>,
    /// What stands between groups of digits of numbers in text; nothing without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_char: Option<String>,
    /// Texts that mean true, for booleans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub true_values: Option<Vec<String>>,
    /// Texts that mean false, for booleans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub false_values: Option<Vec<String>>,
    /// Texts that stand for a missing value in this column, in place of those of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_values: Option<Vec<MissingValue>>,
    /// Which values a person may have written down: bounds, categories, and whether there is always one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub constraints: Constraints,
    /// How values become codes, and where that knowledge comes from.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dp: FieldTerms,
}

/// The constraints of a column that shape its domain.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Constraints {
    /// Whether a value is always there.
    #[serde(default, skip_serializing_if = "is_default")]
    pub required: bool,
    /// The least value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Scalar>,
    /// The greatest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Scalar>,
    /// All values there are, in the order of their codes.
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<Scalar>>,
}

/// The `dp` block of a column: how values become codes, and who says that this much is public.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FieldTerms {
    /// The kind of column whose type, bounds, bins and categories hold where the column says nothing itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Where the bounds, bins and categories come from; `assumed` when nothing is said.
    #[serde(default, skip_serializing_if = "is_default")]
    pub source: Source,
    /// How a number line is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<BinsSpec>,
    /// Groups of the values, groups of those, and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchySpec>,
    /// Whether values outside the declared ones have a code of their own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub open: bool,
    /// Which declared value takes missing and unknown ones in a column that is required and closed; the first without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold_into: Option<Scalar>,
    /// How an unknown value of an open text column comes back; `other` without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_label: Option<String>,
    /// How values are made up on output, for a column that is neither read nor modelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generate: Option<GenerateSpec>,
    /// What is kept of a date beside its bin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<Keep>,
    /// The time zone of a datetime column: a name of the IANA database, or an offset such as `+02:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Numbers that come back from a bin are multiples of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Numbers that come back have so many decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
}

/// How the values of a column are made up: one of the three ways.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerateSpec {
    /// Identifiers of this form: `#` is a digit, `@` an upper-case letter, everything else stands for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Whether identifiers are all different.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unique: bool,
    /// The same value in every row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<Scalar>,
    /// The number of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<SequenceSpec>,
}

/// How rows are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SequenceSpec {
    /// The number of the first row; 1 without it.
    #[serde(default = "one")]
    pub from: i64,
}

fn one() -> i64 {
    1
}

/// How a number line is cut into bins: one of four ways. Amounts may have values with codes of their own beside them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BinsSpec {
    /// So many bins of equal width between minimum and maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Bins of this width from the minimum on; days for dates, seconds for datetimes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// These edges: each bin holds its lower edge, and the last one its upper edge too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<Vec<Scalar>>,
    /// Bins of this unit of the calendar, for dates and datetimes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<CalendarUnit>,
    /// How the bins of a `count` grow; all of one width without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// The first edge of bins that grow, where the minimum is no positive number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Scalar>,
    /// Values that have codes of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<Scalar>>,
    /// This value and all above it have one code, which comes back as this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_code: Option<Scalar>,
    /// Where the bins come from, if from elsewhere than the rest of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// How the widths of bins grow along a number line, for amounts that are mostly small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Each is wider than the one before by the same factor.
    Log,
}

/// Where a bound, a bin or a category list comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A public fact: a code book, a law, a form.
    Public,
    /// A guess that nobody has confirmed. The guarantee holds only if it was made without looking at the rows.
    #[default]
    Assumed,
    /// Learned from the rows by a charged release.
    Dp,
    /// Read off the rows without a release. The guarantee does not cover it: see
    /// [`Assumption::DomainFromData`](crate::Assumption::DomainFromData).
    Data,
}

/// A value as a schema file writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// Text; dates and datetimes too.
    Text(String),
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Boolean(value) => value.fmt(formatter),
            Self::Integer(value) => value.fmt(formatter),
            Self::Number(value) => value.fmt(formatter),
            Self::Text(value) => value.fmt(formatter),
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
