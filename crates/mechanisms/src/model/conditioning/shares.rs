//! Shares of the values of a column in a sample.

use scumble_schema::{AttributeId, Schema};

use super::conditions::{codes, column_and_values};
use super::refused;
use crate::error::MechanismError;

/// Maximum distance of the sum of shares from one, for rounding.
const SUM_TOLERANCE: f64 = 1e-6;

/// Shares of the values of a column in a sample. Values that are not named have none.
///
/// ```
/// use scumble_mechanisms::Shares;
/// use scumble_schema::{AttributeId, Schema};
///
/// let schema = Schema::parse("fields: [{name: sex, type: string, constraints: {enum: [female, male]}}]")?;
/// let shares = Shares::parse(&schema, "sex=female:0.5,male:0.5")?;
/// assert_eq!(shares.column(), AttributeId::new(0));
/// assert!(Shares::parse(&schema, "sex=female:0.5").is_err(), "shares sum to one");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    column: AttributeId,
    /// Disjoint sets of codes with their shares, which are positive and sum to one.
    groups: Vec<(Vec<u32>, f64)>,
}

impl Shares {
    /// Parses `column=value:share,value:share`.
    ///
    /// # Errors
    /// If the column or a value is unknown, or the shares do not sum to one.
    pub fn parse(schema: &Schema, text: &str) -> Result<Self, MechanismError> {
        let (column, list) = column_and_values(schema, text)?;
        let pairs = list.split(',').map(|pair| {
            pair.rsplit_once(':').ok_or_else(|| {
                refused(
                    format!("`{pair}` has no share"),
                    "write `column=value:share,value:share`, such as `sex=f:0.5,m:0.5`",
                )
            })
        });
        Self::new(schema, column, pairs.collect::<Result<Vec<_>, _>>()?)
    }

    /// Parses the text of a CSV file with a value and its share in every line. A first line
    /// `value,share` is a heading.
    ///
    /// # Errors
    /// Those of [`Shares::parse`].
    pub fn parse_csv(schema: &Schema, column: &str, text: &str) -> Result<Self, MechanismError> {
        let (column, _) = column_and_values(schema, &format!("{column}="))?;
        let lines = text.lines().map(str::trim).enumerate();
        let lines = lines.filter(|(number, line)| !(line.is_empty() || *number == 0 && *line == "value,share"));
        let pairs = lines.map(|(number, line)| {
            let (value, share) = line.rsplit_once(',').ok_or_else(|| {
                refused(format!("line {} of the shares has no share", number + 1), "write a value, a comma and a share")
            })?;
            Ok((unquoted(value.trim()), share))
        });
        let pairs = pairs.collect::<Result<Vec<(String, &str)>, MechanismError>>()?;
        Self::new(schema, column, pairs.iter().map(|(value, share)| (value.as_str(), *share)).collect())
    }

    fn new(schema: &Schema, column: AttributeId, pairs: Vec<(&str, &str)>) -> Result<Self, MechanismError> {
        let name = schema.attribute(column).name();
        let mut taken = vec![false; schema.domain().size(column) as usize];
        let mut groups = Vec::with_capacity(pairs.len());
        let mut sum = 0.0;
        for (value, share) in pairs {
            let Some(share) =
                share.trim().parse::<f64>().ok().filter(|share| (0.0..=1.0 + SUM_TOLERANCE).contains(share))
            else {
                return Err(refused(
                    format!("`{}` of `{value}` in column `{name}` is no share", share.trim()),
                    "write a number from 0 to 1, with a point",
                ));
            };
            let codes = codes(schema, column, value)?;
            for &code in &codes {
                if std::mem::replace(&mut taken[code as usize], true) {
                    let label = schema.attribute(column).label(code);
                    return Err(refused(
                        format!("column `{name}` has two shares for `{label}`"),
                        "name every value once",
                    ));
                }
            }
            sum += share;
            if share > 0.0 {
                groups.push((codes, share));
            }
        }
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            return Err(refused(
                format!("the shares of column `{name}` sum to {sum}"),
                "make them sum to 1; values that are not named get no rows",
            ));
        }
        for (_, share) in &mut groups {
            *share /= sum;
        }
        Ok(Self { column, groups })
    }

    /// The column whose values get these shares.
    pub fn column(&self) -> AttributeId {
        self.column
    }

    pub(super) fn groups(&self) -> &[(Vec<u32>, f64)] {
        &self.groups
    }
}

/// Removes the quotes of a CSV field.
fn unquoted(field: &str) -> String {
    match field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => field.into(),
    }
}
