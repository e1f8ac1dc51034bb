//! Which rows are wanted.

use scumble_schema::{AttributeId, CodeColumn, Schema};

use super::refused;
use crate::error::MechanismError;

/// Which rows are wanted: for every column named, the codes that it may have.
///
/// ```
/// use scumble_mechanisms::Wanted;
/// use scumble_schema::Schema;
///
/// let schema = Schema::parse("
/// fields:
///   - {name: sex, type: string, constraints: {enum: [female, male]}}
///   - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 10}}}
/// ")?;
/// let wanted = Wanted::parse(&schema, ["sex=female", "age=60..79"])?;
/// assert!(!wanted.is_everything());
/// // A model knows numbers by their bins: it cannot tell 65 from 60.
/// assert!(Wanted::parse(&schema, ["age=65"]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// No column twice; codes ascend.
    allowed: Vec<(AttributeId, Vec<u32>)>,
}

impl Wanted {
    /// Rows that meet all of these conditions, each written `column=value`, `column=value|value` or, on a number line,
    /// `column=from..to`.
    ///
    /// # Errors
    /// If a condition names no column of the model, or a value that it cannot tell from others.
    pub fn parse<'a>(schema: &Schema, conditions: impl IntoIterator<Item = &'a str>) -> Result<Self, MechanismError> {
        let mut wanted = Self::default();
        for condition in conditions {
            let (column, values) = column_and_values(schema, condition)?;
            wanted = wanted.and(column, &codes(schema, column, values)?);
        }
        Ok(wanted)
    }

    /// Whether every row is wanted.
    pub fn is_everything(&self) -> bool {
        self.allowed.is_empty()
    }

    /// The same rows, if also this column has one of these codes.
    pub(super) fn and(&self, column: AttributeId, codes: &[u32]) -> Self {
        let mut allowed = self.allowed.clone();
        match allowed.iter_mut().find(|(other, _)| *other == column) {
            Some((_, held)) => held.retain(|code| codes.binary_search(code).is_ok()),
            None => allowed.push((column, codes.to_vec())),
        }
        Self { allowed }
    }

    /// The codes allowed, by column.
    pub(super) fn allowed(&self) -> impl Iterator<Item = (AttributeId, &[u32])> {
        self.allowed.iter().map(|(column, codes)| (*column, codes.as_slice()))
    }

    /// The numbers of the rows that are wanted, of rows given column by column.
    pub(super) fn among(&self, rows: &[CodeColumn]) -> Vec<usize> {
        let meets = |row: usize| {
            self.allowed().all(|(column, codes)| codes.binary_search(&rows[column.index()].get(row)).is_ok())
        };
        (0..rows.first().map_or(0, CodeColumn::len)).filter(|&row| meets(row)).collect()
    }
}

/// A column of the model and what is said about it. The name of a column may have the sign in it.
pub(super) fn column_and_values<'a>(schema: &Schema, text: &'a str) -> Result<(AttributeId, &'a str), MechanismError> {
    let signs = || text.match_indices('=').map(|(place, _)| (&text[..place], &text[place + 1..]));
    if let Some(found) = signs().find_map(|(name, values)| Some((schema.find(name)?, values))) {
        return Ok(found);
    }
    let Some((name, _)) = signs().next() else {
        return Err(refused(format!("`{text}` says nothing about a column"), "write it as `column=value`"));
    };
    if schema.generated().iter().any(|generated| generated.name() == name) {
        return Err(refused(
            format!("column `{name}` is made up on output, so the model knows nothing about it"),
            "choose another column",
        ));
    }
    let names: Vec<String> = schema.attributes().iter().map(|column| format!("`{}`", column.name())).collect();
    Err(refused(format!("the model has no column `{name}`"), format!("it has {}", names.join(", "))))
}

/// The codes of a column that a text names.
pub(super) fn codes(schema: &Schema, column: AttributeId, text: &str) -> Result<Vec<u32>, MechanismError> {
    schema.attribute(column).select(text).map_err(|error| refused(error.to_string(), error.hint()))
}
