//! Refuses unsupported properties of the Table Schema standard that would change values.
//!
//! Other unknown properties are ignored, unless their name is close to a known one, which is most
//! likely a typing error.

#![expect(clippy::zero_sized_map_values, reason = "only the names of properties are needed")]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::SchemaError;
use crate::file::similar::similar;

/// Properties of a column in the standard.
const OF_COLUMN: [&str; 17] = [
    "name",
    "type",
    "format",
    "title",
    "description",
    "example",
    "rdfType",
    "missingValues",
    "constraints",
    "trueValues",
    "falseValues",
    "decimalChar",
    "groupChar",
    "bareNumber",
    "categories",
    "categoriesOrdered",
    "dp",
];
/// Constraints of a column in the standard.
const OF_CONSTRAINTS: [&str; 11] = [
    "required",
    "unique",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "jsonSchema",
    "pattern",
    "enum",
];

/// The parts of a schema file that are checked here.
#[derive(Deserialize)]
pub(crate) struct StandardFile {
    fields: Vec<StandardField>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StandardField {
    name: String,
    categories: Option<IgnoredAny>,
    #[serde(default)]
    constraints: StandardConstraints,
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct StandardConstraints {
    exclusive_minimum: Option<IgnoredAny>,
    exclusive_maximum: Option<IgnoredAny>,
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

impl StandardFile {
    /// Refuses an unsupported property that would change values, and a misspelt one.
    pub(crate) fn check(&self) -> Result<(), SchemaError> {
        self.fields.iter().try_for_each(StandardField::check)
    }
}

impl StandardField {
    fn check(&self) -> Result<(), SchemaError> {
        self.check_names(&self.others, &OF_COLUMN)?;
        let StandardConstraints { exclusive_minimum, exclusive_maximum, others } = &self.constraints;
        self.check_names(others, &OF_CONSTRAINTS)?;
        let refusals = [
            (self.categories.is_some(), "categories", "list the values as `constraints: {enum: [...]}`"),
            (exclusive_minimum.is_some(), "exclusiveMinimum", "write the least possible value as `minimum`"),
            (exclusive_maximum.is_some(), "exclusiveMaximum", "write the greatest possible value as `maximum`"),
        ];
        match refusals.into_iter().find(|(is_there, ..)| *is_there) {
            None => Ok(()),
            Some((_, property, hint)) => {
                let problem = format!("has `{property}`, which is not supported and would change its values");
                Err(SchemaError::column(&self.name, problem, hint))
            }
        }
    }

    /// Refuses an unknown property whose name is close to one of `known`.
    fn check_names(&self, properties: &BTreeMap<String, IgnoredAny>, known: &[&str]) -> Result<(), SchemaError> {
        let unknown = properties.keys().filter(|property| !known.contains(&property.as_str()));
        let mut meant = unknown.filter_map(|property| Some((property, similar(property, known.iter().copied())?)));
        match meant.next() {
            None => Ok(()),
            Some((property, near)) => {
                let problem = format!("has an unknown property `{property}`");
                Err(SchemaError::column(&self.name, problem, format!("did you mean `{near}`?")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::SchemaSpec;

    #[test]
    fn properties_that_would_change_values_are_refused() {
        for (property, words) in [
            ("categories: [1, 2]", "`categories`"),
            ("constraints: {exclusiveMinimum: 0, maximum: 9}", "`exclusiveMinimum`"),
            ("constraints: {minimum: 0, exclusiveMaximum: 9}", "`exclusiveMaximum`"),
            ("constraints: {minimun: 0, maximum: 9}", "column `x` has an unknown property `minimun`"),
            ("constrains: {minimum: 0, maximum: 9}", "column `x` has an unknown property `constrains`"),
        ] {
            let yaml = format!("fields: [{{name: x, type: integer, {property}}}]");
            let problem = SchemaSpec::parse(&yaml).unwrap_err();
            assert!(problem.to_string().contains(words), "{problem}");
            let json = serde_json::to_string(&crate::file::parse_yaml::<serde_json::Value>(&yaml).unwrap()).unwrap();
            assert_eq!(SchemaSpec::parse(&json).unwrap_err(), problem);
        }
    }

    #[test]
    fn properties_that_change_no_value_are_ignored() {
        let yaml = "primaryKey: x\nfields: [{name: x, type: integer, bareNumber: true, rdfType: y, constraints: {unique: true}}]";
        assert!(SchemaSpec::parse(yaml).is_ok());
    }
}
