//! Conditions on rows.

use scumble_schema::{AttributeId, CodeColumn, Schema};

use super::refused;
use crate::error::MechanismError;

/// Conditions on rows: for some columns, the codes that they may have.
///
/// ```
/// use scumble_mechanisms::Conditions;
/// use scumble_schema::Schema;
///
/// let schema = Schema::parse("
/// fields:
///   - {name: sex, type: string, constraints: {enum: [female, male]}}
///   - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 10}}}
/// ")?;
/// let conditions = Conditions::parse(&schema, ["sex=female", "age=60..79"])?;
/// assert!(!conditions.is_empty());
/// // A model has bins of numbers: it cannot distinguish 65 from 60.
/// assert!(Conditions::parse(&schema, ["age=65"]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conditions {
    /// No column twice; codes ascend.
    allowed: Vec<(AttributeId, Vec<u32>)>,
}

impl Conditions {
    /// Parses conditions, all of which rows have to meet: `column=value`, `column=value|value` or,
    /// for ordered values, `column=from..to`.
    ///
    /// # Errors
    /// If a condition names an unknown column, or a value that the model does not distinguish from
    /// others.
    pub fn parse<'a>(schema: &Schema, conditions: impl IntoIterator<Item = &'a str>) -> Result<Self, MechanismError> {
        let mut parsed = Self::default();
        for condition in conditions {
            let (column, values) = column_and_values(schema, condition)?;
            parsed = parsed.and(column, &codes(schema, column, values)?);
        }
        Ok(parsed)
    }

    /// Returns whether every row meets the conditions.
    pub fn is_empty(&self) -> bool {
        self.allowed.is_empty()
    }

    /// Adds the condition that a column has one of these codes.
    pub(super) fn and(&self, column: AttributeId, codes: &[u32]) -> Self {
        let mut allowed = self.allowed.clone();
        match allowed.iter_mut().find(|(other, _)| *other == column) {
            Some((_, held)) => held.retain(|code| codes.binary_search(code).is_ok()),
            None => allowed.push((column, codes.to_vec())),
        }
        Self { allowed }
    }

    /// Returns the allowed codes by column.
    pub(super) fn allowed(&self) -> impl Iterator<Item = (AttributeId, &[u32])> {
        self.allowed.iter().map(|(column, codes)| (*column, codes.as_slice()))
    }

    /// Returns the positions of the rows that meet the conditions.
    pub(super) fn matching(&self, rows: &[CodeColumn]) -> Vec<usize> {
        let meets = |row: usize| {
            self.allowed().all(|(column, codes)| codes.binary_search(&rows[column.index()].get(row)).is_ok())
        };
        (0..rows.first().map_or(0, CodeColumn::len)).filter(|&row| meets(row)).collect()
    }
}

/// Splits `column=values`. The name of a column may contain `=`.
pub(super) fn column_and_values<'a>(schema: &Schema, text: &'a str) -> Result<(AttributeId, &'a str), MechanismError> {
    let signs = || text.match_indices('=').map(|(place, _)| (&text[..place], &text[place + 1..]));
    if let Some(found) = signs().find_map(|(name, values)| Some((schema.find(name)?, values))) {
        return Ok(found);
    }
    let Some((name, _)) = signs().next() else {
        return Err(refused(format!("`{text}` says nothing about a column"), "write it as `column=value`"));
    };
    if let Some(column) = schema.generated().iter().find(|generated| generated.name() == name) {
        return Err(if column.is_derived() {
            refused(
                format!("column `{name}` is computed on output"),
                "choose among the columns that it is computed from",
            )
        } else {
            refused(
                format!("column `{name}` is generated on output, so the model has no information about it"),
                "choose another column",
            )
        });
    }
    let names: Vec<String> = schema.attributes().iter().map(|column| format!("`{}`", column.name())).collect();
    Err(refused(format!("the model has no column `{name}`"), format!("it has {}", names.join(", "))))
}

/// Parses codes of a column.
pub(super) fn codes(schema: &Schema, column: AttributeId, text: &str) -> Result<Vec<u32>, MechanismError> {
    schema.attribute(column).select(text).map_err(|error| refused(error.to_string(), error.hint()))
}
