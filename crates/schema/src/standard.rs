//! Properties of the Table Schema standard that would change values, and that are not read: they are refused.
//!
//! All other properties that are not known are passed over, since a title in another language changes no value; unless they are
//! nearly the name of one that is known, which is most likely a slip.

#![expect(clippy::zero_sized_map_values, reason = "serde hands the names of properties over with their values")]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::SchemaError;
use crate::similar::similar;

/// What the standard knows of a column.
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
/// What the standard knows of the constraints of a column.
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

/// A schema file, as far as these properties go.
#[derive(Deserialize)]
pub(crate) struct StandardFile {
    fields: Vec<StandardField>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StandardField {
    name: String,
    bare_number: Option<bool>,
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
    /// Fails if a column has a property that is not read and would change its values.
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
            (
                self.bare_number == Some(false),
                "bareNumber: false",
                "write the numbers without signs and units around them, or list the texts as a `string` column",
            ),
            (self.categories.is_some(), "categories", "list the values as `constraints: {enum: [...]}`"),
            (exclusive_minimum.is_some(), "exclusiveMinimum", "write the least value itself as `minimum`"),
            (exclusive_maximum.is_some(), "exclusiveMaximum", "write the greatest value itself as `maximum`"),
        ];
        match refusals.into_iter().find(|(is_there, ..)| *is_there) {
            None => Ok(()),
            Some((_, property, hint)) => {
                let problem = format!("has `{property}`, which would change its values and is not read");
                Err(SchemaError::column(&self.name, problem, hint))
            }
        }
    }

    /// Refuses a property whose name is nearly one of `known`.
    fn check_names(&self, properties: &BTreeMap<String, IgnoredAny>, known: &[&str]) -> Result<(), SchemaError> {
        let unknown = properties.keys().filter(|property| !known.contains(&property.as_str()));
        let mut meant = unknown.filter_map(|property| Some((property, similar(property, known.iter().copied())?)));
        match meant.next() {
            None => Ok(()),
            Some((property, near)) => {
                let problem = format!("has `{property}`, which is not known");
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
            ("bareNumber: false", "column `x` has `bareNumber: false`, which would change its values"),
            ("categories: [1, 2]", "`categories`"),
            ("constraints: {exclusiveMinimum: 0, maximum: 9}", "`exclusiveMinimum`"),
            ("constraints: {minimum: 0, exclusiveMaximum: 9}", "`exclusiveMaximum`"),
            ("constraints: {minimun: 0, maximum: 9}", "column `x` has `minimun`, which is not known"),
            ("constrains: {minimum: 0, maximum: 9}", "column `x` has `constrains`"),
        ] {
            let yaml = format!("fields: [{{name: x, type: integer, {property}}}]");
            let problem = SchemaSpec::parse(&yaml).unwrap_err();
            assert!(problem.to_string().contains(words), "{problem}");
            let json = serde_json::to_string(&crate::file::parse_yaml::<serde_json::Value>(&yaml).unwrap()).unwrap();
            assert_eq!(SchemaSpec::parse(&json).unwrap_err(), problem);
        }
    }

    #[test]
    fn properties_that_change_no_value_are_passed_over() {
        let yaml = "primaryKey: x\nfields: [{name: x, type: integer, bareNumber: true, rdfType: y, constraints: {unique: true}}]";
        assert!(SchemaSpec::parse(yaml).is_ok());
    }
}
