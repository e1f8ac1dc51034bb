//! The schema file as written, before any check.
//!
//! It is a Frictionless Table Schema with `dp` blocks. Unused properties of the standard are
//! ignored, unless they would change values. Unknown properties of a `dp` block are refused,
//! because a typing error there would change the guarantee.

use serde::{Deserialize, Serialize};

use crate::bins::calendar::{CalendarUnit, Keep};
use crate::file::dialect::Dialect;
use crate::file::preset::Preset;
use crate::rules::RuleSpec;
use crate::schema::hierarchy::HierarchySpec;
use crate::schema::privacy::{AdjacencyKind, RowCount};
use crate::values::missing::MissingValue;

/// The default output for unknown values of an open text column.
pub(crate) const UNKNOWN_LABEL: &str = "other";

/// A schema file as written. [`Schema::new`](crate::Schema::new) checks it.
///
/// It can be changed before that, for example to drop a column or move a bound.
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
    /// A description of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Texts that mean a missing value in every column, with their kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_values: Option<Vec<MissingValue>>,
    /// The dialect of the table's text files.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dialect: Dialect,
    /// The privacy terms of the table.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dp: TableTerms,
    /// The columns to synthesise, in output order. Of other columns only the privacy unit is read.
    pub fields: Vec<FieldSpec>,
}

/// The `dp` block of the table: the privacy terms, and rules between columns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableTerms {
    /// The protected unit: `row`, or the name of the column that identifies the unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy_unit: Option<String>,
    /// Maximum number of rows per unit: promised for `row`, enforced by the engine for a column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_contributions: Option<u32>,
    /// Which tables are neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjacency: Option<AdjacencyKind>,
    /// Whether the number of rows is public.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_count: Option<RowCount>,
    /// Rules between columns, kept by every synthetic row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleSpec>,
}

/// A column of a schema file as written. Checking turns it into an [`Attribute`](crate::Attribute),
/// or a [`Generated`](crate::Generated) column.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldSpec {
    /// The column's name in the data.
    pub name: String,
    /// The name of a [`FieldType`](crate::FieldType); empty if the preset determines it.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub field_type: String,
    /// A short title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A description of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The `strptime` pattern of dates and datetimes in text; ISO 8601 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The decimal character of numbers in text; a point by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal_char: Option<String>,
    /// The group character of numbers in text; none by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_char: Option<String>,
    /// Whether texts hold a number and nothing else, which is the default; otherwise what stands
    /// around it, such as a currency, is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bare_number: Option<bool>,
    /// Texts that mean true, for booleans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub true_values: Option<Vec<String>>,
    /// Texts that mean false, for booleans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub false_values: Option<Vec<String>>,
    /// Texts that mean a missing value in this column, replacing those of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_values: Option<Vec<MissingValue>>,
    /// Bounds, categories, and whether a value is always present.
    #[serde(default, skip_serializing_if = "is_default")]
    pub constraints: Constraints,
    /// How values are encoded, and the source of that knowledge.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dp: FieldTerms,
}

/// The constraints of a column that shape its domain.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Constraints {
    /// Whether a value is always present.
    #[serde(default, skip_serializing_if = "is_default")]
    pub required: bool,
    /// The least value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Scalar>,
    /// The greatest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Scalar>,
    /// All values, in code order.
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<Scalar>>,
}

/// The `dp` block of a column: how values are encoded, and the source of that knowledge.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FieldTerms {
    /// The preset that fills in properties the column does not declare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The source of bounds, bins and categories; `assumed` by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub source: Source,
    /// The bins of a number, date or datetime column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<BinsSpec>,
    /// The hierarchy of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchySpec>,
    /// Whether unknown values have their own code.
    #[serde(default, skip_serializing_if = "is_default")]
    pub open: bool,
    /// The declared value for missing and unknown values of a required, closed column; the first by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fold_into: Option<Scalar>,
    /// The output for unknown values of an open text column; `other` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_label: Option<String>,
    /// How values are generated, for a column that is neither read nor modelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generate: Option<GenerateSpec>,
    /// The SQL expression of a column that is computed on output, and neither read nor modelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derive: Option<String>,
    /// The part of a date that is kept besides its bin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<Keep>,
    /// The time zone of a datetime column: a name of the IANA database, or an offset such as
    /// `+02:00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Numbers drawn from a bin are multiples of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Number of decimals of output numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
    /// The public grid whose cells are the categories, for learning a schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
}

/// A public grid that is no list of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grid {
    /// The [classes](crate::learn::Class) of texts.
    Classes,
}

impl FieldTerms {
    /// Whether the column is made on output: neither read nor modelled.
    pub fn is_made_on_output(&self) -> bool {
        self.generate.is_some() || self.derive.is_some()
    }

    /// The output for unknown values of an open text column.
    pub(crate) fn unknown_label(&self) -> &str {
        self.unknown_label.as_deref().unwrap_or(UNKNOWN_LABEL)
    }
}

/// How the values of a column are generated: exactly one of `pattern`, `constant` and `sequence`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerateSpec {
    /// Identifiers of this form: `#` is a digit, `@` an upper-case letter, everything else is
    /// literal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Whether identifiers are unique.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unique: bool,
    /// A constant value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<Scalar>,
    /// Row numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<SequenceSpec>,
}

/// How rows are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SequenceSpec {
    /// The number of the first row; 1 by default.
    #[serde(default = "one")]
    pub from: i64,
}

fn one() -> i64 {
    1
}

/// Bins, given by exactly one of `count`, `width`, `edges` and `by`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BinsSpec {
    /// Number of bins between minimum and maximum, of equal width unless `scale` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Width of the bins from the minimum on; in days for dates, in seconds for datetimes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// The edges. Each bin includes its lower edge, and the last one its upper edge too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges: Option<Vec<Scalar>>,
    /// The calendar unit of the bins, for dates and datetimes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<CalendarUnit>,
    /// How bins of a `count` grow; equal widths by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// The first edge of logarithmic bins, if the minimum is not positive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Scalar>,
    /// Values with their own codes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<Scalar>>,
    /// This value and all above it share one code, decoded as this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_code: Option<Scalar>,
    /// The source of the bins, if it differs from that of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

impl BinsSpec {
    /// This number of bins of equal width.
    pub(crate) fn of_count(count: u32) -> Self {
        Self { count: Some(count), ..Self::default() }
    }

    /// Bins of this width.
    pub(crate) fn of_width(width: f64) -> Self {
        Self { width: Some(width), ..Self::default() }
    }
}

/// How bin widths grow, for amounts that are mostly small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Logarithmic: each bin is wider than the one before by a constant factor.
    Log,
}

/// The source of a bound, a bin or a category list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// A public fact: a code book, a law, a form.
    Public,
    /// An unconfirmed guess. The guarantee holds only if it was made without looking at the rows.
    #[default]
    Assumed,
    /// Learned from the rows by a charged release.
    Dp,
    /// Read off the rows without a release. The guarantee does not cover it: see
    /// [`Assumption::DomainFromData`](crate::Assumption::DomainFromData).
    Data,
}

/// A value in a schema file.
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

impl Scalar {
    /// The value of an integer or a number.
    pub(crate) fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            Self::Boolean(_) | Self::Text(_) => None,
        }
    }
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

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
