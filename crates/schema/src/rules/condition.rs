//! The codes of a column that meet a condition.

use super::line::Line;
use super::spec::{Condition, RangeSpec};
use crate::bins::cut::{Held, RealCut};
use crate::error::SchemaError;
use crate::file::spec::Scalar;
use crate::schema::attribute::{Attribute, FieldType};
use crate::schema::check::Field;
use crate::values::encode::Values;

/// The default missing kind of a skipped question.
const NOT_APPLICABLE: &str = "not applicable";
/// The name of an unlabelled missing value in a condition.
const MISSING: &str = "missing";
/// The name of the unknown value of an open, typed column in a condition.
const UNKNOWN: &str = "unknown";

/// For every code of the column, whether it meets the condition.
pub(super) fn meets(attribute: &Attribute, condition: &Condition) -> Result<Vec<bool>, SchemaError> {
    let mut meets = vec![false; attribute.size() as usize];
    match condition {
        Condition::One(value) => meets[code_of(attribute, value)? as usize] = true,
        Condition::AnyOf(values) => {
            if values.is_empty() {
                return fails(attribute, "has a condition without values", "list at least one");
            }
            for value in values {
                meets[code_of(attribute, value)? as usize] = true;
            }
        }
        Condition::Range(range) => within(attribute, range, &mut meets)?,
    }
    Ok(meets)
}

/// The code of a declared value, or of a kind of missing value.
pub(super) fn code_of(attribute: &Attribute, value: &Scalar) -> Result<u32, SchemaError> {
    if let Some(code) = declared_code(attribute, value)? {
        return Ok(code);
    }
    let special = match value {
        Scalar::Text(label) => missing_code_of(attribute, label).or_else(|| unknown_code_of(attribute, label)),
        _ => None,
    };
    special.map_or_else(
        || {
            fails(
                attribute,
                format!("has no value `{value}`, which a rule names"),
                "write a declared value, a range such as `{from: 15, to: 64}`, or the label of a missing value",
            )
        },
        Ok,
    )
}

/// The code of a value that is the key of a map, and therefore text.
pub(super) fn code_of_key(attribute: &Attribute, key: &str) -> Result<u32, SchemaError> {
    let parsed = match attribute.field_type() {
        FieldType::Integer | FieldType::Year => key.parse().ok().map(Scalar::Integer),
        FieldType::Number => key.parse().ok().map(Scalar::Number),
        FieldType::Boolean => key.parse().ok().map(Scalar::Boolean),
        FieldType::String | FieldType::Date | FieldType::Datetime | FieldType::Time => None,
    };
    code_of(attribute, &parsed.unwrap_or_else(|| Scalar::Text(key.into())))
}

/// The code of a skipped question: the missing kind with this label, or the default kind.
pub(super) fn skipped_code(attribute: &Attribute, label: Option<&str>) -> Result<u32, SchemaError> {
    let code = match label {
        Some(label) => missing_code_of(attribute, label),
        None => missing_code_of(attribute, NOT_APPLICABLE).or(attribute.missing_code()),
    };
    code.map_or_else(
        || {
            let label = label.unwrap_or(NOT_APPLICABLE);
            fails(
                attribute,
                format!("is skipped by a rule, but has no code for `{label}`"),
                "drop `required`, and write the label of a missing value of the column as `as`",
            )
        },
        Ok,
    )
}

/// The code of a missing kind by its name in a condition.
fn missing_code_of(attribute: &Attribute, label: &str) -> Option<u32> {
    attribute.missing_code_of(label).or_else(|| attribute.missing_code().filter(|_| label == MISSING))
}

fn unknown_code_of(attribute: &Attribute, label: &str) -> Option<u32> {
    let own = match attribute.field_type() {
        FieldType::String => attribute.spec().dp.unknown_label(),
        _ => UNKNOWN,
    };
    attribute.unknown_code().filter(|_| label == own)
}

/// The code of exactly this value; `None` if the value is not declared.
fn declared_code(attribute: &Attribute, value: &Scalar) -> Result<Option<u32>, SchemaError> {
    let field = Field(attribute.spec());
    Ok(match (&attribute.encoder().values, value) {
        (Values::Text(categories), Scalar::Text(text)) => categories.get(text.as_bytes()),
        (Values::Boolean { .. }, Scalar::Boolean(value)) => Some((*value).into()),
        (Values::Text(_) | Values::Boolean { .. }, _) => None,
        (Values::Whole { line, cut }, value) => {
            let Some(code) = field.whole(line, value).ok().and_then(|value| cut.declared_code(value)) else {
                return Ok(None);
            };
            match cut.held(code) {
                Held::Bin(first, last) if first != last => return splits_a_bin(attribute, code),
                Held::Kept(..) => return splits_a_bin(attribute, code),
                _ => Some(code),
            }
        }
        (Values::Real(cut), value) => {
            let Some(code) = field.real(value).ok().and_then(|value| cut.declared_code(value)) else {
                return Ok(None);
            };
            match cut.held(code) {
                Held::Value(_) | Held::AndAbove(_) => Some(code),
                Held::Bin(..) | Held::Kept(..) => return splits_a_bin(attribute, code),
            }
        }
    })
}

fn splits_a_bin<T>(attribute: &Attribute, code: u32) -> Result<T, SchemaError> {
    fails(
        attribute,
        format!("has the bin {}, which a rule splits", attribute.label(code)),
        "begin and end ranges at bin edges, or declare an edge there with `dp: {bins: {edges: [...]}}`",
    )
}

/// Marks the codes whose values all lie in the range. A code that is only partly in it is refused.
fn within(attribute: &Attribute, range: &RangeSpec, meets: &mut [bool]) -> Result<(), SchemaError> {
    let both = |one: &Option<Scalar>, other: &Option<Scalar>| one.is_some() && other.is_some();
    if range == &RangeSpec::default() || both(&range.from, &range.above) || both(&range.to, &range.below) {
        return fails(
            attribute,
            "has a condition that is not a range",
            "write one of `from` and `above`, one of `to` and `below`, or one of each",
        );
    }
    let field = Field(attribute.spec());
    let Some(line) = Line::of(attribute) else {
        return fails(
            attribute,
            "has text or boolean values, so a rule cannot have a range of them",
            "list the values",
        );
    };
    match (&attribute.encoder().values, line) {
        (Values::Whole { line, .. }, Line::Whole(codes)) => {
            let read = |bound: &Option<Scalar>| bound.as_ref().map(|bound| field.whole(line, bound)).transpose();
            let above = read(&range.above)?.map(|bound| bound.saturating_add(1));
            let below = read(&range.below)?.map(|bound| bound.saturating_sub(1));
            let low = read(&range.from)?.or(above).unwrap_or(i64::MIN);
            let high = read(&range.to)?.or(below).unwrap_or(i64::MAX);
            mark(attribute, &codes.spans, low, high, meets)
        }
        (Values::Real(cut), Line::Real(codes)) => {
            let read = |bound: &Option<Scalar>| bound.as_ref().map(|bound| field.real(bound)).transpose();
            // A bin of real numbers excludes its upper edge, and an edge that is not a point is
            // drawn with probability 0. So among bins `to` equals `below`, and `above` equals
            // `from`.
            let is_edge = |bound: f64| !matches!(cut, RealCut::Categories(_)) && !cut.is_point(bound);
            let above = read(&range.above)?.map(|bound| if is_edge(bound) { bound } else { bound.next_up() });
            let to = read(&range.to)?.map(|bound| if is_edge(bound) { bound.next_down() } else { bound });
            let low = read(&range.from)?.or(above).unwrap_or(f64::NEG_INFINITY);
            let high = to.or(read(&range.below)?.map(f64::next_down)).unwrap_or(f64::INFINITY);
            mark(attribute, &codes.spans, low, high, meets)
        }
        _ => unreachable!("the line is the column's own"),
    }
}

fn mark<T: PartialOrd + Copy>(
    attribute: &Attribute,
    spans: &[Option<(T, T)>],
    low: T,
    high: T,
    meets: &mut [bool],
) -> Result<(), SchemaError> {
    for ((code, span), meets) in (0..).zip(spans).zip(meets) {
        let Some((first, last)) = *span else { continue };
        let inside = [first, last].map(|end| (low..=high).contains(&end));
        // A range inside a bin contains neither of its ends.
        let is_cut = inside[0] != inside[1] || (!inside[0] && first < low && high < last && low <= high);
        if is_cut {
            return splits_a_bin(attribute, code);
        }
        *meets = inside[0];
    }
    Ok(())
}

fn fails<T>(attribute: &Attribute, problem: impl Into<String>, hint: impl Into<String>) -> Result<T, SchemaError> {
    Err(SchemaError::column(attribute.name(), problem, hint))
}
