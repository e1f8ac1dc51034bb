//! Properties of the Table Schema standard that would change values, and that are not read: they are refused.
//!
//! All other properties that are not known are passed over: a title in another language changes no value.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::SchemaError;

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
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct StandardConstraints {
    exclusive_minimum: Option<IgnoredAny>,
    exclusive_maximum: Option<IgnoredAny>,
}

impl StandardFile {
    /// Fails if a column has a property that is not read and would change its values.
    pub(crate) fn check(&self) -> Result<(), SchemaError> {
        self.fields.iter().try_for_each(StandardField::check)
    }
}

impl StandardField {
    fn check(&self) -> Result<(), SchemaError> {
        let StandardConstraints { exclusive_minimum, exclusive_maximum } = &self.constraints;
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
