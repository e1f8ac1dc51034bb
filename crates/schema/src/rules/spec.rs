//! Rules as written in a schema file.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::file::spec::Scalar;

/// One rule between columns, unchecked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "WrittenRule", into = "WrittenRule")]
pub enum RuleSpec {
    /// Forbids rows that meet all of these conditions.
    Forbid(BTreeMap<String, Condition>),
    /// A skipped question: the column is missing exactly in the rows that fail a condition.
    Skip {
        /// The column.
        column: String,
        /// The conditions under which it has a value.
        unless: BTreeMap<String, Condition>,
        /// The label of the missing value; `not applicable` by default.
        label: Option<String>,
    },
    /// One column determines another.
    Determines {
        /// The determining column.
        column: String,
        /// The determined column.
        other: String,
        /// The value of `other` for every value of `column`.
        by: BTreeMap<String, Scalar>,
    },
    /// Values of the listed columns ascend.
    Order(Vec<String>),
    /// Completed years between two days, such as an age.
    Years {
        /// The integer column with the years.
        years: String,
        /// The date column from which years are counted.
        since: String,
        /// The date or datetime column up to which years are counted, or a day.
        until: String,
    },
}

/// Which values of a column meet a condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Condition {
    /// This value, or this label of a missing value.
    One(Scalar),
    /// One of these.
    AnyOf(Vec<Scalar>),
    /// A range of values.
    Range(RangeSpec),
}

/// A range of values.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeSpec {
    /// From this value on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Scalar>,
    /// Up to and including this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Scalar>,
    /// Below this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<Scalar>,
    /// Above this value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<Scalar>,
}

/// The properties of all kinds of rules, as written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forbid: Option<BTreeMap<String, Condition>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skip: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unless: Option<BTreeMap<String, Condition>>,
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    determines: Option<BTreeMap<String, String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<BTreeMap<String, Scalar>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    order: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    years: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

impl TryFrom<WrittenRule> for RuleSpec {
    type Error = &'static str;

    fn try_from(written: WrittenRule) -> Result<Self, Self::Error> {
        const KINDS: &str = "a rule is one of `forbid`, `skip` with `unless`, `determines` with `by`, `order`, and `years` with \
                             `since` and `until`";
        let WrittenRule { forbid, skip, unless, label, determines, by, order, years, since, until } = written;
        let kinds = [
            forbid.is_some(),
            skip.is_some() || unless.is_some() || label.is_some(),
            determines.is_some() || by.is_some(),
            order.is_some(),
            years.is_some() || since.is_some() || until.is_some(),
        ];
        if kinds.into_iter().filter(|is_there| *is_there).count() != 1 {
            return Err(KINDS);
        }
        if let Some(conditions) = forbid {
            Ok(Self::Forbid(conditions))
        } else if let (Some(column), Some(unless)) = (skip, unless) {
            Ok(Self::Skip { column, unless, label })
        } else if let (Some(determines), Some(by)) = (determines, by) {
            let mut pairs = determines.into_iter();
            match (pairs.next(), pairs.next()) {
                (Some((column, other)), None) => Ok(Self::Determines { column, other, by }),
                _ => Err("`determines` has one column and the one it determines: `{city: region}`"),
            }
        } else if let Some(columns) = order {
            Ok(Self::Order(columns))
        } else if let (Some(years), Some(since), Some(until)) = (years, since, until) {
            Ok(Self::Years { years, since, until })
        } else {
            Err(KINDS)
        }
    }
}

impl From<RuleSpec> for WrittenRule {
    fn from(rule: RuleSpec) -> Self {
        let none = Self::default();
        match rule {
            RuleSpec::Forbid(conditions) => Self { forbid: Some(conditions), ..none },
            RuleSpec::Skip { column, unless, label } => {
                Self { skip: Some(column), unless: Some(unless), label, ..none }
            }
            RuleSpec::Determines { column, other, by } => {
                Self { determines: Some(BTreeMap::from([(column, other)])), by: Some(by), ..none }
            }
            RuleSpec::Order(columns) => Self { order: Some(columns), ..none },
            RuleSpec::Years { years, since, until } => {
                Self { years: Some(years), since: Some(since), until: Some(until), ..none }
            }
        }
    }
}

/// The kind of rule and its columns, for messages.
impl fmt::Display for RuleSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |conditions: &BTreeMap<String, Condition>| {
            conditions.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Forbid(conditions) => write!(formatter, "forbid {}", names(conditions)),
            Self::Skip { column, unless, .. } => write!(formatter, "skip {column} unless {}", names(unless)),
            Self::Determines { column, other, .. } => write!(formatter, "{column} determines {other}"),
            Self::Order(columns) => write!(formatter, "order {}", columns.join(", ")),
            Self::Years { years, since, until } => write!(formatter, "{years} in years since {since} until {until}"),
        }
    }
}
