//! A validator for the subset of JSON Schema 2020-12 that the published files use.
//!
//! A complete validator would add two dozen dependencies. This one panics on an unknown keyword, so
//! that no rule of a file is untested.

use serde_json::{Map, Value};

/// Keywords that do not affect validity.
const ANNOTATIONS: [&str; 8] = ["$schema", "$id", "$defs", "$comment", "title", "description", "default", "examples"];

/// Validates `value` against the schema `root`.
///
/// # Errors
/// The first rule that the value breaks, and where.
pub fn validate(root: &Value, value: &Value) -> Result<(), String> {
    Validator { root }.check(root, value, "")
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    /// Validates `value`, found at `place`, against `schema`.
    fn check(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        let rules = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Bool(false) => return Err(format!("{place}: may not be here")),
            rules => rules.as_object().expect("a schema is an object or a truth value"),
        };
        rules.iter().try_for_each(|(keyword, rule)| self.keyword(rules, keyword, rule, value, place))
    }

    fn keyword(
        &self,
        rules: &Map<String, Value>,
        keyword: &str,
        rule: &Value,
        value: &Value,
        place: &str,
    ) -> Result<(), String> {
        let holds = |schema: &Value| self.check(schema, value, place).is_ok();
        let demand = |met: bool| if met { Ok(()) } else { Err(format!("{place}: breaks `{keyword}: {rule}`")) };
        let schemas = || rule.as_array().expect("a list of schemas").iter();
        match keyword {
            "$ref" => {
                let pointer = rule.as_str().and_then(|uri| uri.strip_prefix('#')).expect("a reference within the file");
                self.check(self.root.pointer(pointer).expect("a reference has a target"), value, place)
            }
            "allOf" => schemas().try_for_each(|schema| self.check(schema, value, place)),
            "anyOf" => demand(schemas().any(holds)),
            "oneOf" => demand(schemas().filter(|schema| holds(schema)).count() == 1),
            "not" => demand(!holds(rule)),
            "if" => {
                let branch = if holds(rule) { "then" } else { "else" };
                rules.get(branch).map_or(Ok(()), |schema| self.check(schema, value, place))
            }
            "then" | "else" => Ok(()),
            "const" => demand(rule == value),
            "enum" => demand(rule.as_array().expect("a list of values").contains(value)),
            "type" => match rule {
                Value::Array(types) => demand(types.iter().any(|one| has_type(one, value))),
                one => demand(has_type(one, value)),
            },
            "minimum" => demand(value.as_f64().is_none_or(|number| number >= limit(rule))),
            "maximum" => demand(value.as_f64().is_none_or(|number| number <= limit(rule))),
            "exclusiveMinimum" => demand(value.as_f64().is_none_or(|number| number > limit(rule))),
            "minLength" => demand(value.as_str().is_none_or(|text| text.chars().count() >= size(rule))),
            "maxLength" => demand(value.as_str().is_none_or(|text| text.chars().count() <= size(rule))),
            "minItems" => demand(value.as_array().is_none_or(|items| items.len() >= size(rule))),
            "maxItems" => demand(value.as_array().is_none_or(|items| items.len() <= size(rule))),
            "minProperties" => demand(value.as_object().is_none_or(|object| object.len() >= size(rule))),
            "maxProperties" => demand(value.as_object().is_none_or(|object| object.len() <= size(rule))),
            "uniqueItems" => demand(value.as_array().is_none_or(|items| all_differ(items))),
            "items" => self.items(rule, value, place),
            "required" => demand(value.as_object().is_none_or(|object| {
                rule.as_array().expect("a list of names").iter().all(|name| object.contains_key(text(name)))
            })),
            "properties" => self.properties(rule, value, place),
            "additionalProperties" => {
                assert_eq!(rule, false, "only the closed form is used");
                let known = rules["properties"].as_object().expect("a closed object lists its properties");
                demand(value.as_object().is_none_or(|object| object.keys().all(|name| known.contains_key(name))))
            }
            annotation => {
                assert!(ANNOTATIONS.contains(&annotation), "the validator does not know `{annotation}`");
                Ok(())
            }
        }
    }

    fn items(&self, rule: &Value, value: &Value, place: &str) -> Result<(), String> {
        let items = value.as_array().into_iter().flatten();
        items.enumerate().try_for_each(|(index, item)| self.check(rule, item, &format!("{place}/{index}")))
    }

    fn properties(&self, rule: &Value, value: &Value, place: &str) -> Result<(), String> {
        let Some(object) = value.as_object() else { return Ok(()) };
        rule.as_object().expect("schemas by name").iter().try_for_each(|(name, schema)| match object.get(name) {
            Some(value) => self.check(schema, value, &format!("{place}/{name}")),
            None => Ok(()),
        })
    }
}

fn all_differ(items: &[Value]) -> bool {
    items.iter().enumerate().all(|(index, item)| !items[..index].contains(item))
}

fn has_type(name: &Value, value: &Value) -> bool {
    match text(name) {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        unknown => panic!("the validator does not know the type `{unknown}`"),
    }
}

fn limit(rule: &Value) -> f64 {
    rule.as_f64().expect("a limit is a number")
}

fn size(rule: &Value) -> usize {
    rule.as_u64().and_then(|size| usize::try_from(size).ok()).expect("a size is a whole number")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a name is a text")
}
